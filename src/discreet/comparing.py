"""One policy, many settings: the loss of each, side by side in one table."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from discreet.encode.reading import Encoding, encode_table
from discreet.errors import InputError, NoReleaseError
from discreet.policy import Policy
from discreet.publishing import as_policy, load, search, storage_errors, workspace
from discreet.report.document import number
from discreet.search.table.l_plus_optimize import release_of
from discreet.staging import StagedFolder

COLUMNS = (
    "status",
    "cost",
    "normalized",
    "bound",
    "gap",
    "records_deleted",
    "values_suppressed",
    "partitions",
    "cuts_examined",
    "seconds",
)

Row = dict[str, Any]


def compare(
    policy: Policy | str | Path,
    vary: Mapping[str, Sequence[object]],
    out: str | Path | None = None,
    *,
    data: object = None,
    seed: int | None = None,
    tell: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Searches the best release for every combination of settings; a row each, also written to out/comparison.csv.

    vary: dotted policy keys and the values to try, as `{"privacy.l": [2, 4], "search.loss": ["lm", "dm"]}`. A
    combination that no release can keep is a row with the status `infeasible`; one that contradicts itself (dm with
    vio-sa, say) has the status `invalid` and the reason.
    """
    base = as_policy(policy)
    if not vary:
        raise InputError("compare needs at least one key to vary, as --vary privacy.l=2,4,6.")
    if out is not None and Path(out).exists():
        raise InputError(f"{out} exists already; choose another --out.")
    rows: list[Row] = []
    with workspace() as engine:
        columns = load(engine, base, data)
        encodings: dict[str, Encoding] = {}
        for values in product(*vary.values()):
            settings = dict(zip(vary, values, strict=True))
            row: Row = {**settings, **dict.fromkeys(COLUMNS, ""), "reason": ""}
            try:
                variant = base.with_settings(settings)
                if variant.data != base.data:
                    raise InputError("data: compare varies how one table is published, not the table.")
                with_class = variant.search.loss == "cm"
                key = repr((variant.attributes, with_class))
                if key not in encodings:
                    encodings[key] = encode_table(engine, variant, with_class=with_class)
                row |= _measures(variant, columns, encodings[key], np.random.default_rng(seed))
            except NoReleaseError as error:
                row |= {"status": "infeasible", "reason": str(error)}
            except InputError as error:
                row |= {"status": "invalid", "reason": str(error)}
            rows.append(row)
            tell(row)
    if all(row["status"] == "invalid" for row in rows):
        raise InputError(f"No combination is valid: {rows[0]['reason']}")
    if out is not None:
        _write(rows, Path(out))
    return rows


def _measures(policy: Policy, columns: tuple[str, ...], encoding: Encoding, random: np.random.Generator) -> Row:
    solved = search(policy, columns, encoding, random)
    if solved.search.interrupted:  # whoever interrupts means the whole comparison
        raise KeyboardInterrupt
    best, problem = solved.search.best, solved.problem
    release = release_of(problem, best.cuts)
    worst = problem.loss.worst(encoding.table.rows, len(encoding.table.attributes))
    return {
        "status": solved.search.status,
        "cost": number(best.cost),
        "normalized": round(float(best.cost / worst), 6) if worst else 0.0,
        "bound": number(solved.search.bound),
        "gap": solved.search.gap,
        "records_deleted": release.records,
        "values_suppressed": release.values,
        "partitions": int((release.sizes > 0).sum()),
        "cuts_examined": solved.search.cuts_examined,
        "seconds": round(solved.search.seconds, 3),
    }


def _write(rows: list[Row], target: Path) -> None:
    with storage_errors(target), StagedFolder(target, force=False) as staged:
        with (staged.folder / "comparison.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        staged.appear()
