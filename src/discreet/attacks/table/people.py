"""Whom the adversary knows: people as counts over their quasi-identifiers, placed in the original and in the release.

The worst case is that they know everybody in the original. Otherwise they have a file with some or all of the
quasi-identifiers of some people, who need not be in the table at all.

A known value is placed by the policy's own taxonomy. In the original it is the leaf with the same label. In the
release it is the one label on the way from the value up to the root that is published: values recoded by cuts never lie
above one another, so there is at most one. Where each group has labels of its own, it is all labels on that way that
are published, and a group fits whoever has its label among them in each column. Labels, not numbers, are compared,
because a taxonomy made from data (postal codes, dates) is not the same for the known file as for the original. A value
without a place is nobody's, except where the policy treats these values as missing.

A missing value in a known file is not known, and any value fits it; a column in which all are missing is not known
about anybody. In the worst case a missing value is like any other: they know that the original does not have it.

A known value that the original does not have is that of somebody outside the table, or is written in another way
(`True` for `true`). Nobody can say which, so these values are counted and named. A column in which not one value is the
original's would make any release look safe, so it is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from discreet.attacks.table.facts import Facts
from discreet.attacks.table.groups import NOWHERE, UNTOLD, Groups
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable, Encoding
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.policy import TablePolicy
from discreet.read.cleaning import clean_table
from discreet.read.table import load_table
from discreet.read.taxonomies import taxonomy_builder
from discreet.taxonomy import MISSING, PublishedValues, Taxonomy
from discreet.values.arrays import Int32s, Int64s
from discreet.values.words import briefly

KNOWN = "known"
MOST_NAMED = 3
"""Values that a sentence names."""


@dataclass(frozen=True)
class People:
    """Distinct people by what is known about them, with how many are alike."""

    attributes: tuple[int, ...]
    """the quasi-identifiers that the adversary knows"""
    leaves: Int32s
    """known attribute x people -> leaf in the original, NOWHERE when it has no such value, UNTOLD when not known"""
    nodes: tuple[Int32s, ...]
    """for each release: known attribute x people -> published node, NOWHERE when none lies above the value, UNTOLD
    when it is not known; where several may lie above it, the column of the matrix in `above` in place of the node"""
    truth: Int32s | None
    """the sensitive value; NOWHERE: one that the original does not have; UNTOLD: not known. None: nobody's is"""
    counts: Int64s
    above: tuple[tuple[csr_array, ...] | None, ...] = (None, None)
    """for each release: for each known attribute, published value x what may be known -> whether it lies above it;
    None where at most one does"""

    @property
    def total(self) -> int:
        return int(self.counts.sum())


def published_nodes(taxonomy: Taxonomy, nodes: Int32s) -> Int32s:
    """leaf -> the published node above it, NOWHERE where there is none."""
    above = np.full(len(taxonomy.leaf_nodes), NOWHERE, np.int32)
    for node in np.unique(nodes):
        leaves = slice(int(taxonomy.first_leaf[node]), int(taxonomy.stop_leaf[node]))
        if (taken := above[leaves][above[leaves] != NOWHERE]).size:
            raise InputError(
                f"{taxonomy.name}: the release shows {taxonomy.labels[taken[0]]!r} and "
                f"{taxonomy.labels[node]!r}, which overlap; run `discreet verify` on it."
            )
        above[leaves] = node
    return above


def everybody(
    table: EncodedTable, releases: Sequence[ReleasedTable], *, one_truth: bool = True, overlapping: Sequence[bool] = ()
) -> People:
    """The worst case: all people of the original, and the truth about each where that is one value.

    overlapping: for each release whether published values may lie above one another; without it, none may.
    """
    nodes: list[Int32s] = []
    above: list[tuple[csr_array, ...] | None] = []
    for release, overlap in zip(releases, overlapping or [False] * len(releases), strict=True):
        published = list(zip(table.taxonomies, release.nodes, strict=True))
        values = zip(release.published_values(table.taxonomies), release.nodes, strict=True)
        above.append(tuple(each.covers(np.unique(row)) for each, row in values) if overlap else None)
        nodes.append(
            table.leaves
            if overlap
            else np.stack(
                [
                    published_nodes(taxonomy, row)[leaves]
                    for (taxonomy, row), leaves in zip(published, table.leaves, strict=True)
                ]
            )
        )
    truth = table.sensitive if one_truth else None
    attributes = tuple(range(len(table.attributes)))
    return People(attributes, table.leaves, tuple(nodes), truth, table.counts, tuple(above))


def original_groups(table: EncodedTable, attributes: Sequence[int], facts: Facts) -> Groups:
    """The original's records by their leaves in some attributes."""
    return facts.groups(table.leaves[list(attributes)], table.sensitive, table.counts)


