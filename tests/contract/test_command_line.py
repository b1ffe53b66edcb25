"""What CONTRACT promises of the commands: exit codes, sentences, files; nothing of how it is done inside."""

from __future__ import annotations

import csv
import errno
import importlib.util
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
import yaml

import discreet
from demos import write_hard_table
from discreet.cli import main, progress
from discreet.cli.demo import DEMOS
from discreet.cli.options import split_values
from discreet.cli.progress import progress_line
from discreet.commands import compare as compare_module
from discreet.commands import release as release_module
from discreet.kinds import KINDS
from discreet.recode.table import release as writing_table
from discreet.recode.table.writing import write_cuts
from discreet.search.events import Listener, SearchEvent
from discreet.search.table import solve, warm_up
from discreet.values.steps import Step

COMMAND = str(Path(sys.executable).with_name("discreet"))

# Table 3.1(a) of the thesis with the taxonomies of figure 3.1
ROWS = """education,country,disease
Junior,France,Flu
Junior,UK,Asthma
Senior,France,Flu
Senior,UK,Cancer
Bachelor,UK,Asthma
Bachelor,Canada,Asthma
Bachelor,USA,Flu
Graduate,USA,Asthma
Graduate,Canada,Cancer
Graduate,Canada,Cancer
"""
EDUCATION = "Junior;Secondary;*\nSenior;Secondary;*\nBachelor;University;*\nGraduate;University;*\n"
COUNTRY = "child,parent\nFrance,Europe\nUK,Europe\nUSA,America\nCanada,America\nEurope,*\nAmerica,*\n"
POLICY = """
data: {kind: table, path: patients.csv}
attributes:
  education: {role: quasi-identifier, taxonomy: education.csv}
  country: {role: quasi-identifier, taxonomy: country.csv}
  disease: {role: sensitive}
privacy: {model: l-plus-diversity, thresholds: 1/2}
search: {suppression: vio-sa}
"""


@dataclass(frozen=True)
class Ran:
    """One run of the command line."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in this process; whether something has to be compiled for it is another test."""
    monkeypatch.setattr(progress, "_say_compiling", lambda kept: None)

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with Table 3.1, its taxonomies and a policy."""
    (tmp_path / "patients.csv").write_text(ROWS)
    (tmp_path / "education.csv").write_text(EDUCATION)
    (tmp_path / "country.csv").write_text(COUNTRY)
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def everything(folder: Path) -> set[str]:
    """All files and folders, hidden ones too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def assert_refused(ran: Ran, *words: str) -> None:
    """Exit code 2 and one sentence on stderr that has all the words."""
    assert ran.code == 2, ran
    assert ran.err.startswith("discreet: ")
    assert ran.err.count("\n") == 1
    assert ran.err.endswith(".\n")
    for word in words:
        assert word in ran.err


def result_of(out: Path) -> Any:
    return json.loads((out / "steward" / "result.json").read_text())


# --- publish ------------------------------------------------------------------------------------------------

PUBLISHED = [
    ("none", "lm", "1/2", "12"),
    ("vio-sa", "lm", "1/2", "22/3"),
    ("all-sa", "lm", "1/2", "22/3"),
    ("vio-rec", "lm", "1/2", "26/3"),
    ("all-rec", "lm", "1/2", "26/3"),
    ("none", "dm", "1/2", "44"),
    ("vio-rec", "dm", "1/2", "36"),
    ("all-rec", "dm", "1/2", "43"),
    ("none", "lm", "1/3", None),
    ("none", "dm", "1/3", None),
    ("vio-sa", "lm", "1/3", "56/3"),
    ("all-sa", "lm", "1/3", "20"),
    ("vio-rec", "lm", "1/3", "20"),
    ("all-rec", "lm", "1/3", "40"),
]


@pytest.mark.parametrize(("suppression", "loss", "threshold", "cost"), PUBLISHED)
def test_the_optima_of_table_3_1(
    run: Run, folder: Path, suppression: str, loss: str, threshold: str, cost: str | None
) -> None:
    settings = (
        *("--set", f"search.suppression={suppression}"),
        *("--set", f"search.loss={loss}"),
        *("--set", f"privacy.thresholds={threshold}"),
    )
    before = everything(folder)
    out = folder / "out"
    ran = run("publish", folder / "policy.yaml", "--out", out, "--allow-empty", *settings)
    if cost is None:
        assert ran.code == 3
        assert ran.err.startswith("discreet: No release keeps the promise")
        assert ran.err.count("\n") == 1
        assert everything(folder) == before
        return
    assert ran.code == 0
    result = result_of(out)
    assert result["status"] == "optimal"
    assert Fraction(result["loss"]["exact"]) == Fraction(cost)
    assert result["loss"]["cost"] == pytest.approx(float(Fraction(cost)))
    assert result["gap"] == 0
    verified = run("verify", out)
    assert verified.code == 0
    assert "PASS" in verified.out


