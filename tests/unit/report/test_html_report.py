from __future__ import annotations

import itertools
import json
import re
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.commands.page import render_html
from pages.nasty import HOSTILE, NASTY, spoilt
from pages.outline import Outline
from pages.sample import known_attack, sample_attack, sample_document, taxonomy_document

HOSPITAL = Path(__file__).resolve().parents[3] / "examples" / "hospital" / "policy.yaml"
DRAWN = frozenset({"classifier", "queries", "marginals", "association"})


@pytest.fixture(scope="module")
def page() -> str:
    return render_html(sample_document(), known_attack())


def test_the_report_shows_the_results_figures_and_escapes_what_comes_from_data(tmp_path: Path) -> None:
    data = pa.table({HOSTILE: [HOSTILE, HOSTILE, "b", "b"], "s": ["1", "2", "1", "2"]})
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {HOSTILE: {"role": "quasi-identifier"}, "s": {"role": "sensitive"}},
            "privacy": {"model": "l-diversity", "l": 2},
        }
    )
    publication = discreet.publish(policy, tmp_path / "out", data=data)
    page = publication.report.read_text(encoding="utf-8")
    result = json.loads((tmp_path / "out/steward/result.json").read_text(encoding="utf-8"))
    outline = Outline(page)
    assert outline.faults == []
    assert "&lt;script&gt;" in page
    assert "no sensitive value has more than 1/2 of a partition" in outline.text
    assert f"Records published {result['rows']['published']} all of them" in outline.text
    assert "The release keeps this promise, which protects nobody." in outline.text


def test_every_section_is_there_and_the_structure_is_sound(page: str) -> None:
    outline = Outline(page)
    assert outline.faults == []
    assert re.findall(r'<section id="(\w+)"', page) == [
        *("summary", "columns", "groups", "confidence", "utility", "risk", "known", "search", "policy", "glossary")
    ]
    assert len(outline.pictures) == 20
    assert not re.search(r"https?://|url\(|@import|<link", page), "the page is self-contained"
    assert "default-src 'none'" in page
    assert len(page.encode()) < 400_000


@pytest.mark.parametrize(
    "told",
    [
        "Records published 45,222 all of them",
        "People above a threshold before: 24,118 → after: 0",
        "Within 1.60%",
        "Beyond what is promised: 12 stars can be worked out by somebody who knows the thresholds.",
        "16 values of the original are published as 7 values; 3 of these stand for several.",
        "Published unchanged: 2 values.",
        "Secondary published 19,701 records",
        "Alone in their group: 9,120 of",
        "In the original 14 values of 14 exceed their threshold for somebody; in the release none does.",
        "Error of counting queries 0% 11.4%",
        "from the release 11,930 45,222 26.4%",
        "An adversary with voters.csv",
        "1.23 × 10¹⁵",  # noqa: RUF001
        "Feasible: the release keeps the promise; the search was ended before the proof was complete",
        "Risk: people above a threshold 53.3% 0%",
        "Left: information 100% 70.9%",
    ],
)
def test_the_figures_of_the_document_are_told(page: str, told: str) -> None:
    assert told in Outline(page).text


def test_whose_page_it_is_stands_before_everything_else(page: str) -> None:
    assert 0 < page.index("Never publish this page.") < page.index("<main")


def test_a_written_page_is_the_rendered_page(tmp_path: Path) -> None:
    publication = discreet.publish(HOSPITAL, tmp_path / "out")
    result = json.loads(publication.report.with_name("result.json").read_text(encoding="utf-8"))
    assert publication.report.read_text(encoding="utf-8") == render_html(result)
    attack = discreet.attack(tmp_path / "out", known=HOSPITAL.with_name("voters.csv"))
    assert publication.report.read_text(encoding="utf-8") == render_html(result, attack)


@pytest.mark.parametrize("first", range(3))
def test_no_value_breaks_the_page(first: int) -> None:
    values = itertools.islice(itertools.cycle(NASTY), first, None)
    document = sample_document()
    document = {**spoilt(document, values, DRAWN), "published_values": document["published_values"]}
    page = render_html(document, spoilt(known_attack(), values, DRAWN))
    assert Outline(page).faults == []
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]", page)
    assert len(page.encode("utf-8")) < 1_500_000


def test_a_recoding_that_was_only_applied_says_that_nothing_was_searched() -> None:
    document = {**sample_document(), "status": "applied", "search": None, "bound": None, "gap": None}
    text = Outline(render_html(document)).text
    assert "Not searched" in text
    assert "Nothing was searched" in text


def test_a_search_space_that_no_number_holds_is_told_by_its_size() -> None:
    document = sample_document()
    document["search"] = {**document["search"], "cuts_total": "1.2346e+1500", "events": []}
    text = Outline(render_html(document)).text
    assert "1.23 × 10¹⁵⁰⁰" in text  # noqa: RUF001
    assert "practically all of them" in text


def test_an_optimal_and_an_interrupted_search_are_told_apart() -> None:
    optimal = Outline(render_html({**sample_document(), "status": "optimal", "gap": 0.0})).text
    assert "Yes, proved" in optimal and "Optimal: proved that no other cut loses less." in optimal
    document = sample_document()
    document["search"]["interrupted"] = True
    assert "the search was interrupted, and at most 1.60% of its loss" in Outline(render_html(document)).text


