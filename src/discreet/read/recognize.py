"""Are these data transactions? Judged by the name of a file and its first line, without reading the rest."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from discreet.read.formats import DELIMITERS, PARQUET
from discreet.read.in_memory import is_list_of_dicts
from discreet.read.source import SourceFile
from discreet.read.storing import UNREADABLE
from discreet.read.text import COMPRESSIONS, decompressed
from discreet.read.transactions import DAT, LONG_COLUMNS

_LONGEST_HEADER = 100


def looks_like_a_table(data: object, separator: str | None = None, encoding: str | None = None) -> bool:
    """Always: most files are tables, and another kind that claims one as well is the better guess."""
    return True


def looks_like_transactions(data: object, separator: str | None = None, encoding: str | None = None) -> bool:
    """True where a table is out of the question or far less likely; a basket CSV cannot be told apart from a table.

    True for a list of lists, a .dat file, a .csv or .tsv file with the columns `transaction` and `item`, and a
    .parquet file with one column of lists.
    """
    if separator is not None:
        return True
    if not isinstance(data, str | Path):
        return isinstance(data, list | tuple) and not is_list_of_dicts(data)
    path = Path(data)
    if not path.is_file():
        return False
    return _ending(path) == DAT or has_long_header(path, encoding) is True or _is_column_of_lists(path)


def has_long_header(path: Path, encoding: str | None = None) -> bool | None:
    """Are `transaction` and `item` the columns of a delimited file? None for any other file, or for no file."""
    ending = _ending(path)
    if ending not in DELIMITERS or not path.is_file():
        return None
    with decompressed(SourceFile.at(path, encoding)) as file:
        line = file.readline(_LONGEST_HEADER).decode(errors="replace").strip("\r\n").replace('"', "")
    return any(sorted(line.split(delimiter)) == sorted(LONG_COLUMNS) for delimiter in DELIMITERS[ending])


def _is_column_of_lists(path: Path) -> bool:
    if _ending(path) not in PARQUET:
        return False
    try:
        kinds = parquet.read_schema(path).types
    except (*UNREADABLE, OSError):
        return False  # the reader of tables will say what is wrong
    return len(kinds) == 1 and any(
        is_list(kinds[0]) for is_list in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    )


def _ending(path: Path) -> str:
    named = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
    return named.suffix.lower()