@pytest.mark.parametrize("suppression", ["none", "vio-rec", "all-rec"])
def test_the_loss_cm(run: Run, folder: Path, suppression: str) -> None:
    header, *rows = ROWS.splitlines()
    lines = [f"{header},well", *(f"{row},{'yes' if number % 3 else 'no'}" for number, row in enumerate(rows))]
    (folder / "patients.csv").write_text("\n".join(lines) + "\n")
    (folder / "policy.yaml").write_text(POLICY.replace("privacy:", "  well: {role: class}\nprivacy:"))
    settings = ("--set", "search.loss=cm", "--set", f"search.suppression={suppression}")
    assert run("publish", folder / "policy.yaml", *settings).code == 0
    out = folder / "policy-published"
    assert result_of(out)["loss"]["name"] == "cm"
    assert (out / "release" / "data.csv").read_text().startswith("education,country,disease,well\n")
    assert run("verify", out).code == 0


def test_what_publish_writes_and_says(run: Run, folder: Path) -> None:
    ran = run("publish", folder / "policy.yaml")
    assert ran.code == 0
    assert ran.err == ""
    out = folder / "policy-published"
    assert everything(out) == {
        "release",
        "release/data.csv",
        "release/certificate.json",
        "release/taxonomies",
        "release/taxonomies/1-education.csv",
        "release/taxonomies/2-country.csv",
        "steward",
        "steward/mapping.csv",
        "steward/result.json",
        "steward/recoding.json",
        "steward/report.html",
    }
    assert {path.name for path in folder.iterdir() if path.name.startswith(".")} == set()
    paragraph = " ".join(ran.out.split())
    assert "disease is protected" in paragraph
    assert "optimal: proved that no release by this method loses less" in paragraph
    assert "7.33 (lm)" in paragraph
    assert "of 25" in paragraph
    assert str(out / "release") in ran.out
    assert str(out / "steward" / "report.html") in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines() if str(folder) not in line)


def test_result_json_has_the_keys_of_the_contract(run: Run, folder: Path) -> None:
    run("publish", folder / "policy.yaml", "--out", folder / "out")
    result = result_of(folder / "out")
    assert result["loss"].keys() >= {"name", "cost", "normalized"}
    assert result["cuts"].keys() == {"education", "country"}
    assert result["suppressed"] == {"records": 0, "values": 1}
    assert result["search"]["cuts_total"] == 25
    assert result["search"].keys() >= {"cuts_examined", "seconds"}
    assert (result["bound"], result["gap"], result["verified"]) == (pytest.approx(22 / 3), 0, True)


def test_the_certificate_tells_no_more_than_the_contract_says(run: Run, folder: Path) -> None:
    run("publish", folder / "policy.yaml", "--out", folder / "out", "--seed", "123454321")
    text = (folder / "out" / "release" / "certificate.json").read_text()
    certificate = json.loads(text)
    assert certificate.keys() == {"format", "kind", "data", "promise", "method", "columns", "recoding", "verdict"}
    assert certificate["recoding"] == "global"
    assert certificate["promise"] == [{"model": "l-plus-diversity", "thresholds": "1/2"}]
    assert certificate["method"] == {
        "name": "l-plus-optimize",
        "version": discreet.__version__,
        "loss": "lm",
        "suppression": "vio-sa",
    }
    assert certificate["verdict"] == {"holds": True}
    for secret in (str(folder), "patients", "123454321", "seed", "suppressed"):
        assert secret not in text


def test_the_release_has_the_rows_without_identifiers(run: Run, folder: Path) -> None:
    header, *rows = ROWS.splitlines()
    lines = [f"name,{header},bed", *(f"N{number},{row},{number % 2}" for number, row in enumerate(rows))]
    (folder / "patients.csv").write_text("\n".join(lines) + "\n")
    roles = "  name: {role: identifier}\n  bed: {role: insensitive}\nprivacy:"
    (folder / "policy.yaml").write_text(POLICY.replace("privacy:", roles))
    assert run("publish", folder / "policy.yaml").code == 0
    with (folder / "policy-published" / "release" / "data.csv").open() as file:
        published = list(csv.DictReader(file))
    assert list(published[0]) == ["education", "country", "disease", "bed"]
    assert len(published) == 10
    assert Counter(row["disease"] for row in published)["*"] == 1
    assert Counter(row["bed"] for row in published) == {"0": 5, "1": 5}


def test_a_seed_repeats_a_release_and_without_one_rows_come_in_another_order(run: Run, tmp_path: Path) -> None:
    policy = DEMOS / "table" / "policy.yaml"
    for name in ("a", "b"):
        assert run("publish", policy, "--out", tmp_path / name, "--seed", "7").code == 0
    for name in ("c", "d"):
        assert run("publish", policy, "--out", tmp_path / name).code == 0
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a" / "release").rglob("*.*")]
    assert len(files) == 7
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    a, c, d = ((tmp_path / name / "release" / "data.csv").read_text().splitlines() for name in "acd")
    assert a != c != d != a
    assert sorted(a) == sorted(c) == sorted(d)


def test_parquet_in_and_out(run: Run, folder: Path) -> None:
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    parquet.write_table(arrow_csv.read_csv(folder / "patients.csv"), folder / "patients.parquet")
    settings = ("--set", "data.path=patients.parquet", "--set", "output.format=parquet")
    assert run("publish", folder / "policy.yaml", *settings).code == 0
    out = folder / "policy-published"
    assert parquet.read_table(out / "release" / "data.parquet").num_rows == 10
    assert run("verify", out).code == 0
    assert not (out / "release" / "data.csv").exists()


