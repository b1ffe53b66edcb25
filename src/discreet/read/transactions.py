"""Reads transactions, once and whole: every one a set of item texts, in the order of the source.

Four shapes: `dat` (one transaction per line, items separated by blanks), `long` (columns `transaction` and `item`),
`basket` (one transaction per line, items between separators, quoted as in RFC 4180 where necessary) and `parquet` (one
column of lists). The name of an item is taken as it is; only in `basket`, where people like to write a blank after the
separator, blanks around an item do not belong to it. An empty field is not an item: it pads a line, or shows that a
transaction exists and has nothing more.

Text is cut at its borders by array arithmetic over its bytes, so a line may be as long as memory allows. Where
quotes occur, borders are not what they seem, and Python's csv module reads the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from discreet.errors import InputError
from discreet.read.formats import ARROW, DELIMITERS, PARQUET, ipc_batches
from discreet.read.in_memory import batches_of, is_list_of_dicts
from discreet.read.source import SourceFile
from discreet.read.storing import UNREADABLE, first_line, refuse_broken
from discreet.read.text import COMPRESSIONS, RowError, decompressed, not_utf_8
from discreet.values.arrays import Int64s
from discreet.values.long_cells import long_cells
from discreet.values.sets import Sets

Shape = Literal["dat", "long", "basket", "parquet"]
PublishedShape = Shape | Literal["grouped"]
"""grouped: two files, the transactions by group and, separately, how often each group has each sensitive item"""

DAT = ".dat"
BLANKS = " \t"
LONG_COLUMNS = ("transaction", "item")
GROUPED_COLUMNS = ("group", "transaction", "item")
GROUP_SENSITIVE_COLUMNS = ("group", "item", "count")
_FIELDS_AT_ONCE = 1_000_000
_WAYS_OUT = (
    "name its columns 'transaction' and 'item', one row for each item, or, where each line is one transaction, set "
    "data.separator"
)


@dataclass(frozen=True, eq=False)
class RawTransactions:
    """Transactions as their source has them, their items by number."""

    shape: Shape
    separator: str | None
    """basket only"""
    items: tuple[str, ...]
    """the different items, sorted"""
    sets: Sets
    """transaction, in the order of the source -> numbers of its items"""
    duplicates: int
    """how many items were left out because their transaction had them already"""
    name: str
    """the source, as a sentence names it"""


@dataclass(frozen=True, eq=False)
class _Fields:
    """Text cut into fields: record r has the texts [offsets[r], offsets[r + 1]) and begins on line lines[r]."""

    texts: Any
    offsets: Int64s
    lines: Int64s

    @property
    def sizes(self) -> Int64s:
        return np.diff(self.offsets)


def read_transactions(
    source: Path | str | object, separator: str | None = None, encoding: str | None = None
) -> RawTransactions:
    """Reads a file or transactions in memory.

    `source` is a path (.dat .csv .tsv, also compressed as .gz or .zst; .parquet .arrow .feather), a table in memory
    that has one column of lists or the columns `transaction` and `item`, or a list of lists of items.
    `separator`: what is between the items of a .csv file that has one transaction per line. `encoding`: of a text file,
    UTF-8 by default.

    Raises `InputError` when the source cannot be read or has no transactions.
    """
    if isinstance(source, str | Path):
        return _read_file(Path(source), separator, encoding)
    name = f"the {type(source).__name__}"
    if separator is not None:
        raise _needless_separator(name)
    try:
        if isinstance(source, list | tuple) and not is_list_of_dicts(source):
            if any(isinstance(transaction, str) for transaction in source):
                raise InputError(f"{name} has text where a transaction should be; give each one as a list of items.")
            return _from_lists(name, pa.array([list(transaction) for transaction in source]))
        return _from_table(name, batches_of(source, name, "a path, a list of lists").read_all())
    except (*UNREADABLE, TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read ({first_line(error)}); give items as text or as numbers.") from error


def read_columns(
    path: Path, names: Sequence[str], delimiters: str = ",", encoding: str | None = None
) -> tuple[list[Any], Int64s]:
    """The columns with these names, as text and in this order, of a delimited file that has no others.

    Also the line on which each row begins. Blank lines are skipped; a file may have no rows.
    """
    content = _content(path, encoding)
    header_line = content.replace(b"\r", b"\n").partition(b"\n")[0].decode()
    headers = {delimiter: next(csv.reader([header_line], delimiter=delimiter), []) for delimiter in delimiters}
    delimiter = next((key for key, header in headers.items() if sorted(header) == sorted(names)), None)
    if delimiter is None:
        wanted = " and ".join(map(repr, names)) if len(names) == 2 else ", ".join(map(repr, names))
        ways_out = f"; {_WAYS_OUT}" if tuple(names) == LONG_COLUMNS else ""
        raise RowError(
            path, 1, f"the columns should be {wanted} and no others, but the line is {header_line[:60]!r}{ways_out}."
        )
    fields = _fields(path, content, delimiter)
    sizes = fields.sizes
    odd = np.flatnonzero(sizes != len(names))
    is_blank = sizes[odd] == 0
    single = sizes[odd] == 1
    is_blank[single] = np.asarray(pc.binary_length(fields.texts.take(fields.offsets[odd[single]]))) == 0
    if not is_blank.all():
        record = odd[~is_blank][0]
        raise RowError(
            path,
            int(fields.lines[record]),
            f"{sizes[record]} field(s) where the header has {len(names)}; add or remove some, or put a field that "
            "contains the delimiter in double quotes.",
        )
    rows = np.flatnonzero(sizes == len(names))[1:]
    places = [headers[delimiter].index(name) for name in names]
    return [fields.texts.take(fields.offsets[rows] + place) for place in places], fields.lines[rows]


def _read_file(path: Path, separator: str | None, encoding: str | None) -> RawTransactions:
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise InputError(f"{path}: no such file; check the path.")
    ending, compression = path.suffix.lower(), ""
    if ending in COMPRESSIONS:
        ending, compression = Path(path.stem).suffix.lower(), ending
    if compression and ending in (*PARQUET, *ARROW):
        raise InputError(
            f"{path}: {ending} files are compressed inside and are not read through {compression}; decompress it."
        )
    if separator is not None and ending not in DELIMITERS:
        raise _needless_separator(str(path))
    if ending == DAT:
        fields = _cut(_content(path, encoding), BLANKS)
        return _numbered("dat", None, str(path), _rows(fields), fields.texts, len(fields.lines))
    if ending in DELIMITERS and separator is not None:
        return _read_baskets(path, separator, encoding)
    if ending in DELIMITERS:
        (transactions, items), lines = read_columns(path, LONG_COLUMNS, DELIMITERS[ending], encoding)
        return _from_long(str(path), transactions, items, lines)
    if ending in (*PARQUET, *ARROW):
        return _from_table(str(path), _read_typed(path, ending))
    raise InputError(
        f"{path}: the ending '{path.suffix}' is unknown; known endings are {' '.join((DAT, *DELIMITERS))} (also "
        f"followed by {' or '.join(COMPRESSIONS)}) and {' '.join((*PARQUET, *ARROW))}; rename or convert the file."
    )


def _needless_separator(name: str) -> InputError:
    return InputError(
        f"{name}: data.separator is only for .csv and .tsv files with one transaction per line; leave it out."
    )


# --- Text ---------------------------------------------------------------------------------------------------


def _read_baskets(path: Path, separator: str, encoding: str | None) -> RawTransactions:
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
        raise InputError(
            f"data.separator is {separator!r}; it must be one ASCII character that is neither a quote nor a line end."
        )
    fields = _fields(path, _content(path, encoding), separator, skip_blanks=True)
    return _numbered("basket", separator, str(path), _rows(fields), fields.texts, len(fields.lines), strip=True)


def _content(path: Path, encoding: str | None) -> bytes:
    """The bytes of a text file, free of NUL bytes and of bytes that are not UTF-8."""
    with decompressed(SourceFile.at(path, encoding)) as source:
        content = source.read()
    if (position := content.find(b"\0")) >= 0:
        raise RowError(
            path, _line_at(content, position), "it has a NUL byte; remove it, for example with `tr -d '\\000'`."
        )
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise RowError(
            path,
            _line_at(content, error.start),
            not_utf_8(content[error.start]),
        ) from None
    return content


def _line_at(content: bytes, position: int) -> int:
    return _with_plain_line_ends(content[:position]).count(b"\n") + 1


def _with_plain_line_ends(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _fields(path: Path, content: bytes, delimiter: str, *, skip_blanks: bool = False) -> _Fields:
    """skip_blanks: a blank after a delimiter does not keep a quote from opening a field."""
    return _parsed(path, content, delimiter, skip_blanks) if b'"' in content else _cut(content, delimiter)


def _cut(content: bytes, delimiters: str) -> _Fields:
    """Cuts at every delimiter and every line end. Arrow keeps texts back to back, so the borders are taken out."""
    content = _with_plain_line_ends(content)
    if not content.endswith(b"\n"):
        content += b"\n"
    characters = np.frombuffer(content, np.uint8)
    border = np.zeros(256, np.bool_)
    border[list(f"{delimiters}\n".encode())] = True
    is_border = border[characters]
    ends = np.flatnonzero(is_border)
    text_offsets = np.zeros(len(ends) + 1, np.int64)
    np.subtract(ends, np.arange(len(ends)), out=text_offsets[1:])
    texts = pa.LargeStringArray.from_buffers(
        len(ends), pa.py_buffer(text_offsets), pa.py_buffer(characters[~is_border])
    )
    offsets = np.concatenate(([0], np.flatnonzero(characters[ends] == ord("\n")) + 1)).astype(np.int64)
    return _Fields(texts, offsets, np.arange(1, len(offsets), dtype=np.int64))


def _parsed(path: Path, content: bytes, delimiter: str, skip_blanks: bool) -> _Fields:
    """The same for text with quotes."""
    chunks: list[Any] = []
    texts: list[str] = []
    sizes: list[int] = []
    lines = [1]
    with long_cells():
        source = io.StringIO(content.decode(), newline="")
        reader = csv.reader(source, delimiter=delimiter, strict=True, skipinitialspace=skip_blanks)
        try:
            for record in reader:
                texts.extend(record)
                sizes.append(len(record))
                lines.append(reader.line_num + 1)
                if len(texts) >= _FIELDS_AT_ONCE:
                    chunks.append(pa.array(texts, pa.large_string()))
                    texts.clear()
        except csv.Error:
            raise RowError(
                path,
                lines[-1],
                "a quoted field is never closed, or text follows its closing quote; put the whole field in double "
                "quotes and double each quote inside it.",
            ) from None
    chunks.append(pa.array(texts, pa.large_string()))
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return _Fields(pa.concat_arrays(chunks), offsets, np.array(lines[:-1], np.int64))


def _rows(fields: _Fields) -> Int64s:
    return np.repeat(np.arange(len(fields.lines), dtype=np.int64), fields.sizes)


# --- Data with types ----------------------------------------------------------------------------------------


def _read_typed(path: Path, ending: str) -> Any:
    try:
        if ending in PARQUET:
            with parquet.ParquetFile(path) as file:
                return file.read()
        with pa.OSFile(str(path)) as file:
            return ipc_batches(file).read_all()
    except UNREADABLE as error:
        refuse_broken(path, "Parquet" if ending in PARQUET else "Arrow", error)


def _from_table(name: str, table: Any) -> RawTransactions:
    kinds = table.schema.types
    if len(kinds) == 1 and pa.types.is_nested(kinds[0]):
        return _from_lists(name, table.column(0).combine_chunks())
    if sorted(table.column_names) != sorted(LONG_COLUMNS):
        shown = ", ".join(f"{field.name!r} ({field.type})" for field in list(table.schema)[:10])
        raise InputError(
            f"{name}: transactions are one column of lists, or two columns 'transaction' and 'item', but the columns "
            f"are {shown or 'none'}; leave out the others."
        )
    transactions, items = (_texts(name, column, table.column(column).combine_chunks()) for column in LONG_COLUMNS)
    return _from_long(name, transactions, items, np.arange(1, len(items) + 1, dtype=np.int64))


def _from_lists(name: str, lists: Any) -> RawTransactions:
    if pa.types.is_null(lists.type):  # no list at all, so Arrow cannot know what of
        lists = lists.cast(pa.large_list(pa.null()))
    if isinstance(lists.type, pa.MapType) or not hasattr(lists.type, "value_type"):
        raise InputError(f"{name}: its column has values of type {lists.type}; give a list of items in each row.")
    texts = _texts(name, "item", lists.flatten())
    rows = np.repeat(np.arange(len(lists), dtype=np.int64), np.asarray(pc.list_value_length(lists).fill_null(0)))
    nothing = np.flatnonzero(np.asarray(pc.equal(pc.binary_length(texts), 0)))
    if len(nothing):
        raise InputError(
            f"{name}, row {rows[nothing[0]] + 1}: an item in its list is empty; give the item a name or leave it out."
        )
    return _numbered("parquet", None, name, rows, texts, len(lists))


def _texts(name: str, what: str, values: Any) -> Any:
    """Text and whole numbers as text, nulls as empty text."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _texts(name, what, values.dictionary_decode())
    known = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_integer,
        pa.types.is_null,
    )
    if not any(is_kind(kind) for is_kind in known):
        raise InputError(f"{name}: {what} has values of type {kind}; give them as text or as whole numbers.")
    return values.cast(pa.large_string()).fill_null("")


