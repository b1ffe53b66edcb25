"""The tree itself: its numbering, its derived arrays, and a sentence for everything that is not a tree."""

import re

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.taxonomy import MISSING, Taxonomy


def figure_3_1() -> tuple[Taxonomy, Taxonomy]:
    education = Taxonomy.from_paths(
        "Education",
        [
            ["Junior", "Secondary", "AnyEdu"],
            ["Senior", "Secondary", "AnyEdu"],
            ["Bachelor", "University", "AnyEdu"],
            ["Graduate", "University", "AnyEdu"],
        ],
    )
    country = Taxonomy.from_edges(
        "Country",
        [
            ("Europe", "AnyCountry"),
            ("America", "AnyCountry"),
            ("UK", "Europe"),
            ("France", "Europe"),
            ("USA", "America"),
            ("Canada", "America"),
        ],
    )
    return education, country


def test_nodes_and_leaves_are_numbered_in_pre_order() -> None:
    education, country = figure_3_1()
    assert education.labels == (
        "AnyEdu",
        "Secondary",
        "Junior",
        "Senior",
        "University",
        "Bachelor",
        "Graduate",
    )
    assert education.parents.tolist() == [-1, 0, 1, 1, 0, 4, 4]
    assert education.end.tolist() == [7, 4, 3, 4, 7, 6, 7]
    assert education.depth.tolist() == [0, 1, 2, 2, 1, 2, 2]
    assert education.leaf_nodes.tolist() == [2, 3, 5, 6]
    assert education.first_leaf.tolist() == [0, 0, 0, 1, 2, 2, 3]
    assert education.stop_leaf.tolist() == [4, 2, 1, 2, 4, 3, 4]
    assert country.labels == ("AnyCountry", "Europe", "UK", "France", "America", "USA", "Canada")


def test_questions_about_nodes() -> None:
    education, _ = figure_3_1()
    secondary, senior = education.node("Secondary"), education.node("Senior")
    assert education.children(0) == (1, 4)
    assert education.children(senior) == ()
    assert education.is_leaf(senior) and not education.is_leaf(secondary)
    assert education.leaf_count(0) == 4 and education.leaf_count(senior) == 1
    assert education.lies_under(senior, secondary) and education.lies_under(senior, senior)
    assert not education.lies_under(secondary, senior)
    assert education.leaf_labels == ("Junior", "Senior", "Bachelor", "Graduate")
    assert education.path(senior) == ("Senior", "Secondary", "AnyEdu")
    with pytest.raises(InputError, match="'Education' has no value 'Phd'"):
        education.node("Phd")


def test_the_thesis_counts_25_cuts_in_figure_3_1() -> None:
    education, country = figure_3_1()
    assert (education.count_cuts(), country.count_cuts()) == (5, 5)
    assert education.count_cuts() * country.count_cuts() == 25


def test_counts_are_exact_beyond_machine_integers() -> None:
    pairs = [[f"{group}.{leaf}", f"{group}", "*"] for group in range(100) for leaf in "ab"]
    assert Taxonomy.from_paths("wide", pairs).count_cuts() == 2**100 + 1


def test_arrays_are_read_only_and_copied() -> None:
    parents = np.array([-1, 0], dtype=np.int32)
    taxonomy = Taxonomy("t", ("*", "a"), parents)
    parents[1] = 1
    assert taxonomy.parents.tolist() == [-1, 0]
    for array in (taxonomy.parents, taxonomy.end, taxonomy.first_leaf, taxonomy.stop_leaf, taxonomy.depth):
        assert array.dtype == np.int32
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_equal_trees_are_equal_values() -> None:
    education, country = figure_3_1()
    again, _ = figure_3_1()
    assert education == again and hash(education) == hash(again)
    assert education != country
    assert education != "Education"
    assert Taxonomy.from_paths("t", [["a", "*"]]) != Taxonomy.from_paths("u", [["a", "*"]])
    assert repr(education) == "Taxonomy('Education', root 'AnyEdu', 4 leaves)"


