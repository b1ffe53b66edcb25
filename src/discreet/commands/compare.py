"""The grid of settings, whatever the kind of data.

The combinations run on all cores. Each one that is done is noted in the folder at once, so a comparison that was
stopped carries on where it left off when it is asked for again.
"""

from __future__ import annotations

import csv
import hashlib
import json
import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

import discreet
from discreet.commands.renames import rename_new
from discreet.commands.staging import NEW, tidy_beside, workplace, write_whole
from discreet.commands.warm_up import warm_up
from discreet.commands.workspace import as_policy, storage_errors, with_its_data, workspace
from discreet.errors import InputError, NoReleaseError
from discreet.kinds import Kind, kind_of
from discreet.policy import Policy
from discreet.report.frontier import write_frontier
from discreet.values import notebook

STARTING = 8.0
"""Seconds of work that other processes must save to be worth it: each starts a Python and loads everything anew."""

LOG = logging.getLogger(__name__)

TABLE, PICTURE, UNFINISHED = "comparison.csv", "frontier.svg", "unfinished.jsonl"

Row = dict[str, Any]


class Comparison(list[Row]):
    """The rows of a comparison, in the order in which the settings were asked for."""

    def _repr_html_(self) -> str:
        shown = [name for name in self[0] if any(row[name] != "" for row in self)]
        return notebook.grid(shown, [[row[name] for name in shown] for row in self])


@dataclass(frozen=True)
class _Variant:
    """One combination of settings, ready to be searched in any process."""

    place: int
    policy: Policy
    encoding: object
    seed: int | None


def compare(
    policy: Policy | str | Path,
    vary: Mapping[str, Sequence[object]],
    out: str | Path | None = None,
    *,
    data: object = None,
    settings: Mapping[str, object] | None = None,
    seed: int | None = None,
    processes: int | None = None,
    force: bool = False,
    tell: Callable[[Row], None] = lambda row: None,
) -> Comparison:
    """Finds the best release for every combination of settings; one row for each.

    vary: dotted policy keys and the values to try, as `{"privacy.l": [2, 4], "search.loss": ["lm", "dm"]}`. A
    combination that no release can satisfy is a row with the status `infeasible`; one that contradicts itself (dm with
    vio-sa, say) has the status `invalid` and the reason. With a class column, the accuracy of a classifier trained on
    each release is given beside its loss (discreet[learn]).

    out: a folder for comparison.csv and frontier.svg; an unfinished comparison in it, of the same settings and the
    same file, is continued. settings: policy keys to override in all combinations. processes: how many to use, one for
    each core by default. force: take the place of an earlier comparison in `out`, which stays until this one is done.
    tell: called with each row, in the order asked for, as soon as it and those before it are known.
    """
    base, data = with_its_data(as_policy(policy, settings), data)
    kind = kind_of(base)
    _check(vary)
    grid = [dict(zip(vary, values, strict=True)) for values in product(*vary.values())]
    policies, refused = _variations(base, grid)
    fingerprint = None if out is None else _fingerprint(base, list(policies.values()), grid, data, seed)
    notes = None if out is None else _Notes(Path(out), fingerprint, force=force)
    measures: dict[int, Row] = {} if notes is None else notes.read()
    told = 0

    def tell_in_order() -> None:
        nonlocal told
        while told in measures:
            row = _row(grid[told], measures[told], kind)
            LOG.info("%s: %s", grid[told], row["reason"] or row["status"])
            tell(row)
            told += 1

    def note(place: int, found: Row) -> None:
        measures[place] = found
        if notes is not None and place not in refused:  # what is refused may be mended before the next time
            notes.add(place, found)
        tell_in_order()

    left = {place: policy for place, policy in policies.items() if place not in measures}
    variants, cannot_be_read = _encoded(kind, left, data, seed)
    refused |= cannot_be_read
    if len(refused) == len(grid):
        raise InputError(f"No combination is valid: {refused[0]}")
    if notes is not None:
        notes.begin()
    tell_in_order()
    try:
        for place, reason in refused.items():
            note(place, {"status": "invalid", "reason": reason})
        for place, found in _measured(variants, processes):
            note(place, found)
    except BaseException:
        if notes is not None:
            notes.leave_if_empty()
        raise
    rows = Comparison(_row(varied, measures[place], kind) for place, varied in enumerate(grid))
    if notes is not None:
        notes.end(rows, tuple(vary))
    return rows


