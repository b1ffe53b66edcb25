"""Where counting and recoding run: DuckDB in this process."""

from discreet.engine.duckdb_engine import STAR, Decisions, DuckDBEngine, Labels

__all__ = ["STAR", "Decisions", "DuckDBEngine", "Labels"]
