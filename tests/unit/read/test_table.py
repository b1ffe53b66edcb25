"""Reading tables: every source arrives as written, and every bad one gets its sentence."""

import csv
import gzip
import io
import os
from collections.abc import Callable, Iterator
from itertools import chain, product
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from discreet.engine import DuckDBEngine, TableShape
from discreet.engine.sql_text import quoted
from discreet.errors import InputError
from discreet.read import text as module
from discreet.read.table import load_table

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
MANY = 20_000

Rows = list[tuple[Any, ...]]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(tmp_path / "spill")
    yield engine
    engine.close()


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that a file of half a megabyte has many of them."""
    monkeypatch.setattr(module, "LONGEST_ROW", 2**12)
    monkeypatch.setattr(module, "BLOCK_BYTES", 2**14)


def zstd(content: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return bytes(packed.getvalue().to_pybytes())


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(engine: DuckDBEngine, table: str = "original") -> Rows:
    """With their types and with None for what is missing, which `engine.rows` gives as text."""
    return engine._connection.execute(f"SELECT * FROM {quoted(table)}").fetchall()


def refusal(engine: DuckDBEngine, source: object) -> str:
    """The sentence with which a source is refused; nothing of it may be left in the database."""
    with pytest.raises(InputError) as caught:
        load_table(engine, source)
    assert engine._connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == []
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def long_csv(last: bytes) -> bytes:
    """A file whose last row lies far from its first."""
    return b"a,b\n" + b"".join(b"%d,value number %d\n" % (i, i) for i in range(MANY)) + last


def strictly_read(path: Path) -> Rows | None:
    """The rows of a CSV file with two columns as Python's strict reader sees them, None if it objects."""
    with path.open(newline="") as file:
        try:
            records = [record for record in csv.reader(file, strict=True) if record]
        except csv.Error:
            return None
    if any(len(record) != 2 for record in records):
        return None
    return [tuple(field or None for field in record) for record in records[1:]]


class TestEngine:
    def test_settings(self, tmp_path: Path) -> None:
        engine = DuckDBEngine(tmp_path / "spill", memory_limit="1GB")

        def setting(name: str) -> object:
            found = engine._connection.execute("SELECT current_setting(?)", [name]).fetchone()
            assert found is not None
            return found[0]

        assert setting("temp_directory") == str(tmp_path / "spill")
        assert setting("memory_limit") == "953.6 MiB"
        assert setting("autoinstall_known_extensions") is False
        assert setting("autoload_known_extensions") is False
        assert setting("enable_progress_bar") is False
        assert setting("preserve_insertion_order") is True
        engine.close()


