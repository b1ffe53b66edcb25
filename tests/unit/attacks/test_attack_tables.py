"""The document of all attacks together, at its edges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.commands.attack import attack
from discreet.errors import InputError

ROWS = {"zip": ["1", "1", "2", "2", "3"], "illness": ["a", "a", "b", "c", "d"], "name": list("vwxyz")}


def published(tmp_path: Path, rows: dict[str, list[Any]] = ROWS, **settings: Any) -> tuple[Path, pa.Table]:
    table = pa.table(rows)
    written: dict[str, Any] = {
        "data": {"kind": "table"},
        "attributes": {"zip": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
        "privacy": {"model": "l-plus-diversity", "thresholds": "1/2"},
    }
    if "name" in rows:
        written["attributes"]["name"] = {"role": "identifier"}
    written |= {key: value for key, value in settings.items() if key != "attributes"}
    written["attributes"] |= settings.get("attributes", {})
    out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
    discreet.publish(discreet.Policy.parse(written), out, data=table, allow_empty=True)
    return out, table


def test_without_a_sensitive_column_only_records_can_be_found(tmp_path: Path) -> None:
    out, table = published(
        tmp_path, attributes={"illness": {"role": "insensitive"}}, privacy={"model": "k-anonymity", "k": 2}
    )
    found = attack(out, original=table)
    after = found["linkage"]["after"]
    assert (after["found"], after["unmatched"]) == (0, 1)
    assert after["highest_confidence"] is after["certain"] is after["above_threshold"] is after["guesses"] is None
    assert found["values"] == []
    assert not any(found[name]["applies"] for name in ("stars", "minimality", "intersection"))
    assert found["persons"][0]["after"] == {"records": 2, "hidden": 0, "values": []}
    assert found["persons"][-1]["after"]["records"] == 0


def test_k_anonymity_promises_nothing_about_values(tmp_path: Path) -> None:
    out, table = published(tmp_path, privacy={"model": "k-anonymity", "k": 2})
    found = attack(out, original=table)
    assert found["linkage"]["after"]["above_threshold"] is None
    assert found["linkage"]["after"]["certain"] == 2
    assert {entry["threshold"] for entry in found["values"]} == {None}
    assert found["minimality"]["above_threshold"] is None


def test_an_empty_release(tmp_path: Path) -> None:
    rows = {"zip": ["1", "2"], "illness": ["a", "a"]}
    out, table = published(tmp_path, rows, search={"suppression": "all-rec"})
    found = attack(out, original=table)
    assert found["linkage"]["after"]["unmatched"] == 2
    assert found["linkage"]["after"]["highest_confidence"] == 0
    assert found["risk"]["after"]["prosecutor"] == {"highest": 0.0, "average": 0.0, "share_at_risk": 0.0}
    assert not found["minimality"]["applies"]
    assert found["minimality"]["reading"].startswith("Nothing was published")
    known = attack(out, pa.table({"zip": ["1", None]}), original=table)
    assert known["linkage"]["after"]["unmatched"] == 2
    assert [person["before"]["records"] for person in known["persons"]] == [1, 2]


def test_one_is_counted_as_one(tmp_path: Path) -> None:
    rows = {"zip": ["1"] * 2 + ["2"] * 14, "illness": list("ab") * 8}
    out, table = published(tmp_path, rows, search={"suppression": "none"})
    found = attack(out, original=table)
    assert found["reading"][0] == "In the original, nobody fits exactly one record; in the release, nobody."
    assert "tried on 1 group with 2 people (1 group was left out)" in found["minimality"]["reading"]


def test_two_releases_together(tmp_path: Path) -> None:
    rows = {
        "zip": ["1", "1", "2", "2"],
        "sex": ["f", "m", "f", "m"],
        "illness": ["a", "b", "c", "d"],
    }
    sexes = {"sex": {"role": "quasi-identifier"}}
    # By zip alone: {a, b}, {c, d}. By sex alone: {a, c}, {b, d}. Together everybody's value is known.
    table = pa.table(rows)
    by_zip, by_sex = tmp_path / "by-zip", tmp_path / "by-sex"
    for out, hidden in ((by_zip, "sex"), (by_sex, "zip")):
        hide = {**rows, hidden: ["*"] * 4}
        written = {
            "data": {"kind": "table"},
            "attributes": {"zip": {"role": "quasi-identifier"}, **sexes, "illness": {"role": "sensitive"}},
            "privacy": {"model": "l-plus-diversity", "thresholds": "1/2"},
            "search": {"suppression": "none"},
        }
        discreet.publish(discreet.Policy.parse(written), out, data=table)
        lines = [",".join(rows)] + [",".join(row) for row in zip(*hide.values(), strict=True)]
        (out / "release" / "data.csv").write_text("\n".join(lines) + "\n")
    found = attack(by_zip, original=table, second=by_sex)["intersection"]
    assert found["determined"] == {"first": 0, "second": 0, "both": 4}
    assert found["above_threshold"] == {"first": 0, "second": 0, "both": 4}
    assert found["guesses"]["right"] == 4
    assert found["baseline"]["right"] == 2
    known = attack(by_zip, pa.table({"zip": ["1", "1"], "sex": ["f", None]}), original=table, second=by_sex)
    assert known["intersection"]["determined"] == {"first": 0, "second": 0, "both": 1}
    assert known["intersection"]["possible_values"] == {"first": 2, "second": 3, "both": 1.5}


def test_a_release_of_another_table_is_an_error(tmp_path: Path) -> None:
    out, _ = published(tmp_path)
    other = pa.table({**ROWS, "illness": ["b", "b", "c", "c", "d"]})
    with pytest.raises(InputError, match=r"does not have|does not know"):
        attack(out, original=other)
    with pytest.raises(InputError, match="4 rows and the release was made from 5"):
        attack(out, original=other.slice(0, 4))


def test_overlapping_published_values_are_an_error(tmp_path: Path) -> None:
    out, table = published(tmp_path)
    (out / "release" / "data.csv").write_text("zip,illness\n*,a\n1,a\n")
    with pytest.raises(InputError, match="overlap"):
        attack(out, original=table)


def test_the_same_seed_gives_the_same_document(tmp_path: Path) -> None:
    out, table = published(tmp_path)
    assert attack(out, original=table, seed=3) == attack(out, original=table, seed=3)
    assert json.loads((out / "steward" / "attack.json").read_text()) == attack(out, original=table, seed=3)


def test_the_attack_in_the_result_is_the_worst_case(tmp_path: Path) -> None:
    out, table = published(tmp_path)
    assert json.loads((out / "steward" / "result.json").read_text())["attack"] == attack(out, original=table)


def test_loss_cm_says_that_minimality_was_not_tried(tmp_path: Path) -> None:
    rows = {**ROWS, "income": ["u", "v", "u", "v", "u"]}
    out, table = published(
        tmp_path, rows, attributes={"income": {"role": "class"}}, search={"loss": "cm", "suppression": "vio-rec"}
    )
    assert "not tried" in attack(out, original=table)["minimality"]["reading"]
