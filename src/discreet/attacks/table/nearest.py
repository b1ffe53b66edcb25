"""Linkage on numbers: the published row nearest to a known person is taken for theirs.

Papers: Domingo-Ferrer and Torra 2001 (distance-based record linkage); Yancey, Winkler and Creecy 2002. The adversary
knows the numbers of a person, and looks for the row at the least distance: Euclidean, each column divided by its
standard deviation in the release. A number stands for itself, and a range, or any label above numbers, for the middle
between the least and the greatest number below it. Quasi-identifiers that are not numbers are not looked at. Of several
rows that are equally near all count (RELATIVE apart is equal), and the guess is the most frequent of their sensitive
values, of several one at random, so that the number of right guesses is an expectation. Whoever has no known number in
the terms of the original is guessed blindly.

Nothing is concluded here that could not be wrong: no label has to lie above the known values. So it can be asked of
any release, also of rows that were made up (synthetic), where no record is anybody's. The baseline is the most frequent
value of the release for everybody: what is guessed better than that was learnt from the numbers, which is what such a
release is for; it is a risk where it comes near to what `linkage` guesses from the original.

Whether somebody was in the table. Of made-up rows it can be asked for how many people a row has exactly their numbers.
That alone tells nothing: a common combination reappears whoever was in the table. It takes a control, people like them
who were not in the table, to say more; there is none here, and the reading says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.attacks.rates import rate
from discreet.attacks.table.groups import UNTOLD, sums
from discreet.attacks.table.people import People
from discreet.encode.released_table import ReleasedTable
from discreet.taxonomy import MISSING, ROOT, PublishedValues, Taxonomy
from discreet.values.arrays import Floats, Int64s
from discreet.values.words import listed, people_in_words, percent

RELATIVE = 1e-9
AT_ONCE = 1 << 12
FEW_PAIRS = 1 << 20
"""So many people times rows are all compared: quicker than to load what builds a tree of them."""
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
_ONE = re.compile(_NUMBER, re.ASCII)
_RANGE = re.compile(rf"\[({_NUMBER})(?:-| to )({_NUMBER})[)\]]", re.ASCII)

NO_NUMBERS = {
    "applies": False,
    "reading": "No known quasi-identifier is a column of numbers, so there is no distance to look for the nearest row "
    "by.",
}
NO_ROWS = {"applies": False, "reading": "Nothing was published, so there is no row to be near to."}


def numbers_of(published: PublishedValues) -> Floats | None:
    """Value -> the middle of the numbers that it may stand for, nan for a missing one; a mean stands for itself.

    None where the leaves are not numbers. Digits that are generalized to their first ones (`101**`) are a code and no
    number.
    """
    taxonomy = published.taxonomy
    if any(ROOT in label for label in taxonomy.labels[1:]):
        return None
    least, greatest = np.full(len(taxonomy.labels), np.inf), np.full(len(taxonomy.labels), -np.inf)
    for node in taxonomy.leaf_nodes.tolist():
        label = taxonomy.labels[node]
        if label == MISSING:
            continue
        if found := _RANGE.fullmatch(label.strip()):
            least[node], greatest[node] = sorted(map(float, found.groups()))
        elif _ONE.fullmatch(label.strip()):
            least[node] = greatest[node] = float(label)
        else:
            return None
    for node in range(len(taxonomy.labels) - 1, 0, -1):
        above = taxonomy.parents[node]
        least[above], greatest[above] = min(least[above], least[node]), max(greatest[above], greatest[node])
    for label in published.made:
        if _ONE.fullmatch(label.text):
            ends = float(label.text), float(label.text)
        else:
            leaves = taxonomy.leaf_nodes[published.scale.leaf_at[label.places]]
            ends = least[leaves].min(), greatest[leaves].max()
        least, greatest = np.append(least, ends[0]), np.append(greatest, ends[1])
    found_any = np.isfinite(least)
    if not found_any.any():
        return None
    return np.where(found_any, (np.where(found_any, least, 0) + np.where(found_any, greatest, 0)) / 2, np.nan)


def nearest(
    taxonomies: Mapping[str, Taxonomy], release: ReleasedTable, people: People, values: int | None, made_up: bool
) -> dict[str, Any]:
    """taxonomies: of all quasi-identifiers. values: how many sensitive values there are; None where there are none, or
    where a record has several."""
    if not release.rows:
        return dict(NO_ROWS)
    names, rows, known = _coordinates(taxonomies, release, people)
    if not names:
        return dict(NO_NUMBERS)
    deviation = _deviations(rows, release.counts)
    rows, known = rows / deviation[:, None], known / deviation[:, None]
    exact, right, of = 0, Fraction(0), 0
    truth = people.truth if values is not None else None
    shown = release.sensitive if values is not None else np.zeros_like(release.sensitive)
    width = values or 1
    visible = shown >= 0
    totals = sums(shown[visible], release.counts[visible], width)
    common = totals == totals.max(initial=0)
    told = ~np.isnan(known)
    for pattern in np.unique(told, axis=1).T:
        chosen = np.flatnonzero((told == pattern[:, None]).all(axis=0))
        points, point_of = np.unique(known[np.ix_(pattern, chosen)], axis=1, return_inverse=True)
        near, distance = _near(rows[pattern], shown, release.counts, points, width)
        best = near.max(axis=1)
        counts = people.counts[chosen]
        exact += int(counts[(distance == 0)[point_of.ravel()]].sum()) if pattern.any() else 0
        if truth is not None:
            guessed = np.where(best[:, None] > 0, near == best[:, None], common)
            mine, number = truth[chosen], point_of.ravel()
            asked = mine != UNTOLD
            hits = asked & (mine >= 0) & guessed[number, np.maximum(mine, 0)]
            ties = sums(guessed.sum(axis=1)[number], np.where(hits, counts, 0), width + 1)
            right += sum((Fraction(int(ties[size]), size) for size in ties.nonzero()[0].tolist()), Fraction(0))
            of += int(counts[asked].sum())
    figures: dict[str, Any] = {
        "people": people.total,
        "columns": names,
        "exact": exact,
        "guesses": rate(right, of),
        "baseline": None,
    }
    if truth is not None:
        by_chance = int(people.counts[(truth >= 0) & common[np.maximum(truth, 0)]].sum())
        figures["baseline"] = rate(Fraction(by_chance, int(common.sum())), of)
    return {"applies": True, **figures, "reading": _reading(figures, made_up)}


def _coordinates(
    taxonomies: Mapping[str, Taxonomy], release: ReleasedTable, people: People
) -> tuple[list[str], Floats, Floats]:
    """The known columns of numbers: their names, the rows' numbers, and the people's, nan where they are not known."""
    names, rows, known = [], [], []
    for place, attribute in enumerate(people.attributes):
        name = list(taxonomies)[attribute]
        taxonomy = taxonomies[name]
        numbers = numbers_of(release.published_values(list(taxonomies.values()))[attribute])
        if numbers is None:
            continue
        # Made-up values come after those of the original.
        numbers = np.append(numbers, np.array(release.further.get(name, ()), np.float64))
        of_rows = numbers[release.nodes[attribute]]
        if np.isnan(of_rows).all():
            continue
        names.append(name)
        # A missing number is taken for the middle of the others, from which nobody is far.
        rows.append(np.where(np.isnan(of_rows), numbers[0], of_rows))
        leaves = people.leaves[place]
        known.append(np.where(leaves >= 0, numbers[taxonomy.leaf_nodes[np.maximum(leaves, 0)]], np.nan))
    return names, np.array(rows), np.array(known)


def _deviations(rows: Floats, counts: Int64s) -> Floats:
    """Of each column; 1 where all rows have the same number."""
    mean = np.average(rows, axis=1, weights=counts)
    deviation = np.sqrt(np.average((rows - mean[:, None]) ** 2, axis=1, weights=counts))
    return np.where(deviation > 0, deviation, 1.0)


def _near(rows: Floats, shown: Any, counts: Int64s, points: Floats, width: int) -> tuple[Int64s, Floats]:
    """point -> how often each value shows in the nearest rows, and how far they are."""
    if not len(rows):
        return np.zeros((points.shape[1], width), np.int64), np.full(points.shape[1], np.inf)
    places, place_of = np.unique(rows, axis=1, return_inverse=True)
    visible = shown >= 0
    having = sums(place_of.ravel()[visible] * width + shown[visible], counts[visible], places.shape[1] * width)
    having = having.reshape(-1, width)
    few = points.shape[1] * places.shape[1] <= FEW_PAIRS
    find = _by_all_distances if few else _by_a_tree
    near = np.zeros((points.shape[1], width), np.int64)
    distance = np.empty(points.shape[1])
    for number, (least, found) in enumerate(find(places.T, points.T)):
        distance[number], near[number] = least, having[found].sum(axis=0)
    return near, distance


def _by_all_distances(places: Floats, points: Floats) -> Iterator[tuple[float, Int64s]]:
    """For each point how far the nearest places are, and which these are."""
    for point in points:
        distances = np.sqrt(((places - point) ** 2).sum(axis=1))
        least = float(distances.min())
        yield least, np.flatnonzero(distances <= least * (1 + RELATIVE))


def _by_a_tree(places: Floats, points: Floats) -> Iterator[tuple[float, Int64s]]:
    from scipy.spatial import cKDTree

    tree = cKDTree(places)
    for start in range(0, len(points), AT_ONCE):
        some = points[start : start + AT_ONCE]
        least, _ = tree.query(some)
        for distance, found in zip(least.tolist(), tree.query_ball_point(some, least * (1 + RELATIVE)), strict=True):
            yield distance, np.array(found, np.int64)


def _reading(figures: Mapping[str, Any], made_up: bool) -> str:
    columns = listed(figures["columns"])
    sentences = []
    if figures["guesses"] and figures["baseline"]:
        sentences.append(
            f"Somebody who takes the row nearest to a person in {columns} for theirs guesses the sensitive value right "
            f"for {percent(figures['guesses']['rate'])} of the people; without knowing anybody, for "
            f"{percent(figures['baseline']['rate'])}."
        )
    else:
        sentences.append(f"The row nearest to each person in {columns} was looked for; there is no one value to guess.")
    if made_up:
        sentences.append(
            f"A row that was made up has exactly the numbers of {people_in_words(figures['exact'])} of "
            f"{figures['people']:,}. Whether that tells who was in the table is not known: it takes people like them "
            "who were not in it to compare with."
        )
    return " ".join(sentences)
