"""The class sizes of the steward's result."""

from __future__ import annotations

import numpy as np

from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.measure.table.classes import classes
from discreet.taxonomy import Taxonomy

LETTERS = Taxonomy.from_paths("letter", [(letter, "low" if letter < "c" else "high", "*") for letter in "abcd"])
NOTHING = np.zeros(0, np.int32)


def table(counts: list[int]) -> EncodedTable:
    zeros = np.zeros(len(counts), np.int32)
    leaves = np.arange(len(counts), dtype=np.int32)[None, :]
    return EncodedTable(("letter",), (LETTERS,), leaves, zeros, zeros, np.array(counts), ("",), ("",))


def release(labels: list[str], counts: list[int]) -> ReleasedTable:
    zeros = np.zeros(len(counts), np.int32)
    nodes = np.array([[LETTERS.node(label) for label in labels]], np.int32)
    return ReleasedTable(nodes, zeros, zeros, np.array(counts))


def test_classes_before_and_after() -> None:
    found = classes(table([1, 4, 5, 1000]), release(["low", "high", "low"], [3, 1000, 1]))
    before, after = found["before"], found["after"]
    assert {key: before[key] for key in ("count", "smallest", "median", "average", "largest")} == {
        "count": 4,
        "smallest": 1,
        "median": 4.5,
        "average": 252.5,
        "largest": 1000,
    }
    assert [(entry["from"], entry["to"]) for entry in before["sizes"]] == [
        (1, 1),
        (2, 4),
        (5, 9),
        (10, 19),
        (20, 49),
        (50, 99),
        (100, 199),
        (200, 499),
        (500, 999),
        (1000, None),
    ]
    assert [entry["records"] for entry in before["sizes"]] == [1, 4, 5, 0, 0, 0, 0, 0, 0, 1000]
    # The two combinations of "low" are one class of four.
    assert [entry["classes"] for entry in after["sizes"]] == [0, 1, 0, 0, 0, 0, 0, 0, 0, 1]


def test_no_classes_in_an_empty_release() -> None:
    empty = ReleasedTable(np.zeros((1, 0), np.int32), NOTHING, NOTHING, np.zeros(0, np.int64))
    after = classes(table([2]), empty)["after"]
    assert (after["count"], after["smallest"], after["median"], after["largest"]) == (0, 0, 0.0, 0)
    assert not any(entry["classes"] for entry in after["sizes"])
