"""What `discreet attack` promises: its output, its file, its sentences and exit codes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.cli import main

HOSPITAL = Path(__file__).resolve().parents[2] / "examples" / "hospital"
KEYS = {
    "recoding",
    "expulsion",
    "nearest",
    "format",
    "adversary",
    "known",
    "people",
    "linkage",
    "values",
    "risk",
    "stars",
    "minimality",
    "scheme",
    "knowing_the_method",
    "unprotected",
    "warnings",
    "intersection",
    "persons",
    "reading",
}


@dataclass(frozen=True)
class Ran:
    """One run of the command line."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hospital that has published."""
    folder = tmp_path_factory.mktemp("hospital") / "hospital"
    shutil.copytree(HOSPITAL, folder)
    discreet.publish(folder / "policy.yaml", folder / "out")
    discreet.publish(folder / "policy.yaml", folder / "again", settings={"search.suppression": "none"})
    return folder


@pytest.fixture
def hospital(made: Path, tmp_path: Path) -> Path:
    """A hospital of the test's own, with its published folders; the originals stay where they were published from."""
    shutil.copytree(made, tmp_path / "hospital")
    return tmp_path / "hospital"


def assert_refused(ran: Ran, *words: str) -> None:
    """Exit code 2 and one sentence on stderr that has all the words."""
    assert ran.code == 2, ran
    assert ran.err.startswith("discreet: ")
    assert ran.err.count("\n") == 1
    assert ran.err.endswith(".\n")
    for word in words:
        assert word in ran.err


def written(out: Path) -> Any:
    return json.loads((out / "steward" / "attack.json").read_text())


def test_the_worst_case(run: Run, hospital: Path) -> None:
    before = {path.name for path in (hospital / "out" / "steward").iterdir()}
    ran = run("attack", hospital / "out")
    assert (ran.code, ran.err) == (0, "")
    document = written(hospital / "out")
    assert set(document) == KEYS
    assert document["format"] == "discreet-attack/1"
    assert document["people"] == 10
    assert {path.name for path in (hospital / "out" / "steward").iterdir()} == before | {"attack.json"}
    assert str(hospital / "out" / "steward" / "attack.json") in ran.out
    words = " ".join(ran.out.split())
    for sentence in document["reading"]:
        assert sentence in words
    assert "sensitive value is certain 10 0" in words
    assert "the one star cannot be worked out for certain" in words
    paths = [line for line in ran.out.splitlines() if str(hospital) in line]
    assert all(len(line) <= 80 for line in ran.out.splitlines() if line not in paths)


def test_known_people_are_shown_by_name(run: Run, hospital: Path) -> None:
    ran = run("attack", hospital / "out", "--known", hospital / "voters.csv")
    assert ran.code == 0
    assert "Ahmed, Junior, France" in ran.out
    assert "original: 1 record: Flu 100%" in ran.out
    assert "release:  2 records: Asthma 50%, Flu 50%" in ran.out
    assert written(hospital / "out")["people"] == 7


def test_it_is_run_again_over_its_own_file(run: Run, hospital: Path) -> None:
    assert run("attack", hospital / "out").code == 0
    assert run("attack", hospital / "out", "--known", hospital / "voters.csv", "--seed", 1).code == 0
    assert written(hospital / "out")["people"] == 7


def test_a_second_release(run: Run, hospital: Path) -> None:
    ran = run("attack", hospital / "out", "--second", hospital / "again")
    assert ran.code == 0
    assert written(hospital / "out")["intersection"]["applies"]
    assert run("attack", hospital / "out", "--second", hospital / "again" / "release").code == 0


def test_an_attack_that_succeeds_is_a_finding_and_not_a_failure(run: Run, hospital: Path) -> None:
    lines = (hospital / "patients.csv").read_text().splitlines()
    open_book = ["education,country,disease", *(line.partition(",")[2] for line in lines[1:])]
    (hospital / "out" / "release" / "data.csv").write_text("\n".join(open_book) + "\n")
    assert run("attack", hospital / "out").code == 0
    assert written(hospital / "out")["linkage"]["after"]["above_threshold"] == 10


def test_only_the_release_is_not_enough(run: Run, hospital: Path) -> None:
    shutil.rmtree(hospital / "out" / "steward")
    assert_refused(run("attack", hospital / "out"), "steward/result.json", "the folder that publish wrote")
    assert_refused(run("attack", hospital / "nowhere"), "nowhere", "steward/result.json")
    assert_refused(run("attack", hospital / "voters.csv"), "voters.csv", "steward/result.json")


def test_a_broken_result(run: Run, hospital: Path) -> None:
    result = hospital / "out" / "steward" / "result.json"
    result.write_text("{")
    assert_refused(run("attack", hospital / "out"), "result.json", "cannot be read")
    result.write_text("[]")
    assert_refused(run("attack", hospital / "out"), "result.json", "no policy")


def test_the_original_has_moved(run: Run, hospital: Path) -> None:
    result = hospital / "out" / "steward" / "result.json"
    moved = json.loads(result.read_text())
    moved["policy"]["data"]["path"] = str(hospital / "gone.csv")
    result.write_text(json.dumps(moved))
    assert_refused(run("attack", hospital / "out"), "gone.csv", "--original FILE")
    assert not (hospital / "out" / "steward" / "attack.json").exists()
    assert run("attack", hospital / "out", "--original", hospital / "patients.csv").code == 0
    moved["policy"]["data"]["path"] = None
    result.write_text(json.dumps(moved))
    assert_refused(run("attack", hospital / "out"), "a table in memory", "--original FILE")


