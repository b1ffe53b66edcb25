from __future__ import annotations

import itertools
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from discreet.commands.page import render_html
from discreet.report.transactions.utility import PICTURES
from pages.baskets import BASKETS, PROMISES, TAXONOMY, publish_baskets
from pages.nasty import HOSTILE, NASTY, spoilt
from pages.outline import Outline

HEURISTICS = ("apriori", "greedy-suppression", "partition")
RHO_UNCERTAIN = [method for method, promise in PROMISES.items() if promise["model"] == "rho-uncertainty"]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return {method: publish_baskets(tmp_path_factory.mktemp(method), method) for method in PROMISES}


def text_of(document: dict[str, Any]) -> str:
    return Outline(render_html(document)).text


@pytest.mark.parametrize("method", PROMISES)
def test_every_section_is_there_and_the_structure_is_sound(documents: dict[str, Any], method: str) -> None:
    page = render_html(documents[method])
    outline = Outline(page)
    assert outline.faults == []
    assert re.findall(r'<section id="(\w+)"', page) == [
        *("summary", "items", "transactions", "sensitive", "utility", "risk", "search", "policy", "glossary")
    ]
    assert not re.search(r"https?://|url\(|@import|<link", page), "the page is self-contained"
    told = [
        *documents[method]["promise"],
        *(entry["reading"] for entry in documents[method]["utility"]),
        *documents[method]["attack"]["reading"],
        documents[method]["attack"]["disjunctions"]["reading"],
        documents[method]["attack"]["exact_sets"]["reading"],
    ]
    assert [sentence for sentence in told if sentence not in outline.text] == []


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (
            "og",
            "Anyone who knows up to 2 items of a person, and 1 item that the person does not have, finds at least 2 "
            "transactions that fit, or none; no sensitive item is in more than one in 2 of them.",
        ),
        ("mog", "Anyone who knows up to 2 items of a person finds at least 3 transactions that fit, or none. How sure"),
        ("apriori", "finds at least 3 transactions that fit, or none. How sure that makes anyone of a sensitive item"),
        ("greedy-suppression", "that fit, or none; no sensitive item is in more than 1/2 of them."),
        (
            "partition",
            "Anyone who knows all items of a person that are not sensitive finds at least 3 transactions that",
        ),
        ("permutation", "no sensitive item can be linked to that person with more than one chance in 4."),
        ("insertion", "Knowing what the person does not have is not covered, and the transaction itself may be found."),
    ],
)
def test_each_promise_is_said_in_plain_words(documents: dict[str, Any], method: str, told: str) -> None:
    assert told in text_of(documents[method])


def test_the_figures_of_the_document_are_told(documents: dict[str, Any]) -> None:
    document = documents["og"]
    before, after = document["attack"]["before"], document["attack"]["after"]
    text = text_of(document)
    for told in (
        "Transactions published 29 all of them",
        "Items published as themselves 0 of 6; besides, 3 more general ones",
        "Information lost 20% where 100% is nothing but *; 11.4 by lm",
        "Yes, proved",
        f"People singled out before: {before['found']} → after: {after['found']}",
        f"before: {before['below_k']} → after: {after['below_k']}",
        f"People above the promise before: {before['above_share']} → after: {after['above_share']}",
        "6 items of the original are published as 3 items; 3 of these stand for several.",
        "drinks any of 2 items",
        "bread published",
        "Transactions without items 1 1",
        "Viagra 3 10.3%",
        "The most that is promised 50%",
        f"Threats kept, each of which forbids some cuts {document['search']['details']['threats_kept']}",
        "Nodes tested for whether any release may go below them",
        "Itemsets examined",
        "Optimal: proved that no other cut loses less.",
    ):
        assert told in text


def test_the_taxonomy_is_drawn_and_listed_with_times_and_items(documents: dict[str, Any]) -> None:
    page = render_html(documents["og"])
    assert ">times</text>" in page
    assert ">records</text>" not in page
    assert "The whole taxonomy as a list, with counts" in page


@pytest.mark.parametrize("method", HEURISTICS)
def test_a_heuristic_is_said_to_prove_nothing(documents: dict[str, Any], method: str) -> None:
    text = text_of(documents[method])
    assert "Not proved nothing is proved about what another release could save" in text
    assert "the release keeps the promise; nothing is proved about what another release could save." in text
    assert "Gap between the two" not in text
    assert "Within" not in text


def test_a_proved_limit_is_told_with_its_gap(documents: dict[str, Any]) -> None:
    document = {**documents["mog"], "status": "feasible", "bound": 5.7, "gap": 0.25}
    text = text_of(document)
    assert "Within 25% not proved to be the least" in text
    assert "where at least 5.7 is lost" in text
    assert "Least loss that is still possible 5.7 Gap between the two 25%" in text


def test_what_is_left_out_is_told(documents: dict[str, Any]) -> None:
    text = text_of(documents["greedy-suppression"])
    assert "Left out 29.8% of all that transactions hold; 2 items everywhere" in text
    assert "Different items left out everywhere – 2" in text  # noqa: RUF001
    assert "No item is made more general: an item is published as it is, or left out." in text
    assert "Left out" not in text_of(documents["og"])


