"""Whoever interferes with a publication: what stood before is whole, or what came after, and nothing else is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest

import discreet
from demos import write_hard_table
from discreet.cli import main
from discreet.commands import publish as publishing
from discreet.commands.release import write_publication
from discreet.errors import InputError
from discreet.kinds import KINDS
from examples import TIMES

COMMAND = str(Path(sys.executable).with_name("discreet"))
HOSPITAL = Path(__file__).parents[2] / "examples" / "hospital"


def tried(folder: Path, kind: str, *trial: object) -> dict[str, int]:
    """What trials.py saw how often."""
    program = Path(__file__).with_name("trials.py")
    path = os.pathsep.join([str(program.parents[1]), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, program, folder, kind, *map(str, trial)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    outcomes: dict[str, int] = json.loads(ran.stdout)
    return outcomes


@pytest.mark.parametrize("kind", KINDS)
def test_ended_at_a_random_moment(tmp_path: Path, kind: str) -> None:
    moments = TIMES if TIMES == 1 else 3 * TIMES
    seed = 1 if TIMES == 1 else SystemRandom().randrange(2**32)
    outcomes = tried(tmp_path, kind, "kills", moments, seed)
    assert sum(outcomes.values()) == 2 * moments, outcomes


@pytest.mark.parametrize("number", [2, 8] if TIMES > 1 else [2])
@pytest.mark.parametrize("kind", KINDS if TIMES > 1 else list(KINDS)[:1])
def test_several_publishers_of_one_folder(tmp_path: Path, kind: str, number: int) -> None:
    assert tried(tmp_path, kind, "publishers", number) == {
        f"{number} publishers, without --force: 1 published, {number - 1} refused": 1,
        f"{number} publishers, --force: {number} published, 0 refused": 1,
        f"{number} publishers, --force over an old one: {number} published, 0 refused": 1,
    }


@pytest.mark.skipif(TIMES == 1, reason="full disks at twenty sizes take a minute: make sweep")
@pytest.mark.parametrize("kind", KINDS)
def test_files_that_may_not_grow(tmp_path: Path, kind: str) -> None:
    assert tried(tmp_path, kind, "full") == {"nothing stands": 10, "--force, the old one stands": 10}


# --- --force --------------------------------------------------------------------------------------------------------


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    shutil.copytree(HOSPITAL, tmp_path / "hospital")
    return tmp_path / "hospital"


@pytest.fixture
def out(hospital: Path) -> Path:
    discreet.publish(hospital / "policy.yaml", hospital / "out", seed=1)
    return hospital / "out"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_thesis_in_a_folder_called_release(hospital: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no publication, only called like a part of one."""
    project = hospital / "proj"
    (project / "release").mkdir(parents=True)
    (project / "release" / "thesis.tex").write_text("five years")
    before = everything(hospital)
    assert main(["publish", str(hospital / "policy.yaml"), "--out", str(project), "--force"]) == 2
    assert "it has no release/certificate.json of discreet's" in capsys.readouterr().err
    assert everything(hospital) == before


def test_policy_and_data_that_lie_in_a_folder_called_release(hospital: Path) -> None:
    own = hospital.parent / "own"
    own.mkdir()
    hospital.rename(own / "release")
    before = everything(own)
    with pytest.raises(InputError, match="not replaced even with --force"):
        discreet.publish(own / "release" / "policy.yaml", own, force=True)
    assert everything(own) == before


def with_other_data(hospital: Path, out: Path) -> dict[str, object]:
    shutil.copy(hospital / "patients.csv", out / "release" / "data.csv")
    return {"settings": {"data.path": str(out / "release" / "data.csv")}}


def with_a_published_taxonomy(hospital: Path, out: Path) -> dict[str, object]:
    shutil.copy(hospital / "taxonomies" / "country.csv", out / "release" / "taxonomies" / "2-country.csv")
    taxonomy = str(out / "release" / "taxonomies" / "2-country.csv")
    return {"settings": {"attributes.country.taxonomy": taxonomy}}


def with_its_own_recoding(hospital: Path, out: Path) -> dict[str, object]:
    return {"recoding": out / "steward" / "recoding.json"}


