"""The release of a table: its data, the taxonomies that a reader needs, and what the certificate says about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from discreet.encode.table import EncodedTable, Encoding, column_of, told_of
from discreet.engine import Engine
from discreet.models.table import TableModel
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import ByCuts, ByRegions, NewNumbers, NewRows, Recoded
from discreet.recode.table.writing import write_cuts, write_new_rows, write_regions
from discreet.recode.written import Written, slug
from discreet.taxonomy import MISSING, MadeFrom, public_taxonomy, write_taxonomy
from discreet.values.formulas import escaped
from discreet.values.partitions import PublishedPartitions, Suppressed


def write_release(
    engine: Engine,
    policy: TablePolicy,
    encoding: Encoding,
    recoded: Recoded,
    suppressed: Suppressed,
    folder: Path,
    random: np.random.Generator,
) -> Written:
    """Writes the data and the taxonomies. suppressed: what stays of each group, all of it where there are no cuts."""
    folder.mkdir(parents=True)
    data = folder / f"data.{policy.output.format}"
    escape = policy.output.escape_formulas
    columns = [name for name in encoding.columns if policy.attributes[name].role != "identifier"]
    match recoded:
        case ByCuts():
            scheme = policy.search.suppression
            write_cuts(engine, encoding, recoded, suppressed, scheme, columns, random, data, escape_formulas=escape)
        case ByRegions():
            write_regions(engine, encoding, recoded, columns, random, data, escape_formulas=escape)
        case NewRows():
            made_up = {name: recoded.columns[name] for name in columns}
            write_new_rows(engine, made_up, random, data, escape_formulas=escape)
        case NewNumbers():
            made_up = {name: _of_column(recoded, name) for name in columns}
            write_new_rows(engine, made_up, random, data, escape_formulas=escape)
    rows = recoded.rows if isinstance(recoded, NewNumbers) else int(suppressed.sizes.sum())
    described = _described(policy, encoding, recoded, suppressed, folder, escaped if escape else str)
    entries = {
        "data": data.name,
        "promise": [
            model.statement(_published(model, encoding.table, suppressed), column_of(model, encoding.table))
            for model in policy.promises
        ],
    }
    more = {
        "columns": {
            name: {"role": policy.attributes[name].role, **described.get(name, {})} for name in encoding.columns
        },
        "recoding": recoded.recoding,
        **({"escaped_formulas": True} if escape else {}),
    }
    promise = [model.promise(column_of(model, encoding.table)) for model in policy.promises]
    return Written(entries, promise, rows, more)


def _of_column(recoded: NewNumbers, name: str) -> Sequence[str | None]:
    if name in recoded.columns:
        return recoded.columns[name]
    if recoded.classes is None:
        raise TypeError(f"Nothing was made up for the column {name}.")
    return recoded.classes


def _described(
    policy: TablePolicy,
    encoding: Encoding,
    recoded: Recoded,
    suppressed: Suppressed,
    folder: Path,
    cell: Callable[[str], str],
) -> dict[str, dict[str, object]]:
    """What a reader needs to know of the values of columns: their taxonomies, which are written, or what they are."""
    if isinstance(recoded, NewNumbers):
        return {name: {"numbers": asdict(numbers)} for name, numbers in recoded.ranges.items()}
    (folder / "taxonomies").mkdir()
    files = _write_taxonomies(encoding, _named(encoding.table, recoded, suppressed), folder, cell)
    files |= _write_categories(policy, encoding, suppressed, folder, cell)
    return {name: {"taxonomy": file, **_labelled(encoding.table, recoded, name)} for name, file in files.items()}


def _published(model: TableModel, table: EncodedTable, suppressed: Suppressed) -> PublishedPartitions:
    """What anybody can count of the column that a promise is about."""
    published, told = suppressed.published, told_of(model, table)
    return published if told is None else replace(published, shown=told.counted(published.shown))


def _write_categories(
    policy: TablePolicy, encoding: Encoding, suppressed: Suppressed, folder: Path, cell: Callable[[str], str]
) -> dict[str, str]:
    """What the published values of sensitive columns are kinds of; column -> file."""
    files = {}
    shown = suppressed.published.shown.sum(axis=0)
    for place, column in enumerate(encoding.table.told, start=len(encoding.table.attributes) + 1):
        if column.name not in encoding.built:
            continue
        taxonomy, made_from = encoding.built[column.name]
        if any(
            getattr(model, "distance", None) == "hierarchical" and told_of(model, encoding.table) is column
            for model in policy.promises
        ):
            made_from = (
                MadeFrom.POLICY
            )  # the heights of nodes are part of the promise, and its reference names the values
        published = {column.values[value] for value in np.flatnonzero(column.counted(shown)).tolist()} - {MISSING}
        nodes = (node for node in taxonomy.leaf_nodes.tolist() if taxonomy.labels[node] in published)
        public = public_taxonomy(taxonomy, nodes, made_from)
        files[column.name] = f"taxonomies/{place}-{slug(column.name)}.csv"
        write_taxonomy(public, folder / files[column.name], cell)
    return files


def _labelled(table: EncodedTable, recoded: Recoded, name: str) -> dict[str, str]:
    """How the groups of a local recoding are labelled in a column."""
    if not isinstance(recoded, ByRegions) or name not in table.attributes:
        return {}
    return {"labels": table.labelling(table.attributes.index(name))}


def _named(table: EncodedTable, recoded: Recoded, suppressed: Suppressed) -> list[set[str]]:
    """For each attribute the nodes that the release names, by themselves or in labels of groups."""
    left = suppressed.nodes[suppressed.sizes > 0].T
    return [
        values.named(np.unique(codes).tolist(), table.labelling(index))
        for index, (values, codes) in enumerate(zip(recoded.published_values(table), left, strict=True))
    ]


def _write_taxonomies(
    encoding: Encoding, named: list[set[str]], folder: Path, cell: Callable[[str], str]
) -> dict[str, str]:
    """The taxonomies that a reader of the release needs; quasi-identifier -> file."""
    files = {}
    for index, (name, labels) in enumerate(zip(encoding.table.attributes, named, strict=True), start=1):
        built, made_from = encoding.built[name]
        if not labels.issubset(built.labels):  # what is missing is published, or the root above it and the rest
            built = built.with_missing()
        public = public_taxonomy(built, map(built.node, labels), made_from)
        files[name] = f"taxonomies/{index}-{slug(name)}.csv"
        write_taxonomy(public, folder / files[name], cell)
    return files
