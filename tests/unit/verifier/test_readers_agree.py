"""What readers can tell apart, the verifier does not take for one; and what it refuses is never published."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import discreet
from discreet.engine import published
from discreet.engine.recount import Recount, recounted
from discreet.errors import InputError
from discreet.verifier import Verdict, verify_release

TWO = {"model": "k-anonymity", "k": 2}
HALF = {"model": "l-plus-diversity", "thresholds": "1/2"}
Readers = dict[str, Callable[[bytes], list[Any]]]

CSV_READERS: Readers = {
    "pandas": lambda content: pd.read_csv(io.BytesIO(content), dtype=str).to_numpy().tolist(),
    "polars": lambda content: pl.read_csv(content, infer_schema=False).rows(),
}


def release(
    folder: Path, data: str, *columns: str, promise: dict[str, Any] = TWO, taxonomy: str = "1;*\n2;*\n;*\n"
) -> Path:
    """A release without its data file: all columns are quasi-identifiers but `sensitive` and `class`."""
    folder.mkdir()
    roles = {"sensitive": {"role": "sensitive"}, "class": {"role": "class"}}
    key = {"role": "quasi-identifier", "taxonomy": "taxonomy.csv"}
    certificate = {
        "format": "discreet-certificate/1",
        "kind": "table",
        "data": data,
        "promise": [promise],
        "columns": {column: roles.get(column, key) for column in columns},
    }
    (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    (folder / "taxonomy.csv").write_text(taxonomy, encoding="utf-8")
    return folder


def csv_release(folder: Path, content: bytes, *columns: str, **options: Any) -> Path:
    release(folder, "data.csv", *columns, **options)
    (folder / "data.csv").write_bytes(content)
    return folder


def parquet_release(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    release(folder, "data.parquet", *columns, **options)
    parquet.write_table(pa.table(columns), folder / "data.parquet", store_schema=False)
    return folder


def kinds(verdict: Verdict) -> list[str]:
    return [breach.kind for breach in verdict.breaches]


# --- CSV ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'a,class\n"",x\n,y\n', 'a cell is ""'),
        (b'a,class\n1,""\n1,x\n', 'a cell is ""'),
        (b'a,class\n1,x\n1,""', 'a cell is ""'),
        (b'a,class\r\n1,x\r\n"",y\r\n', 'a cell is ""'),
        (b'a,class\n1,x\n\n1,y\n', "row 2: a blank line"),
        (b'a,class\n1,x\n1,y\n\n', "row 3: a blank line"),
        (b'a,class\r\n1,x\r\n\r\n1,y\r\n', "row 2: a blank line"),
        (b'a,class\n1,x\n   \n1,y\n', "cannot be read"),
        (b'a,class\n"1",x\r1,y\n', "row 1: a lone carriage return"),
    ],
)  # fmt: skip
def test_what_not_all_readers_of_csv_read_alike_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    folder = csv_release(tmp_path / "release", content, "a", "class")
    with pytest.raises(InputError, match=said):
        verify_release(folder)


@pytest.mark.parametrize("content", [b"a\n1\n\n1\n", b"a\n1\n   \n1\n", b"a\r\n1\r\n1\r\n\r\n", b"a\n\n\n"])
def test_a_blank_line_of_a_single_column_is_refused(tmp_path: Path, content: bytes) -> None:
    """Some readers skip it and others do not, so they count different rows."""
    assert len({len(read(content)) for read in CSV_READERS.values()}) > 1
    folder = csv_release(tmp_path / "release", content, "a")
    with pytest.raises(InputError, match="a blank line"):
        verify_release(folder)


def test_all_readers_count_the_rows_of_a_single_column(tmp_path: Path) -> None:
    content = b'a\n1\n""\n1\n""\n'
    assert {len(read(content)) for read in CSV_READERS.values()} == {4}
    folder = csv_release(tmp_path / "release", content, "a")
    verdict = verify_release(folder)
    assert (verdict.holds, verdict.rows, verdict.partitions) == (True, 4, 2)


@pytest.mark.parametrize(
    "content",
    [
        b'a,class\n1,""""\n1,""""""\n',
        b'a,class\n1,"x,"",y"\n1,"""a"\n',
        b'a,class\n1,"a"""\n1,"\n""\n"\n',
        b'a,class\n1,"""\n\n"""\n1,"x\n,"",\n"\n',
    ],
)
def test_quotes_within_a_cell_are_no_empty_cell(tmp_path: Path, content: bytes) -> None:
    assert verify_release(csv_release(tmp_path / "release", content, "a", "class")).holds


