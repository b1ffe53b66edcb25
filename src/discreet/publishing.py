"""The whole way of a table: read, encode, search, recode, verify, write."""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import discreet
from discreet.encode.reading import Encoding, encode_table
from discreet.engine import STAR, DuckDBEngine
from discreet.errors import InputError, PromiseBrokenError
from discreet.models import strictest
from discreet.policy import Policy
from discreet.recode.recoding import Recoding
from discreet.recode.suppression import Suppressed
from discreet.recode.table import write_rows
from discreet.report import result_document, write_html
from discreet.search.events import Listener, ignore
from discreet.search.interrupt import noted_interrupt
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.l_plus_optimize import l_plus_optimize, release_of
from discreet.search.table.space import TableProblem
from discreet.staging import StagedFolder
from discreet.taxonomy import MISSING, ROOT, Cut, Taxonomy, write_taxonomy
from discreet.verify import Verdict, verify_release

CERTIFICATE_FORMAT = "discreet-certificate/1"
_ERRNO_OF_DUCKDB = re.compile(r'"errno":"(\d+)"')


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


@dataclass(frozen=True)
class Solved:
    """A table, encoded, and the search's result on it."""

    policy: Policy
    columns: tuple[str, ...]
    encoding: Encoding
    problem: TableProblem
    search: SearchResult
    warnings: tuple[str, ...]


def publish(
    policy: Policy | str | Path,
    out: str | Path,
    *,
    data: object = None,
    settings: Mapping[str, object] | None = None,
    force: bool = False,
    seed: int | None = None,
    listen: Listener = ignore,
) -> Publication:
    """Anonymizes a table by a policy, verifies the release and writes it to the folder `out`.

    data: a table in memory (anything that speaks Arrow) to use instead of the policy's data.path.
    settings: policy keys to override, as `{"search.suppression": "vio-rec"}`. seed: for reproducible runs; without
    it the order of rows and every other draw come from the system's entropy.
    """
    policy = as_policy(policy, settings)
    random = np.random.default_rng(seed)
    target = Path(out)
    with storage_errors(target), StagedFolder(target, force=force) as staged, workspace() as engine:
        solved = solve(engine, policy, data, random, listen)
        publication = _write(engine, solved, staged.folder, random, seed)
        engine.close()
        staged.appear()
    return Publication(target, publication.verdict, publication.result)


def as_policy(policy: Policy | str | Path, settings: Mapping[str, object] | None = None) -> Policy:
    loaded = policy if isinstance(policy, Policy) else Policy.load(policy)
    return loaded.with_settings(settings) if settings else loaded


@contextmanager
def workspace() -> Iterator[DuckDBEngine]:
    """An engine whose spilled rows are private and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        engine = DuckDBEngine(Path(folder))
        try:
            yield engine
        finally:
            engine.close()


@contextmanager
def storage_errors(target: Path) -> Iterator[None]:
    """A full disk or a folder that cannot be written is the user's to mend, so it gets a sentence."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise InputError(f"{target}: not enough memory or temporary disk space ({reason}).") from error
    except (duckdb.IOException, OSError) as error:
        raise InputError(f"{target}: nothing was written, the disk said: {_disk_said(error)}.") from error


def _disk_said(error: Exception) -> str:
    """The operating system's own words and, for a full disk, the way out."""
    number = error.errno if isinstance(error, OSError) else None
    if told := _ERRNO_OF_DUCKDB.search(str(error)):
        number = int(told[1])
    if number is None:
        return str(error).partition("\n")[0].rstrip(".")
    return os.strerror(number) + ("; free some space" if number == errno.ENOSPC else "")


def solve(
    engine: DuckDBEngine, policy: Policy, data: object, random: np.random.Generator, listen: Listener = ignore
) -> Solved:
    """Reads, encodes and searches; what `publish` and `compare` have in common."""
    columns = load(engine, policy, data)
    encoding = encode_table(engine, policy, with_class=policy.search.loss == "cm")
    return search(policy, columns, encoding, random, listen)


def load(engine: DuckDBEngine, policy: Policy, data: object) -> tuple[str, ...]:
    """Loads the table in memory, or else the policy's file, and checks its columns against the roles."""
    source = policy.data.path if data is None else data
    if source is None:
        raise InputError("data.path: there is no data to publish; name a file, or hand a table over in Python.")
    columns = engine.load(source).columns
    _check_columns(policy, columns, source.name if isinstance(source, Path) else "the table")
    return columns


def search(
    policy: Policy,
    columns: tuple[str, ...],
    encoding: Encoding,
    random: np.random.Generator,
    listen: Listener = ignore,
) -> Solved:
    """Searches the best release of an encoded table."""
    sensitive = encoding.table.sensitive_column
    if STAR in sensitive.values and policy.sensitive:
        raise InputError(
            f"{policy.sensitive}: the value '*' occurs in the data, but in a release it stands for suppressed values; "
            "rename it."
        )
    limits = strictest([model.limits(sensitive) for model in policy.privacy])
    problem = TableProblem(
        encoding.table, limits, policy.search.suppression, policy.search.loss, policy.search.guard_stars
    )
    with noted_interrupt() as interrupt:
        found = l_plus_optimize(
            problem,
            Limits(policy.search.time_limit, policy.search.alpha, interrupt),
            top_h=policy.search.top_h,
            random=random,
            listen=listen,
        )
    warnings = [*encoding.warnings, *(text for model in policy.privacy for text in model.warnings(sensitive))]
    return Solved(policy, columns, encoding, problem, found, tuple(warnings))


