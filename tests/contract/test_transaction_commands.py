"""What CONTRACT promises of the commands for transactions: every method, every shape, the files, the exit codes."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.errors import InputError
from discreet.methods.transactions import TRANSACTION_METHODS
from discreet.search.transactions import solve
from pages.baskets import PROMISES
from shop import (
    BASKETS,
    FILES,
    METHODS,
    TAXONOMY,
    Ran,
    command,
    document,
    everything,
    released,
    result_of,
    write_baskets,
    write_policy,
)

SUFFIXES = {"dat": "data.dat", "long": "data.csv", "basket": "data.csv", "parquet": "data.parquet"}
SENSITIVE = {"Viagra"}
OPTIONS: dict[str, dict[str, object]] = {
    "insertion": {"improve": 0},
    "partial-suppression": {"aim": "rules", "t_max": 500, "b_max": 1_000_000},
    "trivial-suppression": {"leave_out": "sensitive"},
}


def assert_done(ran: Ran) -> None:
    assert ran.code == 0, ran


def certificate_of(out: Path) -> Any:
    return document(out / "release" / "certificate.json")


def in_memory(method: str, **others: Any) -> discreet.Policy:
    """The policy without a file; the taxonomy must then be made from the data or be in this folder."""
    return discreet.Policy.parse(
        {
            "data": {"kind": "transactions"},
            "sensitive": ["Viagra"],
            "privacy": dict(PROMISES[method]),
            "search": {"method": method},
            **others,
        }
    )


# --- publish, verify, attack --------------------------------------------------------------------------------


def test_every_method_is_tried() -> None:
    assert set(METHODS) == set(TRANSACTION_METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_goes_the_whole_way(tmp_path: Path, method: str) -> None:
    policy, out = write_policy(tmp_path, method), tmp_path / "out"
    published = command("publish", policy, "--out", out)
    assert_done(published)
    assert published.err == "Warning: " + str(tmp_path / "baskets.dat") + ": 1 transaction has no items; it is kept.\n"
    assert_done(command("verify", out))
    assert_done(command("verify", out / "release"))
    assert "tried on everybody" in command("attack", out, "--seed", 1).told
    assert_contract(out, method)
    transactions = released(out)
    assert len(transactions) == len(BASKETS)
    assert () in transactions
    assert all(list(items) == sorted(items) for items in transactions)


def assert_contract(out: Path, method: str) -> None:
    result = result_of(out)
    is_met = PROMISES[method]["model"] == "rho-uncertainty" and result["bound"] == result["loss"]["cost"]
    assert result["status"] == ("optimal" if method == "og" or is_met else "feasible")
    assert result["loss"].keys() >= {"name", "cost", "normalized"} and 0 <= result["loss"]["normalized"] <= 1
    if result["bound"] is None:
        assert method != "og" and result["gap"] is None
    else:
        assert 0 <= result["bound"] <= result["loss"]["cost"] and 0 <= result["gap"] < 1
    assert result["cuts"].keys() == {"items"} and all(isinstance(label, str) for label in result["cuts"]["items"])
    assert result["suppressed"].keys() >= {"items", "occurrences"}
    assert result["search"].keys() >= {"cuts_total", "cuts_examined", "seconds"}
    assert result["verified"] is True
    assert result["seed"] is None
    files = {"certificate.json", "taxonomies", "taxonomies/1-items.csv"}
    files |= {"data.csv", "sensitive.csv"} if method == "permutation" else {"data.dat"}
    assert everything(out / "release") == files
    steward = {"result.json", "report.html", "attack.json"}
    steward |= {"recoding.json", "mapping.csv"} if TRANSACTION_METHODS[method].rule else set()
    assert everything(out / "steward") == steward
    assert (out / "steward").stat().st_mode & 0o077 == 0
    shape = {"shape": "grouped", "sensitive_data": "sensitive.csv"} if method == "permutation" else {"shape": "dat"}
    assert certificate_of(out) == {
        "format": "discreet-certificate/1",
        "kind": "transactions",
        "data": "data.csv" if method == "permutation" else "data.dat",
        **shape,
        "taxonomy": "taxonomies/1-items.csv",
        "sensitive": ["Viagra"],
        "promise": [PROMISES[method]],
        "method": {"name": method, "version": discreet.__version__, "loss": "lm", **OPTIONS.get(method, {})},
        "verdict": {"holds": True},
    }


@pytest.mark.parametrize("written", FILES)
def test_every_shape_is_published_as_it_came(tmp_path: Path, written: str) -> None:
    policy, out = write_policy(tmp_path, written=written), tmp_path / "out"
    assert_done(command("publish", policy, "--out", out))
    assert_done(command("verify", out))
    shape = written.partition(".")[0]
    certificate = certificate_of(out)
    assert (certificate["shape"], certificate["data"]) == (shape, SUFFIXES[shape])
    assert certificate.get("separator") == ("," if shape == "basket" else None)
    assert Counter(released(out)) == Counter(tuple(sorted(general(items))) for items in BASKETS)


def general(items: Sequence[str]) -> set[str]:
    """What og publishes of a basket."""
    parents = {path[0]: path[1] for path in (line.split(";") for line in TAXONOMY.splitlines())}
    return {parents.get(item, item) for item in items}


@pytest.mark.parametrize("written", ["long", "basket", "parquet"])
@pytest.mark.parametrize("method", ["greedy-suppression", "partition", "permutation", "insertion"])
def test_other_methods_publish_other_shapes(tmp_path: Path, method: str, written: str) -> None:
    policy, out = write_policy(tmp_path, method, written), tmp_path / "out"
    assert_done(command("publish", policy, "--out", out))
    assert_done(command("verify", out))
    assert certificate_of(out)["shape"] == ("grouped" if method == "permutation" else written)
    assert len(released(out)) == len(BASKETS)


@pytest.mark.parametrize("wanted", SUFFIXES)
@pytest.mark.parametrize("written", ["dat", "parquet"])
def test_another_shape_is_written_when_asked_for(tmp_path: Path, written: str, wanted: str) -> None:
    policy, out = write_policy(tmp_path, written=written), tmp_path / "out"
    assert_done(command("publish", policy, "--out", out, "--set", f"output.format={wanted}"))
    assert_done(command("verify", out))
    assert (out / "release" / SUFFIXES[wanted]).is_file()
    assert Counter(released(out)) == Counter(tuple(sorted(general(items))) for items in BASKETS)


def _tables() -> Mapping[str, Any]:
    import pandas as pd

    lists = [list(items) for items in BASKETS]
    rows = [(number, item) for number, items in enumerate(lists) for item in [*items, *([] if items else [None])]]
    return {
        "lists": lists,
        "tuples": tuple(map(tuple, lists)),
        "arrow": pa.table({"items": pa.array(lists, pa.list_(pa.string()))}),
        "pandas long": pd.DataFrame(rows, columns=["transaction", "item"]),
        "pandas lists": pd.DataFrame({"items": lists}),
        "categories": pa.table({"transaction": [n for n, _ in rows], "item": [i for _, i in rows]}).cast(
            pa.schema([("transaction", pa.int64()), ("item", pa.dictionary(pa.int32(), pa.string()))])
        ),
    }


@pytest.mark.parametrize("kind", ["lists", "tuples", "arrow", "pandas long", "pandas lists", "categories"])
def test_transactions_in_memory(tmp_path: Path, kind: str) -> None:
    (tmp_path / "items.csv").write_text(TAXONOMY)
    policy = in_memory("og", taxonomy=str(tmp_path / "items.csv"))
    publication = discreet.publish(policy, tmp_path / "out", data=_tables()[kind])
    assert publication.verdict.holds
    assert Counter(released(tmp_path / "out")) == Counter(tuple(sorted(general(items))) for items in BASKETS)
    with pytest.raises(InputError, match=r"in memory, which is gone.*--original FILE"):
        discreet.attack(tmp_path / "out")
    assert discreet.attack(tmp_path / "out", original=_tables()["lists"], seed=1)["people"] == len(BASKETS)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["privacy.m=3"], "m 3"),
        (["privacy.k=3", "privacy.n=0"], "k 3"),
        (["privacy={model: km-anonymity, k: 3, m: 2}"], "km-anonymity"),
        (["privacy={model: coherence, k: 2, h: 1/2, p: 2}", "search.loss=ncp"], "coherence"),
        (["taxonomy='*'", "search.alpha=0.5"], "flat"),
        (["taxonomy={even: 2, seed: 7}"], "2 children under a node"),
        (["taxonomy={even: 2, seed: 7}", "privacy.n=2"], "n 2"),
    ],
)
def test_settings_on_the_command_line(tmp_path: Path, settings: Sequence[str], words: str) -> None:
    options = [part for setting in settings for part in ("--set", setting)]
    ran = command("publish", write_policy(tmp_path), "--out", tmp_path / "out", *options)
    assert_done(ran)
    assert words in ran.told
    assert_done(command("verify", tmp_path / "out"))


def test_a_file_of_sensitive_items(tmp_path: Path) -> None:
    policy = write_policy(tmp_path, sensitive="secrets.txt")
    (tmp_path / "secrets.txt").write_text("\ufeffViagra\r\n\r\n", encoding="utf-8")
    assert_done(command("publish", policy, "--out", tmp_path / "out"))
    assert certificate_of(tmp_path / "out")["sensitive"] == ["Viagra"]
    assert_done(command("attack", tmp_path / "out"))


def test_a_release_is_replaced_only_when_asked(tmp_path: Path) -> None:
    policy, out = write_policy(tmp_path), tmp_path / "out"
    assert_done(command("publish", policy, "--out", out))
    before = result_of(out)
    ran = command("publish", policy, "--out", out)
    assert ran.code == 2 and "exists already" in ran.err
    assert result_of(out) == before
    assert_done(command("publish", policy, "--out", out, "--force"))


# --- verify after tampering ---------------------------------------------------------------------------------


def tampered(tmp_path: Path, method: str, change: Any) -> Ran:
    """The verdict on a release whose lines were changed."""
    out = tmp_path / "out"
    assert_done(command("publish", write_policy(tmp_path, method), "--out", out))
    data = next(path for path in (out / "release").iterdir() if path.name.startswith("data."))
    data.write_text("\n".join(change(data.read_text().splitlines())) + "\n")
    return command("verify", out)


def with_viagra_everywhere(lines: list[str]) -> list[str]:
    return [" ".join(sorted({"Viagra", *line.split()})) for line in lines]


@pytest.mark.parametrize(
    ("method", "change", "words"),
    [
        ("og", with_viagra_everywhere, ("'Viagra' in ", "more than 1/2 of them")),
        ("mog", lambda lines: [*lines, "milk"], ("lies above",)),
        ("greedy-suppression", with_viagra_everywhere, ("more than 1/2 of them",)),
        ("apriori", lambda lines: [*lines, "rolls wine"], ("1 transaction, fewer than 3",)),
        ("partition", lambda lines: [*lines, "beer butter rolls"], ("1 transaction",)),
        (
            "permutation",
            lambda lines: [*lines, f"{lines[1].split(',')[0]},9999,Viagra"],
            ("'Viagra'",),
        ),
        ("insertion", with_viagra_everywhere, ("'Viagra' in ", "more than 1/2 of them")),
        ("partial-suppression", with_viagra_everywhere, ("more than 1/2 of them",)),
        ("trivial-suppression", with_viagra_everywhere, ("more than 1/2 of them",)),
    ],
)
def test_verify_fails_with_witnesses_after_tampering(
    tmp_path: Path, method: str, change: Any, words: Sequence[str]
) -> None:
    ran = tampered(tmp_path, method, change)
    assert ran.code == 1, ran
    assert "FAIL: the promise does not hold" in ran.out and "Breach" in ran.out
    for word in words:
        assert word in ran.told


def test_verify_fails_when_too_few_transactions_are_left(tmp_path: Path) -> None:
    ran = tampered(tmp_path, "og", lambda lines: [line for line in lines if "bread" not in line] + ["bread dairy"])
    assert ran.code == 1
    assert "'bread' present: 1 transaction, fewer than 2" in ran.told


def test_verify_shows_no_more_than_ten_witnesses(tmp_path: Path) -> None:
    items = [f"i{number:02}" for number in range(40)]
    discreet.publish(in_memory("og", sensitive=[]), tmp_path / "out", data=[items] * 4)
    (tmp_path / "out/release/data.parquet").unlink()
    certificate = certificate_of(tmp_path / "out") | {"data": "data.dat", "shape": "dat"}
    (tmp_path / "out/release/certificate.json").write_text(json.dumps(certificate))
    (tmp_path / "out/release/data.dat").write_text(" ".join(items) + "\n")
    ran = command("verify", tmp_path / "out")
    assert ran.code == 1 and ran.out.count("- '") == 10


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"format": "discreet-certificate/9"}, "format"),
        ({"kind": "trees"}, "kind"),
        ({"shape": "round"}, "shape"),
        ({"shape": "parquet"}, ".parquet"),
        ({"separator": ","}, "separator"),
        ({"data": "../steward/result.json"}, "leaves the folder"),
        ({"data": "/etc/passwd"}, "absolute"),
        ({"data": "nothing.dat"}, "nothing.dat"),
        ({"taxonomy": "nothing.csv"}, "nothing.csv"),
        ({"sensitive": "Viagra"}, "sensitive"),
        ({"sensitive": []}, "'Viagra' (3 transactions)"),
        ({"sensitive": ["Viagra", "milk"]}, "milk"),
        ({"sensitive": ["Viagra", "Viagra"]}, "twice"),
        ({"promise": []}, "promise"),
        ({"promise": [{"model": "kl-privacy", "k": 2, "l": 2, "m": 2}]}, "'n'"),
        ({"promise": [{"model": "kl-privacy", "k": 2.5, "l": 2, "m": 2, "n": 0}]}, "k"),
        ({"promise": [{"model": "kl-privacy", "k": True, "l": 2, "m": 2, "n": 0}]}, "k"),
        ({"promise": [{"model": "kl-privacy", "k": 2, "l": 2, "m": 0, "n": 0}]}, "m"),
        ({"promise": [{"model": "coherence", "k": 2, "h": 0.5, "p": 2}]}, "exact"),
        ({"promise": [{"model": "k-anonymity", "k": 2}]}, "k-anonymity"),
        ({"promise": [{"model": "privacy-degree", "p": 2}]}, "privacy-degree"),
        ({"suppressed": 7}, "suppressed"),
    ],
)
def test_a_strange_certificate_is_refused(certified: Path, change: Mapping[str, object], word: str) -> None:
    path = certified / "release/certificate.json"
    sound = path.read_text()
    try:
        path.write_text(json.dumps(document(path) | change))
        ran = command("verify", certified)
    finally:
        path.write_text(sound)
    assert ran.code == 2 and ran.err.count("\n") == 1 and word in ran.err, ran


@pytest.mark.parametrize("content", ["", "[]", "nonsense", '{"format": "a", "format": "b"}'])
def test_what_is_no_certificate_is_refused(certified: Path, content: str) -> None:
    path = certified / "release/certificate.json"
    sound = path.read_text()
    try:
        path.write_text(content)
        ran = command("verify", certified)
    finally:
        path.write_text(sound)
    assert ran.code == 2 and ran.err.count("\n") == 1, ran


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Caviar", "'Caviar' (1 transaction)"),
        ("dairy dairy", "twice"),
        ("dairy  drinks", "one blank"),
        ("dairy\tdrinks", "one blank"),
        ("dairy\x00", "NUL"),
    ],
)
def test_data_that_can_be_read_in_two_ways_are_refused(certified: Path, line: str, words: str) -> None:
    path = certified / "release/data.dat"
    sound = path.read_text()
    try:
        path.write_text(f"{sound}{line}\n")
        ran = command("verify", certified)
    finally:
        path.write_text(sound)
    assert ran.code == 2 and words in ran.err, ran


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of og, to be left as it is."""
    folder = tmp_path_factory.mktemp("certified")
    assert_done(command("publish", write_policy(folder), "--out", folder / "out"))
    return folder / "out"


