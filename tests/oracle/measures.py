"""The measures of a release, from their definitions, record by record: slow and plain. Nothing of discreet is imported.

An original is a list of records as in `oracle.tables`, a release a list of rows ``(labels, sensitive or STAR, class)``
whose labels lie in the same taxonomies. Values of a release exclude one another: no label lies above another one,
except for what looks at the labels alone (marginals, queries, cm, `spread_association`). There, and for `loss_metric`
and `certainty_penalty`, a label may be given as the frozen set of the leaves that it stands for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import exp, inf, log, sqrt
from typing import Any, TypeAlias

from oracle.tables import STAR, Record, Taxonomy, collapse, leaves

Place: TypeAlias = tuple[tuple[str | None, ...], str | None]  # published labels (None: nothing published), class
Row: TypeAlias = tuple[tuple[str, ...], str, str | None]
Trees: TypeAlias = Sequence[Taxonomy]


# Taxonomies


def way_up(taxonomy: Taxonomy, leaf: str) -> list[Taxonomy]:
    """The nodes from a leaf up to the root, chains collapsed."""

    def search(node: Taxonomy, above: list[Taxonomy]) -> list[Taxonomy] | None:
        if isinstance(node, str):
            return [node, *above] if node == leaf else None
        for child in node[1]:
            found = search(child, [node, *above])
            if found:
                return found
        return None

    found = search(collapse(taxonomy), [])
    assert found is not None
    return found


def label_of(node: Taxonomy) -> str:
    return node if isinstance(node, str) else node[0]


def leaves_under(taxonomy: Taxonomy, label: str | frozenset[str]) -> list[str]:
    if isinstance(label, frozenset):
        return sorted(label)
    for leaf in leaves(taxonomy):
        for node in way_up(taxonomy, leaf):
            if label_of(node) == label:
                return leaves(node)
    raise ValueError(label)


def published_as(taxonomy: Taxonomy, leaf: str, shown: set[str]) -> str | None:
    """The published label on the way up from a leaf, None if there is none."""
    found = [label_of(node) for node in way_up(taxonomy, leaf) if label_of(node) in shown]
    assert len(found) <= 1
    return found[0] if found else None


# The fate of each record


def fates(trees: Trees, records: Sequence[Record], rows: Sequence[Row]) -> list[tuple[Fraction, Fraction]]:
    """For each record its chance to be shown with its sensitive value, and that to be starred.

    Records with equal published values, sensitive value and class have equal chances; a star may stand for any
    record of its group and class whose value is not shown.
    """
    places = [(_generalized(trees, record, rows), record[2]) for record in records]
    cells = [(place, record[1]) for place, record in zip(places, records, strict=True)]
    in_place, in_cell = Counter(places), Counter(cells)
    shown: Counter[tuple[Place, str]] = Counter(
        ((labels, cls), sensitive) for labels, sensitive, cls in rows if sensitive != STAR
    )
    shown_in_place: Counter[Place] = Counter((labels, cls) for labels, sensitive, cls in rows if sensitive != STAR)
    stars: Counter[Place] = Counter((labels, cls) for labels, sensitive, cls in rows if sensitive == STAR)
    chances = []
    for place, cell in zip(places, cells, strict=True):
        visible = Fraction(shown[cell], in_cell[cell])
        unseen = in_place[place] - shown_in_place[place]
        starred = (1 - visible) * Fraction(stars[place], unseen) if unseen else Fraction(0)
        chances.append((visible, starred))
    return chances


def _generalized(trees: Trees, record: Record, rows: Sequence[Row]) -> tuple[str | None, ...]:
    return tuple(
        published_as(tree, value, {labels[index] for labels, _, _ in rows})
        for index, (tree, value) in enumerate(zip(trees, record[0], strict=True))
    )


# Losses


def loss_metric(trees: Trees, records: Sequence[Record], rows: Sequence[Row]) -> Fraction:
    cost = Fraction(0)
    for labels, sensitive, _ in rows:
        for tree, label in zip(trees, labels, strict=True):
            every = len(leaves(tree))
            if every > 1:
                cost += Fraction(len(leaves_under(tree, label)) - 1, every - 1)
        if sensitive == STAR:
            cost += len(trees)
    cost += (len(records) - len(rows)) * 2 * len(trees)
    return cost / (len(records) * len(trees))


def certainty_penalty(trees: Trees, records: Sequence[Record], rows: Sequence[Row]) -> Fraction:
    penalty = Fraction((len(records) - len(rows)) * len(trees))
    for labels, _, _ in rows:
        for tree, label in zip(trees, labels, strict=True):
            under = len(leaves_under(tree, label))
            penalty += 0 if under == 1 else Fraction(under, len(leaves(tree)))
    return penalty / (len(records) * len(trees))


def hull_width(trees: Trees, records: Sequence[Record], rows: Sequence[Row]) -> Fraction:
    """By number where all leaves are numbers, otherwise by place; the labels of a row are those of its taxonomy."""
    total = Fraction((len(records) - len(rows)) * len(trees))
    for labels, _, _ in rows:
        for tree, label in zip(trees, labels, strict=True):
            every = leaves(tree)
            by_number = all(leaf.isdecimal() for leaf in every)
            at = {leaf: Fraction(leaf) if by_number else Fraction(place) for place, leaf in enumerate(every)}
            under = [at[leaf] for leaf in leaves_under(tree, label)]
            whole = max(at.values()) - min(at.values())
            total += (max(under) - min(under)) / whole if whole else 0
    return total / (len(records) * len(trees))


def discernibility(records: Sequence[Record], rows: Sequence[Row]) -> tuple[Fraction, Fraction]:
    """Original and release."""
    before = sum(1 for one in records for other in records if one[0] == other[0])
    after = sum(1 for one in rows for other in rows if one[0] == other[0])
    after += len(records) * (len(records) - len(rows))
    return Fraction(before, len(records)), Fraction(after, len(records))


def classification_metric(records: Sequence[Record], rows: Sequence[Row]) -> tuple[Fraction, Fraction]:
    def in_majority(table: Sequence[Row] | Sequence[Record]) -> int:
        groups: dict[tuple[str, ...], Counter[str | None]] = {}
        for values, _, cls in table:
            groups.setdefault(values, Counter())[cls] += 1
        return sum(max(group.values()) for group in groups.values())

    total = len(records)
    return Fraction(total - in_majority(records), total), Fraction(total - in_majority(rows), total)


def average_class_size(table: Sequence[Row] | Sequence[Record]) -> Fraction | None:
    return Fraction(len(table), len({values for values, _, _ in table})) if table else None


def precision(trees: Trees, records: Sequence[Record], rows: Sequence[Row]) -> Fraction:
    lost = Fraction(0)
    for record, (shown, starred) in zip(records, fates(trees, records, rows), strict=True):
        generalized = _generalized(trees, record, rows)
        for tree, leaf, label in zip(trees, record[0], generalized, strict=True):
            way = [label_of(node) for node in way_up(tree, leaf)]
            climbed = Fraction(0)
            if label is not None and len(way) > 1:
                climbed = Fraction(way.index(label), len(way) - 1)
            lost += (shown + starred) * climbed + (1 - shown - starred)
    return 1 - lost / (len(records) * len(trees))


def entropy(trees: Trees, records: Sequence[Record], rows: Sequence[Row]) -> float:
    """As a share of the loss of publishing roots only."""
    lost = worst = 0.0
    for record, (shown, starred) in zip(records, fates(trees, records, rows), strict=True):
        generalized = _generalized(trees, record, rows)
        for index, (tree, leaf, label) in enumerate(zip(trees, record[0], generalized, strict=True)):
            kept = float(shown + starred)
            same = sum(1 for values, _, _ in records if values[index] == leaf)
            hidden = log(len(records) / same)
            worst += hidden
            lost += (1 - kept) * hidden
            if label is not None:
                under = leaves_under(tree, label)
                alike = sum(1 for values, _, _ in records if values[index] in under)
                lost += kept * log(alike / same)
    return lost / worst if worst > 1e-12 else 0.0


# Distributions


def divergence(tree: Taxonomy | None, before: Sequence[str], after: Sequence[str]) -> tuple[float, float]:
    """KL divergence (infinite where a value vanished) and total variation. tree: None for plain values."""
    values = leaves(tree) if tree is not None else sorted({*before, *after})
    weight = dict.fromkeys(values, 0.0)
    for label in after:
        under = leaves_under(tree, label) if tree is not None else [label]
        for leaf in under:
            weight[leaf] += 1 / len(under) / len(after)
    share = {value: before.count(value) / len(before) for value in values}
    distance = sum(abs(share[value] - weight[value]) for value in values) / 2 if after else 1.0
    total = 0.0
    for value in values:
        if share[value] > 0:
            total += share[value] * log(share[value] / weight[value]) if weight[value] > 0 else inf
    return total, distance


def association(pairs: Sequence[tuple[str, str]]) -> tuple[float, Fraction, int, float]:
    """n I in nats, chi2, its degrees of freedom and Cramer's V."""
    total = len(pairs)
    first, second = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    both = Counter(pairs)
    freedom = max(0, len(first) - 1) * max(0, len(second) - 1)
    if not freedom:
        return 0.0, Fraction(0), 0, 0.0
    evidence = sum(number * log(number * total / (first[x] * second[y])) for (x, y), number in both.items())
    chi_square = Fraction(0)
    for x in first:
        for y in second:
            expected = Fraction(first[x] * second[y], total)
            chi_square += (both[x, y] - expected) ** 2 / expected
    smaller = min(len(first), len(second)) - 1
    return evidence, chi_square, freedom, sqrt(chi_square / (total * smaller))


