"""The two folders of a published table."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from discreet.attack import attack_tables
from discreet.encode.reading import Encoding
from discreet.encode.release import ReleasedTable, read_release
from discreet.engine import DuckDBEngine
from discreet.errors import InputError, PromiseBrokenError
from discreet.measure import classes, measure_table
from discreet.policy import TablePolicy
from discreet.read.text import RowError
from discreet.recode.formulas import escaped
from discreet.recode.recoding import Recoding
from discreet.recode.suppression import Suppressed
from discreet.recode.table import write_rows
from discreet.releasing.files import CERTIFICATE_FORMAT, slug, verified, write_json
from discreet.report import result_document, write_html
from discreet.search.results import Found
from discreet.search.table.l_plus_optimize import release_of
from discreet.solving.table import Solved
from discreet.taxonomy import MISSING, ROOT, Cut, Taxonomy, write_taxonomy
from discreet.verify import Verdict


def write_publication(
    engine: DuckDBEngine,
    solved: Solved,
    encoding: Encoding,
    folder: Path,
    random: np.random.Generator,
    seed: int | None,
) -> tuple[Verdict, dict[str, Any]]:
    """Writes steward/ and release/ into the folder; the verdict, and the result document.

    encoding: the original in full, with its classes and its taxonomies as given.
    """
    chosen = solved.found[int(random.integers(len(solved.found)))]
    suppressed = release_of(solved.problem, chosen.cuts)
    unverified = folder / "unverified"
    verdict = _write_release(engine, solved, chosen, suppressed, unverified, random)
    result = result_document(solved, chosen, suppressed, verdict, seed)
    release = _read_back(engine, solved.policy, encoding, unverified)
    result["classes"] = classes(encoding.table, release)
    measurements = measure_table(
        encoding.table, release, sensitive=encoding.sensitive, class_column=encoding.class_column, random=random
    )
    result["utility"] = [measurement.as_dict() for measurement in measurements]
    result["attack"] = _attacked(solved, encoding.without_class(), release.without_class(), chosen, random)
    steward = folder / "steward"
    steward.mkdir(mode=0o700)
    problem, attributes = solved.problem, solved.encoding.table.attributes
    recoding = Recoding.of(attributes, chosen.cuts, problem.scheme, problem.guard_stars)
    write_json(steward / "recoding.json", recoding.as_dict())
    _write_mapping(solved, chosen, steward / "mapping.csv")
    write_json(steward / "result.json", result)
    write_html(result, steward / "report.html")
    unverified.rename(folder / "release")
    return verdict, result


def _write_release(
    engine: DuckDBEngine,
    solved: Solved,
    chosen: Found,
    suppressed: Suppressed,
    folder: Path,
    random: np.random.Generator,
) -> Verdict:
    """Writes the data, the taxonomies and the certificate, and has them verified."""
    policy, encoding = solved.policy, solved.encoding
    (folder / "taxonomies").mkdir(parents=True)
    published = [name for name in solved.columns if policy.attributes[name].role != "identifier"]
    data = folder / f"data.{policy.output.format}"
    escape = policy.output.escape_formulas
    write_rows(
        engine,
        encoding,
        chosen.cuts,
        suppressed,
        solved.problem.scheme,
        published,
        random,
        data,
        escape_formulas=escape,
    )
    files = _write_taxonomies(encoding, chosen.cuts, suppressed, folder, escaped if escape else str)
    sensitive = encoding.table.sensitive_column
    certificate: dict[str, Any] = {
        "format": CERTIFICATE_FORMAT,
        "kind": policy.data.kind,
        "data": data.name,
        "promise": [model.statement(sensitive) for model in policy.privacy],
        "method": _method(solved),
        "columns": {
            name: {"role": policy.attributes[name].role, **({"taxonomy": files[name]} if name in files else {})}
            for name in solved.columns
        },
    }
    if escape:
        certificate["escaped_formulas"] = True
    write_json(folder / "certificate.json", certificate)
    promise = [model.promise(sensitive) for model in policy.privacy]
    verdict = verified(folder, promise, certificate["promise"], searched=solved.search is not None)
    if verdict.rows != int(suppressed.sizes.sum()):
        raise PromiseBrokenError(
            f"The release has {verdict.rows} rows where {int(suppressed.sizes.sum())} were meant to stay, so nothing "
            "was published. This is a defect of discreet; please report it."
        )
    write_json(folder / "certificate.json", {**certificate, "verdict": {"holds": True}})
    return verdict


def _method(solved: Solved) -> dict[str, str]:
    search = solved.policy.search
    if solved.search is None:
        return {"name": "recoding", "version": discreet.__version__, "suppression": search.suppression}
    return {
        "name": search.method,
        "version": discreet.__version__,
        "loss": search.loss,
        "suppression": search.suppression,
    }


def _read_back(engine: DuckDBEngine, policy: TablePolicy, encoding: Encoding, folder: Path) -> ReleasedTable:
    """The release as it stands in the folder."""
    data = folder / f"data.{policy.output.format}"
    try:
        return read_release(engine, data, encoding, escaped=policy.output.escape_formulas)
    except RowError as error:  # a NUL byte, a row of many megabytes: what Parquet and JSON can hold
        raise InputError(
            f"{data.name}, row {error.row}: {error.fault.partition(';')[0]}, which not every reader of CSV accepts; "
            "change the data, or set output.format: parquet."
        ) from error


def _attacked(
    solved: Solved, encoding: Encoding, release: ReleasedTable, chosen: Found, random: np.random.Generator
) -> dict[str, Any]:
    """What an adversary learns who knows everybody's quasi-identifiers."""
    taxonomies = encoding.table.taxonomies
    cuts = tuple(Cut.from_labels(tree, cut.labels) for tree, cut in zip(taxonomies, chosen.cuts, strict=True))
    searched = solved.search is not None
    return attack_tables(solved.policy, encoding, release, cuts=cuts, searched=searched, random=random)


def _write_mapping(solved: Solved, chosen: Found, path: Path) -> None:
    """Every value of a quasi-identifier and what it is published as."""
    cell = escaped if solved.policy.output.escape_formulas else str
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("column", "original", "published"))
        for name, cut in zip(solved.encoding.table.attributes, chosen.cuts, strict=True):
            node_of_leaf = cut.value_of_leaf()
            for value, leaf in solved.encoding.leaf_of[name].items():
                published = cut.taxonomy.labels[node_of_leaf[leaf]]
                writer.writerow((cell(name), cell(value), cell(published)))


def _write_taxonomies(
    encoding: Encoding, cuts: tuple[Cut, ...], suppressed: Suppressed, folder: Path, cell: Callable[[str], str]
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
        files[name] = f"taxonomies/{index + 1}-{slug(name)}.csv"
        write_taxonomy(public, folder / files[name], cell)
    return files
