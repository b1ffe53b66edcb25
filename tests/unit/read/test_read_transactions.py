"""Reading transactions: every shape arrives as written, and every bad source gets its sentence."""

import csv
import gzip
import io
import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from discreet.errors import InputError
from discreet.read.transactions import RawTransactions, read_transactions
from examples import examples

IN_ONE_FOLDER = examples(120)
BASKETS = [["beer", "nuts"], [], ["beer"]]


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zstd(content: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return bytes(packed.getvalue().to_pybytes())


def texts(raw: RawTransactions) -> list[list[str]]:
    assert list(raw.items) == sorted(set(raw.items))
    return [[raw.items[number] for number in numbers] for numbers in raw.sets]


def as_sets(transactions: list[list[str]]) -> list[list[str]]:
    return [sorted({item for item in items if item}) for items in transactions]


@pytest.mark.parametrize(
    "content",
    [
        "nuts beer\n\nbeer\n",
        "nuts beer\n\nbeer",
        "nuts beer\r\n\r\nbeer\r\n",
        "nuts beer\r\rbeer\r",
        "\ufeffnuts\tbeer\n\nbeer",
        "  nuts \t beer  \n \nbeer ",
    ],
)
def test_dat(tmp_path: Path, content: str) -> None:
    raw = read_transactions(write(tmp_path, "a.dat", content))
    assert (raw.shape, raw.separator, raw.duplicates, raw.name) == ("dat", None, 0, str(tmp_path / "a.dat"))
    assert texts(raw) == BASKETS


def test_items_are_taken_as_they_stand(tmp_path: Path) -> None:
    raw = read_transactions(write(tmp_path, "a.dat", '007 7 NA "x,y" =1+1 Ünï 1.0\n'))
    assert set(raw.items) == {"007", "7", "NA", '"x,y"', "=1+1", "Ünï", "1.0"}


def test_compressed(tmp_path: Path) -> None:
    content = b"nuts beer\n\nbeer\n"
    assert texts(read_transactions(write(tmp_path, "a.dat.gz", gzip.compress(content)))) == BASKETS
    assert texts(read_transactions(str(write(tmp_path, "a.DAT.zst", zstd(content))))) == BASKETS


def test_repeated_items_are_merged_and_counted(tmp_path: Path) -> None:
    raw = read_transactions(write(tmp_path, "a.dat", "b a b b\na\n"))
    assert texts(raw) == [["a", "b"], ["a"]]
    assert raw.duplicates == 2


def test_a_line_of_a_million_items(tmp_path: Path) -> None:
    raw = read_transactions(write(tmp_path, "a.dat", "x\n" + " ".join(map(str, range(1_000_000))) + "\n"))
    assert raw.sets.sizes.tolist() == [1, 1_000_000]
    assert len(raw.items) == 1_000_001


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "transaction,item\n1,nuts\n2,\n1,beer\n3,beer\n"),
        ("a.csv", "item,transaction\r\nnuts,one\r\n,two\r\n\r\nbeer,three\r\nbeer,one"),
        ("a.csv", "\ufefftransaction;item\n1;nuts\n1;beer\n2;\n3;beer\n"),
        ("a.csv", '"transaction","item"\n"1","nuts"\n1,beer\n\n2,""\n3,beer\n'),
        ("a.tsv", "transaction\titem\n1\tnuts\n1\tbeer\n2\t\n3\tbeer\n"),
    ],
)
def test_long(tmp_path: Path, name: str, content: str) -> None:
    raw = read_transactions(write(tmp_path, name, content))
    assert (raw.shape, raw.duplicates) == ("long", 0)
    assert texts(raw) == BASKETS


def test_long_items_keep_blanks_quotes_and_line_breaks(tmp_path: Path) -> None:
    raw = read_transactions(write(tmp_path, "a.csv", 'transaction,item\n1, x \n1,"a ""b"",\r\nc"\n1,5" nail\n'))
    assert set(raw.items) == {" x ", 'a "b",\r\nc', '5" nail'}


