"""The groups of a locally recoded table as boxes: what the result says of them, against the published rows."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import product
from math import log2
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.report.table.boxes import MOST_BOXES, section
from pages.nasty import HOSTILE
from pages.outline import Outline

COLUMNS = ("age", "place", "sex", "alive")
INTERVALS = {"intervals": [2, 4, 8], "start": 0, "end": 16}
ROLES = {
    "age": {"role": "quasi-identifier", "taxonomy": INTERVALS},
    "place": {"role": "quasi-identifier", "taxonomy": {"prefixes": [1]}},
    "sex": {"role": "quasi-identifier"},
    "alive": {"role": "quasi-identifier"},
    "disease": {"role": "sensitive"},
}


def table(rows: int, places: int = 3) -> pa.Table:
    random = np.random.default_rng(5)
    spots = [f"{letter}{digit}" for letter, digit in product("abcdefgh"[:places], "123")]
    return pa.table(
        {
            "age": random.integers(0, 16, rows).astype(str),
            "place": random.choice(spots, rows),
            "sex": random.choice(["f", "m"], rows),
            "alive": ["yes"] * rows,
            "disease": random.choice(["flu", "cold"], rows),
        }
    )


def published(folder: Path, data: pa.Table, method: str, roles: Any = ROLES) -> discreet.Publication:
    policy = {
        "data": {},
        "attributes": roles,
        "privacy": {"model": "k-anonymity", "k": 3},
        "search": {"method": method, "suppression": "none"},
    }
    return discreet.publish(discreet.Policy.parse(policy), folder / "out", data=data, seed=1)


def covered(column: str, label: str, values: set[str]) -> set[str]:
    """The values that a label stands for, read from the label itself."""
    if label == "*":
        return values
    if found := re.fullmatch(r"\[(\d+)-(\d+)\)", label):
        return {str(number) for number in range(int(found[1]), int(found[2]))}
    return {value for value in values if value.startswith(label.rstrip("*"))} if column == "place" else {label}


@pytest.mark.parametrize("method", ["mondrian", "k-member"])
def test_boxes_are_what_the_rows_show(method: str, tmp_path: Path) -> None:
    data = table(120)
    publication = published(tmp_path, data, method)
    drawn = publication.result["groups"]
    with (publication.release / "data.csv").open() as file:
        rows = list(csv.DictReader(file))
    domains = {name: set(data[name].to_pylist()) for name in COLUMNS} | {"age": {str(age) for age in range(16)}}
    assert drawn["records"] == 120
    assert drawn["count"] == len({tuple(row[name] for name in COLUMNS) for row in rows})
    for name in COLUMNS:
        values = data[name].to_pylist()
        told = mean(
            log2(len(values) / sum(value in covered(name, row[name], domains[name]) for value in values))
            for row in rows
        )
        assert drawn["bits"][name] == pytest.approx(told, abs=1e-3)
    by_bits = sorted(COLUMNS, key=lambda name: -drawn["bits"][name])
    assert drawn["bits"]["alive"] == 0 and by_bits[-1] == "alive"
    [pair] = drawn["pairs"]  # three columns tell something, so there is one pair
    assert sorted(pair["columns"]) == sorted(by_bits[:2])
    one, other = pair["columns"]
    boxes = Counter((row[one], row[other]) for row in rows)
    groups = Counter(
        (row[one], row[other]) for row in {tuple(row[name] for name in COLUMNS): row for row in rows}.values()
    )
    assert {tuple(box["labels"]): box["records"] for box in pair["boxes"]} == boxes
    assert {tuple(box["labels"]): box["groups"] for box in pair["boxes"]} == groups
    sizes = []
    for box in pair["boxes"]:
        spans = [end - start for start, end in zip(box["from"], box["to"], strict=True)]
        assert spans == [
            len(covered(name, label, domains[name])) for name, label in zip(pair["columns"], box["labels"], strict=True)
        ]
        sizes += [spans[0] * spans[1]] * box["records"]
    assert sum(size <= pair["half_within"] for size in sizes) * 2 >= 120
    assert sum(size < pair["half_within"] for size in sizes) * 2 < 120


def test_nested_labels_are_nested_boxes(tmp_path: Path) -> None:
    [pair] = published(tmp_path, table(200), "k-member").result["groups"]["pairs"]
    for side in (0, 1):
        spans = {(box["from"][side], box["to"][side]) for box in pair["boxes"]}
        for start, end in spans:
            assert all(
                end <= left or right <= start or (left >= start and right <= end) or (left <= start and right >= end)
                for left, right in spans
            )


def test_too_many_boxes_are_counted_and_said(tmp_path: Path) -> None:
    """Values of 200 ages and 24 places."""
    random = np.random.default_rng(2)
    data = table(6000, places=8).set_column(0, "age", pa.array(random.integers(0, 200, 6000).astype(str)))
    roles = {**ROLES, "age": {"role": "quasi-identifier", "taxonomy": {**INTERVALS, "end": 200}}}
    result = published(tmp_path, data, "mondrian", roles).result
    [pair] = result["groups"]["pairs"]
    assert len(pair["boxes"]) == MOST_BOXES < pair["boxes_in_all"]
    fewest = min(box["records"] for box in pair["boxes"])
    rest = result["groups"]["records"] - sum(box["records"] for box in pair["boxes"])
    assert rest <= fewest * (pair["boxes_in_all"] - MOST_BOXES)
    page = (tmp_path / "out" / "steward" / "report.html").read_text(encoding="utf-8")
    assert (
        f"Drawn are the {MOST_BOXES} boxes with most records; {pair['boxes_in_all'] - MOST_BOXES} others are left"
        in page
    )
    drawn = re.search(r'<section id="boxes".*?</section>', page, re.DOTALL)
    assert drawn and 50_000 < len(drawn[0]) < 300_000


def test_the_page_has_the_picture_its_finding_and_its_figures(tmp_path: Path) -> None:
    publication = published(tmp_path, table(120), "mondrian")
    page = publication.report.read_text(encoding="utf-8")
    outline = Outline(page)
    assert outline.faults == []
    [pair] = publication.result["groups"]["pairs"]
    [finding] = [text for text in outline.pictures if text.startswith("Half of the records are published in boxes")]
    assert f"at most {pair['half_within']} pair" in finding
    assert f"of values of {pair['columns'][0]} and {pair['columns'][1]}, of 144" in finding
    first = pair["boxes"][0]
    assert f"{first['groups']} {first['records']} " in outline.text
    assert "the others are not drawn: " in outline.text


def test_hostile_names_and_labels_do_no_harm(tmp_path: Path) -> None:
    data = pa.table({HOSTILE: [HOSTILE, "b"] * 6, "of": ["pair", "", "pair"] * 4, "disease": ["flu"] * 12})
    roles = {
        HOSTILE: {"role": "quasi-identifier"},
        "of": {"role": "quasi-identifier"},
        "disease": {"role": "insensitive"},
    }
    publication = published(tmp_path, data, "k-member", roles)
    assert publication.result["groups"]["pairs"]
    page = publication.report.read_text(encoding="utf-8")
    assert Outline(page).faults == [] and "<script" not in page


def test_nothing_is_drawn_where_there_is_nothing_to_draw(tmp_path: Path) -> None:
    alone = published(tmp_path / "alone", table(3), "mondrian")
    assert alone.result["groups"]["pairs"] == []
    told = section(alone.result)
    assert told is not None and "nothing to draw" in told.body
    cuts = published(tmp_path / "cuts", table(60), "samarati")
    assert cuts.result["groups"] is None and section(cuts.result) is None
    assert section({}) is None
