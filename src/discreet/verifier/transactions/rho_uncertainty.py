"""The rules by which a sensitive item follows from other published items too surely, found by definition and exactly.

Paper: Cao, Karras, Raïssi and Tan 2010. A rule is a non-empty set q of published items, sensitive ones or not, and a
sensitive item e outside it. It is unsafe if sup(q + e) > rho sup(q), where sup counts the records that hold a set.
Nothing bounds the size of q, and a record of n items has 2^n subsets. They need not be listed.

Take one e and let D be the records with e and at least one more item; a record of e alone is part of no rule. Let m(q)
be how many records hold q but not e. With k = sup(q + e) the rule is unsafe if and only if k > rho (k + m(q)).

- *Closed sets.* Let c be what the records of D that hold q have in common, e aside. It contains q, so no more records
  hold it, but of D the same ones do: if q -> e is unsafe, so is c -> e. So only such c are looked at. Where only one
  record of D holds q, or several that are equal, c is that record r less e. Every r less e is looked at first.
- *Branches.* A branch is all sets that contain a given one. Let B be the records of D that hold the given one, by
  m(r less e) ascending. If k of them hold a set q of the branch, then m(q) >= m(r less e) for each of these k, since
  what holds r less e holds q. The largest of k numbers out of B is at least the k-th smallest of B, m_k. So if
  k <= rho (k + m_k) for every k from 1 to |B|, no rule of the branch is unsafe. Equal records have one m, and of
  several k with one m the last is the hardest, so one test is enough for them.
- *Once each.* Items have an order, and a branch grows only by items behind its last one. If what the records of a
  branch have in common includes an item before the last one that the set above it lacks, the same records are met on
  the branch of that item. So every closed set is found, along one path only (Uno, Asai, Uchida and Arimura 2004).

The cost is a count for each sensitive occurrence that is left, and one for each closed set of two different records or
more that no bound settles. In a sparse release these are few, though nothing guarantees that. A count takes at
most as many steps for each item of the set as the rarest of them has records; counts are kept and not made twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import and_

import numpy as np

from discreet.verifier.transactions.itemsets import Incidence


@dataclass(frozen=True)
class Rule:
    """Of the records that hold the known items, `support` many, so many hold the sensitive item too."""

    known: frozenset[int]
    sensitive: int
    support: int
    holders: int


def unsafe_rules(records: Incidence, first_sensitive: int, rho: Fraction) -> Iterator[Rule]:
    """Unsafe rules one by one; none if and only if there is none. Items from first_sensitive on are sensitive.

    Not all: where a rule was found, those with more known items are left out, and where a whole record less a sensitive
    item gives one, only such records are looked at.
    """
    return _Search(records, first_sensitive, rho).run()


@dataclass(frozen=True)
class _Holder:
    """A record with the sensitive item that is looked at, with how often it is published."""

    known: frozenset[int]
    """its other items"""
    times: int
    without: int
    """how many records hold the known items but not the sensitive one"""


class _Search:
    def __init__(self, records: Incidence, first_sensitive: int, rho: Fraction) -> None:
        self.records = records
        self.first_sensitive = first_sensitive
        self.rho = rho
        by_item = records.by_column
        self.having = [frozenset(by_item.row(item).tolist()) for item in range(by_item.height)]
        self.supports: dict[frozenset[int], int] = {}
        self.found: list[Rule] = []

    def run(self) -> Iterator[Rule]:
        holders: defaultdict[int, list[_Holder]] = defaultdict(list)
        for record, times in self._distinct_records().items():
            for item in record:
                if item >= self.first_sensitive:
                    rule = self._rule(record - {item}, item)
                    holders[item].append(_Holder(rule.known, times, rule.support - rule.holders))
                    yield from self._shortest_if_unsafe(rule)
        if not self.found:
            for item, those in holders.items():
                yield from self._closed(item, those)

    def _distinct_records(self) -> Counter[frozenset[int]]:
        """Those with a sensitive item and another one, and how often each occurs."""
        records = self.records
        sensitive = np.bincount(records.rows[records.columns >= self.first_sensitive], minlength=records.height)
        wanted = np.flatnonzero((sensitive > 0) & (np.diff(records.offsets) > 1))
        return Counter(frozenset(records.row(row).tolist()) for row in wanted.tolist())

    def _closed(self, item: int, holders: list[_Holder]) -> Iterator[Rule]:
        """Depth first through the closed sets of at least two different records with the item."""
        nothing: frozenset[int] = frozenset()
        stack = [(sorted(holders, key=lambda holder: holder.without), -1, nothing)]
        while stack:
            branch, last, above = stack.pop()
            if self._is_safe_branch(branch):
                continue
            having: defaultdict[int, list[_Holder]] = defaultdict(list)
            for holder in branch:
                for known in holder.known:
                    having[known].append(holder)
            common = frozenset(known for known, those in having.items() if len(those) == len(branch))
            if any(known < last for known in common - above):
                continue
            # As many records without the item as hold any one of these hold what they have in common.
            number = sum(holder.times for holder in branch)
            if common and self._is_unsafe(number, number + branch[-1].without):
                yield from self._shortest_if_unsafe(self._rule(common, item))
            stack += [
                (those, known, common)
                for known, those in having.items()
                if known > last and 1 < len(those) < len(branch)
            ]

    def _is_safe_branch(self, branch: Sequence[_Holder]) -> bool:
        number = 0
        for holder in branch:
            number += holder.times
            if self._is_unsafe(number, number + holder.without):
                return False
        return True

    # --- one rule ---------------------------------------------------------------------------------------------

    def _is_unsafe(self, holders: int, support: int) -> bool:
        return holders * self.rho.denominator > self.rho.numerator * support

    def _rule(self, known: frozenset[int], item: int) -> Rule:
        return Rule(known, item, self._support(known), self._support(known | {item}))

    def _support(self, items: frozenset[int]) -> int:
        if items not in self.supports:
            # From the rarest item on, so that no step is longer than that item's records are many.
            rarest_first = sorted((self.having[item] for item in items), key=len)
            self.supports[items] = len(reduce(and_, rarest_first))
        return self.supports[items]

    def _shortest_if_unsafe(self, rule: Rule) -> Iterator[Rule]:
        """If the rule is unsafe and contains none that was found: itself, less what can be left out one by one."""
        if not self._is_unsafe(rule.holders, rule.support) or self._contains_found(rule):
            return
        for item in sorted(rule.known):
            if len(rule.known) > 1:
                shorter = self._rule(rule.known - {item}, rule.sensitive)
                if self._is_unsafe(shorter.holders, shorter.support):
                    rule = shorter
        self.found.append(rule)
        yield rule

    def _contains_found(self, rule: Rule) -> bool:
        return any(found.sensitive == rule.sensitive and found.known <= rule.known for found in self.found)