# --- attack -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", ["dat", "long.gz", "basket", "parquet"])
@pytest.mark.parametrize("written", ["dat", "basket"])
def test_people_in_a_file_of_any_shape(tmp_path: Path, written: str, known: str) -> None:
    out = tmp_path / "out"
    assert_done(command("publish", write_policy(tmp_path, written=written), "--out", out))
    (tmp_path / "known").mkdir()
    people = write_baskets(tmp_path / "known", known, [["milk", "wine"], ["beer"], []])
    ran = command("attack", out, "--known", people)
    assert_done(ran)
    assert "Of 3 people" in ran.told
    assert "has milk, wine original: 1 transaction: Viagra 100% release: 7 transactions: Viagra 43%" in ran.told
    assert document(out / "steward/attack.json")["file"] == people.name


@pytest.mark.parametrize("stranger", ["Caviar", "food", "Viagra"])
def test_items_that_nobody_can_look_for(certified: Path, tmp_path: Path, stranger: str) -> None:
    (tmp_path / "known.dat").write_text(f"milk\nmilk {stranger}\n")
    ran = command("attack", certified, "--known", tmp_path / "known.dat")
    assert ran.code == 2 and ran.err.count("\n") == 1
    assert f"known.dat: '{stranger}' is not one of the original's non-sensitive items" in ran.err