def test_another_original(run: Run, hospital: Path) -> None:
    lines = (hospital / "patients.csv").read_text().splitlines()
    (hospital / "fewer.csv").write_text("\n".join(lines[:-1]) + "\n")
    ran = run("attack", hospital / "out", "--original", hospital / "fewer.csv")
    assert_refused(ran, "fewer.csv", "9 rows", "10", "--original FILE")
    (hospital / "other.csv").write_text("\n".join(lines).replace("Flu", "Cancer") + "\n")
    assert_refused(run("attack", hospital / "out", "--original", hospital / "other.csv"), "Flu")
    swapped = "\n".join(lines).replace("Flu", "?").replace("Cancer", "Flu").replace("?", "Cancer")
    (hospital / "swapped.csv").write_text(swapped + "\n")
    assert_refused(
        run("attack", hospital / "out", "--original", hospital / "swapped.csv"),
        "the original does not have",
        "--original FILE",
    )


def test_known_files_that_cannot_be_used(run: Run, hospital: Path) -> None:
    def attacked(name: str, text: str | None = None) -> Ran:
        if text is not None:
            (hospital / name).write_text(text)
        return run("attack", hospital / "out", "--known", hospital / name)

    assert_refused(attacked("strange.csv", "name,age\nAhmed,40\n"), "strange.csv", "education, country", "name, age")
    assert_refused(
        attacked("upper.csv", "name,education,country\nAhmed,Junior,FRANCE\n"), "upper.csv", "'FRANCE'", "'France'"
    )
    assert_refused(attacked("blank.csv", "name,education,country\nAhmed,,\n"), "blank.csv", "is missing in it")
    assert_refused(attacked("empty.csv", "name,education,country\n"), "empty.csv")
    assert_refused(attacked("nowhere.csv"), "nowhere.csv", "no such file")
    assert not (hospital / "out" / "steward" / "attack.json").exists()


def test_somebody_known_by_one_column_or_by_a_value_that_does_not_exist(run: Run, hospital: Path) -> None:
    (hospital / "few.csv").write_text("name,country\nAhmed,France\nZoe,Atlantis\n")
    ran = run("attack", hospital / "out", "--known", hospital / "few.csv")
    assert ran.code == 0
    document = written(hospital / "out")
    assert document["linkage"]["before"]["unmatched"] == document["linkage"]["after"]["unmatched"] == 1
    assert "no record fits" in ran.out
    assert "do not occur in the original: country of 1 person ('Atlantis')." in " ".join(ran.out.split())


def test_nothing_is_known_of_somebody(run: Run, hospital: Path) -> None:
    (hospital / "few.csv").write_text("education,country\nJunior,France\n,\n")
    ran = run("attack", hospital / "out", "--known", hospital / "few.csv")
    assert ran.code == 0
    assert "\n  (nothing known)\n    original: 10 records: " in ran.out
    assert "not known for 1 person; there any record fits." in " ".join(ran.out.split())


def test_a_result_from_before_publish_attacked(run: Run, hospital: Path) -> None:
    result = hospital / "out" / "steward" / "result.json"
    older = json.loads(result.read_text())
    del older["attack"]
    result.write_text(json.dumps(older))
    assert run("attack", hospital / "out", "--known", hospital / "voters.csv").code == 0
    assert "voters.csv" in (hospital / "out" / "steward" / "report.html").read_text()
    assert run("attack", hospital / "out").code == 0


def test_second_releases_that_cannot_be_used(run: Run, hospital: Path) -> None:
    out = hospital / "out"
    assert_refused(run("attack", out, "--second", hospital / "nowhere"), "nowhere", "second release", "--second DIR")
    certificate = hospital / "again" / "release" / "certificate.json"
    changed = json.loads(certificate.read_text())
    changed["columns"]["country"]["role"] = "insensitive"
    certificate.write_text(json.dumps(changed))
    assert_refused(run("attack", out, "--second", hospital / "again"), "other columns", "education, country")
    changed["columns"]["country"]["role"] = "quasi-identifier"
    certificate.write_text(json.dumps(changed))
    (hospital / "again" / "release" / "data.csv").write_text("education,country,disease\nJunior,Mars,Flu\n")
    assert_refused(run("attack", out, "--second", hospital / "again"), "Mars", "second release")


def test_a_steward_folder_that_cannot_be_written(run: Run, hospital: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    assert run("attack", hospital / "out").code == 0
    kept = written(hospital / "out")
    monkeypatch.setattr(os, "fsync", full)
    ran = run("attack", hospital / "out", "--known", hospital / "voters.csv")
    assert_refused(ran, "attack.json", "No space left on device")
    assert written(hospital / "out") == kept
    assert not [path for path in (hospital / "out" / "steward").iterdir() if path.name.startswith(".")]


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["attack", "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    for option in ("DIR", "--known FILE", "--original FILE", "--second DIR", "--seed N"):
        assert option in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_in_python_the_function_and_the_command_give_the_same(run: Run, hospital: Path) -> None:
    assert run("attack", hospital / "out", "--seed", 5).code == 0
    assert discreet.attack(hospital / "out", seed=5) == written(hospital / "out")
