"""A promise that promises nothing is said to, first, wherever its release is shown; and nothing of it is green."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.cli import main
from discreet.models.l_plus_diversity import ByFrequency, LPlusDiversity
from discreet.models.partition_limits import SensitiveColumn
from discreet.profile.table.starter_policy import threshold

ROLES = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}


def published(folder: Path, rows: list[tuple[str, str]], privacy: Any, **options: Any) -> discreet.Publication:
    columns = zip("qs", zip(*rows, strict=True), strict=True)
    data = pa.table({name: list(values) for name, values in columns})
    search = options.pop("search", {})
    policy = discreet.Policy.parse({"data": {}, "attributes": ROLES, "privacy": privacy, "search": search})
    return discreet.publish(policy, folder / "out", data=data, **options)


MIXED = [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]


@pytest.mark.parametrize(
    ("rows", "privacy", "options", "said"),
    [
        (MIXED, {"model": "l-plus-diversity", "thresholds": 1}, {}, "Every threshold is 1"),
        (MIXED, {"model": "l-diversity", "l": 2}, {}, "The original already keeps this promise"),
        ([("x", "a")] * 3, {"model": "l-diversity", "l": 2}, {}, "No value of s is left in the release"),
        (
            [("x", "a")] * 3,
            {"model": "l-diversity", "l": 2},
            {"search": {"suppression": "all-rec"}, "allow_empty": True},
            "The release has no records",
        ),
    ],
)
def test_a_hollow_promise_is_said_first(
    tmp_path: Path, rows: list[tuple[str, str]], privacy: Any, options: dict[str, Any], said: str
) -> None:
    publication = published(tmp_path, rows, privacy, **options)
    assert any(sentence.startswith(said) for sentence in publication.result["hollow"])
    page = publication.report.read_text(encoding="utf-8")
    assert "The release keeps this promise, which protects nobody." in page
    assert 'class="verdict holds"' not in page
    assert page.index(said) < page.index("which protects nobody")


def test_a_promise_that_protects_is_not_called_hollow(tmp_path: Path) -> None:
    publication = published(tmp_path, [("x", "a"), ("y", "b")], {"model": "k-anonymity", "k": 2})
    assert publication.result["hollow"] == publication.result["unprotected"] == []
    assert 'class="verdict holds"' in publication.report.read_text(encoding="utf-8")


def test_values_without_protection_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.csv").write_text("q,s\nx,a\nx,b\ny,a\nz,a\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(
        "data: {path: data.csv}\nattributes: {q: {role: quasi-identifier}, s: {role: sensitive}}\n"
        "privacy: {model: l-plus-diversity, thresholds: {a: 1, b: 1/3}}\n",
        encoding="utf-8",
    )
    assert main(["publish", str(tmp_path / "policy.yaml"), "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert told.index("Beware      Nothing is promised about 'a': the threshold is 1.") < told.index("Status")


@pytest.mark.parametrize(
    ("privacy", "said"),
    [
        ({"model": "l-plus-diversity", "thresholds": 1}, "Every table keeps this promise."),
        ({"model": "k-anonymity", "k": 1}, "Every table keeps this promise."),
        ({"model": "l-diversity", "l": 2}, None),
    ],
)
def test_verify_does_not_pass_it_unsaid(
    tmp_path: Path, privacy: Any, said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    publication = published(tmp_path, MIXED, privacy)
    assert discreet.verify(publication.folder).hollow == said
    assert main(["verify", str(publication.folder)]) == 0
    told = capsys.readouterr().out
    assert ("PASS: the promise holds" in told) == (said is None)
    assert ("PASS, but nobody is protected by it" in told) == (said is not None)


def test_no_release_is_left_is_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.csv").write_text("q,s\nx,a\nx,b\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(
        "data: {path: data.csv}\nattributes: {q: {role: quasi-identifier}, s: {role: insensitive}}\n"
        "privacy: {model: k-anonymity, k: 50000}\n",
        encoding="utf-8",
    )
    command = ["publish", str(tmp_path / "policy.yaml"), "--out", str(tmp_path / "out")]
    assert main(command) == 3
    assert "2 records and every group needs 50000" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main([*command, "--allow-empty"]) == 0
    told = capsys.readouterr().out
    assert "Beware      The release has no records, so it keeps any promise." in told
    assert "keeps the promise, which protects nobody" in " ".join(told.split())


def test_misspelt_values_do_not_weaken_a_promise_by_frequency_unsaid() -> None:
    model = LPlusDiversity(ByFrequency(Fraction(1, 5)))
    codes = SensitiveColumn(("A10", "B20", "C30"), (100, 50, 50))
    assert model.warnings(codes) == []
    misspelt = SensitiveColumn((*codes.values, *(f"a1{n}" for n in range(24))), (*codes.counts, *(1,) * 24))
    (told,) = model.warnings(misspelt)
    assert "24 values that hardly ever occur" in told and "'B20' from 20% to 100%" in told


@pytest.mark.parametrize("percent", [1, 10, 30, 60, 90, 96, 99])
def test_a_starter_policy_never_proposes_a_threshold_of_1(percent: int) -> None:
    share = Fraction(percent, 100)
    assert share < threshold(share) < 1
