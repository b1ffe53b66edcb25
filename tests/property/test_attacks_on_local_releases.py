"""The attacks on releases whose groups have labels of their own, against slow twins that look at every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attacked_rows import (
    assert_linkage,
    assert_risk,
    hidden,
    plain,
    promised,
    read,
    rows_of,
    which_are_known,
)
from discreet.attacks.table import above as above_module
from discreet.attacks.table import nearest as nearest_module
from discreet.attacks.table.attacked import AttackedTable, check_original
from discreet.attacks.table.expulsion import expulsion
from discreet.attacks.table.groups import UNTOLD, Bools
from discreet.attacks.table.intersection import intersection
from discreet.attacks.table.linkage import Linked, linkage, values
from discreet.attacks.table.nearest import nearest, numbers_of
from discreet.attacks.table.people import People, everybody, original_groups, released_groups
from discreet.attacks.table.risk import risks, risks_among_all_that_fit
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.errors import NoReleaseError
from discreet.policy import TablePolicy
from discreet.search.table.k_member import k_member
from discreet.search.table.mondrian import mondrian
from discreet.taxonomy import PublishedValues, Taxonomy
from examples import examples
from oracle import attacks as oracle
from oracle.encoding import encode
from oracle.local import labels_of
from oracle.random_problems import problems
from oracle.tables import Problem, all_cuts, release

SETTINGS = examples(100)


@st.composite
def grouped(draw: st.DrawFn, max_records: int = 12) -> tuple[Problem, list[oracle.Row]]:
    """A table, and its records in any groups, each labelled by nodes above all of its values: they overlap."""
    problem = draw(problems(combinations=[("none", "lm")], max_records=max_records))
    number = len(problem.records)
    return problem, publish(problem, draw(st.lists(st.integers(0, 3), min_size=number, max_size=number)), draw)


def publish(problem: Problem, group_of: list[int], draw: Callable[[st.SearchStrategy[str]], str]) -> list[oracle.Row]:
    labels = {}
    for group in sorted(set(group_of)):
        members = [place for place, of in enumerate(group_of) if of == group]
        found = []
        for tree, lowest, value in zip(
            problem.taxonomies, labels_of(problem, members), problem.records[members[0]][0], strict=True
        ):
            way = oracle.ancestors(tree, value)
            found.append(draw(st.sampled_from(way[way.index(lowest) :])))
        labels[group] = tuple(found)
    return [(labels[group], value) for group, (_, value, _) in zip(group_of, problem.records, strict=True)]


@st.composite
def found_by_a_method(draw: st.DrawFn) -> tuple[Problem, list[oracle.Row]]:
    """A table, and what mondrian or k-member make of it."""
    problem = draw(problems(combinations=[("none", "lm")], max_records=14, asks_for_more=True))
    encoded = encode(problem)
    method = draw(st.sampled_from(("mondrian", "k-member", "split")))
    try:
        if method == "mondrian":
            recoded = mondrian(encoded).recoded
        else:
            random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
            recoded = k_member(encoded, random=random, split=method == "split").recoded
    except NoReleaseError:
        assume(False)
    rows = []
    for source, region, count in zip(recoded.sources, recoded.regions, recoded.counts.tolist(), strict=True):
        nodes = recoded.nodes[region].tolist()
        labels = tuple(tree.labels[node] for tree, node in zip(encoded.table.taxonomies, nodes, strict=True))
        rows += [(labels, encoded.table.sensitive_values[encoded.table.sensitive[source]])] * count
    return problem, rows


RELEASES = {"any groups": grouped(), "methods": found_by_a_method()}


def attacked(table: EncodedTable, published: ReleasedTable) -> AttackedTable:
    """What somebody sees who knows everybody."""
    everyone = everybody(table, [published], overlapping=[True])
    return AttackedTable(
        policy=cast(TablePolicy, None),
        table=table,
        demand=cast(object, None),  # type: ignore[arg-type]
        facts=plain(table),
        thresholds=None,
        releases=(published,),
        recodings=("local",),
        everyone=everyone,
        people=everyone,
        population="",
        cuts=None,
        searched=True,
        random=np.random.default_rng(0),
    )


@pytest.mark.parametrize("kind", RELEASES)
@SETTINGS
@given(data=st.data())
def test_everybody_is_known(kind: str, data: st.DataObject) -> None:
    problem, rows = data.draw(RELEASES[kind])
    table = encode(problem).table
    seen = attacked(table, read(table, rows))
    assert seen.grouped is not None
    check_original(table, seen.everyone, 0, "local", seen.groups, "release", seen.facts)
    thresholds = promised(problem, table)
    named = dict(zip(table.sensitive_values, thresholds, strict=True))
    people = [qi for qi, _, _ in problem.records]
    truth = [sensitive for _, sensitive, _ in problem.records]
    fits = oracle.fits_release(problem.taxonomies)
    after = oracle.learn(people, truth, rows, fits, table.sensitive_values)
    those = [labels for labels, _ in rows]
    by_group = oracle.learn(those, [value for _, value in rows], rows, oracle.fits_original, table.sensitive_values)
    assert_linkage(linkage(seen.after, thresholds), after, named)
    assert_linkage(linkage(seen.grouped, thresholds), by_group, named)
    assert by_group.highest() >= after.highest(), "who knows the group knows more"
    for entry in values(table.sensitive_values, seen.shares, table.rows, thresholds, seen.before, seen.grouped):
        assert entry["after"] == pytest.approx(float(by_group.highest_in(entry["value"])))
        assert entry["above_after"] == by_group.above_in(entry["value"], named)
    known = [True] * len(table.attributes)
    worst = risks(seen.grouped.classes.sizes, seen.grouped.population)
    assert_risk(worst["prosecutor"], oracle.prosecutor(rows, known))
    assert worst["journalist"] == worst["prosecutor"] and worst["marketer"] == worst["prosecutor"]["average"]
    among = risks_among_all_that_fit(seen.after)
    assert_risk(among["prosecutor"], oracle.prosecutor_among_all(rows, people, fits))
    assert_risk(among["journalist"], oracle.journalist(rows, people, fits, known))
    for figure in ("highest", "average", "share_at_risk"):
        assert among["prosecutor"][figure] <= worst["prosecutor"][figure] + 1e-12


@SETTINGS
@given(data=st.data())
def test_some_columns_of_anybody_are_known(data: st.DataObject) -> None:
    problem, rows = data.draw(RELEASES["any groups"])
    table = encode(problem).table
    published = read(table, rows)
    leaves = [taxonomy.leaf_labels for taxonomy in table.taxonomies]
    known = data.draw(st.lists(st.booleans(), min_size=len(leaves), max_size=len(leaves)).filter(any))
    people = data.draw(st.lists(st.tuples(*map(st.sampled_from, leaves)), min_size=1, max_size=6))
    truth = data.draw(st.lists(st.sampled_from(table.sensitive_values), min_size=len(people), max_size=len(people)))
    told = which_are_known(known, len(people), data.draw)
    masked = [hidden(person, those) for person, those in zip(people, told, strict=True)]
    attributes = tuple(np.flatnonzero(known).tolist())
    at = np.array([[leaves[a].index(person[a]) for person in people] for a in attributes], np.int32)
    shown: Bools = np.array(told).T[list(attributes)]
    codes = np.where(shown, at, UNTOLD)
    encoded = People(
        attributes,
        codes,
        (codes,),
        np.array([table.sensitive_values.index(value) for value in truth], np.int32),
        np.ones(len(people), np.int64),
        (tuple(PublishedValues(table.taxonomies[a]).covers(np.unique(published.nodes[a])) for a in attributes),),
    )
    after = Linked.to(encoded, 0, published, plain(table))
    thresholds = promised(problem, table)
    named = dict(zip(table.sensitive_values, thresholds, strict=True))
    fits = oracle.fits_release(problem.taxonomies)
    assert_linkage(linkage(after, thresholds), oracle.learn(masked, truth, rows, fits, table.sensitive_values), named)
    among = risks_among_all_that_fit(after)
    assert_risk(among["prosecutor"], oracle.prosecutor_among_all(rows, masked, fits))
    assert_risk(among["journalist"], oracle.journalist(rows, masked, fits, [True] * len(leaves)))


@SETTINGS
@given(data=st.data(), cells=st.integers(1, 20))
def test_a_few_people_at_a_time_are_as_good_as_all_at_once(data: st.DataObject, cells: int) -> None:
    problem, rows = data.draw(RELEASES["any groups"])
    table = encode(problem).table
    published = read(table, rows)
    once = attacked(table, published).after
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(above_module, "BITS_AT_ONCE", cells)
        bit_by_bit = attacked(table, published).after
    assert linkage(once, [None] * once.groups.values) == linkage(bit_by_bit, [None] * once.groups.values)
    assert once.population.tolist() == bit_by_bit.population.tolist()


@pytest.mark.parametrize("other", ["local", "global"])
@SETTINGS
@given(data=st.data())
def test_two_releases_leave_what_both_leave(other: str, data: st.DataObject) -> None:
    problem, rows = data.draw(RELEASES["any groups"])
    table = encode(problem).table
    number = len(problem.records)
    if other == "local":
        groups = data.draw(st.lists(st.integers(0, 3), min_size=number, max_size=number))
        others = publish(problem, groups, data.draw)
    else:
        lawful = [cuts for cuts in all_cuts(problem) if release(problem, cuts) is not None]
        assume(lawful)
        others = rows_of(problem, data.draw(st.sampled_from(lawful)))
    if data.draw(st.booleans()):
        rows = rows[1:]  # somebody is missing
    both = [read(table, rows), read(table, others)]
    everyone = everybody(table, both, overlapping=[True, other == "local"])
    linked = [Linked.to(everyone, place, published, plain(table)) for place, published in enumerate(both)]
    belongs = [
        one.groups.sizes + (table.rows - published.rows)
        if everyone.above[place]
        else one.groups.members(everyone.nodes[place], everyone.counts)
        for place, (one, published) in enumerate(zip(linked, both, strict=True))
    ]
    prior = np.array(table.sensitive_column.counts, np.int64)
    document = intersection(linked[0], linked[1], (belongs[0], belongs[1]), prior, promised(problem, table))
    fits = oracle.fits_release(problem.taxonomies)
    left = [
        [oracle.possible_among_all(qi, number, those, fits, table.sensitive_values) for those in (rows, others)]
        for qi, _, _ in problem.records
    ]
    assert document["determined"] == {
        "first": sum(len(one) == 1 for one, _ in left),
        "second": sum(len(other) == 1 for _, other in left),
        "both": sum(len(one & other) == 1 for one, other in left),
    }
    assert document["possible_values"]["both"] == pytest.approx(sum(len(a & b) for a, b in left) / number)
    for (one, two), (_, truth, _) in zip(left, problem.records, strict=True):
        assert truth in one & two


@pytest.mark.parametrize("kind", RELEASES)
@SETTINGS
@given(data=st.data())
def test_who_was_sent_away_has_what_was_too_much(kind: str, data: st.DataObject) -> None:
    problem, rows = data.draw(RELEASES[kind])
    encoded = encode(problem)
    table = encoded.table
    seen = attacked(table, read(table, rows))
    alike = original_groups(table, seen.everyone.attributes, seen.facts)
    thresholds = promised(problem, table)
    columns = [PublishedValues(taxonomy) for taxonomy in table.taxonomies]
    found = expulsion(alike, seen.groups, columns, encoded.limits, seen.after, thresholds)
    fits = oracle.fits_release(problem.taxonomies)
    twin = oracle.expelled(oracle.original_rows(problem), rows, fits, problem.thresholds, table.sensitive_values)
    assert found["applies"] == bool(twin)
    if not twin:
        return
    named = {value: limit for value, limit in zip(table.sensitive_values, thresholds, strict=True) if limit is not None}
    frequent = Counter(value for _, value in rows)
    common = oracle.most_frequent(frequent, table.sensitive_values)
    right = blind = Fraction(0)
    for home in twin:
        guessed = oracle.most_frequent(Counter(home.full), list(home.full)) if home.full else common
        right += Fraction(sum(home.left[value] for value in guessed), len(guessed))
        blind += Fraction(sum(home.left[value] for value in common), len(common))
    assert found["groups"] == len(twin)
    assert found["people_in_them"] == sum(home.people for home in twin)
    assert found["sent_away"] == sum(home.left.total() for home in twin)
    assert found["highest_confidence"] == pytest.approx(float(max(max(h.confidences.values()) for h in twin)))
    assert found["certain"] == sum(h.people for h in twin if max(h.confidences.values()) == 1)
    assert found["excluded_truth"] == sum(h.people for h in twin if set(h.left) - set(h.full))
    assert found["guesses"]["right"] == pytest.approx(float(right))
    assert found["baseline"]["right"] == pytest.approx(float(blind))
    above = sum(h.people for h in twin if any(h.confidences[v] > limit for v, limit in named.items()))
    assert found["above_threshold"] == (above if named else None)
    alike_of = [Counter(v for qi, v, _ in problem.records if qi == h.labels) for h in twin]
    assert found["above_rightly"] == sum(
        h.people
        for h, alike_people in zip(twin, alike_of, strict=True)
        if any(h.confidences[v] > limit < Fraction(alike_people[v], h.people) for v, limit in named.items())
    )


TREES = (
    Taxonomy.from_paths("age", [(str(n), "[0-4)" if n < 4 else "[4-10)", "*") for n in range(10)]),
    Taxonomy.from_paths("hours", [(f"[{n}-{n + 5})", "*") for n in range(-10 + 10, 30, 5)]),
    Taxonomy.from_paths("town", [("X", "*"), ("Y", "*")]),
)


@pytest.mark.parametrize("few", [0, 1 << 20])
@SETTINGS
@given(data=st.data())
def test_the_nearest_row(few: int, data: st.DataObject) -> None:
    node = st.tuples(*(st.integers(0, len(tree.labels) - 1) for tree in TREES))
    rows = data.draw(st.lists(st.tuples(node, st.integers(0, 2)), min_size=1, max_size=12))
    leaf = st.tuples(*(st.integers(0, len(tree.leaf_nodes) - 1) for tree in TREES))
    people = data.draw(st.lists(st.tuples(leaf, st.integers(0, 2)), min_size=1, max_size=8))
    published = ReleasedTable(
        np.array([nodes for nodes, _ in rows], np.int32).T,
        np.array([value for _, value in rows], np.int32),
        np.zeros(len(rows), np.int32),
        np.ones(len(rows), np.int64),
    )
    known = People(
        (0, 1, 2),
        np.array([leaves for leaves, _ in people], np.int32).T,
        (),
        np.array([value for _, value in people], np.int32),
        np.ones(len(people), np.int64),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_module, "FEW_PAIRS", few)
        found = nearest({tree.name: tree for tree in TREES}, published, known, 3, made_up=True)
    numbers = [middles for tree in TREES if (middles := numbers_of(PublishedValues(tree))) is not None]
    assert found["columns"] == ["age", "hours"] and len(numbers) == 2
    right = oracle.nearest_right(
        [
            [float(of[tree.leaf_nodes[leaf]]) for of, tree, leaf in zip(numbers, TREES, leaves, strict=False)]
            for leaves, _ in people
        ],
        [str(value) for _, value in people],
        [([float(of[node]) for of, node in zip(numbers, nodes, strict=False)], str(value)) for nodes, value in rows],
    )
    assert found["guesses"]["right"] == pytest.approx(float(right))
    assert found["guesses"]["of"] == len(people)


def test_numbers_are_the_middles_of_what_lies_below() -> None:
    ages, hours = numbers_of(PublishedValues(TREES[0])), numbers_of(PublishedValues(TREES[1]))
    assert ages is not None and hours is not None and numbers_of(PublishedValues(TREES[2])) is None
    assert [ages[TREES[0].node(label)] for label in ("7", "[0-4)", "[4-10)", "*")] == [7, 1.5, 6.5, 4.5]
    assert [hours[TREES[1].node(label)] for label in ("[0-5)", "[25-30)", "*")] == [2.5, 27.5, 15]
    negative = numbers_of(PublishedValues(Taxonomy.from_paths("t", [("[-5 to 0)", "*"), ("[0 to 5)", "*")])))
    assert negative is not None and negative.tolist() == [0, -2.5, 2.5]


def test_released_groups_are_by_all_columns_where_labels_overlap() -> None:
    problem = Problem(
        (("*", ("a", "b")), ("+", ("c", "d"))),
        ((("a", "c"), "s", None), (("b", "d"), "t", None)),
        {"s": Fraction(1), "t": Fraction(1)},
    )
    table = encode(problem).table
    published = read(table, [(("*", "c"), "s"), (("b", "+"), "t")])
    seen = attacked(table, published)
    assert seen.after.classes.sizes.tolist() == released_groups(published, (0, 1), plain(table)).sizes.tolist()
    assert seen.after.records.tolist() == [1, 1]
    assert seen.after.population.tolist() == [1, 1]
