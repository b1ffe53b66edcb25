from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.search.cut_enumeration import Forest, OccurringTree, count_all_cuts
from discreet.taxonomy import Taxonomy
from examples import examples

TREE = Taxonomy.from_paths(
    "country", [("UK", "Europe", "*"), ("France", "Europe", "*"), ("USA", "America", "*"), ("Canada", "America", "*")]
)


@st.composite
def trees_and_occurrences(draw: st.DrawFn) -> tuple[Taxonomy, np.ndarray, bool]:
    size = draw(st.integers(1, 12))
    parents = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, size)]
    taxonomy = Taxonomy.from_parents("tree", [f"n{node}" for node in range(size)], parents)
    leaves = len(taxonomy.leaf_nodes)
    occurs = np.array(draw(st.lists(st.booleans(), min_size=leaves, max_size=leaves)))
    occurs[draw(st.integers(0, leaves - 1))] = True
    return taxonomy, occurs, draw(st.booleans())


@examples(120)
@given(trees_and_occurrences())
def test_what_occurs_keeps_its_tree(given_tree: tuple[Taxonomy, np.ndarray, bool]) -> None:
    taxonomy, occurs, merge = given_tree
    tree = OccurringTree.of(taxonomy, occurs, merge_only_children=merge)
    assert [int(tree.nodes[node]) for node in tree.leaf_nodes] == [int(node) for node in taxonomy.leaf_nodes[occurs]]
    for node in range(len(tree.nodes)):
        below = {
            int(leaf)
            for leaf in np.flatnonzero(occurs)
            if taxonomy.lies_under(int(taxonomy.leaf_nodes[leaf]), int(tree.nodes[node]))
        }
        numbers = {int(tree.leaf_of[leaf]) for leaf in below}
        assert numbers == set(range(tree.first_leaf[node], tree.stop_leaf[node]))
        children = tree.children(node)
        assert all(tree.parents[child] == node for child in children)
        assert not merge or len(children) != 1
        assert tree.end[node] == node + 1 + sum(int(tree.end[child] - child) for child in children)


@examples(80)
@given(trees_and_occurrences())
def test_a_cut_of_what_occurs_completes_to_a_cut(given_tree: tuple[Taxonomy, np.ndarray, bool]) -> None:
    taxonomy, occurs, merge = given_tree
    tree = OccurringTree.of(taxonomy, occurs, merge_only_children=merge)
    for nodes in ([0], [int(leaf) for leaf in tree.leaf_nodes]):
        cut = tree.complete(nodes)  # Cut validates itself: one node on every path
        assert {int(tree.nodes[node]) for node in nodes} <= set(cut.nodes)


def test_a_node_with_one_occurring_child_gives_way_to_it() -> None:
    tree = OccurringTree.of(TREE, np.array([True, False, True, True]))
    assert [TREE.labels[node] for node in tree.nodes] == ["*", "UK", "America", "USA", "Canada"]
    assert tree.complete([1, 2]).labels == ("UK", "France", "America")
    kept = OccurringTree.of(TREE, np.array([True, False, True, True]), merge_only_children=False)
    assert [TREE.labels[node] for node in kept.nodes] == ["*", "Europe", "UK", "America", "USA", "Canada"]


def test_a_forest_numbers_its_values_through() -> None:
    tree = OccurringTree.of(TREE, np.ones(4, bool))
    forest = Forest((tree, tree))
    assert forest.places[forest.value(1, 3)] == (1, 3)
    assert forest.children[forest.value(1, 0)] == (forest.value(1, 1), forest.value(1, 4))
    cuts = forest.cuts([forest.value(0, 0), forest.value(1, 1), forest.value(1, 4)])
    assert [cut.labels for cut in cuts] == [("*",), ("Europe", "America")]


def test_cuts_are_counted_exactly_and_chains_as_one_node() -> None:
    chain = Taxonomy.from_paths("chain", [("a", "b", "c", "*"), ("d", "*")])
    assert count_all_cuts([TREE, TREE]) == 25
    assert count_all_cuts([chain]) == 2
    assert count_all_cuts([TREE] * 40) == 5**40
