"""A classifier trained on a release: does it learn what the release still tells, and no more?"""

from __future__ import annotations

import sys

import numpy as np
import pytest

from discreet.encode.joint import SUPPRESSED
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.measure.measurement import Measurement
from discreet.measure.table import TABLE_MEASURES, learning
from discreet.measure.table.comparison import Comparison
from discreet.taxonomy import Taxonomy

LETTERS = Taxonomy.from_paths("letter", [(letter, "low" if letter < "c" else "high", "*") for letter in "abcd"])


def table(outcomes: list[list[int]], sensitive: list[int] | None = None) -> EncodedTable:
    """outcomes: for each letter how many records have the classes no and yes."""
    pairs = [(leaf, cls) for leaf in range(len(outcomes)) for cls in (0, 1)]
    return EncodedTable(
        ("letter",),
        (LETTERS,),
        np.array([[leaf for leaf, _ in pairs]], np.int32),
        np.array(sensitive or [0] * len(pairs), np.int32),
        np.array([cls for _, cls in pairs], np.int32),
        np.array([outcomes[leaf][cls] for leaf, cls in pairs], np.int64),
        ("s", "t"),
        ("no", "yes"),
    )


def as_published(original: EncodedTable, up: int, star: bool = False) -> ReleasedTable:
    nodes = LETTERS.leaf_nodes[original.leaves]
    for _ in range(up):
        nodes = LETTERS.parents[nodes]
    sensitive = np.full_like(original.sensitive, SUPPRESSED) if star else original.sensitive
    return ReleasedTable(nodes, sensitive, original.classes, original.counts)


def accuracy(original: EncodedTable, release: ReleasedTable, sensitive: str | None = None) -> Measurement:
    pytest.importorskip("sklearn")
    comparison = Comparison(original, release, sensitive, "income")
    return TABLE_MEASURES["classifier"].measure(comparison, np.random.default_rng(7))


def test_what_the_published_values_tell_is_learnt() -> None:
    by_half = table([[400, 1], [400, 1], [1, 300], [1, 300]])
    found = accuracy(by_half, as_published(by_half, 1))
    assert found.original is not None and found.original > 0.98
    assert found.release == found.original
    assert found.details["majority"] == pytest.approx(0.57, abs=0.05)
    assert found.details["training_records"] + found.details["test_records"] == 1404
    assert found.details["training_records"] == pytest.approx(936, abs=60)
    right, tests = found.release, found.details["test_records"]
    assert found.details["standard_error"]["release"] == pytest.approx((right * (1 - right) / tests) ** 0.5)


def test_what_they_do_not_tell_is_not() -> None:
    every_other = table([[400, 1], [1, 300], [400, 1], [1, 300]])
    found = accuracy(every_other, as_published(every_other, 1))
    assert found.original is not None and found.original > 0.98
    assert found.release == found.details["majority"]


def test_the_sensitive_column_is_learnt_from_unless_it_is_starred() -> None:
    told = table([[400, 300], [400, 300], [400, 300], [400, 300]], [0, 1] * 4)
    assert accuracy(told, as_published(told, 2), "disease").release == 1
    starred = accuracy(told, as_published(told, 2, star=True), "disease")
    assert starred.original == 1
    assert starred.release == starred.details["majority"]


def test_deleted_records_teach_nothing() -> None:
    original = table([[400, 1], [400, 1], [1, 300], [1, 300]])
    published = as_published(original, 1)
    gone = original.classes == 1
    without = ReleasedTable(
        published.nodes[:, ~gone], published.sensitive[~gone], published.classes[~gone], published.counts[~gone]
    )
    found = accuracy(original, without)
    assert found.release == found.details["majority"]  # the tree knows of one class only, the commonest


def test_an_empty_release_teaches_nothing() -> None:
    nothing = np.zeros(0, np.int32)
    empty = ReleasedTable(np.zeros((1, 0), np.int32), nothing, nothing, np.zeros(0, np.int64))
    found = accuracy(table([[9, 1], [9, 1], [1, 9], [1, 9]]), empty)
    assert found.original is not None
    assert found.release is None
    assert "no record to learn income from" in found.reading


def test_a_sample_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MOST_COMBINATIONS", 6)
    original = table([[400, 100], [400, 100], [100, 300], [100, 300]])
    found = accuracy(original, as_published(original, 1))
    assert (found.details["combinations"], found.details["combinations_used"]) == (8, 6)
    assert "a sample of 6 combinations" in found.reading


def test_too_few_records_to_hold_some_out() -> None:
    original = table([[1, 0]])
    one = EncodedTable(
        original.attributes,
        original.taxonomies,
        original.leaves[:, :1],
        original.sensitive[:1],
        original.classes[:1],
        original.counts[:1],
        original.sensitive_values,
        original.class_values,
    )
    found = accuracy(one, as_published(one, 0))
    assert (found.original, found.release, found.details) == (None, None, {"ran": False})
    assert "too few records" in found.reading


def test_without_scikit_learn_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    original = table([[4, 1], [4, 1], [1, 3], [1, 3]])
    comparison = Comparison(original, as_published(original, 1), None, "income")
    found = TABLE_MEASURES["classifier"].measure(comparison, np.random.default_rng(7))
    assert (found.original, found.release) == (None, None)
    assert "pip install 'discreet[learn]'" in found.reading


def locally(original: EncodedTable, nodes: list[str]) -> Measurement:
    """nodes: the label that each combination is published at."""
    pytest.importorskip("sklearn")
    places = np.array([[LETTERS.node(label) for label in nodes]], np.int32)
    release = ReleasedTable(places, original.sensitive, original.classes, original.counts)
    comparison = Comparison(original, release, None, "income", "local")
    return TABLE_MEASURES["classifier"].measure(comparison, np.random.default_rng(7))


def test_rows_with_labels_of_their_own_are_learnt_from_as_they_are() -> None:
    by_half = table([[400, 1], [400, 1], [1, 300], [1, 300]])
    exact, halves, mixed, nothing = (
        locally(by_half, nodes)
        for nodes in (
            [*"aabbccdd"],
            ["low"] * 4 + ["high"] * 4,
            ["low", "low", "b", "b", "c", "c", "*", "*"],
            ["*"] * 8,
        )
    )
    assert exact.original is not None and exact.original > 0.98
    assert exact.release == halves.release == mixed.release == exact.original
    assert nothing.release == nothing.details["majority"]
    flattered = "the release was made of all records, also of those tested on, which flatters it"
    assert flattered in exact.reading
    assert "flatters" not in accuracy(by_half, as_published(by_half, 1)).reading
