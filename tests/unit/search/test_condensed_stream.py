"""Records that arrive in batches, none of which is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet import CondensedStream, InputError, NoReleaseError


def batch(number: int, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    ages = random.integers(18, 90, number)
    return {"age": ages, "weight": 50 + ages / 3 + random.normal(0, 4, number)}


def test_batches_come_and_releases_are_drawn_at_any_time(tmp_path: Path) -> None:
    stream = CondensedStream({"age": 0, "weight": 1}, k=10, ranges={"age": (0, 90)})
    for seed in range(8):
        stream.add(batch(100, seed))
        rows = stream.draw(np.random.default_rng(seed))
        assert {column: len(values) for column, values in rows.items()} == dict.fromkeys(
            ("age", "weight"), stream.records
        )
    assert stream.records == 800 and 800 // 20 <= stream.groups <= 800 // 10
    assert rows["age"].max() <= 90 and (rows["age"] == rows["age"].round()).all()
    ages = np.concatenate([batch(100, seed)["age"] for seed in range(8)])
    assert rows["age"].mean() == pytest.approx(ages.mean(), rel=0.05)
    assert len(stream.draw(np.random.default_rng(0), copies=3)["age"]) == 2400
    stream.save(tmp_path / "state.npz")
    again = CondensedStream.load(tmp_path / "state.npz")
    assert (again.columns, again.k, again.ranges, again.records) == (stream.columns, 10, {"age": (0.0, 90.0)}, 800)
    for each in (stream, again):
        each.add(batch(50, 99))
    drawn = [each.draw(np.random.default_rng(5)) for each in (stream, again)]
    assert all((drawn[0][column] == drawn[1][column]).all() for column in stream.columns)


def test_nothing_is_drawn_before_k_have_come() -> None:
    stream = CondensedStream({"x": 0}, k=5)
    assert (stream.records, stream.groups) == (0, 0)
    with pytest.raises(NoReleaseError, match="0 records so far, and a group needs 5"):
        stream.draw(np.random.default_rng(0))
    for number in range(4):
        stream.add({"x": [number]})
    with pytest.raises(NoReleaseError, match="4 records so far"):
        stream.draw(np.random.default_rng(0))
    stream.add({"x": [4]})
    stream.add({"x": []})
    assert len(stream.draw(np.random.default_rng(0))["x"]) == 5


def test_what_is_kept_is_no_record(tmp_path: Path) -> None:
    stream = CondensedStream({"age": 0, "weight": 1}, k=10)
    stream.add(batch(500, 1))
    stream.save(tmp_path / "state.npz")
    with np.load(tmp_path / "state.npz") as kept:
        assert set(kept) == {"about", "centers", "spreads", "sizes", "means", "moments", "labels"}
        assert len(kept["means"]) == stream.groups <= 50 and kept["sizes"].min() >= 10


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"y": [1]}, "the batch has no column 'x'"),
        ({"x": [1, 2], "y": [1]}, "as many in each"),
        ({"x": ["one"], "y": [1]}, "are numbers"),
        ({"x": [1.0], "y": [float("nan")]}, "y: a value is missing or not finite"),
        ({"x": [1.0], "y": [-1e200]}, "y: a value is beyond 1e\\+15"),
        ([{"x": 1.0, "y": 2.0}], "A batch is a mapping"),
        (None, "A batch is a mapping"),
    ],
)
def test_a_bad_batch_is_a_sentence(given: Any, sentence: str) -> None:
    stream = CondensedStream({"x": 0, "y": 0}, k=2)
    with pytest.raises(InputError, match=f"(?i){sentence}"):
        stream.add(given)
    assert stream.records == 0


def test_a_stream_that_makes_no_sense_is_a_sentence(tmp_path: Path) -> None:
    for columns, k in (({}, 5), ({"x": 0}, 1)):
        with pytest.raises(InputError, match="k = 2 or more"):
            CondensedStream(columns, k)
    wrong: Any
    for wrong in (2.5, "5", True):
        with pytest.raises(InputError, match="k = 2 or more"):
            CondensedStream({"x": 0}, wrong)
    for wrong in (-1, 40, "1", 1.5):
        with pytest.raises(InputError, match=r"x: .* is not a number of decimals from 0 to 12"):
            CondensedStream({"x": wrong}, 3)
    wrong = ["x"]
    with pytest.raises(InputError, match="a mapping"):
        CondensedStream(wrong, 3)
    for wrong in ((3, 1), (0, float("nan")), 3, (1, 2, 3), "ab"):
        with pytest.raises(InputError, match="ranges: x needs two numbers"):
            CondensedStream({"x": 0}, 3, ranges={"x": wrong})
    with pytest.raises(InputError, match="no column 'y'"):
        CondensedStream({"x": 0}, 3, ranges={"y": (0, 1)})
    (tmp_path / "other.npz").write_text("no archive")
    with pytest.raises(InputError, match="this is no saved stream"):
        CondensedStream.load(tmp_path / "other.npz")
    np.savez(tmp_path / "strange.npz", about=np.array('{"format": "else"}'))
    with pytest.raises(InputError, match="the format 'else'"):
        CondensedStream.load(tmp_path / "strange.npz")
