"""How sure somebody who knows the suppression scheme is about a person in a hidden group, where records tell several
things.

As in `scheme_worlds`, for tables whose records have values of several sensitive columns, are all rows of a person, or
have values that share a threshold. Groups are then suppressed as a whole (all-sa, all-rec). The adversary knows how
many people a hidden group has, what records of the table tell (`encode/joint`), the limits, and takes from the release
how likely each record is, each counted once more than it shows.

A world is an assignment of records to the n people of the group that breaks a limit; it is as likely as the product of
its records. So the worlds are all assignments less the lawful ones: those in which, for every limit, at most
floor(share * n) people have one of the records that it binds.

Lawful assignments are counted exactly, in whole numbers. Records that are bound by the same limits are one *class*.
People are handed to one class after another; all that later classes need to know is how many people are left and how
far each limit is used up that binds classes on both sides. The number of such states is what this costs. Three things
keep it small: a limit that cannot be broken before another one is left out; one that binds a single class only cuts off
the counts of that class; and a limit that has been begun is finished before others are begun. With categories of one
column a state is the people left and the use of one category; with two columns it has the counts of one of them, and is
small only for small groups. A group with too many states is not known.

The confidence in a record is how many of the people have it on average over the worlds, divided by n. A fact has that
of all records that tell it. What every hidden group of a size tells is the same, as nothing of it shows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb
from typing import TypeAlias

from discreet.models.partition_limits import PartitionLimits

MOST_MOVES = 1_000_000
"""Moves from state to state, for all sizes of groups together, up to which states are counted."""


class HiddenGroups:
    """All groups of a release of which nothing shows. Sizes that are asked for first are the last to be given up."""

    def __init__(self, likely: Sequence[int], limits: PartitionLimits, most_moves: int = MOST_MOVES) -> None:
        """likely: how likely each record is, in any unit; none is impossible."""
        self._likely = likely
        self._smallest = limits.smallest
        alone = (((record,), share) for record, share in enumerate(limits.shares))
        several = ((limit.values, limit.share) for limit in limits.sums)
        self._limits = [(frozenset(records), share) for records, share in (*alone, *several) if share < 1]
        self._moves_left = most_moves

    def confidences(self, people: int, facts: Sequence[Sequence[int]]) -> list[Fraction] | None:
        """Fact -> the confidence that it is true of one of the people. facts: the records that tell each.

        None where there are too many states to count, or where no group of this size breaks a limit.
        """
        total = sum(self._likely)
        if people < self._smallest:
            return [Fraction(sum(self._likely[record] for record in records), total) for records in facts]
        classes = list(_classes(self._likely, _binding(self._limits, people)))
        lawful = _Lawful(classes, people, self._moves_left)
        self._moves_left = max(0, self._moves_left - lawful.moves)
        unlawful = total**people - lawful.worlds
        if not lawful.finished or not unlawful:
            return None
        having = [0] * len(self._likely)
        for each, lawful_having in zip(classes, lawful.having, strict=True):
            # Of a class, its records have people in proportion to how likely they are.
            for_one = people * total ** (people - 1) - lawful_having // each.likely
            for record in each.records:
                having[record] = self._likely[record] * for_one
        return [Fraction(sum(having[record] for record in records), people * unlawful) for records in facts]


@dataclass(frozen=True)
class _Limit:
    records: frozenset[int]
    most: int
    """people who may have one of them"""


@dataclass(frozen=True)
class _Class:
    """Records that are bound by the same limits."""

    records: tuple[int, ...]
    likely: int
    most: int | None
    """people who may have one of them, by the limits that bind no other class"""
    limits: frozenset[_Limit]
    """those that bind other classes, too"""

    @property
    def is_like(self) -> tuple[object, ...]:
        """Classes with the same are exchangeable."""
        return self.likely, self.most, self.limits


_Alike: TypeAlias = tuple[frozenset[_Limit], list[int]]
"""The limits that exchangeable classes share with others, and the numbers of the classes."""


def _binding(limits: Iterable[tuple[frozenset[int], Fraction]], people: int) -> list[_Limit]:
    """The limits that can be broken in a group of this size while all others are kept."""
    most: dict[frozenset[int], int] = {}
    for records, share in limits:
        allowed = share.numerator * people // share.denominator
        if allowed < people:
            most[records] = min(allowed, most.get(records, allowed))
    containing: defaultdict[int, list[frozenset[int]]] = defaultdict(list)
    for records in most:
        for record in records:
            containing[record].append(records)
    return [
        _Limit(records, allowed)
        for records, allowed in most.items()
        if records and not any(records < wider and most[wider] <= allowed for wider in containing[min(records)])
    ]


def _classes(likely: Sequence[int], limits: Sequence[_Limit]) -> Iterator[_Class]:
    binding: defaultdict[int, set[_Limit]] = defaultdict(set)
    for limit in limits:
        for record in limit.records:
            binding[record].add(limit)
    classes: defaultdict[frozenset[_Limit], list[int]] = defaultdict(list)
    for record in range(len(likely)):
        classes[frozenset(binding[record])].append(record)
    bound = Counter(limit for signature in classes for limit in signature)
    for signature, records in classes.items():
        own = [limit.most for limit in signature if bound[limit] == 1]
        shared = frozenset(limit for limit in signature if bound[limit] > 1)
        yield _Class(tuple(records), sum(likely[record] for record in records), min(own, default=None), shared)


class _Lawful:
    """Adds up the lawful assignments of records to people, and for each class the people who have one of its records.

    Exchangeable classes are handed people together: in so many ways d of them can be given to d people.
    """

    def __init__(self, classes: Sequence[_Class], people: int, most_moves: int) -> None:
        self.worlds = 0
        self.moves = 0
        self._most_moves = most_moves
        self._people = people
        alike: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        for number, each in enumerate(classes):
            alike[each.is_like].append(number)
        together = _in_order([(classes[numbers[0]].limits, numbers) for numbers in alike.values()])
        steps = list(self._steps(together, classes))
        self.having = [0] * len(classes)
        for (_, numbers), having in zip(together, self._count(steps), strict=True):
            for number in numbers:
                self.having[number] = having // len(numbers)

    @property
    def finished(self) -> bool:
        return self.moves <= self._most_moves

    def _steps(self, together: Sequence[_Alike], classes: Sequence[_Class]) -> Iterator[_Step]:
        """A state is a number to the base of one more than all people: its digits are the people left and, for each
        limit, those who have one of its records; 0 before the first of its classes and after the last."""
        base = self._people + 1
        place: dict[_Limit, int] = {}
        last = {limit: number for number, (limits, _) in enumerate(together) for limit in limits}
        for number, (limits, alike) in enumerate(together):
            for limit in limits:
                place.setdefault(limit, base ** (len(place) + 1))
            open_ = tuple((place[limit], limit.most) for limit in limits)
            closed = tuple(place[limit] for limit in limits if last[limit] == number)
            one = classes[alike[0]]
            most = min((self._people, *(limit.most for limit in limits)))
            ways = self._ways(one.likely, min(most, most if one.most is None else one.most), len(alike), most)
            yield _Step(tuple(ways), open_, closed, sum(place[limit] for limit in limits) - sum(closed) - 1)

    def _ways(self, likely: int, most_each: int, classes: int, most: int) -> list[int]:
        """In how many ways d people can be handed to classes, at most so many to each."""
        one = [likely**people for people in range(most_each + 1)]

        def shared(some: list[int], others: list[int]) -> list[int]:
            self.moves += len(some) * len(others)
            if not self.finished:
                return some
            found = [0] * min(most + 1, len(some) + len(others) - 1)
            for first, ways in enumerate(some):
                for second, others_ways in enumerate(others[: len(found) - first]):
                    found[first + second] += comb(first + second, first) * ways * others_ways
            return found

        bits = [bit == "1" for bit in f"{classes:b}"[1:]]
        return reduce(lambda ways, odd: shared(shared(ways, ways), one) if odd else shared(ways, ways), bits, one)

    def _count(self, steps: Sequence[_Step]) -> list[int]:
        """For each step the people handed over in it, over all lawful assignments; zeros if that takes too long."""
        room = [0]
        for step in reversed(steps):
            room.append(room[-1] + step.most)
        before: list[dict[int, int]] = [{self._people: 1}]
        for step, room_after in zip(steps, room[-2::-1], strict=True):
            reached: defaultdict[int, int] = defaultdict(int)
            for state, worlds in before[-1].items():
                for _, ways, after in step.moves(state, self._people + 1, room_after):
                    reached[after] += worlds * ways
                    self.moves += 1
                if not self.finished:
                    return [0] * len(steps)
            before.append(dict(reached))
        after_all = {0: 1}
        having = [0] * len(steps)
        for number in reversed(range(len(steps))):
            step, completed = steps[number], {}
            for state, worlds in before[number].items():
                total = handed = 0
                for people, ways, after in step.moves(state, self._people + 1, room[len(steps) - number - 1]):
                    if rest := after_all.get(after):
                        total += ways * rest
                        handed += people * ways * rest
                having[number] += worlds * handed
                if total:
                    completed[state] = total
            after_all = completed
        self.worlds = after_all.get(self._people, 0)
        return having


@dataclass(frozen=True)
class _Step:
    """People are handed to exchangeable classes."""

    ways: tuple[int, ...]
    """by how many people"""
    limits: tuple[tuple[int, int], ...]
    """the place of each limit among the digits of a state, and the most people that it allows"""
    closed: tuple[int, ...]
    """the places of those limits that bind no later class"""
    each: int
    """what a person who is handed over adds to a state"""

    @property
    def most(self) -> int:
        return len(self.ways) - 1

    def moves(self, state: int, base: int, room_after: int) -> Iterator[tuple[int, int, int]]:
        """How many people are handed over, in how many ways, and the state that is left."""
        left = state % base
        most = min((left, self.most, *(allowed - state // place % base for place, allowed in self.limits)))
        after = state - sum(place * (state // place % base) for place in self.closed)
        for people in range(max(0, left - room_after), most + 1):
            yield people, comb(left, people) * self.ways[people], after + people * self.each


def _in_order(classes: list[_Alike]) -> list[_Alike]:
    """So that few limits are open at a time: the one with the fewest classes to come is finished first."""
    binds: defaultdict[_Limit, set[int]] = defaultdict(set)
    for number, (limits, _) in enumerate(classes):
        for limit in limits:
            binds[limit].add(number)
    ordered: list[int] = []
    begun: set[_Limit] = set()
    while binds:
        limit = min(begun or binds, key=lambda limit: (len(binds[limit]), min(binds[limit])))
        number = min(binds[limit], key=lambda number: (len(classes[number][0] - begun), number))
        ordered.append(number)
        for touched in classes[number][0]:
            begun.add(touched)
            binds[touched].discard(number)
            if not binds[touched]:
                begun.discard(touched)
                del binds[touched]
    unbound = (number for number, (limits, _) in enumerate(classes) if not limits)
    return [classes[number] for number in (*ordered, *unbound)]