def test_a_byte_order_mark_is_not_part_of_a_name(run: Run, folder: Path) -> None:
    (folder / "patients.csv").write_bytes(b"\xef\xbb\xbf" + ROWS.encode())
    assert run("publish", folder / "policy.yaml").code == 0


def test_missing_values_are_a_value_of_their_own(run: Run, folder: Path) -> None:
    (folder / "patients.csv").write_text(ROWS + ",France,Flu\n,UK,Asthma\nJunior,,Cancer\nSenior,France,\n")
    assert run("publish", folder / "policy.yaml", "--set", "search.suppression=vio-rec").code == 0
    assert run("verify", folder / "policy-published").code == 0
    assert "" in result_of(folder / "policy-published")["cuts"]["education"]


def test_values_without_a_place_are_an_error_or_suppressed(run: Run, folder: Path) -> None:
    (folder / "patients.csv").write_text(ROWS + "Phd,France,Flu\nPhd,UK,Asthma\n")
    before = everything(folder)
    assert_refused(run("publish", folder / "policy.yaml"), "education", "'Phd'", "2 rows", "on_missing: suppress")
    assert everything(folder) == before
    ran = run("publish", folder / "policy.yaml", "--set", "attributes.education.on_missing=suppress")
    assert ran.code == 0
    assert ran.err.startswith("Warning: education: 1 value is not in its taxonomy ('Phd'; 2 rows).")
    assert "Phd" not in (folder / "policy-published" / "release" / "data.csv").read_text()


def test_hostile_column_names(run: Run, tmp_path: Path) -> None:
    names = ["a\"b,c'; DROP TABLE original; --", "two\nlines", "\x1b[31mred\x1b[0m ☃ 😀", "../../etc/passwd"]
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, *(["x", "y", "p", "s"], ["x", "z", "q", "t"], ["w", "z", "q", "s"]) * 3])
    roles = ["quasi-identifier", "quasi-identifier", "sensitive", "insensitive"]
    policy = {
        "data": {"path": "t.csv"},
        "attributes": {name: {"role": role} for name, role in zip(names, roles, strict=True)},
        "privacy": {"model": "l-diversity", "l": 2},
    }
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy, allow_unicode=False))
    ran = run("publish", tmp_path / "policy.yaml")
    assert ran.code == 0, ran
    assert "\x1b" not in ran.out
    with (tmp_path / "policy-published" / "release" / "data.csv").open(newline="") as file:
        assert next(csv.reader(file)) == names
    assert run("verify", tmp_path / "policy-published").code == 0
    assert {path.parent.name for path in tmp_path.rglob("*.csv")} <= {tmp_path.name, "release", "taxonomies", "steward"}
    del policy["attributes"][names[0]]  # type: ignore[attr-defined]
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy))
    assert_refused(run("publish", tmp_path / "policy.yaml", "--out", tmp_path / "again"), names[0], "without a role")


def test_a_threshold_for_a_value_that_does_not_occur_is_a_warning(run: Run, folder: Path) -> None:
    thresholds = "{Flu: 1/2, Asthma: 1/2, Cancer: 1/2, Plague: 0.1}"
    ran = run("publish", folder / "policy.yaml", "--set", f"privacy.thresholds={thresholds}")
    assert ran.code == 0
    assert ran.err.startswith("Warning: privacy.thresholds: ")
    assert "Plague" in ran.err


def test_a_time_limit_gives_a_valid_release_with_its_gap(run: Run, tmp_path: Path) -> None:
    ran = run("publish", write_hard_table(tmp_path, 3000), "--time-limit", "0.5")
    assert ran.code == 0
    result = result_of(tmp_path / "hard-published")
    said = "nothing is proved about what another release could save"
    if result["bound"] is not None and result["gap"] <= 0.99:
        said = f"proved that at most {result['gap']:.2%} of the loss can be saved"
    assert f"feasible: {said}" in " ".join(ran.out.split())
    assert result["status"] == "feasible"
    assert result["gap"] is None if result["bound"] is None else 0 < result["gap"] < 1
    assert result["search"]["seconds"] < 30
    assert run("verify", tmp_path / "hard-published").code == 0


def test_a_tolerance_gives_a_release_with_its_proven_gap(run: Run, tmp_path: Path) -> None:
    ran = run("publish", write_hard_table(tmp_path, 1000, "abc"), "--set", "search.alpha=1/4")
    assert ran.code == 0
    result = result_of(tmp_path / "hard-published")
    assert result["status"] == "feasible"
    assert 0 < result["gap"] <= 0.2  # a loss of at most 5/4 times the least
    assert f"feasible: proved that at most {result['gap']:.2%} of the loss can be saved" in " ".join(ran.out.split())