def spread_association(
    pairs: Sequence[tuple[str, str]], first: Taxonomy | None, second: Taxonomy | None
) -> tuple[float, float]:
    """n I and Cramer's V where a label stands equally for each leaf below it; None: values stand for themselves."""
    cells: dict[tuple[str, str], Fraction] = {}
    for one, other in pairs:
        below = [one] if first is None else leaves_under(first, one)
        beside = [other] if second is None else leaves_under(second, other)
        for pair in product(below, beside):
            cells[pair] = cells.get(pair, Fraction(0)) + Fraction(1, len(below) * len(beside))
    of_first: dict[str, Fraction] = {}
    of_second: dict[str, Fraction] = {}
    for (one, other), share in cells.items():
        of_first[one] = of_first.get(one, Fraction(0)) + share
        of_second[other] = of_second.get(other, Fraction(0)) + share
    least = min(len(of_first), len(of_second)) - 1
    if least < 1:
        return 0.0, 0.0
    expected = {(one, other): of_first[one] * of_second[other] / len(pairs) for one, other in cells}
    evidence = sum(float(share) * log(share / expected[pair]) for pair, share in cells.items())
    chi_square = sum(share * share / expected[pair] for pair, share in cells.items()) - len(pairs)
    return evidence, sqrt(chi_square / (len(pairs) * least))


