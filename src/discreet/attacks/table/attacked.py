"""What an attack on a table has at hand: the release, the original, and whom the adversary knows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from discreet.attacks.table.above import fitting
from discreet.attacks.table.facts import Facts
from discreet.attacks.table.groups import Groups, Thresholds
from discreet.attacks.table.linkage import Linked
from discreet.attacks.table.people import KnownFile, People, original_groups, released_groups
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.models.partition_limits import Demand
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import Recoding
from discreet.taxonomy import Cut
from discreet.values.arrays import Int64s


@dataclass(frozen=True)
class Known:
    """A known file, in the engine that holds its rows."""

    engine: Engine
    name: str
    file: KnownFile


@dataclass(frozen=True, eq=False)
class AttackedTable:
    policy: TablePolicy
    table: EncodedTable
    demand: Demand
    facts: Facts
    thresholds: Thresholds | None
    """of the facts; None where there is no sensitive column"""
    releases: tuple[ReleasedTable, ...]
    """the one that is attacked, and another of the same table where one was given"""
    recodings: tuple[Recoding, ...]
    """of the releases"""
    everyone: People
    """everybody in the original"""
    people: People
    """those whom the adversary knows"""
    population: str
    cuts: tuple[Cut, ...] | None
    """those that were released; None: those that the release shows"""
    searched: bool
    """whether the release was chosen for this table"""
    random: np.random.Generator

    @property
    def recoding(self) -> Recoding:
        """Of the release that is attacked."""
        return self.recodings[0]

    @property
    def knows_everybody(self) -> bool:
        return self.people is self.everyone

    @cached_property
    def shares(self) -> Int64s:
        """How many records of the original have each fact."""
        return self.facts.counts(self.table)

    @cached_property
    def groups(self) -> Groups:
        """Of the release, by all quasi-identifiers."""
        return released_groups(self.releases[0], self.everyone.attributes, self.facts)

    @cached_property
    def truth(self) -> Groups:
        """The original's records by the nodes that the release publishes them at, where they are recoded by cuts."""
        return original_of(self.table, self.everyone, 0, self.groups, "release", self.facts)

    @cached_property
    def before(self) -> Linked:
        return Linked.of(
            self.people, self.people.leaves, original_groups(self.table, self.people.attributes, self.facts)
        )

    @cached_property
    def after(self) -> Linked:
        return Linked.to(self.people, 0, self.releases[0], self.facts)

    @cached_property
    def grouped(self) -> Linked | None:
        """The release as somebody sees it who also knows in which group everybody is; None where everybody fits one
        group only, or where the adversary does not know everybody."""
        if self.recoding != "local" or not self.knows_everybody:
            return None
        release = self.releases[0]
        truth = release.sensitive if self.facts.is_plain else None
        members = People(self.everyone.attributes, release.nodes, (release.nodes,), truth, release.counts)
        return Linked.of(members, release.nodes, self.groups)


def check_original(
    table: EncodedTable, everyone: People, number: int, recoding: Recoding, released: Groups, name: str, facts: Facts
) -> None:
    """An error where a release shows records that the original does not have.

    Of groups that overlap each is compared with all records that it could be published from.
    """
    if recoding != "local":
        original_of(table, everyone, number, released, name, facts)
        return
    above, keys = everyone.above[number], original_groups(table, everyone.attributes, facts)
    assert above is not None
    rows, values = len(released.sizes), released.values
    having = csr_array((keys.count, (keys.group, keys.value)), (len(keys.sizes), values))
    below = csr_array((rows, values), dtype=np.int64)
    sizes = np.zeros(rows, np.int64)
    start = 0
    for fits in fitting(keys.keys, above, released.keys):
        some = slice(start, start + fits.shape[0])
        below = below + fits.T @ having[some]
        sizes += fits.T @ keys.sizes[some]
        start = some.stop
    too_few = (sizes < released.sizes).any() or released.sizes.sum() > keys.sizes.sum()
    if too_few or (below[released.group, released.value] < released.count).any():
        raise _not_its_original(name)


def original_of(
    table: EncodedTable, everyone: People, number: int, released: Groups, name: str, facts: Facts
) -> Groups:
    """The original's records by the nodes that a release publishes them at; an error when they do not contain it."""
    nodes = everyone.nodes[number]
    published = (nodes >= 0).all(axis=0)
    groups = facts.groups(nodes[:, published], table.sensitive[published], table.counts[published])
    place = groups.find(released.keys)
    too_few = (place < 0) | (np.append(groups.sizes, 0)[place] < released.sizes)
    if too_few.any() or (groups.shown(place[released.group], released.value) < released.count).any():
        raise _not_its_original(name)
    return groups


def _not_its_original(name: str) -> InputError:
    return InputError(
        f"The {name} shows records that the original does not have; was it made from another table, or has the "
        "original changed since? Name the table it was made from with --original FILE."
    )
