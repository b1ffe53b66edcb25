"""Attacks on and measures of releases whose groups are labelled by ranges, sets and means, against slow twins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacked_rows import assert_linkage, assert_risk, plain
from discreet.attacks.table.expulsion import expulsion
from discreet.attacks.table.groups import NOWHERE, UNTOLD
from discreet.attacks.table.intersection import intersection
from discreet.attacks.table.linkage import Linked, linkage
from discreet.attacks.table.nearest import nearest, numbers_of
from discreet.attacks.table.people import People, _all_published, everybody, original_groups, released_groups
from discreet.attacks.table.risk import risks_among_all_that_fit
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.measure.table import TABLE_MEASURES, learning
from discreet.measure.table.comparison import Comparison
from discreet.measure.table.queries import draw_queries, relative_errors
from discreet.models.partition_limits import PartitionLimits
from discreet.report.table.boxes import drawn_groups
from discreet.taxonomy import Labelling, Taxonomy
from discreet.taxonomy.published import read_values
from discreet.values.partitions import Suppressed
from examples import examples
from oracle import attacks, measures
from oracle import labels as oracle
from oracle.encoding import paths
from oracle.tables import Taxonomy as Tree
from oracle.tables import leaves

SETTINGS = examples(150)
NUMBERS = ("-3", "-0.5", "0", "07", "7", "1.25", "10", "2.5e1", "40")
WORDS = ("=a", "b, c", "{d", "-e}", "f\\", "g.h", "3", "12", "@")
INTERVALS = ("[-10 to -5)", "[-5 to 0)", "[0 to 5)", "[5 to 10)")
STRANGERS = ("2.5", "7.0", "some", "elsewhere")
Record = tuple[tuple[str, ...], str, str]
Fits = Callable[[attacks.Person, tuple[str, ...]], bool]


@st.composite
def trees(draw: st.DrawFn, pool: tuple[str, ...]) -> Tree:
    values = draw(st.lists(st.sampled_from(pool), unique=True, min_size=2, max_size=5))
    cut = draw(st.sampled_from((0, 2, 3))) if len(values) > 3 else 0
    inner: list[Tree] = [("some", tuple(values[:cut]))] if cut else []
    return ("*", (*inner, *values[cut:]))


@dataclass(frozen=True)
class Published:
    """Rows of labels, in the order of the records, and how each column is labelled."""

    labellings: tuple[Labelling, ...]
    rows: tuple[attacks.Row, ...]


@dataclass(frozen=True)
class Case:
    """Records, and what they were published as, in any groups; trees have a leaf for what is missing."""

    trees: tuple[Tree, ...]
    records: tuple[Record, ...]
    releases: tuple[Published, ...]

    @property
    def table(self) -> EncodedTable:
        taxonomies = []
        for number, tree in enumerate(self.trees):
            there = oracle.with_leaves(tree, [leaf for leaf in leaves(tree) if leaf])
            taxonomy = Taxonomy.from_paths(f"c{number}", paths(there))
            taxonomies.append(taxonomy.with_missing() if "" in leaves(tree) else taxonomy)
        values = tuple(sorted({value for _, value, _ in self.records}))
        classes = tuple(sorted({cls for _, _, cls in self.records}))
        return EncodedTable(
            attributes=tuple(taxonomy.name for taxonomy in taxonomies),
            taxonomies=tuple(taxonomies),
            leaves=np.array(
                [
                    [taxonomy.leaf_labels.index(record[0][at]) for record in self.records]
                    for at, taxonomy in enumerate(taxonomies)
                ],
                np.int32,
            ),
            sensitive=np.array([values.index(record[1]) for record in self.records], np.int32),
            classes=np.array([classes.index(record[2]) for record in self.records], np.int32),
            counts=np.ones(len(self.records), np.int64),
            sensitive_values=values,
            class_values=classes,
        )

    def read(self, number: int) -> ReleasedTable:
        """As it is read from a file."""
        table, published = self.table, self.releases[number]
        columns, codes = [], []
        for at, (taxonomy, labelling) in enumerate(zip(table.taxonomies, published.labellings, strict=True)):
            texts = [labels[at] for labels, _ in published.rows]
            values, code_of = read_values(taxonomy, labelling, sorted(set(texts)))
            columns.append(values)
            codes.append([code_of[text] for text in texts])
        return ReleasedTable(np.array(codes, np.int32), table.sensitive, table.classes, table.counts, tuple(columns))

    def standing(self, number: int) -> list[tuple[frozenset[str], ...]]:
        """For each row what its labels may stand for."""
        published = self.releases[number]
        return [tuple(map(oracle.read_as, self.trees, published.labellings, labels)) for labels, _ in published.rows]

    def rows(self, number: int) -> list[measures.Row]:
        return [
            (standing, record[1], record[2])  # type: ignore[misc]
            for standing, record in zip(self.standing(number), self.records, strict=True)
        ]

    def fits(self, number: int) -> Fits:
        labellings = self.releases[number].labellings

        def fits(person: attacks.Person, labels: tuple[str, ...]) -> bool:
            columns = zip(self.trees, labellings, person, labels, strict=True)
            return all(
                known is None or known in oracle.read_as(tree, how, label) for tree, how, known, label in columns
            )

        return fits


@st.composite
def cases(draw: st.DrawFn, releases: int = 1) -> Case:
    pools = draw(st.lists(st.sampled_from((NUMBERS, NUMBERS, WORDS, INTERVALS)), min_size=1, max_size=3))
    there = [draw(trees(pool)) for pool in pools]
    missing = draw(st.booleans())
    value = [st.sampled_from([*leaves(tree), ""] if missing else leaves(tree)) for tree in there]
    records = draw(
        st.lists(st.tuples(st.tuples(*value), st.sampled_from("sst"), st.sampled_from("uv")), min_size=1, max_size=12)
    )
    found = []
    for _ in range(releases):
        ways = [
            ("nodes", "ranges", "sets", "means") if pool is NUMBERS else ("nodes", "ranges", "sets") for pool in pools
        ]
        labellings = tuple(draw(st.sampled_from(each)) for each in ways)
        group_of = draw(st.lists(st.integers(0, 3), min_size=len(records), max_size=len(records)))
        rows = []
        for group, (_, sensitive, _) in zip(group_of, records, strict=True):
            members = [values for other, (values, _, _) in zip(group_of, records, strict=True) if other == group]
            columns = zip(there, labellings, zip(*members, strict=True), strict=True)
            rows.append((tuple(oracle.label_of(tree, how, values) for tree, how, values in columns), sensitive))
        found.append(Published(labellings, tuple(rows)))  # type: ignore[arg-type]
    with_missing = tuple(
        ("*", (*tree[1], "")) if any(values[at] == "" for values, _, _ in records) else tree
        for at, tree in enumerate(there)
    )
    return Case(with_missing, tuple(records), tuple(found))


def limits(table: EncodedTable, draw: st.DataObject) -> tuple[Fraction | None, ...]:
    some = st.sampled_from((None, Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)))
    return tuple(draw.draw(some) for _ in table.sensitive_values)


@SETTINGS
@given(cases(), st.data())
def test_everybody_is_known(case: Case, data: st.DataObject) -> None:
    table, release = case.table, case.read(0)
    everyone = everybody(table, [release], overlapping=[True])
    after = Linked.to(everyone, 0, release, plain(table))
    thresholds = limits(table, data)
    named = dict(zip(table.sensitive_values, thresholds, strict=True))
    people, truth, rows = [each[0] for each in case.records], [each[1] for each in case.records], case.releases[0].rows
    twin = attacks.learn(people, truth, rows, case.fits(0), table.sensitive_values)
    assert_linkage(linkage(after, thresholds), twin, named)
    among = risks_among_all_that_fit(after)
    assert_risk(among["prosecutor"], attacks.prosecutor_among_all(rows, people, case.fits(0)))
    assert_risk(among["journalist"], attacks.journalist(rows, people, case.fits(0), [True] * len(case.trees)))


@SETTINGS
@given(cases(), st.data())
def test_some_columns_of_some_people_are_known(case: Case, data: st.DataObject) -> None:
    """Of a file: values of the original and others, such as are written like a mean or a node; some are not known."""
    table, release = case.table, case.read(0)
    attributes = tuple(np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=3, max_size=3).filter(any))).tolist())
    attributes = tuple(at for at in attributes if at < len(case.trees)) or (0,)
    values = {at: [*(leaf for leaf in leaves(case.trees[at]) if leaf), *STRANGERS, None] for at in attributes}
    person = st.tuples(*(st.sampled_from(values[at]) for at in attributes))
    known = data.draw(st.lists(person, min_size=1, max_size=6))
    truth = data.draw(st.lists(st.sampled_from(table.sensitive_values), min_size=len(known), max_size=len(known)))
    above, codes, leaf_codes = [], [], []
    for place, at in enumerate(attributes):
        taxonomy, own = table.taxonomies[at], values[at]
        ways = [way_up(taxonomy, value) for value in own]
        found = [
            UNTOLD if value is None else taxonomy.leaf_labels.index(value) if value in taxonomy.leaf_labels else NOWHERE
            for value in own
        ]
        matrix = _all_published(ways, np.array(found, np.int32), release.values[at], np.unique(release.nodes[at]))
        above.append(matrix)
        codes.append([UNTOLD if each[place] is None else own.index(each[place]) for each in known])
        leaf_codes.append([found[own.index(each[place])] for each in known])
    encoded = People(
        attributes,
        np.array(leaf_codes, np.int32),
        (np.array(codes, np.int32),),
        np.array([table.sensitive_values.index(value) for value in truth], np.int32),
        np.ones(len(known), np.int64),
        (tuple(above),),
    )
    thresholds = limits(table, data)
    named = dict(zip(table.sensitive_values, thresholds, strict=True))
    labellings, inside = case.releases[0].labellings, case.fits(0)

    def fits(person: attacks.Person, labels: tuple[str, ...]) -> bool:
        for at, value in enumerate(person):
            alone = tuple(value if place == at else None for place in range(len(person)))
            is_stranger = value in STRANGERS and value not in leaves(case.trees[at])
            is_above = labels[at] == "*" or (labellings[at] != "means" and labels[at] == value == "some")
            if not (is_above if is_stranger else inside(alone, labels)):
                return False
        return True

    people = []
    for each in known:
        of = dict(zip(attributes, each, strict=True))
        people.append(tuple(of.get(at) for at in range(len(case.trees))))
    twin = attacks.learn(people, truth, case.releases[0].rows, fits, table.sensitive_values)
    assert_linkage(linkage(Linked.to(encoded, 0, release, plain(table)), thresholds), twin, named)


def way_up(taxonomy: Taxonomy, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    return taxonomy.path(taxonomy.node(value)) if value in taxonomy.labels else (value, "*")


@SETTINGS
@given(cases(releases=2), st.data())
def test_two_releases_leave_what_both_leave(case: Case, data: st.DataObject) -> None:
    table, both = case.table, [case.read(0), case.read(1)]
    everyone = everybody(table, both, overlapping=[True, True])
    linked = [Linked.to(everyone, place, release, plain(table)) for place, release in enumerate(both)]
    belongs = (linked[0].groups.sizes, linked[1].groups.sizes)
    prior = np.array(table.sensitive_column.counts, np.int64)
    found = intersection(linked[0], linked[1], belongs, prior, limits(table, data))
    left = [
        [
            attacks.possible_among_all(qi, table.rows, published.rows, case.fits(number), table.sensitive_values)
            for number, published in enumerate(case.releases)
        ]
        for qi, _, _ in case.records
    ]
    assert found["determined"] == {
        "first": sum(len(one) == 1 for one, _ in left),
        "second": sum(len(other) == 1 for _, other in left),
        "both": sum(len(one & other) == 1 for one, other in left),
    }
    assert found["possible_values"]["both"] == pytest.approx(sum(len(a & b) for a, b in left) / table.rows)


@SETTINGS
@given(cases())
def test_who_was_sent_away_has_what_was_too_much(case: Case) -> None:
    table, release = case.table, case.read(0)
    everyone = everybody(table, [release], overlapping=[True])
    facts, attributes = plain(table), everyone.attributes
    after = Linked.to(everyone, 0, release, facts)
    half = (Fraction(1, 2),) * len(table.sensitive_values)
    alike, groups = original_groups(table, attributes, facts), released_groups(release, attributes, facts)
    found = expulsion(alike, groups, release.values, PartitionLimits(half, 1), after, half)
    # A home is labelled by what stands for one leaf; whatever else is written like one is none.
    reads: dict[str, frozenset[str]] = {}
    rows = []
    for (labels, value), standing in zip(case.releases[0].rows, case.standing(0), strict=True):
        texts = tuple(
            next(iter(each)) if len(each) == 1 else f"{at}:{label}"
            for at, (label, each) in enumerate(zip(labels, standing, strict=True))
        )
        reads |= dict(zip(texts, standing, strict=True))
        rows.append((texts, value))
    twin = attacks.expelled(
        [(qi, value) for qi, value, _ in case.records],
        rows,
        lambda person, labels: all(known in reads[label] for known, label in zip(person, labels, strict=True)),
        dict(zip(table.sensitive_values, half, strict=True)),
        table.sensitive_values,
    )
    assert found["applies"] == bool(twin)
    if twin:
        assert found["groups"] == len(twin)
        assert found["people_in_them"] == sum(home.people for home in twin)
        assert found["highest_confidence"] == pytest.approx(float(max(max(h.confidences.values()) for h in twin)))


@SETTINGS
@given(cases())
def test_the_nearest_row(case: Case) -> None:
    table, release = case.table, case.read(0)
    everyone = everybody(table, [release], overlapping=[True])
    trees = dict(zip(table.attributes, table.taxonomies, strict=True))
    found = nearest(trees, release, everyone, len(table.sensitive_values), made_up=False)
    names, people, rows = [], [], []
    for at, (tree, how) in enumerate(zip(case.trees, case.releases[0].labellings, strict=True)):
        if any(oracle.ends_of(leaf) is None for leaf in leaves(tree) if leaf):
            continue
        numbers = [
            float(labels[at]) if how == "means" and labels[at] not in ("", "*") else oracle.middle_of(standing[at])
            for (labels, _), standing in zip(case.releases[0].rows, case.standing(0), strict=True)
        ]
        if all(number is None for number in numbers):
            continue
        whole = oracle.middle_of(frozenset(leaves(tree)))
        assert whole is not None
        names.append(f"c{at}")
        rows.append([whole if number is None else number for number in numbers])
        people.append([oracle.middle_of(frozenset({values[at]})) for values, _, _ in case.records])
    assert found["applies"] == bool(names)
    if names:
        assert found["columns"] == names
        truth = [value for _, value, _ in case.records]
        right = attacks.nearest_right(
            list(zip(*people, strict=True)), truth, list(zip(zip(*rows, strict=True), truth, strict=True))
        )
        assert found["guesses"]["right"] == pytest.approx(float(right))


def close(value: object) -> object:
    return pytest.approx(float(value), rel=1e-9, abs=1e-9)  # type: ignore[arg-type]


@SETTINGS
@given(cases())
def test_losses_marginals_and_associations(case: Case) -> None:
    comparison = Comparison(case.table, case.read(0), "s", "c", "local")
    found = {
        name: TABLE_MEASURES[name].measure(comparison, np.random.default_rng(0))
        for name in ("lm", "gcp", "hull", "marginals", "association")
    }
    rows = case.rows(0)
    records = [(qi, value, cls) for qi, value, cls in case.records]
    assert found["lm"].release == close(measures.loss_metric(case.trees, records, rows))
    assert found["gcp"].release == close(measures.certainty_penalty(case.trees, records, rows))
    widths = [oracle.hull_width(tree, each) for row in rows for tree, each in zip(case.trees, row[0], strict=True)]  # type: ignore[arg-type]
    assert found["hull"].release == close(sum(widths) / len(widths))
    for at, tree in enumerate(case.trees):
        divergence, distance = measures.divergence(tree, [qi[at] for qi, _, _ in records], [row[0][at] for row in rows])
        column = found["marginals"].details["columns"][at]
        assert column["divergence"] == (None if divergence == float("inf") else close(divergence))
        assert column["distance"] == close(distance)
    places = {f"c{at}": at for at in range(len(case.trees))} | {"s": -2, "c": -1}
    for pair in found["association"].details["pairs"]:
        flat = [(*row[0], row[1], row[2]) for row in rows]
        one, other = (places[name] for name in pair["columns"])
        kinds = [case.trees[at] if at >= 0 else None for at in (one, other)]
        evidence, cramers_v = measures.spread_association([(row[one], row[other]) for row in flat], *kinds)  # type: ignore[misc]
        assert pair["release"] == close(evidence)
        assert pair["cramers_v"]["release"] == pytest.approx(cramers_v, abs=1e-6)


@SETTINGS
@given(cases(), st.integers(0, 2**32))
def test_queries(case: Case, seed: int) -> None:
    table = case.table
    comparison = Comparison(table, case.read(0), "s", "c", "local")
    queries = draw_queries(comparison, np.random.default_rng(seed), 8)
    for query, error in zip(queries, relative_errors(comparison, queries), strict=True):
        conditions, sensitive = {}, None
        for column, admitted in zip(query.columns, query.admitted, strict=True):
            if column == len(case.trees):
                sensitive = {table.sensitive_values[value] for value in np.flatnonzero(admitted)}
            else:
                labels = table.taxonomies[column].leaf_labels
                conditions[column] = {labels[leaf] for leaf in np.flatnonzero(admitted)}
        twin = measures.query_error(
            case.trees, list(case.records), case.rows(0), conditions, sensitive, table.sensitive_values
        )
        assert error == close(twin)


@SETTINGS
@given(cases())
def test_what_a_classifier_sees(case: Case) -> None:
    """The middle of the leaves of a value, and for each value that is published which share of it lies below."""
    table = case.table
    comparison = Comparison(table, case.read(0), None, "c", "local")
    number = len(case.records)
    sample = learning._Sample(np.arange(number), np.ones(number, np.int64), np.ones(number, np.int64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "TRAINING_SHARE", 1.0)
        train, test = learning._rows_as_they_are(comparison, sample, np.random.default_rng(0))
    labels, standing = [labels for labels, _ in case.releases[0].rows], case.standing(0)
    start = 0
    for at, taxonomy in enumerate(table.taxonomies):
        place = {leaf: number for number, leaf in enumerate(taxonomy.leaf_labels)}
        stands = dict(zip((row[at] for row in labels), (row[at] for row in standing), strict=True))
        seen = [row[at] for row in standing], [frozenset({qi[at]}) for qi, _, _ in case.records]
        for features, values in zip((train.features, test), seen, strict=True):
            of = [[place[leaf] for leaf in value] for value in values]
            assert features[:, start].tolist() == [(min(each) + max(each)) / 2 for each in of]
            shares = features[:, start + 1 : start + 1 + len(stands)]
            for value, row in zip(values, shares.tolist(), strict=True):
                expected = [len(value & asked) / len(value) for asked in stands.values()]
                assert sorted(row) == pytest.approx(sorted(expected))
        start += 1 + len(stands)
    assert start == train.features.shape[1] == test.shape[1]


@SETTINGS
@given(cases())
def test_boxes_hold_what_labels_stand_for(case: Case) -> None:
    table, release = case.table, case.read(0)
    each = np.ones((len(case.records), 1, 1), np.int64)
    drawn = drawn_groups(table, release.values, Suppressed(release.nodes.T, each, each, each[:, :, 0], lawful=True))
    for at, name in enumerate(table.attributes):
        told = [
            np.log2(len(case.records) / sum(qi[at] in row[at] for qi, _, _ in case.records)) for row in case.standing(0)
        ]
        assert drawn["bits"][name] == pytest.approx(sum(told) / len(told), abs=1e-3)
    stands = {
        (name, row[at]): each[at]
        for at, name in enumerate(table.attributes)
        for (row, _), each in zip(case.releases[0].rows, case.standing(0), strict=True)
    }
    for pair in drawn["pairs"]:
        for box in pair["boxes"]:
            for side, name in enumerate(pair["columns"]):
                taxonomy = table.taxonomies[table.attributes.index(name)]
                places = [taxonomy.leaf_labels.index(leaf) for leaf in stands[name, box["labels"][side]]]
                assert (box["from"][side], box["to"][side]) == (min(places), max(places) + 1)


def test_a_mean_is_not_the_value_of_a_stranger_that_is_written_like_it() -> None:
    """Any mean stands for the numbers of the original, and for no others, however it is written."""
    values, codes = read_values(Taxonomy.from_paths("c", [("2", "*"), ("3", "*")]), "means", ["2.5", "2.7"])
    shown = np.array([0, codes["2.5"], codes["2.7"]], np.int32)
    found = _all_published([("2.5", "*"), ("3", "*")], np.array([NOWHERE, 1], np.int32), values, shown)
    assert found.toarray().tolist() == [[True, True], [False, True], [False, True]]


def test_the_middle_of_a_range_is_that_of_all_that_lies_in_it() -> None:
    """Leaves that are intervals stand as the taxonomy has them, which need not be by number."""
    taxonomy = Taxonomy.from_paths("c", [("[5 to 10)", "*"), ("[-10 to -5)", "*"), ("[0 to 5)", "*")])
    text = "[5 to 10)..[0 to 5)"
    values, codes = read_values(taxonomy, "ranges", [text])
    numbers = numbers_of(values)
    assert numbers is not None and numbers[codes[text]] == 0
