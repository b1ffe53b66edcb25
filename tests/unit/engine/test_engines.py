"""What every engine does, tried on each there is."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from discreet.engine import (
    ENGINES,
    Assignments,
    BadObjectError,
    Decisions,
    Engine,
    Labels,
    NestedColumnError,
    RepeatedKeyError,
    TableShape,
    UnreadableError,
)

PEOPLE = {
    "town": ["Ulm", "Bonn", "Ulm", None, "", "Bonn"],
    'say "hi", Bob': ["a", "b", "a", "a", "b", "c"],
    "age": [30, 40, 30, 50, 50, 40],
}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made = ENGINES[request.param](tmp_path)
    made.store(pa.table(PEOPLE))
    yield made
    made.close()


def written(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_what_is_stored_is_there(engine: Engine) -> None:
    shape = engine.shape()
    assert (shape.columns, shape.rows) == (tuple(PEOPLE), 6)
    assert engine.columns() == tuple(PEOPLE)
    assert isinstance(shape, TableShape)
    engine.store(pa.table({"x": ["1"]}), "other")
    assert engine.shape("other").rows == 1
    engine.store(pa.table({"y": ["1", "2"]}), "other")
    assert engine.columns("other") == ("y",), "in place of one of that name"
    engine.drop("other")
    engine.drop("other")


def test_missing_and_empty_are_one_value(engine: Engine) -> None:
    values, counts = engine.distinct("town")
    assert (values, counts.tolist()) == (("", "Bonn", "Ulm"), [2, 2, 2])
    values, counts = engine.distinct("age")
    assert (values, counts.tolist()) == (("30", "40", "50"), [2, 2, 2])


def test_values_have_numbers_and_long_ones_stay_different(engine: Engine) -> None:
    values, codes = engine.coded("town", 100)
    assert sorted(values.to_pylist()) == ["Bonn", "Ulm"]
    assert (codes == len(values)).tolist() == [False, False, False, True, True, False]
    engine.store(pa.table({"long": ["x" * 50 + "a", "x" * 50 + "b", "x" * 50 + "a"]}))
    values, codes = engine.coded("long", 10)
    assert len(values) == 2 and all(value.startswith("x" * 10) for value in values.to_pylist())
    assert codes[0] == codes[2] != codes[1]


def test_combinations_are_counted_in_order(engine: Engine) -> None:
    codes = {"town": {"": 0, "Bonn": 1, "Ulm": 2}, 'say "hi", Bob': {"a": 0, "b": 1, "c": 2}}
    columns, counts = engine.count(codes)
    assert columns.tolist() == [[0, 0, 1, 1, 2], [0, 1, 1, 2, 0]]
    assert counts.tolist() == [1, 1, 1, 1, 2]


def test_rows_are_found_by_what_they_have(engine: Engine) -> None:
    assert engine.rows("original", ["age", "town"], 2) == [("30", "Ulm"), ("40", "Bonn")]
    assert engine.rows("original", ["age"], 5, {"town": ""}) == [("50",), ("50",)]
    assert engine.rows("original", ["age"], 1, {"town": "Ulm", "age": "30"}) == [("30",)]
    assert engine.unique_rows(["town", 'say "hi", Bob']) == 4
    assert engine.unique_rows(["town"]) == 0


def test_objects_become_columns(engine: Engine) -> None:
    names: list[list[str]] = []
    engine.store(pa.table({"line": ['{"a": 1, "b": "x"}', "  ", '{"a": "two"}']}), "lines")
    assert engine.store_objects("lines", "objects", names.append)
    assert names == [["a", "b"]]
    assert engine.rows("objects", ["a", "b"], 5) == [("1", "x"), ("two", "")]
    engine.store(pa.table({"line": ["", " "]}), "lines")
    assert not engine.store_objects("lines", "nothing", names.append)


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (['{"a": 1}', "[1]"], BadObjectError),
        (["{"], BadObjectError),
        (['{"a": {"b": 1}}'], NestedColumnError),
        (['{"a": [1]}', '{"a": 1}'], NestedColumnError),
        (['{"a": 1}', '{"a": 1, "a": 2}'], RepeatedKeyError),
        (['{"a": 1}', '{"a": ' + "[" * 500 + "]" * 500 + "}"], NestedColumnError),
    ],
)
def test_what_cannot_be_stored_has_an_error_of_no_particular_engine(
    engine: Engine, lines: list[str], error: type[Exception]
) -> None:
    engine.store(pa.table({"line": lines}), "lines")
    with pytest.raises(error):
        engine.store_objects("lines", "objects", lambda names: None)


def test_batches_that_break_off_are_unreadable(engine: Engine) -> None:
    def batches() -> Iterator[Any]:
        yield pa.record_batch({"x": ["1"]})
        raise pa.ArrowInvalid("the cable was cut")

    broken = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.string())]), batches())
    with pytest.raises(UnreadableError, match="the cable was cut"):
        engine.store(broken, "broken")


def labelled() -> dict[str, Labels]:
    return {"town": Labels(["", "Bonn", "Ulm"], np.array([0, 1, 1], np.int32), ["", "town", "town"])}


def test_recoded_rows_lose_the_order_they_had(engine: Engine, tmp_path: Path) -> None:
    nothing = Decisions(np.zeros((0, 1), np.int32), {}, np.zeros(0, np.int64))
    for seed, name in ((1, "a.csv"), (1, "b.csv"), (2, "c.csv")):
        random = np.random.default_rng(seed)
        engine.write_release(tmp_path / name, ["town", "age"], labelled(), {}, nothing, random)
    first = written(tmp_path / "a.csv")
    assert first == written(tmp_path / "b.csv") != written(tmp_path / "c.csv")
    assert Counter(map(tuple, first[1:])) == Counter([("town", "30")] * 2 + [("town", "40")] * 2 + [("", "50")] * 2)


def test_records_are_deleted_by_lot_and_values_starred(engine: Engine, tmp_path: Path) -> None:
    secret = 'say "hi", Bob'
    codes = {secret: {"a": 0, "b": 1, "c": 2}}
    keep_one = Decisions(np.array([[1]], np.int32), {secret: np.array([0], np.int32)}, np.array([1], np.int64))
    random = np.random.default_rng(1)
    engine.write_release(tmp_path / "kept.csv", ["town", secret], labelled(), codes, keep_one, random)
    assert Counter(row[1] for row in written(tmp_path / "kept.csv")[1:]) == {"a": 2, "b": 2, "c": 1}
    star = Decisions(np.array([[1]], np.int32), {secret: np.array([0], np.int32)}, None, starred=(secret,))
    engine.write_release(tmp_path / "starred.parquet", ["town", secret], labelled(), codes, star, random)
    assert Counter(parquet.read_table(tmp_path / "starred.parquet")[secret].to_pylist()) == {
        "*": 2,
        "a": 1,
        "b": 2,
        "c": 1,
    }


def test_records_are_published_as_they_are_assigned(engine: Engine, tmp_path: Path) -> None:
    """Of two people in Ulm one is published as here and one as there; who is nowhere is not published."""
    codes = {"town": {"": 0, "Bonn": 1, "Ulm": 2}, "age": {"30": 0, "40": 1, "50": 2}}
    entries = {"town": np.array([2, 2, 0], np.int32), "age": np.array([0, 0, 2], np.int32)}
    taken = Assignments(entries, np.array([1, 1, 1], np.int64), {"town": ["here", "there", None]})
    seen = set()
    for seed in range(12):
        path = tmp_path / f"{seed}.csv"
        random = np.random.default_rng(seed)
        engine.write_assigned(path, ["town", 'say "hi", Bob', "age"], codes, taken, random)
        rows = written(path)[1:]
        assert sorted(row[0] for row in rows) == ["", "here", "there"]
        assert sorted(row[2] for row in rows) == ["30", "30", "50"]
        seen.add(next(row[1] for row in rows if row[2] == "50"))
    assert seen == {"a", "b"}, "which of those who are alike is drawn"


def test_given_rows_are_written_as_given(engine: Engine, tmp_path: Path) -> None:
    engine.write_table(tmp_path / "given.csv", {"a": ["1", None], "=b": ["=x", "y"]})
    assert written(tmp_path / "given.csv") == [["a", "=b"], ["1", "=x"], ["", "y"]]
    engine.write_table(tmp_path / "escaped.csv", {"a": ["1", None], "=b": ["=x", "y"]}, escape_formulas=True)
    assert written(tmp_path / "escaped.csv") == [["a", "'=b"], ["1", "'=x"], ["", "y"]]
    engine.store(pa.table({"a": ["1", ""], "'=b": ["'=x", "y"]}), "escaped")
    engine.unescape("escaped")
    assert engine.columns("escaped") == ("a", "=b")
    assert engine.rows("escaped", ["=b"], 5) == [("=x",), ("y",)]
