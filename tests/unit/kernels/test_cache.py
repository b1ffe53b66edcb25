"""Compiled code is never older than its source, and no cache, whatever it holds, ends a run."""

import ast
import errno
import hashlib
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

from discreet.kernels import cache, compiling
from discreet.kernels.cache import DAYS_UNTIL_REMOVAL, Store, digest_of, folder_of_caches, njit

KERNELS = Path(cache.__file__).parent
SETTINGS: Any = numba.config

compiled_only = pytest.mark.skipif(bool(SETTINGS.DISABLE_JIT), reason="the compiler is switched off")


# --- What is compiled again ---------------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "first.py").write_text("1")
    (folder / "second.py").write_text("2")
    return folder


def test_a_digest_is_of_every_source_and_its_name(sources: Path) -> None:
    before = digest_of(sources)
    (sources / "notes.txt").write_text("no source")
    (sources / ".#first.py").symlink_to("somebody@somewhere.1:2")  # emacs has it open
    assert digest_of(sources) == before
    (sources / "second.py").write_text("3")
    edited = digest_of(sources)
    (sources / "second.py").rename(sources / "third.py")
    renamed = digest_of(sources)
    (sources / "fourth.py").write_text("")
    assert len({before, edited, renamed, digest_of(sources)}) == 4


