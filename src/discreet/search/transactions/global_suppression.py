"""global-suppression: rho-uncertainty by leaving item types out of all records.

Paper: Cao, Karras, Raïssi and Tan 2010 (SuppressControl). As long as a rule q -> e is unsafe, the item type with the
largest payoff is left out of all records at once: the unsafe rules it ends divided by the occurrences it loses.

Promises: rho-uncertainty; that it loses no more than the release without sensitive types; and, unless stopped, that no
sensitive type that was left out could come back on its own. It does not promise that no other choice loses less.

Why it is safe and ends. A rule of types that stay keeps its supports whatever else goes. So leaving a type out makes no
rule unsafe, and ends exactly the rules it is part of. There are finitely many types, and none goes twice before an
exact search for unsafe rules of all that stay (kernels/unsafe_rules.py) finds nothing. A type that comes back
afterwards brings only rules that it is part of, and these are searched just as exactly; each return lowers the loss. A
sensitive type that is refused has an unsafe rule, which stays as long as its types do. So it need not be tried again
when more sensitive types have come back.

Departures from the paper:

- It counts all unsafe rules, one length of q after another. There are millions, up to as many as a record has
  subsets. Here the payoff counts the rules of a buffer: one short rule for each sensitive occurrence of records drawn
  at random, equal ones once (kernels/minimal_rules.py). What is lost is counted in the records drawn, too, and a little
  is added, or the rare types would win by chance. When all rules are ended the buffer is filled again.
- At the end, types come back where the release stays safe. A rare item has a large payoff at the start, and is no
  danger any more when the sensitive items it points to have gone. An item that is not sensitive comes back even if
  others that lose less must go for it.
- It starts with another release: all types but the sensitive ones, which has no rule, and then each sensitive type that
  can come back, the most frequent first. The better of the two is published. By payoff alone much more may be lost:
  leaving out a rare item ends a rule, but hardly ever the last one of its record, so that both it and the sensitive
  item go. Where the records have little in common, that leaves out half of all other items, and not all can come back.

If stopped early, it publishes the best so far: at worst, all types but the sensitive ones.

What to expect: a record that is like no other gives away each of its sensitive items, and one such record is enough
for a type to go. On sparse data hardly any sensitive type stays.

Costs: some dozen buffers, and a search in the records of each type that is left out. Memory is a few numbers for
each occurrence, and a table of the records for each item that at least one in 200 has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.kernels.minimal_rules import Floats, Holdings, find_minimal_rules
from discreet.kernels.row_sets import rows_of_items, rows_with_above
from discreet.kernels.unsafe_rules import (
    CLOSED,
    MEMBERS,
    OPEN,
    OPEN_WHERE_TOUCHED,
    RULES,
    Part,
    find_unsafe_rules,
    room_for_rules,
)
from discreet.losses.transactions import prices
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.recode.transactions.recoded import UNPUBLISHED, Recoded, release_cost
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.transactions.problem import TransactionProblem, cannot_keep
from discreet.search.transactions.records import Bools, with_denominator_up_to
from discreet.search.transactions.stoppable import run_stoppable
from discreet.values.arrays import Int32s, Int64s
from discreet.values.sets import Sets, distinct

BUFFER = 4_000
"""Rules that are looked at together."""

SMALL_BUFFER = 500
"""Rules where an estimate will do."""

FREQUENT = 200
"""An item is frequent if one in this many records has it."""

DOUBT = 20
"""Occurrences by which a payoff in a sample of the records is damped."""


def global_suppression(
    problem: TransactionProblem, limits: Limits, random: np.random.Generator, listen: Listener = ignore
) -> SearchResult:
    """Leaves item types out everywhere until no rule is unsafe, each time the one with the largest payoff."""
    types = ItemTypes(problem, limits, random, listen, "global-suppression", generalize=False)

    def run(stop: Int64s) -> None:
        types.publish_nothing_sensitive()
        types.is_published[types.sensitive] = True
        if types.make_safe(types.sensitive, stop):
            types.put_back(np.flatnonzero(types.is_leaf), stop)

    return types.search(run)


class ItemTypes:
    """Which item types are published: nodes of the taxonomy, by number, and sensitive items, first_sensitive + code.

    With `generalize` a record has all nodes above its items, otherwise the leaves alone. No node is published together
    with one below it.
    """

    def __init__(
        self,
        problem: TransactionProblem,
        limits: Limits,
        random: np.random.Generator,
        listen: Listener,
        method: str,
        generalize: bool,
    ) -> None:
        if not isinstance(problem.model, RhoUncertainty):
            raise cannot_keep(method, problem.model)
        self.problem = problem
        self.limits = limits
        self.random = random
        self.listen = listen
        self.rho = with_denominator_up_to(problem.model.rho, problem.transactions.transactions)
        transactions = problem.transactions
        taxonomy = transactions.taxonomy
        self.first_sensitive = len(taxonomy.labels)
        self.records = _with_nodes_above(transactions, generalize)
        count = self.first_sensitive + len(transactions.sensitive_items)
        self.sensitive: Int64s = np.arange(self.first_sensitive, count)
        self.data = Holdings(
            self.records.offsets,
            self.records.items,
            *rows_of_items(self.records.offsets, self.records.items, count),
            self.first_sensitive,
            *_table_of_frequent(self.records, count),
        )
        below = taxonomy.sums(transactions.leaf_occurrences)
        self.occurrences: Int64s = np.concatenate((below, transactions.sensitive_occurrences)).astype(np.int64)
        price, self.unit = prices(problem.loss, taxonomy)
        self.price: Int64s = np.concatenate((price, np.zeros(len(transactions.sensitive_items), np.int64)))
        self.weights: Int64s = self.occurrences * (self.unit - self.price)
        """type -> what leaving it out adds to the loss, in units"""
        self.is_leaf: Bools = taxonomy.end == np.arange(1, self.first_sensitive + 1)
        self.is_published: Bools = np.zeros(count, bool)
        self.best: Bools = self.is_published.copy()
        """what is published in the safe release of least loss so far"""
        self.least: Fraction | None = None
        """its loss"""
        self.draws = random.random(len(self.records.items))
        self.choices = 0
        """of types, that have been looked at"""
        self.events: list[SearchEvent] = []

    def holders(self, item: int) -> Int64s:
        first, end = self.data.posting_offsets[item : item + 2]
        return self.data.postings[first:end].astype(np.int64)

    def _is_held(self, items: Int64s) -> Bools:
        """Record -> does it have one of these items?"""
        is_held = np.zeros(len(self.records), bool)
        for item in items.tolist():
            is_held[self.holders(item)] = True
        return is_held

    # --- unsafe rules -----------------------------------------------------------------------------------------

    def short_rules(self, rows: Int64s, enough: int, stop: Int64s) -> tuple[Sets, int]:
        """About this many unsafe rules of these records, and how many of the records were read."""
        longest = int(self.records.sizes[rows].max(initial=0))
        offsets = np.zeros(enough + longest + 1, np.int64)
        members = np.empty(8 * enough + longest * longest, np.int32)
        rules, read = find_minimal_rules(
            self.data, self.is_published, rows, self.draws,
            self.rho.numerator, self.rho.denominator, enough, offsets, members, stop,
        )  # fmt: skip
        return Sets(offsets[: rules + 1], members[: offsets[rules]]), read

    def _different(self, rows: Int64s) -> Int64s:
        """Those of these records that are published with a sensitive item; the first of equal ones."""
        published = self._published(rows)
        is_sensitive = np.bincount(published.rows[published.items >= self.first_sensitive], minlength=len(rows)) > 0
        rows, published = rows[is_sensitive], published.take(np.flatnonzero(is_sensitive))
        return rows[distinct(published)[0]]

    def _published(self, rows: Int64s) -> Sets:
        records = self.records.take(rows)
        is_published = self.is_published[records.items]
        offsets = np.concatenate(([0], np.cumsum(is_published)))[records.offsets]
        return Sets(offsets.astype(np.int64), records.items[is_published])

    def rules_through(self, added: Int64s, stop: Int64s) -> Sets:
        """Unsafe rules of all lengths with an item of `added`, given that those without are safe.

        Unless stopped, it returns none only if there is none.
        """
        added = added[self.is_published[added]]
        is_touched = self._is_held(added)
        state = np.full(len(self.is_published), CLOSED, np.int64)
        state[self._published(np.flatnonzero(is_touched)).items] = OPEN_WHERE_TOUCHED
        state[added] = OPEN
        state[: self.first_sensitive] = CLOSED
        if not state.any():
            return NONE
        room = room_for_rules(BUFFER, 16 * BUFFER + len(self.is_published), 16 * BUFFER + len(self.records))
        find_unsafe_rules(
            Part(
                self.records.offsets, self.records.items, self.is_published[self.records.items],
                self.data.posting_offsets, self.data.postings,
            ),
            self.rho.numerator, self.rho.denominator, state, is_touched, room, stop,
        )  # fmt: skip
        offsets = room.offsets[: room.filled[RULES] + 1, MEMBERS].copy()
        return Sets(offsets, room.members[: offsets[-1]])

    # --- leaving types out and putting them back --------------------------------------------------------------

    def make_safe(self, added: Int64s, stop: Int64s, most: int | None = None, exact: bool = True) -> bool:
        """Leaves types out until no rule with an item of `added` is unsafe, given that those without are safe.

        False if stopped before, or if that adds more to the loss than `most` units. Unless exact, only rules of
        whole records, r less e -> e, are looked at.
        """
        pending = self._is_held(added)
        while not stop[0]:
            self.choices += 1
            self._note()
            rows = self.random.permutation(self._different(np.flatnonzero(pending)))
            rules, read = self.short_rules(rows, BUFFER if exact else SMALL_BUFFER, stop)
            pending[rows[:read] if read < len(rows) else slice(None)] = False
            weights = self.weights if read == len(rows) else self._weights_within(rows[:read])
            if len(rules) == 0 and read == len(rows):
                rules = self.rules_through(added, stop) if exact else NONE
                if len(rules) == 0:
                    return not stop[0]
            for item in self._suppress(rules, weights):
                # The rules r less e -> e of these records have changed.
                pending[self.holders(item)] = True
                most = None if most is None else most - int(self.weights[item])
            if most is not None and most < 0:
                return False
        return False

    def _suppress(self, rules: Sets, weights: Int64s | Floats) -> Iterator[int]:
        """Leaves out one type after another, the largest payoff first, until one of each rule is gone."""
        of_item, rule_of = rows_of_items(rules.offsets, rules.items, len(self.is_published))
        counts = np.diff(of_item)
        is_open = np.ones(len(rules), bool)
        # The last of equal payoffs: sensitive items rather than others.
        weights = np.maximum(weights, 0.5)[::-1]
        while is_open.any():
            item = len(counts) - 1 - int(np.argmax(counts[::-1] / weights))
            ended = rule_of[of_item[item] : of_item[item + 1]]
            ended = ended[is_open[ended]]
            is_open[ended] = False
            counts = counts - np.bincount(rules.take(ended).items, minlength=len(counts))
            self.is_published[item] = False
            yield item

    def _weights_within(self, rows: Int64s) -> Floats:
        """Type -> what leaving it out of these records alone would add to the loss, and a little more.

        Without that, some of many rare types would have the largest payoff of all by chance.
        """
        there = np.bincount(self.records.take(rows).items, minlength=len(self.weights))
        return self.weights * there / np.maximum(np.diff(self.data.posting_offsets), 1) + DOUBT * self.unit

    def put_back(self, nodes: Int64s, stop: Int64s) -> None:
        """Starting from a safe choice, publishes again those of these nodes that lower the loss, then sensitive types.

        A node comes back even where that requires leaving out other types that weigh less.
        """
        self._offer()
        nodes = nodes[~self.is_published[nodes]]
        for node in nodes[np.argsort(-self.weights[nodes], kind="stable")].tolist():
            before = self.is_published.copy()
            self.is_published[node] = True
            if self.make_safe(np.array([node]), stop, most=int(self.weights[node]) - 1):
                self._offer()
            else:
                self.is_published[:] = before
        self.put_back_sensitive(stop)

    def put_back_sensitive(self, stop: Int64s) -> None:
        """Starting from a safe choice, publishes again each sensitive type with which it stays safe."""
        items = self.sensitive[~self.is_published[self.sensitive] & (self.occurrences[self.sensitive] > 0)]
        for item in items[np.argsort(-self.weights[items], kind="stable")].tolist():
            if stop[0]:
                return
            self.choices += 1
            self._note()
            self.is_published[item] = True
            rules, _ = self.short_rules(self.holders(item), 1, stop)
            if len(rules) == 0:
                rules = self.rules_through(np.array([item]), stop)
            if len(rules) == 0 and not stop[0]:
                self._offer()
            else:
                self.is_published[item] = False

    def publish_nothing_sensitive(self) -> None:
        self.is_published[: self.first_sensitive] = self.is_leaf
        self.is_published[self.first_sensitive :] = False

    # --- what is published ------------------------------------------------------------------------------------

    def _offer(self) -> None:
        """Takes what is published now, which is safe, as the best so far unless something earlier lost less."""
        lost = self.unit * int(self.problem.transactions.occurrences + self.occurrences[self.sensitive].sum())
        loss = Fraction(lost - int(self.weights[self.is_published].sum()), self.unit)
        if self.least is None or loss <= self.least:
            self.least = loss
            self.best[:] = self.is_published

    def _note(self) -> None:
        self.events.append(SearchEvent(self.limits.seconds, self.least, None, self.choices))
        self.listen(self.events[-1])

    def recoded(self) -> Recoded:
        """The best release."""
        transactions = self.problem.transactions
        taxonomy = transactions.taxonomy
        node_of_leaf = np.full(len(taxonomy.leaf_nodes), UNPUBLISHED, np.int32)
        for node in np.flatnonzero(self.best[: self.first_sensitive]).tolist():
            node_of_leaf[taxonomy.first_leaf[node] : taxonomy.stop_leaf[node]] = node
        codes = np.arange(len(transactions.sensitive_items))
        kept = transactions.sensitive.mapped(np.where(self.best[self.first_sensitive :], codes, -1))
        return replace(Recoded.everywhere(transactions, node_of_leaf), kept=kept)

    def search(self, run: Callable[[Int64s], None]) -> SearchResult:
        """Hands over the best safe choice that run(stop) meets or that starts from nothing sensitive."""
        self.publish_nothing_sensitive()
        self._offer()

        def both(stop: Int64s) -> None:
            self.put_back_sensitive(stop)
            run(stop)

        run_stoppable(both, self.limits)
        recoded = self.recoded()
        cost = release_cost(self.problem.loss, self.problem.transactions, recoded)
        self._note()
        is_kept = self.best & (self.occurrences > 0)
        details = {
            "sensitive_types": int((self.occurrences[self.sensitive] > 0).sum()),
            "sensitive_types_kept": int(is_kept[self.sensitive].sum()),
            "other_types_published": int(is_kept[: self.first_sensitive].sum()),
            "choices": self.choices,
        }
        return SearchResult.ended(recoded, cost, self.limits, self.events, details)


NONE = Sets.of([])


def _with_nodes_above(transactions: EncodedTransactions, above: bool) -> Sets:
    """Record -> the nodes of its items, with those above if wanted, and its sensitive items after all nodes."""
    taxonomy, nodes = transactions.taxonomy, transactions.nodes
    if above:
        nodes = Sets(*rows_with_above(nodes.offsets, nodes.items, taxonomy.parents))
    each = nodes.joined(transactions.sensitive, len(taxonomy.labels))
    return each.take(np.repeat(np.arange(len(transactions.counts)), transactions.counts))


def _table_of_frequent(sets: Sets, items: int) -> tuple[Int32s, Bools]:
    """Item -> its row, -1 for a rare one; row x set: does the set have it?"""
    supports = np.bincount(sets.items, minlength=items)
    is_frequent = supports * FREQUENT > len(sets)
    row = np.where(is_frequent, np.cumsum(is_frequent) - 1, -1).astype(np.int32)
    table = np.zeros((int(is_frequent.sum()), len(sets)), bool)
    wanted = is_frequent[sets.items]
    table[row[sets.items[wanted]], sets.rows[wanted]] = True
    return row, table
