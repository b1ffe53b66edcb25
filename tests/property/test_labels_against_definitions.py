"""Ranges, sets and means of groups against a twin that imports nothing of discreet: written, read back, verified."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.errors import InputError, NoReleaseError
from discreet.losses.lm import LossMetric
from discreet.models.k_anonymity import KAnonymity
from discreet.recode.table.recoded import ByRegions
from discreet.search.results import SearchResult
from discreet.search.table.k_member import k_member
from discreet.search.table.mdav import mdav
from discreet.search.table.mondrian import mondrian
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import Labelling, Taxonomy
from discreet.taxonomy.published import PublishedValues, check_labelling, read_values
from discreet.verifier.table.labels import read_labels
from examples import examples
from oracle import labels as oracle
from oracle.encoding import paths
from oracle.tables import Taxonomy as Tree
from oracle.tables import leaves

NUMBERS = ("-3", "-0.5", "0", "07", "7", "1.25", "10", "2.5e1", "40")
WORDS = ("a", "b, c", "{d", "e}", "f\\", "g.h", "x y", " z", "3", "12")


@st.composite
def trees(draw: st.DrawFn, pool: Sequence[str]) -> Tree:
    """Some of the values, in any order, some of them below nodes of their own."""
    values = draw(st.lists(st.sampled_from(pool), unique=True, min_size=2, max_size=5))
    cut = draw(st.integers(0, len(values)))
    inner: list[Tree] = [("some", tuple(values[:cut]))] if cut else []
    return ("*", (*inner, *values[cut:]))


@dataclass(frozen=True)
class Case:
    """Records with a column for each tree, of which each has a way to be labelled."""

    trees: tuple[Tree, ...]
    labellings: tuple[Labelling, ...]
    records: tuple[tuple[str, ...], ...]
    k: int

    @property
    def table(self) -> EncodedTable:
        taxonomies = []
        for number, tree in enumerate(self.trees):
            taxonomy = Taxonomy.from_paths(f"c{number}", paths(tree))
            is_missing = any(record[number] == "" for record in self.records)
            taxonomies.append(taxonomy.with_missing() if is_missing else taxonomy)
        distinct = Counter(self.records)
        columns = zip(taxonomies, zip(*distinct, strict=True), strict=True)
        number = len(distinct)
        return EncodedTable(
            attributes=tuple(taxonomy.name for taxonomy in taxonomies),
            taxonomies=tuple(taxonomies),
            leaves=np.array(
                [[tree.leaf_labels.index(value) for value in values] for tree, values in columns], np.int32
            ),
            sensitive=np.zeros(number, np.int32),
            classes=np.zeros(number, np.int32),
            counts=np.array(list(distinct.values()), np.int64),
            sensitive_values=("",),
            class_values=("",),
            labels={f"c{number}": labelling for number, labelling in enumerate(self.labellings)},
        )

    @property
    def problem(self) -> TableProblem:
        table = self.table
        return TableProblem(table, KAnonymity(self.k).demand(table.sensitive_column), "none", "lm")


@st.composite
def cases(draw: st.DrawFn, *, only_means: bool = False) -> Case:
    labellings: tuple[Labelling, ...] = ("means",) if only_means else ("ranges", "sets", "means")
    chosen = tuple(draw(st.lists(st.sampled_from(labellings), min_size=1, max_size=3)))
    drawn = []
    for labelling in chosen:
        are_numbers = labelling == "means" or draw(st.booleans())
        drawn.append(draw(trees(NUMBERS if are_numbers else WORDS)))
    missing = [] if only_means or draw(st.booleans()) else [""]
    record = st.tuples(*(st.sampled_from([*leaves(tree), *missing]) for tree in drawn))
    records = draw(st.lists(record, min_size=1, max_size=12))
    return Case(tuple(drawn), chosen, tuple(records), draw(st.integers(1, 4)))


def groups_of(case: Case, recoded: ByRegions) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """The published labels -> the records behind them; each record is published once."""
    distinct = list(Counter(case.records))
    groups: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for source, region, count in zip(recoded.sources, recoded.regions, recoded.counts, strict=True):
        codes = recoded.nodes[region].tolist()
        labels = tuple(values.labels[code] for values, code in zip(recoded.values, codes, strict=True))
        groups[labels] += [distinct[int(source)]] * int(count)
    assert Counter(record for group in groups.values() for record in group) == Counter(case.records)
    assert len(groups) == len(recoded.nodes), "groups that look alike are one"
    return groups


def cost_of(case: Case, groups: dict[tuple[str, ...], list[tuple[str, ...]]]) -> Fraction:
    total = Fraction(0)
    for group in groups.values():
        for number, (tree, labelling) in enumerate(zip(case.trees, case.labellings, strict=True)):
            some_are_missing = any(record[number] == "" for record in case.records)
            every = len(leaves(tree)) + some_are_missing
            found = oracle.stands_for(tree, labelling, [record[number] for record in group])
            total += len(group) * Fraction(len(found) - 1, every - 1)
    return total


def check(case: Case, result: SearchResult) -> None:
    recoded: ByRegions = result.recoded
    groups = groups_of(case, recoded)
    for labels, group in groups.items():
        assert len(group) >= case.k
        assert labels == tuple(
            oracle.label_of(tree, labelling, [record[number] for record in group])
            for number, (tree, labelling) in enumerate(zip(case.trees, case.labellings, strict=True))
        )
    partitions = recoded.partitions(case.table)
    sizes = partitions.histogram.sum(axis=(1, 2))
    price = sum(
        int(size) * LossMetric().generalization(values, int(code))
        for values, column in zip(recoded.values, partitions.nodes.T, strict=True)
        for size, code in zip(sizes, column, strict=True)
    )
    assert price == cost_of(case, groups)
    check_covers(case, recoded, groups)
    check_reading(case, recoded)


def check_covers(case: Case, recoded: ByRegions, groups: dict[tuple[str, ...], list[tuple[str, ...]]]) -> None:
    """What a value may stand for is what is counted."""
    for region, codes in enumerate(recoded.nodes.tolist()):
        labels = tuple(values.labels[code] for values, code in zip(recoded.values, codes, strict=True))
        for number, (values, code) in enumerate(zip(recoded.values, codes, strict=True)):
            found = values.covers(recoded.nodes[region : region + 1, number]).toarray()[0]
            expected = oracle.stands_for(
                case.trees[number], case.labellings[number], [record[number] for record in groups[labels]]
            )
            assert {values.taxonomy.leaf_labels[leaf] for leaf in np.flatnonzero(found)} == expected
            assert found.sum() == values.leaf_count(code)


def check_reading(case: Case, recoded: ByRegions) -> None:
    """What is read from the texts is what was published, but for what only the steward knows of means."""
    table = case.table
    read, nodes = [], []
    for number, values in enumerate(recoded.values):
        texts = [values.labels[code] for code in recoded.nodes[:, number].tolist()]
        again, codes = read_values(table.taxonomies[number], case.labellings[number], sorted(set(texts)))
        read.append(again)
        nodes.append([codes[text] for text in texts])
        if case.labellings[number] != "means":
            there = values.covers(recoded.nodes[:, number])
            assert (again.covers(np.array(nodes[-1])).toarray() == there.toarray()).all()
    number = len(recoded.nodes)
    none = np.zeros(number, np.int32)
    release = ReleasedTable(np.array(nodes, np.int32), none, none, np.ones(number, np.int64), tuple(read))
    known = recoded.knowing(release)
    assert (recoded.nodes == known.nodes.T).all() and known.values == recoded.values


@examples(400)
@given(cases())
def test_mondrian_labels_groups_by_definition(case: Case) -> None:
    if len(case.records) < case.k:
        with pytest.raises(NoReleaseError):
            mondrian(case.problem)
        return
    check(case, mondrian(case.problem))


@examples(200)
@given(cases(), st.integers(0, 1 << 30))
def test_k_member_labels_groups_by_definition_and_never_costs_more_than_mondrian(case: Case, seed: int) -> None:
    if len(case.records) < case.k:
        return
    result = k_member(case.problem, random=np.random.default_rng(seed))
    check(case, result)
    assert result.best.cost <= mondrian(case.problem).best.cost
    assert result.bound == 0, "what is proved of nodes does not hold of ranges"


@examples(300)
@given(cases(only_means=True), st.integers(0, 1 << 30))
def test_mdav_publishes_means_by_definition(case: Case, seed: int) -> None:
    if len(case.records) < case.k:
        with pytest.raises(NoReleaseError):
            mdav(case.problem)
        return
    check(case, mdav(case.problem, random=np.random.default_rng(seed)))


def near_misses(tree: Tree, labelling: str) -> st.SearchStrategy[str]:
    """Texts that are labels of a column, and such that are nearly so."""
    lawful = [*oracle.made_labels(tree, labelling), *leaves(tree), "*", "some"]
    pieces = st.lists(
        st.sampled_from([*leaves(tree), *map(oracle.escaped, leaves(tree)), *"{},\\ ", "..", ", ", ""]), max_size=7
    ).map("".join)
    return st.one_of(st.sampled_from(lawful), pieces, pieces.map(lambda text: f"{{{text}}}"))


@pytest.mark.parametrize("labelling", ["ranges", "sets"])
def test_readers_and_the_verifier_take_exactly_the_lawful_labels(labelling: Labelling) -> None:
    @examples(1000)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        tree = data.draw(trees(data.draw(st.sampled_from([NUMBERS, WORDS]))))
        taxonomy = Taxonomy.from_paths("c", paths(tree))
        check_labelling(taxonomy, labelling)
        made = oracle.made_labels(tree, labelling)
        text = data.draw(near_misses(tree, labelling))
        values, codes = read_values(taxonomy, labelling, [text])
        is_lawful = text in made or text in taxonomy.labels
        assert (text in codes) == is_lawful
        if text in made:
            covered = np.flatnonzero(values.covers(np.array([codes[text]])).toarray()[0])
            assert {taxonomy.leaf_labels[leaf] for leaf in covered} == made[text]
        assert may_hold(taxonomy, text, labels=labelling) == is_lawful

    check()


def may_hold(taxonomy: Taxonomy, text: str, **settings: str) -> bool:
    """What the verifier says, of a taxonomy as it reads it from a file."""
    parents: dict[str, str | None] = {}
    for leaf in taxonomy.leaf_nodes.tolist():
        path = taxonomy.path(leaf)
        parents |= dict(zip(path, [*path[1:], None], strict=True))
    return read_labels(settings, parents, "local", "certificate.json: column 'c'")[1](text)


@examples(500)
@given(st.one_of(st.decimals(allow_nan=False, places=2).map(str), st.text("-+.0123456789e*", max_size=6)))
def test_readers_and_the_verifier_take_exactly_the_numbers_that_are_written_one_way(text: str) -> None:
    taxonomy = Taxonomy.from_paths("c", [("1", "*"), ("2.5", "*")])
    assert may_hold(taxonomy, text, labels="means") == (text in {"", "*"} or is_written_so(text))
    assert (text in read_values(taxonomy, "means", [text])[1]) == (text == "*" or is_written_so(text))


def is_written_so(text: str) -> bool:
    """The shortest way to write a decimal number without an exponent; 0 has no sign."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    if not number.is_finite() or set(text) - set("-.0123456789"):
        return False
    shortest = f"{number:f}"
    shortest = shortest.rstrip("0").rstrip(".") if "." in shortest else shortest
    return text == (shortest if number else "0")


