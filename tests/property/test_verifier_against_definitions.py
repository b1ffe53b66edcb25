"""The verifier of tables against a check row by row: several sensitive columns, taxonomies, defaults, people."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from discreet.verifier import Verdict, verify_release
from examples import examples
from hand_made import Release
from oracle.released_tables import STAR, Certified, Diverse, Parents, faults

SENSITIVE = ("disease", "job", "faith")
KEYS = {"a": "1;*\n2;*\n", "b": "x;*\n"}
TREES: dict[str, dict[str, str | None]] = {
    "shallow.csv": {"A": "top", "B": "top", "C": "top", "top": None},
    "deep.csv": {"A": "AB", "B": "AB", "AB": "ABC", "C": "ABC", "ABC": "top", "D": "top", "top": None},
    "missing.csv": {"A": "A-", "": "A-", "A-": "top", "B": "B-", "C": "B-", "B-": "top", "top": None},
    "star.csv": {"A": "AB", "B": "AB", "AB": "*", "C": "*", "*": None},
}
KIND = {"k-anonymity": "small", "l-diversity": "share", "l-plus-diversity": "share"}


def written(parents: Parents) -> str:
    """A taxonomy as its file."""
    lines = []
    for leaf in parents.keys() - set(parents.values()):
        way = [leaf]
        while (upper := parents[way[-1]]) is not None:
            way.append(upper)
        lines.append(";".join(way) + "\n")
    return "".join(lines)


def some_share(draw: random.Random) -> Fraction:
    among = draw.randrange(1, 6)
    return Fraction(draw.randrange(among // 2, among + 1), among)


def some_release(draw: random.Random) -> tuple[Release, list[dict[str, str]], Certified]:
    """A table, its certificate, and the same for the twin. Most limits are wide, so that many tables keep all."""
    columns = SENSITIVE[: draw.randrange(1, 4)]
    person = "patient" if draw.randrange(2) else None
    trees = {column: draw.choice(sorted(TREES)) for column in columns if draw.randrange(3)}
    rows = []
    homes = {str(number): draw.choice("12") for number in range(6)}
    for _ in range(draw.choice([0, 4, 8, 12, 16])):
        row = {"b": "x"}
        row["patient"] = draw.choice(sorted(homes))
        row["a"] = homes[row["patient"]] if draw.randrange(40) else draw.choice("12")
        if not draw.randrange(80):
            row["patient"] = draw.choice(["", STAR])
        for column in columns:
            nodes = TREES[trees[column]] if column in trees else "ABCD"
            common = [*sorted(nodes), STAR, STAR]
            row[column] = draw.choice(common) if draw.randrange(40) else draw.choice(["", "E"])
        rows.append(row)

    entries: list[dict[str, Any]] = [{"model": "k-anonymity", "k": (k := draw.choice([1, 1, 2, 3]))}]
    promises = []
    for column in draw.sample(columns, draw.randrange(len(columns) + 1)):
        named = {"column": column} if len(columns) > 1 or draw.randrange(2) else {}
        kind = draw.randrange(4)
        if kind == 0:
            least = draw.choice([1, 2, 3])
            entries.append({"model": "l-diversity", "l": least, **named})
            promises.append(Diverse(column, {}, Fraction(1, least)))
            continue
        if kind == 1:
            share = some_share(draw)
            entries.append({"model": "l-plus-diversity", "thresholds": str(share), **named})
            promises.append(Diverse(column, {}, share))
            continue
        nodes = TREES[trees[column]] if column in trees else "ABCD"
        known = sorted({*nodes, ""} - {STAR})
        thresholds = {value: some_share(draw) for value in draw.sample(known, draw.randrange(len(known) + 1))}
        default = some_share(draw) if kind == 2 else None
        stated = {value: str(share) for value, share in thresholds.items()}
        entry = {"model": "l-plus-diversity", "thresholds": stated, **named}
        entries.append(entry if default is None else {**entry, "default": str(default)})
        promises.append(Diverse(column, thresholds, default))

    header = [*KEYS, *columns, *([] if person is None else [person])]
    draw.shuffle(header)
    release = Release([tuple(row[name] for name in header) for row in rows], header)
    release.taxonomies = {f"{key}.csv": tree for key, tree in KEYS.items()}
    release.taxonomies |= {name: written(TREES[name]) for name in trees.values()}
    release.stated["data"] = draw.choice(["data.csv", "data.parquet"])
    roles: dict[str, Any] = {key: {"role": "quasi-identifier", "taxonomy": f"taxonomies/{key}.csv"} for key in KEYS}
    for column in columns:
        roles[column] = {"role": "sensitive"}
        if column in trees:
            roles[column]["taxonomy"] = f"taxonomies/{trees[column]}"
    if person is not None:
        roles[person] = {"role": "person"}
    release.stated["columns"] = roles
    release.promising(*entries)
    taxonomies = {column: TREES[name] for column, name in trees.items()}
    return release, rows, Certified(list(KEYS), taxonomies, person, k, promises)


def found(verdict: Verdict, claims: Certified) -> set[tuple[str, str]]:
    """What the verifier finds, in the twin's words; a sentence names the column where there are several."""
    only = claims.promises[0].column if claims.promises else ""
    faults = set()
    for breach in verdict.breaches:
        kind = KIND.get(breach.kind, breach.kind)
        named = next((column for column in SENSITIVE if f"'{column}'" in breach.sentence), only)
        faults.add((kind, "" if kind == "small" else "patient" if kind == "person" else named))
    return faults


@examples(250)
@given(st.integers(0, 2**64))
def test_equal_to_a_check_row_by_row(seed: int) -> None:
    release, rows, claims = some_release(random.Random(seed))
    with TemporaryDirectory() as folder:
        verdict = verify_release(release.write(Path(folder) / "release"))
    assert found(verdict, claims) == faults(rows, claims)
    assert verdict.rows == len(rows)
    assert verdict.people == (None if claims.person is None else len({row["patient"] for row in rows}))


def test_the_random_tables_are_of_all_kinds() -> None:
    """Many keep all that is promised, and every fault occurs, with people and without."""
    seen: Counter[tuple[str, bool]] = Counter()
    for seed in range(2_000):
        _, rows, claims = some_release(random.Random(seed))
        wrong = {kind for kind, _ in faults(rows, claims)} or {"kept"}
        seen.update((kind, claims.person is not None) for kind in wrong if rows)
    for people in (False, True):
        for kind in ("kept", "small", "taxonomy", "threshold", "share"):
            assert seen[kind, people] > 50, (kind, people)
    assert seen["person", True] > 50
