"""Delimited text and lines, as they are written.

What a text file says is kept: `007` stays `007`, `NA` is a value like any other, and only an empty field is missing.

Reading is fast and its errors are terse, so there are two ways through a text file. The fast way is always
taken: Arrow parses, and `_Watched` looks at the bytes as they pass for the three things Arrow lets through
(NUL bytes, text after a closing quote, a quote that is never closed). Only if one of them objects is the
file read again, slowly and strictly, by `_records`, which knows the number of the row.
"""

import codecs
import csv
import io
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, BinaryIO, NoReturn, cast

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from discreet.engine import Engine
from discreet.errors import InputError
from discreet.read.source import SourceFile
from discreet.read.storing import UNREADABLE, fault_of_names, first_line, refuse_broken, refuse_no_rows

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}

# A character is at most four bytes of UTF-8, so a row within the first limit never exceeds the second, which
# is what Arrow can parse: a row may straddle one border between blocks.
LONGEST_ROW = 2 * 2**20
BLOCK_BYTES = 4 * LONGEST_ROW

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
CHUNK_BYTES = 1 << 20

# Raw control characters are forbidden inside JSON, so this one splits no valid line.
NEVER_IN_JSON = "\x01"


class RowError(InputError):
    """A sentence about one row of a text file; rows are counted in lines, the first is 1."""

    def __init__(self, file: object, row: int, fault: str) -> None:
        super().__init__(f"{file}, row {row}: {fault}")
        self.row = row
        self.fault = fault


@contextmanager
def decompressed(file: SourceFile) -> Iterator[BinaryIO]:
    """The bytes of a text file as UTF-8, decompressed and without its byte order mark."""
    codec = COMPRESSIONS.get(file.path.suffix.lower())
    try:
        raw = pa.CompressedInputStream(pa.OSFile(str(file.path)), codec) if codec else io.FileIO(file.path)
        with ExitStack() as leaving:
            stream = leaving.enter_context(io.BufferedReader(raw))
            if file.is_utf_8 and stream.peek(3).startswith(UTF_16_MARKS):
                raise InputError(f"{file} is encoded as UTF-16; say so with {_naming('utf-16')}.")
            if not file.is_utf_8:
                stream = leaving.enter_context(io.BufferedReader(_Transcoded(file, cast(BinaryIO, stream))))
            if stream.peek(3).startswith(b"\xef\xbb\xbf"):
                stream.read(3)
            if not stream.peek(1):
                raise InputError(f"{file} is empty; give a file with at least two records.")
            yield cast(BinaryIO, stream)
    except OSError as error:
        raise InputError(
            f"{file} cannot be read ({first_line(error)}); check its permissions or write it again."
        ) from error


def not_utf_8(byte: int) -> str:
    """What is wrong with a byte, and the way out."""
    return f"the byte 0x{byte:02X} is not UTF-8; name the file's encoding with {_naming('latin-1')}, or convert it."


def _naming(encoding: str) -> str:
    return f"data.encoding, such as encoding: {encoding} (for inspect, --encoding {encoding})"


class _Transcoded(io.RawIOBase):
    """A text in another encoding as UTF-8."""

    def __init__(self, file: SourceFile, source: BinaryIO) -> None:
        self._file = file
        self._source = source
        self._decoder = codecs.getincrementaldecoder(file.encoding)("strict")
        self._begun = False
        self._row = 1
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        chunk = b"more"
        while not self._ready and chunk:
            chunk = self._source.read(CHUNK_BYTES)
            self._ready = self._decoded(chunk)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decoded(self, chunk: bytes) -> bytes:
        try:
            text = self._decoder.decode(chunk, final=not chunk)
            encoded = text.encode()
        except UnicodeError as error:
            raise InputError(
                f"{self._file}: after row {self._row} its bytes are not {self._file.encoding} ({error}); name the "
                "right encoding."
            ) from None
        self._row += text.count("\n")
        if text and not self._begun:
            self._begun = True
            return encoded.removeprefix(codecs.BOM_UTF8)
        return encoded


class _Watched(io.RawIOBase):
    """Hands a file's bytes on to Arrow and looks out for what Arrow would let through.

    Number the quotes of a file from 0. Where quoting is strict, an even one opens a field (it comes after a
    delimiter or a line end) or is the second half of a doubled quote (after a quote); an odd one closes a
    field or is the first half of a doubled quote; and their number is even. Whatever breaks this rule is
    `doubtful`: an error, or a quote in the middle of an unquoted field, which is harmless; `_records` decides.
    """

    def __init__(self, source: BinaryIO, delimiter: str, quotes: bool) -> None:
        self._source = source
        self._quotes = quotes
        self._border = np.zeros(256, dtype=np.bool_)
        self._border[list(b'"\r\n' + delimiter.encode())] = True
        self._tail = b"\n"
        self._inside = False
        self.doubtful = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._source.read(size)
        self.doubtful |= b"\0" in chunk
        if self._quotes:
            self._watch_quotes(chunk or b"\n")
            self.doubtful |= not chunk and self._inside
        return chunk

    def _watch_quotes(self, chunk: bytes) -> None:
        """Judges all bytes but the last, whose right neighbour comes with the next chunk."""
        tail, self._tail = self._tail, (self._tail + chunk[-2:])[-2:]
        if b'"' not in tail and b'"' not in chunk:
            return
        window = tail + chunk
        content = np.frombuffer(window, dtype=np.uint8)
        quotes = np.flatnonzero(content[1:-1] == ord('"')) + 1
        opening, closing = quotes[self._inside :: 2], quotes[not self._inside :: 2]
        strict = self._border[content[opening - 1]].all() and self._border[content[closing + 1]].all()
        self.doubtful |= not strict
        self._inside ^= bool(len(quotes) % 2)