def released_groups(release: ReleasedTable, attributes: Sequence[int], facts: Facts) -> Groups:
    """The released records by their published nodes in some attributes."""
    return facts.groups(release.nodes[list(attributes)], release.sensitive, release.counts)


@dataclass(frozen=True)
class Strange:
    """Values of a column that the original does not have."""

    values: tuple[str, ...]
    people: int
    """who have one of them"""


@dataclass(frozen=True)
class KnownFile:
    """The people of a file, and how to find them in it again."""

    people: People
    columns: tuple[str, ...]
    """the quasi-identifiers that are known about anybody"""
    codes: Int32s
    """known attribute x people -> which of the column's distinct values"""
    values: Mapping[str, tuple[str, ...]]
    labels: tuple[str, ...]
    """the columns that say who somebody is"""
    rows: int
    strangers: Mapping[str, Strange]
    """quasi-identifier or sensitive column -> what is strange in it"""

    @property
    def partly_known(self) -> int:
        """People for whom some of the columns are not known."""
        return int(self.people.counts[(self.people.leaves == UNTOLD).any(axis=0)].sum())


def known_people(
    engine: Engine,
    source: object,
    name: str,
    policy: TablePolicy,
    encoding: Encoding,
    releases: Sequence[ReleasedTable],
    overlapping: Sequence[bool] = (),
) -> KnownFile:
    """Loads a file, or a table in memory, of people whom the adversary knows. overlapping: as for `everybody`."""
    shape = load_table(engine, source, KNOWN, fewest_rows=1)
    clean_table(engine, policy.cleanings(), name, KNOWN)
    table = encoding.table
    columns = [column for column in table.attributes if column in shape.columns]
    if not columns:
        raise InputError(
            f"{name}: none of the quasi-identifiers {', '.join(table.attributes)} is a column of it (it has "
            f"{', '.join(shape.columns)}), so nobody in it can be looked for; name its columns as the original does."
        )
    found_in = {column: engine.distinct(column, KNOWN) for column in columns}
    if not (columns := [column for column in columns if any(found_in[column][0])]):
        raise InputError(
            f"{name}: every value of {', '.join(found_in)} is missing in it, so nobody in it can be looked for; fill "
            "in what the adversary knows."
        )
    attributes = tuple(table.attributes.index(column) for column in columns)
    values: dict[str, tuple[str, ...]] = {}
    codes: dict[str, Mapping[str, int]] = {}
    leaf_of: list[Int32s] = []
    overlaps = overlapping or [False] * len(releases)
    node_of: list[list[Int32s]] = [[] for _ in releases]
    above: list[list[csr_array]] = [[] for _ in releases]
    strangers: dict[str, Strange] = {}
    for column, attribute in zip(columns, attributes, strict=True):
        distinct, counts = found_in[column]
        values[column] = distinct
        codes[column] = {value: code for code, value in enumerate(distinct)}
        paths = _paths(policy, name, column, distinct)
        taxonomy = table.taxonomies[attribute]
        leaves = {label: leaf for leaf, label in enumerate(taxonomy.leaf_labels)}
        leaf_of.append(np.array([_leaf(path, leaves) for path in paths], np.int32))
        # Where values without a place count as missing, the leaf they share says nothing about how they are written.
        own = encoding.leaf_of[column]
        familiar = {
            value
            for value, path in zip(distinct, paths, strict=True)
            if value in own or (path and path[0] != MISSING and path[0] in leaves)
        }
        strangers |= _strange(name, column, distinct, counts, familiar, own)
        for release, overlap, found, matrices in zip(releases, overlaps, node_of, above, strict=True):
            codes_shown = np.unique(release.nodes[attribute])
            published = release.published_values(table.taxonomies)[attribute]
            shown = {published.labels[code]: code for code in codes_shown.tolist()}
            if overlap:
                found.append(np.array([UNTOLD if path is None else at for at, path in enumerate(paths)], np.int32))
                matrices.append(_all_published(paths, leaf_of[-1], published, codes_shown))
            else:
                published_nodes(taxonomy, release.nodes[attribute])
                found.append(np.array([_published(path, shown) for path in paths], np.int32))
    truth_codes: Int32s | None = None
    if len(policy.columns("sensitive")) == 1 and not encoding.table.is_joint and policy.sensitive in shape.columns:
        distinct, counts = engine.distinct(policy.sensitive, KNOWN)
        codes[policy.sensitive] = {value: code for code, value in enumerate(distinct)}
        original = encoding.codes[policy.sensitive]
        strangers |= _strange(name, policy.sensitive, distinct, counts, original, original)
        truth_codes = np.array(
            [UNTOLD if value == MISSING else original.get(value, NOWHERE) for value in distinct], np.int32
        )
    found_codes, people = engine.count(codes, KNOWN)
    quasi = len(columns)
    return KnownFile(
        people=People(
            attributes=attributes,
            leaves=np.stack([leaf[row] for leaf, row in zip(leaf_of, found_codes[:quasi], strict=True)]),
            nodes=tuple(
                np.stack([node[row] for node, row in zip(nodes, found_codes[:quasi], strict=True)]) for nodes in node_of
            ),
            truth=None if truth_codes is None else truth_codes[found_codes[quasi]],
            counts=people,
            above=tuple(
                tuple(matrices) if overlap else None for overlap, matrices in zip(overlaps, above, strict=True)
            ),
        ),
        columns=tuple(columns),
        codes=found_codes[:quasi],
        values=values,
        labels=tuple(
            column
            for column in shape.columns
            if column not in policy.attributes or policy.attributes[column].role == "identifier"
        ),
        rows=shape.rows,
        strangers=strangers,
    )


