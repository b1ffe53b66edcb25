"""Attacks on a published table: from the publisher's hands, and from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.attacks.original import check_size, original_source
from discreet.attacks.table.attacked import Known
from discreet.attacks.table.document import attack_tables, declined
from discreet.attacks.table.people import known_people
from discreet.encode.released_table import ReleasedTable, read_release
from discreet.encode.table import EncodedTable, Encoding
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import ByCuts
from discreet.search.table.solve import SolvedTable, encode
from discreet.taxonomy import Cut
from discreet.verifier.certificate import read_certificate


def attack_solved(
    solved: SolvedTable, original: Encoding, release: ReleasedTable, random: np.random.Generator
) -> dict[str, Any]:
    """What an adversary who knows everybody's quasi-identifiers learns.

    original: with its taxonomies as given, so the cuts are looked up in them by their labels.
    """
    recoded = solved.chosen.recoded
    if not isinstance(recoded, ByCuts):
        return declined(recoded.recoding)
    taxonomies = original.table.taxonomies
    cuts = tuple(Cut.from_labels(tree, cut.labels) for tree, cut in zip(taxonomies, recoded.cuts, strict=True))
    return attack_tables(
        solved.policy,
        original.without_class(),
        release.without_class(),
        cuts=cuts,
        searched=solved.search is not None,
        random=random,
    )


def attack_folder(
    engine: Engine,
    folder: Path,
    policy: TablePolicy,
    result: Mapping[str, Any],
    known: object,
    original: object,
    second: str | Path | None,
    random: np.random.Generator,
) -> dict[str, Any]:
    """The attack's document."""
    source = original_source(policy, original, "a table")
    # Not collapsed: a recoding that was applied may publish any label of a chain.
    encoding = encode(engine, policy, source).without_class()
    check_size(encoding.table.rows, result, source or policy.data.path, "rows")
    recoding = result.get("recoding", ByCuts.recoding)
    if recoding != ByCuts.recoding:
        if known is not None or second is not None:
            raise InputError(
                f"--known and --second need a release whose values were recoded globally, and this one says recoding: "
                f"{recoding}; leave them out."
            )
        return declined(recoding)
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


def with_attack(
    result: Mapping[str, Any], document: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """The result with what this attack adds to the one that publish ran, and the attack by a file of known people."""
    if document["known"] is None:
        return {**result, "attack": document}, None
    if not result.get("attack"):
        return result, document
    worst_case = {**result["attack"], "intersection": document["intersection"]}
    return {**result, "attack": worst_case}, document


def _release(engine: Engine, folder: Path, encoding: Encoding) -> ReleasedTable:
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


def _second_release(engine: Engine, folder: Path, encoding: Encoding) -> ReleasedTable:
    """The second release in the terms of the first, whose columns and values it must have."""
    try:
        certificate = read_certificate(folder)
    except InputError as error:
        raise InputError(
            f"{folder}: the second release cannot be read: {error} Give a folder that publish wrote with --second DIR."
        ) from None
    recoding = certificate.entries.get("recoding", ByCuts.recoding)
    if recoding != ByCuts.recoding:
        raise InputError(
            f"{folder}: the second release says recoding: {recoding}, and only releases whose values were recoded "
            "globally can be compared; give another one with --second DIR."
        )
    columns = certificate.entries.get("columns")
    roles = (
        {name: entry.get("role") for name, entry in columns.items() if isinstance(entry, Mapping)}
        if isinstance(columns, Mapping)
        else {}
    )
    quasi = [name for name, role in roles.items() if role == "quasi-identifier"]
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    wanted = (sorted(encoding.table.attributes), sorted(encoding.joint.columns))
    if (sorted(quasi), sorted(sensitive)) != wanted:
        raise InputError(
            f"{folder}: the second release has other columns (quasi-identifiers {', '.join(quasi) or 'none'}; "
            f"sensitive {', '.join(sensitive) or 'none'}) than the first (quasi-identifiers "
            f"{', '.join(encoding.table.attributes)}; sensitive "
            f"{', '.join(encoding.joint.columns) or 'none'}); give a second release of the same columns."
        )
    try:
        return read_release(engine, certificate.data, encoding, escaped=certificate.escaped)
    except InputError as error:
        raise InputError(
            f"{folder}: the second release cannot be compared with the first, which knows other values: {error} Give a "
            "second release with the same taxonomies."
        ) from None


def _known(
    engine: Engine,
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
