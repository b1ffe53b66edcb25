"""The ten records of docs/why.md, and every figure that the page gives for them, counted by definition."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pytest

from discreet.models.beta_likeness import BetaLikeness
from discreet.models.distinct_l_diversity import DistinctLDiversity
from discreet.models.entropy_l_diversity import EntropyLDiversity
from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.parameters import AboveZero, AtLeastOne, FromZero
from discreet.models.partition_limits import SensitiveColumn
from discreet.models.recursive_l_diversity import RecursiveLDiversity
from discreet.models.t_closeness import TCloseness
from discreet.models.table import TABLE_MODELS, TableModel
from discreet.taxonomy import Taxonomy
from oracle.encoding import paths
from oracle.promises import Tree, distance_equal, distance_hierarchical, distance_ordered

WHY = Path(__file__).parents[2] / "docs" / "why.md"
ORDER = ("Cold", "Flu", "Stroke", "Cancer")
TREE: Tree = ("*", (("infection", ("Cold", "Flu")), ("serious", ("Stroke", "Cancer"))))
DECADES = {"[20-30)": range(20, 30), "[30-40)": range(30, 40), "[20-40)": range(20, 40)}
NOTHING = "–"  # noqa: RUF001


@cache
def tables() -> Mapping[str, list[list[str]]]:
    """The tables of the page by the first cell of their heads."""
    found: dict[str, list[list[str]]] = {}
    for block in re.findall(r"(?:^\|.*\n)+", WHY.read_text(encoding="utf-8"), re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        found[head[0]] = [head, *rows]
    return found


@cache
def records() -> list[dict[str, str]]:
    head, *rows = tables()["group"]
    return [dict(zip(head, row, strict=True)) for row in rows]


def groups() -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for record in records():
        found.setdefault(record["group"], Counter())[record["disease"]] += 1
    return found


def everybody() -> dict[str, Fraction]:
    total = sum(groups().values(), Counter[str]())
    return {value: Fraction(total[value], total.total()) for value in ORDER}


def test_it_is_ten_records_in_groups_of_one_label_each() -> None:
    assert len(records()) == 10
    assert {record["disease"] for record in records()} == set(ORDER)
    labels = {record["group"]: (record["published age"], record["published sex"]) for record in records()}
    assert len(set(labels.values())) == len(labels) == 3
    for record in records():
        assert labels[record["group"]] == (record["published age"], record["published sex"])
        assert int(record["age"]) in DECADES[record["published age"]]
        assert record["published sex"] in ("*", record["sex"])


def effective(group: Mapping[str, int]) -> float:
    size = sum(group.values())
    return math.exp(-sum(count / size * math.log(count / size) for count in group.values()))


def least_factor(group: Mapping[str, int]) -> Fraction | None:
    """c has to be above it, for l = 2."""
    falling = sorted(group.values(), reverse=True)
    return Fraction(falling[0], sum(falling[1:])) if len(falling) > 1 else None


def bits(group: Mapping[str, int]) -> float:
    size = sum(group.values())
    return sum(count / size * math.log2(count / (size * everybody()[value])) for value, count in group.items())


class Figures(NamedTuple):
    """What each promise measures in a group, in the order of the page."""

    records: int
    values: int
    like: float
    factor: Fraction | None
    largest: Fraction
    equal: Fraction
    ordered: Fraction
    tree: Fraction
    bits: float
    more: Fraction


def figures(group: Counter[str]) -> Figures:
    shares = {value: Fraction(count, group.total()) for value, count in group.items()}
    return Figures(
        group.total(),
        len(group),
        effective(group),
        least_factor(group),
        max(shares.values()),
        distance_equal(group, everybody()),
        distance_ordered(group, everybody(), ORDER),
        distance_hierarchical(group, everybody(), TREE),
        bits(group),
        max(share / everybody()[value] - 1 for value, share in shares.items()),
    )


def written(figure: float | Fraction | None) -> str:
    return NOTHING if figure is None else f"{float(figure):.2f}".rstrip("0").rstrip(".")


def test_the_figures_are_those_of_the_ten_records() -> None:
    head, *rows = tables()["of each group"]
    assert head[1:4] == [f"group {name}" for name in groups()]
    counted = zip(*(figures(group) for group in groups().values()), strict=True)
    assert [row[1:4] for row in rows] == [list(map(written, row)) for row in counted]


def test_what_the_release_promises_is_what_its_worst_group_keeps() -> None:
    """And no release of these groups keeps more: the next harder promise is broken by one of them."""
    _, *rows = tables()["of each group"]
    said = {row[0]: row[4] for row in rows}
    by_group = [figures(group) for group in groups().values()]
    for place, (name, told) in enumerate(said.items()):
        values = [figure for group in by_group if (figure := group[place]) is not None]
        if len(values) < len(by_group):
            assert told.startswith("no c"), name
        else:
            worst = written(min(values) if place < 3 else max(values))
            assert re.search(rf"(?<![\d.]){re.escape(worst)}(?![\d.])", told), (name, told, worst)


def test_the_promises_say_the_same_of_the_groups() -> None:
    """Every promise of discreet about a table, at the figure of each group and just beyond it."""
    shares = everybody()
    column = SensitiveColumn(
        ORDER, tuple(int(10 * shares[value]) for value in ORDER), {}, Taxonomy.from_paths("d", paths(TREE)), ORDER
    )
    more = Fraction(1, 1000)

    def t(distance: Literal["equal", "ordered", "hierarchical", "kl"], bound: Fraction) -> TableModel:
        return TCloseness(FromZero(bound), distance, shares)

    seen = set()
    for group in groups().values():
        of = figures(group)
        kept: list[TableModel] = [
            KAnonymity(of.records),
            DistinctLDiversity(of.values),
            EntropyLDiversity(AtLeastOne(Fraction(of.like) - (more if of.values > 1 else 0))),
            LDiversity(int(1 / of.largest)),
            *(t("equal", of.equal), t("ordered", of.ordered), t("hierarchical", of.tree)),
            t("kl", Fraction(of.bits) + more),
            BetaLikeness(AboveZero(of.more), shares),
        ]
        broken: list[TableModel] = [
            KAnonymity(of.records + 1),
            LDiversity(int(1 / of.largest) + 1),
            *(t("equal", of.equal - more), t("ordered", of.ordered - more), t("hierarchical", of.tree - more)),
            t("kl", Fraction(of.bits) - more),
            BetaLikeness(AboveZero(of.more - more), shares),
        ]
        if of.values < 4:
            broken.append(DistinctLDiversity(of.values + 1))
            broken.append(EntropyLDiversity(AtLeastOne(Fraction(of.like) + more)))
        if of.factor is not None:
            kept.append(RecursiveLDiversity(AboveZero(of.factor + more), 2))
            broken.append(RecursiveLDiversity(AboveZero(of.factor), 2))
        histogram = np.array([[group[value] for value in ORDER]], np.int64)
        for models, keeps in ((kept, True), (broken, False)):
            for model in models:
                assert bool(model.demand(column).holds(histogram)[0]) is keeps, (model, group)
                seen.add(model.name)
    # Thresholds of single values are those of l-diversity; condensed-groups are not groups of published records.
    assert seen == set(TABLE_MODELS) - {"l-plus-diversity", "condensed-groups"}


@pytest.mark.parametrize("promise", TABLE_MODELS)
def test_every_promise_says_what_it_protects_and_what_it_does_not(promise: str) -> None:
    _, *rows = tables()["promise"]
    protected = {re.findall(r"`([\w-]+)`", row[0])[0]: row[1:] for row in rows if "`" in row[0]}
    assert all(len(cell.split()) >= 4 for cell in protected[promise])


def test_in_overlapping_groups_people_fit_more_records() -> None:
    """The sentences about the people of 24, 33 and 38 years."""
    by_age = {record["age"]: record for record in records()}
    labels = {(r["group"], r["published age"], r["published sex"]) for r in records()}

    def fitting(age: str) -> Counter[str]:
        sex = by_age[age]["sex"]
        fits = [group for group, ages, sexes in labels if int(age) in DECADES[ages] and sexes in ("*", sex)]
        return sum((groups()[group] for group in fits), Counter[str]())

    text = " ".join(WHY.read_text(encoding="utf-8").split())
    for age, disease in (("24", "Cold"), ("38", "Stroke")):
        found = fitting(age)
        told = f"of {age} fits {found.total()} records, {found[disease]} of them {disease.lower()}"
        assert told in text, told
    assert fitting("24")["Cold"] / fitting("24").total() < 1 == figures(groups()["B"]).largest
