"""Where counting and recoding run: one protocol, and DuckDB in this process."""

from discreet.engine.duckdb_engine import DuckDBEngine
from discreet.engine.errors import BadObjectError, EngineError, EngineFullError, NestedColumnError, UnreadableError
from discreet.engine.protocol import ORIGINAL, STAR, Assignments, Decisions, Engine, Labels, TableShape

__all__ = [
    "ORIGINAL",
    "STAR",
    "Assignments",
    "BadObjectError",
    "Decisions",
    "DuckDBEngine",
    "Engine",
    "EngineError",
    "EngineFullError",
    "Labels",
    "NestedColumnError",
    "TableShape",
    "UnreadableError",
]