@pytest.mark.parametrize("library", ["numba", "llvmlite", "np"])
def test_a_digest_is_of_the_versions(library: str, sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of(sources)
    monkeypatch.setattr(getattr(cache, library), "__version__", "0")
    assert digest_of(sources) != before


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Two kernels that are laid out as ours, with the cache of ours; the first calls the second."""
    package = tmp_path / "toy" / "kernels"
    package.mkdir(parents=True)
    for file in (cache.__file__, compiling.__file__):
        shutil.copy(file, package)
    (package / "__init__.py").touch()
    (package / "caller.py").write_text(
        "from .cache import njit\n"
        "from .callee import half\n\n"
        "@njit(cache=True, nogil=True)\n"
        "def answer(number):\n"
        "    return half(number) + 1\n"
    )
    (package / "callee.py").write_text(
        "from .cache import njit\n\n@njit(cache=True)\ndef half(number):\n    return number // 2\n"
    )
    return package


ANSWER = "from toy.kernels.caller import answer; print(answer(84), sum(answer.stats.cache_hits.values()))"


def begin(package: Path, caches: Path, program: str = ANSWER, **environment: str) -> subprocess.Popen[str]:
    settings = {"DISCREET_CACHE": str(caches), "NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=package.parent.parent,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(package: Path, caches: Path, program: str = ANSWER, **environment: str) -> tuple[str, str]:
    """What is printed, and said on stderr."""
    process = begin(package, caches, program, **environment)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out.strip(), err


def test_an_edited_callee_is_compiled_into_its_caller(package: Path, tmp_path: Path) -> None:
    caches = tmp_path / "caches"
    assert run(package, caches) == ("43 0", "")
    assert run(package, caches) == ("43 1", "")
    callee = package / "callee.py"
    callee.write_text(callee.read_text().replace("// 2", "// 4"))
    assert run(package, caches) == ("22 0", "")
    assert len(list(caches.iterdir())) == 2


def test_what_is_compiled_after_an_edit_is_not_kept_as_the_older_code(sources: Path, tmp_path: Path) -> None:
    store = Store(sources, tmp_path / "caches")
    store.write("before", b"code")
    (sources / "first.py").write_text("edited by an update, say, while a notebook goes on")
    store.write("after", b"code")
    (sources / "first.py").unlink()
    assert store.read("before") is not None
    assert store.read("after") is None


# --- Where it is kept ---------------------------------------------------------------------------------------


def test_the_folder_is_the_users_choice_before_the_systems(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "ours"))
    monkeypatch.setattr(SETTINGS, "CACHE_DIR", str(tmp_path / "numba's"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "all"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert folder_of_caches() == tmp_path / "ours"
    monkeypatch.setenv("DISCREET_CACHE", "")
    assert folder_of_caches() == tmp_path / "numba's"
    monkeypatch.setattr(SETTINGS, "CACHE_DIR", "")
    assert folder_of_caches() == tmp_path / "all" / "discreet"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert folder_of_caches() == tmp_path / ".cache" / "discreet"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder_of_caches() == tmp_path / "Library" / "Caches" / "discreet"


def test_nothing_is_kept_where_nothing_is_compiled(package: Path, tmp_path: Path) -> None:
    program = "from toy.kernels.caller import answer; print(answer(84), type(answer).__name__)"
    assert run(package, tmp_path / "caches", program, NUMBA_DISABLE_JIT="1") == ("43 function", "")
    assert not (tmp_path / "caches").exists()


def age(folder: Path, days: float) -> None:
    then = time.time() - days * 24 * 60 * 60
    os.utime(folder, (then, then))


def test_caches_unused_for_long_are_removed(sources: Path, tmp_path: Path) -> None:
    caches = tmp_path / "caches"
    ours = Store(sources, caches)
    ours.write("file", b"code")
    assert ours.folder is not None
    current, recent, old = ours.folder.name, f"kernels-{'1' * 32}", f"kernels-{'2' * 32}"
    others = ["kernels", "kernels-2", f"kernels_{'2' * 32}", "data"]
    for name in (recent, old, *others):
        (caches / name).mkdir()
        (caches / name / "file").touch()
        age(caches / name, DAYS_UNTIL_REMOVAL + 1)
    age(caches / recent, DAYS_UNTIL_REMOVAL - 1)
    age(caches / current, DAYS_UNTIL_REMOVAL + 1)
    Store(sources, caches).remove_unused()
    assert {folder.name for folder in caches.iterdir()} == {current, recent, *others}
    (sources / "first.py").write_text("newer")
    Store(sources, caches).remove_unused()
    assert (caches / current).exists()  # it was used just now


# --- Where it cannot be kept --------------------------------------------------------------------------------

WAY_OUT = "so every run compiles anew; set DISCREET_CACHE to a folder that can be written to.\n"


def test_without_a_folder_to_write_to_it_is_said_once(package: Path, tmp_path: Path) -> None:
    caches = tmp_path / "file" / "caches"  # also root cannot make it
    caches.parent.touch()
    said = f"Warning: compiled code cannot be kept in {caches} (Not a directory), {WAY_OUT}"
    assert run(package, caches) == ("43 0", said)


def test_without_a_home_it_is_said_once(package: Path) -> None:
    homeless = f"import os; os.path.expanduser = lambda path: path\n{ANSWER}"
    said = f"Warning: there is no home folder to keep compiled code in, {WAY_OUT}"
    assert run(package, Path(), homeless, DISCREET_CACHE="", NUMBA_CACHE_DIR="", XDG_CACHE_HOME="") == ("43 0", said)


def test_workers_use_the_same_folder_and_say_nothing(package: Path, tmp_path: Path) -> None:
    program = (
        "from joblib import Parallel, delayed\n"
        "from toy.kernels.cache import STORE\n"
        "from toy.work import work\n"
        "work(1)\n"
        "found = Parallel(n_jobs=2)(delayed(work)(number) for number in (1, 1.0))\n"
        "print({str(folder) for folder, _ in found} == {str(STORE.folder)}, [number for _, number in found])"
    )
    (package.parent / "work.py").write_text(
        "def work(number):\n"
        "    from toy.kernels.cache import STORE\n"
        "    from toy.kernels.caller import answer\n"
        "    return STORE.folder, answer(number)\n"
    )
    out, err = run(package, Path("/dev/null/caches"), program)
    assert out == "True [1, 1.0]"
    assert err.count("\n") == 1
    assert err.endswith(WAY_OUT)


def test_a_full_disk_leaves_nothing_behind(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def half(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    store = Store(sources, tmp_path / "caches")
    store.write("one", b"code")
    store.write("two", b"code")
    assert store.folder is not None
    assert list(store.folder.iterdir()) == []
    caches = tmp_path / "caches"
    said = f"Warning: compiled code cannot be kept in {caches} (No space left on device), {WAY_OUT}"
    assert capsys.readouterr().err == said


# --- What else can lie there --------------------------------------------------------------------------------


def twice(number: int) -> int:
    return number * 2


def other(number: int) -> int:
    return number * 3


@pytest.fixture
def folder(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    store = Store(sources, tmp_path / "caches")
    monkeypatch.setattr(cache, "STORE", store)
    assert store.folder is not None
    return store.folder


def hits(function: Callable[[int], int]) -> int:
    """How often the function, compiled as by a new process, was found."""
    compiled: Any = njit(cache=True)(function)
    assert compiled(21) == function(21)
    return sum(compiled.stats.cache_hits.values())


def nothing(file: Path) -> None:
    file.write_bytes(b"")


def garbage(file: Path) -> None:
    file.write_bytes(b"garbage" * 1_000)


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def one_bit_wrong(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def foreign(file: Path) -> None:
    data = pickle.dumps("whole, but of somebody else")
    file.write_bytes(hashlib.sha256(data).digest() + data)


def of_another_module(file: Path) -> None:
    data = b"cno_such_module\nname\n."
    file.write_bytes(hashlib.sha256(data).digest() + data)


def unreadable(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)  # a loop: root, too, cannot read it


@compiled_only
@pytest.mark.parametrize(
    "damage", [nothing, garbage, truncated, one_bit_wrong, foreign, of_another_module, unreadable, Path.unlink]
)
def test_a_damaged_file_is_replaced(
    damage: Callable[[Path], None], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [hits(twice), hits(twice)] == [0, 1]
    [file] = folder.iterdir()
    damage(file)
    assert [hits(twice), hits(twice)] == [0, 1]
    assert list(folder.iterdir()) == [file]
    assert capsys.readouterr().err == ""


def writable_by_others(path: Path) -> None:
    path.chmod(0o777)


def of_another_owner(path: Path) -> None:
    os.chown(path, 65534, -1)


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file to somebody else"
)
unix_only = pytest.mark.skipif(os.name == "nt", reason="files there have no such owners and modes")


@compiled_only
@unix_only
@pytest.mark.parametrize("alien", [writable_by_others, linked, pytest.param(of_another_owner, marks=as_root)])
def test_a_folder_that_others_may_have_filled_is_left_alone_and_that_is_said(
    alien: Callable[[Path], None], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [hits(twice), hits(twice)] == [0, 1]
    alien(folder)
    before = sorted(folder.iterdir())
    assert [hits(twice), hits(other), hits(other)] == [0, 0, 0]
    assert sorted(folder.iterdir()) == before
    said = f"Warning: compiled code cannot be kept in {folder.parent} (others may have written to it), {WAY_OUT}"
    assert capsys.readouterr().err == said


@compiled_only
@unix_only
@pytest.mark.parametrize("alien", [writable_by_others, linked, pytest.param(of_another_owner, marks=as_root)])
def test_a_file_that_others_may_have_written_is_replaced(alien: Callable[[Path], None], folder: Path) -> None:
    assert [hits(twice), hits(twice)] == [0, 1]
    [file] = folder.iterdir()
    alien(file)
    assert [hits(twice), hits(twice)] == [0, 1]
    assert not file.is_symlink()


@compiled_only
@unix_only
def test_a_pipe_in_place_of_a_file_is_not_waited_for(folder: Path) -> None:
    assert hits(twice) == 0
    [file] = folder.iterdir()
    file.unlink()
    os.mkfifo(file)
    assert [hits(twice), hits(twice)] == [0, 1]


@unix_only
@pytest.mark.parametrize("umask", ["0o000", "0o002", "0o077"])
def test_what_is_kept_is_found_whatever_the_umask(package: Path, tmp_path: Path, umask: str) -> None:
    program = f"import os; os.umask({umask}); {ANSWER}"
    assert [run(package, tmp_path / "caches", program) for _ in range(2)] == [("43 0", ""), ("43 1", "")]


@compiled_only
def test_a_cache_that_is_deleted_meanwhile_is_made_again(folder: Path) -> None:
    assert [hits(twice), hits(twice)] == [0, 1]
    shutil.rmtree(folder.parent)
    assert [hits(twice), hits(twice)] == [0, 1]


def test_a_closed_stream_for_warnings_ends_nothing(package: Path) -> None:
    program = f"import sys; sys.stderr.close(); {ANSWER}"
    assert run(package, Path("/dev/null/caches"), program) == ("43 0", "")


@compiled_only
def test_code_for_other_types_is_not_run(folder: Path) -> None:
    assert hits(twice) == 0
    [file] = folder.iterdir()
    compiled: Any = njit(cache=True)(twice)
    assert compiled(1.5) == 3
    [other_types] = set(folder.iterdir()) - {file}
    shutil.copy(other_types, file)
    assert [hits(twice), hits(twice)] == [0, 1]


@compiled_only
def test_a_folder_in_place_of_a_file_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hits(twice) == 0
    [file] = folder.iterdir()
    file.unlink()
    file.mkdir()
    assert [hits(twice), hits(twice)] == [0, 0]
    assert [hits(other), hits(other)] == [0, 1]
    assert capsys.readouterr().err.count("\n") == 1


@compiled_only
def test_a_file_in_place_of_the_folder_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.parent.mkdir()
    folder.touch()
    assert [hits(twice), hits(twice)] == [0, 0]
    assert capsys.readouterr().err.count("\n") == 1


def test_processes_that_begin_at_once_keep_the_code_of_all(package: Path, tmp_path: Path) -> None:
    caches = tmp_path / "caches"
    processes = [begin(package, caches, ANSWER.replace("84", number)) for number in ("84", "84.0")]
    printed = [process.communicate(timeout=60) for process in processes]
    assert [out.split()[0] for out, _ in printed] == ["43", "43.0"]
    assert {err for _, err in printed} == {""}
    assert run(package, caches, ANSWER.replace("84)", "84), answer(84.0)")) == ("43 43.0 2", "")


# --- The border ---------------------------------------------------------------------------------------------


def test_kernels_import_nothing_of_ours_and_numba_by_way_of_the_cache() -> None:
    for file in KERNELS.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level < 2, f"{file.name} imports from above the kernels"
                names = [node.module or ""] if node.level == 0 else []
            packages = {name.split(".")[0] for name in names}
            assert "discreet" not in packages, file.name
            assert "numba" not in packages or file.name == "cache.py", f"{file.name}: from .cache import njit"
    assert all(file.parent == KERNELS for file in KERNELS.rglob("*.py")), "the digest is of one folder"
