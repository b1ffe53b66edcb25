"""What an attack on a table has at hand: the release, the original, and whom the adversary knows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.attacks.table.facts import Facts
from discreet.attacks.table.groups import Groups, Thresholds
from discreet.attacks.table.linkage import Linked
from discreet.attacks.table.people import KnownFile, People
from discreet.encode.released_table import ReleasedTable
from discreet.encode.table import EncodedTable
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.models.partition_limits import Demand
from discreet.policy import TablePolicy
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
    everyone: People
    """everybody in the original"""
    people: People
    """those whom the adversary knows"""
    groups: Groups
    """of the release, by all quasi-identifiers"""
    truth: Groups
    """the original's records by the nodes that the release publishes them at"""
    before: Linked
    after: Linked
    population: str
    cuts: tuple[Cut, ...] | None
    """those that were released; None: those that the release shows"""
    searched: bool
    """whether the release was chosen for this table"""
    random: np.random.Generator

    @cached_property
    def shares(self) -> Int64s:
        """How many records of the original have each fact."""
        return self.facts.counts(self.table)


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
        raise InputError(
            f"The {name} shows records that the original does not have; was it made from another table, or has the "
            "original changed since? Name the table it was made from with --original FILE."
        )
    return groups
