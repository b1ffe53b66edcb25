"""The table of docs/why.md that sets the promises side by side, against the promises themselves."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np

from discreet.models.beta_likeness import BetaLikeness
from discreet.models.distinct_l_diversity import DistinctLDiversity
from discreet.models.entropy_l_diversity import EntropyLDiversity
from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.parameters import AboveZero, AtLeastOne, FromZero
from discreet.models.partition_limits import SensitiveColumn
from discreet.models.recursive_l_diversity import RecursiveLDiversity
from discreet.models.t_closeness import TCloseness
from discreet.models.table import TableModel

WHY = Path(__file__).parents[3] / "docs" / "why.md"
EVERYBODY = {"Flu": Fraction(1, 2), "Cold": Fraction(1, 4), "Cancer": Fraction(1, 4)}
COLUMN = SensitiveColumn(tuple(EVERYBODY), (2, 1, 1))
PROMISES: dict[str, TableModel] = {
    "k = 5": KAnonymity(5),
    "distinct 2": DistinctLDiversity(2),
    "entropy 2": EntropyLDiversity(AtLeastOne(Fraction(2))),
    "recursive (2, 2)": RecursiveLDiversity(AboveZero(Fraction(2)), 2),
    "l-diversity, l = 2": LDiversity(2),
    "t = 1/4, equal": TCloseness(FromZero(Fraction(1, 4)), "equal", EVERYBODY),
    "beta = 1/2": BetaLikeness(AboveZero(Fraction(1, 2)), EVERYBODY),
}


def test_the_page_says_what_the_promises_say() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in WHY.read_text().splitlines()
        if line.startswith(("| the group |", "| 6 ", "| 5 ", "| 3 ", "| 2 "))
    ]
    (_, *names), *groups = rows
    assert names == list(PROMISES)
    assert len(groups) == 5
    for group, *said in groups:
        counts = dict.fromkeys(EVERYBODY, 0) | {value: int(count) for count, value in re.findall(r"(\d+) (\w+)", group)}
        histogram = np.array([list(counts.values())], np.int64)
        kept = [bool(model.demand(COLUMN).holds(histogram)[0]) for model in PROMISES.values()]
        assert said == ["holds" if keeps else "breaks" for keeps in kept], group
