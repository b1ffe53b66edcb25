"""The utility of released transactions against their original; a measure is one file and one line here."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions, TransactionEncoding
from discreet.losses.lm import LossMetric
from discreet.losses.ncp import NormalizedCertaintyPenalty
from discreet.measure.measurement import Measurement
from discreet.measure.transactions.certainty import ItemLossShare
from discreet.measure.transactions.comparison import TransactionComparison, TransactionMeasure
from discreet.measure.transactions.frequent_patterns import FrequentPatterns
from discreet.measure.transactions.item_divergence import ItemDivergence
from discreet.measure.transactions.item_frequency import ItemFrequency
from discreet.measure.transactions.items_lost import ItemsLost
from discreet.measure.transactions.published_items import PublishedItems
from discreet.measure.transactions.rules_kept import RulesKept
from discreet.measure.transactions.sensitive_rules import SensitiveRules
from discreet.recode.transactions.recoded import Recoded
from discreet.search.transactions.solve import SolvedTransactions
from discreet.values.steps import one_by_one

_MEASURES: tuple[TransactionMeasure, ...] = (
    FrequentPatterns(),
    RulesKept(),
    SensitiveRules(),
    ItemsLost(),
    ItemFrequency(),
    ItemDivergence(),
    ItemLossShare(NormalizedCertaintyPenalty(), "Normalized certainty penalty"),
    ItemLossShare(LossMetric(), "Loss metric"),
    PublishedItems(),
)
TRANSACTION_MEASURES: dict[str, TransactionMeasure] = {measure.name: measure for measure in _MEASURES}


def measure_transactions(
    original: EncodedTransactions,
    release: ReleasedTransactions,
    recoded: Recoded | None = None,
    *,
    rho: Fraction | None = None,
    random: np.random.Generator,
) -> tuple[Measurement, ...]:
    """All measures that apply to the transactions, in the order of TRANSACTION_MEASURES.

    recoded: how the release was made, where it is known. Without it, what items lost is read off the release if that
    is possible and otherwise not measured, which the measurement then says. rho: that of the promise, where it has one.
    """
    comparison = TransactionComparison(original, release, recoded, rho)
    # Each measure draws from a stream of its own, so that a new one does not change the others' figures.
    streams = dict(zip(TRANSACTION_MEASURES, random.spawn(len(TRANSACTION_MEASURES)), strict=True))
    applying = {
        name: measure
        for name, measure in TRANSACTION_MEASURES.items()
        if original.sensitive_items or not measure.needs_sensitive
    }
    return tuple(
        measure.measure(comparison, streams[name]) for name, measure in one_by_one("measure", applying.items())
    )


def measure_solved(
    solved: SolvedTransactions,
    original: TransactionEncoding,
    release: ReleasedTransactions,
    random: np.random.Generator,
) -> dict[str, Any]:
    """The parts of the result that are measured in the release read back."""
    promise = solved.policy.promise
    rho = promise.share if promise.about_rules else None
    measurements = measure_transactions(original.transactions, release, solved.chosen.recoded, rho=rho, random=random)
    return {"utility": [measurement.as_dict() for measurement in measurements]}
