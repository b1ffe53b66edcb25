"""From files and tables in memory into DuckDB, once, so that later stages never read a source again."""

from discreet.read.storing import open_workspace, quoted
from discreet.read.table import TableShape, load_table

__all__ = ["TableShape", "load_table", "open_workspace", "quoted"]