class TestDelimited:
    def test_everything_is_text_as_written(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        content = "id,n,flag,day,text\n007,1.50,true,2020-01-01, padded \n7,1e3,False,01/02/2020,x\n"
        shape = load_table(engine, write(tmp_path, "t.csv", content))
        assert shape == TableShape(("id", "n", "flag", "day", "text"), ("VARCHAR",) * 5, 2)
        assert rows(engine) == [
            ("007", "1.50", "true", "2020-01-01", " padded "),
            ("7", "1e3", "False", "01/02/2020", "x"),
        ]

    def test_only_an_empty_field_is_missing(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        load_table(engine, write(tmp_path, "t.csv", 'a,b\n,""\nNA,NULL\nNone,nan\n-,\\N\n" ", \n'))
        assert rows(engine) == [(None, None), ("NA", "NULL"), ("None", "nan"), ("-", "\\N"), (" ", " ")]

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    def test_dialects(self, engine: DuckDBEngine, tmp_path: Path, delimiter: str, end: str, mark: str) -> None:
        lines = [["name", '"no""te"'], ["Ann", f'"a{delimiter}b"'], ["Bob", '"say ""hi"""'], ["Cy", "plain"]]
        content = mark + end.join(delimiter.join(line) for line in lines) + end
        shape = load_table(engine, write(tmp_path, "t.csv", content))
        assert shape.columns == ("name", 'no"te')
        assert rows(engine) == [("Ann", f"a{delimiter}b"), ("Bob", 'say "hi"'), ("Cy", "plain")]

    def test_tsv_is_split_at_tabs_only(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        shape = load_table(engine, write(tmp_path, "t.tsv", "a,x\tb,y\n1,2\t3,4\n5,6\t7,8\n"))
        assert shape.columns == ("a,x", "b,y")
        assert rows(engine) == [("1,2", "3,4"), ("5,6", "7,8")]

    def test_decimal_commas(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        load_table(engine, write(tmp_path, "t.csv", "a;b\n1,5;2,5\n3,5;4,5\n"))
        assert rows(engine) == [("1,5", "2,5"), ("3,5", "4,5")]

    def test_delimiter_fits_the_whole_file(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        content = "a|b|c,d\n" + "x|y|z,1\n" * MANY + "no bars here,2\n"
        shape = load_table(engine, write(tmp_path, "t.csv", content))
        assert shape.columns == ("a|b|c", "d")
        assert shape.rows == MANY + 1

    def test_quoted_line_ends(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        content = '"a\nb",c\r\n1,"x\ny"\r\n2,"x\r\n\r\ny"\r\n'
        shape = load_table(engine, write(tmp_path, "t.csv", content))
        assert shape.columns == ("a\nb", "c")
        assert rows(engine) == [("1", "x\ny"), ("2", "x\r\n\r\ny")]

    def test_mixed_line_ends_and_no_last_one(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        load_table(engine, write(tmp_path, "t.csv", "a,b\r\n1,2\n3,4\r5,"))
        assert rows(engine) == [("1", "2"), ("3", "4"), ("5", None)]

    def test_blank_lines_are_skipped(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        load_table(engine, write(tmp_path, "t.csv", "a,b\n\n1,2\n\n3,4\n\n\n"))
        assert rows(engine) == [("1", "2"), ("3", "4")]

    def test_single_column(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        shape = load_table(engine, write(tmp_path, "t.csv", 'a\n1\n\n""\n"x,y"\nx;y\n'))
        assert shape.columns == ("a",)
        assert rows(engine) == [("1",), (None,), (None,), ("x,y",), ("x;y",)]

    def test_quote_inside_an_unquoted_field(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        load_table(engine, write(tmp_path, "t.csv", 'name,height\nAnn,5\'11"\nBob "Bo" B,6\'\n'))
        assert rows(engine) == [("Ann", "5'11\""), ('Bob "Bo" B', "6'")]

    def test_long_cells(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        long = "x" * 1_000_000
        wide = ",".join(f"c{i}" for i in range(2000))
        path = write(tmp_path, "t.csv", f'{wide}\n{long}{"," * 1999}\n"{long},"{"," * 1998},y\n')
        shape = load_table(engine, path)
        assert (len(shape.columns), shape.rows) == (2000, 2)
        assert [row[0] for row in rows(engine)] == [long, long + ","]
        assert rows(engine)[1][-1] == "y"

    def test_column_names_are_only_names(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        names = ('x"; DROP TABLE original; --', "select", "a.b", "😀", "it's", "rowid", " padded ", "Straße")
        content = io.StringIO()
        csv.writer(content).writerows([names, *[[str(i)] * len(names) for i in range(2)]])
        table = 'a "table".x'
        shape = load_table(engine, write(tmp_path, "t.csv", content.getvalue()), table)
        assert shape.columns == names
        assert rows(engine, table) == [("0",) * 8, ("1",) * 8]
        assert engine.rows(table, names[:1], 3) == [("0",), ("1",)]

    @pytest.mark.parametrize("name", ["*.csv", "a[b].csv", "who?.csv", 'it\'s "it".csv', "{a,b}.csv", "T.CSV"])
    def test_paths_are_literal(self, engine: DuckDBEngine, tmp_path: Path, name: str) -> None:
        write(tmp_path, "b.csv", "wrong\n0\n0\n0\n")
        assert load_table(engine, write(tmp_path, name, "a\n1\n2\n")).columns == ("a",)

    @pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", zstd)])
    def test_compressed(
        self, engine: DuckDBEngine, tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
    ) -> None:
        whole = "\ufeff".encode() + long_csv(b"last,\xc3\xa9\n")
        packed = pack(whole[:1_000_000]) + pack(whole[1_000_000:])
        shape = load_table(engine, str(write(tmp_path, "t.csv" + ending, packed)))
        assert shape == TableShape(("a", "b"), ("VARCHAR", "VARCHAR"), MANY + 1)
        assert rows(engine)[-1] == ("last", "é")

    def test_rows_keep_their_order_and_the_table_is_replaced(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        load_table(engine, write(tmp_path, "t.csv", "other\n1\n2\n"))
        load_table(engine, write(tmp_path, "t.csv", long_csv(b"")))
        assert engine.rows("original", ["a"], 2 * MANY) == [(str(row),) for row in range(MANY)]

    def test_agrees_with_a_strict_reader(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        """Whatever the text, the table is what Python's strict reader finds, or both refuse it."""
        alphabet, random = 'a,"\n\r', Random(3)
        bodies = [product(alphabet, repeat=length) for length in range(5)]
        long = (random.choices(alphabet, k=random.randint(5, 24)) for _ in range(500))
        agreed = {"read": 0, "refused": 0}
        for body in chain(*bodies, long):
            path = write(tmp_path, "any.csv", "x,y\n1,2\n3,4\n" + "".join(body))
            found = strictly_read(path)
            try:
                load_table(engine, path)
            except InputError:
                assert found is None, body
                agreed["refused"] += 1
            else:
                assert rows(engine) == found, body
                agreed["read"] += 1
        assert min(agreed.values()) > 100

    def test_adult(self, engine: DuckDBEngine) -> None:
        path = DATA / "adult" / "adult_clean_45222.csv.zst"
        if not path.exists():
            pytest.skip(f"{path} is not here")
        shape = load_table(engine, path)
        assert (shape.rows, len(shape.columns)) == (45_222, 16)
        assert set(shape.types) == {"VARCHAR"}


class TestWatched:
    """What Arrow would let pass is seen wherever the chunks of the file are cut."""

    @pytest.mark.parametrize(
        ("content", "doubtful"),
        [
            (b'"a","b ""c"""\n"",""""\r\n"d,e","f\ng"', False),
            (b"a,b\nc,d", False),
            (b'a,b"c\n', True),
            (b'a,"b" \n', True),
            (b'a,"b"c\n', True),
            (b'a, "b"\n', True),
            (b'a,"b\n', True),
            (b'a,"b""', True),
            (b'a,"b""c\n1,2\n', True),
            (b"a,b\0\n", True),
        ],
    )
    def test_every_cut(self, content: bytes, doubtful: bool) -> None:
        for size in range(1, len(content) + 1):
            watched = module._Watched(io.BytesIO(content), ",", quotes=True)
            passed = b""
            while chunk := watched.read(size):
                passed += chunk
            assert (passed, watched.doubtful) == (content, doubtful)


@pytest.mark.usefixtures("small_blocks")
class TestBadText:
    @pytest.mark.parametrize(
        ("last", "found"),
        [(b"1\n", 1), (b"1", 1), (b"1,2,3\n", 3), (b"1,2,\n", 3), (b" \n", 1), (b'"1,2"\n', 1)],
    )
    def test_ragged_row(self, engine: DuckDBEngine, tmp_path: Path, last: bytes, found: int) -> None:
        sentence = refusal(engine, write(tmp_path, "t.csv", long_csv(last)))
        assert f"t.csv, row {MANY + 2}: {found} field(s) where the header has 2;" in sentence

    def test_rows_are_counted_in_lines(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        path = write(tmp_path, "t.csv", 'a,b\n1,"x\ny\nz"\n\n2\n')
        assert "row 6: 1 field(s)" in refusal(engine, path)

    def test_the_reading_that_went_furthest_is_told(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        path = write(tmp_path, "t.csv", "a,b (x;y;z)\n1,2\n3,4\n5\n")
        assert "row 4: 1 field(s) where the header has 2" in refusal(engine, path)

    @pytest.mark.parametrize("compressed", [False, True])
    @pytest.mark.parametrize("last", [b"1,x\0y\n", b'1,"\0"\n', b"\0,2\n", b"1,2\0"])
    def test_nul(self, engine: DuckDBEngine, tmp_path: Path, last: bytes, compressed: bool) -> None:
        content = long_csv(last + b"5,6\n")
        path = tmp_path / ("t.csv.gz" if compressed else "t.csv")
        path.write_bytes(gzip.compress(content, 1) if compressed else content)
        assert f"row {MANY + 2}: it has a NUL byte" in refusal(engine, path)

    @pytest.mark.parametrize("last", [b"1,caf\xe9\n", b'1,"caf\xe9"\n', b"1,\xe9\xe9\n", b"1,caf\xe9"])
    def test_latin1(self, engine: DuckDBEngine, tmp_path: Path, last: bytes) -> None:
        sentence = refusal(engine, write(tmp_path, "t.csv", long_csv(last)))
        assert f"row {MANY + 2}: the byte 0xE9 is not UTF-8" in sentence
        assert "data.encoding, such as encoding: latin-1 (for inspect, --encoding latin-1)" in sentence

    def test_latin1_header(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        sentence = refusal(engine, write(tmp_path, "t.csv", b"caf\xe9,b\n1,2\n3,4\n"))
        assert "row 1: the byte 0xE9 is not UTF-8" in sentence

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
    def test_utf16(self, engine: DuckDBEngine, tmp_path: Path, encoding: str) -> None:
        sentence = refusal(engine, write(tmp_path, "t.csv", "\ufeffa,b\n1,2\n3,4\n".encode(encoding)))
        assert "is encoded as UTF-16; say so with data.encoding" in sentence

    @pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
    @pytest.mark.parametrize(
        "last",
        [
            b'1,"open\n2,3\n',
            b'1,"open',
            b'1,"a"b\n',
            b'1,"a\\"b"\n',
            b'1,"a" \n',
            b'1,"open\n' + b"2,3\n" * 3,
        ],
    )
    def test_broken_quotes(self, engine: DuckDBEngine, tmp_path: Path, last: bytes, ending: str) -> None:
        content = long_csv(last)
        path = write(tmp_path, "t" + ending, gzip.compress(content, 1) if ending == ".csv.gz" else content)
        assert f"row {MANY + 2}: a quoted field is never closed" in refusal(engine, path)

    @pytest.mark.parametrize("delimiter", [",", ";"])
    def test_quote_left_open_for_long(self, engine: DuckDBEngine, tmp_path: Path, delimiter: str) -> None:
        content = long_csv(b"").replace(b",", delimiter.encode()).replace(b"number 5\n", b'"number 5\n')
        content = content.replace(b"value number 7\n", b'"value number 7\n')
        sentence = refusal(engine, write(tmp_path, "t.csv", content))
        assert "row 9: it is longer than 4096 characters; close a quote" in sentence

    @pytest.mark.parametrize("cells", [["x" * 40_000, "y"], ['"' + "x\n" * 2000 + '"'] * 20])
    def test_row_too_long(self, engine: DuckDBEngine, tmp_path: Path, cells: list[str]) -> None:
        header = ",".join(f"c{i}" for i in range(len(cells)))
        path = write(tmp_path, "t.csv", f"{header}\n{','.join(cells)}\n{header}\n")
        assert "row 2: it is longer than 4096 characters" in refusal(engine, path)

    def test_the_limit_of_the_csv_module_is_put_back(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        before = csv.field_size_limit()
        refusal(engine, write(tmp_path, "t.csv", "a,b\n1\n"))
        assert csv.field_size_limit() == before

    @pytest.mark.parametrize(
        ("header", "fault"),
        [
            ("a,b,a", "row 1: two columns are named 'a'; rename"),
            ("a,,c", "row 1: column 2 has no name; give"),
            ('a,b,""', "row 1: column 3 has no name"),
            ("Age,b,age", "row 1: the columns 'Age' and 'age' differ only in upper and lower case; rename"),
            ("", "row 1: it is blank; name the columns"),
            ('"a"b,c', "row 1: a quoted field is never closed"),
        ],
    )
    def test_bad_names(self, engine: DuckDBEngine, tmp_path: Path, header: str, fault: str) -> None:
        assert fault in refusal(engine, write(tmp_path, "t.csv", f"{header}\n1,2,3\n4,5,6\n"))

    @pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl"])
    @pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
    def test_empty(self, engine: DuckDBEngine, tmp_path: Path, name: str, content: bytes) -> None:
        assert f"{name} is empty; give" in refusal(engine, write(tmp_path, name, content))
        packed = write(tmp_path, name + ".gz", gzip.compress(content))
        assert f"{name}.gz is empty; give" in refusal(engine, packed)

    @pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\n\n", "a\n"])
    def test_no_rows(self, engine: DuckDBEngine, tmp_path: Path, content: str) -> None:
        assert "t.csv has no rows; give" in refusal(engine, write(tmp_path, "t.csv", content))

    def test_one_row(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        sentence = refusal(engine, write(tmp_path, "t.csv", "a,b\n1,2\n"))
        assert "t.csv has one row, and a table of one record cannot be anonymized" in sentence

    @pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", zstd)])
    @pytest.mark.parametrize("inner", [".csv", ".jsonl"])
    def test_broken_compression(
        self,
        engine: DuckDBEngine,
        tmp_path: Path,
        ending: str,
        inner: str,
        pack: Callable[[bytes], bytes],
    ) -> None:
        packed = pack(long_csv(b""))
        for content in (packed[:-100], packed[:3], b"a,b\n1,2\n3,4\n", packed + b"trailing"):
            sentence = refusal(engine, write(tmp_path, "t" + inner + ending, content))
            assert f"t{inner}{ending} cannot be read (" in sentence


@pytest.mark.usefixtures("small_blocks")
class TestJsonLines:
    def test_every_value_is_text(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        content = (
            '\ufeff{"i":1,"f":1.5,"s":"007","b":true,"d":"2020-01-01","n":null,"m":1,"u":"AB-cd"}\r\n'
            '\r\n  \r\n{"s":"x","i":-2,"f":2,"later \\"é\\"":1,"m":"1.50"}\r\n'
        )
        shape = load_table(engine, write(tmp_path, "t.jsonl", content))
        assert shape.columns == ("i", "f", "s", "b", "d", "n", "m", "u", 'later "é"')
        assert set(shape.types) == {"VARCHAR"}
        assert rows(engine) == [
            ("1", "1.5", "007", "true", "2020-01-01", None, "1", "AB-cd", None),
            ("-2", "2", "x", None, None, None, "1.50", None, "1"),
        ]

    @pytest.mark.parametrize("other", ["2.5", "true", '"x"', '""', "null", "18446744073709551615", "1e3", '"[1]"'])
    def test_no_value_changes_others(self, engine: DuckDBEngine, tmp_path: Path, other: str) -> None:
        """Otherwise a record that is deleted could be seen in those that are published."""
        load_table(engine, write(tmp_path, "t.jsonl", f'{{"v":1}}\n{{"v":1.0}}\n{{"v":{10**30}}}\n{{"v":{other}}}\n'))
        assert rows(engine)[:3] == [("1",), ("1.0",), (f"{10**30}",)]

    @pytest.mark.parametrize(
        ("name", "pack"), [("t.ndjson", bytes), ("t.jsonl.gz", gzip.compress), ("t.ndjson.zst", zstd)]
    )
    def test_endings(self, engine: DuckDBEngine, tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
        content = b"".join(b'{"a": %d}\n' % i for i in range(MANY)) + b'{"z": "last, \\"\xc3\xa9\\" \'"}'
        shape = load_table(engine, write(tmp_path, name, pack(content)))
        assert shape == TableShape(("a", "z"), ("VARCHAR", "VARCHAR"), MANY + 1)
        assert rows(engine)[-1] == (None, 'last, "é" \'')

    @pytest.mark.parametrize("line", ["[1]", "3", '"x"', "null", '{"a":1', '{"a":1} x', "oops", "a,b"])
    def test_not_an_object(self, engine: DuckDBEngine, tmp_path: Path, line: str) -> None:
        path = write(tmp_path, "t.jsonl", '{"a":1}\n\n{"a":2}\n' + line + '\n{"a":3}\n')
        assert f"t.jsonl, row 4: '{line}' is not a JSON object; write" in refusal(engine, path)

    @pytest.mark.parametrize(
        ("line", "fault"),
        [
            (b'{"a":"caf\xe9"}', "row 2: the byte 0xE9 is not UTF-8"),
            (b'{"a":"\0"}', "row 2: it has a NUL byte"),
            (b'{"a":"\x01"}', "row 2: it has the control character 0x01"),
            (b'{"a":"' + b"x" * 40_000 + b'"}', "row 2: it is longer than 4096 characters"),
            (b'{"A":1}', "the columns 'a' and 'A' differ only in upper and lower case"),
            (b'{"":1}', "column 2 has no name"),
            (b'{"a":1,"b":2,"a":1}', "row 2: the key 'a' appears twice; keep one of them"),
            (b'{"b":1,"\\u0062":2,"c":[1]}', "row 2: the key 'b' appears twice"),
            (b'{"b":1,"":2,"":2,}', "row 2: the key '' appears twice"),
            (b'{"b":' + b"[" * 2_000 + b"]" * 2_000 + b"}", "column 'b' is nested (a list in row 2)"),
            (b'{"b":' * 150 + b"1" + b"}" * 150, "column 'b' is nested (an object in row 2)"),
            (b'{"b":1,"b":' + b"[" * 1_500 + b"]" * 1_500 + b"}", "row 2: the key 'b' appears twice"),
        ],
    )
    def test_bad_lines(self, engine: DuckDBEngine, tmp_path: Path, line: bytes, fault: str) -> None:
        path = write(tmp_path, "t.jsonl", b'{"a":1}\n' + line + b"\n")
        assert fault in refusal(engine, path)

    @pytest.mark.parametrize("value", ["[1]", '{"x":1}', "[]", "{}"])
    @pytest.mark.parametrize("other", ["null", "1"])
    def test_nested(self, engine: DuckDBEngine, tmp_path: Path, value: str, other: str) -> None:
        path = write(tmp_path, "t.jsonl", f'{{"k":1,"v":{other}}}\n{{"k":2,"v":{value}}}\n')
        assert "t.jsonl: column 'v' is nested (" in refusal(engine, path)

    @pytest.mark.parametrize(
        ("content", "fault"),
        [
            ("\n", "has no rows"),
            ("\n \t\n", "has no rows"),
            ('{"a":1}\n', "has one row"),
            ("{}\n{}\n", "it has no columns"),
        ],
    )
    def test_too_little(self, engine: DuckDBEngine, tmp_path: Path, content: str, fault: str) -> None:
        assert fault in refusal(engine, write(tmp_path, "t.jsonl", content))


TYPED = pa.table(
    {
        "text": ["007", None, "x"],
        "Whole": pa.array([1, 2, None], pa.int32()),
        "day": pa.array([0, 1, 2], pa.date32()),
        "kind": pa.array(["u", "v", "u"]).dictionary_encode(),
        "money": pa.array([None, 1, 2], pa.decimal128(9, 2)),
    }
)
TYPED_SHAPE = TableShape(
    ("text", "Whole", "day", "kind", "money"), ("VARCHAR", "INTEGER", "DATE", "VARCHAR", "DECIMAL(9,2)"), 3
)


def write_arrow(table: Any, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def write_arrow_stream(table: Any, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


WRITERS: list[tuple[str, Callable[[Any, Path], None]]] = [
    ("t.parquet", parquet.write_table),
    ("t.arrow", write_arrow),
    ("t.arrow", write_arrow_stream),
    ("t.feather", feather.write_feather),
]


class TestTyped:
    @pytest.mark.parametrize(("name", "writer"), WRITERS)
    def test_types_are_kept(
        self, engine: DuckDBEngine, tmp_path: Path, name: str, writer: Callable[[Any, Path], None]
    ) -> None:
        path = tmp_path / ("[*]" + name)
        writer(TYPED, path)
        assert load_table(engine, path) == TYPED_SHAPE
        assert [row[:2] for row in rows(engine)] == [("007", 1), (None, 2), ("x", None)]

    @pytest.mark.parametrize(("name", "writer"), WRITERS)
    def test_broken(self, engine: DuckDBEngine, tmp_path: Path, name: str, writer: Callable[[Any, Path], None]) -> None:
        whole = tmp_path / "whole"
        writer(TYPED, whole)
        for content in (b"", b"nonsense", whole.read_bytes()[:-40], whole.read_bytes()[:100]):
            sentence = refusal(engine, write(tmp_path, name, content))
            assert f"{name} cannot be read as " in sentence
            assert sentence.endswith("; write the file again.")

    def test_broken_in_the_middle(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        path = tmp_path / "t.parquet"
        parquet.write_table(pa.table({"a": [str(i) for i in range(MANY)]}), path, compression="zstd")
        content = bytearray(path.read_bytes())
        content[len(content) // 2 : len(content) // 2 + 5000] = b"\xff" * 5000
        path.write_bytes(content)
        assert "t.parquet cannot be read as Parquet (" in refusal(engine, path)

    @pytest.mark.parametrize(("name", "writer"), WRITERS)
    @pytest.mark.parametrize(
        "values",
        [[[1], [2]], [{"x": 1}, {"x": 2}], pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64()))],
    )
    def test_nested(
        self,
        engine: DuckDBEngine,
        tmp_path: Path,
        name: str,
        writer: Callable[[Any, Path], None],
        values: Any,
    ) -> None:
        writer(pa.table({"k": [1, 2], "v": values}), tmp_path / name)
        assert f"{name}: column 'v' is nested (" in refusal(engine, tmp_path / name)

    @pytest.mark.parametrize(("name", "writer"), WRITERS)
    def test_too_little(
        self, engine: DuckDBEngine, tmp_path: Path, name: str, writer: Callable[[Any, Path], None]
    ) -> None:
        writer(TYPED.slice(0, 0), tmp_path / name)
        assert f"{name} has no rows" in refusal(engine, tmp_path / name)
        writer(TYPED.slice(0, 1), tmp_path / name)
        assert f"{name} has one row" in refusal(engine, tmp_path / name)
        writer(TYPED.select(["text"]).append_column("TEXT", TYPED["kind"]), tmp_path / name)
        assert "the columns 'text' and 'TEXT' differ only in" in refusal(engine, tmp_path / name)


class TestMemory:
    @pytest.mark.parametrize(
        "source",
        [
            TYPED,
            TYPED.to_reader(max_chunksize=1),
            TYPED.to_pandas(types_mapper={pa.int32(): pd.Int32Dtype()}.get),
            pl.DataFrame(TYPED),
            pl.LazyFrame(pl.DataFrame(TYPED)),
            TYPED.to_pylist(),
            TYPED.to_pydict(),
            dict(zip(TYPED.column_names, TYPED.columns, strict=True)),
        ],
        ids=["pyarrow", "reader", "pandas", "polars", "lazy", "list of dicts", "dict of columns", "dict of Arrow"],
    )
    def test_tables(self, engine: DuckDBEngine, source: object) -> None:
        shape = load_table(engine, source)
        assert (shape.columns, shape.rows) == (TYPED_SHAPE.columns, 3)
        assert [row[:2] for row in rows(engine)] == [("007", 1), (None, 2), ("x", None)]

    def test_a_key_that_some_dicts_lack_is_a_missing_value(self, engine: DuckDBEngine) -> None:
        assert load_table(engine, [{"a": "x"}, {"b": "y", "a": "z"}]).columns == ("a", "b")
        assert rows(engine) == [("x", None), ("z", "y")]

    def test_relation_of_many_rows(self, engine: DuckDBEngine) -> None:
        with duckdb.connect() as other:
            other.execute("CREATE TEMP TABLE base AS SELECT range AS n FROM range(1_000_000)")
            shape = load_table(engine, other.sql("SELECT n, n::VARCHAR AS text FROM base WHERE n % 2 = 0"))
            assert other.execute("SELECT count(*) FROM base").fetchall() == [(1_000_000,)]
        assert shape == TableShape(("n", "text"), ("BIGINT", "VARCHAR"), 500_000)
        assert max(engine.distinct("text")[0]) == "999998"

    def test_relation_of_another_connection(self, engine: DuckDBEngine) -> None:
        with duckdb.connect() as other:
            shape = load_table(engine, other.sql("SELECT range AS n FROM range(3)"))
        assert shape == TableShape(("n",), ("BIGINT",), 3)

    def test_pandas_index(self, engine: DuckDBEngine) -> None:
        frame = pd.DataFrame({"a": ["x", "y", "z", "w"]})
        assert load_table(engine, frame.iloc[[0, 1, 3]]).columns == ("a",)
        assert rows(engine) == [("x",), ("y",), ("w",)]
        named = frame.set_index(pd.Index([7, 5, 3, 9], name="id"))
        assert load_table(engine, named).columns == ("a", "id")

    @pytest.mark.parametrize(
        ("source", "fault"),
        [
            (None, "the NoneType has no Arrow interface; pass a path, a pandas, Polars"),
            ([[1, 2], [3, 4]], "the list has no Arrow interface"),
            ({"a": [1, 2], "b": [1]}, "the dict cannot be read ("),
            ({"a": [1, "x"]}, "the dict cannot be read ("),
            ([{"a": 1}, {"A": 2}], "the list: the columns 'a' and 'A' differ only in"),
            (pl.DataFrame({"a": [[1], [2]]}), "the DataFrame: column 'a' is nested ("),
            (pd.DataFrame({"a": [1], "A": [2]}), "the DataFrame: the columns 'a' and 'A' differ only in"),
            (pa.table([[1], [2]], names=["a", "a"]), "the Table: two columns are named 'a'"),
            (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "the DataFrame cannot be read (Duplicate"),
            (pd.DataFrame({"a": [1, "x"]}), "the DataFrame cannot be read ("),
            (pa.table({"a": [1]}), "the Table has one row"),
            (pa.table({}), "the Table: it has no columns"),
            (pa.table({"a": pa.array(np.array([1, 2], np.float16))}), "the Table cannot be read ("),
        ],
    )
    def test_refused(self, engine: DuckDBEngine, source: object, fault: str) -> None:
        assert fault in refusal(engine, source)


class TestFiles:
    def test_no_such_file(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        assert refusal(engine, tmp_path / "t.csv") == f"{tmp_path}/t.csv: no such file; check the path."

    def test_folder(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        assert refusal(engine, tmp_path) == f"{tmp_path} is a folder; name a file in it."

    @pytest.mark.parametrize("name", ["t.ods", "t", "t.gz", "t.txt.gz", "t.csv.bz2"])
    def test_unknown_ending(self, engine: DuckDBEngine, tmp_path: Path, name: str) -> None:
        sentence = refusal(engine, write(tmp_path, name, "a\n1\n2\n"))
        assert name in sentence
        for known in (".csv", ".tsv", ".jsonl", ".ndjson", ".gz", ".zst", ".parquet", ".arrow", ".feather"):
            assert known in sentence

    @pytest.mark.parametrize("name", ["t.parquet.gz", "t.arrow.zst"])
    def test_compressed_container(self, engine: DuckDBEngine, tmp_path: Path, name: str) -> None:
        sentence = refusal(engine, write(tmp_path, name, b"any"))
        assert f"{name}: " in sentence
        assert sentence.endswith("decompress it.")

    @pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
    @pytest.mark.parametrize("name", ["t.csv", "t.jsonl.gz", "t.parquet", "t.arrow"])
    def test_forbidden(self, engine: DuckDBEngine, tmp_path: Path, name: str) -> None:
        path = write(tmp_path, name, b"a\n1\n2\n")
        path.chmod(0)
        assert f"{name} cannot be read " in refusal(engine, path)
