"""What a release holds beside what its certificate names: it is published, and nothing is known of it.

That is any other file or folder, and in a Parquet file what no reader of rows ever shows: metadata as keys and values,
in which a whole original fits, and bytes that belong to no column. CSV and JSON have no such places.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from discreet.engine.errors import complaint
from discreet.errors import InputError
from discreet.verifier.folder import ReleaseFolder
from discreet.verifier.verdict import counted, shown

_MAGIC = 4
"""Bytes at both ends of a Parquet file; the last are preceded by as many for the length of the footer."""


def hidden_in(release: ReleaseFolder) -> list[str]:
    """What is there and was not checked, in words."""
    found = [shown(name) for name in release.unnamed()]
    for path in release.named():
        if path.suffix == ".parquet":
            found += _hidden_in_parquet(path)
    return found


def _hidden_in_parquet(path: Path) -> Iterator[str]:
    try:
        with parquet.ParquetFile(path) as file:
            metadata = file.metadata
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path.name}: cannot be read as Parquet ({complaint(error)}).") from error
    yield from _pairs(metadata.metadata, path.name)
    spans = [(0, _MAGIC)]
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            yield from _pairs(column.metadata, f"{path.name}, column {shown(column.path_in_schema)}")
            starts = (column.dictionary_page_offset, column.data_page_offset)
            start = min((offset for offset in starts if offset), default=0)  # 0 where there are no such pages
            spans.append((start, start + column.total_compressed_size))
            if column.bloom_filter_offset is not None:
                spans.append((column.bloom_filter_offset, column.bloom_filter_offset + column.bloom_filter_length))
    size = path.stat().st_size
    spans.append((size - 2 * _MAGIC - metadata.serialized_size, size))
    apart = reached = 0
    for start, end in sorted(spans):
        apart += max(0, start - reached)
        reached = max(reached, end)
    if apart:
        yield f"{path.name}: {counted(apart, 'byte')} that belong to no column"


def _pairs(metadata: dict[bytes, bytes] | None, where: str) -> Iterator[str]:
    """Metadata of keys and values."""
    for key, value in (metadata or {}).items():
        size = counted(len(value), "byte")
        yield f"{where}: {size} of metadata under the key {shown(key.decode(errors='backslashreplace'))}"