@pytest.mark.parametrize(
    "content", ["nuts,beer\n\nbeer\n", "nuts , beer,,\r\n,,\r\nbeer,", ' "nuts", "beer"\n""\nbeer']
)
def test_basket(tmp_path: Path, content: str) -> None:
    raw = read_transactions(write(tmp_path, "a.csv", content), ",")
    assert (raw.shape, raw.separator, raw.duplicates) == ("basket", ",", 0)
    assert texts(raw) == BASKETS


def test_basket_of_another_separator(tmp_path: Path) -> None:
    raw = read_transactions(write(tmp_path, "a.csv", 'a,b|"c|d"|e\n'), "|")
    assert set(raw.items) == {"a,b", "c|d", "e"}


@IN_ONE_FOLDER
@given(st.text("ab \t\n\r\u00e9", min_size=1))
def test_dat_is_split_at_blanks_and_line_ends(tmp_path: Path, content: str) -> None:
    lines = re.split("\r\n|\r|\n", content)
    expected = as_sets([re.split("[ \t]+", line) for line in (lines if lines[-1] else lines[:-1])])
    assert texts(read_transactions(write(tmp_path, "a.dat", content))) == expected


@IN_ONE_FOLDER
@given(st.text('ab ,"\n\r', min_size=1))
def test_basket_is_read_as_the_csv_module_reads_it(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, "a.csv", content)
    try:
        records = list(csv.reader(io.StringIO(content, newline=""), strict=True, skipinitialspace=True))
    except csv.Error:
        with pytest.raises(InputError, match=r"a\.csv, row \d+: a quoted field"):
            read_transactions(path, ",")
        return
    expected = as_sets([[field.strip(" \t") for field in record] for record in records])
    assert texts(read_transactions(path, ",")) == expected


LISTS = [["nuts", "beer"], [], ["beer"]]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
        pa.list_view(pa.string()),
        pa.large_list_view(pa.large_string()),
        pa.list_(pa.string_view()),
        pa.list_(pa.dictionary(pa.int32(), pa.string())),
    ],
    ids=str,
)
def test_lists(kind: Any) -> None:
    lists = pa.array([[], ["unseen"], *LISTS], kind)[2:]
    raw = read_transactions(pa.table({"what": lists}))
    assert (raw.shape, raw.name) == ("parquet", "the Table")
    assert texts(raw) == BASKETS


def test_lists_in_files_may_be_null(tmp_path: Path) -> None:
    table = pa.table({"items": pa.chunked_array([[["nuts", "beer", "nuts"], None], [["beer"]]])})
    parquet.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "a.feather")
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    for name in ("a.parquet", "a.feather", "a.arrow"):
        raw = read_transactions(tmp_path / name)
        assert (raw.shape, raw.duplicates) == ("parquet", 1)
        assert texts(raw) == BASKETS


def test_numbers_are_items_too() -> None:
    raw = read_transactions(pa.table({"items": [[10, 9], [], [-1]]}))
    assert texts(raw) == [["10", "9"], [], ["-1"]]


@pytest.mark.parametrize(
    "source",
    [
        LISTS,
        [("nuts", "beer"), (), {"beer"}],
        pd.DataFrame({"items": LISTS}, index=[7, 8, 9]),
        pl.DataFrame({"items": LISTS}),
    ],
)
def test_memory(source: object) -> None:
    raw = read_transactions(source)
    assert raw.shape == "parquet"
    assert texts(raw) == BASKETS


def test_only_empty_transactions() -> None:
    assert texts(read_transactions([[], []])) == [[], []]


