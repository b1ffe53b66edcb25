"""Releases labelled by ranges, sets and means, of values that are hard to label: measured and attacked as published."""

from __future__ import annotations

import csv
import random
from math import log2
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import discreet
from discreet.errors import InputError
from discreet.policy import Policy
from oracle import attacks
from oracle import labels as oracle
from oracle.tables import Taxonomy as Tree

TEMPERATURES = ("-10", "-2.5", "0", "0.25", "3", "12.75")
NAMES = ("=a", "b", "-c", "+d, e", "'q", "@x")
TREES: dict[str, Tree] = {
    "temperature": ("*", ("-10", "-2.5", "0", "0.25", "12.75", "3", "")),
    "name": ("*", (("first", NAMES[:3]), ("second", NAMES[3:]), "")),
    "height": (
        "*",
        (("[-20 to 0)", ("[-20 to -10)", "[-10 to 0)")), ("[0 to 20)", ("[0 to 10)", "[10 to 20)"))),
    ),
}
RANGES = {"temperature": "ranges", "name": "ranges", "height": "ranges"}
SETS = {"temperature": "sets", "name": "sets", "height": "sets"}
MIXED = {"temperature": "means", "name": "sets", "height": "ranges"}
NODES = {"temperature": "nodes", "name": "nodes", "height": "nodes"}
MEANS = {"temperature": "means"}
K = {"model": "k-anonymity", "k": 3}
HALF = {"model": "l-plus-diversity", "thresholds": "1/2"}


def rows(number: int = 60, *, complete: bool = False) -> list[dict[str, str]]:
    """complete: every temperature is known."""
    draw = random.Random(7)
    return [
        {
            "temperature": draw.choice((*TEMPERATURES, "3" if complete else "")),
            "name": draw.choice((*NAMES, "")),
            "height": draw.choice(("-9.5", "-1", "0", "4.25", "9", "11", "19.75")),
            "illness": draw.choice(("flu", "-ok", "=cold", "hiv")),
            "well": draw.choice("yn"),
        }
        for _ in range(number)
    ]


def published(folder: Path, name: str, labels: dict[str, str], method: str, **more: Any) -> discreet.Publication:
    (folder / "names.csv").write_text(
        "".join(f"{value};{'first' if at < 3 else 'second'};*\n" for at, value in enumerate(NAMES))
    )
    taxonomies: dict[str, Any] = {
        "name": {"taxonomy": "names.csv"},
        "height": {
            "taxonomy": {"intervals": [10, 20], "start": -20, "end": 20, "leaves": "intervals"},
            "at_least": ["[-20 to 0)", "[0 to 20)"],
        },
    }
    roles = {
        column: {"role": "quasi-identifier", **taxonomies.get(column, {}), "labels": labels[column]}
        if column in labels
        else {"role": "identifier"}
        for column in TREES
    }
    if method == "mdav":
        roles = {
            column: {key: value for key, value in role.items() if key != "labels"} for column, role in roles.items()
        }
    search = {"method": method, "suppression": "none", **more.pop("search", {})}
    written = {
        "data": {},
        "attributes": {**roles, "illness": {"role": "sensitive"}, "well": {"role": "class"}},
        "privacy": K,
        "search": {**search, **({"loss": "sse"} if method == "mdav" else {})},
        "report": {"without": ["charts"]},
        **more,
    }
    data = pa.Table.from_pylist(rows(complete=method == "mdav"))
    return discreet.publish(Policy.parse(written, folder), folder / name, data=data, seed=1)


