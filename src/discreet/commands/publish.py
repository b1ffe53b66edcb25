"""The whole path of the data: read, encode, search or apply, write, verify, measure, attack, report."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from discreet.commands.publication import CERTIFICATE
from discreet.commands.release import write_publication
from discreet.commands.staging import StagedFolder
from discreet.commands.warm_up import warm_up
from discreet.commands.workspace import as_policy, storage_errors, with_its_data, workspace
from discreet.errors import InputError
from discreet.kinds import KINDS, kind_of
from discreet.policy import Policy
from discreet.read.source import files_of
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.values import steps
from discreet.values.notebook import named_lines
from discreet.values.steps import Watcher
from discreet.verifier import Verdict

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Publication:
    """What `publish` wrote and what it found out."""

    folder: Path
    verdict: Verdict
    result: Mapping[str, Any]
    """steward/result.json"""

    @property
    def release(self) -> Path:
        return self.folder / "release"

    @cached_property
    def data(self) -> Any:
        """The published data as an Arrow table, read from the release when first asked for."""
        certificate = json.loads((self.release / CERTIFICATE).read_text(encoding="utf-8"))
        return KINDS[certificate["kind"]].read_data(self.release, certificate)

    @property
    def report(self) -> Path:
        return self.folder / "steward" / "report.html"

    @property
    def warnings(self) -> list[str]:
        return list(self.result["warnings"])

    def _repr_html_(self) -> str:
        result = self.result
        loss = result["loss"]
        return named_lines(
            [
                *(("Beware", sentence) for sentence in (*result["hollow"], *result["unprotected"])),
                ("Status", result["status"]),
                ("Loss", f"{loss['cost']} ({loss['name']}), {loss['normalized']:.2%} of that of {loss['everything']}"),
                ("Verified", self.verdict.sentence),
                ("Checked", self.verdict.checked),
                *(("Warning", warning) for warning in self.warnings),
                ("Release", self.release),
                ("Report", f"{self.report} (for the steward only)"),
            ]
        )


def publish(
    policy: Policy | str | Path,
    out: str | Path,
    *,
    data: object = None,
    settings: Mapping[str, object] | None = None,
    recoding: object = None,
    force: bool = False,
    strict: bool = False,
    allow_empty: bool = False,
    seed: int | None = None,
    listen: Listener = ignore,
    watch: Watcher = steps.ignore,
) -> Publication:
    """Anonymizes data by a policy, verifies the release and writes it to the folder `out`.

    data: data in memory to use instead of the policy's data.path: a pandas, Polars, pyarrow or DuckDB table, a list of
    dicts, a dict of columns, or a list of lists of items. A policy that `inspect` proposed for data in memory has them
    already. settings: policy keys to override, as `{"search.suppression": "vio-rec"}`. recoding: one found before
    (steward/recoding.json), to apply to these data instead of searching; where the promise fails with it, nothing is
    published. strict: publish nothing where there is something to warn of. allow_empty: publish a release without
    records where the promise leaves none. seed: for reproducible runs; without it the order of rows and every other
    draw come from the system's entropy. listen: called with each event of the search. watch: called with
    each step of everything else, as `attack 3 of 6`.
    """
    given = [source for source in (policy, recoding) if isinstance(source, str | Path)]
    policy, data = with_its_data(as_policy(policy, settings), data)
    rule = None
    if recoding is not None:
        policy, rule = with_recoding(policy, recoding)
    kind = kind_of(policy)
    random = np.random.default_rng(seed)
    target = Path(out)
    inputs = [*map(Path, given), *policy.files(), *(files_of(policy.data.path) if policy.data.path else [])]
    with (
        steps.watched(watch),
        storage_errors(target),
        StagedFolder(target, force=force, inputs=inputs) as staged,
        workspace() as engine,
    ):
        steps.doing("reading the data")
        encoding = kind.encode(engine, policy, data)
        about_data = tuple(kind.warnings(engine, policy, encoding))
        if strict:
            _refuse(encoding.warnings, about_data)
        if rule is None:
            steps.doing("preparing the search")
            warm_up(policy)
            steps.doing(f"searching by {policy.search.method}")
            solved = kind.search(policy, encoding, random, _logged(listen))
        else:
            solved = kind.apply(rule, policy, encoding)
        solved = replace(solved, warnings=(*about_data, *solved.warnings))
        verdict, result = write_publication(
            kind, engine, solved, encoding, staged.folder, random, seed, allow_empty=allow_empty
        )
        if strict:
            _refuse(result["hollow"], result.get("attack", {}).get("unprotected", ()), result["warnings"])
        staged.appear()
    for sentence in (*result["hollow"], *result["unprotected"], *result["warnings"]):
        LOG.warning("%s", sentence)
    LOG.info("Published %s: %s", target, verdict.sentence)
    return Publication(target, verdict, result)


def _logged(listen: Listener) -> Listener:
    def hear(event: SearchEvent) -> None:
        LOG.debug("Search: best %s, bound %s, %s looked at", event.incumbent, event.bound, event.examined)
        listen(event)

    return hear


def _refuse(*warnings: Sequence[str]) -> None:
    """Raises the first of the sentences, if there is one."""
    for sentence in chain(*warnings):
        raise InputError(f"Nothing was published, as there must be nothing to warn of: {sentence}")


def with_recoding(policy: Policy, recoding: object) -> tuple[Policy, Any]:
    """The policy with what an earlier recoding settles, and the recoding, which has to be of the policy's kind."""
    changed, rule = kind_of(policy).load_rule(recoding, policy)
    return changed, rule
