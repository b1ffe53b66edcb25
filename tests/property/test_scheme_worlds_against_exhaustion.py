"""What knowing the scheme tells about a group, against all assignments of values to its people."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.attacks.table import scheme_worlds
from discreet.attacks.table.scheme_worlds import Published, confidences
from examples import examples
from oracle.attacks import group_confidences, group_published

SCHEMES = ("vio-sa", "all-sa", "vio-rec", "all-rec")
SHARES = ("1/2", "1/3", "2/3", "1/4", "2/5", "1", "0", "1/6")


Drawn = tuple[tuple[str, ...], tuple[Fraction, ...], tuple[int, ...], int]
"""The true values of a group, and for each value its threshold and how likely it is; the smallest lawful group."""


@st.composite
def groups(draw: st.DrawFn) -> Drawn:
    values = "abcd"[: draw(st.integers(1, 4))]
    shares = [Fraction(draw(st.sampled_from(SHARES))) for _ in values]
    likely = [draw(st.integers(1, 4)) for _ in values]
    if draw(st.booleans()):
        shares = shares[:1] * len(values)
    if draw(st.booleans()):
        likely = [1] * len(values)
    truth = draw(st.lists(st.sampled_from(values), min_size=1, max_size=7 if len(values) < 4 else 6))
    return tuple(truth), tuple(shares), tuple(likely), draw(st.integers(1, 4))


@pytest.mark.parametrize("scheme", [*SCHEMES, "guarded"])
@examples(150)
@given(drawn=groups())
def test_confidences_are_shares_of_all_worlds(scheme: str, drawn: Drawn) -> None:
    truth, shares, likely, smallest = drawn
    values, guard = "abcd"[: len(shares)], scheme == "guarded"
    scheme = "vio-sa" if guard else scheme
    smallest = smallest if scheme in ("vio-rec", "all-rec") else 1
    thresholds, chances = dict(zip(values, shares, strict=True)), dict(zip(values, likely, strict=True))
    shown = group_published(Counter(truth), values, thresholds, scheme, guard, smallest)
    counts = tuple(shown[value] for value in values)
    found = confidences(Published(counts, len(truth), shares, likely, smallest, scheme, guard))
    expected = group_confidences(shown, len(truth), values, thresholds, chances, scheme, guard, smallest)
    assert found is not None
    for place, value in enumerate(values):
        assert found[place] == pytest.approx(float(expected[value]), abs=1e-9)
        assert (found[place] > shares[place]) == (expected[value] > shares[place])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_large_groups_are_added_up_as_exactly_as_small_ones(scheme: str) -> None:
    """The same sums with extended floats and with Fractions."""
    thresholds = tuple(map(Fraction, ("1/10", "1/4", "1/4", "2/5", "1")))
    likely = (3, 10, 20, 30, 30)
    truth = (9, 2, 15, 7, 7)
    values = "abcde"
    counted = Counter(dict(zip(values, truth, strict=True)))
    shown = group_published(counted, values, dict(zip(values, thresholds, strict=True)), scheme, False, 1)
    counts = tuple(shown[value] for value in values)
    group, _ = scheme_worlds._group(Published(counts, sum(truth), thresholds, likely, 1, scheme))
    floats, exact = (scheme_worlds._means(group, exact=exactly) for exactly in (False, True))
    assert floats is not None and exact is not None
    assert [float(each) for each in floats] == pytest.approx([float(each) for each in exact], rel=1e-12)


@examples(100)
@given(drawn=groups())
def test_what_is_not_multiplied_is_less_likely_than_was_said(drawn: Drawn) -> None:
    """The bound on violations, against how likely they are in all worlds, as Fractions."""
    truth, shares, likely, _ = drawn
    group, _ = scheme_worlds._group(Published((0,) * len(shares), len(truth), shares, likely, 1, "all-sa"))
    if len(group.kinds) == 1:
        return
    weights = scheme_worlds._Weights(group, exact=True)
    whole = [weights.power(each, kind.values) for each, kind in zip(weights.of_kind, group.kinds, strict=True)]
    violating = scheme_worlds._of_unlawful(group, weights)[0] / weights.sums(whole)[0]
    assert float(violating) <= scheme_worlds._violating_at_most(group) * (1 + 1e-12)


@pytest.mark.parametrize("people", [100, 600])
def test_a_group_too_large_to_violate_by_chance_is_not_multiplied(people: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 600 people the floats of the difference had no digits; of 100 they are enough."""
    likely = (13, 13, 12, 11, 10, 7, 5)
    group, _ = scheme_worlds._group(Published((0,) * 7, people, (Fraction(2, 5),) * 7, likely, 1, "all-sa"))
    multiplied = scheme_worlds._means.__wrapped__(group, exact=False)
    monkeypatch.setattr(scheme_worlds, "_violating_at_most", lambda group: 1.0)
    assert scheme_worlds._means.__wrapped__(group, exact=False) == multiplied
    assert (multiplied is None) == (people == 600)


@pytest.mark.parametrize(("people", "threshold"), [(60, "9/10"), (80, "9/10"), (120, "9/10"), (120, "4/5")])
def test_where_violations_are_rare_one_at_a_time_is_exact(people: int, threshold: str) -> None:
    published = Published((0,) * 4, people, (Fraction(threshold),) * 4, (50, 40, 6, 4), 1, "all-sa")
    group, _ = scheme_worlds._group(published)
    rare, exact = scheme_worlds._means_of_rare_violations(group), scheme_worlds._means(group, exact=True)
    assert rare is not None and exact is not None
    assert list(rare) == pytest.approx([float(each) for each in exact], rel=scheme_worlds.CLOSE)
