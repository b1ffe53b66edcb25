"""Publishes a demo again and again while somebody interferes, and looks at what stands afterwards.

    python trials.py FOLDER KIND kills MOMENTS SEED
    python trials.py FOLDER KIND publishers NUMBER
    python trials.py FOLDER KIND full

kills: each run ends at a random moment, by SIGKILL or SIGTERM, with and without --force. Half of the moments are drawn
from the whole run and half from its last quarter, where files appear and disappear. After SIGTERM nothing is left
behind, after SIGKILL nothing once the next run, or tidy, has been there. publishers: so many at once write the same
folder. full: files may not grow beyond ten sizes.

What stands has to be whole, byte by byte as it is when nobody interferes. Prints what happened how often.

Everything is imported once, here, and each run is a fork of this process, which itself runs nothing: what has threads
cannot be forked.
"""

from __future__ import annotations

import json
import os
import pkgutil
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import discreet
from demos import small_demo
from discreet import cli
from discreet.private_folders import IN_TEMPORARY

RECORDS = 60
OLD, NEW = 1, 2
"""Seeds: the same one gives the same release."""
STANDS = {OLD: "the old one", NEW: "the new one", None: "nothing"}


@dataclass(frozen=True)
class Run:
    """A command in a process of its own."""

    process: int
    printed: int

    def ended(self) -> tuple[int, str]:
        """Its exit code, or minus the signal that killed it; and what it said."""
        _, status = os.waitpid(self.process, 0)
        os.set_blocking(self.printed, False)
        said = b""
        while part := os.read(self.printed, 1 << 16):
            said += part
        os.close(self.printed)
        return os.waitstatus_to_exitcode(status), said.decode()


