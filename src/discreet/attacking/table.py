"""Attacks on a published table: reads it and the original.

`publish` itself calls :func:`attack_tables` on the tables that it has at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.attack import Known, attack_tables
from discreet.attack.people import known_people
from discreet.encode import EncodedTable
from discreet.encode.reading import Encoding, encode_table
from discreet.encode.release import ReleasedTable, read_release
from discreet.engine import DuckDBEngine
from discreet.errors import InputError
from discreet.loading import load, workspace
from discreet.policy import TablePolicy
from discreet.report import render_html
from discreet.taxonomy import Cut
from discreet.verify.certificate import read_certificate


def attacked(
    folder: Path,
    policy: TablePolicy,
    result: Mapping[str, Any],
    known: object,
    original: object,
    second: str | Path | None,
    random: np.random.Generator,
) -> dict[str, Any]:
    """The attack's document."""
    with workspace() as engine:
        _load_original(engine, policy, original, result)
        # Not collapsed: a recoding that was applied may publish any label of a chain.
        encoding = encode_table(engine, policy).without_class()
        release = _release(engine, folder / "release", encoding)
        other = None if second is None else _second_release(engine, Path(second), encoding)
        people = None if known is None else _known(engine, known, policy, encoding, release, other)
        return attack_tables(
            policy,
            encoding,
            release,
            cuts=_released_cuts(encoding.table, result),
            second=other,
            known=people,
            searched=result.get("status") != "applied",
            random=random,
        )


def report(result: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """The steward's page with what this attack adds to the one that publish ran."""
    if document["known"] is None:
        return render_html({**result, "attack": document})
    if not result.get("attack"):
        return render_html(result, document)
    worst_case = {**result["attack"], "intersection": document["intersection"]}
    return render_html({**result, "attack": worst_case}, document)


def _load_original(engine: DuckDBEngine, policy: TablePolicy, original: object, result: Mapping[str, Any]) -> None:
    if original is None:
        path = policy.data.path
        if path is None:
            raise InputError(
                "The release was made from a table in memory, which is not here any more; give the original with "
                "--original FILE."
            )
        if not path.exists():
            raise InputError(
                f"{path}: the original is not there any more, and without it nobody can tell what an attack finds; say "
                "where it is with --original FILE."
            )
    load(engine, policy, Path(original) if isinstance(original, str) else original)
    expected = result.get("rows", {}).get("original")
    rows = engine.connection.execute("SELECT count(*) FROM original").fetchall()[0][0]
    if expected is not None and rows != expected:
        name = policy.data.path if original is None else original
        raise InputError(
            f"{name if isinstance(name, str | Path) else 'The original'} has {rows:,} rows and the release was made "
            f"from {expected:,}; give the table that was published with --original FILE."
        )


def _release(engine: DuckDBEngine, folder: Path, encoding: Encoding) -> ReleasedTable:
    certificate = read_certificate(folder)
    try:
        return read_release(engine, certificate.data, encoding, escaped=certificate.escaped)
    except InputError as error:
        raise InputError(f"{error} The table it was made from can be named with --original FILE.") from None


def _released_cuts(table: EncodedTable, result: Mapping[str, Any]) -> tuple[Cut, ...] | None:
    cuts = result.get("cuts")
    if not isinstance(cuts, Mapping) or set(cuts) != set(table.attributes):
        return None
    return tuple(
        Cut.from_labels(taxonomy, cuts[name]) for name, taxonomy in zip(table.attributes, table.taxonomies, strict=True)
    )


def _second_release(engine: DuckDBEngine, folder: Path, encoding: Encoding) -> ReleasedTable:
    """The second release in the terms of the first, whose columns and values it must have."""
    try:
        certificate = read_certificate(folder)
    except InputError as error:
        raise InputError(
            f"{folder}: the second release cannot be read: {error} Give a folder that publish wrote with --second DIR."
        ) from None
    columns = certificate.entries.get("columns")
    roles = (
        {name: entry.get("role") for name, entry in columns.items() if isinstance(entry, Mapping)}
        if isinstance(columns, Mapping)
        else {}
    )
    quasi = [name for name, role in roles.items() if role == "quasi-identifier"]
    sensitive = next((name for name, role in roles.items() if role == "sensitive"), None)
    wanted = (sorted(encoding.table.attributes), encoding.sensitive)
    if (sorted(quasi), sensitive) != wanted:
        raise InputError(
            f"{folder}: the second release has other columns (quasi-identifiers {', '.join(quasi) or 'none'}; "
            f"sensitive {sensitive or 'none'}) than the first (quasi-identifiers "
            f"{', '.join(encoding.table.attributes)}; sensitive "
            f"{encoding.sensitive or 'none'}); give a second release of the same columns."
        )
    try:
        return read_release(engine, certificate.data, encoding, escaped=certificate.escaped)
    except InputError as error:
        raise InputError(
            f"{folder}: the second release cannot be compared with the first, which knows other values: {error} Give a "
            "second release with the same taxonomies."
        ) from None


def _known(
    engine: DuckDBEngine,
    source: object,
    policy: TablePolicy,
    encoding: Encoding,
    release: ReleasedTable,
    second: ReleasedTable | None,
) -> Known:
    is_file = isinstance(source, str | Path)
    name = Path(str(source)).name if is_file else "the known table"
    path = Path(str(source)) if is_file else source
    releases = [release] if second is None else [release, second]
    return Known(engine, name, known_people(engine, path, name, policy, encoding, releases))
