"""The risk that a record is traced to its person: prosecutor, journalist and marketer.

Paper: El Emam and Dankar 2008. Records that look alike in what the adversary knows are a class; f is its size in
what they hold, F the number of people in the population that fit it.

prosecutor  they look for somebody whom they know to be in the table: each record of a class is the one with 1 / f.
journalist  they want to find anybody: a record of the class belongs to one of F people, so 1 / F.
marketer    they want as many as possible: the expected share of records traced, the mean of 1 / F over the records.

The population must hold everybody in the table. A file that holds fewer people of a class than there are records
cannot be its whole population; then one of f records is picked for the person and the risk is 1 / f. So F is
taken as the larger of the two. A class that nobody in the population fits cannot be traced by it at all: risk 0.
Somebody about whom not everything is known fits every class that agrees with what is known.

share_at_risk is the share of records whose risk exceeds one in five, the usual limit.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from discreet.values.arrays import Int64s

AT_RISK = Fraction(1, 5)


def risks(sizes: Int64s, population: Int64s) -> dict[str, Any]:
    """K of the attack's document. sizes: class -> records; population: class -> people who fit it."""
    reached = population > 0
    people = np.maximum(sizes, population)[reached]
    journalist = _summary(sizes[reached], people, int(sizes.sum()))
    return {
        "prosecutor": _summary(sizes, sizes, int(sizes.sum())),
        "journalist": journalist,
        "marketer": journalist["average"],
    }


def _summary(records: Int64s, alike: Int64s, total: int) -> dict[str, float]:
    if not total or not len(alike):
        return {"highest": 0.0, "average": 0.0, "share_at_risk": 0.0}
    endangered = AT_RISK.denominator > AT_RISK.numerator * alike
    return {
        "highest": float(1 / alike.min()),
        "average": float((records / alike).sum() / total),
        "share_at_risk": int(records[endangered].sum()) / total,
    }
