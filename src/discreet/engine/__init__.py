"""Where counting and recoding run: one protocol, and DuckDB in this process."""

from collections.abc import Callable
from pathlib import Path

from discreet.engine.duckdb_engine import DuckDBEngine
from discreet.engine.errors import (
    BadObjectError,
    EngineError,
    EngineFullError,
    NestedColumnError,
    NoArrayError,
    RepeatedKeyError,
    UnreadableError,
)
from discreet.engine.protocol import ORIGINAL, STAR, Assignments, Decisions, Engine, Labels, TableShape

ENGINES: dict[str, Callable[[Path], Engine]] = {"duckdb": DuckDBEngine}
"""Name -> what makes an engine that may spill to a folder; the first is the default. Tests of engines run over all."""

__all__ = [
    "ENGINES",
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
    "NoArrayError",
    "RepeatedKeyError",
    "TableShape",
    "UnreadableError",
]
