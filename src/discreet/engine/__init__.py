"""Where counting and recoding run: DuckDB in this process."""

from discreet.engine.duckdb_engine import Decisions, DuckDBEngine, Labels

__all__ = ["Decisions", "DuckDBEngine", "Labels"]