def test_from_parents_takes_any_order_and_keeps_that_of_siblings() -> None:
    taxonomy = Taxonomy.from_parents("t", ["b2", "b", "*", "a", "b1"], [1, 2, -1, 2, 1])
    assert taxonomy.labels == ("*", "b", "b2", "b1", "a")
    assert taxonomy.parents.tolist() == [-1, 0, 1, 1, 0]


def test_repeated_labels_on_a_path_are_one_node_and_rows_may_be_ragged() -> None:
    taxonomy = Taxonomy.from_paths("race", [["White", "White", "*", "*"], ["Black", "Other", "Other", "*"]])
    assert taxonomy.labels == ("*", "White", "Other", "Black")


def test_a_lone_root_is_a_leaf() -> None:
    taxonomy = Taxonomy.from_paths("t", [["*"]])
    assert (taxonomy.labels, taxonomy.count_cuts(), taxonomy.leaf_count(0)) == (("*",), 1, 1)


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        ([], "has no values"),
        ([["a", "*"], ["b", "+"]], "has 2 roots: '*', '+'"),
        ([["a", "x", "*"], ["b", "x"]], "has 2 roots: '*', 'x'"),
        ([["a", "x", "y", "x", "*"]], "has a cycle, a value that lies under itself: 'x' under 'y' under 'x'"),
        ([["a", "x", "*"], ["b", "x", "y", "*"]], "'x' lies under two parents, '*' and 'y'"),
        ([["a", "x", "*"], ["a", "y", "*"]], "'a' lies under two parents, 'x' and 'y'"),
        ([["x", "*"], ["a", "x", "*"]], "'x' is both a leaf and an inner node"),
        ([["a", "*"], ["b", "*"], ["a", "*"]], "'a' appears twice"),
        ([["a", "", "*"]], "a value in row 1 has an empty label"),
        ([["a", "*"], []], "a value in row 2 has an empty label"),
    ],
)
def test_paths_that_are_no_tree(paths: list[list[str]], sentence: str) -> None:
    with pytest.raises(InputError, match=f"'demo'.*{re.escape(sentence)}"):
        Taxonomy.from_paths("demo", paths)


@pytest.mark.parametrize(
    ("labels", "parents", "sentence"),
    [
        ([], [], "has no values"),
        (["*", "+", "a"], [-1, -1, 0], "has 2 roots: '*', '+'"),
        (["*", "a", "b", "c"], [-1, 2, 1, 1], "has a cycle, a value that lies under itself: 'a' under 'b'"),
        (["a", "b"], [1, 0], "has a cycle"),
        (["*", "x", "y", "a", "a"], [-1, 0, 0, 1, 2], "'a' lies under two parents, 'x' and 'y'"),
        (["*", "x", "a", "*"], [-1, 0, 1, 1], "'*' is both a leaf and an inner node"),
        (["*", "*"], [-1, -1], "'*' appears twice"),
        (["a", "b", "a", "c"], [-1, 2, 0, 0], "'a' lies under two parents, none (as a root) and 'a'"),
        (["*", "a", "a"], [-1, 0, 0], "'a' appears twice"),
        (["*", ""], [-1, 0], "a value under '*' has an empty label"),
        ([""], [-1], "the root has an empty label"),
        (["*", "a"], [-1], "needs the number of a parent"),
        (["*", "a"], [-1, 2], "needs the number of a parent"),
    ],
)
def test_parents_that_are_no_tree(labels: list[str], parents: list[int], sentence: str) -> None:
    with pytest.raises(InputError, match=f"'demo'.*{re.escape(sentence)}"):
        Taxonomy.from_parents("demo", labels, parents)


