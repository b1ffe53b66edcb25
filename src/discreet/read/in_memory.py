"""Data in memory as Arrow hands them over: frames of any library, lists of dicts, dicts of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from discreet.errors import InputError
from discreet.read.formats import without_row_numbers

KNOWN_FORMS = "a pandas, Polars, pyarrow or DuckDB table, a list of dicts or a dict of columns"


def batches_of(source: Any, name: str, other_forms: str = "a path") -> Any:
    """A stream of Arrow batches. name: the source, as a sentence names it. other_forms: what else could be given.

    A lazy Polars frame is collected. Of a list of dicts every key is a column; where a dict lacks it, the value is
    missing.
    """
    if _is_lazy(source):
        source = source.collect()
    elif isinstance(source, Mapping):
        source = _table(source)
    elif is_list_of_dicts(source):
        names = dict.fromkeys(chain.from_iterable(source))
        source = _table({name: [row.get(name) for row in source] for name in names})
    if not hasattr(source, "__arrow_c_stream__"):
        raise InputError(f"{name} has no Arrow interface; pass {other_forms}, {KNOWN_FORMS}.")
    return without_row_numbers(pa.RecordBatchReader.from_stream(source))


def is_list_of_dicts(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(row, Mapping) for row in source)


def to_keep(source: object) -> object:
    """The same data in a form that can be read more than once."""
    return source.read_all() if isinstance(source, pa.RecordBatchReader) else source


def _is_lazy(source: object) -> bool:
    """Polars is not imported for this: whoever has a lazy frame has imported it."""
    return any(f"{kind.__module__}.{kind.__name__}".startswith("polars.lazyframe.") for kind in type(source).__mro__)


def _table(columns: Mapping[Any, Sequence[object] | Iterable[object]]) -> Any:
    return pa.table({str(name): _column(values) for name, values in columns.items()})


def _column(values: Any) -> Any:
    return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
