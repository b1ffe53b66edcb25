"""The verifier of the promises about all values of a group, on random releases, against their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.verifier import verify_release
from examples import examples
from hand_made import Release, certificate
from oracle.promises import (
    Tree,
    distance_equal,
    distance_hierarchical,
    distance_ordered,
    has_entropy,
    is_distinct,
    is_recursive,
    is_within_bits,
)

VALUES = "abc"
TREE: Tree = ("*", (("ab", ("a", "b")), ("rest", ("c", ("deep", ("d",))))))
TAXONOMY = "a;ab;*\nb;ab;*\nc;rest;*\nd;deep;rest;*\n"
GROUPS = (("Junior", "UK"), ("Senior", "UK"), ("Junior", "USA"))
Keeps = Callable[[Counter[str], dict[str, Fraction]], bool]
"""Whether a group keeps it, given the reference."""


@st.composite
def promises(draw: st.DrawFn, name: str) -> tuple[dict[str, Any], Keeps, bool]:
    """An entry of a certificate, what it demands, and whether it compares with a reference."""
    least = draw(st.integers(1, 3))
    if name == "distinct-l-diversity":
        return {"model": name, "l": least}, lambda group, _: is_distinct(group, least), False
    if name == "entropy-l-diversity":
        number = draw(st.fractions(1, 3, max_denominator=5) | st.integers(1, 3).map(Fraction))
        return {"model": name, "l": str(number)}, lambda group, _: has_entropy(group, number), False
    if name == "recursive-l-diversity":
        factor = draw(st.sampled_from(("1/2", "1", "2", "5")).map(Fraction))
        entry = {"model": name, "c": str(factor), "l": least}
        return entry, lambda group, _: is_recursive(group, factor, least), False
    if name == "beta-likeness":
        beta = draw(st.sampled_from(("1/4", "1/2", "1", "2")).map(Fraction))
        return (
            {"model": name, "beta": str(beta)},
            lambda group, reference: all(
                count <= min(Fraction(1), (1 + beta) * reference[value]) * group.total()
                for value, count in group.items()
            ),
            True,
        )
    largest = draw(st.sampled_from(("0", "1/10", "1/4", "1/3", "1/2", "1")).map(Fraction))
    entry = {"model": "t-closeness", "t": str(largest), "distance": name}
    if name == "ordered":
        order = draw(st.permutations("abcd"))
        entry["order"] = draw(st.sampled_from(("alphabetical", list(order))))
        places = "abcd" if entry["order"] == "alphabetical" else order
        return (
            entry,
            lambda group, reference: (
                distance_ordered(group, reference, [value for value in places if value in reference]) <= largest
            ),
            True,
        )
    measures: dict[str, Keeps] = {
        "equal": lambda group, reference: distance_equal(group, reference) <= largest,
        "hierarchical": lambda group, reference: distance_hierarchical(group, reference, TREE) <= largest,
        "kl": lambda group, reference: is_within_bits(group, reference, largest),
    }
    return entry, measures[name], True


@pytest.mark.parametrize(
    "name",
    [
        "distinct-l-diversity",
        "entropy-l-diversity",
        "recursive-l-diversity",
        "beta-likeness",
        "equal",
        "ordered",
        "hierarchical",
        "kl",
    ],
)
def test_the_verdict_is_that_of_the_definition(name: str) -> None:
    seen = Counter[bool]()

    @examples(80)
    @given(promises(name), st.data())
    def check(promise: tuple[dict[str, Any], Keeps, bool], data: st.DataObject) -> None:
        entry, keeps, refers = promise
        shown = st.lists(st.sampled_from("abcabcabcab*"), min_size=1, max_size=8)
        groups = {labels: Counter(data.draw(shown)) for labels in data.draw(st.sampled_from((GROUPS[:1], GROUPS)))}
        everybody = sum(groups.values(), Counter[str]())
        stars = everybody.pop("*", 0)
        is_published = refers and data.draw(st.booleans())
        weights = data.draw(st.lists(st.integers(1, 5), min_size=4, max_size=4))
        reference = {value: Fraction(weight, sum(weights)) for value, weight in zip("abcd", weights, strict=True)}
        if is_published:
            reference = {value: Fraction(count, everybody.total()) for value, count in everybody.items()}
        if refers:
            stated = "published" if is_published else {value: str(share) for value, share in reference.items()}
            entry = entry | {"reference": stated}
        release = Release([(*labels, value) for labels, group in groups.items() for value in group.elements()])
        release.stated = certificate() | {"promise": [entry]}
        if name == "hierarchical":
            release.stated["columns"]["disease"] = {"role": "sensitive", "taxonomy": "taxonomies/disease.csv"}
            release.taxonomies["disease.csv"] = TAXONOMY
        visible = (Counter({v: c for v, c in group.items() if v != "*"}) for group in groups.values())
        expected = all(not group or keeps(group, reference) for group in visible)
        if is_published and stars:
            expected = False
        with TemporaryDirectory() as folder:
            verdict = verify_release(release.write(Path(folder) / "release"))
        assert verdict.holds == expected, verdict
        seen[expected] += 1

    check()
    assert seen[True] and seen[False]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"model": "distinct-l-diversity", "l": 0}, "whole number"),
        ({"model": "entropy-l-diversity", "l": "1/2"}, "1 or more"),
        ({"model": "entropy-l-diversity", "l": 1.5}, "not exact"),
        ({"model": "recursive-l-diversity", "c": "0", "l": 2}, "above 0"),
        ({"model": "t-closeness", "t": "3/2", "distance": "equal", "reference": "published"}, "from 0 to 1"),
        ({"model": "t-closeness", "t": "1/2", "distance": "far", "reference": "published"}, "unknown"),
        ({"model": "t-closeness", "t": "1/2", "distance": "equal", "reference": {"a": "1/2"}}, "add up to 1"),
        ({"model": "t-closeness", "t": "1/2", "distance": "equal", "reference": {"a": "1", "b": "0"}}, "above 0"),
        ({"model": "t-closeness", "t": "1/2", "distance": "hierarchical", "reference": "published"}, "taxonomy"),
        (
            {"model": "t-closeness", "t": "1/2", "distance": "ordered", "order": ["a"], "reference": "published"},
            "no place",
        ),
        ({"model": "beta-likeness", "beta": "0", "reference": "published"}, "above 0"),
    ],
)
def test_a_promise_that_cannot_be_read_is_refused(entry: dict[str, Any], said: str, tmp_path: Path) -> None:
    release = Release([("Junior", "UK", "a"), ("Junior", "UK", "b")])
    release.stated = certificate() | {"promise": [entry]}
    with pytest.raises(InputError, match=said):
        verify_release(release.write(tmp_path / "release"))


@pytest.mark.parametrize(
    ("changes", "is_hollow"),
    [
        ({"t": "2/3", "distance": "equal"}, True),
        ({"t": "65/100", "distance": "equal"}, False),
        ({"t": "2", "distance": "kl"}, True),
        ({"t": "3/2", "distance": "kl"}, False),
    ],
)
def test_closeness_that_every_group_keeps_is_hollow(changes: dict[str, Any], is_hollow: bool, tmp_path: Path) -> None:
    """A group of the rarest value alone is the farthest: by 2/3, or by the logarithm of 3."""
    release = Release([("Junior", "UK", "a"), ("Junior", "UK", "b")])
    reference = {"a": "1/3", "b": "2/3"}
    release.stated = certificate() | {"promise": [{"model": "t-closeness", "reference": reference, **changes}]}
    verdict = verify_release(release.write(tmp_path / "release"))
    assert verdict.holds and bool(verdict.hollow) == is_hollow


@pytest.mark.parametrize("value", ["1e30000000", "1e-30000000", "9" * 5000, "1_0", "1/2", "nan"])
def test_an_order_of_numbers_takes_numbers_that_every_reader_takes_for_one(value: str, tmp_path: Path) -> None:
    release = Release([("Junior", "UK", "1"), ("Junior", "UK", value)])
    entry = {"model": "t-closeness", "t": "1", "distance": "ordered", "order": "numbers", "reference": "published"}
    release.stated = certificate() | {"promise": [entry]}
    with pytest.raises(InputError, match="no place"):
        verify_release(release.write(tmp_path / "release"))


def test_shares_whose_sum_is_too_long_to_be_written_get_a_sentence(tmp_path: Path) -> None:
    """A thousand denominators of 18 digits, of which hardly two have a factor in common."""
    release = Release([("Junior", "UK", "a"), ("Junior", "UK", "b")])
    reference = {f"v{number}": f"1/{10**17 + 2 * number + 1}" for number in range(1000)}
    entry = {"model": "t-closeness", "t": "1/2", "distance": "equal", "reference": reference}
    release.stated = certificate() | {"promise": [entry]}
    with pytest.raises(InputError, match="add up to 1"):
        verify_release(release.write(tmp_path / "release"))


def test_a_value_that_the_reference_does_not_have_is_a_breach(tmp_path: Path) -> None:
    release = Release([("Junior", "UK", "a"), ("Junior", "UK", "b")])
    entry = {"model": "t-closeness", "t": "1", "distance": "equal", "reference": {"a": "1"}}
    release.stated = certificate() | {"promise": [entry]}
    verdict = verify_release(release.write(tmp_path / "release"))
    assert not verdict.holds
    assert "not in the reference" in verdict.breaches[0].sentence
