"""condensed-groups: what can be checked is, and that the rest cannot is what is said first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.verifier import verify_file, verify_release

NUMBERS = {"least": "-1.5", "most": "9", "decimals": 1}


def release(folder: Path, rows: str, **changes: Any) -> Path:
    certificate = {
        "format": "discreet-certificate/1",
        "kind": "table",
        "data": "data.csv",
        "promise": [{"model": "condensed-groups", "k": 2}],
        "columns": {
            "x": {"role": "quasi-identifier", "numbers": NUMBERS},
            "y": {"role": "sensitive", "numbers": {"least": "0", "most": "9", "decimals": 0}},
            "c": {"role": "class"},
        },
        "recoding": "synthetic",
    } | changes
    (folder / "data.csv").write_text(f"x,y,c\n{rows}", encoding="utf-8")
    (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    return folder


def test_it_is_the_stewards_word(tmp_path: Path) -> None:
    verdict = verify_release(release(tmp_path, "-1.5,3,a\n9,0,b\n4.2,9,a\n"))
    assert verdict.holds and verdict.rows == 3
    assert verdict.promise[0].startswith("No file can prove this; the steward states it")
    assert verdict.sentence.startswith("NOT PROVED") and "no certificate" in verdict.sentence
    assert verdict.as_dict()["unproved"]


@pytest.mark.parametrize(
    ("rows", "kind", "witness"),
    [
        ("9.1,3,a\n0,3,a\n", "numbers", "'x': '9.1' in 1 row is not between -1.5 and 9"),
        ("-2,3,a\n0,3,a\n", "numbers", "'x': '-2' in 1 row is not between -1.5 and 9"),
        ("0.25,3,a\n0,3,a\n", "numbers", "'x': '0.25' in 1 row has more than 1 decimal"),
        ("0,3.5,a\n0,3,a\n", "numbers", "'y': '3.5' in 1 row has more than 0 decimals"),
        ("0,flu,a\n0,3,a\n", "numbers", "'y': 'flu' in 1 row is no number as this release writes them"),
        ("0,*,a\n0,3,a\n", "numbers", "'y': '*' in 1 row is no number as this release writes them"),
        ("1e0,3,a\n0,3,a\n", "numbers", "'x': '1e0' in 1 row is no number as this release writes them"),
        (",3,a\n0,3,a\n", "numbers", "'x': (missing) in 1 row is no number as this release writes them"),
        ("0,3,a\n", "condensed-groups", None),
    ],
)
def test_what_contradicts_it_is_a_breach(tmp_path: Path, rows: str, kind: str, witness: str | None) -> None:
    verdict = verify_release(release(tmp_path, rows))
    assert not verdict.holds and verdict.sentence.startswith("FAIL")
    assert [breach.kind for breach in verdict.breaches] == [kind]
    if witness is not None:
        assert verdict.breaches[0].witnesses == (witness,)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"recoding": "global", "columns": {"x": {"role": "quasi-identifier", "numbers": NUMBERS}}}, "unknown key"),
        ({"columns": {"x": {"role": "quasi-identifier", "numbers": {**NUMBERS, "mean": 3}}}}, "unknown key 'mean'"),
        ({"columns": {"x": {"role": "quasi-identifier", "numbers": {**NUMBERS, "least": 0}}}}, "should be a text"),
        ({"columns": {"x": {"role": "quasi-identifier", "numbers": {**NUMBERS, "most": "NaN"}}}}, "such as 12.5"),
        ({"columns": {"x": {"role": "quasi-identifier", "numbers": {**NUMBERS, "decimals": -1}}}}, "from 0"),
        ({"promise": [{"model": "condensed-groups", "k": 2, "l": 3}]}, "unknown key 'l'"),
        ({"promise": [{"model": "condensed-groups", "k": 0}]}, "from 1"),
        (
            {
                "columns": {
                    "x": {"role": "quasi-identifier", "numbers": NUMBERS},
                    "y": {"role": "sensitive"},
                    "c": {"role": "class"},
                }
            },
            "nothing says that those of 'y' were",
        ),
        (
            {
                "columns": {
                    "x": {"role": "quasi-identifier", "numbers": NUMBERS},
                    "y": {"role": "insensitive"},
                    "c": {"role": "class"},
                }
            },
            "leaves no column as it was but the class, and 'y' is one",
        ),
    ],
)
def test_a_certificate_that_makes_no_sense_is_an_error(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        verify_release(release(tmp_path, "0,3,a\n1,3,a\n", **changes))


def test_of_a_table_without_a_certificate_nothing_is_known(tmp_path: Path) -> None:
    path = release(tmp_path, "0,3,a\n1,3,a\n") / "data.csv"
    roles = {"x": {"role": "quasi-identifier"}, "y": {"role": "sensitive"}, "c": {"role": "class"}}
    claims = {"kind": "table", "columns": roles, "promise": [{"model": "condensed-groups", "k": 2}]}
    with pytest.raises(InputError, match="nothing says that these were"):
        verify_file(path, claims)


def test_groups_of_one_protect_nobody(tmp_path: Path) -> None:
    promise = [{"model": "condensed-groups", "k": 1}]
    verdict = verify_release(release(tmp_path, "0,3,a\n1,3,a\n", promise=promise))
    assert verdict.hollow == "Every table keeps this promise." and "nobody is protected" in verdict.sentence
