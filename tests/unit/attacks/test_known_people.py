"""Known people are found by the policy's own taxonomies, also where these are made from data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.commands.attack import attack
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
    strange = attack(tmp_path / "out", pa.table({"zip": ["9999", "3000", "8045", "9999"]}), original=pa.table(rows))
    assert records(strange) == [(0, 0), (2, 2), (0, 4), (0, 0)]
    assert "do not occur in the original: zip of 3 people ('9999', '8045')." in " ".join(strange["reading"])


def test_dates_and_decimals_are_found_in_their_periods_and_ranges(tmp_path: Path) -> None:
    rows = {"zip": ["2024-03-05", "2024-03-09", "2023-01-01", "2023-01-01"], "illness": ["a", "b", "a", "b"]}
    found = attacked(tmp_path, rows, {"zip": ["2024-03-31", "2024-03-05"]}, taxonomy={"dates": ["day", "month"]})
    assert records(found) == [(0, 2), (1, 2)]


def test_numbers_are_compared_as_numbers(tmp_path: Path) -> None:
    rows = {"zip": ["0.5", "0.7", "1.5", "1.7"], "illness": ["a", "b", "a", "b"]}
    taxonomy = {"intervals": [1], "start": 0, "end": 2}
    found = attacked(tmp_path, rows, {"zip": [0.50, 0.6, 7.0]}, taxonomy=taxonomy)
    assert records(found) == [(1, 2), (0, 2), (0, 0)]
    assert "zip of 2 people ('0.6', '7.0')" in " ".join(found["reading"])


def test_missing_values_are_not_known_and_fit_any_record(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {"zip": [None, None, "1", "1", "2"], "illness": ["a", "b", "a", "b", "c"]}
    found = attacked(tmp_path, rows, {"zip": ["", "1", None]})
    assert [before for before, _ in records(found)] == [5, 2, 5]
    assert "not known for 2 people; there any record fits." in " ".join(found["reading"])
    # In the worst case, that it is missing is known like any other value.
    worst = attack(tmp_path / "out", original=pa.table(rows))
    assert sorted(person["before"]["records"] for person in worst["persons"]) == [1, 2, 2]


def two_columns(tmp_path: Path, rows: dict[str, list[Any]]) -> pa.Table:
    table = pa.table(rows)
    written = policy({}).as_dict()
    written["attributes"] = {"sex": {"role": "quasi-identifier"}, **written["attributes"]}
    discreet.publish(discreet.Policy.parse(written), tmp_path / "out", data=table)
    return table


def test_people_may_be_known_by_different_columns(tmp_path: Path) -> None:
    rows = {"zip": ["1", "1", "2", "2", "2"], "sex": list("fmfmm"), "illness": list("abcda")}
    table = two_columns(tmp_path, rows)
    known = {"zip": ["1", None, "2", None], "sex": ["f", "m", None, None], "illness": list("abba")}
    found = attack(tmp_path / "out", pa.table(known), original=table)
    assert [before for before, _ in records(found)] == [1, 3, 3, 5]
    before = found["linkage"]["before"]
    assert (before["found"], before["unmatched"], before["certain"]) == (1, 0, 1)
    # Right: the first; of the second one in three, as of the third, who is mistaken; of the last, one sure.
    assert before["guesses"]["right"] == pytest.approx(1 + 1 / 3 + 0 + 1)
    # f of 1: the first and the last. m of 1: the second and the last. f of 2: the last two. m of 2: three of two.
    assert found["risk"]["before"]["journalist"]["average"] == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 2 / 3) / 5)


def test_a_column_without_values_is_not_known(tmp_path: Path) -> None:
    table = two_columns(tmp_path, {"zip": ["1", "1", "2", "2"], "sex": list("fmfm"), "illness": list("abab")})
    found = attack(tmp_path / "out", pa.table({"zip": ["2", "1"], "sex": ["", ""]}), original=table)
    assert found["adversary"].startswith("The adversary knows zip of the 2 people")
    assert [before for before, _ in records(found)] == [2, 2]
    with pytest.raises(InputError, match="the known table: every value of sex, zip is missing in it"):
        attack(tmp_path / "out", pa.table({"zip": [None, ""], "sex": ["", ""]}), original=table)


def test_a_column_that_is_written_in_another_way_is_an_error(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {"zip": [True, False, True, False], "illness": list("abba")}
    with pytest.raises(InputError) as refused:
        attacked(tmp_path, rows, {"zip": ["True", "False", "True"]})
    for words in ("the known table", "'zip'", "('True', 'False')", "'false', 'true'", "write the values as"):
        assert words in str(refused.value)
    table = pa.table(rows)
    found = attack(tmp_path / "out", pa.table({"zip": ["true", "x" * 100, "x" * 100, "y", "z", "Q"]}), original=table)
    assert f"zip of 5 people ('{'x' * 60}'..., 'Q', 'y' and 1 more)" in " ".join(found["reading"])
    assert attack(tmp_path / "out", pa.table({"zip": ["true"]}), original=table)["linkage"]["after"]["unmatched"] == 0


@pytest.mark.parametrize("on_missing", ["error", "suppress"])
def test_a_column_without_a_place_in_its_taxonomy_is_an_error(tmp_path: Path, on_missing: str) -> None:
    (tmp_path / "zip.csv").write_text("1;*\n2;*\n")
    rows = {"zip": ["1", "1", "1", "1"], "illness": list("abba")}
    column = {"taxonomy": str(tmp_path / "zip.csv"), "on_missing": on_missing}
    with pytest.raises(InputError, match=r"not one value of its column 'zip' \('one'\)"):
        attacked(tmp_path, rows, {"zip": ["one", "one"]}, **column)
    # A value of the taxonomy is understood, though nobody in the table has it.
    found = attack(tmp_path / "out", pa.table({"zip": ["2"]}), original=pa.table(rows))
    assert found["linkage"]["before"]["unmatched"] == 1
    assert not any("do not occur" in sentence for sentence in found["reading"])


def test_a_truth_that_is_written_in_another_way_is_an_error(tmp_path: Path) -> None:
    rows = {"zip": ["1", "1"], "illness": ["a", "b"]}
    with pytest.raises(InputError, match=r"'illness' \('A', 'B'\) occurs in the original, which has 'a', 'b'"):
        attacked(tmp_path, rows, {"zip": ["1", "1"], "illness": ["A", "B"]})


def test_values_without_a_place_are_missing_where_the_policy_says_so(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("1;*\n2;*\n")
    rows = {"zip": ["?", "!", "1", "1"], "illness": ["a", "b", "a", "b"]}
    column = {"taxonomy": str(tmp_path / "zip.csv"), "on_missing": "suppress"}
    assert records(attacked(tmp_path, rows, {"zip": ["#", "1", "2"]}, **column)) == [(2, 2), (2, 2), (0, 0)]


def test_somebody_may_be_known_by_fewer_columns(tmp_path: Path) -> None:
    table = two_columns(tmp_path, {"zip": ["1", "1", "2", "2"], "sex": list("fmfm"), "illness": list("abab")})
    found = attack(tmp_path / "out", pa.table({"zip": ["2"]}), original=table)
    assert records(found) == [(2, 2)]
    assert "knows zip of the one person" in found["adversary"]
    assert found["linkage"]["after"]["above_threshold"] == 0


def test_the_truth_is_taken_from_the_known_file(tmp_path: Path) -> None:
    rows = {"zip": ["1", "1", "1", "2"], "illness": ["a", "a", "b", None]}
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
    with pytest.raises(InputError, match=r"the known table: zip: .* stands for any value"):
        attacked(tmp_path, rows, {"zip": ["*"]})