def test_long_in_memory_and_in_parquet(tmp_path: Path) -> None:
    table = pa.table({"item": ["nuts", None, "beer", "beer"], "transaction": [4, 2, 4, 3]})
    parquet.write_table(table, tmp_path / "a.parquet")
    for source in (table, tmp_path / "a.parquet", pl.from_arrow(table)):
        raw = read_transactions(source)
        assert raw.shape == "long"
        assert texts(raw) == BASKETS


@pytest.mark.parametrize(
    ("name", "content", "separator", "sentence"),
    [
        ("a.dat", b"", None, r"a\.dat is empty"),
        ("a.dat", b"\xef\xbb\xbf", None, r"a\.dat is empty"),
        ("a.dat", b"a\r\nb\r\nc\0d\n", None, r"a\.dat, row 3: it has a NUL byte"),
        ("a.dat", b"a\n\xfc b\n", None, r"a\.dat, row 2: the byte 0xFC is not UTF-8"),
        ("a.dat", b"a\n", ",", r"a\.dat: data\.separator is only for \.csv"),
        ("a.dat.gz", b"a\n", None, r"a\.dat\.gz cannot be read"),
        ("a.csv", b"transaction,item\n", None, r"a\.csv has no transactions"),
        ("a.csv", b"transaction,item,price\n1,a,2\n", None, r"row 1: the columns should be .*'transaction,item,price'"),
        ("a.csv", b"beer,nuts\n", None, r"row 1: .* set data\.separator"),
        ("a.csv", b"transaction,item\n1,a\n\n1,a,b\n", None, r"a\.csv, row 4: 3 field\(s\) where the header has 2"),
        ("a.csv", b'transaction,item\n1,"a\nb"\n1\n', None, r"a\.csv, row 4: 1 field\(s\)"),
        ("a.csv", b"transaction,item\n1,a\n,b\n", None, r"a\.csv, row 3: the field 'transaction' is empty"),
        ("a.csv", b'transaction,item\n1,a\n2,"b\n', None, r"a\.csv, row 3: a quoted field is never closed"),
        ("a.csv", b"a\n", "::", r"data\.separator is '::'; it must be one ASCII"),
        ("a.csv", b"a\n", '"', r"neither a quote nor a line end"),
        ("a.txt", b"a\n", None, r"the ending '\.txt' is unknown; known endings are \.dat \.csv \.tsv"),
        ("a.parquet", b"a\n", None, r"a\.parquet cannot be read as Parquet"),
        ("a.arrow", b"a\n", None, r"a\.arrow cannot be read as Arrow"),
        ("a.parquet.gz", b"a\n", None, r"are compressed inside"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, separator: str | None, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_transactions(write(tmp_path, name, content), separator)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_transactions(tmp_path / "a.dat")
    with pytest.raises(InputError, match="is a folder"):
        read_transactions(tmp_path)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ([], "the list has no transactions"),
        (["beer", "nuts"], "text where a transaction should be"),
        ([["beer", 3]], "the list cannot be read"),
        ([["beer", "\ud800"]], "the list cannot be read"),
        ([[1.5]], "item has values of type double"),
        ([["a"], ["b", ""]], "row 2: an item in its list is empty"),
        ([["a"], ["b", None]], "row 2: an item in its list is empty"),
        ([["a\0b"]], "has a NUL byte"),
        (3, "the int has no Arrow interface"),
        (pa.table({"a": [["x"]], "b": [1]}), "one column of lists, or two columns .* 'b' \\(int64\\)"),
        (pa.table({"a": ["x"]}), "one column of lists"),
        (pa.table({"a": [{"x": 1}]}), "give a list of items in each row"),
        (pa.table({"transaction": ["1", None], "item": ["a", "b"]}), "row 2: the field 'transaction' is empty"),
        (pa.table({"transaction": [1], "item": [1.5]}), "item has values of type double"),
    ],
)
def test_bad_memory(source: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_transactions(source)


def test_no_separator_for_memory() -> None:
    with pytest.raises(InputError, match="leave it out"):
        read_transactions([["a"]], ",")
