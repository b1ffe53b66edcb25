"""What appears is whole, what is replaced is a publication and nothing else, and what is left behind is found again."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from discreet.commands import renames, staging
from discreet.commands.publication import strange_in
from discreet.commands.staging import NEW, OLD, StagedFolder, tidy_beside, workplace, write_whole
from discreet.commands.tidy import tidy
from discreet.errors import InputError
from publications import number_of, write_publication


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A publication, number 1."""
    write_publication(tmp_path / "here" / "out", 1)
    return tmp_path / "here" / "out"


def replace(out: Path, number: int = 2, inputs: tuple[Path, ...] = ()) -> None:
    with StagedFolder(out, force=True, inputs=inputs) as staged:
        write_publication(staged.folder, number)
        staged.appear()


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.fixture(params=["exchange", "two-steps"])
def renaming(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """As the system can exchange names, and as if it could not."""
    if request.param == "two-steps":
        monkeypatch.setattr(renames, "_renamed", lambda *given, **flags: False)
    return str(request.param)


# --- What is replaced -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("renaming")
def test_a_publication_is_replaced(out: Path) -> None:
    (out / "steward" / "attack.json").write_text("{}")
    replace(out)
    assert number_of(out) == 2
    assert names_in(out.parent) == ["out"]


@pytest.mark.parametrize(
    "stranger",
    [
        "letter.txt",
        ".hidden",
        "release/thesis.tex",
        "release/README",
        "release/taxonomies/notes.txt",
        "release/taxonomies/.DS_Store",
        "release/more/data.csv",
        "steward/diary.txt",
        "steward/data.csv",
        "steward/old/result.json",
    ],
)
def test_what_discreet_did_not_write_is_never_removed(out: Path, stranger: str) -> None:
    (out / stranger).parent.mkdir(exist_ok=True)
    (out / stranger).write_text("mine")
    before = names(out.parent)
    first = stranger if (out / stranger).parent.name in ("out", "release", "taxonomies", "steward") else None
    with pytest.raises(InputError, match="not replaced even with --force") as refused:
        replace(out)
    assert repr(first or str(Path(stranger).parent)) in str(refused.value)
    assert names(out.parent) == before
    assert (out / stranger).read_text() == "mine"


def link_to_a_folder(out: Path) -> None:
    shutil.move(out / "release" / "taxonomies", out.parent / "elsewhere")
    (out / "release" / "taxonomies").symlink_to(out.parent / "elsewhere")


def link_to_a_file(out: Path) -> None:
    shutil.move(out / "release" / "data.csv", out.parent / "data.csv")
    (out / "release" / "data.csv").symlink_to(out.parent / "data.csv")


def pipe(out: Path) -> None:
    (out / "steward" / "attack.json").unlink(missing_ok=True)
    os.mkfifo(out / "steward" / "attack.json")


def pipe_for_a_certificate(out: Path) -> None:
    (out / "release" / "certificate.json").unlink()
    os.mkfifo(out / "release" / "certificate.json")


def empty_folder(out: Path) -> None:
    (out / "release" / "empty").mkdir()


def link_in_its_place(out: Path) -> None:
    shutil.move(out, out.parent / "elsewhere")
    out.symlink_to(out.parent / "elsewhere")


def file_in_its_place(out: Path) -> None:
    shutil.rmtree(out)
    out.write_text("mine")


def no_steward(out: Path) -> None:
    shutil.rmtree(out / "steward")


def no_certificate(out: Path) -> None:
    (out / "release" / "certificate.json").unlink()


def result_of_another_tool(out: Path) -> None:
    (out / "steward" / "result.json").write_text('{"policy": {}}')


def certificate_of_another_tool(out: Path) -> None:
    (out / "release" / "certificate.json").write_text('{"data": "data.csv", "format": "x509"}')


def certificate_that_is_too_deep(out: Path) -> None:
    (out / "release" / "certificate.json").write_text("[" * 100_000)


@pytest.mark.parametrize(
    "change",
    [
        link_to_a_folder,
        link_to_a_file,
        pipe,
        pipe_for_a_certificate,
        empty_folder,
        link_in_its_place,
        file_in_its_place,
        no_steward,
        no_certificate,
        result_of_another_tool,
        certificate_of_another_tool,
        certificate_that_is_too_deep,
    ],
)
def test_what_is_not_a_publication_is_not_replaced(out: Path, change: Callable[[Path], None]) -> None:
    change(out)
    before = names(out.parent)
    with pytest.raises(InputError, match="not replaced even with --force"):
        replace(out)
    assert names(out.parent) == before


def test_a_certificate_cannot_name_what_lies_elsewhere(out: Path) -> None:
    """Names in it are compared with what is there; they lead nowhere."""
    (out.parent / "precious.txt").write_text("mine")
    path = out / "release" / "certificate.json"
    certificate = json.loads(path.read_text())
    certificate["sensitive_data"] = "../../precious.txt"
    certificate["columns"]["other"] = {"taxonomy": str(out.parent / "precious.txt")}
    path.write_text(json.dumps(certificate))
    replace(out)
    assert (out.parent / "precious.txt").read_text() == "mine"


def through_a_link(file: Path) -> Path:
    link = file.parents[3] / "link.csv"
    link.symlink_to(file)
    return link


def through_a_folder_that_is_a_link(file: Path) -> Path:
    link = file.parents[3] / "link"
    link.symlink_to(file.parents[1])
    return link / "release" / file.name


def from_the_working_folder(file: Path) -> Path:
    return Path(os.path.relpath(file))


@pytest.mark.parametrize(
    "given", [lambda file: file, through_a_link, through_a_folder_that_is_a_link, from_the_working_folder]
)
def test_what_is_read_is_not_replaced(out: Path, given: Callable[[Path], Path]) -> None:
    source = given(out / "release" / "data.csv")
    with pytest.raises(InputError, match="which the new publication is made from"):
        replace(out, inputs=(out.parent / "not there", source))
    assert number_of(out) == 1


@pytest.mark.usefixtures("renaming")
def test_what_is_put_there_at_the_last_moment_is_not_removed(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the last look and before the exchange."""

    def too_early(self: StagedFolder) -> bool:
        (out / "release" / "thesis.tex").write_text("mine")
        return True

    with StagedFolder(out, force=True) as staged:
        write_publication(staged.folder, 2)
        monkeypatch.setattr(StagedFolder, "_is_to_be_replaced", too_early)
        with pytest.raises(InputError, match=r"it holds 'release/thesis.tex', which discreet did not write"):
            staged.appear()
    assert (out / "release" / "thesis.tex").read_text() == "mine"
    (out / "release" / "thesis.tex").unlink()
    assert number_of(out) == 1
    assert names_in(out.parent) == ["out"]


@pytest.mark.usefixtures("renaming")
@pytest.mark.parametrize("force", [False, True])
def test_another_publisher_is_faster(out: Path, monkeypatch: pytest.MonkeyPatch, force: bool) -> None:
    """It puts its own in place after the last look, when there is nothing."""
    shutil.rmtree(out)
    honest = StagedFolder._is_to_be_replaced
    looks: list[bool] = []

    def faster(self: StagedFolder) -> bool:
        looks.append(honest(self))
        if len(looks) == 1:
            write_publication(out, 3)
        return looks[-1]

    with StagedFolder(out, force=force) as staged:
        write_publication(staged.folder, 2)
        monkeypatch.setattr(StagedFolder, "_is_to_be_replaced", faster)
        if force:
            staged.appear()
        else:
            with pytest.raises(InputError, match="exists already"):
                staged.appear()
    assert number_of(out) == (2 if force else 3)
    assert names_in(out.parent) == ["out"]


def test_another_publisher_takes_the_place_between_two_steps(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renames, "_renamed", lambda *given, **flags: False)
    honest = strange_in
    looks: list[Path] = []

    def faster(folder: Path) -> str | None:
        if folder.name == OLD and not looks:
            looks.append(folder)
            write_publication(out, 3)
        return honest(folder)

    monkeypatch.setattr(staging, "strange_in", faster)
    replace(out)
    assert looks
    assert number_of(out) == 2
    assert names_in(out.parent) == ["out"]


# --- How it appears -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("renames_by", ["exchange", "two-steps"])
@pytest.mark.parametrize("way", ["new", "force"])
def test_killed_at_every_step(tmp_path: Path, way: str, renames_by: str) -> None:
    program = Path(__file__).with_name("killed_at_every_step.py")
    path = os.pathsep.join([str(program.parents[2]), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, program, tmp_path, way, renames_by],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    kills = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(kills) > 20
    assert all(kill["tidied"] in (kill["old"], kill["new"]) for kill in kills)
    assert {kill["tidied"] == kill["new"] for kill in kills} == {False, True}
    if renames_by == "exchange":
        assert all(kill["stands"] == kill["tidied"] for kill in kills), "one of the two is there at every moment"
    else:
        missing = [kill for kill in kills if kill["stands"] is None and kill["old"] is not None]
        assert bool(missing) == (way == "force"), "and is put back by whoever comes next"


def test_all_of_it_is_on_the_disk_before_it_appears(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    honest_sync, honest_exchange = os.fsync, renames.exchange

    def sync(descriptor: int) -> None:
        done.append(os.path.relpath(Path(f"/proc/self/fd/{descriptor}").readlink(), out.parent))
        honest_sync(descriptor)

    def exchange(first: Path, second: Path) -> bool:
        done.append("exchange")
        return honest_exchange(first, second)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(staging, "exchange", exchange)
    replace(out)
    before, after = done[: done.index("exchange")], done[done.index("exchange") + 1 :]
    stored = {str(Path(*Path(name).parts[2:])) for name in before}
    assert stored == names(out) | {"."}
    assert after == ["."]


def test_it_is_private_until_it_appears_and_public_from_then_on(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with StagedFolder(tmp_path / "out", force=False) as staged:
            (private,) = tmp_path.iterdir()
            assert private.stat().st_mode & 0o777 == 0o700
            assert staged.folder.parent == private
            write_publication(staged.folder, 1)
            staged.appear()
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "out" / "release").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "out" / "steward").stat().st_mode & 0o777 == 0o700


def test_an_interrupt_that_comes_too_late_is_none(out: Path) -> None:
    with StagedFolder(out, force=True) as staged:
        write_publication(staged.folder, 2)
        staged.appear()
        raise KeyboardInterrupt
    assert number_of(out) == 2


def test_an_interrupt_before_that_is_one(out: Path) -> None:
    with pytest.raises(KeyboardInterrupt), StagedFolder(out, force=True) as staged:
        write_publication(staged.folder, 2)
        raise KeyboardInterrupt
    assert number_of(out) == 1
    assert names_in(out.parent) == ["out"]


def test_a_file_appears_whole_and_over_nothing(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    write_whole(path, "one\n", replace=False)
    with pytest.raises(FileExistsError):
        write_whole(path, "two\n", replace=False)
    assert path.read_text() == "one\n"
    write_whole(path, "two\n", replace=True)
    assert path.read_text() == "two\n"
    assert names_in(tmp_path) == ["policy.yaml"]


# --- What is left behind --------------------------------------------------------------------------------------------


def dying(target: Path, *, with_old: bool = False) -> Path:
    """What a process leaves beside a target that is killed while it writes it."""
    with warnings.catch_warnings():  # of threads, which do nothing here
        warnings.simplefilter("ignore")
        process = os.fork()
    if process == 0:
        with suppress(BaseException), workplace(target) as private:
            (private / NEW).mkdir()
            (private / NEW / "data.csv").write_text("a row of the original")
            if with_old:
                target.rename(private / OLD)
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(1)
    _, status = os.waitpid(process, 0)
    assert status == signal.SIGKILL
    (private,) = target.parent.glob(f".{target.name}.unfinished-*")
    return private


def outcomes(folder: Path, *, dry_run: bool = False) -> dict[str, str | None]:
    return {found.folder.name: found.reason for found in tidy(folder, dry_run=dry_run)}


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Not where other tests, and other people, keep what is temporary."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_the_next_run_removes_what_a_dead_one_left(out: Path) -> None:
    private = dying(out)
    assert private.stat().st_mode & 0o777 == 0o700
    other = dying(out.with_name("other"))
    replace(out)
    assert not private.exists()
    assert other.exists(), "it is beside another target"


@pytest.mark.parametrize("place", ["here", "here/out", "."])
def test_tidy_removes_it_too(out: Path, tmp_path: Path, place: str) -> None:
    target = out if place == "here/out" else tmp_path / place / "out" / "steward" / "attack.json"
    private = dying(target)
    assert outcomes(tmp_path / place, dry_run=True) == {private.name: None}
    assert private.exists()
    assert outcomes(tmp_path / place) == {private.name: None}
    assert number_of(out) == 1
    assert strange_in(out) is None
    assert outcomes(tmp_path / place) == {}


def test_an_attack_that_was_killed_does_not_make_a_publication_a_stranger(out: Path) -> None:
    dying(out / "steward" / "attack.json")
    replace(out)
    assert number_of(out) == 2


def test_a_publication_that_was_set_aside_is_put_back(out: Path) -> None:
    private = dying(out, with_old=True)
    assert not out.exists()
    [would] = tidy(out.parent, dry_run=True)
    assert (would.folder, would.restored, would.reason) == (private, out, None)
    assert not out.exists()
    [done] = tidy(out.parent)
    assert (done.folder, done.restored, done.reason) == (private, out, None)
    assert number_of(out) == 1
    assert names_in(out.parent) == ["out"]


@pytest.mark.parametrize("force", [False, True])
def test_the_next_run_puts_it_back(out: Path, force: bool) -> None:
    dying(out, with_old=True)
    if force:
        replace(out)
        assert number_of(out) == 2
    else:
        with pytest.raises(
            InputError, match="exists already, put back after its replacement was cut short; choose another"
        ):
            StagedFolder(out, force=False)
        assert number_of(out) == 1
    assert names_in(out.parent) == ["out"]


def test_what_was_set_aside_does_not_push_anything_away(out: Path) -> None:
    dying(out, with_old=True)
    write_publication(out, 5)
    assert not tidy_beside(out)
    assert number_of(out) == 5
    assert names_in(out.parent) == ["out"]


def test_a_living_process_keeps_what_is_its_own(out: Path) -> None:
    with StagedFolder(out, force=True) as staged:
        private = staged.folder.parent
        assert outcomes(out.parent) == {private.name: f"it belongs to process {os.getpid()}, which is still running"}
        tidy_beside(out)
        write_publication(staged.folder, 2)
        staged.appear()
    assert number_of(out) == 2


def test_what_was_made_on_another_machine_is_left_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = dying(out)
    with monkeypatch.context() as patched:
        patched.setattr(platform, "node", lambda: "other.example")
        assert "it was made on another machine" in (outcomes(out.parent)[private.name] or "")
    assert private.exists()
    assert outcomes(out.parent) == {private.name: None}


def test_a_disk_without_locks(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("discreet.private_folders._take", lambda lock: None)
        with StagedFolder(out, force=True) as staged:
            write_publication(staged.folder, 2)
            private = staged.folder.parent
            assert "it has no lock" in (outcomes(out.parent)[private.name] or "")
            staged.appear()
        assert number_of(out) == 2
        assert names_in(out.parent) == ["out"]


def test_what_only_looks_like_a_leftover_is_left_alone(out: Path, temporary: Path) -> None:
    theirs = out.with_name(f".out.unfinished-{'0' * 16}")
    theirs.mkdir()
    (theirs / "diary.txt").write_text("mine")
    assert "it has no lock" in (outcomes(out.parent)[theirs.name] or "")
    (temporary / "discreet-notes").mkdir()
    (temporary / f"discreet-{'0' * 16}").symlink_to(theirs)
    assert set(outcomes(out.parent)) == {theirs.name}
    assert (theirs / "diary.txt").read_text() == "mine"


def test_a_folder_that_was_only_just_made_is_removed(out: Path) -> None:
    private = out.with_name(f".out.unfinished-{'0' * 16}")
    private.mkdir()
    assert outcomes(out.parent) == {private.name: None}
    assert not private.exists()


def test_whoever_is_tidied_away_while_it_begins_begins_again(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between making a folder and locking it."""
    honest_open, honest_flock = os.open, fcntl.flock
    tidied: list[str] = []

    def slow_open(path: Any, *given: Any, **named: Any) -> int:
        if not tidied and str(path).endswith("lock"):
            tidied.append("before its lock")
            Path(path).parent.rmdir()
        return honest_open(path, *given, **named)

    def slow_flock(lock: int, operation: int) -> None:
        if len(tidied) == 1:
            tidied.append("before it is locked")
            shutil.rmtree(Path(f"/proc/self/fd/{lock}").readlink().parent)
        honest_flock(lock, operation)

    monkeypatch.setattr(os, "open", slow_open)
    monkeypatch.setattr(fcntl, "flock", slow_flock)
    replace(out)
    assert len(tidied) == 2
    assert number_of(out) == 2
    assert names_in(out.parent) == ["out"]


def test_a_place_that_is_no_folder_cannot_be_tidied(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        list(tidy(tmp_path / "none"))


def test_an_interrupt_while_a_folder_is_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of the steps it follows."""
    steps = ("os.mkdir", "os.open", "fcntl.flock", "os.write")
    for name in steps:
        module, function = {"os": os, "fcntl": fcntl}[name.partition(".")[0]], name.partition(".")[2]
        honest = getattr(module, function)

        def interrupted(*given: Any, honest: Any = honest, **named: Any) -> None:
            honest(*given, **named)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(module, function, interrupted)
            workplace(tmp_path / "out").__enter__()
        assert names_in(tmp_path) == [], name