# --- All shapes ---------------------------------------------------------------------------------------------


def _from_long(name: str, transactions: Any, items: Any, lines: Int64s) -> RawTransactions:
    nameless = np.flatnonzero(np.asarray(pc.equal(pc.binary_length(transactions), 0)))
    if len(nameless):
        raise InputError(
            f"{name}, row {lines[nameless[0]]}: the field 'transaction' is empty; say where the item belongs."
        )
    encoded = transactions.dictionary_encode()
    rows = np.asarray(encoded.indices, np.int64)
    return _numbered("long", None, name, rows, items, len(encoded.dictionary))


def _numbered(
    shape: Shape,
    separator: str | None,
    name: str,
    rows: Int64s,
    texts: Any,
    transactions: int,
    *,
    strip: bool = False,
) -> RawTransactions:
    """Parallel to each other: the transaction and the text of each item, empty for none."""
    if not transactions:
        raise InputError(f"{name} has no transactions; give at least two.")
    encoded = texts.dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    if strip:
        distinct = [text.strip(BLANKS) for text in distinct]
    items = tuple(sorted({text for text in distinct if text}))
    for item in items:
        if "\0" in item:
            raise InputError(f"{name}: the item {item[:60]!r} has a NUL byte; remove it.")
    number = {item: index for index, item in enumerate(items)}
    number_of = np.array([number.get(text, -1) for text in distinct], np.int32)
    numbers = number_of[np.asarray(encoded.indices)]
    sets = Sets.from_pairs(rows, numbers, transactions)
    duplicates = int(np.count_nonzero(numbers >= 0)) - len(sets.items)
    return RawTransactions(shape, separator, items, sets, duplicates, name)
