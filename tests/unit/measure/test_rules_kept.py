"""Association rules before and after, against all rules by their definition."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.measure.measurement import Measurement
from discreet.measure.transactions import rules_kept
from discreet.measure.transactions.comparison import TransactionComparison
from discreet.measure.transactions.rules_kept import RulesKept
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from examples import examples

OTHERS, SENSITIVE = "abcd", "XY"
TAXONOMY = Taxonomy.from_paths("items", [["a", "A", "*"], ["b", "A", "*"], ["c", "*"], ["d", "*"]])


def compared(before: list[str], after: list[str], rho: Fraction | None = None) -> Measurement:
    """Of transactions of letters; X and Y are sensitive, A stands for a or b."""
    original = EncodedTransactions(
        TAXONOMY,
        Sets.of([OTHERS.index(item) for item in each if item in OTHERS] for each in before),
        Sets.of([SENSITIVE.index(item) for item in each if item in SENSITIVE] for each in before),
        np.ones(len(before), np.int64),
        tuple(SENSITIVE),
    )
    release = ReleasedTransactions(
        Sets.of([TAXONOMY.node(item) for item in each if item not in SENSITIVE] for each in after),
        Sets.of([SENSITIVE.index(item) for item in each if item in SENSITIVE] for each in after),
        np.ones(len(after), np.int64),
    )
    return RulesKept().measure(TransactionComparison(original, release, rho=rho), np.random.default_rng(1))


def rules(transactions: list[str], confidence: Fraction) -> set[tuple[frozenset[str], str]]:
    """All of at most five items that two transactions or more have, by the definition."""
    found = set()
    items = sorted(set("".join(transactions)))
    for size in range(1, 5):
        for known in combinations(items, size):
            having = [each for each in transactions if set(known) <= set(each)]
            for item in set(items) - set(known):
                both = sum(item in each for each in having)
                if both >= 2 and Fraction(both, len(having)) >= confidence:
                    found.add((frozenset(known), item))
    return found


TRANSACTIONS = st.lists(st.sets(st.sampled_from("abcdXY")).map(lambda items: "".join(sorted(items))), max_size=12)


@examples(60)
@given(TRANSACTIONS, TRANSACTIONS, st.sampled_from([None, Fraction(3, 10), Fraction(7, 10), Fraction(1)]))
def test_rules_are_those_of_the_definition(before: list[str], after: list[str], rho: Fraction | None) -> None:
    found = compared(before, after, rho)
    first, second = (rules(side, rho or Fraction(1, 2)) for side in (before, after))
    assert found.release == (len(first & second) / len(first | second) if first | second else None)
    assert found.details["rules"] == {"original": len(first), "release": len(second), "both": len(first & second)}
    for name, told in (("lost_rules", first - second), ("spurious_rules", second - first)):
        listed = [(frozenset(rule["antecedent"]), rule["consequent"]) for rule in found.details[name]]
        assert len(listed) == len(told) and set(listed) == told
    assert (found.details["lost"], found.details["spurious"]) == (len(first - second), len(second - first))
    json.dumps(found.as_dict())


def test_rules_are_listed_with_their_figures_the_most_frequent_first() -> None:
    found = compared(["ab", "ab", "ab", "cX", "cX", "c"], ["a", "ab", "ab", "cX", "c", "c"])
    # a -> b and b -> a stay, at 2/3 and 1; X -> c and c -> X have one transaction left.
    assert found.details["lost_rules"] == [
        {"antecedent": ["X"], "consequent": "c", "transactions": 2, "confidence": 1.0},
        {"antecedent": ["c"], "consequent": "X", "transactions": 2, "confidence": pytest.approx(2 / 3)},
    ]
    assert found.release == 0.5
    assert found.reading == (
        "Of 4 association rules of up to 5 items, with a confidence of 1/2 or more, the release keeps 2; 0 of its 2 "
        "are spurious, a similarity of 50%."
    )


def test_a_deletion_can_make_a_rule() -> None:
    found = compared(["ab", "ab", "a", "a", "a"], ["ab", "ab", "a", "", ""], Fraction(2, 3))
    assert found.details["spurious_rules"] == [
        {"antecedent": ["a"], "consequent": "b", "transactions": 2, "confidence": pytest.approx(2 / 3)}
    ]


def test_a_rule_about_a_general_item_is_none_of_the_original() -> None:
    found = compared(["ac", "ac"], ["Ac", "Ac"])
    assert found.release == 0
    assert {rule["consequent"] for rule in found.details["spurious_rules"]} == {"A", "c"}


def test_a_confidence_at_the_border_is_compared_in_whole_numbers() -> None:
    border = ["ab"] * 63 + ["a"] * 27
    assert compared(border, border, Fraction(7, 10)).details["rules"]["original"] == 2


def test_where_there_are_too_many_itemsets_shorter_rules_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    transactions = ["abcdX", "abcdX"]
    assert compared(transactions, transactions).details["longest"] == 5
    monkeypatch.setattr(rules_kept, "MOST_ITEMSETS", 15)
    found = compared(transactions, transactions)
    assert found.details["longest"] == 2
    assert "of up to 2 items" in found.reading


def test_what_is_listed_is_limited_and_what_is_counted_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_kept, "MOST_LISTED", 3)
    found = compared(["abc", "abc"], ["", ""])
    assert (found.details["lost"], len(found.details["lost_rules"])) == (9, 3)


def test_without_rules_there_is_no_similarity() -> None:
    found = compared(["a", "b"], ["a", "b"])
    assert found.release is None
    assert found.reading.startswith("Not measured: neither the original nor the release has association rules")
