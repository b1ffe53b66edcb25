from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.models.demands import together
from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.l_plus_diversity import ByFrequency, LPlusDiversity
from discreet.models.partition_limits import SensitiveColumn
from discreet.models.table import TABLE_MODELS
from discreet.models.transactions import TRANSACTION_MODELS
from discreet.values.partitions import PublishedPartitions

DISEASES = SensitiveColumn(("Asthma", "Cancer", "Flu"), (4, 3, 3))


def test_one_threshold_is_for_all_values() -> None:
    assert LPlusDiversity(Fraction(1, 2)).demand(DISEASES).shares == (Fraction(1, 2),) * 3


def test_l_diversity_is_the_threshold_one_l_th() -> None:
    assert LDiversity(4).demand(DISEASES) == LPlusDiversity(Fraction(1, 4)).demand(DISEASES)


def test_a_value_without_a_threshold_is_an_error_and_one_that_does_not_occur_a_warning() -> None:
    model = LPlusDiversity({"Asthma": Fraction(1), "Flu": Fraction(1, 2), "Gout": Fraction(0)})
    with pytest.raises(InputError, match="'Cancer' is in the sensitive column but has no threshold"):
        model.demand(DISEASES)
    assert model.warnings(DISEASES) == ["privacy.thresholds: 'Gout' is not in the sensitive column."]


def test_thresholds_by_frequency() -> None:
    """Section 3.6.1.2: the baseline below the average frequency, in proportion above it, never above 1."""
    column = SensitiveColumn(("rare", "average", "frequent", "most"), (1, 10, 15, 14))
    model = LPlusDiversity(ByFrequency(Fraction(1, 5)))
    assert model.demand(column).shares == (Fraction(1, 5), Fraction(1, 5), Fraction(3, 10), Fraction(7, 25))
    assert LPlusDiversity(ByFrequency(Fraction(9, 10))).demand(column).shares[2] == 1


def test_what_is_stated_of_thresholds_by_frequency_tells_no_frequency() -> None:
    model = LPlusDiversity(ByFrequency(Fraction(1, 5)))
    for shown, sizes, stated in (
        ([[1, 1, 0], [1, 0, 0]], [8, 4], "1/4"),
        ([[1, 1, 0], [1, 0, 0]], [8, 3], "1/2"),
        ([[3, 0, 0]], [3], "1"),
        ([[0, 0, 0]], [9], "1/4"),
    ):
        published = PublishedPartitions(np.array(shown), np.array(sizes))
        assert model.statement(published, DISEASES) == {"model": "l-plus-diversity", "thresholds": stated}
    nothing = PublishedPartitions(np.zeros((0, 3), np.int64), np.zeros(0, np.int64))
    assert model.statement(nothing, DISEASES) == {"model": "l-plus-diversity", "thresholds": "1/4"}
    assert model.promise(DISEASES)["thresholds"] == {"Asthma": "6/25", "Cancer": "1/5", "Flu": "1/5"}


def test_thresholds_that_cannot_be_compared_exactly_are_refused() -> None:
    with pytest.raises(InputError, match="more digits"):
        LPlusDiversity(Fraction(1, 10**19)).demand(DISEASES)


def test_several_promises_are_as_strict_as_the_strictest() -> None:
    limits = together([LDiversity(2).demand(DISEASES), KAnonymity(5).demand(DISEASES), LDiversity(3).demand(DISEASES)])
    assert limits.shares == (Fraction(1, 3),) * 3
    assert limits.smallest == 5


@pytest.mark.parametrize(
    ("histogram", "holds"), [((3, 3, 3), True), ((4, 3, 2), False), ((0, 0, 0), False), ((1, 1, 1), True)]
)
def test_limits_hold_at_the_very_edge(histogram: tuple[int, ...], holds: bool) -> None:
    assert LDiversity(3).demand(DISEASES).holds(np.array([histogram])).tolist() == [holds]


def test_every_model_says_where_it_comes_from() -> None:
    for kind, models in (("table", TABLE_MODELS), ("transactions", TRANSACTION_MODELS)):
        assert all(model.paper and model.name == name and model.kind == kind for name, model in models.items())
    # A search that prunes by validity may use all but the one that is kept group by group and the one about all rules.
    unfit = ["transactional-k-anonymity", "rho-uncertainty"]
    assert [name for name, model in TABLE_MODELS.items() if not model.monotone] == ["condensed-groups"]
    assert [name for name, model in TRANSACTION_MODELS.items() if not model.monotone] == unfit
