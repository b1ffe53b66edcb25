"""The whole way of the data: read, encode, search or apply, and hand over to be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.encode.reading import encode_table
from discreet.errors import InputError
from discreet.loading import as_policy, load, storage_errors, workspace
from discreet.policy import Policy, TablePolicy, TransactionPolicy
from discreet.profile.unchanged_columns import warn_of_unchanged
from discreet.recode.item_recoding import ItemRecoding
from discreet.recode.recoding import Recoding
from discreet.search.events import Listener, ignore
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
    recoding: Recoding | ItemRecoding | str | Path | None = None,
    force: bool = False,
    seed: int | None = None,
    listen: Listener = ignore,
    before_search: Callable[[], None] = lambda: None,
) -> Publication:
    """Anonymizes data by a policy, verifies the release and writes it to the folder `out`.

    data: a table or transactions in memory (anything that speaks Arrow, or a list of lists of items) to use instead of
    the policy's data.path.
    settings: policy keys to override, as `{"search.suppression": "vio-rec"}`. recoding: one found before
    (steward/recoding.json), to apply to these data instead of searching; where the promise fails with it, nothing is
    published. seed: for reproducible runs; without it the order of rows and every other draw come from the system's
    entropy. listen: called with each event of the search. before_search: called once the data are read and encoded and
    nothing is wrong with them.
    """
    policy = as_policy(policy, settings)
    if recoding is not None:
        policy, recoding = with_recoding(policy, recoding)
    random = np.random.default_rng(seed)
    target = Path(out)
    with storage_errors(target), StagedFolder(target, force=force) as staged:
        match policy:
            case TablePolicy():
                verdict, result = _publish_table(
                    policy, data, recoding, staged.folder, random, seed, before_search, listen
                )
            case TransactionPolicy():
                verdict, result = _publish_transactions(
                    policy, data, recoding, staged.folder, random, seed, before_search, listen
                )
            case _:
                raise TypeError(f"{type(policy).__name__} is not a policy of a known kind.")
        staged.appear()
    return Publication(target, verdict, result)


def with_recoding(
    policy: Policy, recoding: Recoding | ItemRecoding | str | Path
) -> tuple[Policy, Recoding | ItemRecoding]:
    """A recoding of the policy's kind, and the policy with what the recoding settles."""
    if isinstance(policy, TablePolicy):
        recoding = Recoding.load(recoding) if isinstance(recoding, str | Path) else recoding
        if isinstance(recoding, Recoding):
            return policy.with_settings(recoding.settings(policy)), recoding
    else:
        recoding = ItemRecoding.load(recoding) if isinstance(recoding, str | Path) else recoding
        if isinstance(recoding, ItemRecoding):
            return policy, recoding
    raise InputError(f"The recoding is not for data of kind {policy.data.kind}; use one that was found for such data.")


def _publish_table(
    policy: TablePolicy,
    data: object,
    recoding: Recoding | ItemRecoding | None,
    folder: Path,
    random: np.random.Generator,
    seed: int | None,
    before_search: Callable[[], None],
    listen: Listener,
) -> tuple[Verdict, dict[str, Any]]:
    from discreet.releasing.table import write_publication
    from discreet.solving.table import apply, search

    with workspace() as engine:
        columns = load(engine, policy, data)
        encoding = encode_table(engine, policy)
        if isinstance(recoding, Recoding):
            solved = apply(recoding, policy, columns, encoding)
        else:
            before_search()
            solved = search(policy, columns, encoding, random, listen)
        unchanged = warn_of_unchanged(engine, policy, encoding.table.rows)
        solved = replace(solved, warnings=(*unchanged, *solved.warnings))
        return write_publication(engine, solved, encoding, folder, random, seed)


def _publish_transactions(
    policy: TransactionPolicy,
    data: object,
    recoding: Recoding | ItemRecoding | None,
    folder: Path,
    random: np.random.Generator,
    seed: int | None,
    before_search: Callable[[], None],
    listen: Listener,
) -> tuple[Verdict, dict[str, Any]]:
    from discreet.releasing.transactions import write_publication
    from discreet.solving.transactions import apply, encode, search

    encoding = encode(policy, data)
    if isinstance(recoding, ItemRecoding):
        solved = apply(recoding, policy, encoding)
    else:
        before_search()
        solved = search(policy, encoding, random, listen)
    return write_publication(solved, folder, random, seed)
