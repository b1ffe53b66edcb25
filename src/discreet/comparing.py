"""One policy, many settings: what each costs and what it leaves, side by side in one table and one picture.

The combinations run on all cores. Each one that is done is noted in the folder at once, so a comparison that was
stopped goes on where it was when it is asked for again.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import secrets
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

import discreet
from discreet.encode.reading import Encoding, encode_table
from discreet.errors import InputError, NoReleaseError
from discreet.loading import as_policy, load, storage_errors, workspace
from discreet.measure import MEASURES, Comparison
from discreet.policy import Policy
from discreet.recode.drawing import draw_release
from discreet.report.document import number
from discreet.report.frontier import write_frontier
from discreet.search.table.l_plus_optimize import release_of
from discreet.search.table.warm_up import warm_up
from discreet.solving import Solved, search

COLUMNS = (
    "status",
    "cost",
    "normalized",
    "bound",
    "gap",
    "records_deleted",
    "values_suppressed",
    "partitions",
    "accuracy",
    "accuracy_original",
    "accuracy_majority",
    "cuts_examined",
    "seconds",
)
ALONE = 4.0
"""Seconds that a comparison runs in one process: starting others takes as long, and many are done by then."""

Row = dict[str, Any]


@dataclass(frozen=True)
class _Variant:
    """One combination of settings, ready to be searched in any process."""

    place: int
    policy: Policy
    columns: tuple[str, ...]
    encoding: Encoding
    seed: int | None


def compare(
    policy: Policy | str | Path,
    vary: Mapping[str, Sequence[object]],
    out: str | Path | None = None,
    *,
    data: object = None,
    seed: int | None = None,
    processes: int | None = None,
    tell: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Searches the best release for every combination of settings; a row each.

    vary: dotted policy keys and the values to try, as `{"privacy.l": [2, 4], "search.loss": ["lm", "dm"]}`. A
    combination that no release can keep is a row with the status `infeasible`; one that contradicts itself (dm with
    vio-sa, say) has the status `invalid` and the reason. With a class column, the accuracy of a classifier trained on
    each release stands beside its loss (discreet[learn]).

    out: a folder for comparison.csv and frontier.svg; an unfinished comparison in it, of the same settings and the
    same file, goes on. processes: how many to use, one for each core by default. tell: called with each row as soon
    as it is known.
    """
    base = as_policy(policy)
    _check(vary)
    grid = [dict(zip(vary, values, strict=True)) for values in product(*vary.values())]
    policies, refused = _variations(base, grid)
    notes = None if out is None else _Notes(Path(out), _fingerprint(base, list(policies.values()), grid, data, seed))
    measures: dict[int, Row] = {} if notes is None else notes.read()
    for place in sorted(measures):
        tell(_row(grid[place], measures[place]))

    def note(place: int, found: Row) -> None:
        measures[place] = found
        if notes is not None and place not in refused:  # what is refused may be mended before the next time
            notes.add(place, found)
        tell(_row(grid[place], found))

    variants, cannot_be_read = _encoded(base, policies, measures, data, seed)
    refused |= cannot_be_read
    if len(refused) == len(grid):
        raise InputError(f"No combination is valid: {refused[0]}")
    if notes is not None:
        notes.begin()
    try:
        for place, reason in refused.items():
            note(place, {"status": "invalid", "reason": reason})
        for place, found in _measured(variants, processes):
            note(place, found)
    except BaseException:
        if notes is not None:
            notes.leave_if_empty()
        raise
    rows = [_row(settings, measures[place]) for place, settings in enumerate(grid)]
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
    """The policy of each place in the grid, and of those that contradict themselves: why."""
    policies: dict[int, Policy] = {}
    refused: dict[int, str] = {}
    for place, settings in enumerate(grid):
        try:
            policies[place] = base.with_settings(settings)
            if policies[place].data != base.data:
                raise InputError("data: compare varies how one table is published, not the table.")
        except InputError as error:
            policies.pop(place, None)
            refused[place] = str(error)
    return policies, refused


def _encoded(
    base: Policy, policies: Mapping[int, Policy], done: Mapping[int, Row], data: object, seed: int | None
) -> tuple[list[_Variant], dict[int, str]]:
    """What is still to be searched, and of what cannot be encoded: why."""
    variants: list[_Variant] = []
    refused: dict[int, str] = {}
    encodings: dict[str, Encoding] = {}
    with workspace() as engine:
        columns = load(engine, base, data)
        for place, policy in policies.items():
            if place in done:
                continue
            key = repr(policy.attributes)
            try:
                if key not in encodings:
                    encodings[key] = encode_table(engine, policy)
            except InputError as error:
                refused[place] = str(error)
            else:
                variants.append(_Variant(place, policy, columns, encodings[key], seed))
    return variants, refused


def _row(settings: Mapping[str, object], measures: Row) -> Row:
    return {**settings, **dict.fromkeys(COLUMNS, ""), "reason": "", **measures}


def _measured(variants: Sequence[_Variant], processes: int | None) -> Iterator[tuple[int, Row]]:
    """Each variant's place and measures, in the order in which they are done."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes = processes or cores
    began = time.monotonic()
    left = list(variants)
    while left and (processes == 1 or len(left) == 1 or time.monotonic() - began < ALONE):
        yield _measure(left.pop(0))
    if left:
        # No memory maps: they would put the encoded original into a folder that others may list.
        workers = Parallel(
            n_jobs=min(processes, len(left)), return_as="generator_unordered", pre_dispatch="n_jobs", max_nbytes=None
        )
        done = workers(delayed(_measure)(variant) for variant in left)
        try:
            yield from done
        finally:
            with warnings.catch_warnings():  # it warns of what is left undone, which whoever stops it knows
                warnings.simplefilter("ignore")
                done.close()
            # Left alone, the workers wait five minutes for more, and some parents wait for them.
            get_reusable_executor().shutdown(wait=True, kill_workers=True)


@cache
def _warm_up() -> None:
    """Once in each process, so that compiling does not count in a search's time limit."""
    warm_up()


