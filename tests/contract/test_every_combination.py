"""Every kind of data x method x promise x loss that goes together, taken the whole way on a few records.

Nothing here names a kind, a method, a promise or a loss: what is registered is tested. A kind is tried on the first
records of the demo that it ships with.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import discreet
from demos import going_with
from discreet.errors import InputError
from discreet.kinds import KINDS, Kind
from discreet.methods.method import Method, kept
from discreet.models.parameters import AboveZero, AtLeastOne, FromZero
from discreet.policy import Policy

DEMOS = Path(discreet.__file__).parent / "demo"
RECORDS = 120
SMALL: dict[Any, object] = {int: 2, Fraction: "1/2", AtLeastOne: 2, AboveZero: 2, FromZero: "1/2"}
"""Parameters of a promise that a hundred records can keep."""

Case = tuple[str, str, str, str]
"""The names of a kind, a method, a promise and a loss."""


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo of each kind with its first records only."""
    folder = tmp_path_factory.mktemp("demos")
    for kind in KINDS:
        shutil.copytree(DEMOS / kind, folder / kind)
        data = Policy.load(folder / kind / "policy.yaml").data.path
        assert data is not None
        lines = data.read_text(encoding="utf-8").splitlines(keepends=True)
        data.write_text("".join(lines[: RECORDS + 1]), encoding="utf-8")
    return folder


def promise(model: Any) -> dict[str, object]:
    hints = get_type_hints(model)
    needed = [field for field in dataclasses.fields(model) if field.default is dataclasses.MISSING]
    return {"model": model.name} | {field.name: SMALL.get(hints[field.name], "1/2") for field in needed}


@cache
def written(kind: str) -> dict[str, Any]:
    policy = Policy.load(DEMOS / kind / "policy.yaml").as_dict()
    return {key: value for key, value in policy.items() if key not in ("privacy", "search", "data")}


def policy_of(demos: Path, case: Case, **search: object) -> Policy:
    """Raises where the four do not go together."""
    kind, method, model, loss = case
    data = dict(Policy.load(demos / kind / "policy.yaml").as_dict()["data"])
    return Policy.parse(
        {
            **going_with(KINDS[kind].methods()[method], written(kind)),
            "data": data,
            "privacy": promise(KINDS[kind].models()[model]),
            "search": {"method": method, "loss": loss, **search},
        }
    )


def cases() -> Iterator[Case]:
    for kind in KINDS.values():
        for method in kind.methods().values():
            for model in kept(method, kind.models()):
                for name, loss in kind.losses().items():
                    if getattr(method, "minimizes", lambda _: True)(loss):
                        yield kind.name, method.name, model, name


def methods() -> list[Case]:
    """Each method with the first promise and loss that go with it."""
    first: dict[tuple[str, str], Case] = {}
    for case in cases():
        first.setdefault(case[:2], case)
    return list(first.values())


def name(case: Case) -> str:
    return "-".join(case)


def method_of(case: Case) -> Method:
    method: Method = KINDS[case[0]].methods()[case[1]]
    return method


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("case", list(cases()), ids=name)
def test_it_is_published_verified_and_attacked(case: Case, demos: Path, tmp_path: Path) -> None:
    kind: Kind = KINDS[case[0]]
    policy = policy_of(demos, case)
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    verdict = discreet.verify(publication.folder)
    assert verdict.holds
    result = publication.result
    assert result["kind"] == case[0] and result["search"]["method"] == case[1] and result["loss"]["name"] == case[3]
    assert result["rows"]["published"] == verdict.rows > 0
    assert result["status"] == ("optimal" if method_of(case).optimal else result["status"])
    assert result["status"] == "feasible" or method_of(case).proves
    assert set(result["search"]["details"]) == set(method_of(case).details), "each detail has a label, and no other"
    assert {measure["name"] for measure in result["utility"]} <= set(kind.measures())
    attack = discreet.attack(publication.folder, seed=1)
    for name in kind.attacks():
        assert attack[name].get("applies", True) or attack[name]["reading"].endswith("."), "it says why not"
    assert (attack.get("applies") is False) == (result.get("recoding") == "synthetic"), "made-up rows are nobody's"
    for told in attack["reading"]:
        assert told.endswith(".")
    page = publication.report.read_text(encoding="utf-8")
    assert case[1] in page and "Never publish this page" in page


@pytest.mark.parametrize("case", methods(), ids=name)
def test_seeds_and_the_two_folders(case: Case, demos: Path, tmp_path: Path) -> None:
    policy = policy_of(demos, case)
    first, again, other = (
        discreet.publish(policy, tmp_path / place, seed=seed) for place, seed in (("a", 7), ("b", 7), ("c", 8))
    )
    assert files(first.release) == files(again.release)
    assert files(first.release) != files(other.release)
    certificate = json.loads((first.release / "certificate.json").read_text(encoding="utf-8"))
    named = {certificate["data"], "certificate.json", certificate.get("sensitive_data")}
    named |= {certificate.get("taxonomy")}
    named |= {column.get("taxonomy") for column in certificate.get("columns", {}).values()}
    assert set(files(first.release)) <= named
    told = json.dumps(certificate)
    assert str(policy.data.path) not in told and "seed" not in told and "seconds" not in told
    assert (first.folder / "steward").stat().st_mode & 0o777 == 0o700
    assert {"result.json", "report.html"} <= set(files(first.folder / "steward"))


