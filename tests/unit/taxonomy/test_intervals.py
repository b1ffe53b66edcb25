"""Numbers by ranges, exactly."""

from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.taxonomy import Intervals, MadeFrom

AGE = (5, 10, 20, 40)


def test_single_integers_as_leaves() -> None:
    placement = Intervals(AGE, 17, 97).build("age", ["39", "39.0", " 39", "17", "96", "97", "16", "old", "", "+39"])
    taxonomy = placement.taxonomy
    assert taxonomy.leaf_labels == tuple(str(age) for age in range(17, 97))
    assert taxonomy.path(taxonomy.node("39")) == ("39", "[37-42)", "[37-47)", "[37-57)", "[17-57)", "*")
    assert placement.leaf_of.tolist() == [22, 22, 22, 0, 79, -1, -1, -1, -1, 22]
    assert placement.made_from is MadeFrom.EACH_VALUE


def test_ranges_as_leaves() -> None:
    placement = Intervals(AGE, 17, 97, leaves="intervals").build("age", ["17", "21.99", "22", "96.5", "97", "x"])
    assert placement.taxonomy.count_cuts() == 677
    assert placement.taxonomy.leaf_labels[:2] == ("[17-22)", "[22-27)")
    assert placement.leaf_of.tolist() == [0, 0, 1, 15, -1, -1]
    assert placement.made_from is MadeFrom.POLICY


def test_the_last_range_may_be_cut_short() -> None:
    taxonomy = Intervals((5, 10), 0, 23, leaves="intervals").build("x", []).taxonomy
    assert taxonomy.leaf_labels == ("[0-5)", "[5-10)", "[10-15)", "[15-20)", "[20-23)")
    assert taxonomy.path(taxonomy.node("[20-23)")) == ("[20-23)", "*")
    assert Intervals((10,), 0, 5, leaves="intervals").build("x", []).taxonomy.labels == ("*", "[0-5)")


def test_one_number_that_is_no_integer_makes_the_data_the_leaves() -> None:
    placement = Intervals((5, 10), 0, 30).build("x", ["7.50", "7", "7.5", "7.0", "25", "1e1", "31.5"])
    assert placement.taxonomy.labels == (
        *("*", "[0-10)", "[5-10)", "7", "7.5"),
        *("[10-20)", "[10-15)", "10", "[20-30)", "[25-30)", "25"),
    )
    assert placement.leaf_of.tolist() == [1, 0, 1, 0, 3, 2, -1]
    assert placement.made_from is MadeFrom.EACH_VALUE


def test_what_is_out_of_range_does_not_change_the_leaves() -> None:
    placement = Intervals((5,), 0, 10).build("x", ["3", "10.5"])
    assert len(placement.taxonomy.leaf_nodes) == 10
    assert placement.made_from is MadeFrom.EACH_VALUE


def test_fractional_bounds_are_exact() -> None:
    widths = (Decimal("0.1"), Decimal("0.50"))
    ranges = Intervals(widths, 0, 1, leaves="intervals").build("x", ["0.3", "0.29999", "0.7", "3e-1"])
    assert ranges.taxonomy.leaf_labels[2:4] == ("[0.2-0.3)", "[0.3-0.4)")
    assert ranges.leaf_of.tolist() == [3, 2, 7, 3]
    values = Intervals(widths, 0, 1).build("x", ["0", "0.125"])
    assert values.made_from is MadeFrom.EACH_VALUE
    assert values.taxonomy.labels == ("*", "[0-0.5)", "[0-0.1)", "0", "[0.1-0.2)", "0.125")
    assert Intervals(widths, 0, 1).build("x", ["2"]).taxonomy.labels == ("*",)


def test_below_zero_the_bounds_are_joined_by_a_word() -> None:
    placement = Intervals((5, 10), -10, 10, leaves="intervals").build("x", ["-10", "-0.5", "0", "-5"])
    assert placement.taxonomy.leaf_labels == ("[-10 to -5)", "[-5 to 0)", "[0 to 5)", "[5 to 10)")
    assert placement.leaf_of.tolist() == [0, 1, 2, 1]
    fractions = Intervals((1,), Decimal("-0.5"), 1).build("x", ["-0.25", "-.5"]).taxonomy
    assert fractions.labels == ("*", "[-0.5 to 0.5)", "-0.5", "-0.25")


