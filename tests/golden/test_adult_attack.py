"""The census table attacked by somebody who knows everybody: 45,222 people, counted here once more, plainly."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet.commands.attack import attack

DATA = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "adult"
TABLE = DATA / "adult_clean_45222.csv.zst"

pytestmark = pytest.mark.skipif(not TABLE.exists(), reason=f"{TABLE} is not here")

QUASI = ("education", "native-country", "workclass", "marital-status", "sex", "race")
THRESHOLD = Fraction(1, 4)


def policy(suppression: str) -> discreet.Policy:
    # One policy for the census table, that of the test of its optima.
    name = "census_policy"
    specification = importlib.util.spec_from_file_location(name, Path(__file__).with_name("test_adult.py"))
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    make: Callable[[int, str, str], discreet.Policy] = module.policy
    return make(4, "lm", suppression)


def rows(path: Path) -> list[dict[str, str]]:
    if path.suffix != ".zst":
        return list(csv.DictReader(io.StringIO(path.read_text())))
    with pa.input_stream(str(path), compression="zstd") as stream:
        return list(csv.DictReader(io.StringIO(stream.read().decode())))


def learned(groups: dict[tuple[str, ...], Counter[str]]) -> tuple[int, int, int]:
    """People who fit one record, whose value is certain, who are above the threshold."""
    one = certain = above = 0
    for shown in groups.values():
        size = shown.total()
        most = max((count for value, count in shown.items() if value != "*"), default=0)
        one += size == 1
        certain += size * (most == size)
        above += size * (most > THRESHOLD * size)
    return one, certain, above


def grouped(table: list[dict[str, str]], age: Callable[[str], str]) -> dict[tuple[str, ...], Counter[str]]:
    groups: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in table:
        groups[(age(row["age"]), *(row[name] for name in QUASI))][row["occupation"]] += 1
    return groups


@pytest.mark.parametrize("suppression", ["vio-sa", "vio-rec"])
def test_nobody_is_above_a_threshold_in_the_release_and_most_are_in_the_original(
    tmp_path: Path, suppression: str
) -> None:
    discreet.publish(policy(suppression), tmp_path / "out")
    found = attack(tmp_path / "out", seed=1)
    before, after = found["linkage"]["before"], found["linkage"]["after"]
    assert found["people"] == 45_222
    # The policy's finest ages are ranges of five years from 17 on.
    original = grouped(rows(TABLE), lambda age: str((int(age) - 17) // 5))
    assert (before["found"], before["certain"], before["above_threshold"]) == learned(original)
    assert before["above_threshold"] == 38_948
    assert (after["above_threshold"], after["certain"], after["highest_confidence"]) == (0, 0, 0.25)
    assert before["guesses"]["right"] == sum(max(shown.values()) for shown in original.values())
    assert after["guesses"]["rate"] < before["guesses"]["rate"]
    assert all(value["above_after"] == 0 for value in found["values"])
    published = grouped(rows(tmp_path / "out" / "release" / "data.csv"), str)
    assert learned(published)[1:] == (0, 0)
    if suppression == "vio-sa":
        assert after["found"] == learned(published)[0]
        assert found["stars"]["stars"] == sum(shown["*"] for shown in published.values())
    else:
        assert not found["stars"]["applies"]
        assert after["unmatched"] > 0
    assert found["minimality"]["excluded_truth"] == 0
