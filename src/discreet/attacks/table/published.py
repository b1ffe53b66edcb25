"""Attacks on a published table: from the publisher's hands, and from its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discreet.attacks.original import check_size, original_source
from discreet.attacks.table.attacked import Known
from discreet.attacks.table.document import attack_tables
from discreet.attacks.table.people import known_people
from discreet.encode.released_table import ReleasedTable, read_release
from discreet.encode.table import EncodedTable, Encoding
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.policy import TablePolicy
from discreet.recode.table.recoded import ByCuts, ByRegions, NewRows, Recoding
from discreet.search.table.solve import SolvedTable, encode
from discreet.taxonomy import LABELLINGS, Cut, Labelling
from discreet.values.words import briefly
from discreet.verifier.certificate import read_certificate


def attack_solved(
    solved: SolvedTable, original: Encoding, release: ReleasedTable, random: np.random.Generator
) -> dict[str, Any]:
    """What an adversary who knows everybody's quasi-identifiers learns.

    original: with its taxonomies as given, so the cuts are looked up in them by their labels.
    """
    recoded, taxonomies = solved.chosen.recoded, original.table.taxonomies
    cuts = None
    if isinstance(recoded, ByCuts):
        cuts = tuple(Cut.from_labels(tree, cut.labels) for tree, cut in zip(taxonomies, recoded.cuts, strict=True))
    return attack_tables(
        solved.policy,
        original.without_class(),
        release.without_class(),
        recoding=recoded.recoding,
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
    recoding: Recoding = result.get("recoding", ByCuts.recoding)
    if recoding == NewRows.recoding and second is not None:
        raise InputError(
            f"--second compares what two releases say of somebody's record, and the rows of this one were made up "
            f"(recoding: {recoding}); leave it out."
        )
    release = _release(engine, folder / "release", encoding, made_up=recoding == NewRows.recoding)
    other = None if second is None else _second_release(engine, Path(second), encoding)
    placed = [] if recoding == NewRows.recoding else [(release, recoding), *([] if other is None else [other])]
    people = None if known is None else _known(engine, known, policy, encoding, placed)
    return attack_tables(
        policy,
        encoding,
        release,
        recoding=recoding,
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


def _release(engine: Engine, folder: Path, encoding: Encoding, *, made_up: bool) -> ReleasedTable:
    certificate = read_certificate(folder)
    try:
        return read_release(engine, certificate.data, encoding, escaped=certificate.escaped, made_up=made_up)
    except InputError as error:
        raise InputError(f"{error} The table it was made from can be named with --original FILE.") from None


def _released_cuts(table: EncodedTable, result: Mapping[str, Any]) -> tuple[Cut, ...] | None:
    cuts = result.get("cuts")
    if not isinstance(cuts, Mapping) or set(cuts) != set(table.attributes):
        return None
    return tuple(
        Cut.from_labels(taxonomy, cuts[name]) for name, taxonomy in zip(table.attributes, table.taxonomies, strict=True)
    )


def _second_release(engine: Engine, folder: Path, encoding: Encoding) -> tuple[ReleasedTable, Recoding]:
    """The second release in the terms of the first, whose columns and values it must have, and how it was recoded."""
    try:
        certificate = read_certificate(folder)
    except InputError as error:
        raise InputError(
            f"{folder}: the second release cannot be read: {error} Give a folder that publish wrote with --second DIR."
        ) from None
    recoding = certificate.entries.get("recoding", ByCuts.recoding)
    if recoding not in (ByCuts.recoding, ByRegions.recoding):
        raise InputError(
            f"{folder}: the second release says recoding: {recoding}, and only releases whose rows are people's "
            "records can be compared (recoding: global or local); give another one with --second DIR."
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
    # Its policy may label groups in another way than that of the first.
    labels = _labels(columns, folder) if recoding == ByRegions.recoding and isinstance(columns, Mapping) else {}
    try:
        return read_release(engine, certificate.data, encoding, escaped=certificate.escaped, labels=labels), recoding
    except InputError as error:
        raise InputError(
            f"{folder}: the second release cannot be compared with the first, which knows other values: {error} Give a "
            "second release with the same taxonomies."
        ) from None


def _labels(columns: Mapping[str, object], folder: Path) -> dict[str, Labelling]:
    """How a certificate says that the groups are labelled; column -> labels."""
    found: dict[str, Labelling] = {}
    for name, entry in columns.items():
        told = entry.get("labels", "nodes") if isinstance(entry, Mapping) else "nodes"
        labelling = next((known for known in LABELLINGS if known == told), None)
        if labelling is None:
            raise InputError(
                f"{folder}: the second release labels groups in {name!r} by {briefly(str(told))}, and known are "
                f"{', '.join(LABELLINGS)}; give another one with --second DIR."
            )
        found[name] = labelling
    return found


def _known(
    engine: Engine,
    source: object,
    policy: TablePolicy,
    encoding: Encoding,
    placed: Sequence[tuple[ReleasedTable, Recoding]],
) -> Known:
    is_file = isinstance(source, str | Path)
    name = Path(str(source)).name if is_file else "the known table"
    path = Path(str(source)) if is_file else source
    releases, overlapping = [release for release, _ in placed], [recoding == "local" for _, recoding in placed]
    return Known(engine, name, known_people(engine, path, name, policy, encoding, releases, overlapping))
