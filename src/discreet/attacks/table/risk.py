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

Where groups have labels of their own (local recoding), somebody may fit several of them. Two adversaries are told
apart. One knows in which group a person is, say because the method is known or a record in it can be recognized; for
them a class is the group by itself, and its records are those of as many people. The other takes all records that fit:
the prosecutor finds a person with 1 / (the records of all groups that fit), so their risk is counted by people and not
by records; of the journalist's people F there are all who fit the group. The first risks more, always: a group that
somebody is in is one of those that fit.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from discreet.attacks.table.linkage import Linked
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


def risks_among_all_that_fit(linked: Linked) -> dict[str, Any]:
    """The same where people may fit several classes: for the prosecutor by people, and for the others by records."""
    records, counts = linked.records, linked.people.counts
    fits = records > 0
    by_records = risks(linked.classes.sizes, linked.population)
    return {**by_records, "prosecutor": _summary(counts[fits], records[fits], linked.people.total)}


def _summary(records: Int64s, alike: Int64s, total: int) -> dict[str, float]:
    if not total or not len(alike):
        return {"highest": 0.0, "average": 0.0, "share_at_risk": 0.0}
    endangered = AT_RISK.denominator > AT_RISK.numerator * alike
    return {
        "highest": float(1 / alike.min()),
        "average": float((records / alike).sum() / total),
        "share_at_risk": int(records[endangered].sum()) / total,
    }
