"""The attacks against slow twins that try everything on rows and import nothing of discreet."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

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
from discreet.attacks.table import minimality as minimality_module
from discreet.attacks.table.groups import NOWHERE, UNTOLD, Bools, Groups
from discreet.attacks.table.intersection import intersection
from discreet.attacks.table.linkage import Linked, linkage, values
from discreet.attacks.table.minimality import Method, minimality
from discreet.attacks.table.people import People, everybody, original_groups, published_nodes, released_groups
from discreet.attacks.table.risk import risks
from discreet.attacks.table.scheme import scheme
from discreet.attacks.table.stars import candidates, stars
from discreet.taxonomy import Cut
from examples import examples
from oracle import attacks as oracle
from oracle.encoding import encode
from oracle.random_problems import COMBINATIONS, problems
from oracle.tables import STAR, Cuts, Problem, all_cuts, cost, costs_of_distinct_releases, partitions, release

SETTINGS = examples(50)
SCHEMES = ("none", "vio-sa", "all-sa", "vio-rec", "all-rec")


@st.composite
def released(draw: st.DrawFn, scheme: str, max_records: int = 14) -> tuple[Problem, Cuts]:
    """A problem and one of the cuts that may be published, not only the best."""
    combinations = [each for each in COMBINATIONS if each[0] == scheme and each[1] != "cm"]
    problem = draw(problems(combinations=combinations, max_records=max_records))
    lawful = [cuts for cuts in all_cuts(problem) if release(problem, cuts) is not None]
    assume(lawful)
    return problem, draw(st.sampled_from(lawful))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_linkage_values_and_risk(scheme: str) -> None:
    @SETTINGS
    @given(st.data())
    def check(data: st.DataObject) -> None:
        problem, cuts = data.draw(released(scheme))
        table = encode(problem).table
        rows = rows_of(problem, cuts)
        published = read(table, rows)
        # Somebody may be known who is not in the table, not all quasi-identifiers may be known, and not of everybody
        # the same ones.
        leaves = [taxonomy.leaf_labels for taxonomy in table.taxonomies]
        worst_case = data.draw(st.booleans())
        if worst_case:
            known = [True] * len(leaves)
            people = [qi for qi, _, _ in problem.records]
            truth = [sensitive for _, sensitive, _ in problem.records]
            told = [tuple(known)] * len(people)
        else:
            known = data.draw(st.lists(st.booleans(), min_size=len(leaves), max_size=len(leaves)).filter(any))
            people = data.draw(st.lists(st.tuples(*map(st.sampled_from, leaves)), min_size=1, max_size=6))
            truth = data.draw(
                st.lists(st.sampled_from([*table.sensitive_values, "?"]), min_size=len(people), max_size=len(people))
            )
            told = which_are_known(known, len(people), data.draw)
        masked = [hidden(person, those) for person, those in zip(people, told, strict=True)]
        attributes = tuple(np.flatnonzero(known).tolist())
        if worst_case:
            encoded = everybody(table, [published])
        else:
            at = np.array([[leaves[a].index(person[a]) for person in people] for a in attributes], np.int32)
            nodes = [
                published_nodes(table.taxonomies[a], published.nodes[a])[row]
                for a, row in zip(attributes, at, strict=True)
            ]
            codes = [table.sensitive_values.index(v) if v in table.sensitive_values else NOWHERE for v in truth]
            shown: Bools = np.array(told).T[list(attributes)]
            encoded = People(
                attributes,
                np.where(shown, at, UNTOLD),
                (np.where(shown, np.stack(nodes), UNTOLD),),
                np.array(codes, np.int32),
                np.ones(len(people), np.int64),
            )
        before = Linked.of(encoded, encoded.leaves, original_groups(table, attributes, plain(table)))
        after = Linked.of(encoded, encoded.nodes[0], released_groups(published, attributes, plain(table)))
        thresholds = promised(problem, table)
        named = dict(zip(table.sensitive_values, thresholds, strict=True))
        originals, fits = oracle.original_rows(problem), oracle.fits_release(problem.taxonomies)
        learned = {
            "before": oracle.learn(masked, truth, originals, oracle.fits_original, table.sensitive_values),
            "after": oracle.learn(masked, truth, rows, fits, table.sensitive_values),
        }
        assert_linkage(linkage(before, thresholds), learned["before"], named)
        assert_linkage(linkage(after, thresholds), learned["after"], named)
        totals = np.array(table.sensitive_column.counts, np.int64)
        for entry in values(table.sensitive_values, totals, int(totals.sum()), thresholds, before, after):
            for when in ("before", "after"):
                assert entry[when] == pytest.approx(float(learned[when].highest_in(entry["value"])))
                assert entry[f"above_{when}"] == learned[when].above_in(entry["value"], named)
        for linked, those, fit in ((before, originals, oracle.fits_original), (after, rows, fits)):
            found = risks(linked.classes.sizes, linked.population)
            assert_risk(found["prosecutor"], oracle.prosecutor(those, known))
            assert_risk(found["journalist"], oracle.journalist(those, masked, fit, known))
            assert found["marketer"] == found["journalist"]["average"]
        # The promise, seen by the adversary it is about: nobody is above a threshold in any release that keeps it.
        assert not linkage(
            Linked.of(encoded, encoded.nodes[0], released_groups(published, attributes, plain(table))), thresholds
        )["above_threshold"]

    check()


@pytest.mark.parametrize("scheme", ["vio-sa", "all-sa"])
def test_stars_hide_what_an_enumeration_of_all_they_could_hide_finds(scheme: str) -> None:
    @SETTINGS
    @given(released(scheme, max_records=9))
    def check(found: tuple[Problem, Cuts]) -> None:
        problem, cuts = found
        table = encode(problem).table
        rows = rows_of(problem, cuts)
        groups = released_groups(read(table, rows), range(len(table.attributes)), plain(table))
        thresholds = promised(problem, table)
        possible = candidates(groups, thresholds, scheme, problem.guard_stars)
        told = right = total = above = 0
        for group in range(len(groups.sizes)):
            count = int(groups.stars[group])
            if not count:
                continue
            labels = tuple(t.labels[n] for t, n in zip(table.taxonomies, groups.keys[:, group], strict=True))
            shown = Counter(value for those, value in rows if those == labels and value != STAR)
            expected = oracle.star_candidates(
                shown, count, table.sensitive_values, problem.thresholds, scheme, problem.guard_stars
            )
            assert {table.sensitive_values[v] for v in np.flatnonzero(possible[group])} == expected
            total += count
            if len(expected) == 1:
                (value,) = expected
                told += count
                above += int(groups.sizes[group]) * (
                    Fraction(count, int(groups.sizes[group])) > problem.thresholds[value]
                )
                right += count
        everyone = everybody(table, [read(table, rows)])
        originals = Groups.of(everyone.nodes[0], table.sensitive, table.counts, len(table.sensitive_values))
        document = stars(groups, originals, thresholds, scheme, problem.guard_stars)
        assert document["applies"] == (total > 0)
        if total:
            assert (document["stars"], document["told"], document["above_threshold"]) == (total, told, above)
            assert document["told_right"] == right  # what is told is true
            assert document["guesses"]["of"] == total

    check()


@pytest.mark.parametrize("suppression", SCHEMES)
@SETTINGS
@given(data=st.data())
def test_knowing_the_scheme_is_what_all_worlds_of_all_groups_give(suppression: str, data: st.DataObject) -> None:
    problem, cuts = data.draw(released(suppression, max_records=8))
    encoded = encode(problem)
    table = encoded.table
    values, rows = table.sensitive_values, rows_of(problem, cuts)
    shown = Counter(value for _, value in rows)
    likely = {value: shown[value] + 1 for value in values}
    thresholds = dict(zip(values, promised(problem, table), strict=True))
    above = concerned = hidden = 0
    highest = Fraction(0)
    for members in partitions(problem, cuts).values():
        counts = Counter(value for _, value, _ in members)
        left = oracle.group_published(counts, values, problem.thresholds, suppression, problem.guard_stars, problem.k)
        if suppression == "none" or left == counts:
            continue
        found = oracle.group_confidences(
            left, len(members), values, problem.thresholds, likely, suppression, problem.guard_stars, problem.k
        )
        concerned += len(members)
        hidden += len(members) - left.total()
        highest = max(highest, *found.values())
        limits = {value: limit for value in values if (limit := thresholds[value]) is not None}
        above += len(members) * any(found[value] > limit for value, limit in limits.items())
    document = scheme(
        table.partitions(tuple(Cut.from_labels(t, sorted(cut)) for t, cut in zip(table.taxonomies, cuts, strict=True))),
        released_groups(read(table, rows), range(len(table.attributes)), plain(table)),
        encoded.limits,
        promised(problem, table),
        suppression,
        problem.guard_stars,
    )
    assert document["applies"] == bool(concerned)
    if concerned:
        assert (document["people_in_them"], document["hidden"], document["untried"]) == (concerned, hidden, 0)
        assert document["above_threshold"] in (above, None)
        assert document["highest_confidence"] == pytest.approx(float(highest))


@st.composite
def best_release(draw: st.DrawFn, scheme: str, top_h: int = 1) -> tuple[Problem, Cuts]:
    """A small problem and one of its best releases."""
    combinations = [each for each in COMBINATIONS if each[0] == scheme and each[1] != "cm"]
    problem = draw(problems(combinations=combinations, max_records=6, max_cuts=24, max_attributes=2, max_k=2))
    problem = Problem(
        problem.taxonomies, problem.records, problem.thresholds, problem.k, problem.scheme, problem.loss
    )  # without guard_stars: which value is missing from the table would differ from world to world
    costs = costs_of_distinct_releases(problem)[:top_h]
    assume(costs)
    best = [cuts for cuts in all_cuts(problem) if cost(problem, cuts) in costs]
    return problem, draw(st.sampled_from(best))


def attacked(problem: Problem, cuts: Cuts, top_h: int = 1) -> dict[str, Any]:
    encoded = encode(problem)
    table = encoded.table
    rows = rows_of(problem, cuts)
    return minimality(
        Method(encoded, top_h),
        tuple(Cut.from_labels(t, sorted(cut)) for t, cut in zip(table.taxonomies, cuts, strict=True)),
        released_groups(read(table, rows), range(len(table.attributes)), plain(table)),
        promised(problem, table),
        np.random.default_rng(0),
    )


def assert_as_enumerated(
    found: dict[str, Any], groups: list[list[oracle.Inferred]], thresholds: dict[str, Fraction | None]
) -> None:
    people = [person for group in groups for person in group]
    assert found["groups"] == len(groups)
    assert found["people"] == len(people)
    assert found["excluded_truth"] == 0

    def above(shares: dict[str, Fraction]) -> set[str]:
        return {v for v, share in shares.items() if (limit := thresholds[v]) is not None and share > limit}

    def right(shares: dict[str, Fraction], truth: str) -> Fraction:
        likely = [value for value, share in shares.items() if share == max(shares.values())]
        return Fraction(truth in likely, len(likely))

    assert found["rises"] == sum(max(p.after.values()) > max(p.before.values()) for p in people)
    if found["above_threshold"] is not None:
        assert found["above_threshold"] == {
            "before": sum(bool(above(p.before)) for p in people),
            "after": sum(bool(above(p.after)) for p in people),
            "new": sum(bool(above(p.after) - above(p.before)) for p in people),
            "new_people": sum(bool(above(p.after)) and not above(p.before) for p in people),
        }
    for when in ("before", "after"):
        highest = max(max(getattr(p, when).values()) for p in people)
        assert found["highest_confidence"][when] == pytest.approx(float(highest))
    assert found["guesses"]["right"] == pytest.approx(float(sum(right(p.after, p.truth) for p in people)))
    assert found["baseline"]["right"] == pytest.approx(float(sum(right(p.before, p.truth) for p in people)))


@pytest.mark.parametrize("finer_only", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_minimality_is_what_all_worlds_and_cuts_give(
    scheme: str, finer_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if finer_only:
        monkeypatch.setattr(minimality_module, "MOST_CUTS", 0)

    @examples(20)
    @given(best_release(scheme))
    def check(found: tuple[Problem, Cuts]) -> None:
        problem, cuts = found
        table = encode(problem).table
        groups = oracle.minimality(problem, cuts, table.sensitive_values, finer_only=finer_only)
        document = attacked(problem, cuts)
        assert document["applies"] == bool(groups)
        if groups:
            thresholds = dict(zip(table.sensitive_values, promised(problem, table), strict=True))
            assert_as_enumerated(document, groups, thresholds)
            assert ("finer" in document["checked_against"]) == finer_only

    check()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_minimality_never_excludes_the_truth(scheme: str) -> None:
    @examples(40)
    @given(st.integers(1, 3).flatmap(lambda h: st.tuples(st.just(h), best_release(scheme, h))))
    def check(drawn: tuple[int, tuple[Problem, Cuts]]) -> None:
        top_h, (problem, cuts) = drawn
        document = attacked(problem, cuts, top_h)
        assert not document["applies"] or document["excluded_truth"] == 0

    check()


@examples(25)
@given(best_release("vio-sa", 2))
def test_minimality_against_one_of_two_releases(found: tuple[Problem, Cuts]) -> None:
    problem, cuts = found
    table = encode(problem).table
    groups = oracle.minimality(problem, cuts, table.sensitive_values, top_h=2)
    thresholds = dict(zip(table.sensitive_values, promised(problem, table), strict=True))
    assert_as_enumerated(attacked(problem, cuts, 2), groups, thresholds)


@SETTINGS
@given(st.data())
def test_two_releases_leave_what_both_leave(data: st.DataObject) -> None:
    scheme = data.draw(st.sampled_from(SCHEMES))
    problem, cuts = data.draw(released(scheme))
    lawful = [other for other in all_cuts(problem) if release(problem, other) is not None]
    others = data.draw(st.sampled_from(lawful))
    table = encode(problem).table
    both = [rows_of(problem, cuts), rows_of(problem, others)]
    tables = [read(table, rows) for rows in both]
    everyone = everybody(table, tables)
    told = which_are_known([True] * len(table.attributes), len(table.counts), data.draw)
    shown: Bools = np.array(told).T
    people = replace(
        everyone,
        leaves=np.where(shown, everyone.leaves, UNTOLD),
        nodes=tuple(np.where(shown, nodes, UNTOLD) for nodes in everyone.nodes),
    )
    linked = [
        Linked.of(people, nodes, released_groups(each, people.attributes, plain(table)))
        for nodes, each in zip(people.nodes, tables, strict=True)
    ]
    first, second = (
        one.groups.members(nodes, everyone.counts) for one, nodes in zip(linked, everyone.nodes, strict=True)
    )
    prior = np.array(table.sensitive_column.counts, np.int64)
    document = intersection(linked[0], linked[1], (first, second), prior, promised(problem, table))
    fits = oracle.fits_release(problem.taxonomies)
    leaves = [taxonomy.leaf_labels for taxonomy in table.taxonomies]
    known = [
        (hidden([leaves[at][leaf] for at, leaf in enumerate(column)], those), table.sensitive_values[truth])
        for column, those, truth, count in zip(
            table.leaves.T.tolist(), told, table.sensitive.tolist(), table.counts.tolist(), strict=True
        )
        for _ in range(count)
    ]
    in_table = [qi for qi, _, _ in problem.records]
    left = [
        [oracle.possible_values(person, in_table, rows, fits, table.sensitive_values) for rows in both]
        for person, _ in known
    ]
    assert document["determined"] == {
        "first": sum(len(one) == 1 for one, _ in left),
        "second": sum(len(other) == 1 for _, other in left),
        "both": sum(len(one & other) == 1 for one, other in left),
    }
    assert document["possible_values"]["both"] == pytest.approx(sum(len(a & b) for a, b in left) / len(left))
    for (one, other), (_, truth) in zip(left, known, strict=True):
        assert truth in one & other
