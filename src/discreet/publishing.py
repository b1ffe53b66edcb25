"""The whole way of a table: read, encode, search or apply, and hand over to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.encode.reading import encode_table
from discreet.loading import as_policy, load, storage_errors, workspace
from discreet.policy import Policy
from discreet.profile.unchanged_columns import warn_of_unchanged
from discreet.recode.recoding import Recoding
from discreet.releasing import write_publication
from discreet.search.events import Listener, ignore
from discreet.solving import apply, search
from discreet.staging import StagedFolder
from discreet.verify import Verdict


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

    @property
    def report(self) -> Path:
        return self.folder / "steward" / "report.html"

    @property
    def warnings(self) -> list[str]:
        return list(self.result["warnings"])


def publish(
    policy: Policy | str | Path,
    out: str | Path,
    *,
    data: object = None,
    settings: Mapping[str, object] | None = None,
    recoding: Recoding | str | Path | None = None,
    force: bool = False,
    seed: int | None = None,
    listen: Listener = ignore,
) -> Publication:
    """Anonymizes a table by a policy, verifies the release and writes it to the folder `out`.

    data: a table in memory (anything that speaks Arrow) to use instead of the policy's data.path.
    settings: policy keys to override, as `{"search.suppression": "vio-rec"}`. recoding: one found before
    (steward/recoding.json), to apply to this table instead of searching; where the promise fails with it, nothing is
    published. seed: for reproducible runs; without it the order of rows and every other draw come from the system's
    entropy.
    """
    policy = as_policy(policy, settings)
    if recoding is not None:
        recoding = recoding if isinstance(recoding, Recoding) else Recoding.load(recoding)
        policy = policy.with_settings(recoding.settings(policy))
    random = np.random.default_rng(seed)
    target = Path(out)
    with storage_errors(target), StagedFolder(target, force=force) as staged, workspace() as engine:
        columns = load(engine, policy, data)
        encoding = encode_table(engine, policy)
        if recoding is None:
            solved = search(policy, columns, encoding, random, listen)
        else:
            solved = apply(recoding, policy, columns, encoding)
        unchanged = warn_of_unchanged(engine, policy, encoding.table.rows)
        solved = replace(solved, warnings=(*unchanged, *solved.warnings))
        verdict, result = write_publication(engine, solved, encoding, staged.folder, random, seed)
        engine.close()
        staged.appear()
    return Publication(target, verdict, result)