def associations_kept(
    before: dict[str, list[str]], after: dict[str, list[str]]
) -> tuple[float | None, dict[tuple[str, str], tuple[float, float]], bool]:
    """The share kept, the evidence of each pair in original and release, and whether a pair is on the verge of weak."""
    found, strong, verge = {}, [], False
    for one, other in combinations(before, 2):
        then, chi_square, freedom, _ = association(list(zip(before[one], before[other], strict=True)))
        rows = zip(after[one], after[other], strict=True)
        now, _, _, _ = association([row for row in rows if STAR not in row])
        found[one, other] = (then, now)
        limit = freedom + 3 * sqrt(2 * freedom)
        verge = verge or (freedom > 0 and abs(chi_square - limit) < 1e-9)
        if chi_square > limit:
            strong.append((then, now))
    kept = sum(now for _, now in strong) / sum(then for then, _ in strong) if strong else None
    return kept, found, verge


# Queries


def query_error(
    trees: Trees,
    records: Sequence[Record],
    rows: Sequence[Row],
    conditions: dict[int, set[str]],
    sensitive_condition: set[str] | None,
    sensitive_values: Sequence[str],
) -> float:
    """The relative error of one query; conditions: quasi-identifier -> admitted leaves."""
    truth = 0
    for values, sensitive, _ in records:
        inside = all(values[index] in admitted for index, admitted in conditions.items())
        truth += inside and (sensitive_condition is None or sensitive in sensitive_condition)
    answer = Fraction(0)
    for labels, sensitive, _ in rows:
        share = Fraction(1)
        for index, admitted in conditions.items():
            under = leaves_under(trees[index], labels[index])
            share *= Fraction(sum(leaf in admitted for leaf in under), len(under))
        if sensitive_condition is not None:
            if sensitive == STAR:
                share *= Fraction(len(sensitive_condition), len(sensitive_values))
            else:
                share *= sensitive in sensitive_condition
        answer += share
    return float(abs(answer - truth) / max(Fraction(truth), Fraction(len(records), 1000)))


# Diversity


def diversity(table: Sequence[Row] | Sequence[Record]) -> dict[str, Any]:
    """k, distinct l, entropy l and t; nothing for a table without rows."""
    groups: dict[tuple[str, ...], Counter[str]] = {}
    for values, sensitive, _ in table:
        groups.setdefault(values, Counter())[sensitive] += 1
    overall = Counter(sensitive for _, sensitive, _ in table)
    if not groups:
        return {}
    entropies, distances = [], []
    for group in groups.values():
        size = group.total()
        entropies.append(-sum(count / size * log(count / size) for count in group.values()))
        distances.append(
            sum(abs(Fraction(group[value], size) - Fraction(overall[value], len(table))) for value in overall) / 2
        )
    return {
        "k": min(group.total() for group in groups.values()),
        "distinct_l": min(len(group) for group in groups.values()),
        "entropy_l": exp(min(entropies)),
        "t": float(max(distances)),
    }