@pytest.mark.parametrize(
    "value", ["NaN", "inf", "1_0", "1/3", "0x1", "٣", "1e9999", "1e-99999", "--1", ".", "5,5", "1" * 5000]
)
def test_what_is_no_number_has_no_place(value: str) -> None:
    assert Intervals((5,), 0, 10).build("x", [value]).leaf_of.tolist() == [-1]


@pytest.mark.parametrize(
    ("widths", "start", "end", "sentence"),
    [
        ((), 0, 10, "at least one width"),
        ((0, 5), 0, 10, "only widths above 0"),
        ((-5,), 0, 10, "only widths above 0"),
        ((5, 12), 0, 10, "the width 12 is not a multiple of the one before it, 5"),
        ((5, 5), 0, 10, "the width 5 is not a multiple"),
        ((Decimal("0.3"), 1), 0, 10, "the width 1 is not a multiple of the one before it, 0.3"),
        ((5,), 10, 10, "the end 10 must be above the start 10"),
        ((5,), 0, Decimal("NaN"), "must be finite"),
        ((5,), Decimal("-Infinity"), 0, "must be finite"),
    ],
)
def test_what_are_no_ranges(
    widths: tuple[Decimal | int, ...], start: Decimal | int, end: Decimal | int, sentence: str
) -> None:
    with pytest.raises(InputError, match=f"intervals: .*{sentence}"):
        Intervals(widths, start, end)


def test_leaves_are_values_or_intervals() -> None:
    wrong: Literal["values"] = "ranges"  # type: ignore[assignment]
    with pytest.raises(InputError, match="leaves must be 'values' or 'intervals', not 'ranges'"):
        Intervals((5,), 0, 10, leaves=wrong)


def test_more_than_a_million_leaves_are_refused() -> None:
    with pytest.raises(InputError, match=r"income: the intervals have 2,000,000 leaves.*set leaves: intervals"):
        Intervals((1000,), 0, 2_000_000).build("income", ["5"])
    with pytest.raises(InputError, match="leaves, more than 1,000,000"):
        Intervals((1,), 0, 10**30).build("income", [])
    with pytest.raises(InputError, match=r"income: the intervals have 2,000,000 leaves.*use wider ranges"):
        Intervals((1,), 0, 2_000_000, leaves="intervals").build("income", ["5"])


@given(
    st.integers(-20, 20),
    st.integers(1, 40),
    st.integers(1, 6),
    st.lists(st.integers(2, 3), max_size=3),
    st.sampled_from(["values", "intervals"]),
    st.lists(st.decimals(-30, 70, places=1)),
    st.integers(0, 2),
)
@settings(deadline=None)
def test_every_value_lies_within_the_bounds_of_its_labels(
    start: int,
    length: int,
    width: int,
    factors: list[int],
    leaves: Literal["values", "intervals"],
    numbers: list[Decimal],
    places: int,
) -> None:
    unit = Decimal(10) ** -places
    widths = [width * unit]
    for factor in factors:
        widths.append(widths[-1] * factor)
    low, high = start * unit, (start + length) * unit
    placement = Intervals(tuple(widths), low, high, leaves).build("x", [str(number) for number in numbers])
    taxonomy = placement.taxonomy
    for number, leaf in zip(numbers, placement.leaf_of.tolist(), strict=True):
        assert (leaf >= 0) == (low <= number < high)
        if leaf < 0:
            continue
        for label in taxonomy.path(int(taxonomy.leaf_nodes[leaf])):
            if label.startswith("["):
                lower, upper = label[1:-1].split(" to " if low < 0 else "-")
                assert Decimal(lower) <= number < Decimal(upper)
            elif label != "*":
                assert Decimal(label) == number