@pytest.mark.parametrize(
    ("edges", "sentence"),
    [
        ([], "has no values"),
        ([("a", "*"), ("b", "+")], "has 2 roots: '*', '+'"),
        ([("a", "*"), ("b", None)], "has 2 roots: 'b', '*'"),
        ([("a", "b"), ("b", "a"), ("c", "*")], "has a cycle, a value that lies under itself: 'a' under 'b'"),
        ([("a", "a"), ("c", "*")], "lies under itself: 'a' under 'a'"),
        ([("a", "x"), ("a", "y")], "'a' lies under two parents, 'x' and 'y'"),
        ([("a", "x"), ("x", None), ("x", "y")], "'x' lies under two parents, none (as a root) and 'y'"),
        ([("a", "x"), ("a", "x")], "'a' appears twice"),
        ([("", "x")], "a value under 'x' has an empty label"),
    ],
)
def test_edges_that_are_no_tree(edges: list[tuple[str, str | None]], sentence: str) -> None:
    with pytest.raises(InputError, match=f"'demo'.*{re.escape(sentence)}"):
        Taxonomy.from_edges("demo", edges)


@pytest.mark.parametrize(
    ("labels", "parents", "sentence"),
    [
        ((), [], "has no values"),
        (("*", "a"), [-1], "one parent for each label"),
        (("*", "a", "a"), [-1, 0, 0], "no label twice"),
        (("*", "a", "b", "c"), [-1, 0, 0, 1], "not in pre-order at node 3"),
        (("a", "*"), [1, -1], "not in pre-order at node 0"),
        (("*", "+"), [-1, -1], "not in pre-order at node 1"),
        (("*", "", "a"), [-1, 0, 0], "reserved for the missing value"),
        (("*", "a", ""), [-1, 0, 1], "reserved for the missing value"),
    ],
)
def test_the_plain_constructor_wants_pre_order(labels: tuple[str, ...], parents: list[int], sentence: str) -> None:
    with pytest.raises(InputError, match=f"'demo'.*{sentence}"):
        Taxonomy("demo", labels, np.array(parents, dtype=np.int32))


def test_long_lists_of_labels_are_cut_short() -> None:
    labels = [str(number) for number in range(12)]
    with pytest.raises(InputError, match=r"12 roots: '0', .*'9', \.\.\.;"):
        Taxonomy.from_parents("demo", labels, [-1] * 12)
    with pytest.raises(InputError, match=r"'0' under '1' .* under '9' \.\.\.; a label"):
        Taxonomy.from_parents("demo", labels, [(number + 1) % 12 for number in range(12)])


def test_one_child_chains_collapse_to_their_lowest_label() -> None:
    taxonomy = Taxonomy.from_paths(
        "t", [["a", "a1", "a2", "top", "*"], ["b", "bc", "top", "*"], ["c", "bc", "top", "*"]]
    )
    collapsed = taxonomy.collapsed()
    assert collapsed.labels == ("top", "a", "bc", "b", "c")
    assert collapsed.parents.tolist() == [-1, 0, 0, 2, 2]
    assert (taxonomy.count_cuts(), collapsed.count_cuts()) == (8, 3)


def test_the_missing_value_is_the_last_leaf_below_the_root() -> None:
    education, _ = figure_3_1()
    missing = education.with_missing()
    assert missing.labels == (*education.labels, MISSING)
    assert missing.parents[-1] == 0
    assert missing.leaf_labels[-1] == MISSING
    assert missing.with_missing() is missing
    assert missing.count_cuts() == education.count_cuts()
    assert missing.collapsed() == missing


def test_the_missing_value_beside_a_root_that_is_a_leaf() -> None:
    value = Taxonomy.from_paths("t", [["only"]]).with_missing()
    assert value.labels == ("*", "only", MISSING)
    nothing_else = Taxonomy.from_paths("t", [["*"]]).with_missing()
    assert nothing_else.labels == ("*", MISSING)
    assert nothing_else.collapsed().labels == (MISSING,)


def test_depth_is_no_limit() -> None:
    size = 50_000
    labels = [str(node) for node in range(size)]
    deep = Taxonomy.from_parents("deep", labels, [*range(1, size), -1])
    assert deep.depth[-1] == size - 1
    assert deep.count_cuts() == size
    assert deep.collapsed().labels == ("0",)
    assert Taxonomy.from_paths("deep", [labels]) == deep