def test_quotes_that_begin_in_one_megabyte_and_end_in_another(tmp_path: Path) -> None:
    """The bytes are looked at in pieces, and what is found does not depend on where they end."""
    long = b'"' + b"x\n" * (1 << 20) + b'"'
    rows = b"1," + long + b'\n1,"y"\n'
    assert verify_release(csv_release(tmp_path / "a", b"a,class\n" + rows, "a", "class")).holds
    with pytest.raises(InputError, match='a cell is ""'):
        verify_release(csv_release(tmp_path / "b", b"a,class\n" + rows + b'1,""\n', "a", "class"))


# --- Parquet ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([None, "", "1", "1"]), "both NULL and empty text"),
        (pa.array([1, 1]), "quasi-identifier 'a' is of the type BIGINT"),
        (pa.array([True, True]), "BOOLEAN"),
        (pa.array([b"1", b"1"], pa.binary()), "BLOB"),
        (pa.array([None, None], pa.null()), "NULL"),
        (pa.array([0, 0], pa.timestamp("us")), "TIMESTAMP"),
    ],
)
def test_a_published_quasi_identifier_is_text(tmp_path: Path, column: Any, said: str) -> None:
    folder = parquet_release(tmp_path / "release", {"a": column})
    with pytest.raises(InputError, match=said):
        verify_release(folder)


def test_null_and_empty_text_are_two_groups_to_a_reader(tmp_path: Path) -> None:
    folder = parquet_release(tmp_path / "release", {"a": pa.array([None, ""])})
    assert Counter(pl.read_parquet(folder / "data.parquet")["a"]) == {None: 1, "": 1}
    with pytest.raises(InputError, match="both NULL and empty text"):
        verify_release(folder)


@pytest.mark.parametrize("missing", [None, ""])
def test_one_spelling_of_missing_is_a_group(tmp_path: Path, missing: str | None) -> None:
    folder = parquet_release(tmp_path / "release", {"a": pa.array([missing, missing, "1", "1"], pa.string())})
    verdict = verify_release(folder)
    assert (verdict.holds, verdict.partitions) == (True, 2)


NANOSECONDS = pa.array([1_577_934_245_123_456_001, 1_577_934_245_123_456_002], pa.timestamp("ns"))


def test_types_that_are_read_in_part_are_refused(tmp_path: Path) -> None:
    """Two values to a reader, and one to DuckDB, which takes them for a value in all of the rows or in half of them."""
    decimals = pa.array([Decimal("0.1234567890123456789012345678901"), Decimal("0.1234567890123456789012345678902")])
    columns = {"a": ["1", "1"], "sensitive": decimals.cast(pa.decimal256(60, 40))}
    with pytest.raises(InputError, match="DECIMAL of 60 digits"):
        verify_release(parquet_release(tmp_path / "decimals", columns, promise=HALF))
    folder = release(tmp_path / "INT96", "data.parquet", "a", "sensitive", promise=HALF)
    table = pa.table({"a": ["1", "1"], "sensitive": NANOSECONDS})
    parquet.write_table(table, folder / "data.parquet", store_schema=False, use_deprecated_int96_timestamps=True)
    assert pd.read_parquet(folder / "data.parquet")["sensitive"].nunique() == 2
    with pytest.raises(InputError, match="INT96"):
        verify_release(folder)
    assert verify_release(parquet_release(tmp_path / "ns", {"a": ["1", "1"], "sensitive": NANOSECONDS}, promise=HALF))


@pytest.mark.parametrize("promised", [HALF, {**HALF, "thresholds": {"0.0": "1/2", "1.0": "1"}}])
def test_equal_floats_are_one_sensitive_value(tmp_path: Path, promised: dict[str, Any]) -> None:
    floats = [0.0, -0.0, 0.0, -0.0, 1.0, 1.0]
    columns = {"a": ["1"] * 6, "sensitive": floats}
    assert Counter(pl.DataFrame(columns)["sensitive"])[0.0] == 4
    for kind in (pa.float32(), pa.float64()):
        written = {**columns, "sensitive": pa.array(floats, kind)}
        verdict = verify_release(parquet_release(tmp_path / str(kind), written, promise=promised))
        assert kinds(verdict) == ["l-plus-diversity"]
        assert "'0.0' in 4" in verdict.breaches[0].witnesses[0]