def test_force_replaces_a_release_and_nothing_else(run: Run, folder: Path) -> None:
    out = folder / "out"
    assert run("publish", folder / "policy.yaml", "--out", out).code == 0
    before = everything(folder)
    assert_refused(run("publish", folder / "policy.yaml", "--out", out), str(out), "exists already", "--force")
    assert run("publish", folder / "policy.yaml", "--out", out, "--force").code == 0
    (out / "letter.txt").write_text("mine")
    assert_refused(run("publish", folder / "policy.yaml", "--out", out, "--force"), str(out), "it holds 'letter.txt'")
    assert everything(folder) == before | {"out/letter.txt"}


# --- Bad input ----------------------------------------------------------------------------------------------


def file(name: str, content: str | bytes) -> Callable[[Path], None]:
    """A file that differs."""

    def write(folder: Path) -> None:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def edited(old: str, new: str) -> Callable[[Path], None]:
    """A policy that differs."""
    assert old in POLICY
    return file("policy.yaml", POLICY.replace(old, new))


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: folder.joinpath(name).unlink()


BAD_INPUT: dict[str, tuple[Callable[[Path], None], list[str]]] = {
    "no policy": (without("policy.yaml"), ["policy.yaml", "no such policy file"]),
    "no data": (without("patients.csv"), ["patients.csv", "no such file"]),
    "no data named": (edited(", path: patients.csv", ""), ["data.path"]),
    "no taxonomy": (without("education.csv"), ["attributes.education.taxonomy", "education.csv"]),
    "not YAML": (file("policy.yaml", "data: ["), ["policy.yaml", "not YAML"]),
    "unknown key": (edited("suppression:", "supression:"), ["search.supression", "'suppression'"]),
    "column not in the data": (edited("  country:", "  county:"), ["county", "patients.csv", "country"]),
    "column not in the policy": (
        file(
            "patients.csv", ROWS.replace("disease\n", "disease,ward\n").replace("\n", ",1\n").replace("ward,1", "ward")
        ),
        ["patients.csv", "ward", "without a role"],
    ),
    "two sensitive": (
        edited("country: {role: quasi-identifier, taxonomy: country.csv}", "country: {role: sensitive}"),
        ["is about one sensitive column, and there are 2", "column:"],
    ),
    "no quasi-identifier": (
        file(
            "policy.yaml",
            POLICY.replace("quasi-identifier, taxonomy: education.csv", "identifier").replace(
                "quasi-identifier, taxonomy: country.csv", "identifier"
            ),
        ),
        ["attributes", "quasi-identifier"],
    ),
    "threshold above 1": (edited("1/2", "1.5"), ["privacy.thresholds", "1.5", "between 0 and 1"]),
    "threshold below 0": (edited("1/2", "-0.1"), ["privacy.thresholds", "-0.1", "between 0 and 1"]),
    "threshold missing": (edited("1/2", "{Flu: 1/2, Asthma: 1/2}"), ["privacy.thresholds", "'Cancer'", "no threshold"]),
    "two roots": (
        file("education.csv", EDUCATION.replace("Bachelor;University;*", "Bachelor;University;all")),
        ["all"],
    ),
    "a cycle": (file("country.csv", "child,parent\nFrance,Europe\nEurope,France\n"), ["country.csv", "Europe"]),
    "two parents": (file("country.csv", COUNTRY + "France,America\n"), ["country.csv", "France"]),
    "dm with vio-sa": (edited("search: {", "search: {loss: dm, "), ["search.suppression", "dm", "vio-sa"]),
    "cm without class": (
        edited("search: {suppression: vio-sa", "search: {loss: cm, suppression: none"),
        ["search.loss", "cm", "class"],
    ),
    "k-anonymity with vio-sa": (
        edited("privacy: {model: l-plus-diversity, thresholds: 1/2}", "privacy: {model: k-anonymity, k: 2}"),
        ["search.suppression", "vio-sa", "k-anonymity"],
    ),
    "an empty file": (file("patients.csv", ""), ["patients.csv", "empty"]),
    "no rows": (file("patients.csv", "education,country,disease\n"), ["patients.csv", "no rows"]),
    "one row": (file("patients.csv", "education,country,disease\nJunior,UK,Flu\n"), ["patients.csv", "one row"]),
    "a ragged row": (file("patients.csv", ROWS + "Junior,UK\n"), ["patients.csv, row 12", "2 field(s)", "3"]),
    "a NUL byte": (file("patients.csv", ROWS + "Ju\0nior,UK,Flu\n"), ["patients.csv, row 12", "NUL"]),
    "latin-1": (
        file("patients.csv", ROWS.encode() + b"Junior,UK,Grippe f\xe9brile\n"),
        ["row 12", "0xE9", "encoding: latin-1"],
    ),
    "UTF-16": (file("patients.csv", ROWS.encode("utf-16")), ["patients.csv", "UTF-16", "encoding: utf-16"]),
    "a star in the data": (file("patients.csv", ROWS + "Junior,UK,*\n"), ["disease", "'*'"]),
}