def _check(vary: Mapping[str, Sequence[object]]) -> None:
    if not vary:
        raise InputError("compare needs at least one key to vary, as --vary privacy.l=2,4,6.")
    for key, values in vary.items():
        if isinstance(values, str) or not len(values):
            raise InputError(f"{key}: {values!r} is not a list of values to try; write it as [2, 4, 6].")


def _variations(base: Policy, grid: Sequence[Mapping[str, object]]) -> tuple[dict[int, Policy], dict[int, str]]:
    """The policy at each place in the grid; and for those that contradict themselves, why."""
    policies: dict[int, Policy] = {}
    refused: dict[int, str] = {}
    for place, settings in enumerate(grid):
        try:
            policies[place] = base.with_settings(settings)
            if policies[place].data != base.data:
                raise InputError("data: compare varies how the same data are published, not the data.")
        except InputError as error:
            policies.pop(place, None)
            refused[place] = str(error)
    return policies, refused


def _encoded(
    kind: Kind, policies: Mapping[int, Policy], data: object, seed: int | None
) -> tuple[list[_Variant], dict[int, str]]:
    """What is to be searched; and for what cannot be encoded, why."""
    variants: list[_Variant] = []
    refused: dict[int, str] = {}
    known: dict[Any, Any] = {}
    with workspace() as engine:
        for place, policy in policies.items():
            key = kind.encoding_key(policy)
            try:
                if key not in known:
                    known[key] = kind.encode(engine, policy, data)
            except InputError as error:
                refused[place] = str(error)
            else:
                variants.append(_Variant(place, policy, known[key], seed))
    return variants, refused


def _row(settings: Mapping[str, object], measures: Row, kind: Kind) -> Row:
    return {**settings, **dict.fromkeys(kind.row_columns, ""), "reason": "", **measures}