@pytest.mark.parametrize("case", methods(), ids=name)
def test_its_rule_is_applied_again_or_there_is_none(case: Case, demos: Path, tmp_path: Path) -> None:
    policy = policy_of(demos, case)
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    rule = publication.folder / "steward" / "recoding.json"
    assert rule.exists() == method_of(case).rule
    if method_of(case).rule:
        applied = discreet.publish(policy, tmp_path / "again", recoding=rule, seed=2)
        assert applied.result["status"] == "applied" and applied.result["search"] is None
        assert discreet.verify(applied.folder).holds


@pytest.mark.parametrize("case", methods(), ids=name)
def test_it_ends_with_a_valid_release_when_it_is_stopped(case: Case, demos: Path, tmp_path: Path) -> None:
    hurried = discreet.publish(policy_of(demos, case, time_limit=0.001), tmp_path / "hurried", seed=1)
    assert discreet.verify(hurried.folder).holds
    assert hurried.result["policy"]["search"]["time_limit"] == 0.001
    pressed: list[object] = []

    def press(event: object) -> None:
        if not pressed:
            pressed.append(event)
            os.kill(os.getpid(), signal.SIGINT)

    stopped = discreet.publish(policy_of(demos, case), tmp_path / "stopped", seed=1, listen=press)
    assert pressed, "a search tells at least once where it is"
    assert discreet.verify(stopped.folder).holds
    assert stopped.result["search"]["interrupted"]
    assert "The search was interrupted; this is the best release it had found." in stopped.warnings
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("case", methods(), ids=name)
def test_a_release_that_was_touched_does_not_pass(case: Case, demos: Path, tmp_path: Path) -> None:
    policy = policy_of(demos, case)
    release = discreet.publish(policy, tmp_path / "out", seed=1).release
    entries = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
    data = release / entries["data"]
    published = data.read_bytes()

    def passes() -> bool:
        try:
            return discreet.verify(release).holds
        except InputError:
            return False

    assert passes()
    data.write_bytes(published + b"a value that no taxonomy has\n")
    assert not passes()
    assert policy.data.path is not None
    data.write_bytes(policy.data.path.read_bytes())
    assert not passes(), "the original in place of the release"
    data.write_bytes(published)
    (release / "certificate.json").write_text(json.dumps({**entries, "surprise": 1}), encoding="utf-8")
    assert not passes()
    (release / "certificate.json").write_text(json.dumps({**entries, "promise": []}), encoding="utf-8")
    assert not passes()


def promises() -> list[tuple[str, str]]:
    return [(kind.name, model) for kind in KINDS.values() for model in kind.models()]


@pytest.mark.parametrize(("kind", "model"), promises())
def test_all_methods_that_keep_a_promise_are_compared(kind: str, model: str, demos: Path) -> None:
    loss = next(loss for case_kind, _, case_model, loss in cases() if (case_kind, case_model) == (kind, model))
    able = [method for case_kind, method, *asked in cases() if (case_kind, *asked) == (kind, model, loss)]
    rows = discreet.compare(policy_of(demos, (kind, able[0], model, loss)), {"search.method": able}, seed=1)
    assert [row["search.method"] for row in rows] == able
    assert {row["status"] for row in rows} <= {"optimal", "feasible"}
    assert all(set(KINDS[kind].row_columns) <= set(row) for row in rows)


@pytest.mark.parametrize("case", methods(), ids=name)
def test_a_release_of_which_only_one_record_is_left_breaks_its_promise(case: Case, demos: Path, tmp_path: Path) -> None:
    """Nothing is wrong with the file, its columns or its values: what fails is the promise itself."""
    policy = policy_of(demos, case)
    release = discreet.publish(policy, tmp_path / "out", seed=1).release
    entries = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
    data = release / entries["data"]
    lines = data.read_text(encoding="utf-8").splitlines(keepends=True)
    first = 1 if "columns" in entries or entries.get("shape") in ("long", "grouped") else 0
    broken = set()
    for line in lines[first : first + 12]:
        data.write_text("".join([*lines[:first], line]), encoding="utf-8")
        with suppress(InputError):
            broken |= {breach.kind for breach in discreet.verify(release).breaches}
    shown = "sensitive_data" in entries or any(item in line for line in lines for item in entries.get("sensitive", ()))
    if KINDS[case[0]].models()[case[2]].needs_sensitive and entries.get("sensitive") and not shown:
        assert case[2] not in broken, "where nothing sensitive is published there is nothing to promise"
    else:
        assert case[2] in broken


def test_everything_that_is_registered_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    from discreet.cli import main

    assert main(["list"]) == 0
    lines = {line.strip() for line in capsys.readouterr().out.splitlines()}
    for kind in KINDS.values():
        registered = (kind.models(), kind.methods(), kind.losses(), kind.measures(), kind.attacks())
        assert {name for names in registered for name in names} <= lines