@pytest.mark.parametrize("given", [with_other_data, with_a_published_taxonomy, with_its_own_recoding])
def test_what_is_published_from_is_not_replaced(
    hospital: Path, out: Path, given: Callable[[Path, Path], dict[str, object]]
) -> None:
    options = given(hospital, out)
    before = everything(hospital)
    with pytest.raises(InputError, match="which the new publication is made from; choose another --out"):
        discreet.publish(hospital / "policy.yaml", out, force=True, **options)  # type: ignore[arg-type]
    assert everything(hospital) == before


def test_the_command_line_does_not_replace_the_recoding_it_applies(
    hospital: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recoding = out / "steward" / "recoding.json"
    again = ["publish", str(hospital / "policy.yaml"), "--force", "--recoding", str(recoding)]
    assert main([*again, "--out", str(out)]) == 2
    assert f"it holds {recoding}, which the new publication is made from" in capsys.readouterr().err
    assert recoding.exists()
    assert main([*again, "--out", str(out.with_name("other"))]) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_publication_that_was_attacked_is_replaced(tmp_path: Path, kind: str) -> None:
    out = str(tmp_path / "out")
    assert main(["demo", kind, "--out", out]) == 0
    assert main(["attack", out, "--seed", "1"]) == 0
    assert main(["demo", kind, "--out", out, "--force"]) == 0
    assert not (tmp_path / "out" / "steward" / "attack.json").exists()


# --- Signals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_a_search(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C would publish the best release so far; whoever sends these wants an end."""
    policy = write_hard_table(tmp_path, 1000)
    before = everything(tmp_path)
    (tmp_path / "temporary").mkdir()
    process = subprocess.Popen(
        [COMMAND, "publish", policy, "--out", tmp_path / "out", "--time-limit", "100"],
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # the tests may run where it is ignored (nohup)
    )
    while not any(tmp_path.glob(".out.unfinished-*")):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(3)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number, err
    assert err.endswith("discreet: Interrupted; nothing was published.\n")
    assert everything(tmp_path) == before
    assert not list((tmp_path / "temporary").iterdir())


def test_handlers_are_those_of_before(tmp_path: Path) -> None:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    assert main(["publish", str(HOSPITAL / "policy.yaml"), "--out", str(tmp_path / "out")]) == 0
    assert {number: signal.getsignal(number) for number in handlers} == handlers


def test_a_library_leaves_signals_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    discreet.publish(
        HOSPITAL / "policy.yaml",
        tmp_path / "out",
        listen=lambda event: seen.append(signal.getsignal(signal.SIGTERM)),
    )
    assert set(seen) == {signal.SIG_DFL}


def stumble() -> None:
    raise AttributeError("partially initialized module")


class InterruptedAtItsEnd:
    """What is raised here nobody can catch, as in a function that C code calls."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)


class HalfMade:
    """As what an interrupt hits in its making."""

    def __del__(self) -> None:
        raise AttributeError("it has no such attribute yet")


def let_it_end() -> None:
    InterruptedAtItsEnd()
    HalfMade()


@pytest.mark.parametrize(
    "then", [stumble, let_it_end, lambda: None], ids=["stumbles", "where none can pass", "goes on"]
)
def test_a_library_that_swallows_an_interrupt(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    then: Callable[[], None],
) -> None:
    """As imports that DuckDB asks for do, and then go on with half a module."""
    honest = write_publication

    def swallowing(*given: Any, **options: Any) -> Any:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        except KeyboardInterrupt:
            then()
        return honest(*given, **options)

    monkeypatch.setattr(publishing, "write_publication", swallowing)
    assert main(["publish", str(HOSPITAL / "policy.yaml"), "--out", str(tmp_path / "out")]) == 143
    assert capsys.readouterr().err == "discreet: Interrupted; nothing was published.\n"
    assert not list(tmp_path.iterdir())


def test_a_search_does_not_begin_after_an_interrupt_was_swallowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def swallowing(*given: object) -> list[str]:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        return []

    begun: list[object] = []
    monkeypatch.setattr("discreet.commands.publish.warm_up", swallowing)
    monkeypatch.setattr("discreet.commands.publish.write_publication", begun.append)
    assert main(["publish", str(HOSPITAL / "policy.yaml"), "--out", str(tmp_path / "out")]) == 143
    assert not begun


def test_no_interrupt_falls_into_the_loading_of_compiled_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in one of its calls back from C kills the process; it waits until the search begins."""
    reached: list[str] = []
    program = "os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.01); reached.append('the end')"
    names = {"__name__": "llvmlite.binding.ffi", "os": os, "signal": signal, "time": time, "reached": reached}
    monkeypatch.setattr("discreet.commands.publish.warm_up", lambda policy: exec(program, names))
    assert main(["publish", str(HOSPITAL / "policy.yaml"), "--out", str(tmp_path / "out")]) == 143
    assert reached == ["the end"]
    assert not list(tmp_path.iterdir())


def test_an_interrupt_after_the_publication_says_that_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(publication: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.cli.publish._print_result", interrupted)
    assert main(["publish", str(HOSPITAL / "policy.yaml"), "--out", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == f"discreet: Interrupted, but {tmp_path / 'out'} was published before.\n"
    assert discreet.verify(tmp_path / "out").holds


# --- Output that cannot be written ----------------------------------------------------------------------------------

COMMANDS: list[list[str]] = [
    ["--help"],
    ["list"],
    ["tidy", "."],
    ["inspect", str(HOSPITAL / "patients.csv")],
    ["publish", str(HOSPITAL / "policy.yaml"), "--out", "out"],
    ["demo", "--out", "out"],
    ["compare", str(HOSPITAL / "policy.yaml"), "--vary", "privacy.thresholds=1/2,1/3", "--out", "out"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: str(arguments[0]))
def test_a_full_disk_behind_the_output_is_no_defect(tmp_path: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [COMMAND, *arguments], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ran.stderr.endswith("discreet: The output cannot be written: No space left on device.\n")
    assert ran.stderr.count("discreet: ") == 1
    assert ran.returncode == 2


@pytest.mark.parametrize(
    ("redirected", "code"), [(">&-", 0), ("2>&-", 0), ("2>/dev/full", 0), (">/dev/full 2>/dev/full", 2)]
)
def test_output_that_nobody_takes(tmp_path: Path, redirected: str, code: int) -> None:
    ran = subprocess.run(
        f"'{COMMAND}' tidy . {redirected}", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr


# --- tidy -----------------------------------------------------------------------------------------------------------


def test_tidy_says_what_it_does(tmp_path: Path) -> None:
    """A publication is killed once it works, and leaves a folder beside the target and one for its spilled rows."""
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    program = (
        "import os, signal\n"
        "import discreet.commands.publish as publishing\n"
        "publishing.write_publication = lambda *given, **options: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"publishing.publish({str(HOSPITAL / 'policy.yaml')!r}, {str(tmp_path / 'out')!r})\n"
    )
    killed = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL

    def tidied(*options: str) -> list[str]:
        ran = subprocess.run(
            [COMMAND, "tidy", tmp_path, *options], env=environment, capture_output=True, text=True, check=True
        )
        return ran.stdout.splitlines()

    beside, temporary = next(tmp_path.glob(".out.*")), next((tmp_path / "temporary").iterdir())
    assert re.fullmatch(r"\.out\.unfinished-[0-9a-f]{16}", beside.name)
    assert [path.stat().st_mode & 0o777 for path in (beside, temporary)] == [0o700, 0o700]
    assert tidied("--dry-run") == [f"To remove   {beside}", f"To remove   {temporary}"]
    assert tidied() == [f"Removed     {beside}", f"Removed     {temporary}"]
    assert tidied() == ["There is nothing to tidy up."]
    assert [path.name for path in tmp_path.rglob("*")] == ["temporary"]


def test_the_next_run_removes_spilled_rows_of_a_dead_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    program = (
        "import os, signal\n"
        "from discreet.private_folders import temporary_folder\n"
        "with temporary_folder() as folder:\n"
        "    (folder / 'duckdb_temp_storage').write_text('rows of the original')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == -signal.SIGKILL
    assert len(list((tmp_path / "temporary").rglob("*"))) == 3
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    discreet.publish(HOSPITAL / "policy.yaml", tmp_path / "out")
    assert not list((tmp_path / "temporary").iterdir())


def test_a_comparison_is_for_the_steward_alone(tmp_path: Path) -> None:
    discreet.compare(HOSPITAL / "policy.yaml", {"privacy.thresholds": ["1/2", "1/3"]}, tmp_path / "comparison")
    assert (tmp_path / "comparison").stat().st_mode & 0o777 == 0o700
