"""Random trees against brute force."""

from itertools import product
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.taxonomy import Cut, Taxonomy, enumerate_cuts, read_taxonomy, write_taxonomy

# A byte order mark is dropped at the start of a file, and NUL is refused there.
CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0\ufeff")
LABELS = st.text(CHARACTERS, min_size=1, max_size=6) | st.text(' ;,"\r\n\tab', min_size=1, max_size=4)


@st.composite
def taxonomies(draw: st.DrawFn, most: int = 12) -> Taxonomy:
    """A random tree whose nodes are given in a random order."""
    size = draw(st.integers(1, most))
    parents = [-1, *(draw(st.integers(0, node - 1)) for node in range(1, size))]
    order = draw(st.permutations(range(size)))
    number = {node: place for place, node in enumerate(order)}
    labels = draw(st.lists(LABELS, min_size=size, max_size=size, unique=True))
    return Taxonomy.from_parents("random", labels, [number.get(parents[node], -1) for node in order])


def ancestors(taxonomy: Taxonomy, v: int) -> set[int]:
    """v and what lies above it, by walking up."""
    found = set()
    while v >= 0:
        found.add(v)
        v = int(taxonomy.parents[v])
    return found


def all_cuts(taxonomy: Taxonomy, v: int = 0) -> set[tuple[int, ...]]:
    """The cuts of the subtree of v, by their definition."""
    cuts: set[tuple[int, ...]] = {(v,)}
    if children := taxonomy.children(v):
        for parts in product(*(all_cuts(taxonomy, child) for child in children)):
            cuts.add(tuple(sorted(node for part in parts for node in part)))
    return cuts


@given(taxonomies())
@settings(deadline=None)
def test_interval_tests_equal_walking_the_parents(taxonomy: Taxonomy) -> None:
    nodes = range(len(taxonomy.labels))
    leaves = [v for v in nodes if v not in taxonomy.parents]
    assert taxonomy.leaf_nodes.tolist() == leaves
    for v in nodes:
        assert taxonomy.is_leaf(v) == (v in leaves)
        assert taxonomy.depth[v] == len(ancestors(taxonomy, v)) - 1
        assert taxonomy.children(v) == tuple(np.flatnonzero(taxonomy.parents == v).tolist())
        covered = [leaf for leaf in leaves if v in ancestors(taxonomy, leaf)]
        assert taxonomy.leaf_nodes[taxonomy.first_leaf[v] : taxonomy.stop_leaf[v]].tolist() == covered
        assert taxonomy.leaf_count(v) == len(covered)
        for x in nodes:
            assert taxonomy.lies_under(x, v) == (v in ancestors(taxonomy, x))


@given(taxonomies())
@settings(deadline=None)
def test_every_cut_is_enumerated_once_and_counted(taxonomy: Taxonomy) -> None:
    cuts = [cut.nodes for cut in enumerate_cuts(taxonomy)]
    assert len(cuts) == taxonomy.count_cuts()
    assert len(set(cuts)) == len(cuts)
    assert set(cuts) == all_cuts(taxonomy)


@given(taxonomies(most=9))
@settings(deadline=None)
def test_exactly_the_cuts_are_accepted(taxonomy: Taxonomy) -> None:
    cuts = all_cuts(taxonomy)
    for bits in range(2 ** len(taxonomy.labels)):
        nodes = tuple(v for v in range(len(taxonomy.labels)) if bits >> v & 1)
        try:
            cut = Cut(taxonomy, nodes)
        except InputError:
            assert nodes not in cuts
        else:
            assert nodes in cuts
            for leaf, value in zip(taxonomy.leaf_nodes.tolist(), cut.value_of_leaf().tolist(), strict=True):
                assert ancestors(taxonomy, leaf) & set(nodes) == {value}


@given(taxonomies())
@settings(deadline=None)
def test_collapsing_keeps_the_leaves_and_the_sets_of_leaves(taxonomy: Taxonomy) -> None:
    def leaf_sets(tree: Taxonomy) -> list[tuple[int, int]]:
        return list(zip(tree.first_leaf.tolist(), tree.stop_leaf.tolist(), strict=True))

    collapsed = taxonomy.collapsed()
    assert collapsed.leaf_labels == taxonomy.leaf_labels
    assert set(leaf_sets(collapsed)) == set(leaf_sets(taxonomy))
    assert len(set(leaf_sets(collapsed))) == len(collapsed.labels)
    for v, label in enumerate(collapsed.labels):
        same = [x for x, covers in enumerate(leaf_sets(taxonomy)) if covers == leaf_sets(collapsed)[v]]
        assert label == taxonomy.labels[max(same)]
    assert collapsed.collapsed() == collapsed


@given(taxonomies(), st.booleans())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_written_taxonomy_reads_back_equal(tmp_path: Path, taxonomy: Taxonomy, missing: bool) -> None:
    written = taxonomy.with_missing() if missing else taxonomy
    write_taxonomy(written, tmp_path / "taxonomy.csv")
    assert read_taxonomy(tmp_path / "taxonomy.csv", "random") == written


@given(taxonomies())
@settings(deadline=None)
def test_paths_and_edges_give_the_tree_back(taxonomy: Taxonomy) -> None:
    assert Taxonomy.from_paths("random", map(taxonomy.path, taxonomy.leaf_nodes.tolist())) == taxonomy
    edges = [
        (label, taxonomy.labels[parent] if parent >= 0 else None)
        for label, parent in zip(taxonomy.labels, taxonomy.parents.tolist(), strict=True)
    ]
    assert Taxonomy.from_edges("random", edges) == taxonomy
