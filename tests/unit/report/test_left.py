"""What is left of a column, counted in the release and told in words."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet.report.table.left import left_in_words
from discreet.report.terminal import amount


@pytest.mark.parametrize(
    ("left", "told"),
    [
        ((2, 2, 1.0, False), "every value as it was"),
        ((40, 38, 1.0, False), "38 of 40 values, each as it was"),
        ((40, 3, 0.0, False), "3 coarser values in place of 40"),
        ((40, 12, 0.31, False), "12 of 40 values, 31% of the records with their own value"),
        ((74, 562, 0.45, False), "562 different values in place of 74, 45% of the records with their own value"),
        ((40, 1, 0.0, True), "nothing, all records show the same"),
    ],
)
def test_in_words(left: tuple[int, int, float, bool], told: str) -> None:
    assert left_in_words(dict(zip(("original", "published", "unchanged", "nothing"), left, strict=True))) == told


def test_what_is_counted(tmp_path: Path) -> None:
    """8049 and 8041 become 804*, 9000 stays, and 7000 is deleted."""
    data = pa.table({"code": ["8049", "8041", "9000", "9000", "7000"]})
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {"code": {"role": "quasi-identifier", "taxonomy": {"prefixes": [3]}}},
            "privacy": {"model": "k-anonymity", "k": 2},
            "search": {"suppression": "vio-rec"},
        }
    )
    publication = discreet.publish(policy, tmp_path / "out", data=data)
    (column,) = publication.result["columns"]
    assert column["left"] == {"original": 4, "published": 2, "unchanged": 0.5, "nothing": False}
    assert "2 of 4 values, 50% of the records with their own value" in publication.report.read_text(encoding="utf-8")


def test_a_small_loss_is_not_rounded_away() -> None:
    assert [amount(loss) for loss in (0.0, 0.004988, 0.0743, 0.25, 7.33, 12)] == [
        *("0.00", "0.00499", "0.0743", "0.25", "7.33", "12"),
    ]