def test_all_that_is_not_a_number_is_one_sensitive_value(tmp_path: Path) -> None:
    payloads = np.array([0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    columns = {"a": ["1"] * 4, "sensitive": pa.array([*payloads, 1.0], pa.float64(), from_pandas=False)}
    verdict = verify_release(parquet_release(tmp_path / "release", columns, promise=HALF))
    assert kinds(verdict) == ["l-plus-diversity"]


def test_times_with_a_zone_mean_the_same_everywhere(tmp_path: Path) -> None:
    """Published in one zone and verified in another; the thresholds name the times."""
    times = pa.array([0, 10**6, 2 * 10**6, 0, 10**6, 2 * 10**6], pa.timestamp("us", "America/New_York"))
    table = pa.table({"a": ["1", "1", "1", "2", "2", "2"], "disease": times})
    parquet.write_table(table, tmp_path / "in.parquet")
    for name in ("csv", "parquet"):
        policy = {
            "data": {"path": str(tmp_path / "in.parquet")},
            "attributes": {
                "a": {"role": "quasi-identifier", "taxonomy": {"prefixes": [1]}},
                "disease": {"role": "sensitive"},
            },
            "privacy": {
                "model": "l-plus-diversity",
                "thresholds": {f"1970-01-01 00:00:0{second}+00": "1/3" for second in range(3)},
            },
            "search": {"suppression": "none"},
            "output": {"format": name},
        }
        (tmp_path / f"{name}.yaml").write_text(json.dumps(policy), encoding="utf-8")
        command = [str(Path(sys.executable).with_name("discreet"))]
        out = tmp_path / f"out-{name}"
        for arguments, there in (
            (["publish", tmp_path / f"{name}.yaml", "--out", out], "America/New_York"),
            (["verify", out], "UTC"),
        ):
            ran = subprocess.run(
                [*command, *map(str, arguments)],
                env={**os.environ, "TZ": there},
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            assert ran.returncode == 0, ran.stderr


# --- the second count ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_arrow_counts_rows_and_groups_again(tmp_path: Path, name: str) -> None:
    """Names with dots select other columns in Arrow, and one more column has the name of a part."""
    columns = {"a.b": ["1", "1", None, None], "a": ["2", "1", "1", "1"], "a.b.c": ["1", "2", "1", "1"], "": ["x"] * 4}
    table = pa.table(columns)
    if name == "data.csv":
        table.to_pandas().to_csv(tmp_path / name, index=False)
    else:
        parquet.write_table(table, tmp_path / name, row_group_size=1)
    for keys, groups in ((["a"], 2), (["a.b"], 2), (["a", "a.b"], 3), (["a.b.c", "a"], 3), (list(columns), 3)):
        found = recounted(tmp_path / name, list(columns), keys, None, (), 1 << 20)
        assert (found.rows, found.groups) == (4, groups)


def test_readers_that_disagree_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = csv_release(tmp_path / "release", b"a,class\n1,x\n1,y\n", "a", "class")
    assert verify_release(folder).holds
    monkeypatch.setattr(published, "recounted", lambda *_: Recount(2, 2, 0, None))
    with pytest.raises(InputError, match="DuckDB finds 2 rows in 1 groups, and Arrow 2 in 2"):
        verify_release(folder)


# --- what is written ----------------------------------------------------------------------------------------


def publish(folder: Path, table: Any, output: str, **attributes: Any) -> Path:
    policy = {
        "data": {},
        "attributes": attributes,
        "privacy": {"model": "k-anonymity", "k": 2},
        "output": {"format": output},
    }
    return discreet.publish(discreet.Policy.parse(policy), folder, data=table).folder / "release"


KEY = {"role": "quasi-identifier", "taxonomy": {"prefixes": [1]}}


@pytest.mark.parametrize("output", ["csv", "parquet"])
def test_a_release_has_one_spelling_of_missing(tmp_path: Path, output: str) -> None:
    """Also in columns that nothing is promised about, where the original had two."""
    table = pa.table({"a": ["11", "11", None, ""], "b": ["x", "", None, "y"], "c": [b"x", b"", None, b"y"]})
    folder = publish(
        tmp_path / "out", table, output, a=KEY, b={"role": "insensitive"}, c={"role": "insensitive"}
    )  # fmt: skip
    if output == "csv":
        read = pl.read_csv(folder / "data.csv", infer_schema=False)
        assert '""' not in (folder / "data.csv").read_text(encoding="utf-8")
    else:
        read = pl.read_parquet(folder / "data.parquet")
    assert [read[name].null_count() for name in ("a", "b", "c")] == [2, 2, 2]
    assert verify_release(folder).holds


def test_all_readers_count_the_published_rows_of_a_single_column(tmp_path: Path) -> None:
    table = pa.table({"a": ["11", "11", None, None, "  ", "  "]})
    folder = publish(tmp_path / "out", table, "csv", a={"role": "quasi-identifier", "taxonomy": "*"})
    content = (folder / "data.csv").read_bytes()
    assert {len(read(content)) for read in CSV_READERS.values()} == {6}
    assert (verify_release(folder).rows, verify_release(folder).partitions) == (6, 3)


@pytest.mark.parametrize("output", ["csv", "parquet"])
def test_equal_floats_of_an_original_are_published_as_one(tmp_path: Path, output: str) -> None:
    table = pa.table({"a": ["11", "11"], "b": [0.0, -0.0]})
    folder = publish(tmp_path / "out", table, output, a=KEY, b={"role": "insensitive"})
    read = pl.read_csv(folder / "data.csv") if output == "csv" else pl.read_parquet(folder / "data.parquet")
    assert [str(value) for value in read["b"]] == ["0.0", "0.0"]