def test_an_original_that_moved(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert_done(command("publish", write_policy(tmp_path), "--out", out))
    (tmp_path / "baskets.dat").rename(tmp_path / "moved.dat")
    ran = command("attack", out)
    assert ran.code == 2 and "the original is no longer there" in ran.err and "--original FILE" in ran.err
    assert_done(command("attack", out, "--original", tmp_path / "moved.dat"))
    (tmp_path / "fewer.dat").write_text("milk\nbeer\n")
    ran = command("attack", out, "--original", tmp_path / "fewer.dat")
    assert ran.code == 2 and "has 2 transactions and the release was made from 29" in ran.err
    ran = command("attack", out / "release")
    assert ran.code == 2 and "steward/result.json" in ran.err
    ran = command("attack", out, "--second", out)
    assert ran.code == 2 and "tables only" in ran.err


# --- a recoding found before --------------------------------------------------------------------------------


def recoded(tmp_path: Path, lines: Sequence[str], *options: object) -> Ran:
    """What the recoding of the shop's baskets gives of other ones."""
    recoding = tmp_path / "out/steward/recoding.json"
    if not recoding.exists():
        assert_done(command("publish", write_policy(tmp_path), "--out", tmp_path / "out"))
    (tmp_path / "other.dat").write_text("".join(f"{line}\n" for line in lines))
    change = ("--set", "data.path=other.dat", "--recoding", recoding)
    return command("publish", tmp_path / "policy.yaml", "--out", tmp_path / "other", *change, *options)


def test_a_recoding_is_applied_to_other_transactions(tmp_path: Path) -> None:
    ran = recoded(tmp_path, ["milk wine", "butter beer", "milk", "beer", "milk beer"])
    assert_done(ran)
    assert "applied: the recoding was found before; nothing was searched" in ran.told
    assert Counter(released(tmp_path / "other")) == {("dairy", "drinks"): 3, ("dairy",): 1, ("drinks",): 1}
    assert_done(command("verify", tmp_path / "other"))
    assert_done(command("attack", tmp_path / "other"))
    result = result_of(tmp_path / "other")
    assert (result["status"], result["bound"], result["search"]) == ("applied", None, None)
    assert result["cuts"] == {"items": ["bread", "dairy", "drinks"]}
    assert certificate_of(tmp_path / "other")["method"] == {"name": "recoding", "version": discreet.__version__}
    # It can be applied again, also to items that these transactions do not have.
    assert document(tmp_path / "other/steward/recoding.json") == document(tmp_path / "out/steward/recoding.json")


def test_a_recoding_that_breaks_the_promise_publishes_nothing(tmp_path: Path) -> None:
    ran = recoded(tmp_path, ["milk wine", "butter beer", "rolls"])
    assert ran.code == 1
    assert ran.err.startswith("discreet: With this recoding the data do not keep the promise, so nothing was published")
    assert "Publish them without --recoding" in ran.err
    assert not (tmp_path / "other").exists()


def test_a_recoding_says_nothing_of_new_items(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text(TAXONOMY + "shoes;clothes;*\n")
    ran = recoded(tmp_path, ["milk shoes"] * 5, "--set", "taxonomy=more.csv")
    assert ran.code == 2 and "The recoding does not cover 1 item ('shoes')" in ran.err
    assert not (tmp_path / "other").exists()


def test_what_was_left_out_stays_left_out(tmp_path: Path) -> None:
    policy = write_policy(tmp_path, "greedy-suppression")
    assert_done(command("publish", policy, "--out", tmp_path / "out"))
    published = document(tmp_path / "out/steward/recoding.json")["published"]
    assert 0 < len(published) < 6
    assert_done(recoded(tmp_path, [line.split(";")[0] for line in TAXONOMY.splitlines()] * 3))
    assert {item for items in released(tmp_path / "other") for item in items} == set(published)
    again = document(tmp_path / "other/steward/recoding.json")
    assert again == {"format": "discreet-item-recoding/1", "published": published, "others": "suppress"}


def test_groups_of_another_file_are_not_taken_for_those_of_this(tmp_path: Path) -> None:
    policy = write_policy(tmp_path, taxonomy={"even": 2, "seed": 1})
    assert_done(command("publish", policy, "--out", tmp_path / "out"))
    ran = recoded(tmp_path, ["milk wine", "butter beer"] * 5)
    assert ran.code == 2 and "even groups the items of each file afresh" in ran.err
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("method", ["partition", "permutation", "insertion", "td-control", "trivial-suppression"])
def test_methods_that_publish_items_in_more_than_one_way_take_no_recoding(tmp_path: Path, method: str) -> None:
    settings = ("--set", f"search.method={method}", "--set", f"privacy={json.dumps(PROMISES[method])}")
    ran = recoded(tmp_path, ["milk"] * 9, *settings)
    assert ran.code == 2 and f"{method} does not publish every item the same way" in ran.err


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"format": "discreet-recoding/1", "cuts": {"a": ["*"]}, "suppression": "none", "guard_stars": false}',
        '{"format": "discreet-item-recoding/1", "published": "milk", "others": "refuse"}',
        '{"format": "discreet-item-recoding/1", "published": [1], "others": "refuse"}',
        '{"format": "discreet-item-recoding/1", "published": ["*"], "others": "keep"}',
        '{"format": "discreet-item-recoding/1", "published": ["*", "milk"], "others": "refuse"}',
        '{"format": "discreet-item-recoding/1", "published": ["*", "\\ud800"], "others": "refuse"}',
    ],
)
def test_what_is_no_recoding_of_transactions_is_refused(tmp_path: Path, content: str) -> None:
    policy = write_policy(tmp_path)
    before = everything(tmp_path) | {"recoding.json"}
    (tmp_path / "recoding.json").write_text(content)
    ran = command("publish", policy, "--out", tmp_path / "out", "--recoding", tmp_path / "recoding.json")
    assert ran.code == 2 and "recoding" in ran.err and ran.err.count("\n") == 1, ran
    assert everything(tmp_path) == before


