"""Cuts: what is one, what is not, and the map from leaf to published value."""

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.taxonomy import Cut, Taxonomy, enumerate_cuts


@pytest.fixture
def education() -> Taxonomy:
    return Taxonomy.from_paths(
        "education",
        [
            ["Junior", "Secondary", "*"],
            ["Senior", "Secondary", "*"],
            ["Bachelor", "University", "*"],
            ["Graduate", "University", "*"],
        ],
    )


def test_a_cut_maps_each_leaf_to_its_value(education: Taxonomy) -> None:
    cut = Cut.from_labels(education, ["University", "Senior", "Junior"])
    assert cut.labels == ("Junior", "Senior", "University")
    assert cut.nodes == tuple(sorted(cut.nodes))
    value_of_leaf = cut.value_of_leaf()
    assert value_of_leaf.dtype == np.int32
    assert [education.labels[v] for v in value_of_leaf] == ["Junior", "Senior", "University", "University"]


def test_the_two_ends(education: Taxonomy) -> None:
    assert Cut.root(education).labels == ("*",)
    assert Cut.root(education).value_of_leaf().tolist() == [0, 0, 0, 0]
    assert Cut.leaves(education).labels == education.leaf_labels
    assert Cut.leaves(education).value_of_leaf().tolist() == education.leaf_nodes.tolist()


def test_equal_cuts_are_equal_values(education: Taxonomy) -> None:
    cut = Cut(education, (4, 1))
    assert cut == Cut(education, (1, 4)) and hash(cut) == hash(Cut(education, (1, 4)))
    assert cut != Cut.root(education)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([], "leaves out the value 'Junior'"),
        (["Secondary"], "leaves out the value 'Bachelor'"),
        (["Junior", "University"], "leaves out the value 'Senior'"),
        (["University"], "leaves out the value 'Junior'"),
        (["*", "Senior"], "covers twice the value 'Senior'"),
        (["Secondary", "Senior", "University"], "covers twice the value 'Senior'"),
        (["Secondary", "University", "University"], "covers twice the value 'Bachelor'"),
    ],
)
def test_what_is_no_cut(education: Taxonomy, labels: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=f"'education' {sentence}"):
        Cut.from_labels(education, labels)


def test_nodes_and_labels_outside_the_taxonomy(education: Taxonomy) -> None:
    with pytest.raises(InputError, match=r"outside 0\.\.6"):
        Cut(education, (7,))
    with pytest.raises(InputError, match=r"outside 0\.\.6"):
        Cut(education, (-1, 4))
    with pytest.raises(InputError, match="has no value 'Phd'"):
        Cut.from_labels(education, ["Phd"])


def test_both_nodes_of_a_chain_cover_their_leaf_twice() -> None:
    chain = Taxonomy.from_paths("chain", [["a", "b", "*"]])
    with pytest.raises(InputError, match="covers twice the value 'a'"):
        Cut.from_labels(chain, ["a", "b"])


def test_enumeration_goes_from_the_root_to_the_leaves(education: Taxonomy) -> None:
    assert [cut.labels for cut in enumerate_cuts(education)] == [
        ("*",),
        ("Secondary", "University"),
        ("Secondary", "Bachelor", "Graduate"),
        ("Junior", "Senior", "University"),
        ("Junior", "Senior", "Bachelor", "Graduate"),
    ]