def _measure(variant: _Variant) -> tuple[int, Row]:
    _warm_up()
    random = np.random.default_rng(variant.seed)
    try:
        solved = search(variant.policy, variant.columns, variant.encoding, random)
    except NoReleaseError as error:
        return variant.place, {"status": "infeasible", "reason": str(error)}
    except InputError as error:
        return variant.place, {"status": "invalid", "reason": str(error)}
    assert solved.search is not None
    if solved.search.interrupted:  # whoever interrupts means the whole comparison
        raise KeyboardInterrupt
    best, problem, table = solved.search.best, solved.problem, solved.encoding.table
    release = release_of(problem, best.cuts)
    worst = problem.loss.worst(table.rows, len(table.attributes))
    return variant.place, {
        "status": solved.search.status,
        "cost": number(best.cost),
        "normalized": round(float(best.cost / worst), 6) if worst else 0.0,
        "bound": number(solved.search.bound),
        "gap": solved.search.gap,
        "records_deleted": release.records,
        "values_suppressed": release.values,
        "partitions": int((release.sizes > 0).sum()),
        **_learning(solved, variant.encoding.collapsed(), random),
        "cuts_examined": solved.search.cuts_examined,
        "seconds": round(solved.search.seconds, 3),
    }


def _learning(solved: Solved, encoding: Encoding, random: np.random.Generator) -> Row:
    """How well a classifier trained on the release predicts the class, where there is one to predict."""
    if encoding.class_column is None:
        return {}
    cuts = solved.found[0].cuts
    suppressed = release_of(solved.problem, cuts)
    release = draw_release(encoding.table, cuts, suppressed, solved.problem.scheme, random)
    comparison = Comparison(encoding.table, release, encoding.sensitive, encoding.class_column)
    # One seed for all rows: the same records are held out, so accuracies differ by the releases alone.
    measured = MEASURES["classifier"].measure(comparison, np.random.default_rng(0))
    if measured.original is None:
        return {}
    return {
        "accuracy": "" if measured.release is None else round(measured.release, 4),
        "accuracy_original": round(measured.original, 4),
        "accuracy_majority": round(measured.details["majority"], 4),
    }


def _fingerprint(
    base: Policy,
    policies: Sequence[Policy],
    grid: Sequence[Mapping[str, object]],
    data: object,
    seed: int | None,
) -> str | None:
    """The same for the same question about the same files; None for a table in memory, which may have changed."""
    path = base.data.path
    if data is not None or path is None or not path.exists():
        return None
    taxonomies = {
        attribute.taxonomy
        for policy in policies
        for attribute in policy.attributes.values()
        if isinstance(attribute.taxonomy, Path) and attribute.taxonomy.exists()
    }
    seen = [(str(file), _digest(file)) for file in [path, *sorted(taxonomies)]]
    asked = repr((discreet.__version__, base.as_dict(), grid, seed, seen))
    return hashlib.sha256(asked.encode()).hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Notes:
    """The folder of a comparison: what is found as it is found, then the table and the picture."""

    def __init__(self, folder: Path, fingerprint: str | None) -> None:
        self.folder = folder
        self.fingerprint = fingerprint
        self.unfinished = folder / "unfinished.jsonl"

    def read(self) -> dict[int, Row]:
        """What was found already; place in the grid -> measures."""
        with storage_errors(self.folder):
            if not self.folder.exists():
                return {}
            if not self.unfinished.is_file():
                raise InputError(f"{self.folder} exists already; choose another --out.")
            lines = self.unfinished.read_text(encoding="utf-8").splitlines(keepends=True)
        # A line without its end was being written when the comparison was stopped.
        whole = [line for line in lines if line.endswith("\n")]
        if self.fingerprint is None or whole[:1] != [self._header()]:
            raise InputError(
                f"{self.folder} holds a comparison that was not finished, of other settings or other data; choose "
                "another --out, or delete it."
            )
        self.unfinished.write_text("".join(whole), encoding="utf-8")
        return {entry["place"]: entry["found"] for entry in map(json.loads, whole[1:])}

    def begin(self) -> None:
        """Takes the folder; it appears with its first line in it."""
        if self.unfinished.exists():
            return
        with storage_errors(self.folder):
            staged = self.folder.with_name(f".{self.folder.name}.unfinished-{secrets.token_hex(4)}")
            staged.mkdir(parents=True)
            (staged / self.unfinished.name).write_text(self._header(), encoding="utf-8")
            staged.rename(self.folder)

    def add(self, place: int, found: Row) -> None:
        with storage_errors(self.folder), self.unfinished.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"place": place, "found": found}) + "\n")

    def leave_if_empty(self) -> None:
        """Nothing was found, so there is nothing to go on with."""
        if self.unfinished.is_file() and self.unfinished.read_text(encoding="utf-8") == self._header():
            self.unfinished.unlink()
            self.folder.rmdir()

    def end(self, rows: list[Row], vary: tuple[str, ...]) -> None:
        with storage_errors(self.folder):
            with (self.folder / "comparison.csv").open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            write_frontier(rows, vary, self.folder / "frontier.svg")
            self.unfinished.unlink(missing_ok=True)

    def _header(self) -> str:
        return json.dumps({"fingerprint": self.fingerprint}) + "\n"