def test_items_that_stay_exact_are_not_called_a_release_without_loss(documents: dict[str, Any]) -> None:
    text = text_of(documents["permutation"])
    assert "Every item is published as it is." in text
    assert "publishing sensitive items by group only is not charged" in text
    assert "Sensitive items are published apart, by group." in text


def test_knowledge_beyond_the_promise_that_succeeds_is_told_in_the_summary(documents: dict[str, Any]) -> None:
    document = deepcopy(documents["og"])
    document["attack"]["exact_sets"]["above_share"] = 0
    assert "Beyond what is promised" not in text_of(document)
    document["attack"]["disjunctions"].update(above_share=2, reading="a1 or a2 implies s with 2/3.")
    document["attack"]["exact_sets"].update(above_share=1, reading="Of 4 sensitive items 1 is surer.")
    text = text_of(document)
    assert "Beyond what is promised: a1 or a2 implies s with 2/3." in text
    assert "Beyond what is promised: Of 4 sensitive items 1 is surer." in text


@pytest.mark.parametrize("method", ["partition", "permutation", *RHO_UNCERTAIN])
def test_where_no_number_of_items_is_promised_all_are_known(documents: dict[str, Any], method: str) -> None:
    attack = documents[method]["attack"]
    assert attack["known"] == {"present": None, "absent": 0}
    assert "by somebody who knows all items of a person that are not sensitive" in text_of(documents[method])
    if method in RHO_UNCERTAIN:
        assert attack["before"]["above_share"] > 0
        assert attack["after"]["above_share"] == 0


def test_without_sensitive_items_nothing_is_said_of_them(tmp_path: Path) -> None:
    baskets = [[item for item in basket if item != "Viagra"] for basket in BASKETS]
    outline = Outline(render_html(publish_baskets(tmp_path, "apriori", baskets=baskets, sensitive=())))
    assert outline.faults == []
    assert "sensitive" not in outline.identifiers
    assert "How sure" not in outline.text
    assert "Guessing sensitive items" not in outline.text


def test_a_recoding_that_was_only_applied_says_that_nothing_was_searched(documents: dict[str, Any]) -> None:
    document = {**documents["og"], "status": "applied", "search": None, "bound": None, "gap": None}
    text = text_of(document)
    assert "Not searched" in text
    assert "Nothing was searched" in text


def test_an_attack_with_known_people_has_a_section_of_its_own(documents: dict[str, Any]) -> None:
    outline = Outline(render_html(documents["og"], {**documents["apriori"]["attack"], "file": "seen.csv"}))
    assert outline.faults == []
    assert "known" in outline.identifiers
    assert "An adversary with seen.csv" in outline.text
    assert outline.text.count("Knowing one of several items") == 1


def test_a_document_without_measures_and_attack_has_a_page(documents: dict[str, Any]) -> None:
    document = {name: part for name, part in documents["og"].items() if name not in {"utility", "attack"}}
    outline = Outline(render_html(document))
    assert outline.faults == []
    assert {"utility", "risk"}.isdisjoint(outline.identifiers)


def test_a_release_of_nothing_has_a_page(documents: dict[str, Any]) -> None:
    document = deepcopy(documents["greedy-suppression"])
    nothing = {"count": 0, "empty": 0, "items": 0, "occurrences": 0, "average": 0.0, "longest": 0, "lengths": []}
    document["transactions"] = {"original": nothing, "release": nothing}
    document["rows"] = {"original": 0, "published": 0}
    document["items"].update(published=[], published_count=0, generalized_count=0)
    document["suppressed"] = {"items": 0, "occurrences": 0, "sensitive_occurrences": 0}
    outline = Outline(render_html(document))
    assert outline.faults == []
    assert "No item other than sensitive ones is published." in outline.text


def test_items_with_markup_are_shown_and_never_run(tmp_path: Path) -> None:
    def hostile(item: str) -> str:
        return {"Viagra": f"{HOSTILE}s", "milk": HOSTILE, "drinks": "<img src=x onerror=alert(1)>"}.get(item, item)

    taxonomy = "\n".join(";".join(map(hostile, line.split(";"))) for line in TAXONOMY.splitlines())
    baskets = [[hostile(item) for item in basket] for basket in BASKETS]
    page = render_html(publish_baskets(tmp_path, baskets=baskets, taxonomy=taxonomy, sensitive=[f"{HOSTILE}s"]))
    outline = Outline(page)
    assert outline.faults == []
    assert {"script", "img"}.isdisjoint(outline.tags)
    assert page.count("&lt;script&gt;") > 3 and "&lt;img" in page


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("method", ["og", "partition"])
def test_no_value_breaks_the_page(documents: dict[str, Any], method: str, first: int) -> None:
    values = itertools.islice(itertools.cycle(NASTY), first, None)
    page = render_html(spoilt(documents[method], values, frozenset(PICTURES)))
    assert Outline(page).faults == []
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]", page)
    assert len(page.encode("utf-8")) < 1_500_000


def test_the_words_of_each_kind_are_explained(documents: dict[str, Any]) -> None:
    glossary = text_of(documents["og"]).rpartition("Glossary")[2]
    for word in ("Itemset", "Support", "Present, absent item", "Cut of items", "Threat", "Disjunction", "Group"):
        assert word in glossary
    assert "Quasi-identifier" not in glossary
