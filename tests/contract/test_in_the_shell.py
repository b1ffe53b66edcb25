"""What scripts and people at a terminal rely on: JSON, silence, colour, width, completion, any table verified."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discreet.cli import main, parser
from discreet.cli.completion import script
from discreet.kernels.compiling import about_to_compile
from discreet.kinds import KINDS

HOSPITAL = Path(__file__).resolve().parents[2] / "examples" / "hospital"
CODES = re.compile(r"\x1b\[[0-9;]*m")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(HOSPITAL, tmp_path / "hospital")
    return tmp_path


@pytest.fixture
def published(folder: Path, run: Run) -> Path:
    assert run("publish", folder / "hospital" / "policy.yaml", "--out", folder / "out", "--seed", 1)[0] == 0
    return folder / "out"


# --- JSON and silence ---------------------------------------------------------------------------------------


def document(ran: tuple[int, str, str], code: int = 0) -> Any:
    assert (ran[0], ran[2]) == (code, "")
    return json.loads(ran[1])


def test_what_is_printed_as_json_is_all_there_is(run: Run, folder: Path, published: Path) -> None:
    inspected = document(run("inspect", folder / "hospital" / "patients.csv", "--json"))
    assert inspected["format"] == "discreet-inspection/1"
    assert [column["name"] for column in inspected["columns"]] == ["number", "education", "country", "disease"]
    verdict = document(run("verify", published, "--json"))
    assert (verdict["format"], verdict["holds"], verdict["rows"]) == ("discreet-verdict/1", True, 10)
    attacked = document(run("attack", published, "--json"))
    assert attacked == json.loads((published / "steward" / "attack.json").read_text())


def test_a_broken_promise_is_json_too(run: Run, published: Path) -> None:
    data = published / "release" / "data.csv"
    data.write_text(re.sub(r",\S+$", ",Flu", data.read_text(), flags=re.MULTILINE).replace(",Flu", ",disease", 1))
    verdict = document(run("verify", published, "--json"), code=1)
    assert verdict["holds"] is False and verdict["breaches"][0]["witnesses"]


def test_the_list_as_json_has_everything_that_is_registered(run: Run) -> None:
    chapters = document(run("list", "--json"))["chapters"]
    for name, kind in KINDS.items():
        for sort in ("models", "losses", "measures", "attacks", "methods"):
            [found] = [each for each in chapters if (each["sort"], each["kind"]) == (sort, name)]
            assert [entry["name"] for entry in found["entries"]] == list(getattr(kind, sort)())


def test_quiet_prints_nothing_but_the_exit_code_remains(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.commands.publish.warm_up", lambda policy: about_to_compile(kept=True))
    policy = folder / "hospital" / "policy.yaml"
    code, out, err = run("publish", policy, "--out", folder / "out", "--quiet")
    assert (code, out) == (0, "")
    assert all(line.startswith("Warning: ") for line in err.splitlines())
    assert (folder / "out" / "release" / "data.csv").exists()
    assert run("verify", folder / "out", "--quiet") == (0, "", "")
    (folder / "out" / "release" / "more.txt").write_text("?")
    assert run("verify", folder / "out", "--quiet") == (1, "", "")
    assert run("inspect", folder / "hospital" / "patients.csv", "--quiet") == (0, "", "")
    code, out, err = run("publish", policy, "--out", folder / "out", "--quiet")
    assert (code, out) == (2, "") and "exists already" in err


def test_quiet_and_json_contradict_each_other(run: Run, published: Path) -> None:
    code, out, err = run("verify", published, "--quiet", "--json")
    assert (code, out) == (2, "") and "give one of them" in err


# --- compare ------------------------------------------------------------------------------------------------


def rows_of(out: Path) -> list[dict[str, str]]:
    with (out / "comparison.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_compare_shows_use_and_risk_beside_the_loss(run: Run, folder: Path) -> None:
    code, out, _ = run(
        *("compare", folder / "hospital" / "policy.yaml", "--out", folder / "out"),
        *("--vary", "privacy.thresholds=1/2,1/4", "--vary", "search.suppression=vio-sa,none,vio-rec"),
    )
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["settings", "status", "loss", "lost", "kept", "risk"]
    figures = [line.split() for line in lines if line.startswith("thresholds=")]
    assert figures[0] == ["thresholds=1/2", "suppression=vio-sa", "optimal", "7.33", "36.7%", "20.0%", "100%"]
    assert [words[:2] for words in figures] == [
        [f"thresholds={threshold}", f"suppression={suppression}"]
        for threshold in ("1/2", "1/4")
        for suppression in ("vio-sa", "none", "vio-rec")
    ]
    first = rows_of(folder / "out")[0]
    assert (first["values_unchanged"], first["risk_highest"], first["risk_average"]) == ("0.2", "1.0", "0.4")
    assert first["confidence_highest"] == "0.5"
    assert "by sse, one group of all records; shares by different losses cannot be compared" in " ".join(out.split())


def test_a_comparison_is_told_in_the_order_that_was_asked_for(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.commands import compare as module

    honest = module._measured
    monkeypatch.setattr(module, "_measured", lambda *given: reversed(list(honest(*given))))
    vary = ("--vary", "privacy.thresholds=1/2,3/5,2/3,3/4")
    _, out, _ = run("compare", folder / "hospital" / "policy.yaml", *vary, "--out", folder / "out")
    told = [line.split()[0] for line in out.splitlines() if line.startswith("thresholds=")]
    assert told == ["thresholds=1/2", "thresholds=3/5", "thresholds=2/3", "thresholds=3/4"]


def test_set_holds_for_every_combination(run: Run, folder: Path) -> None:
    policy, vary = folder / "hospital" / "policy.yaml", ("--vary", "privacy.thresholds=1/2,3/5")
    assert run("compare", policy, *vary, "--set", "search.suppression=none", "--out", folder / "out")[0] == 0
    assert [row["values_suppressed"] for row in rows_of(folder / "out")] == ["0", "0"]
    assert [row["records_deleted"] for row in rows_of(folder / "out")] == ["0", "0"]


def test_force_replaces_a_comparison_and_nothing_else(run: Run, folder: Path) -> None:
    policy, out = folder / "hospital" / "policy.yaml", folder / "out"
    assert run("compare", policy, "--vary", "privacy.thresholds=1/2,3/5", "--out", out)[0] == 0
    again = ("compare", policy, "--vary", "privacy.thresholds=2/3", "--out", out)
    code, _, err = run(*again)
    assert code == 2 and "--force" in err
    assert run(*again, "--force")[0] == 0
    assert [row["privacy.thresholds"] for row in rows_of(out)] == ["2/3"]
    assert {path.name for path in out.iterdir()} == {"comparison.csv", "frontier.svg"}
    (out / "notes.txt").write_text("mine")
    code, _, err = run(*again, "--force")
    assert code == 2 and "'notes.txt'" in err
    assert (out / "notes.txt").read_text() == "mine"
    code, _, err = run(*again[:-1], folder / "hospital", "--force")
    assert code == 2 and "no part of a comparison" in err


def test_a_forced_comparison_that_fails_leaves_the_earlier_one(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.commands import compare as module

    policy, out = folder / "hospital" / "policy.yaml", folder / "out"
    assert run("compare", policy, "--vary", "privacy.thresholds=1/2", "--out", out)[0] == 0
    earlier = (out / "comparison.csv").read_text()

    def interrupted(variant: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "_measure", interrupted)
        assert run("compare", policy, "--vary", "privacy.thresholds=2/3", "--out", out, "--force")[0] == 130
    assert {path.name for path in out.iterdir()} == {"comparison.csv", "frontier.svg"}
    assert (out / "comparison.csv").read_text() == earlier


# --- verify --policy ----------------------------------------------------------------------------------------


def test_a_table_of_any_program_is_verified_by_a_policy(run: Run, folder: Path, published: Path) -> None:
    policy, data = folder / "hospital" / "policy.yaml", published / "release" / "data.csv"
    code, out, err = run("verify", "--policy", policy, data)
    assert (code, err) == (0, "")
    assert "PASS: the promise holds" in out and "There is no certificate" in out and "10 rows in 4 partitions" in out
    pd.read_csv(data, dtype=str).to_parquet(folder / "elsewhere.parquet")
    assert run("verify", "--policy", policy, folder / "elsewhere.parquet", "--quiet") == (0, "", "")
    code, out, _ = run("verify", "--policy", policy, data, "--set", "privacy.thresholds=1/4")
    assert code == 1 and "FAIL" in out


def test_the_original_does_not_pass(run: Run, folder: Path) -> None:
    ran = run("verify", "--policy", folder / "hospital" / "policy.yaml", folder / "hospital" / "patients.csv", "--json")
    breaches = document(ran, code=1)["breaches"]
    assert [breach["kind"] for breach in breaches] == ["identifier", "l-plus-diversity"]
    assert breaches[0]["witnesses"] == ["the identifier 'number' is published"]


def test_columns_that_are_not_there_and_columns_without_a_role(run: Run, folder: Path) -> None:
    policy = folder / "hospital" / "policy.yaml"
    (folder / "fewer.csv").write_text("education,disease\nJunior,Flu\nJunior,Asthma\n")
    code, out, _ = run("verify", "--policy", policy, folder / "fewer.csv")
    assert code == 0 and "nobody learns anything by it: 'country'" in " ".join(out.split())
    (folder / "more.csv").write_text("education,name,disease\nJunior,Ann,Flu\nJunior,Bob,Asthma\n")
    code, _, err = run("verify", "--policy", policy, folder / "more.csv")
    assert code == 2 and "says nothing of the column 'name'" in err
    (folder / "secret.csv").write_text("education,country\nJunior,France\nJunior,France\n")
    code, _, err = run("verify", "--policy", policy, folder / "secret.csv")
    assert code == 2 and "about a sensitive column" in err
    (folder / "open.csv").write_text("disease\nFlu\nFlu\n")
    code, _, err = run("verify", "--policy", policy, folder / "open.csv")
    assert code == 2 and "none of its columns is a quasi-identifier" in err


@pytest.mark.parametrize(
    ("place", "settings", "words"),
    [
        ("nowhere.csv", [], "there is no such file"),
        ("hospital", [], "there is no such file"),
        ("hospital/policy.yaml", [], "ends in .csv or .parquet"),
        ("hospital/patients.csv", ["--set", "privacy.thresholds={baseline: 1/5, by: frequency}"], "by frequency"),
    ],
)
def test_what_cannot_be_verified_by_a_policy(
    run: Run, folder: Path, place: str, settings: list[str], words: str
) -> None:
    code, _, err = run("verify", "--policy", folder / "hospital" / "policy.yaml", folder / place, *settings)
    assert code == 2 and words in err and err.count("\n") == 1


def test_sets_need_their_certificate(run: Run) -> None:
    policy = HOSPITAL.parents[1] / "src" / "discreet" / "demo" / "transactions" / "policy.yaml"
    code, _, err = run("verify", "--policy", policy, policy.with_name("baskets.csv"))
    assert code == 2 and "without a certificate, not transactions" in err


def test_set_without_a_policy(run: Run, published: Path) -> None:
    code, _, err = run("verify", published, "--set", "privacy.thresholds=1/4")
    assert code == 2 and "settings change a policy" in err


# --- Colour and width ---------------------------------------------------------------------------------------


def at_a_terminal(columns: int, *arguments: object, **environment: str) -> str:
    """What a terminal of that width is sent."""
    pty = pytest.importorskip("pty")
    fcntl, termios, struct = (pytest.importorskip(name) for name in ("fcntl", "termios", "struct"))
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-m", "discreet", *map(str, arguments)],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**known, "TERM": "xterm", **environment},
    ) as process:
        os.close(theirs)
        sent = b""
        while True:
            try:
                chunk = os.read(mine, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            sent += chunk
        assert process.wait() in (0, 1)
    os.close(mine)
    return sent.decode().replace("\r\n", "\n")


def test_colour_at_a_terminal_and_its_width(run: Run, folder: Path, published: Path) -> None:
    shown = at_a_terminal(60, "verify", published)
    assert "\x1b[32m     PASS: the promise holds\x1b[0m" in shown
    assert max(len(CODES.sub("", line)) for line in shown.splitlines()) <= 60
    assert "\x1b" not in at_a_terminal(60, "verify", published, NO_COLOR="1")
    assert "\x1b" not in at_a_terminal(60, "verify", published, TERM="dumb")
    wide = at_a_terminal(110, "inspect", folder / "hospital" / "patients.csv")
    assert 80 < max(len(CODES.sub("", line)) for line in wide.splitlines() if "/" not in line) <= 110
    piped = run("inspect", folder / "hospital" / "patients.csv")[1]
    assert "\x1b" not in piped and all(len(line) <= 80 for line in piped.splitlines() if "/" not in line)


def test_a_broken_promise_is_red(published: Path) -> None:
    (published / "release" / "more.txt").write_text("?")
    assert "\x1b[31m     FAIL" in at_a_terminal(80, "verify", published)


# --- Completion ---------------------------------------------------------------------------------------------


def completed(*words: str) -> list[str]:
    """What bash offers for the last word; nothing is where it offers files."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    given = " ".join(f"'{word}'" for word in words)
    asked = f'COMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; _discreet; echo "${{COMPREPLY[@]}}"'
    code = f"{script(parser(), 'bash')}\n{asked}"
    return subprocess.run([bash, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes_commands_options_and_choices() -> None:
    assert completed("discreet", "ver") == ["verify"]
    assert {"inspect", "publish", "verify", "attack", "compare"} <= set(completed("discreet", ""))
    assert completed("discreet", "publish", "policy.yaml", "--al") == ["--allow-empty"]
    assert completed("discreet", "inspect", "--kind", "") == list(KINDS)
    assert completed("discreet", "demo", "tr") == ["transactions"]
    assert completed("discreet", "publish", "pol") == []
    assert completed("discreet", "publish", "--out", "") == []
    assert "--debug" not in completed("discreet", "publish", "--")


def test_every_shell_is_told_every_option(run: Run) -> None:
    for shell in ("bash", "zsh", "fish"):
        code, out, _ = run("completion", shell)
        assert code == 0
        for option in ("allow-unnamed", "recoding", "vary", "dry-run"):
            assert option in out
    code, _, err = run("completion", "tcsh")
    assert code == 2 and "bash" in err


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_the_script(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    done = subprocess.run([program, "-n", "-c", script(parser(), shell)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