class Trials:
    """A policy, a place to publish, and what the publications of some seeds look like when all goes well."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder = folder
        self.temporary = folder / "temporary"
        self.place = folder / "place"
        self.out = self.place / "out"
        self.temporary.mkdir()
        self.place.mkdir()
        tempfile.tempdir = str(self.temporary)
        self.policy = small_demo(kind, folder, RECORDS)

    def start(self, *arguments: object, largest_file: int | None = None) -> Run:
        reading, writing = os.pipe()
        process = os.fork()
        if process:
            os.close(writing)
            return Run(process, reading)
        sys.stdout = sys.stderr = os.fdopen(writing, "w", buffering=1)
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        os._exit(cli.main([str(argument) for argument in arguments]))

    def do(self, *arguments: object) -> None:
        code, said = self.start(*arguments).ended()
        assert code == 0, (arguments, code, said)

    def publishing(self, seed: int, *, force: bool) -> tuple[object, ...]:
        return ("publish", self.policy, "--out", self.out, "--seed", seed, *(["--force"] if force else []))

    def reference(self, seed: int) -> Path:
        """A publication with which nobody interfered, verified."""
        folder = self.folder / f"reference-{seed}"
        if not folder.exists():
            self.do("publish", self.policy, "--out", folder, "--seed", seed)
            self.do("verify", folder)
        return folder

    def seconds(self) -> float:
        """How long a run takes at present that nobody ends."""
        self.begin(force=False)
        began = time.monotonic()
        self.do(*self.publishing(NEW, force=False))
        return time.monotonic() - began

    def begin(self, *, force: bool) -> None:
        """The place as it is before: with the old publication, where it is to be replaced."""
        shutil.rmtree(self.out, ignore_errors=True)
        if force:
            shutil.copytree(self.reference(OLD), self.out)

    def standing(self) -> int | None:
        """The seed of the whole publication that stands; None where there is nothing."""
        if not self.out.exists():
            return None
        seed: int = json.loads((self.out / "steward" / "result.json").read_text(encoding="utf-8"))["seed"]
        found, expected = contents(self.out), contents(self.reference(seed))
        assert found.keys() == expected.keys()
        assert {name: found[name] for name in found if name.startswith("release/")} == {
            name: expected[name] for name in expected if name.startswith("release/")
        }
        assert found["steward/report.html"] == expected["steward/report.html"]
        return seed

    def left(self) -> list[Path]:
        """What is there besides the publication."""
        temporary = [path for path in self.temporary.iterdir() if IN_TEMPORARY.fullmatch(path.name)]
        return [*(path for path in self.place.iterdir() if path != self.out), *temporary]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def kill(trials: Trials, number: signal.Signals, after: float, *, force: bool, tidies: bool) -> str:
    trials.begin(force=force)
    run = trials.start(*trials.publishing(NEW, force=force))
    time.sleep(after)
    os.kill(run.process, number)
    code, said = run.ended()
    how = "killed" if code < 0 else "cleaned up" if code else "done before"
    stands, left = trials.standing(), trials.left()
    assert stands in ((OLD, NEW) if force else (None, NEW)), stands
    assert {path.stat().st_mode & 0o077 for path in left} <= {0}, left
    if how == "cleaned up":
        assert code == 128 + number, (code, said)
        assert "Traceback" not in said, said
        told = "was published before." if stands == NEW else "discreet: Interrupted; nothing was published."
        assert said.endswith(f"{told}\n"), (stands, said)
    if number == signal.SIGTERM:
        assert not left, (how, left)
    elif tidies:
        trials.do("tidy", trials.place)
    else:
        trials.do(*trials.publishing(NEW, force=stands is not None))
        assert trials.standing() == NEW
    assert not trials.left(), trials.left()
    return f"{how}, {STANDS[stands]} stands{', with leftovers' if left else ''}"


def kills(trials: Trials, moments: int, seed: int) -> Counter[str]:
    draw = random.Random(seed)
    seconds = trials.seconds()
    outcomes: Counter[str] = Counter()
    for moment in range(moments):
        for number in (signal.SIGKILL, signal.SIGTERM):
            force, tidies = draw.random() < 0.5, draw.random() < 0.5
            after = seconds * draw.uniform(0 if moment % 2 else 0.75, 1)
            what = kill(trials, number, after, force=force, tidies=tidies)
            outcomes[f"{number.name}{', --force' if force else ''}: {what}"] += 1
            if what.startswith("done before"):
                seconds = trials.seconds()
    return outcomes


def publishers(trials: Trials, number: int) -> Counter[str]:
    """All with a seed of their own."""
    outcomes: Counter[str] = Counter()
    seeds = range(10, 10 + number)
    for seed in seeds:
        trials.reference(seed)
    for force, there in ((False, False), (True, False), (True, True)):
        trials.begin(force=there)
        runs = [trials.start(*trials.publishing(seed, force=force)) for seed in seeds]
        while there and any(
            os.waitid(os.P_PID, run.process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None for run in runs
        ):
            assert (trials.out / "release" / "certificate.json").exists(), "one of them is there at every moment"
            time.sleep(0.001)
        ends = [run.ended() for run in runs]
        for code, said in ends:
            refused = f"discreet: {trials.out} exists already; choose another --out or add --force to replace it.\n"
            assert code == 0 or (code == 2 and not force and said.endswith(refused)), (code, said)
        assert trials.standing() in seeds
        assert not trials.left(), trials.left()
        published = sum(code == 0 for code, _ in ends)
        assert published == (number if force else 1)
        case = "--force over an old one" if there else "--force" if force else "without --force"
        outcomes[f"{number} publishers, {case}: {published} published, {number - published} refused"] += 1
    return outcomes


def full(trials: Trials) -> Counter[str]:
    outcomes: Counter[str] = Counter()
    largest = max(map(len, contents(trials.reference(NEW)).values()))
    for part in range(10):
        for force in (False, True):
            trials.begin(force=force)
            before = trials.standing()
            code, said = trials.start(*trials.publishing(NEW, force=force), largest_file=largest * part // 10).ended()
            assert code == 2, (part, code, said)
            assert said.endswith(f"discreet: {trials.out}: nothing was written, the disk said: File too large.\n"), said
            assert trials.standing() == before
            assert not trials.left(), trials.left()
            outcomes[f"{'--force, ' if force else ''}{STANDS[before]} stands"] += 1
    return outcomes


TRIALS: dict[str, Callable[..., Counter[str]]] = {"kills": kills, "publishers": publishers, "full": full}


def main(folder: str, kind: str, trial: str, *numbers: str) -> None:
    for module in pkgutil.walk_packages(discreet.__path__, "discreet."):
        import_module(module.name)
    with patch("discreet.commands.release.render_html", lambda result: "<html></html>"):  # which takes longest of all
        outcomes = TRIALS[trial](Trials(Path(folder), kind), *map(int, numbers))
    print(json.dumps(dict(sorted(outcomes.items())), indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