@dataclass(frozen=True)
class Layout:
    """How a text file is cut into fields: delimited columns below a header, or one column of whole lines."""

    names: tuple[str, ...]
    delimiter: str
    whole_lines: bool = False


WHOLE_LINES = Layout(names=("line",), delimiter=NEVER_IN_JSON, whole_lines=True)


def load_text(engine: Engine, file: SourceFile, layout: Layout, table: str) -> None:
    """Stores every field as text, or raises the `InputError` that says why this layout does not fit."""
    with decompressed(file) as source:
        watched = _Watched(source, layout.delimiter, quotes=not layout.whole_lines)
        try:
            engine.store(_text_batches(watched, layout), table)
        except UNREADABLE as error:
            _check_rows(file, layout)
            refuse_broken(file, "text", error)
    if watched.doubtful:
        _check_rows(file, layout)


def _text_batches(file: io.RawIOBase, layout: Layout) -> Any:
    return arrow_csv.open_csv(
        file,
        read_options=arrow_csv.ReadOptions(
            block_size=BLOCK_BYTES,
            column_names=layout.names,
            skip_rows_after_names=0 if layout.whole_lines else 1,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=layout.delimiter,
            quote_char=False if layout.whole_lines else '"',
            newlines_in_values=not layout.whole_lines,
            ignore_empty_lines=len(layout.names) > 1,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in layout.names},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


# --- Text: the strict way, which knows the row --------------------------------------------------------------


def _check_rows(file: SourceFile, layout: Layout) -> None:
    """Reads the whole file and raises the sentence about its first row that does not fit the layout."""
    if layout.whole_lines:
        for row, line in enumerate(_lines(file), start=1):
            if layout.delimiter in line:
                raise RowError(file, row, "it has the control character 0x01; remove it.")
        return
    expected, row = len(layout.names), 1
    for row, fields in _records(file, layout.delimiter):
        if fields and len(fields) != expected:
            raise RowError(
                file,
                row,
                f"{len(fields)} field(s) where the header has {expected}; add or remove some, or put a field "
                "that contains the delimiter in double quotes.",
            )
        if sum(map(len, fields)) > LONGEST_ROW:
            _refuse_long(file, row)
    if row == 1:
        refuse_no_rows(str(file))


def _refuse_long(file: SourceFile, row: int) -> NoReturn:
    raise RowError(
        file,
        row,
        f"it is longer than {LONGEST_ROW} characters; close a quote that was left open, or shorten the row.",
    )


def _lines(file: SourceFile) -> Iterator[str]:
    """Lines with their ends, each free of NUL bytes and of bytes that are not UTF-8."""
    with decompressed(file) as source:
        text = io.TextIOWrapper(source, encoding="utf-8", errors="surrogateescape", newline="")
        row = 0
        while line := text.readline(LONGEST_ROW + 1):
            row += 1
            if len(line) > LONGEST_ROW:
                _refuse_long(file, row)
            if "\0" in line:
                raise RowError(file, row, "it has a NUL byte; remove it, for example with `tr -d '\\000'`.")
            try:
                line.encode()
            except UnicodeEncodeError as error:
                byte = ord(line[error.start]) & 0xFF
                raise RowError(
                    file,
                    row,
                    not_utf_8(byte),
                ) from error
            yield line


def _records(file: SourceFile, delimiter: str) -> Generator[tuple[int, list[str]], None, None]:
    """Records with the number of the line on which they begin; a blank line is a record of no fields."""
    # The limit applies to the whole process, so it is restored.
    limit = csv.field_size_limit(LONGEST_ROW)
    try:
        reader = csv.reader(_lines(file), delimiter=delimiter, strict=True)
        row = 1
        while True:
            try:
                fields = next(reader, None)
            except csv.Error as error:
                if str(error).startswith("field larger"):
                    _refuse_long(file, row)
                raise RowError(
                    file,
                    row,
                    "a quoted field is never closed, or text follows its closing quote; put the whole field "
                    "in double quotes and double each quote inside it.",
                ) from error
            if fields is None:
                return
            yield row, fields
            row = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


# --- The formats made of text -------------------------------------------------------------------------------


def load_delimited(engine: Engine, file: SourceFile, delimiters: Iterable[str], table: str) -> None:
    """Loads the file with the delimiter that fits all of it.

    The delimiters that the header contains are tried on the whole file, the one that makes most columns
    first; a header without any is that of a single column. If none fits, the sentence is that of the
    reading that got furthest.
    """
    layouts: list[Layout] = []
    faults: list[tuple[int, str]] = []
    for delimiter in delimiters:
        try:
            layouts.append(Layout(_header(file, delimiter), delimiter))
        except RowError as error:
            faults.append((error.row, error.fault))
    several = [layout for layout in layouts if len(layout.names) > 1]
    if faults and not several:
        raise RowError(file, *faults[0])
    faults = []
    for layout in sorted(several, key=lambda layout: -len(layout.names)) or layouts[:1]:
        try:
            return load_text(engine, file, layout, table)
        except RowError as error:
            faults.append((error.row, error.fault))
    raise RowError(file, *max(faults, key=itemgetter(0)))


def _header(file: SourceFile, delimiter: str) -> tuple[str, ...]:
    with closing(_records(file, delimiter)) as records:
        row, names = next(records)
    if fault := fault_of_names(names):
        raise RowError(file, row, fault if names else "it is blank; name the columns in the first row.")
    return tuple(names)