def _check_columns(policy: Policy, columns: Sequence[str], source: str) -> None:
    """Every column has a role, and every role a column."""
    absent = [name for name in policy.attributes if name not in columns]
    if absent:
        raise InputError(f"attributes.{absent[0]}: there is no such column in {source}; it has {', '.join(columns)}.")
    unnamed = [name for name in columns if name not in policy.attributes]
    if unnamed:
        raise InputError(
            f"{source} has {'a column' if len(unnamed) == 1 else 'columns'} without a role: {', '.join(unnamed)}; "
            "name it under attributes with its role (identifier drops it, insensitive publishes it as it is)."
        )


def _write(
    engine: DuckDBEngine, solved: Solved, folder: Path, random: np.random.Generator, seed: int | None
) -> Publication:
    """Writes steward/ and release/ into the folder; the release is called so only when all else is done."""
    policy, encoding, problem = solved.policy, solved.encoding, solved.problem
    drawn = int(random.integers(len(solved.search.found)))
    chosen = solved.search.found[drawn]
    suppressed = release_of(problem, chosen.cuts)
    unverified = folder / "unverified"
    (unverified / "taxonomies").mkdir(parents=True)
    published = [name for name in solved.columns if policy.attributes[name].role != "identifier"]
    data = unverified / f"data.{policy.output.format}"
    write_rows(engine, encoding, chosen.cuts, suppressed, problem.scheme, published, random, data)
    files = _write_taxonomies(encoding, chosen.cuts, suppressed, unverified)
    sensitive = encoding.table.sensitive_column
    certificate: dict[str, Any] = {
        "format": CERTIFICATE_FORMAT,
        "kind": policy.data.kind,
        "data": data.name,
        "promise": [model.statement(sensitive) for model in policy.privacy],
        "method": {
            "name": policy.search.method,
            "version": discreet.__version__,
            "loss": policy.search.loss,
            "suppression": policy.search.suppression,
        },
        "columns": {
            name: {"role": policy.attributes[name].role, **({"taxonomy": files[name]} if name in files else {})}
            for name in solved.columns
        },
    }
    _write_json(unverified / "certificate.json", certificate)
    verdict = _verified(unverified, [model.promise(sensitive) for model in policy.privacy], certificate["promise"])
    if verdict.rows != int(suppressed.sizes.sum()):
        raise PromiseBrokenError(
            f"The release has {verdict.rows} rows where {int(suppressed.sizes.sum())} were meant to stay, so nothing "
            "was published. This is a defect of discreet; please report it."
        )
    _write_json(unverified / "certificate.json", {**certificate, "verdict": {"holds": True}})
    steward = folder / "steward"
    steward.mkdir(mode=0o700)
    recoding = Recoding.of(encoding.table.attributes, chosen.cuts, problem.scheme, problem.guard_stars)
    _write_json(steward / "recoding.json", recoding.as_dict())
    result = result_document(policy, encoding.table, problem, solved.search, chosen, suppressed, verdict, seed)
    result["warnings"] = [*solved.warnings, *result["warnings"]]
    _write_json(steward / "result.json", result)
    write_html(result, steward / "report.html")
    unverified.rename(folder / "release")
    return Publication(folder, verdict, result)


def _verified(folder: Path, promise: list[dict[str, object]], stated: list[dict[str, object]]) -> Verdict:
    """The verdict on the promise as it was made and, where the certificate states a weaker one, on that too."""
    for wanted in [promise] if promise == stated else [promise, stated]:
        verdict = verify_release(folder, wanted)
        if not verdict.holds:
            raise PromiseBrokenError(
                "The release does not keep its promise, so nothing was published: "
                f"{verdict.breaches[0].sentence} This is a defect of discreet; please report it."
            )
    return verdict


def _write_taxonomies(
    encoding: Encoding, cuts: tuple[Cut, ...], suppressed: Suppressed, folder: Path
) -> dict[str, str]:
    """The taxonomies that a reader of the release needs; quasi-identifier -> file.

    A taxonomy made from the data would give its values away: of it, only what is published and what lies above
    is written. The leaf of the missing value is written where one is published.
    """
    files = {}
    shown = suppressed.nodes[suppressed.sizes > 0]
    for index, (name, cut) in enumerate(zip(encoding.table.attributes, cuts, strict=True)):
        taxonomy = cut.taxonomy
        published = sorted({int(node) for node in shown[:, index]})
        nodes = published if encoding.from_data[name] else [int(leaf) for leaf in taxonomy.leaf_nodes]
        paths = [taxonomy.path(node) for node in nodes if taxonomy.labels[node] != MISSING]
        public = Taxonomy.from_paths(name, paths or [(ROOT,)])
        if any(taxonomy.labels[node] == MISSING for node in published):
            public = public.with_missing()
        files[name] = f"taxonomies/{index + 1}-{_slug(name)}.csv"
        write_taxonomy(public, folder / files[name])
    return files


def _slug(name: str) -> str:
    """A column name as part of a file name on any system."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "column"


def _write_json(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
