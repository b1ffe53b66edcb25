"""Every measure on a table of eight people, worked out by hand, and on the edges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import log

import numpy as np
import pytest

from discreet.encode.joint import SUPPRESSED
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.errors import InputError
from discreet.measure.measurement import Measurement, percent
from discreet.measure.table import TABLE_MEASURES, measure_table
from discreet.measure.table.association import dependence
from discreet.measure.table.comparison import MADE_UP, Comparison
from discreet.measure.table.queries import Query, draw_queries, relative_errors
from discreet.taxonomy import Taxonomy

EDUCATION = Taxonomy.from_paths(
    "education", [("Jr", "Sec", "*"), ("Sr", "Sec", "*"), ("Ba", "Uni", "*"), ("Gr", "Uni", "*")]
)
COUNTRY = Taxonomy.from_paths("country", [("UK", "Eu", "*"), ("Fr", "Eu", "*"), ("USA", "*")])
ONLY = Taxonomy.from_paths("only", [("x",)])
BOTH = (EDUCATION, COUNTRY)

# Quasi-identifiers, sensitive value, class, how often; "?" is a missing value.
TABLE = ("Jr UK F no 2", "Jr Fr A no 1", "Sr UK F yes 1", "Ba USA A yes 3", "Gr USA C no 1")
# The one "yes" of Sec Eu and one of Uni USA deleted, C starred.
RELEASE = ("Sec Eu F no 2", "Sec Eu A no 1", "Uni USA A yes 2", "Uni USA * no 1")


def encoded(rows: Sequence[str], taxonomies: Sequence[Taxonomy]) -> EncodedTable:
    split = [row.replace("?", "!").split() for row in rows]
    values = tuple(sorted({row[-3] for row in split}))
    classes = tuple(sorted({row[-2] for row in split}))
    return EncodedTable(
        attributes=tuple(taxonomy.name for taxonomy in taxonomies),
        taxonomies=tuple(taxonomies),
        leaves=np.array(
            [[tree.leaf_labels.index(row[index].strip("!")) for row in split] for index, tree in enumerate(taxonomies)],
            np.int32,
        ),
        sensitive=np.array([values.index(row[-3]) for row in split], np.int32),
        classes=np.array([classes.index(row[-2]) for row in split], np.int32),
        counts=np.array([int(row[-1]) for row in split], np.int64),
        sensitive_values=values,
        class_values=classes,
    )


def released(rows: Sequence[str], table: EncodedTable) -> ReleasedTable:
    split = [row.replace("?", "!").split() for row in rows]
    codes = {**{value: code for code, value in enumerate(table.sensitive_values)}, "*": SUPPRESSED}
    return ReleasedTable(
        nodes=np.array(
            [[tree.node(row[index].strip("!")) for row in split] for index, tree in enumerate(table.taxonomies)],
            np.int32,
        ),
        sensitive=np.array([codes[row[-3]] for row in split], np.int32),
        classes=np.array([table.class_values.index(row[-2]) for row in split], np.int32),
        counts=np.array([int(row[-1]) for row in split], np.int64),
    )


def compared(
    before: Sequence[str] = TABLE,
    after: Sequence[str] = RELEASE,
    taxonomies: Sequence[Taxonomy] = BOTH,
    sensitive: str | None = "disease",
    class_column: str | None = "income",
) -> Comparison:
    table = encoded(before, taxonomies)
    return Comparison(table, released(after, table), sensitive, class_column)


def measured(name: str, comparison: Comparison | None = None) -> Measurement:
    return TABLE_MEASURES[name].measure(comparison or compared(), np.random.default_rng(0))


def all_measured(comparison: Comparison, seed: int = 0) -> dict[str, Measurement]:
    found = measure_table(
        comparison.original,
        comparison.release,
        sensitive=comparison.sensitive,
        class_column=comparison.class_column,
        random=np.random.default_rng(seed),
    )
    return {measurement.name: measurement for measurement in found}


ENTROPY_LOST = (
    5 * log(4 / 3) + log(8) + log(8 / 3) + log(4),  # education: Jr and Ba kept, Sr and a Ba deleted, Gr kept
    2 * log(4 / 3) + log(4) + log(8 / 3) + log(2),  # country: UK and Fr kept, a UK and a USA deleted
)
ENTROPY_WORST = (6 * log(8 / 3) + 2 * log(8), 3 * log(8 / 3) + log(8) + 4 * log(2))


@pytest.mark.parametrize(
    ("name", "original", "release"),
    [
        # Six educations at 1/3, three countries at 1/2, a star at 2, two records at 4, of 16.
        ("lm", 0, 13.5 / 16),
        # Six educations at 1/2, three countries at 2/3, two records at 2.
        ("gcp", 0, 9 / 16),
        # Six educations from Junior to Senior or from Bachelor on, 1/3; three countries 1/2; two records at 2.
        ("hull", 0, 7.5 / 16),
        ("dm", 16 / 8, (3 * 3 + 3 * 3 + 2 * 8) / 8),
        ("cm", 0, 3 / 8),
        ("average_class_size", 8 / 5, 6 / 2),
        # education: 6 half-way and 2 all the way; country: 3 half-way and 2 all the way.
        ("precision", 1, 1 - ((3 + 2) / 8 + (1.5 + 2) / 8) / 2),
        ("entropy", 0, sum(ENTROPY_LOST) / sum(ENTROPY_WORST)),
        ("k", 1, 3),
        ("distinct_l", 1, 2),
        ("entropy_l", 1, 3 / 2 ** (2 / 3)),
        ("t", 5 / 8 + 2 / 8, 1 / 3),
    ],
)
def test_eight_people(name: str, original: float, release: float) -> None:
    found = measured(name)
    assert found.original == pytest.approx(original, abs=1e-12)
    assert found.release == pytest.approx(release, abs=1e-12)


def test_chances_follow_from_the_counts() -> None:
    chances = compared().chances
    assert chances.shown == pytest.approx([1, 1, 0, 2 / 3, 0])
    assert chances.starred == pytest.approx([0, 0, 0, 0, 1])


def test_marginals_of_eight_people() -> None:
    found = measured("marginals")
    columns = {column["column"]: column for column in found.details["columns"]}
    assert columns["education"]["divergence"] == pytest.approx(2 * 3 / 8 * log(3 / 2) + 2 / 8 * log(1 / 2))
    assert columns["education"]["distance"] == pytest.approx(1 / 4)
    assert columns["income"]["distance"] == pytest.approx(4 / 6 - 4 / 8)
    # Stars are left out: A has 3 of 5, F 2 of 5, and C has vanished.
    assert columns["disease"]["divergence"] is None
    assert columns["disease"]["vanished_values"] == ["C"]
    assert columns["disease"]["distance"] == pytest.approx((abs(4 / 8 - 3 / 5) + 1 / 8 + abs(3 / 8 - 2 / 5)) / 2)
    assert found.details["divergence"] is None
    assert found.release == pytest.approx(sum(column["distance"] for column in columns.values()) / len(columns))
    assert "1 value has vanished" in found.reading
    assert "disease ('C')" in found.reading


@pytest.mark.parametrize(
    ("columns", "admitted", "error"),
    [
        ((0,), ("1000",), 0.5),  # three Jr; the release says half of three Sec
        ((0,), ("0110",), 0.25),  # one Sr and three Ba; half of three Sec and half of three Uni
        ((2,), ("100",), 1 / 6),  # four A; three, and a third of a star
        ((0, 2), ("1100", "001"), 1 / 3),  # three F of Sec; two
        ((1,), ("001",), 1 / 4),  # four USA; three
        ((1, 2), ("001", "001"), 1 / 3 / 0.008),  # nobody; a third of a star, against the sanity bound
    ],
)
def test_the_error_of_a_query(columns: tuple[int, ...], admitted: tuple[str, ...], error: float) -> None:
    conditions = tuple(np.array([letter == "1" for letter in text]) for text in admitted)
    assert relative_errors(compared(), [Query(columns, conditions)])[0] == pytest.approx(error)


def test_queries_are_ranges_of_neighbouring_leaves() -> None:
    queries = draw_queries(compared(), np.random.default_rng(3))
    assert len(queries) == 1000
    assert {len(query.columns) for query in queries} == {1, 2, 3}
    assert {column for query in queries for column in query.columns} == {0, 1, 2}
    for query in queries:
        for column, admitted in zip(query.columns, query.admitted, strict=True):
            chosen = np.flatnonzero(admitted)
            assert len(chosen) == np.ceil(len(admitted) * 0.1 ** (1 / len(query.columns)))
            assert column == 2 or (np.diff(chosen) == 1).all()


def test_association_of_columns_that_say_the_same() -> None:
    same = np.array([0, 1, 2])
    found = dependence(same, same, np.array([4, 4, 8]))
    assert found.evidence == pytest.approx(8 * log(4) + 8 * log(2))
    assert found.cramers_v == pytest.approx(1)
    assert not found.is_weak


def test_association_of_independent_columns_is_weak() -> None:
    found = dependence(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([2, 4, 3, 6]))
    assert found.evidence == pytest.approx(0, abs=1e-12)
    assert found.cramers_v == pytest.approx(0, abs=1e-6)
    assert found.is_weak
    nothing = measured("association", compared(("Jr UK F no 5",), ("Sec Eu F no 5",)))
    assert (nothing.original, nothing.release) == (None, None)
    assert "nothing to keep" in nothing.reading


def test_association_lost_by_merging_values() -> None:
    before = ("Jr UK F no 10", "Sr Fr F no 10", "Ba USA F no 20")
    found = measured("association", compared(before, ("Sec UK F no 10", "Sec Fr F no 10", "Uni USA F no 20")))
    (pair,) = (pair for pair in found.details["pairs"] if not pair["weak"])
    assert pair["columns"] == ["education", "country"]
    # Three values told apart (20 ln 4 + 20 ln 2), then only two (40 ln 2).
    assert found.release == pytest.approx(40 * log(2) / (20 * log(4) + 20 * log(2)))


IDENTITY = compared(TABLE, TABLE)


def test_publishing_the_original_loses_nothing() -> None:
    found = all_measured(IDENTITY)
    for name in ("lm", "gcp", "entropy", "marginals", "queries"):
        assert found[name].release == 0, name
    assert found["precision"].release == 1
    for name in ("dm", "cm", "average_class_size", "k", "distinct_l", "entropy_l", "t", "association"):
        assert found[name].release == pytest.approx(found[name].original), name


EDGES = {
    "everything deleted": compared(after=()),
    "everything hidden": compared(after=("* * * no 4", "* * * yes 4")),
    "no sensitive column": compared(
        ("Jr UK - no 3", "Sr Fr - yes 2"), ("Sec Eu - no 3", "Sec Eu - yes 1"), sensitive=None
    ),
    "no class column": compared(("Jr UK A - 3", "Sr Fr B - 2"), ("Sec Eu A - 3", "Sec Eu B - 1"), class_column=None),
    "neither": compared(("Jr UK - - 3", "Sr Fr - - 2"), ("Sec Eu - - 4",), sensitive=None, class_column=None),
    "one attribute": compared(("Jr A no 3", "Ba B yes 2"), ("Sec A no 3", "Uni * yes 2"), (EDUCATION,)),
    "one leaf": compared(("x A no 3", "x B yes 2"), ("x A no 2", "x * yes 2"), (ONLY,)),
    "one record": compared(("Jr UK A no 1",), ("Sec UK A no 1",)),
    "missing values": compared(
        ("? UK A no 3", "Jr ? B yes 2"),
        ("? Eu A no 3", "Sec ? B yes 1"),
        (EDUCATION.with_missing(), COUNTRY.with_missing()),
    ),
}


@pytest.mark.parametrize("edge", EDGES)
def test_the_edges(edge: str) -> None:
    comparison = EDGES[edge]
    found = all_measured(comparison)
    for name, measure in TABLE_MEASURES.items():
        applies = (comparison.sensitive or not measure.needs_sensitive) and (
            comparison.class_column or not measure.needs_class
        )
        assert (name in found) == bool(applies and measure.recodings != MADE_UP)
    for measurement in found.values():
        document = json.loads(json.dumps(measurement.as_dict(), allow_nan=False))
        assert list(document) == [
            "name",
            "title",
            "paper",
            "definition",
            "unit",
            "original",
            "release",
            "reading",
            "details",
        ]
        assert document["reading"].endswith(".")
        assert "None" not in document["reading"]
        assert "nan" not in document["reading"]


def test_everything_deleted_is_the_worst() -> None:
    found = all_measured(EDGES["everything deleted"])
    assert found["lm"].release == 2
    assert (found["gcp"].release, found["precision"].release, found["entropy"].release) == (1, 0, 1)
    assert found["dm"].release == 8
    assert found["cm"].release == 1
    assert found["queries"].release == 1
    assert found["association"].release in (0, None)
    for name in ("average_class_size", "k", "distinct_l", "entropy_l", "t", "classifier"):
        assert found[name].release is None, name
    assert found["marginals"].release == 1


def test_everything_hidden() -> None:
    found = all_measured(EDGES["everything hidden"])
    assert (found["gcp"].release, found["precision"].release) == (1, 0)
    assert found["entropy"].release == pytest.approx(1)
    assert found["lm"].release == 2  # all values and all sensitive values
    assert (found["k"].release, found["distinct_l"].release, found["t"].release) == (8, 1, 0)


def test_a_chain_of_one_child_nodes_is_no_step() -> None:
    chain = Taxonomy.from_paths("education", [("Jr", "Y", "Sec", "*"), ("Sr", "Sec", "*"), ("Ba", "*")])
    before, after = ("Jr A no 1", "Sr A no 1", "Ba A no 2"), ("Y A no 1", "Sr A no 1", "Ba A no 2")
    for name in ("lm", "gcp", "entropy", "marginals"):
        assert measured(name, compared(before, after, (chain,))).release == 0
    assert measured("precision", compared(before, after, (chain,))).release == 1


def test_the_same_seed_gives_the_same_figures() -> None:
    assert all_measured(compared(), 5) == all_measured(compared(), 5)


def test_values_that_overlap_are_refused() -> None:
    with pytest.raises(InputError, match=r"education: the release holds both 'Sec' and 'Jr'"):
        all_measured(compared(after=("Sec Eu F no 1", "Jr Eu F no 1")))


@pytest.mark.parametrize(
    "after",
    [("Sec Eu F no 3",), ("Sec Eu C no 1",), ("Sec Eu * no 4",), ("Sec Eu F no 2", "Sec Eu A no 1", "Sec Eu * no 1")],
)
def test_a_release_of_another_table_is_refused(after: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="more rows of a kind than the original"):
        all_measured(compared(after=after))


def test_percentages_are_never_rounded_to_nothing_or_all() -> None:
    assert [percent(share) for share in (0, 1e-6, 0.1234, 0.99999, 1, 1.00001, 1.5, 16.5)] == [
        "0%",
        "less than 0.1%",
        "12.3%",
        "over 99.9%",
        "100%",
        "just over 100%",
        "150%",
        "1,650%",
    ]


def test_the_registry_has_every_measure_by_its_name() -> None:
    for name, measure in TABLE_MEASURES.items():
        assert measure.name == name
        assert measure.title and measure.paper and measure.definition.endswith(".")
