"""What knowing the scheme tells where a record has several sensitive values, against all originals of hidden groups."""

from __future__ import annotations

import tempfile
from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet
from discreet.attacks.table.document import attack_tables
from discreet.attacks.table.joint_worlds import HiddenGroups
from discreet.encode.joint import SUPPRESSED
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import Encoding
from discreet.engine import DuckDBEngine
from discreet.models.partition_limits import PartitionLimits, SumLimit
from discreet.policy import TablePolicy
from discreet.recode.table.suppression import suppress
from discreet.search.table.problem import demand_of
from discreet.search.table.solve import encode
from discreet.taxonomy import Cut
from examples import examples
from oracle.people import SeveralProblem, facts_of, hidden_confidences, keeps, told_in_groups
from oracle.random_people import several
from oracle.tables import cuts_of

SHARES = st.sampled_from([Fraction(share) for share in ("0", "1/6", "1/4", "1/3", "2/5", "1/2", "2/3", "3/4", "1")])


# Groups by themselves


@st.composite
def hidden_groups(draw: st.DrawFn) -> tuple[tuple[int, ...], PartitionLimits, int]:
    """How likely each record is, any limits on some of them together, and how many people there are."""
    records = draw(st.integers(1, 5))
    likely = tuple(draw(st.lists(st.integers(1, 3), min_size=records, max_size=records)))
    some = st.lists(st.integers(0, records - 1), min_size=1, unique=True).map(lambda chosen: tuple(sorted(chosen)))
    sums = draw(st.lists(st.builds(SumLimit, some, SHARES), max_size=6))
    shares = tuple(draw(SHARES) if draw(st.booleans()) else Fraction(1) for _ in range(records))
    smallest, people = draw(st.integers(1, 3)), draw(st.integers(1, 6 if records < 5 else 5))
    return likely, PartitionLimits(shares, smallest, tuple(sums)), people


@examples(400)
@given(hidden_groups())
def test_confidences_are_shares_of_all_unlawful_assignments(case: tuple[tuple[int, ...], PartitionLimits, int]) -> None:
    likely, limits, people = case
    bounds: list[tuple[tuple[int, ...], Fraction]] = [((record,), share) for record, share in enumerate(limits.shares)]
    bounds += [(limit.values, limit.share) for limit in limits.sums]
    having, worlds = [0] * len(likely), 0
    for world in product(range(len(likely)), repeat=people):
        if people >= limits.smallest and all(
            sum(record in records for record in world) <= share * people for records, share in bounds
        ):
            continue
        chance = prod(likely[record] for record in world)
        worlds += chance
        having = [count + chance * world.count(record) for record, count in enumerate(having)]
    found = HiddenGroups(likely, limits).confidences(people, [(record,) for record in range(len(likely))])
    assert found == ([Fraction(count, worlds * people) for count in having] if worlds else None)


def test_what_takes_too_long_is_not_known() -> None:
    """And sizes that were counted before stay known."""
    limits = PartitionLimits((Fraction(1, 3),) * 4)
    facts = [(record,) for record in range(4)]
    assert HiddenGroups((1, 2, 3, 4), limits).confidences(12, facts) is not None
    few = HiddenGroups((1, 2, 3, 4), limits, most_moves=30)
    assert few.confidences(3, facts) is not None and few.confidences(12, facts) is None


def test_large_groups_with_categories_are_known() -> None:
    """A hundred values of one column, in four categories, with thresholds of both; alike by symmetry."""
    categories = [tuple(range(first, first + 25)) for first in range(0, 100, 25)]
    limits = PartitionLimits((Fraction(1, 10),) * 100, 1, tuple(SumLimit(each, Fraction(1, 3)) for each in categories))
    found = HiddenGroups((1,) * 100, limits).confidences(60, [*categories, (0,)])
    assert found == [Fraction(1, 4)] * 4 + [Fraction(1, 100)]


# Whole tables


@st.composite
def released(draw: st.DrawFn) -> tuple[SeveralProblem, dict[str, Any], pa.Table, tuple[frozenset[str], ...]]:
    """A table, its policy, and cuts that may be published, not only the best."""
    problem, policy, table = draw(several(most_rows=8))
    cuts = tuple(draw(st.sampled_from(cuts_of(taxonomy))) for taxonomy in problem.taxonomies)
    groups = [[facts_of(record) for record in group] for group in told_in_groups(problem, cuts)]
    assume(problem.scheme != "none" or all(keeps(problem, group) for group in groups))
    return problem, policy, table, cuts


def read_back(encoding: Encoding, policy: TablePolicy, cuts: tuple[Cut, ...]) -> ReleasedTable:
    """What the scheme publishes, as if it had been read from a file."""
    partitions = encoding.table.partitions(cuts)
    left = suppress(partitions, demand_of(policy.privacy, encoding.table), policy.search.suppression)
    stars = (left.sizes - left.visible.sum(axis=1))[:, None]
    counts = np.concatenate((left.visible, stars), axis=1)
    group, value = counts.nonzero()
    sensitive = np.where(value == left.visible.shape[1], SUPPRESSED, value).astype(np.int32)
    return ReleasedTable(left.nodes[group].T, sensitive, np.zeros(len(group), np.int32), counts[group, value])


@examples(300)
@given(released())
def test_the_attack_finds_what_all_originals_of_all_hidden_groups_tell(
    case: tuple[SeveralProblem, dict[str, Any], pa.Table, tuple[frozenset[str], ...]],
) -> None:
    problem, written, table, labels = case
    policy = discreet.Policy.parse(written)
    assert isinstance(policy, TablePolicy)
    with tempfile.TemporaryDirectory() as folder:
        engine = DuckDBEngine(Path(folder))
        try:
            encoding = encode(engine, policy, table)
        finally:
            engine.close()
    cuts = tuple(Cut.from_labels(t, sorted(cut)) for t, cut in zip(encoding.table.taxonomies, labels, strict=True))
    document = attack_tables(policy, encoding, read_back(encoding, policy, cuts), cuts=cuts)

    groups = told_in_groups(problem, labels)
    hidden = [group for group in groups if not keeps(problem, [facts_of(record) for record in group])]
    shown = Counter(record for group in groups if group not in hidden for record in group)
    likely = {record: shown[record] + 1 for group in groups for record in group}
    occurring = {fact for record in likely for fact in facts_of(record)}
    promised = {fact: share for fact, share in problem.limits if fact in occurring}
    facts = sorted({fact for fact in occurring if not fact[1].endswith("*")} | set(promised))
    people = sum(map(len, groups))
    above, highest = 0, Fraction(0)
    for group in hidden:
        found = hidden_confidences(problem, likely, len(group), facts)
        highest = max(highest, *found.values())
        above += len(group) * any(found[fact] > share for fact, share in promised.items())

    scheme, known = document["scheme"], document["knowing_the_method"]
    assert scheme["applies"] == bool(hidden)
    if hidden:
        assert scheme["untried"] == 0
        assert (scheme["people"], scheme["people_in_them"]) == (people, sum(map(len, hidden)))
        assert scheme["above_threshold"] in (above, None)
        assert scheme["highest_confidence"] == pytest.approx(float(highest))
    if any(share < 1 for share in promised.values()):
        assert known["by_suppression"] == above and "scheme" not in known["untried"] and not known["not_known"]
        # Nobody is above a threshold by what shows: whoever is, is so by what a hidden group tells.
        assert known["above_threshold"] == above + known["by_choice"]
        assert bool(document["warnings"]) == (above > 0)
    else:
        assert known is None