def read(publication: discreet.Publication, *, escaped: bool = False) -> list[dict[str, str]]:
    """The rows as their reader has them, without the apostrophes of escaping."""
    if (publication.release / "data.parquet").exists():
        table = parquet.read_table(publication.release / "data.parquet")
        return [{name: value or "" for name, value in row.items()} for row in table.to_pylist()]
    with (publication.release / "data.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    if escaped:
        assert not any(cell[:1] in set("=@+") for row in found for cell in row.values())
        assert not any(cell[:1] == "-" and oracle.number(cell) is None for row in found for cell in row.values())
        return [{name: cell.removeprefix("'") for name, cell in row.items()} for row in found]
    return found


def leaf(column: str, value: str) -> str:
    if column != "height" or not value:
        return value
    low = int(float(value) // 10 * 10)
    return f"[{low} to {low + 10})"


@pytest.mark.parametrize("output", [{"format": "csv"}, {"format": "parquet"}, {"escape_formulas": True}], ids=str)
@pytest.mark.parametrize(
    ("method", "labels"),
    [("mondrian", RANGES), ("mondrian", SETS), ("k-member", MIXED), ("mdav", MEANS)],
    ids=["ranges", "sets", "mixed", "mdav"],
)
def test_hard_values_are_attacked_and_measured_as_published(
    method: str, labels: dict[str, str], output: dict[str, Any], tmp_path: Path
) -> None:
    publication = published(tmp_path, "out", labels, method, output=output)
    assert discreet.verify(publication.folder).holds
    columns = list(labels)
    shown = [
        (tuple(row[column] for column in columns), row["illness"])
        for row in read(publication, escaped="escape_formulas" in output)
    ]

    def fits(person: attacks.Person, published: tuple[str, ...]) -> bool:
        return all(
            known is None or leaf(column, known) in oracle.read_as(TREES[column], labels[column], label)
            for column, known, label in zip(columns, person, published, strict=True)
        )

    original = rows(complete=method == "mdav")
    people = [tuple(row[column] for column in columns) for row in original]
    truth = [row["illness"] for row in original]
    values = sorted(set(truth))
    found = publication.result["attack"]["linkage"]["after"]
    twin = attacks.learn(people, truth, shown, fits, values)
    assert (found["found"], found["unmatched"], found["certain"]) == (twin.found(), 0, twin.certain())
    assert found["highest_confidence"] == pytest.approx(float(twin.highest()))
    assert found["guesses"]["right"] == pytest.approx(float(twin.right))
    known = {"temperature": ["0.25", "", "3"], "illness": ["flu", "hiv", ""], "who": ["a", "b", "c"]}
    some = [tuple({"temperature": value or None}.get(column) for column in columns) for value in known["temperature"]]
    of_file = discreet.attack(
        publication.folder, known=pa.table(known), original=pa.Table.from_pylist(original), seed=1
    )
    expected = [sum(fits(person, row) for row, _ in shown) for person in some]
    assert [person["after"]["records"] for person in of_file["persons"]] == expected
    measured = {measure["name"]: measure for measure in publication.result["utility"]}
    standing = [
        [oracle.read_as(TREES[c], labels[c], label) for c, label in zip(columns, row, strict=True)] for row, _ in shown
    ]
    by_column = {column: at for at, column in enumerate(columns) if labels[column] != "means"}
    for column, at in by_column.items():
        widths = [float(oracle.hull_width(TREES[column], row[at])) for row in standing]
        assert measured["hull"]["details"]["attributes"][column] == pytest.approx(sum(widths) / len(widths))
        told = [log2(60 / sum(leaf(column, each[column]) in row[at] for each in original)) for row in standing]
        assert column != "height" or all(len({each[:2] == "[-" for each in row[at]}) == 1 for row in standing)
        assert publication.result["groups"]["bits"][column] == pytest.approx(sum(told) / 60, abs=1e-3)


@pytest.mark.parametrize("labels", [RANGES, SETS, MIXED], ids=["ranges", "sets", "mixed"])
def test_who_was_sent_away_is_asked_of_labels_too(labels: dict[str, str], tmp_path: Path) -> None:
    found = published(tmp_path, "out", labels, "k-member", privacy=HALF, search={"split": True})
    expulsion = found.result["attack"]["expulsion"]
    assert "untried" not in expulsion and expulsion["reading"]


@pytest.mark.parametrize("first", [RANGES, SETS, MIXED, NODES], ids=["ranges", "sets", "mixed", "nodes"])
def test_two_releases_may_be_labelled_in_different_ways(first: dict[str, str], tmp_path: Path) -> None:
    """What a release says by itself is the same whichever of the two it is."""
    one = published(tmp_path, "one", first, "mondrian")
    others = [(labels, "k-member") for labels in (RANGES, SETS, MIXED, NODES)] + [(NODES, "samarati")]
    data = pa.Table.from_pylist(rows())
    for number, (labels, method) in enumerate(others):
        other = published(tmp_path, f"other-{number}", labels, method)
        there, back = (
            discreet.attack(a.folder, second=b.folder, original=data, seed=1)["intersection"]
            for a, b in ((one, other), (other, one))
        )
        assert there["applies"] and back["applies"]
        for figure in ("determined", "possible_values"):
            assert there[figure]["first"] == pytest.approx(back[figure]["second"])
            assert there[figure]["second"] == pytest.approx(back[figure]["first"])
            assert there[figure]["both"] == pytest.approx(back[figure]["both"])


def test_a_second_release_with_labels_that_there_are_not_is_refused(tmp_path: Path) -> None:
    one, other = (published(tmp_path, name, RANGES, "mondrian") for name in ("one", "other"))
    path = other.release / "certificate.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"ranges"', '"colours"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"labels groups in 'temperature' by 'colours', and known are nodes, ranges"):
        discreet.attack(one.folder, second=other.folder, original=pa.Table.from_pylist(rows()))
