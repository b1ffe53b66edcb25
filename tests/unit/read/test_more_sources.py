"""Tables from what people really have: other encodings, Excel, JSON, ZIP, several files, databases, standard input."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from discreet.engine import DuckDBEngine
from discreet.errors import InputError
from discreet.read import unpacking
from discreet.read.database import Database
from discreet.read.table import has_column_order, load_table

TEXT = "name,town\nJürgen,Köln\nZoé,Orléans\n"
ROWS = [("Jürgen", "Köln"), ("Zoé", "Orléans")]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(tmp_path / "spill")
    yield engine
    engine.close()


def loaded(engine: DuckDBEngine, source: object, **asked: Any) -> list[tuple[str, ...]]:
    columns = load_table(engine, source, **asked).columns
    return engine.rows("original", columns, 1000)


def refusal(engine: DuckDBEngine, source: object, **asked: Any) -> str:
    with pytest.raises(InputError) as raised:
        load_table(engine, source, **asked)
    return str(raised.value)


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8", "utf-8-sig", "utf-32"])
    @pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
    def test_text_is_read_by_its_encoding(self, engine: DuckDBEngine, tmp_path: Path, encoding: str, name: str) -> None:
        text = TEXT.replace(",", "\t") if name.endswith("tsv") else TEXT
        (tmp_path / name).write_bytes(text.encode(encoding))
        assert loaded(engine, tmp_path / name, encoding=encoding) == ROWS

    def test_a_mark_at_the_beginning_is_not_part_of_the_first_name(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_bytes(("\ufeff" + TEXT).encode("utf-16-be"))
        load_table(engine, tmp_path / "t.csv", encoding="utf-16-be")
        assert engine.columns() == ("name", "town")

    def test_json_lines_too(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "t.jsonl").write_bytes('{"a":"é"}\n{"a":"ü"}\n'.encode("latin-1"))
        assert loaded(engine, tmp_path / "t.jsonl", encoding="latin-1") == [("é",), ("ü",)]

    def test_characters_across_the_borders_of_chunks(
        self, engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("discreet.read.text.CHUNK_BYTES", 3)
        (tmp_path / "t.csv").write_bytes((TEXT + "😀,€\n").encode("utf-16"))
        assert loaded(engine, tmp_path / "t.csv", encoding="utf-16") == [*ROWS, ("😀", "€")]

    def test_the_wrong_encoding_is_said(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_bytes(TEXT.encode("latin-1"))
        assert "its bytes are not ascii" in refusal(engine, tmp_path / "t.csv", encoding="ascii")

    def test_only_text_has_one(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        parquet.write_table(pa.table({"a": ["1", "2"]}), tmp_path / "t.parquet")
        assert "leave out encoding" in refusal(engine, tmp_path / "t.parquet", encoding="latin-1")


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[object]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


class TestExcel:
    def test_cells_become_text_as_a_csv_file_would_have_them(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        path = workbook(
            tmp_path / "t.xlsx",
            {
                "people": [
                    ["zip", "born", "seen", "share", "ok", "note"],
                    [79100, date(1980, 2, 1), datetime(2024, 3, 5, 14, 30), 0.5, True, " as it is "],
                    [None, None, None, None, None, None],
                    ["01067", None, None, 2.0, False, None],
                ]
            },
        )
        assert loaded(engine, path) == [
            ("79100", "1980-02-01", "2024-03-05 14:30:00", "0.5", "true", " as it is "),
            ("01067", "", "", "2", "false", ""),
        ]

    def test_the_first_sheet_or_the_one_that_is_named(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        path = workbook(tmp_path / "t.xlsx", {"one": [["a"], [1], [2]], "two": [["b"], [3], [4]]})
        assert loaded(engine, path) == [("1",), ("2",)]
        assert loaded(engine, path, sheet="two") == [("3",), ("4",)]
        assert "has no sheet 'three'; set data.sheet to 'one' or 'two'" in refusal(engine, path, sheet="three")

    def test_what_cannot_be_used_gets_a_sentence(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        assert "two columns are named 'a'" in refusal(
            engine, workbook(tmp_path / "t.xlsx", {"s": [["a", "a"], [1, 2]]})
        )
        assert "column 2 has no name" in refusal(
            engine, workbook(tmp_path / "t.xlsx", {"s": [["a", None], [1, 2], [3, 4]]})
        )
        assert "has no rows" in refusal(engine, workbook(tmp_path / "t.xlsx", {"s": [["a", "b"]]}))
        (tmp_path / "t.xlsx").write_bytes(b"no workbook")
        assert "cannot be read as an Excel workbook" in refusal(engine, tmp_path / "t.xlsx")

    def test_a_sheet_of_a_csv_file(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("a\n1\n2\n")
        assert "only an Excel file has sheets" in refusal(engine, tmp_path / "t.csv", sheet="one")


class TestJson:
    def test_an_array_of_objects(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        records = [{"a": 1, "b": "ü"}, {"b": None, "a": 2.5}, {"c": True}]
        (tmp_path / "t.json").write_text(json.dumps(records, indent=2))
        assert loaded(engine, tmp_path / "t.json") == [("1", "ü", ""), ("2.5", "", ""), ("", "", "true")]

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ('{"a": 1}', "is not an array of objects"),
            ("[1, 2]", "row 1: '1' is not a JSON object"),
            ('[{"a": 1}, {"a": [1]}]', "column 'a' is nested (a list in row 2)"),
            ('[{"a": 1}, {"a": 1, "a": 2}]', "row 2: the key 'a' appears twice"),
            ('[{"a": 1}, {"a": 2]', "line 1 column 19"),
            ("[]", "has no rows"),
        ],
    )
    def test_bad_ones(self, engine: DuckDBEngine, tmp_path: Path, text: str, fault: str) -> None:
        (tmp_path / "t.json").write_text(text)
        assert fault in refusal(engine, tmp_path / "t.json")

    def test_bytes_that_are_not_text(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "t.json").write_bytes(b'[\n{"a": "\xe9"}]')
        assert "row 2: the byte 0xE9 is not UTF-8" in refusal(engine, tmp_path / "t.json")


class TestZip:
    def zipped(self, path: Path, members: dict[str, bytes]) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return path

    def test_the_one_file_in_it(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        members = {"folder/": b"", "folder/t.csv": TEXT.encode("latin-1"), "__MACOSX/folder/._t.csv": b"x"}
        assert loaded(engine, self.zipped(tmp_path / "t.zip", members), encoding="latin-1") == ROWS

    def test_parquet_too(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        buffer = io.BytesIO()
        parquet.write_table(pa.table({"a": [1, 2]}), buffer)
        assert loaded(engine, self.zipped(tmp_path / "t.zip", {"t.parquet": buffer.getvalue()})) == [("1",), ("2",)]

    def test_sentences_name_the_file_inside(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        sentence = refusal(engine, self.zipped(tmp_path / "t.zip", {"in.csv": b"a,b\n1\n"}))
        assert f"{tmp_path / 't.zip'}, in.csv, row 2" in sentence

    @pytest.mark.parametrize(
        ("members", "fault"),
        [
            ({"a.csv": b"a", "b.csv": b"b"}, "has 2 files (a.csv, b.csv, ...)"),
            ({}, "has 0 files"),
            ({"a.zip": b"PK"}, "holds another ZIP file"),
            ({"a.txt": b"a\n"}, "the ending '.txt' is unknown"),
            ({"/etc/a.csv": b""}, "a.csv is empty"),
        ],
    )
    def test_bad_ones(self, engine: DuckDBEngine, tmp_path: Path, members: dict[str, bytes], fault: str) -> None:
        assert fault in refusal(engine, self.zipped(tmp_path / "t.zip", members))

    def test_bombs(self, engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = self.zipped(tmp_path / "t.zip", {"a.csv": b"a\n" * 1_000_000})
        monkeypatch.setattr(unpacking, "HARMLESS_BYTES", 1_000_000)
        assert "would unpack to 2,000,000 bytes" in refusal(engine, path)
        book = workbook(tmp_path / "t.xlsx", {"s": [["a"], *[["same"]] * 20_000]})
        monkeypatch.setattr(unpacking, "HARMLESS_BYTES", 100_000)
        monkeypatch.setattr(unpacking, "MOST_TIMES_LARGER", 2)
        assert "would unpack to" in refusal(engine, book)

    def test_broken(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "t.zip").write_bytes(b"PK no")
        assert "cannot be read as a ZIP file" in refusal(engine, tmp_path / "t.zip")


class TestSeveralFiles:
    def test_by_a_pattern(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "p1.csv").write_text("a,b\n1,2\n3,4\n")
        (tmp_path / "p2.csv").write_text("b;a\n6;5\n")
        assert loaded(engine, tmp_path / "p*.csv") == [("1", "2"), ("3", "4"), ("5", "6")]

    def test_a_file_of_that_very_name_comes_first(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "p[1].csv").write_text("a\n1\n2\n")
        (tmp_path / "p1.csv").write_text("a\n3\n4\n")
        assert loaded(engine, tmp_path / "p[1].csv") == [("1",), ("2",)]

    def test_other_columns_are_refused(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        (tmp_path / "p1.csv").write_text("a,b\n1,2\n")
        (tmp_path / "p2.csv").write_text("a\n1\n")
        assert "p2.csv has no column 'b', and" in refusal(engine, tmp_path / "p*.csv")
        (tmp_path / "p2.csv").write_text("a,b,c\n1,2,3\n")
        assert "p1.csv has no column 'c', and" in refusal(engine, tmp_path / "p*.csv")

    def test_other_types_are_refused(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        parquet.write_table(pa.table({"a": [1]}), tmp_path / "p1.parquet")
        parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "p2.parquet")
        assert "column 'a' is VARCHAR, and in" in refusal(engine, tmp_path / "p*.parquet")

    def test_none(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        assert "no file has a name of this pattern" in refusal(engine, tmp_path / "p*.csv")


class TestDatabases:
    @pytest.fixture
    def sqlite(self, tmp_path: Path) -> Path:
        path = tmp_path / "hospital.sqlite"
        with sqlite3.connect(path) as connection:
            connection.execute('CREATE TABLE "the patients" (zip, weight REAL, name TEXT)')
            connection.executemany(
                'INSERT INTO "the patients" VALUES (?, ?, ?)', [("01067", 70.0, "Zoé"), (79100, 81.5, None)]
            )
        connection.close()
        return path

    @pytest.fixture
    def duck(self, tmp_path: Path) -> Path:
        path = tmp_path / "hospital.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE patients AS SELECT * FROM (VALUES (1, 'a'), (2, 'b')) t(n, s)")
            connection.execute("CREATE SCHEMA old")
            connection.execute("CREATE TABLE old.patients AS SELECT [1] AS l FROM range(2)")
        return path

    def test_sqlite(self, engine: DuckDBEngine, sqlite: Path) -> None:
        rows = [("01067", "70", "Zoé"), ("79100", "81.5", "")]
        assert loaded(engine, Database(sqlite)) == rows
        assert loaded(engine, Database(sqlite, "the patients")) == rows

    def test_sqlite_refusals(self, engine: DuckDBEngine, sqlite: Path) -> None:
        assert "has no table 'x'; set data.table (for inspect, --table) to one of it: the patients" in refusal(
            engine, Database(sqlite, "x")
        )
        with sqlite3.connect(sqlite) as connection:
            connection.execute("CREATE TABLE pictures (p)")
            connection.execute("INSERT INTO pictures VALUES (x'ff')")
        connection.close()
        assert "has several tables" in refusal(engine, Database(sqlite))
        assert "the column 'p' has binary values" in refusal(engine, Database(sqlite, "pictures"))

    def test_duckdb(self, engine: DuckDBEngine, duck: Path) -> None:
        assert loaded(engine, Database(duck, "patients")) == [("1", "a"), ("2", "b")]
        assert engine.shape().types == ("INTEGER", "VARCHAR")
        assert "column 'l' is nested" in refusal(engine, Database(duck, "old.patients"))
        assert "has several tables" in refusal(engine, Database(duck))

    def test_a_database_is_only_read(self, engine: DuckDBEngine, duck: Path) -> None:
        before = duck.read_bytes()
        load_table(engine, Database(duck, "patients"))
        assert duck.read_bytes() == before
        with duckdb.connect(str(duck)) as connection:  # and let go of
            connection.execute("DROP TABLE patients")

    def test_no_database(self, engine: DuckDBEngine, tmp_path: Path) -> None:
        assert "no such database" in refusal(engine, Database(tmp_path / "x.db"))
        (tmp_path / "x.db").write_text("a,b\n1,2\n")
        assert "is neither a DuckDB nor an SQLite database" in refusal(engine, Database(tmp_path / "x.db"))

    def test_postgresql_without_its_extension_or_its_server(self, engine: DuckDBEngine) -> None:
        sentence = refusal(engine, Database("postgresql://localhost:1/nothing", "patients"))
        assert "postgresql://localhost:1/nothing cannot be read through DuckDB's extension" in sentence
        assert "INSTALL postgres" in sentence

    def test_an_address_with_a_password_would_end_up_in_a_policy(self, engine: DuckDBEngine) -> None:
        sentence = refusal(engine, Database("postgresql://me:secret@localhost/db", "patients"))
        assert "a policy is no place for a password" in sentence
        assert "secret" not in sentence


class TestStandardInput:
    @pytest.mark.parametrize(
        "content",
        [
            TEXT.encode(),
            TEXT.replace(",", ";").encode(),
            b"\xef\xbb\xbf" + json.dumps([dict(zip(("name", "town"), row, strict=True)) for row in ROWS]).encode(),
            "\n".join(json.dumps(dict(zip(("name", "town"), row, strict=True))) for row in ROWS).encode(),
        ],
    )
    def test_what_it_is_shows_at_its_beginning(
        self, engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch, content: bytes
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert loaded(engine, Path("-")) == ROWS

    def test_binary_formats(self, engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parquet.write_table(pa.table({"a": ["1", "2"]}), tmp_path / "t.parquet")
        workbook(tmp_path / "t.xlsx", {"s": [["a"], [1], [2]]})
        for name in ("t.parquet", "t.xlsx"):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / name).read_bytes())))
            assert loaded(engine, Path("-")) == [("1",), ("2",)]

    def test_sentences_call_it_so(self, engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1\n")))
        assert refusal(engine, Path("-")).startswith("standard input, row 2")


@pytest.mark.parametrize(
    ("source", "ordered"),
    [
        *((name, False) for name in ("-", "t.json", "t.json.gz", "t.jsonl", "t.zip", "t*.jsonl")),
        *((name, True) for name in ("t.csv", "t.csv.gz", "t.parquet", "t.xlsx", "t*.csv")),
    ],
)
def test_columns_of_json_have_no_order_that_could_tell_which_record_comes_first(source: str, ordered: bool) -> None:
    assert has_column_order(Path(source)) is ordered
