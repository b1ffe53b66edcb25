"""Known people are found by the policy's own taxonomies, also where these are made from data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.attacking import attack
from discreet.errors import InputError


def policy(column: dict[str, Any], **search: Any) -> discreet.Policy:
    return discreet.Policy.parse(
        {
            "data": {"kind": "table"},
            "attributes": {"zip": {"role": "quasi-identifier", **column}, "illness": {"role": "sensitive"}},
            "privacy": {"model": "l-plus-diversity", "thresholds": "1/2"},
            "search": {"suppression": "none", **search},
        }
    )


def attacked(tmp_path: Path, rows: dict[str, list[Any]], known: dict[str, list[Any]], **column: Any) -> dict[str, Any]:
    table = pa.table(rows)
    discreet.publish(policy(column), tmp_path / "out", data=table)
    return attack(tmp_path / "out", pa.table(known), original=table)


def records(found: dict[str, Any]) -> list[tuple[int, int]]:
    return [(person["before"]["records"], person["after"]["records"]) for person in found["persons"]]


def test_a_postal_code_that_is_not_in_the_table_fits_the_prefix(tmp_path: Path) -> None:
    rows = {"zip": ["8041", "8041", "8049", "8049", "3000", "3000"], "illness": ["a", "a", "b", "b", "a", "b"]}
    found = attacked(
        tmp_path, rows, {"who": ["p", "q", "r"], "zip": ["8049", "8045", "3000"]}, taxonomy={"prefixes": [3, 1]}
    )
    assert records(found) == [(2, 4), (0, 4), (2, 2)]
    assert found["linkage"]["before"]["unmatched"] == 1
    assert found["persons"][1]["person"] == {"who": "q", "zip": "8045"}
    # 9999 fits 9*, which is not published.
    assert records(attack(tmp_path / "out", pa.table({"zip": ["9999"]}), original=pa.table(rows))) == [(0, 0)]


def test_dates_and_decimals_are_found_in_their_periods_and_ranges(tmp_path: Path) -> None:
    rows = {"zip": ["2024-03-05", "2024-03-09", "2023-01-01", "2023-01-01"], "illness": ["a", "b", "a", "b"]}
    found = attacked(tmp_path, rows, {"zip": ["2024-03-31", "2024-03-05"]}, taxonomy={"dates": ["day", "month"]})
    assert records(found) == [(0, 2), (1, 2)]


def test_numbers_are_compared_as_numbers(tmp_path: Path) -> None:
    rows = {"zip": ["0.5", "0.7", "1.5", "1.7"], "illness": ["a", "b", "a", "b"]}
    taxonomy = {"intervals": [1], "start": 0, "end": 2}
    found = attacked(tmp_path, rows, {"zip": [0.50, 0.6, 7.0]}, taxonomy=taxonomy)
    assert records(found) == [(1, 2), (0, 2), (0, 0)]
    assert "zip of 1" in " ".join(found["reading"])


def test_missing_values_are_the_missing_leaf(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {"zip": [None, None, "1", "1"], "illness": ["a", "b", "a", "b"]}
    assert records(attacked(tmp_path, rows, {"zip": ["", "1"]})) == [(2, 2), (2, 2)]


def test_values_without_a_place_are_missing_where_the_policy_says_so(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("1;*\n2;*\n")
    rows = {"zip": ["?", "!", "1", "1"], "illness": ["a", "b", "a", "b"]}
    column = {"taxonomy": str(tmp_path / "zip.csv"), "on_missing": "suppress"}
    assert records(attacked(tmp_path, rows, {"zip": ["#", "1", "2"]}, **column)) == [(2, 2), (2, 2), (0, 0)]


def test_somebody_may_be_known_by_fewer_columns(tmp_path: Path) -> None:
    table = pa.table({"zip": ["1", "1", "2", "2"], "sex": ["f", "m", "f", "m"], "illness": ["a", "b", "a", "b"]})
    written = policy({}).as_dict()
    written["attributes"] = {"sex": {"role": "quasi-identifier"}, **written["attributes"]}
    discreet.publish(discreet.Policy.parse(written), tmp_path / "out", data=table)
    found = attack(tmp_path / "out", pa.table({"zip": ["2"]}), original=table)
    assert records(found) == [(2, 2)]
    assert "knows zip of the one person" in found["adversary"]
    assert found["linkage"]["after"]["above_threshold"] == 0


def test_the_truth_is_taken_from_the_known_file(tmp_path: Path) -> None:
    rows = {"zip": ["1", "1", "1", "2"], "illness": ["a", "a", "b", "c"]}
    table = pa.table(rows)
    found_policy = policy({}, suppression="vio-sa").with_settings({"privacy.thresholds": "3/4"})
    discreet.publish(found_policy, tmp_path / "out", data=table)
    known = pa.table({"zip": ["1", "1", "1", "2"], "illness": ["a", "b", "unheard of", None]})
    found = attack(tmp_path / "out", known, original=table)
    before = found["linkage"]["before"]
    assert (before["guesses"]["right"], before["guesses"]["of"]) == (1, 3)  # of the last the truth is not told
    assert attack(tmp_path / "out", pa.table({"zip": ["1"]}), original=table)["linkage"]["after"]["guesses"] is None


def test_many_known_people_are_shown_by_their_risk(tmp_path: Path) -> None:
    rows = {"zip": ["1"] * 2 + ["2"] * 40, "illness": ["a", "b"] + ["a", "b", "c", "d"] * 10}
    known = {"name": [f"n{i}" for i in range(42)], "zip": ["2"] * 40 + ["1"] * 2}
    found = attacked(tmp_path, rows, known)
    assert len(found["persons"]) == 20
    assert [person["person"]["name"] for person in found["persons"][:3]] == ["n40", "n41", "n0"]


def test_the_value_star_cannot_be_known(tmp_path: Path) -> None:
    rows = {"zip": ["1", "1"], "illness": ["a", "b"]}
    with pytest.raises(InputError, match="stands for any value"):
        attacked(tmp_path, rows, {"zip": ["*"]})