def _measured(variants: Sequence[_Variant], processes: int | None) -> Iterator[tuple[int, Row]]:
    """Each variant's place and measures, in the order in which they are done."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes = processes or cores
    left = list(variants)
    spent: list[float] = []  # without the first, which loads what the others find
    while left and (processes == 1 or len(left) == 1 or _saved(spent[1:], len(left), processes) <= STARTING):
        began = time.monotonic()
        measured = _measure(left.pop(0))
        spent.append(time.monotonic() - began)
        yield measured
    if left:
        # No memory maps: they would put the encoded original into a folder that others may list.
        workers = Parallel(
            n_jobs=min(processes, len(left)), return_as="generator_unordered", pre_dispatch="n_jobs", max_nbytes=None
        )
        done = workers(delayed(_measure)(variant) for variant in left)
        try:
            yield from done
        finally:
            with warnings.catch_warnings():  # it warns about what is left undone, which anyone who stops it knows
                warnings.simplefilter("ignore")
                done.close()
            # Left alone, the workers wait five minutes for more, and some parents wait for them.
            get_reusable_executor().shutdown(wait=True, kill_workers=True)


def _saved(spent: Sequence[float], left: int, processes: int) -> float:
    """Seconds that others would save, if what is left takes as long as what is done."""
    return sum(spent) / max(1, len(spent)) * left * (1 - 1 / min(processes, left))


def _measure(variant: _Variant) -> tuple[int, Row]:
    policy, kind = variant.policy, kind_of(variant.policy)
    random = np.random.default_rng(variant.seed)
    warm_up(policy)
    try:
        solved = kind.search(policy, variant.encoding, random)
        if solved.search.interrupted:  # an interrupt means the whole comparison
            raise KeyboardInterrupt
        return variant.place, kind.row(solved, variant.encoding, random)
    except NoReleaseError as error:
        return variant.place, {"status": "infeasible", "reason": str(error)}
    except InputError as error:
        return variant.place, {"status": "invalid", "reason": str(error)}


def _fingerprint(
    base: Policy,
    policies: Sequence[Policy],
    grid: Sequence[Mapping[str, object]],
    data: object,
    seed: int | None,
) -> str | None:
    """The same for the same question about the same files; None for data in memory, which may have changed."""
    path = base.data.path
    if data is not None or path is None or not path.exists():
        return None
    others = {file for policy in policies for file in policy.files() if file.exists()}
    seen = [(str(file), _digest(file)) for file in [path, *sorted(others)]]
    asked = repr((discreet.__version__, base.as_dict(), grid, seed, seen))
    return hashlib.sha256(asked.encode()).hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Notes:
    """The folder of a comparison: what is found as it is found, then the table and the picture."""

    def __init__(self, folder: Path, fingerprint: str | None, *, force: bool) -> None:
        self.folder = folder
        self.fingerprint = fingerprint
        self.force = force
        self.unfinished = folder / UNFINISHED

    def read(self) -> dict[int, Row]:
        """What has already been found; place in the grid -> measures."""
        with storage_errors(self.folder):
            if not self.folder.exists():
                return {}
            if self.force:
                self._refuse_strangers()
            if not self.unfinished.is_file():
                if self.force:
                    return {}
                raise InputError(f"{self.folder} exists already; choose another --out, or replace it with --force.")
            lines = self.unfinished.read_text(encoding="utf-8").splitlines(keepends=True)
        # A line without its end was being written when the comparison was stopped.
        whole = [line for line in lines if line.endswith("\n")]
        if self.fingerprint is None or whole[:1] != [self._header()]:
            if self.force:
                self.unfinished.unlink()
                return {}
            raise InputError(
                f"{self.folder} holds a comparison that was not finished, of other settings or other data; choose "
                "another --out, or replace it with --force."
            )
        with storage_errors(self.folder):
            write_whole(self.unfinished, "".join(whole), replace=True)
        return {entry["place"]: entry["found"] for entry in map(json.loads, whole[1:])}

    def begin(self) -> None:
        """Takes the folder; it appears with its first line in it, for the steward alone to look into."""
        if self.unfinished.exists():
            return
        if self.force and self.folder.exists():
            with storage_errors(self.folder):
                write_whole(self.unfinished, self._header(), replace=False)
            return
        tidy_beside(self.folder)
        with storage_errors(self.folder), workplace(self.folder) as private:
            new = private / NEW
            new.mkdir(mode=0o700)
            (new / self.unfinished.name).write_text(self._header(), encoding="utf-8")
            try:
                rename_new(new, self.folder)
            except FileExistsError:  # another comparison was faster
                raise InputError(f"{self.folder} exists already; choose another --out.") from None

    def add(self, place: int, found: Row) -> None:
        with storage_errors(self.folder), self.unfinished.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"place": place, "found": found}) + "\n")

    def leave_if_empty(self) -> None:
        """Nothing was found, so there is nothing to continue."""
        if self.unfinished.is_file() and self.unfinished.read_text(encoding="utf-8") == self._header():
            self.unfinished.unlink()
            if not any(self.folder.iterdir()):  # an earlier comparison stays
                self.folder.rmdir()

    def end(self, rows: list[Row], vary: tuple[str, ...]) -> None:
        with storage_errors(self.folder):
            with (self.folder / TABLE).open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            write_frontier(rows, vary, self.folder / PICTURE)
            self.unfinished.unlink(missing_ok=True)

    def _refuse_strangers(self) -> None:
        """Only a comparison is replaced, never a folder with anything else in it."""
        if self.folder.is_symlink() or not self.folder.is_dir():
            raise InputError(f"{self.folder} is not a folder; choose another --out.")
        for path in sorted(self.folder.iterdir()):
            if path.name not in (TABLE, PICTURE, UNFINISHED) or path.is_symlink() or not path.is_file():
                raise InputError(
                    f"{self.folder} holds {path.name!r}, which is no part of a comparison, so it is not replaced; "
                    "choose another --out."
                )

    def _header(self) -> str:
        return json.dumps({"fingerprint": self.fingerprint}) + "\n"