@pytest.mark.parametrize("fault", BAD_INPUT)
def test_bad_input_gets_a_sentence_and_nothing_is_written(run: Run, folder: Path, fault: str) -> None:
    spoil, words = BAD_INPUT[fault]
    spoil(folder)
    before = everything(folder)
    assert_refused(run("publish", folder / "policy.yaml", "--out", folder / "out"), *words)
    assert everything(folder) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["COMMAND", "discreet --help"]),
        (["pulbish"], ["pulbish"]),
        (["publish"], ["POLICY", "discreet publish --help"]),
        (["publish", "policy.yaml", "--seed", "-1"], ["--seed"]),
        (["publish", "policy.yaml", "--seed", "x"], ["--seed", "'x'"]),
        (["publish", "policy.yaml", "--time-limit", "soon"], ["search.time_limit", "'soon'"]),
        (["publish", "policy.yaml", "--time-limit", "0"], ["search.time_limit: 0 is"]),
        (["publish", "policy.yaml", "--set", "search.loss"], ["--set search.loss", "key=value"]),
        (["publish", "policy.yaml", "--set", "search.los=dm"], ["search.los", "'loss'"]),
        (["publish", "policy.yaml", "--set", "search.loss={"], ["search.loss", "not YAML"]),
        (["verify", "nowhere"], ["nowhere", "no certificate"]),
        (["compare", "policy.yaml", "--out", "out"], ["--vary"]),
        (["compare", "policy.yaml", "--vary", "privacy.l=2"], ["--out"]),
        (["compare", "policy.yaml", "--vary", "search.loss", "--out", "out"], ["--vary search.loss", "key=value"]),
        (["compare", "policy.yaml", "--vary", "search.loss=lm,", "--out", "out"], ["--vary", "empty"]),
        (["compare", "policy.yaml", "--vary", "search.loss=[lm", "--out", "out"], ["--vary", "bracket"]),
        (["compare", "policy.yaml", "--vary", "a=1", "--vary", "a=2", "--out", "out"], ["--vary a", "twice"]),
        (["compare", "policy.yaml", "--vary", "search.los=lm", "--out", "out"], ["search.los", "'loss'"]),
        (["compare", "policy.yaml", "--vary", "data.path=a.csv,b.csv", "--out", "out"], ["data"]),
        (["demo", "trees"], ["trees", "table"]),
    ],
)
def test_bad_usage_gets_a_sentence(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: list[str]
) -> None:
    monkeypatch.chdir(folder)
    before = everything(folder)
    assert_refused(run(*arguments), *words)
    assert everything(folder) == before


def test_a_folder_that_cannot_be_written_gets_a_sentence(run: Run, folder: Path) -> None:
    inside = folder / "patients.csv" / "out"
    assert_refused(run("publish", folder / "policy.yaml", "--out", inside), str(inside))
    assert_refused(run("compare", folder / "policy.yaml", "--vary", "search.loss=lm", "--out", inside), str(inside))


# --- All or nothing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "writer"),
    [
        (writing_table, "write_cuts"),
        (writing_table, "write_taxonomy"),
        (solve, "write_mapping"),
        (release_module, "write_json"),
        (release_module, "render_html"),
    ],
)
def test_a_full_disk_leaves_nothing(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, writer: str
) -> None:
    def full(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module, writer, full)
    before = everything(folder)
    assert_refused(run("publish", folder / "policy.yaml"), "policy-published", "No space left", "free some space")
    assert everything(folder) == before


