"""What the page tells of occurrences left out, of shares of items and of rules, from the document alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.encode.released_transactions import ReleasedTransactions
from discreet.encode.transactions import EncodedTransactions
from discreet.measure.transactions import measure_transactions
from discreet.report.transactions.utility import section
from discreet.taxonomy import Taxonomy
from discreet.values.sets import Sets
from pages.outline import Outline

TAXONOMY = Taxonomy.from_paths("items", [["beer", "*"], ["<b>wine</b>", "*"]])
ORIGINAL = EncodedTransactions(
    TAXONOMY, Sets.of([[0, 1], [0], [1]]), Sets.of([[0], [0], []]), np.array([3, 2, 5]), ("Viagra",)
)
"""13 occurrences of others, 5 of Viagra"""


def document(*release: str, bound: int = 0) -> dict[str, Any]:
    """The release: b for beer, w for wine, V for Viagra, three, two and five transactions of these."""
    node_of = dict(zip("bw", TAXONOMY.leaf_nodes.tolist(), strict=True))
    released = ReleasedTransactions(
        Sets.of([node_of[item] for item in items if item != "V"] for items in release),
        Sets.of([0 for item in items if item == "V"] for items in release),
        ORIGINAL.counts,
    )
    measurements = measure_transactions(ORIGINAL, released, random=np.random.default_rng(1))
    lost = next(found.details["lost"] for found in measurements if found.name == "items-lost")
    return {
        "loss": {"name": "ncp", "cost": lost},
        "bound": bound,
        "utility": [found.as_dict() for found in measurements],
    }


def page(told: dict[str, Any]) -> str:
    found = section(told)
    assert found is not None
    return found.body


def text(body: str) -> str:
    return Outline(f"<main>{body}</main>").text


SUPPRESSED = document("bw", "bV", "w", bound=2)


def test_what_is_lost_stands_between_the_proved_least_and_the_trivial_release() -> None:
    told = text(page(SUPPRESSED))
    assert (
        "The release lacks 16.7% of all occurrences of items. Without any sensitive one it would lack 27.8%. "
        "No release that only leaves items out lacks less than 11.1%."
    ) in told
    for row in ("at least, proved 2 11.1%", "this release 3 16.7%", "without sensitive ones 5 27.8%"):
        assert row in told
    assert "of this release: sensitive 3 16.7%" in told


@pytest.mark.parametrize("change", [{"bound": 0}, {"bound": None}, {"loss": {"name": "ncp", "cost": 2.5}}])
def test_a_limit_that_is_not_one_of_occurrences_is_not_shown(change: dict[str, Any]) -> None:
    told = text(page({**SUPPRESSED, **change}))
    assert "this release 3 16.7%" in told
    assert "at least, proved" not in told


def test_item_frequencies_before_and_after_are_drawn_and_told() -> None:
    body = page(SUPPRESSED)
    assert "(sensitive)" in body
    told = text(body)
    assert (
        "The most frequent item, <b>wine</b>, is 44.4% of all items in the original and 53.3% in the release; "
        "sensitive items are 27.8% and 13.3%."
    ) in told
    assert "Viagra (sensitive) 27.8% 13.3%" in told
    assert "<b>wine" not in body


def test_rules_kept_lost_and_spurious_are_told_with_the_first_ones() -> None:
    told = text(page(SUPPRESSED))
    assert "Of 7 association rules the release keeps 2 and loses 5; 0 of its own are spurious." in told
    assert "The most frequent rules that the release lacks" in told
    assert "beer → Viagra 5 100%" in told
    assert "kept 2 lost 5 spurious 0" in told


def test_spurious_rules_are_listed_too() -> None:
    told = text(page(document("bwV", "bV", "")))
    assert "The most frequent rules that only the release has" in told
    assert "<b>wine</b> → Viagra 3 100%" in told


def test_a_release_that_lacks_nothing_has_no_picture_of_it() -> None:
    told = text(page(document("bwV", "bV", "w")))
    assert "The release lacks" not in told
    assert "loses 0; 0 of its own are spurious" in told