def test_without_a_sensitive_column_the_people_found_are_told() -> None:
    attack = sample_attack()
    for side in attack["linkage"].values():
        side.update(certain=None, above_threshold=None, highest_confidence=None, guesses=None, baseline=None)
    document = {**sample_document(), "sensitive_values": None, "attack": {**attack, "values": []}}
    document["policy"]["privacy"] = [{"model": "k-anonymity", "k": 5}]
    outline = Outline(render_html(document))
    assert outline.faults == []
    assert "People found with certainty before: 9,120 → after: 212" in outline.text
    assert "finds at least 5 records that fit, or none" in outline.text
    assert "confidence" not in outline.identifiers


def test_without_thresholds_the_confidence_is_told_all_the_same() -> None:
    document = sample_document()
    for entry in document["attack"]["values"]:
        entry.update(threshold=None, above_before=None, above_after=None)
    assert "The promise sets no threshold." in Outline(render_html(document)).text


def test_a_broken_promise_is_not_called_kept() -> None:
    text = Outline(render_html({**sample_document(), "verified": False})).text
    assert "The release does not keep this promise." in text
    assert "The release keeps this promise." not in text


def test_a_measure_that_did_not_run_says_why() -> None:
    document = sample_document()
    document["utility"][0].update(original=None, release=None, reading="Not measured: why.", details={"ran": False})
    outline = Outline(render_html(document))
    assert outline.faults == []
    assert "Not measured: why." in outline.text


def test_an_empty_release_has_a_page() -> None:
    document = sample_document()
    nothing = {"count": 0, "smallest": 0, "median": 0, "average": 0, "largest": 0, "sizes": []}
    document["classes"] = {"before": nothing, "after": nothing}
    document["rows"] = {"original": 0, "published": 0}
    document["published_values"] = {name: {} for name in document["published_values"]}
    for column in document["columns"]:
        if column["taxonomy"]:
            column["taxonomy"]["records"] = [0] * len(column["taxonomy"]["records"])
    assert Outline(render_html(document)).faults == []


def wide_taxonomy(leaves: int, complete: bool) -> dict[str, Any]:
    tree = {f"branch {branch}": {f"leaf {branch}/{leaf}": 2 for leaf in range(leaves)} for branch in range(3)}
    document = taxonomy_document(tree, [f"branch {branch}" for branch in range(3)])
    if complete:
        return document
    kept = [node for node, parent in enumerate(document["parents"]) if parent <= 0]
    place = {node: index for index, node in enumerate(kept)}
    return {
        "labels": [document["labels"][node] for node in kept],
        "parents": [place.get(document["parents"][node], -1) for node in kept],
        "records": [document["records"][node] for node in kept],
        "values": [document["values"][node] for node in kept],
        "cut": [place[node] for node in document["cut"]],
        "complete": False,
    }


@pytest.mark.parametrize("complete", [True, False])
def test_a_large_taxonomy_is_drawn_down_to_the_cut_and_folded_below(complete: bool) -> None:
    document = sample_document()
    columns = [{"name": "zip", "role": "quasi-identifier", "fate": "", "taxonomy": wide_taxonomy(5000, complete)}]
    page = render_html({**document, "columns": columns, "published_values": {"zip": {}}})
    text = Outline(page).text
    assert "15,000 values of the original are published as 3 values; 3 of these stand for several." in text
    assert "5,000 values" in text
    assert ("more values below" in text) == complete
    assert len(page) < 600_000


def test_a_deep_taxonomy_is_listed_flat() -> None:
    depth = 3000
    taxonomy = {
        "labels": [f"level {level}" for level in range(depth)],
        "parents": [level - 1 for level in range(depth)],
        "records": [7] * depth,
        "values": [1] * depth,
        "cut": [depth - 1],
        "complete": True,
    }
    columns = [{"name": "zip", "role": "quasi-identifier", "fate": "", "taxonomy": taxonomy}]
    page = render_html({**sample_document(), "columns": columns, "published_values": {"zip": {}}})
    outline = Outline(page)
    assert outline.faults == []
    assert "too deep to be nested" in outline.text and "level 2999 published 7 records" in outline.text


def test_of_a_hundred_columns_a_dozen_is_drawn() -> None:
    document = sample_document()
    taxonomy = wide_taxonomy(300, complete=True)
    document["columns"] = [
        {"name": f"column {index}", "role": "quasi-identifier", "fate": "generalized", "taxonomy": taxonomy}
        for index in range(100)
    ]
    document["published_values"] = {}
    started = time.perf_counter()
    page = render_html(document)
    outline = Outline(page)
    assert "The first 12 are drawn; the others are given as lists." in outline.text
    assert len(outline.pictures) == 12 + 10
    assert len(page) < 1_500_000
    assert time.perf_counter() - started < 30


def test_a_thousand_sensitive_values_are_capped_in_words() -> None:
    document = sample_document()
    (first, *_) = document["attack"]["values"]
    document["attack"]["values"] = [{**first, "value": f"disease {index}"} for index in range(1000)]
    text = Outline(render_html(document)).text
    assert "The 24 most at risk of 1,000 values are drawn." in text
    assert "800 more rows, all of them in result.json" in text


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_and_marks_stand_out_in_light_and_dark(page: str, scheme: int) -> None:
    blocks = re.findall(r":root \{(.*?)\}", page, re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[scheme]))
    grounds = {
        "page": ("ink", "muted", "link", "before", "after", "good", "warn", "bad"),
        "ground": ("ink", "muted", "link"),
        "soft": ("ink", "muted", "link"),
        "after-soft": ("ink", "muted", "after"),
        "good-soft": ("ink", "good"),
        "warn-soft": ("ink", "warn"),
        "bad-soft": ("ink", "bad"),
    }
    poor = {
        (text, ground): round(contrast(colours[text], colours[ground]), 2)
        for ground, texts in grounds.items()
        for text in texts
        if contrast(colours[text], colours[ground]) < 4.5
    }
    assert poor == {}
