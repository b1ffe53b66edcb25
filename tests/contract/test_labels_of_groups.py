"""Local recoding with every kind of labels, the whole way: published, verified, measured, and caught when touched."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet
from demos import small_demo
from discreet.errors import InputError
from discreet.methods.table import TABLE_METHODS
from discreet.policy import Policy

METHODS = [name for name, method in TABLE_METHODS.items() if len(method.labels) > 1]
NUMBERS = ("age", "postcode")


def asked(folder: Path, labels: str, method: str = "mondrian", **more: Any) -> Policy:
    """The demo's table; means go with its numbers only."""
    written = Policy.load(small_demo("table", folder)).as_dict()
    attributes = dict(written["attributes"])
    for name, entry in attributes.items():
        if entry["role"] == "quasi-identifier" and (labels != "means" or name in NUMBERS):
            attributes[name] = {**entry, "labels": labels}
    if labels == "means":
        attributes["age"] = {"role": "quasi-identifier", "labels": "means"}
    search = {"method": method, "suppression": "none"}
    privacy = {"model": "k-anonymity", "k": 3}
    return Policy.parse({**written, "attributes": attributes, "privacy": privacy, "search": search, **more})


@pytest.mark.parametrize("output", [{"format": "csv"}, {"format": "parquet"}, {"escape_formulas": True}], ids=str)
@pytest.mark.parametrize("labels", ["nodes", "ranges", "sets", "means"])
@pytest.mark.parametrize("method", METHODS)
def test_it_is_published_verified_and_measured(
    method: str, labels: str, output: dict[str, Any], tmp_path: Path
) -> None:
    publication = discreet.publish(asked(tmp_path, labels, method, output=output), tmp_path / "out", seed=1)
    assert discreet.verify(publication.folder).holds
    result = publication.result
    measured = {measure["name"]: measure for measure in result["utility"]}
    assert measured["lm"]["release"] == pytest.approx(result["loss"]["normalized"]), "as it can be read in the file"
    assert 0 < measured["hull"]["release"] <= 1 and 0 < measured["gcp"]["release"] <= 1
    certificate = json.loads((publication.release / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["columns"]["postcode"]["labels"] == labels
    assert certificate["columns"]["sex"]["labels"] == ("nodes" if labels == "means" else labels)
    fates = {column["name"]: column["fate"] for column in result["columns"]}
    words = {"nodes": "generalized", "sets": "sets of values"}.get(labels, labels)
    assert words in fates["postcode"] and "group by group" in fates["postcode"]
    assert discreet.attack(publication.folder, seed=1)["reading"]
    assert words in publication.report.read_text(encoding="utf-8")


def test_ranges_and_sets_lose_less_than_nodes(tmp_path: Path) -> None:
    losses = []
    for labels in ("nodes", "ranges", "sets"):
        (tmp_path / labels).mkdir()
        losses.append(
            discreet.publish(asked(tmp_path / labels, labels), tmp_path / f"{labels}-out", seed=1).result["loss"][
                "cost"
            ]
        )
    assert losses[0] > losses[1] > losses[2]


def touched(release: Path, change: Callable[[str], str]) -> bool:
    """Whether a release passes with its data changed so."""
    data = release / "data.csv"
    before = data.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    data.write_text(after, encoding="utf-8")
    try:
        return discreet.verify(release).holds
    except InputError:
        return False
    finally:
        data.write_text(before, encoding="utf-8")


@pytest.mark.parametrize(
    ("labels", "pattern", "instead"),
    [
        ("ranges", r"\b(\d{5})\.\.(\d{5})\b", r"\2..\1"),
        ("ranges", r"\b(\d{5})\.\.(\d{5})\b", r"\1..99999"),
        ("ranges", r"\b(\d{5})\.\.(\d{5})\b", r"\1-\2"),
        ("sets", r"\{(\d{5}), (\d{5})\}", r"{\2, \1}"),
        ("sets", r"\{(\d{5}), (\d{5})\}", r"{\1, \1}"),
        ("sets", r"\{(\d{5}), (\d{5})\}", r"{\1,\2}"),
        ("sets", r"\{(\d{5}), (\d{5})\}", r"{\1}"),
        ("means", r"\b(\d\d\.\d)\b", r"\g<1>0"),
        ("means", r"\b(\d\d\.\d)\b", r"about \1"),
    ],
)
def test_a_label_that_was_touched_does_not_pass(labels: str, pattern: str, instead: str, tmp_path: Path) -> None:
    release = discreet.publish(asked(tmp_path, labels), tmp_path / "out", seed=1).release
    assert discreet.verify(release).holds
    assert not touched(release, lambda text: re.sub(pattern, instead, text))


def test_a_label_that_only_one_row_has_breaks_the_promise(tmp_path: Path) -> None:
    """It is lawful in itself, and its row is a group of one."""
    release = discreet.publish(asked(tmp_path, "ranges"), tmp_path / "out", seed=1).release
    assert not touched(release, lambda text: re.sub(r"\b(\d{5})\.\.\d{5}\b", r"\1", text, count=1))


def test_a_certificate_with_labels_that_there_are_not_is_refused(tmp_path: Path) -> None:
    release = discreet.publish(asked(tmp_path, "ranges"), tmp_path / "out", seed=1).release
    path = release / "certificate.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"ranges"', '"colours"'), encoding="utf-8")
    with pytest.raises(InputError, match="the labels 'colours' are unknown; known are nodes, ranges, sets, means"):
        discreet.verify(release)


def test_labels_of_groups_are_for_local_recoding(tmp_path: Path) -> None:
    release = discreet.publish(asked(tmp_path, "ranges"), tmp_path / "out", seed=1).release
    path = release / "certificate.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"local"', '"global"'), encoding="utf-8")
    with pytest.raises(InputError, match="ranges are labels of single groups"):
        discreet.verify(release)


def test_the_taxonomies_name_what_the_release_names(tmp_path: Path) -> None:
    """A taxonomy made from the data has the ends of the ranges and nothing between; of means it has nothing."""
    for labels in ("ranges", "means"):
        (tmp_path / labels).mkdir()
        policy = asked(tmp_path / labels, labels)
        release = discreet.publish(policy, tmp_path / f"{labels}-out", seed=1).release
        columns = json.loads((release / "certificate.json").read_text(encoding="utf-8"))["columns"]
        rows = (release / columns["postcode"]["taxonomy"]).read_text(encoding="utf-8").split()
        data = (release / "data.csv").read_text(encoding="utf-8")
        if labels == "means":
            assert rows == ["*;*"]
        else:
            assert rows and all(re.search(rf"\b{row.partition(';')[0]}\b", data) for row in rows)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"method": "samarati"}, "samarati publishes nodes, not ranges; .* mondrian or k-member"),
        ({"method": "mdav", "loss": "sse"}, "mdav publishes means, not ranges"),
    ],
)
def test_labels_that_a_method_does_not_have_are_refused(change: dict[str, str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        Policy.parse({**asked(tmp_path, "ranges").as_dict(), "search": change})


def test_only_quasi_identifiers_are_labelled(tmp_path: Path) -> None:
    written = asked(tmp_path, "ranges").as_dict()
    written["attributes"]["ward"]["labels"] = "sets"
    with pytest.raises(InputError, match=r"attributes\.ward\.labels: only a quasi-identifier has it"):
        Policy.parse(written)


def test_means_of_text_are_refused(tmp_path: Path) -> None:
    written = asked(tmp_path, "ranges").as_dict()
    written["attributes"]["sex"]["labels"] = "means"
    with pytest.raises(InputError, match="sex: the value 'female' is not a number, and means need numbers"):
        discreet.publish(Policy.parse(written), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_policy_says_what_is_published_of_groups(tmp_path: Path) -> None:
    written = asked(tmp_path, "ranges").as_dict()
    several = Policy.parse(written).explain()
    assert several.count("their range is published") == 1 and "Nothing is deleted" in several
    assert "only generalized further" not in several
    averaged = {
        "data": {"path": "numbers.csv"},
        "attributes": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}},
        "privacy": {"model": "k-anonymity", "k": 3},
        "search": {"method": "mdav"},
    }
    told = Policy.parse(averaged).explain()
    assert "x and y are averaged" in told and "generalized" not in told and told.count("means") == 1


def test_methods_without_groups_are_not_proposed_for_labels() -> None:
    quasi = {"role": "quasi-identifier", "labels": "nodes"}
    written = {"data": {"path": "x.csv"}, "attributes": {"x": quasi}, "privacy": {"model": "k-anonymity", "k": 3}}
    with pytest.raises(InputError, match="incognito, mondrian or k-member"):
        Policy.parse({**written, "search": {"method": "mdav"}})


@pytest.mark.parametrize("method", ["mondrian", "k-member", "mdav"])
def test_groups_of_one_protect_nobody(tmp_path: Path, method: str) -> None:
    written = {
        "data": {},
        "attributes": {"x": {"role": "quasi-identifier"}},
        "privacy": {"model": "k-anonymity", "k": 1},
        "search": {"method": method},
    }
    publication = discreet.publish(Policy.parse(written), tmp_path / "out", data={"x": [1, 2, 2, 5]})
    assert publication.result["hollow"][0].startswith("The original already keeps this promise")


def test_mdav_says_what_it_needs(tmp_path: Path) -> None:
    written = Policy.load(small_demo("table", tmp_path)).as_dict()
    asked = {"privacy": {"model": "k-anonymity", "k": 3}, "search": {"method": "mdav"}}
    with pytest.raises(InputError, match="is not a number, and means need numbers"):
        discreet.publish(Policy.parse({**written, **asked}), tmp_path / "out")
    with pytest.raises(InputError, match="mdav cannot keep l-diversity"):
        Policy.parse({**written, **asked, "privacy": {"model": "l-diversity", "l": 2}})
    with pytest.raises(InputError, match="cannot minimize lm; use sse, or"):
        Policy.parse({**written, **asked, "search": {"method": "mdav", "loss": "lm"}})
    with pytest.raises(InputError, match="cannot minimize sse"):
        Policy.parse({**written, "search": {"method": "l-plus-optimize", "loss": "sse"}})