# --- compare ------------------------------------------------------------------------------------------------


def test_compare_runs_the_grid_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, out = write_policy(tmp_path, privacy={"model": "km-anonymity", "k": 2, "m": 2}), tmp_path / "grid"
    grid = ("--vary", "search.method=og,apriori,partition", "--vary", "privacy.k=2,3,100")
    arguments = ("compare", policy, "--out", out, *grid)
    search, calls = solve.search, list[Any]()

    def interrupted_once(*given: Any) -> solve.SolvedTransactions:
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return search(*given)

    monkeypatch.setattr(solve, "search", interrupted_once)
    assert command(*arguments).code == 130
    assert everything(out) == {"unfinished.jsonl"}
    assert_done(command(*arguments))
    assert len(calls) == 3 + 4  # six combinations are valid, and two were known
    assert everything(out) == {"comparison.csv", "frontier.svg"}
    rows = (out / "comparison.csv").read_text().splitlines()
    assert len(rows) == 1 + 9
    assert [row.split(",")[2] for row in rows[1:]] == [
        *("optimal", "optimal", "infeasible"),
        *("feasible", "feasible", "infeasible"),
        *("invalid",) * 3,
    ]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_compared(tmp_path: Path, method: str) -> None:
    policy = write_policy(tmp_path, method)
    varied = {"privacy-degree": "p=2,3", "rho-uncertainty": "rho=1/3,1/2"}.get(PROMISES[method]["model"], "k=2,3")
    assert_done(command("compare", policy, "--vary", f"privacy.{varied}", "--out", tmp_path / "grid"))
    assert len((tmp_path / "grid/comparison.csv").read_text().splitlines()) == 3