def test_minus_nothing_is_written_as_nothing() -> None:
    """The mean of -0.1 and three times 0 is -0.025, which is -0.03 or -0.02; of 21 times 0, 0."""
    for zeros, mean in ((3, "-0.02"), (20, "0")):
        case = Case((("*", ("-0.1", "0")),), ("means",), (("-0.1",), *[("0",)] * zeros), zeros + 1)
        assert list(groups_of(case, mondrian(case.problem).recoded)) == [(mean,)]


@pytest.mark.parametrize(
    ("leaf", "labelling", "sentence"),
    [
        ("1..2", "ranges", "could be taken for those of a range"),
        (".5", "ranges", "could be taken for those of a range"),
        ("{a}", "sets", "looks like a set"),
        ("many", "means", "'many' is not a number, and means need numbers"),
        ("1/2", "means", "'1/2' is not a number"),
        ("\u0663", "means", "is not a number"),
    ],
)
def test_what_could_be_mistaken_is_refused(leaf: str, labelling: Labelling, sentence: str) -> None:
    taxonomy = Taxonomy.from_paths("age", [(leaf, "*"), ("7", "*")])
    with pytest.raises(InputError, match=sentence) as error:
        check_labelling(taxonomy, labelling)
    assert "age" in str(error.value)


def test_a_root_that_is_a_number_is_no_mean() -> None:
    with pytest.raises(InputError, match="could be taken for a mean"):
        check_labelling(Taxonomy.from_paths("age", [("1", "5"), ("2", "5")]), "means")


def test_nodes_cover_what_lies_below_them() -> None:
    taxonomy = Taxonomy.from_paths("c", [("a", "x", "*"), ("b", "x", "*"), ("c", "*")])
    found: Any = PublishedValues(taxonomy).covers().toarray()
    assert {label: row.tolist() for label, row in zip(taxonomy.labels, found, strict=True)} == {
        "*": [True, True, True],
        "x": [True, True, False],
        "a": [True, False, False],
        "b": [False, True, False],
        "c": [False, False, True],
    }
