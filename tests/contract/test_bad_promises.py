"""Promises about tables that cannot be kept, or make no sense: one sentence, exit code 2 or 3, and nothing written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from discreet.methods.table import TABLE_METHODS
from discreet.models.table import TABLE_MODELS
from shop import Ran, command, everything

DISEASES = ("Flu", "Flu", "Flu", "Cold", "Cold", "Asthma")
INCOMES = ("9", "10", "10", "100", "9", "")
ROLES: Mapping[str, Mapping[str, Any]] = {
    "age": {"role": "quasi-identifier"},
    "sex": {"role": "quasi-identifier"},
    "disease": {"role": "sensitive"},
    "income": {"role": "insensitive"},
}
PROMISES: Mapping[str, Mapping[str, Any]] = {
    "k-anonymity": {"k": 2},
    "l-diversity": {"l": 2},
    "l-plus-diversity": {"thresholds": "1/2"},
    "distinct-l-diversity": {"l": 2},
    "entropy-l-diversity": {"l": "3/2"},
    "recursive-l-diversity": {"c": 2, "l": 2},
    "t-closeness": {"t": "1/2"},
    "beta-likeness": {"beta": 1},
}
ABOUT_ALL_VALUES = [name for name, model in TABLE_MODELS.items() if model.by_cones and not model.by_limits]
T = {"model": "t-closeness", "t": "1/2"}
SHARES = {"Flu": "1/2", "Cold": "1/4", "Asthma": "1/4"}


def publish(
    folder: Path,
    privacy: object,
    roles: Mapping[str, object] | None = None,
    search: Mapping[str, object] | None = None,
    records: int = len(DISEASES),
) -> Ran:
    """Publishes six patients; whatever is refused leaves the folder as it was."""
    rows = [
        f"{20 + place},{'fm'[place % 2]},{disease},{income}"
        for place, (disease, income) in enumerate(zip(DISEASES, INCOMES, strict=True))
    ]
    (folder / "patients.csv").write_text("\n".join(["age,sex,disease,income", *rows[:records]]) + "\n")
    policy = {
        "data": {"path": "patients.csv"},
        "attributes": {**ROLES, **(roles or {})},
        "privacy": privacy,
        "search": search or {},
    }
    (folder / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
    before = everything(folder)
    ran = command("publish", folder / "policy.yaml", "--out", folder / "out")
    if ran.code:
        assert everything(folder) == before
    return ran


def refused(ran: Ran, *words: str, code: int = 2) -> None:
    """One sentence that has all the words."""
    assert ran.code == code, ran
    assert ran.err.startswith("discreet: ") and ran.err.count("\n") == 1 and ran.err.endswith(".\n"), ran
    for word in words:
        assert word in ran.err, ran


def test_every_promise_is_kept_where_nothing_is_wrong(tmp_path: Path) -> None:
    """So that what is refused below is refused for its one mistake."""
    assert PROMISES.keys() >= {name for name, model in TABLE_MODELS.items() if model.by_cones}
    for name, parameters in PROMISES.items():
        folder = tmp_path / name
        folder.mkdir()
        assert publish(folder, {"model": name, **parameters}).code == 0


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("k-anonymity", {"k": 0}, ["privacy.k: 0 is not a whole number of at least 1"]),
        ("distinct-l-diversity", {"l": 4}, ["privacy.l: 4 asks for more sensitive values than the 3", "lower it"]),
        ("distinct-l-diversity", {"l": "3/2"}, ["privacy.l: 3/2 is not a whole number"]),
        ("entropy-l-diversity", {"l": "7/2"}, ["privacy.l: 7/2 asks for more sensitive values than the 3", "lower it"]),
        ("entropy-l-diversity", {"l": "1/2"}, ["privacy.l: 1/2 is below 1; write a number such as"]),
        ("entropy-l-diversity", {"l": "many"}, ["privacy.l: 'many' is not a number; write one such as"]),
        ("recursive-l-diversity", {"l": 4}, ["privacy.l: 4 asks for more sensitive values than the 3", "lower it"]),
        ("recursive-l-diversity", {"l": 0}, ["privacy.l: 0 is not a whole number of at least 1"]),
        ("recursive-l-diversity", {"c": 0}, ["privacy.c: 0 is not above 0; write a number such as"]),
        ("recursive-l-diversity", {"c": -1}, ["privacy.c: -1 is not above 0; write a number such as"]),
        ("t-closeness", {"t": "3/2"}, ["t is 3/2, and the distance equal is at most 1; write a share"]),
        ("t-closeness", {"t": 2, "distance": "ordered"}, ["t is 2, and the distance ordered is at most 1"]),
        ("t-closeness", {"t": 2, "distance": "hierarchical"}, ["t is 2, and the distance hierarchical is at most 1"]),
        ("t-closeness", {"t": -1, "distance": "kl"}, ["privacy.t: -1 is below 0; write a number such as"]),
        ("t-closeness", {"t": "near"}, ["privacy.t: 'near' is not a number; write one such as"]),
        ("t-closeness", {"distance": "far"}, ["privacy.distance", "equal", "ordered", "hierarchical", "kl"]),
        ("beta-likeness", {"beta": 0}, ["privacy.beta: 0 is not above 0; write a number such as"]),
        ("beta-likeness", {"beta": "-1/2"}, ["privacy.beta: -1/2 is not above 0; write a number such as"]),
    ],
)
def test_a_number_that_makes_no_sense(name: str, wrong: Mapping[str, Any], words: list[str], tmp_path: Path) -> None:
    refused(publish(tmp_path, {"model": name, **PROMISES[name], **wrong}), *words)


@pytest.mark.parametrize("name", ["t-closeness", "beta-likeness"])
@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ({"Flu": "1/2", "Cold": "1/2"}, ["privacy.reference: 'Asthma' is in the sensitive column but not in the"]),
        ({"Flu": "1/2", "Cold": "1/2", "Asthma": 0}, ["'Asthma' is in the sensitive column but not in the reference"]),
        ({"Flu": 1}, ["'Asthma' and 1 more are in the sensitive column", "give each value a share above 0"]),
        ({**SHARES, "Flu": "1/4"}, ["the shares of the reference add up to 3/4; they have to add up to 1"]),
        ({**SHARES, "Flu": "3/2"}, ["privacy.reference.Flu", "is not between 0 and 1; write a share"]),
        ("published", ["privacy.reference: 'published' is not a reference; write coarse, exact, or a share for each"]),
        ({}, ["privacy.reference", "is not a reference; write coarse, exact, or a share for each"]),
    ],
)
def test_a_reference_that_is_none(name: str, reference: object, words: list[str], tmp_path: Path) -> None:
    refused(publish(tmp_path, {"model": name, **PROMISES[name], "reference": reference}), *words)


def test_a_reference_that_rounding_moves_too_far(tmp_path: Path) -> None:
    ran = publish(tmp_path, {**T, "t": "1/100"}, search={"suppression": "all-rec"})
    refused(ran, "privacy.reference: rounding", "more than a quarter of t = 1/100; give the reference as shares")


def test_a_distance_that_needs_a_tree_and_has_none(tmp_path: Path) -> None:
    ran = publish(tmp_path, {**T, "distance": "hierarchical"})
    refused(ran, "hierarchical needs a taxonomy of the sensitive values; give the sensitive column one")
    roles = {"disease": {"role": "sensitive", "taxonomy": "diseases.csv"}}
    ran = publish(tmp_path, {**T, "distance": "hierarchical"}, roles)
    refused(ran, "attributes.disease.taxonomy", "diseases.csv: there is no such taxonomy file; check the path")
    (tmp_path / "diseases.csv").write_text("Flu;infection;*\nCold;infection;*\n")
    ran = publish(tmp_path, {**T, "distance": "hierarchical"}, roles)
    refused(ran, "disease: 'Asthma' is not in its taxonomy; add what is missing there")


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("numbers", ["attributes.disease.order: numbers, and 'Asthma' is none; list the values in their order"]),
        (["Cold", "Flu"], ["attributes.disease.order: the distance ordered needs a place", "'Asthma' has none; list"]),
        (["Flu", "Flu"], ["attributes.disease.order", "is not an order; write alphabetical, numbers, or a list"]),
        ("upwards", ["attributes.disease.order: 'upwards' is not an order; write alphabetical, numbers, or a list"]),
    ],
)
def test_an_order_that_is_none(order: object, words: list[str], tmp_path: Path) -> None:
    roles = {"disease": {"role": "sensitive", "order": order}}
    refused(publish(tmp_path, {**T, "distance": "ordered"}, roles), *words)


def test_numbers_are_needed_and_one_is_missing(tmp_path: Path) -> None:
    roles = {"disease": {"role": "insensitive"}, "income": {"role": "sensitive", "order": "numbers"}}
    ran = publish(tmp_path, {**T, "distance": "ordered"}, roles)
    refused(ran, "attributes.income.order: numbers, and a missing value is none; list the values in their order")


def test_an_order_that_nobody_gave_is_said_aloud(tmp_path: Path) -> None:
    """The alphabet is one of spelling: the command, the result and the certificate say that it was taken."""
    ran = publish(tmp_path, {**T, "distance": "ordered"})
    assert ran.code == 0
    warning = (
        "attributes.disease.order: the distance ordered takes the values in alphabetical order ('Asthma', 'Cold', "
        "'Flu'), as nothing says which of them are close to each other; list all values there in their order, or "
        "write alphabetical if this is right."
    )
    assert f"Warning: {warning}\n" in ran.err
    out = tmp_path / "out"
    assert warning in json.loads((out / "steward" / "result.json").read_text())["warnings"]
    assert json.loads((out / "release" / "certificate.json").read_text())["promise"][0]["order"] == "alphabetical"
    assert "by the distance ordered, in the order of the alphabet" in command("verify", out).told


@pytest.mark.parametrize("order", ["alphabetical", ["Cold", "Flu", "Asthma"]])
def test_an_order_that_was_given_is_no_news(order: object, tmp_path: Path) -> None:
    ran = publish(tmp_path, {**T, "distance": "ordered"}, {"disease": {"role": "sensitive", "order": order}})
    assert ran.code == 0 and "order" not in ran.err


def test_numbers_go_by_number(tmp_path: Path) -> None:
    roles = {"disease": {"role": "insensitive"}, "income": {"role": "sensitive"}}
    ran = publish(tmp_path, {**T, "distance": "ordered"}, roles, records=5)
    assert ran.code == 0 and "order" not in ran.err
    assert "in the order of numbers" in command("verify", tmp_path / "out").told


@pytest.mark.parametrize("order", [None, ["9", "10", "", "100"]])
def test_a_missing_value_among_numbers_is_text(order: object, tmp_path: Path) -> None:
    roles = {"disease": {"role": "insensitive"}, "income": {"role": "sensitive", "order": order}}
    ran = publish(tmp_path, {**T, "distance": "ordered"}, roles)
    assert ran.code == 0
    assert ("in alphabetical order ('', '10', '100', '9')" in ran.err) == (order is None)


@pytest.mark.parametrize(
    ("method", "suppression"),
    [
        (name, suppression)
        for name, method in TABLE_METHODS.items()
        for suppression in ("none", "vio-rec", "all-rec")
        if suppression in method.schemes and method.keeps(TABLE_MODELS["k-anonymity"])
    ],
)
def test_fewer_records_than_k(method: str, suppression: str, tmp_path: Path) -> None:
    numbers_only = {"sex": {"role": "insensitive"}} if TABLE_METHODS[method].averages else {}
    search = {"method": method, "suppression": suppression}
    ran = publish(tmp_path, {"model": "k-anonymity", "k": 7}, numbers_only, search)
    refused(ran, "the table has 6 records and every group needs 7; relax the promise", code=3)


@pytest.mark.parametrize("name", PROMISES)
@pytest.mark.parametrize("method", ["l-plus-optimize", "mondrian"])
def test_a_promise_that_even_the_whole_table_breaks(name: str, method: str, tmp_path: Path) -> None:
    harder: Mapping[str, Any] = {
        "k-anonymity": {"k": 7},
        "l-diversity": {"l": 3},
        "l-plus-diversity": {"thresholds": "1/3"},
        "distinct-l-diversity": {"l": 3},
        "entropy-l-diversity": {"l": 3},
        "recursive-l-diversity": {"c": "1/2", "l": 2},
        "t-closeness": {"t": "1/10", "reference": {"Flu": "1/10", "Cold": "1/10", "Asthma": "4/5"}},
        "beta-likeness": {"beta": "1/10", "reference": {"Flu": "1/10", "Cold": "1/10", "Asthma": "4/5"}},
    }
    promise = {"model": name, **harder[name]}
    ran = publish(
        tmp_path, promise, search={"suppression": "none", "method": method}, records=5 if "distinct" in name else 6
    )
    if name == "distinct-l-diversity":  # of five there are two diseases, which is seen before any search
        refused(ran, "privacy.l: 3 asks for more sensitive values than the 2")
    else:
        refused(ran, "No release keeps the promise", code=3)


@pytest.mark.parametrize("name", ABOUT_ALL_VALUES)
@pytest.mark.parametrize(
    ("search", "beside", "words"),
    [
        ({"suppression": "vio-sa"}, [], ["search.suppression: vio-sa has to know which values", "use none, all-sa"]),
        ({"suppression": "all-sa"}, ["k-anonymity"], ["all-sa deletes", "as k-anonymity may need; use none, vio-rec"]),
        (
            {"suppression": "vio-rec", "loss": "cm"},
            [],
            ["search.suppression: vio-rec may delete one record or another", "what cm counts; use none or all-rec"],
        ),
        ({"suppression": "all-sa", "loss": "dm"}, [], ["dm counts records: it goes with none, vio-rec, all-rec"]),
        ({"suppression": "all-rec", "method": "mondrian"}, [], ["the method mondrian goes only with none, not with"]),
        ({"suppression": "all-rec", "method": "k-member"}, [], ["the method k-member goes only with none, not with"]),
    ],
)
def test_what_does_not_go_with_the_promise(
    name: str, search: Mapping[str, Any], beside: list[str], words: list[str], tmp_path: Path
) -> None:
    promises = [{"model": each, **PROMISES[each]} for each in (name, *beside)]
    refused(publish(tmp_path, promises, {"income": {"role": "class"}}, search), *words)


@pytest.mark.parametrize("method", ["samarati", "incognito"])
@pytest.mark.parametrize("name", [name for name in ABOUT_ALL_VALUES if not TABLE_MODELS[name].inherited])
def test_deleting_whole_groups_where_that_is_not_monotone(name: str, method: str, tmp_path: Path) -> None:
    search = {"method": method, "suppression": "all-rec", "max_suppressed": "1/2"}
    ran = publish(tmp_path, {"model": name, **PROMISES[name]}, search=search)
    refused(ran, f"may break {name}", "use none or vio-rec, or the method full-domain")


@pytest.mark.parametrize(
    "promises",
    [
        [{**T, "distance": "kl"}],
        [T, {"model": "entropy-l-diversity", "l": 2}],
        [
            {"model": "distinct-l-diversity", "l": 2},
            {"model": "l-plus-diversity", "thresholds": {**SHARES, "Flu": "3/4"}},
        ],
    ],
)
def test_the_fewest_records_to_delete_are_not_known(promises: list[object], tmp_path: Path) -> None:
    ran = publish(tmp_path, promises, search={"suppression": "vio-rec"})
    refused(ran, "vio-rec has to know the fewest records to delete", "use none, all-sa or all-rec")


@pytest.mark.parametrize("name", [name for name in PROMISES if name != "k-anonymity"])
def test_nothing_sensitive_to_promise_about(name: str, tmp_path: Path) -> None:
    ran = publish(tmp_path, {"model": name, **PROMISES[name]}, {"disease": {"role": "insensitive"}})
    refused(ran, f"{name} needs a column with role sensitive; name one in attributes or promise k-anonymity")


@pytest.mark.parametrize("name", ABOUT_ALL_VALUES)
def test_several_sensitive_values_in_a_record(name: str, tmp_path: Path) -> None:
    promises = [
        {"model": name, "column": "disease", **PROMISES[name]},
        {"model": "l-diversity", "column": "income", "l": 2},
    ]
    ran = publish(tmp_path, promises, {"income": {"role": "sensitive"}})
    refused(ran, f"privacy: {name} is about one sensitive value in each record", "leave it out, or publish with one")
