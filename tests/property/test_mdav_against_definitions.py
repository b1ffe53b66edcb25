"""mdav against the paper's algorithm in fractions, and what it refuses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.table import EncodedTable
from discreet.errors import InputError, NoReleaseError
from discreet.models.k_anonymity import KAnonymity
from discreet.search.limits import Limits
from discreet.search.table.mdav import Aggregating, mdav, standardized
from discreet.search.table.points import PointTable
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import Taxonomy
from examples import examples
from oracle.mdav import Record, is_run_of_mdav, share_within


def problem_of(records: list[Record], k: int, forbidden: frozenset[str] = frozenset()) -> TableProblem:
    distinct = Counter(records)
    taxonomies = []
    for number, column in enumerate(zip(*records, strict=True)):
        half = [[str(float(value)), "low" if value < 3 else "high", "*"] for value in sorted(set(column))]
        taxonomies.append(Taxonomy.from_paths(f"c{number}", half))
    columns = zip(taxonomies, zip(*distinct, strict=True), strict=True)
    none = np.zeros(len(distinct), np.int32)
    table = EncodedTable(
        attributes=tuple(taxonomy.name for taxonomy in taxonomies),
        taxonomies=tuple(taxonomies),
        leaves=np.array([[tree.leaf_labels.index(str(float(value))) for value in values] for tree, values in columns]),
        sensitive=none,
        classes=none,
        counts=np.array(list(distinct.values()), np.int64),
        sensitive_values=("",),
        class_values=("",),
        forbidden={"c0": forbidden},
        labels={taxonomy.name: "means" for taxonomy in taxonomies},
    )
    return TableProblem(table, KAnonymity(k).demand(table.sensitive_column), "none", "sse")


def groups_of(aggregating: Aggregating, records: list[Record]) -> list[list[int]]:
    """Groups in the order in which they were made, as places of records; of equal ones it does not matter which."""
    table = aggregating.table
    distinct = list(Counter(records))
    record_of = {int(point): distinct[combination] for combination, point in enumerate(table.point_of)}
    places: dict[Record, list[int]] = defaultdict(list)
    for place, record in enumerate(records):
        places[record].append(place)
    groups: dict[int, list[int]] = defaultdict(list)
    for point, group, number in aggregating.entries.tolist():
        groups[group] += [places[record_of[point]].pop() for _ in range(number)]
    assert not any(places.values()), "every record is in a group"
    return [groups[group] for group in sorted(groups)]


values = st.integers(0, 12).map(lambda number: Fraction(number, 2))


@st.composite
def asked(draw: st.DrawFn) -> tuple[list[Record], int]:
    columns = draw(st.integers(1, 3))
    pool = draw(st.lists(st.tuples(*[values] * columns), min_size=1, max_size=14))
    records = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=20)) + pool
    return records, draw(st.integers(1, 5))


@examples(1000)
@given(asked())
def test_groups_are_those_of_the_paper(question: tuple[list[Record], int]) -> None:
    records, k = question
    problem = problem_of(records, k)
    if len(records) < k:
        with pytest.raises(NoReleaseError):
            mdav(problem)
        return
    table = PointTable.of(problem)
    aggregating = Aggregating(table, standardized(table))
    for _ in aggregating.steps():
        pass
    groups = groups_of(aggregating, records)
    assert all(k <= len(group) < 2 * k for group in groups) and aggregating.is_finished
    assert is_run_of_mdav(records, groups, k)
    assert float(aggregating.cost) == pytest.approx(float(share_within(records, groups)), abs=1e-9)
    assert mdav(problem).best.cost == aggregating.cost


@examples(200)
@given(asked())
def test_no_group_is_coarser_than_it_may_be(question: tuple[list[Record], int]) -> None:
    records, k = question
    table = PointTable.of(problem_of(records, k, frozenset("*")))
    aggregating = Aggregating(table, standardized(table))
    for _ in aggregating.steps():
        pass
    for group in groups_of(aggregating, records):
        assert len({records[place][0] < 3 for place in group}) == 1


def one_column(numbers: Iterable[int]) -> list[Record]:
    return [(Fraction(number),) for number in numbers]


def test_what_is_left_when_time_is_up_is_one_group() -> None:
    records = one_column(range(20))
    result = mdav(problem_of(records, 3), Limits(time_limit=1e-9))
    assert result.details == {"groups": 1, "finished": False} and result.best.cost == 1
    assert mdav(problem_of(records, 3)).details == {"groups": 6, "finished": True}


def test_copies_of_one_record_are_published_as_it_is() -> None:
    """Seven copies are two groups of three and one more record: all of them are published alike, but for this one."""
    records = one_column([5, 5, 5, 5, 5, 5, 5, 0, 1])
    result = mdav(problem_of(records, 3))
    recoded = result.recoded
    published = [recoded.values[0].labels[code] for code in recoded.nodes[recoded.regions, 0].tolist()]
    rows = Counter(dict.fromkeys(published, 0))
    for label, count in zip(published, recoded.counts.tolist(), strict=True):
        rows[label] += count
    assert rows == {"5": 6, "2": 3}


def test_a_missing_value_is_refused() -> None:
    problem = problem_of([(Fraction(1),), (Fraction(2),)], 1)
    taxonomy = problem.table.taxonomies[0].with_missing()
    table = problem.table
    missing = EncodedTable(
        **{
            **{name: getattr(table, name) for name in table.__dataclass_fields__},
            "taxonomies": (taxonomy,),
            "leaves": np.array([[0, len(taxonomy.leaf_nodes) - 1]], np.int32),
        }
    )
    with pytest.raises(InputError, match="c0: a value is missing, and mdav needs a number in every record"):
        mdav(TableProblem(missing, problem.demand, "none", "sse"))