# --- no end of searching ------------------------------------------------------------------------------------


def long_search(folder: Path) -> Path:
    """Baskets of random items, so that few cuts keep a promise about many of them."""
    random = np.random.default_rng(1)
    popular = 1 / np.arange(1, 3001) ** 0.8
    baskets = [random.choice(3000, 2 + random.poisson(9), p=popular / popular.sum()).tolist() for _ in range(6000)]
    (folder / "many.dat").write_text("".join(" ".join(f"i{item}" for item in items) + "\n" for items in baskets))
    (folder / "many.yaml").write_text(
        "data: {kind: transactions, path: many.dat}\ntaxonomy: {even: 5, seed: 1}\nsensitive: [i77]\n"
        "privacy: {model: kl-privacy, k: 5, l: 2, m: 3, n: 2}\n"
    )
    return folder / "many.yaml"


def test_a_time_limit_gives_the_best_so_far(tmp_path: Path) -> None:
    ran = command("publish", long_search(tmp_path), "--out", tmp_path / "out", "--time-limit", "0.001")
    assert_done(ran)
    assert "After 0.001 seconds the best release so far is used" in ran.told
    result = result_of(tmp_path / "out")
    assert result["status"] == "feasible" and result["verified"] and result["search"]["seconds"] < 30
    assert_done(command("verify", tmp_path / "out"))


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
def test_ctrl_c_gives_the_best_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = solve.search

    def press() -> None:
        for _ in range(5000):
            if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # the search has begun, and listens
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.0002)

    def interrupted(*given: Any) -> solve.SolvedTransactions:
        threading.Thread(target=press).start()
        return search(*given)

    monkeypatch.setattr(solve, "search", interrupted)
    ran = command("publish", long_search(tmp_path), "--out", tmp_path / "out")
    assert_done(ran)
    assert "Warning: The search was interrupted; this is the best release it had found." in ran.err
    assert result_of(tmp_path / "out")["status"] == "feasible"
    assert_done(command("verify", tmp_path / "out"))