def _paths(policy: TablePolicy, name: str, column: str, values: Sequence[str]) -> list[tuple[str, ...] | None]:
    """For each value the labels from itself up to the root; empty for one that has no place, None for a missing one."""
    attribute = policy.attributes[column]
    try:
        builder = taxonomy_builder(attribute.taxonomy, column, f"attributes.{column}.taxonomy")
        placement = builder.build(column, values)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    with_missing = placement.taxonomy.with_missing()
    homeless = with_missing.path(len(with_missing.labels) - 1) if attribute.on_missing == "suppress" else ()
    return [
        None
        if value == MISSING
        else placement.taxonomy.path(int(placement.taxonomy.leaf_nodes[leaf]))
        if leaf >= 0
        else homeless
        for value, leaf in zip(values, placement.leaf_of, strict=True)
    ]


def _leaf(path: Sequence[str] | None, leaves: Mapping[str, int]) -> int:
    if path is None:
        return UNTOLD
    return leaves.get(path[0], NOWHERE) if path else NOWHERE


def _published(path: Sequence[str] | None, shown: Mapping[str, int]) -> int:
    if path is None:
        return UNTOLD
    return next((shown[label] for label in path if label in shown), NOWHERE)


def _all_published(
    paths: Sequence[Sequence[str] | None], leaves: Int32s, published: PublishedValues, shown: Int32s
) -> csr_array:
    """published value of those shown x what is known -> whether it is on the way up from there, or covers its leaf

    A label that was made for a group is on no way up, even one that is written like a node, as a mean may be; it covers
    leaves of the original, and nobody else's values.
    """
    found = published.covers(shown)[:, np.maximum(leaves, 0)].tolil()
    found[:, leaves < 0] = False
    nodes = published.taxonomy.labels
    place = {nodes[code]: row for row, code in enumerate(shown.tolist()) if code < len(nodes)}
    for known, path in enumerate(paths):
        for label in path or ():
            if label in place:
                found[place[label], known] = True
    return csr_array(found)


def _strange(
    name: str, column: str, values: Sequence[str], counts: Int64s, familiar: Collection[str], original: Collection[str]
) -> dict[str, Strange]:
    """The column's values that are not familiar, the most frequent first; an error where all of them are."""
    told = [(value, count) for value, count in zip(values, counts.tolist(), strict=True) if value != MISSING]
    strange = sorted((entry for entry in told if entry[0] not in familiar), key=lambda entry: (-entry[1], entry[0]))
    if not strange:
        return {}
    if len(strange) == len(told):
        held = [value for value in original if value != MISSING]
        raise InputError(
            f"{name}: not one value of its column {column!r} ({some([value for value, _ in strange])}) occurs in the "
            f"original, which has {some(held) if held else 'only missing values there'}, so nothing could be found "
            "whatever the release shows; write the values as the original does."
        )
    return {column: Strange(tuple(value for value, _ in strange), sum(count for _, count in strange))}


def some(values: Sequence[str]) -> str:
    """The first values, and how many more there are."""
    named = ", ".join(map(briefly, values[:MOST_NAMED]))
    return named if len(values) <= MOST_NAMED else f"{named} and {len(values) - MOST_NAMED:,} more"


def rows_of(engine: Engine, known: KnownFile, people: int, most: int) -> list[dict[str, str]]:
    """The first rows of the known file with the quasi-identifiers of these people: who they are."""
    names = [*known.labels, *known.columns]
    codes = zip(known.columns, known.codes[:, people], strict=True)
    found = engine.rows(KNOWN, names, most, {column: known.values[column][code] for column, code in codes})
    return [dict(zip(names, row, strict=True)) for row in found]


def rows_in_order(engine: Engine, known: KnownFile, most: int) -> list[tuple[dict[str, str], tuple[str, ...]]]:
    """The first rows of the known file with their known quasi-identifiers."""
    names = [*known.labels, *known.columns]
    found = engine.rows(KNOWN, names, most)
    return [(dict(zip(names, row, strict=True)), row[len(known.labels) :]) for row in found]
