"""The even taxonomy: every value once, equally many children, the same tree for the same seed, no chains."""

import re
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.taxonomy import Even, MadeFrom, read_taxonomy, write_taxonomy


def items(count: int) -> list[str]:
    return [f"item {number}" for number in range(count)]


def depth_of_an_even_tree(leaves: int, fan_out: int) -> int:
    depth = 1
    while fan_out**depth < leaves:
        depth += 1
    return depth


VALUES = st.lists(
    st.text("ab<>:*12 ", min_size=1, max_size=6).filter(lambda text: text != "*"), min_size=1, unique=True
)


@given(st.integers(2, 150), st.integers(2, 7), st.integers(0, 5))
def test_the_shape(count: int, fan_out: int, seed: int) -> None:
    placement = Even(fan_out, seed).build("items", items(count))
    taxonomy = placement.taxonomy
    children = [len(taxonomy.children(node)) for node in range(len(taxonomy.labels)) if not taxonomy.is_leaf(node)]
    assert set(taxonomy.leaf_labels) == set(items(count)) and taxonomy.labels[0] == "*"
    assert all(2 <= size <= fan_out for size in children)
    assert int(taxonomy.depth.max()) == depth_of_an_even_tree(count, fan_out)
    assert placement.made_from is MadeFrom.ALL_VALUES


@pytest.mark.parametrize(("fan_out", "levels"), [(2, 6), (4, 3), (8, 2), (64, 1)])
def test_a_full_tree(fan_out: int, levels: int) -> None:
    taxonomy = Even(fan_out, 1).build("items", items(64)).taxonomy
    assert set(taxonomy.depth[taxonomy.leaf_nodes].tolist()) == {levels}
    assert {len(taxonomy.children(v)) for v in range(len(taxonomy.labels)) if not taxonomy.is_leaf(v)} == {fan_out}


@given(VALUES, st.integers(2, 4), st.integers(0, 3))
def test_every_value_stands_at_its_own_leaf(values: list[str], fan_out: int, seed: int) -> None:
    placement = Even(fan_out, seed).build("items", values)
    labels = placement.taxonomy.leaf_labels
    assert [labels[leaf] for leaf in placement.leaf_of.tolist()] == values


@given(VALUES, st.integers(2, 4))
def test_labels_above_the_values_are_new_and_have_no_blanks(values: list[str], fan_out: int) -> None:
    taxonomy = Even(fan_out, 0).build("items", values).taxonomy
    inner = set(taxonomy.labels) - set(taxonomy.leaf_labels)
    assert not inner & set(values)
    assert all(re.fullmatch(r"\*|<+\d+:\d+>+", label) for label in inner)


def test_labels_by_level_and_number() -> None:
    taxonomy = Even(2, 0).build("items", items(8)).taxonomy
    inner = set(taxonomy.labels) - set(taxonomy.leaf_labels)
    assert inner == {"*", "<1:1>", "<1:2>", "<1:3>", "<1:4>", "<2:1>", "<2:2>"}
    clashing = Even(2, 0).build("items", ["<1:1>", *items(7)]).taxonomy
    assert {"<<1:1>>", "<1:1>"} <= set(clashing.labels)


def test_a_node_left_over_waits_for_the_next_level() -> None:
    taxonomy = Even(2, 0).build("items", items(5)).taxonomy
    [left_over] = [leaf for leaf in taxonomy.leaf_nodes.tolist() if taxonomy.depth[leaf] == 1]
    assert [taxonomy.leaf_count(child) for child in taxonomy.children(0) if child != left_over] == [4]


def test_the_seed_decides_and_the_order_of_the_values_does_not() -> None:
    values = items(50)
    one = Even(3, 1).build("items", values).taxonomy
    assert Even(3, 1).build("items", values[::-1]).taxonomy == one
    assert Even(3, 1).build("items", [*values, *values]).taxonomy == one
    assert Even(3, 2).build("items", values).taxonomy != one


def test_it_is_random() -> None:
    """Two neighbours in the alphabet are siblings in about one tree of 49, not in most."""
    values = [f"{number:02}" for number in range(50)]
    together = 0
    for seed in range(200):
        taxonomy = Even(2, seed).build("items", values).taxonomy
        together += taxonomy.parents[taxonomy.node("00")] == taxonomy.parents[taxonomy.node("01")]
    assert 0 < together < 20


@pytest.mark.parametrize("values", [["a"], ["a", "a"]])
def test_one_item(values: list[str]) -> None:
    placement = Even(5, 0).build("items", values)
    assert placement.taxonomy.labels == ("*", "a")
    assert set(placement.leaf_of.tolist()) == {0}


def test_no_item() -> None:
    assert Even(5, 0).build("items", []).taxonomy.labels == ("*",)


def test_a_file_gives_it_back(tmp_path: Path) -> None:
    taxonomy = Even(3, 7).build("items", items(40)).taxonomy
    write_taxonomy(taxonomy, tmp_path / "items.csv")
    assert read_taxonomy(tmp_path / "items.csv", "items") == taxonomy


def test_many_items_take_no_time() -> None:
    values = [str(number) for number in range(16_470)]
    started = perf_counter()
    taxonomy = Even(5, 1).build("items", values).taxonomy
    assert perf_counter() - started < 3
    assert len(taxonomy.leaf_nodes) == 16_470


def test_refused() -> None:
    with pytest.raises(InputError, match="even: a node needs at least 2 children, not 1"):
        Even(1, 0)
    with pytest.raises(InputError, match="even: the seed -1 is below 0"):
        Even(2, -1)
    with pytest.raises(InputError, match=r"items: the value '\*' occurs in the data"):
        Even(2, 0).build("items", ["*", "a"])