def test_a_disk_that_takes_no_more_leaves_nothing(tmp_path: Path) -> None:
    warm_up.warm_up_method()  # so that nothing is compiled, and cached, under the limit
    before = everything(tmp_path)
    ran = subprocess.run(
        [COMMAND, "publish", DEMOS / "table" / "policy.yaml", "--out", tmp_path / "out"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    said = ran.stderr[ran.stderr.index("discreet: ") :]  # after a line on compiling, on a busy machine
    assert_refused(Ran(ran.returncode, ran.stdout, said), str(tmp_path / "out"), "File too large")
    assert everything(tmp_path) == before


@pytest.mark.parametrize("moment", [".out.unfinished-*", ".out.unfinished-*/new/unverified/data.csv"])
def test_killed_midway_there_is_no_release(tmp_path: Path, moment: str) -> None:
    policy = write_hard_table(tmp_path, 200_000, "abcdef")
    process = subprocess.Popen(
        [COMMAND, "publish", policy, "--out", tmp_path / "out", "--set", "search.time_limit=1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while not any(tmp_path.glob(moment)):
        assert process.poll() is None, "it ended before the moment came"
        assert time.monotonic() < deadline
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not [path for path in tmp_path.rglob("*") if path.name in ("release", "out")]


def test_a_release_that_breaks_its_promise_is_never_written(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = write_cuts

    def careless(*arguments: Any, **named: Any) -> None:
        honest(*arguments, **named)
        path = arguments[-1]
        path.write_text(path.read_text().replace("Asthma", "Flu"))

    monkeypatch.setattr(writing_table, "write_cuts", careless)
    before = everything(folder)
    ran = run("publish", folder / "policy.yaml")
    assert ran.code == 1
    assert "does not keep its promise" in ran.err
    assert everything(folder) == before


# --- Interrupts and defects ---------------------------------------------------------------------------------


def interrupting(*arguments: object, **named: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupt_outside_of_the_search(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing_table, "write_cuts", interrupting)
    before = everything(folder)
    assert run("publish", folder / "policy.yaml").err == "discreet: Interrupted; nothing was published.\n"
    assert run("publish", folder / "policy.yaml").code == 130
    assert everything(folder) == before


def press_ctrl_c(heard: SearchEvent | Step) -> None:
    if isinstance(heard, SearchEvent):
        os.kill(os.getpid(), signal.SIGINT)


@contextmanager
def interrupting_line() -> Iterator[Listener]:
    """A live line that interrupts as soon as the search has something to tell."""
    yield press_ctrl_c


def test_an_interrupted_search_publishes_the_best_so_far(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.cli.publish.live_line", interrupting_line)
    ran = run("publish", write_hard_table(tmp_path, 1000))
    assert ran.code == 0
    assert "Warning: The search was interrupted" in ran.err
    assert run("verify", tmp_path / "hard-published").code == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_at_any_time_of_the_search(tmp_path: Path) -> None:
    """Compiled loops run at that moment; they must not be hit by it."""
    policy = write_hard_table(tmp_path, 1000)
    warm_up.warm_up_method()  # the command has only to load what was compiled here
    process = subprocess.Popen(
        [COMMAND, "publish", policy, "--out", tmp_path / "out", "--time-limit", "100"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not any(tmp_path.glob(".out.unfinished-*")):
        time.sleep(0.01)
    time.sleep(5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Warning: The search was interrupted" in err


def test_an_interrupted_comparison_ends(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "search", partial(solve.search, listen=press_ctrl_c))
    policy = write_hard_table(tmp_path, 1000)
    before = everything(tmp_path)
    assert run("compare", policy, "--vary", "search.loss=lm,dm", "--out", tmp_path / "out").code == 130
    assert everything(tmp_path) == before


def test_a_defect_says_so(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **named: object) -> None:
        raise ZeroDivisionError("division by zero\nand more")

    monkeypatch.setattr("discreet.commands.publish.publish", broken)
    ran = run("publish", folder / "policy.yaml")
    assert ran.code == 70
    assert ran.err == (
        "discreet: This is a defect of discreet (ZeroDivisionError: division by zero); please report it, --debug "
        "shows more.\n"
    )
    for arguments in (["--debug", "publish"], ["publish", "--debug"]):
        ran = run(*arguments, folder / "policy.yaml")
        assert ran.code == 70
        assert ran.err.startswith("Traceback")


def test_debug_shows_where_a_sentence_comes_from(run: Run, tmp_path: Path) -> None:
    ran = run("--debug", "publish", tmp_path / "none.yaml")
    assert ran.code == 2
    assert ran.err.startswith("Traceback")
    assert ran.err.splitlines()[-1].startswith("discreet: ")


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen([COMMAND, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


# --- verify -------------------------------------------------------------------------------------------------


def test_verify_names_witnesses_of_a_breach(run: Run, tmp_path: Path) -> None:
    assert run("demo", "--out", tmp_path / "out").code == 0
    data = tmp_path / "out" / "release" / "data.csv"
    data.write_text(data.read_text().replace("Fracture", "HIV"))
    ran = run("verify", tmp_path / "out")
    assert ran.code == 1
    assert ran.err == ""
    assert "FAIL" in ran.out
    assert 1 <= sum(line.lstrip().startswith("- ") for line in ran.out.splitlines()) <= 10
    assert "HIV" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_verify_reads_the_release_alone(run: Run, folder: Path) -> None:
    assert run("publish", folder / "policy.yaml", "--out", folder / "out").code == 0
    alone = folder / "elsewhere"
    (folder / "out" / "release").rename(alone)
    ran = run("verify", alone)
    assert ran.code == 0
    assert "10 rows" in ran.out
    (alone / "data.csv").unlink()
    assert_refused(run("verify", alone), "data.csv")


# --- compare ------------------------------------------------------------------------------------------------


def test_compare(run: Run, folder: Path) -> None:
    out = folder / "out"
    vary = ("--vary", "search.suppression=none,vio-sa,vio-rec", "--vary", "search.loss=lm,dm")
    thresholds = ("--vary", "privacy.thresholds=1/2,{Flu: 1/3, Asthma: 1/3, Cancer: 1/3}")
    ran = run("compare", folder / "policy.yaml", *vary, *thresholds, "--out", out)
    assert ran.code == 0
    assert everything(out) == {"comparison.csv", "frontier.svg"}
    assert str(out / "comparison.csv") in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines() if str(out) not in line)
    with (out / "comparison.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    found = {
        (row["search.suppression"], row["search.loss"], row["privacy.thresholds"][:3]): row["cost"] or row["status"]
        for row in rows
    }
    assert float(found.pop(("vio-sa", "lm", "1/2"))) == pytest.approx(22 / 3)
    assert float(found.pop(("vio-sa", "lm", "{Fl"))) == pytest.approx(56 / 3)
    assert float(found.pop(("vio-rec", "lm", "1/2"))) == pytest.approx(26 / 3)
    assert found.pop(("vio-rec", "dm", "{Fl"))
    assert found == {
        ("none", "lm", "1/2"): "12",
        ("none", "dm", "1/2"): "44",
        ("vio-rec", "dm", "1/2"): "36",
        ("vio-rec", "lm", "{Fl"): "20",
        ("none", "lm", "{Fl"): "infeasible",
        ("none", "dm", "{Fl"): "infeasible",
        ("vio-sa", "dm", "1/2"): "invalid",
        ("vio-sa", "dm", "{Fl"): "invalid",
    }
    assert_refused(run("compare", folder / "policy.yaml", *vary, "--out", out), str(out), "exists already")


def test_compare_prints_a_row_as_soon_as_it_is_done(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    honest = compare_module._measure

    def watched(variant: Any) -> Any:
        seen.append(capsys.readouterr().out.count("optimal"))
        return honest(variant)

    monkeypatch.setattr(compare_module, "_measure", watched)
    vary = "search.suppression=vio-sa,all-sa,vio-rec"
    assert main(["compare", str(folder / "policy.yaml"), "--vary", vary, "--out", str(folder / "out")]) == 0
    assert seen == [0, 1, 1]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2,4", ["2", "4"]),
        (" lm , dm ", ["lm", "dm"]),
        ("1/2,{a: 1/3, b: 1}", ["1/2", "{a: 1/3, b: 1}"]),
        ("[1, [2, 3]],4", ["[1, [2, 3]]", "4"]),
        ("'a,b',\"c,d\"", ["'a,b'", '"c,d"']),
        ("{Crohn's: 1/2, x: 1},1/3", ["{Crohn's: 1/2, x: 1}", "1/3"]),
        ("{'a}': 1, b: 2},1/3", ["{'a}': 1, b: 2}", "1/3"]),
    ],
)
def test_commas_inside_brackets_and_quotes_stay(text: str, values: list[str]) -> None:
    assert split_values(text, "x") == values


# --- demo and list ------------------------------------------------------------------------------------------


def test_the_demo_twice(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    assert run("demo", "--out", out).code == 0
    assert_refused(run("demo", "--out", out), "exists already")
    ran = run("demo", "table", "--out", out, "--force")
    assert ran.code == 0
    assert ran.err == ""
    assert everything(tmp_path) >= {"demo/release/data.csv", "demo/steward/report.html"}
    assert {path.name for path in tmp_path.iterdir()} == {"demo"}
    assert "model: l-plus-diversity" in ran.out
    assert "PASS" in ran.out
    *_, policy, release, report = ran.out.splitlines()
    assert policy.endswith("policy.yaml")
    assert release.endswith("release")
    assert report.endswith("report.html")
    result = result_of(out)
    assert result["status"] == "optimal"
    assert result["search"]["seconds"] < 5
    assert all(len(cut) > 1 for cut in result["cuts"].values())
    assert result["sensitive_values"]["share"] > 0.75


def test_the_demo_ships_what_its_script_makes() -> None:
    path = Path(__file__).parents[2] / "examples" / "make_demo_patients.py"
    spec = importlib.util.spec_from_file_location("make_demo_patients", path)
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert (DEMOS / "table" / "patients.csv").read_text() == script.patients_csv()


def test_list_tells_all_that_is_registered(run: Run) -> None:
    ran = run("list")
    assert ran.code == 0
    named = {line.strip() for line in ran.out.splitlines()}
    told = " ".join(ran.out.split())
    for kind in KINDS.values():
        registries = (kind.models(), kind.losses(), kind.methods(), kind.measures(), kind.attacks())
        for registry in registries:
            assert named >= set(registry)
            assert all(f"Paper: {entry.paper}" in told for entry in registry.values())
        for vocabulary in kind.vocabularies():
            assert named >= set(vocabulary.meanings)
        methods = kind.methods()
        assert get_args(kind.policy().section_at("search").model_fields["method"].annotation) == tuple(methods)
        for option in (option for method in methods.values() for option in method.options):
            assert f"{option.name}: {option.text} (default: {option.default})" in told
    assert "thresholds: " in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


# --- Fast, and quiet ----------------------------------------------------------------------------------------


def test_importing_and_asking_for_help_is_light() -> None:
    program = (
        "import sys, time; started = time.perf_counter(); import discreet; from discreet.cli import main\n"
        "try: main(['publish', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'numpy', 'duckdb', 'pyarrow', 'pydantic', 'rich', 'yaml', 'pandas', 'polars'}\n"
        "print(time.perf_counter() - started, sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    seconds, loaded = ran.stdout.splitlines()[-1].split(" ", 1)
    assert loaded == "[]"
    assert float(seconds) < 1
    assert "Example:" in ran.stdout


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"discreet {discreet.__version__}\n"


def test_compiling_is_said_when_something_is_compiled_and_never_else(tmp_path: Path, folder: Path) -> None:
    publish = [COMMAND, "publish", str(folder / "policy.yaml"), "--without", "charts"]
    told = []
    for out in ("first", "second"):
        ran = subprocess.run(
            [*publish, "--out", str(tmp_path / out)],
            env={**os.environ, "DISCREET_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        told.append(ran.stderr)
    assert told == ["Compiling the search for this machine; this happens only once.\n", ""]


def test_what_is_left_out_is_said_and_changes_nothing_in_the_release(run: Run, folder: Path) -> None:
    assert run("publish", folder / "policy.yaml", "--seed", "1", "--out", folder / "whole").code == 0
    ran = run(
        *("publish", folder / "policy.yaml", "--seed", "1", "--out", folder / "lean"),
        *("--without", "attack,measures,charts"),
    )
    assert ran.code == 0
    assert "Left out    attack, measures and charts, by report.without" in ran.out
    assert "Warning: The release was not attacked" in ran.err
    for file in (folder / "whole" / "release").rglob("*.csv"):
        assert (folder / "lean" / file.relative_to(folder / "whole")).read_bytes() == file.read_bytes()
    result = json.loads((folder / "lean" / "steward" / "result.json").read_text())
    assert result["left_out"] == ["attack", "measures", "charts"]
    assert not {"attack", "utility"} & result.keys()
    page = (folder / "lean" / "steward" / "report.html").read_text()
    assert "Left out, because the policy says so (report.without): attack, measures and charts." in page
    assert "<svg" not in page
    assert run("attack", folder / "lean").code == 0


def test_strict_does_not_go_without_the_attack(run: Run, folder: Path) -> None:
    ran = run("publish", folder / "policy.yaml", "--strict", "--without", "attack")
    assert ran.code == 2
    assert "The release was not attacked" in ran.err


def test_what_cannot_be_left_out_is_refused(run: Run, folder: Path) -> None:
    ran = run("publish", folder / "policy.yaml", "--without", "verifier")
    assert ran.code == 2
    assert "'verifier' is not allowed here; write 'attack', 'measures' or 'charts'" in ran.err


def test_every_step_is_told_to_whoever_watches(folder: Path) -> None:
    told: list[Step] = []
    discreet.publish(folder / "policy.yaml", folder / "out", watch=told.append)
    said = [step.what for step in told]
    assert said.index("reading the data") < said.index("preparing the search") < said.index("writing the release")
    assert said.index("verifying the release") < said.index("measure") < said.index("attack")
    attacks = [(step.number, step.of) for step in told if step.what == "attack"]
    assert attacks == [(number, len(attacks)) for number in range(1, len(attacks) + 1)]


def test_a_small_publication_loads_nothing_that_it_does_not_need(folder: Path) -> None:
    """pandas, where it is installed, and what numba compiles with take longer to load than all the rest."""
    program = (
        "import sys, discreet; discreet.publish(*sys.argv[1:], settings={'report.without': ['charts']}); "
        "print([name for name in ('pandas', 'scipy.linalg', 'numba.np.arraymath') if name in sys.modules])"
    )
    arguments = [sys.executable, "-c", program, str(folder / "policy.yaml")]
    for out in ("first", "second"):
        ran = subprocess.run([*arguments, str(folder / out)], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("cost", [Fraction(22, 3), Fraction(10**9 - 1, 7), Fraction(10**9 - 1), Fraction(10**30)])
def test_the_live_line_fits_a_terminal(cost: Fraction) -> None:
    event = SearchEvent(seconds=1.0, incumbent=cost, bound=cost / 3, examined=10**9 - 1)
    line = progress_line(99_999, event)
    assert len(line) < 80
    assert line.startswith("99999 s  best ")
    assert "gap 66.67%" in line
    assert progress_line(3, None) == "3 s  preparing"
    assert progress_line(3, SearchEvent(0.0, None, None, 1)) == "3 s  1 looked at"
    assert progress_line(3, Step("verifying the release")) == "3 s  verifying the release"
    assert progress_line(3, Step("attack", 3, 6)) == "3 s  attack 3 of 6"


# --- The Python API -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_tables_in_memory(folder: Path, kind: str) -> None:
    path = folder / "patients.csv"
    table: object
    if kind == "pandas":
        import pandas

        table = pandas.read_csv(path)
    elif kind == "polars":
        import polars

        table = polars.read_csv(path)
    elif kind == "pyarrow":
        from pyarrow import csv as arrow_csv

        table = arrow_csv.read_csv(path)
    else:
        import duckdb

        table = duckdb.connect().read_csv(str(path))
    written = yaml.safe_load(POLICY)
    del written["data"]["path"]
    policy = discreet.Policy.parse(written, folder)
    publication = discreet.publish(policy, folder / "out", data=table)
    assert publication.verdict.holds
    assert Fraction(publication.result["loss"]["exact"]) == Fraction(22, 3)
    assert len((publication.release / "data.csv").read_text().splitlines()) == 11
    rows = discreet.compare(policy, {"search.suppression": ["none", "vio-sa"]}, data=table)
    assert [row["cost"] for row in rows] == [12, pytest.approx(22 / 3)]


def test_a_table_in_memory_is_not_called_by_the_name_of_a_file(folder: Path) -> None:
    import pyarrow as pa

    table = pa.table({"education": ["Junior", "Senior"], "country": ["UK", "UK"]})
    with pytest.raises(discreet.InputError, match=r"attributes.disease: there is no such column in the table"):
        discreet.publish(folder / "policy.yaml", folder / "out", data=table)
