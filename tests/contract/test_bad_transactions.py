"""Clumsy users: every mistake gets one sentence that names what is wrong and the way out, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import discreet
from discreet.errors import InputError
from pages.baskets import PROMISES
from shop import TAXONOMY, Ran, command, everything, released, result_of, write_policy


def publish(folder: Path, *settings: str) -> Ran:
    """Publishes the shop's baskets with other settings."""
    if not (folder / "policy.yaml").exists():
        write_policy(folder)
    options = [part for setting in settings for part in ("--set", setting)]
    before = everything(folder)
    ran = command("publish", folder / "policy.yaml", "--out", folder / "out", *options)
    if ran.code:
        assert everything(folder) == before
    return ran


def assert_refused(ran: Ran, *words: str, code: int = 2) -> None:
    """One sentence on stderr that has all the words."""
    assert ran.code == code, ran
    assert ran.err.startswith("discreet: ") and ran.err.count("\n") == 1 and ran.err.endswith(".\n"), ran
    for word in words:
        assert word in ran.err, ran


# --- Items and their taxonomy -------------------------------------------------------------------------------


def test_an_item_in_no_taxonomy_and_not_sensitive(tmp_path: Path) -> None:
    assert_refused(
        publish(tmp_path, "sensitive=[]"),
        "baskets.dat: 1 item is neither in the taxonomy nor sensitive ('Viagra'; in 3 transactions)",
        "Add it to the taxonomy, list it under sensitive, or set on_missing: drop",
    )
    ran = publish(tmp_path, "sensitive=[]", "on_missing=drop")
    assert ran.code == 0 and "('Viagra'; in 3 transactions). It is left out." in ran.err


def test_many_items_in_no_taxonomy_are_counted_and_some_named(tmp_path: Path) -> None:
    write_policy(tmp_path)
    (tmp_path / "new.dat").write_text(" ".join(f"new{number}" for number in range(500)) + "\nmilk\n")
    ran = publish(tmp_path, "data.path=new.dat")
    assert_refused(ran, "new.dat: 500 items are neither", "more; in 1 transaction)", "Add them")
    assert len(ran.err) < 500


@pytest.mark.parametrize("item", ["milk", "dairy", "*"])
def test_an_item_both_sensitive_and_in_the_taxonomy(tmp_path: Path, item: str) -> None:
    ran = publish(tmp_path, f"sensitive=[Viagra, '{item}']")
    assert_refused(ran, f"'{item}' is both sensitive and in the taxonomy", "take it out of one of the two")


def test_an_item_that_is_an_inner_node(tmp_path: Path) -> None:
    write_policy(tmp_path)
    (tmp_path / "inner.dat").write_text("milk dairy\nmilk\n")
    assert_refused(publish(tmp_path, "data.path=inner.dat"), "inner.dat: 'dairy' is an inner node of the taxonomy")


def test_a_sensitive_item_that_never_occurs(tmp_path: Path) -> None:
    ran = publish(tmp_path, "sensitive=[Viagra, Prozac]")
    assert ran.code == 0
    assert ran.err.count("Prozac") == 1 and "Warning: sensitive: 'Prozac' does not occur in " in ran.err


def test_duplicates_are_merged_and_said_once(tmp_path: Path) -> None:
    write_policy(tmp_path)
    (tmp_path / "twice.dat").write_text("milk milk beer\nmilk beer beer beer\nmilk\nbeer milk\n")
    ran = publish(tmp_path, "data.path=twice.dat", "sensitive=[]")
    assert ran.code == 0
    assert (
        ran.err.count("named more than once") == 1 and "3 items were named more than once in a transaction" in ran.err
    )
    assert sum(map(len, released(tmp_path / "out"))) == 7


def test_empty_transactions_are_kept_and_counted(tmp_path: Path) -> None:
    write_policy(tmp_path)
    (tmp_path / "empty.dat").write_text("\n" * 7 + "milk beer\n" * 5 + " \t \n")
    ran = publish(tmp_path, "data.path=empty.dat", "sensitive=[]")
    assert ran.code == 0 and "empty.dat: 8 transactions have no items; they are kept." in ran.err
    assert released(tmp_path / "out").count(()) == 8
    assert result_of(tmp_path / "out")["transactions"]["original"]["empty"] == 8


def test_nothing_but_empty_transactions(tmp_path: Path) -> None:
    write_policy(tmp_path)
    (tmp_path / "empty.dat").write_text("\n" * 7)
    assert publish(tmp_path, "data.path=empty.dat", "sensitive=[]").code == 0
    assert released(tmp_path / "out") == [()] * 7
    assert_refused(command("inspect", tmp_path / "empty.dat"), "has only empty transactions")


@pytest.mark.parametrize(
    "taxonomy",
    [
        "milk;dairy;*\nmilk;drinks;*\nbeer;drinks;*\n",
        "child,parent\nmilk,dairy\nmilk,drinks\nbeer,drinks\ndairy,*\ndrinks,*\n",
    ],
    ids=["paths", "edges"],
)
def test_an_item_under_two_parents(tmp_path: Path, taxonomy: str) -> None:
    (tmp_path / "two.csv").write_text(taxonomy)
    ran = publish(tmp_path, "taxonomy=two.csv")
    assert_refused(ran, "two.csv", "'milk' lies under two parents, 'dairy' and 'drinks'; keep one of them")


def test_labels_with_blanks_do_not_fit_a_dat(tmp_path: Path) -> None:
    (tmp_path / "blank.csv").write_text(TAXONOMY.replace(";bread", ";fresh bread"))
    ran = publish(tmp_path, "taxonomy=blank.csv")
    assert_refused(ran, "The label 'fresh bread' has whitespace in it", "rename it or set output.format: long")
    ran = publish(tmp_path, "taxonomy=blank.csv", "output.format=long")
    assert ran.code == 0 and any("fresh bread" in items for items in released(tmp_path / "out"))


# --- Promises -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "privacy", "words"),
    [
        ("og", {"k": 100}, ["28 transactions", "k = 100"]),
        ("mog", {"k": 100}, ["28 transactions", "k = 100"]),
        ("apriori", {"k": 100}, ["28 transactions", "100"]),
        ("partition", {"k": 100}, ["29 transactions", "k = 100"]),
        ("permutation", {"p": 100}, ["'Viagra' is in 3 of 29 transactions", "p = 9 or smaller"]),
        ("og", {"k": 2, "l": 20}, ["Viagra"]),
    ],
)
def test_a_promise_that_no_release_can_keep(
    tmp_path: Path, method: str, privacy: dict[str, int], words: Sequence[str]
) -> None:
    write_policy(tmp_path, method, privacy={**PROMISES[method], **privacy})
    assert_refused(publish(tmp_path), *words, code=3)


def test_suppressing_everything_keeps_any_promise_and_is_said(tmp_path: Path) -> None:
    write_policy(tmp_path, "greedy-suppression")
    ran = publish(tmp_path, "privacy.k=100")
    assert ran.code == 0
    assert "Every item that is not sensitive is left out: the release says nothing. Relax the promise." in ran.err


def test_more_knowledge_than_anybody_can_have_is_accepted_and_said(tmp_path: Path) -> None:
    write_policy(tmp_path)
    (tmp_path / "full.dat").write_text("milk beer\n" * 9)
    ran = publish(tmp_path, "data.path=full.dat", "sensitive=[]", "privacy.m=50", "privacy.n=40")
    assert ran.code == 0
    assert "no transaction has more than 2" in ran.err
    assert "there are only 6 items" in ran.err


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["search.method=apriori"], ["search.method: apriori cannot keep kl-privacy; use og or mog"]),
        (["search.method=aprioi"], ["'aprioi' is not allowed here"]),
        (["search.method=l-plus-optimize"], ["'l-plus-optimize' is not allowed here"]),
        (["privacy={model: k-anonymity, k: 2}"], ["k-anonymity"]),
        (
            ["search={}", "privacy={model: privacy-degree, p: 2}", "sensitive=[]"],
            ["privacy-degree is about sensitive items"],
        ),
        (["search={}", "privacy={model: privacy-degree, p: 2}", "output.format=dat"], ["output.format", "groups"]),
        (["privacy.k=0"], ["privacy.k", "at least 1"]),
        (["privacy.k=2.5"], ["privacy.k"]),
        (["privacy.n=-1"], ["privacy.n", "at least 0"]),
        (["privacy.h=1"], ["privacy.h: there is no such key"]),
        (["search.suppression=none"], ["search.suppression: there is no such key"]),
        (["attributes={}"], ["attributes: there is no such key"]),
        (["output.format=csv"], ["'csv' is not allowed here"]),
        (["taxonomy={even: 1}"], ["at least 2 children"]),
        (["taxonomy=nowhere.csv"], ["nowhere.csv", "no such taxonomy file"]),
        (["sensitive=nowhere.txt"], ["nowhere.txt", "no such file of items"]),
        (["search.time_limit=0"], ["search.time_limit", "above 0"]),
        (["data.separator=','"], ["data.separator", "remove it"]),
        (["data.path=nowhere.dat"], ["nowhere.dat: no such file"]),
        (["data.path=."], ["is a folder"]),
    ],
)
def test_a_policy_that_contradicts_itself(tmp_path: Path, settings: Sequence[str], words: Sequence[str]) -> None:
    assert_refused(publish(tmp_path, *settings), *words)


# --- Files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.dat", b"", "is empty"),
        ("a.csv", b"", "is empty"),
        ("a.dat", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "row 3: it has a NUL byte"),
        ("a.dat", b"milk\nb\xe4er\n", "row 2: the byte 0xE4 is not UTF-8"),
        ("a.csv", b"milk,beer\n", "set data.separator"),
        (
            "a.csv",
            b"transaction,item,price\n1,milk,2\n",
            "the columns should be 'transaction' and 'item' and no others",
        ),
        ("a.csv", b"transaction,item\n1,milk\n1\n", "row 3: 1 field(s) where the header has 2"),
        ("a.csv", b'transaction,item\n1,"milk\n', "row 2: a quoted field is never closed"),
        ("a.csv", b"transaction,item\n,milk\n", "row 2: the field 'transaction' is empty"),
        ("a.csv", b"transaction,item\n", "has no transactions"),
        ("a.parquet", b"PAR1 nonsense PAR1", "Parquet"),
        ("a.dat.gz", b"not compressed", "a.dat.gz"),
        ("a.xlsx", b"milk", "the ending '.xlsx' is unknown"),
    ],
)
def test_a_file_that_is_not_what_it_should_be(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    write_policy(tmp_path)
    (tmp_path / name).write_bytes(content)
    assert_refused(publish(tmp_path, f"data.path={name}"), name, words)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "has no transactions"),
        (["milk", "beer"], "has text where a transaction should be"),
        ([[1.5, 2.5]], "as whole numbers"),
        ([["milk", ""]], "row 1: an item in its list is empty"),
        ([["milk"], 5], "cannot be read"),
        (5, "has no Arrow interface"),
    ],
)
def test_python_data_that_are_no_transactions(tmp_path: Path, data: object, words: str) -> None:
    policy = discreet.Policy.parse(
        {"data": {"kind": "transactions"}, "privacy": {"model": "km-anonymity", "k": 2, "m": 2}}
    )
    with pytest.raises(InputError, match=words):
        discreet.publish(policy, tmp_path / "out", data=data)
    assert not list(tmp_path.iterdir())


def with_very_many_items(folder: Path) -> Path:
    """A line of a million items, 30,000 of them different."""
    line = " ".join(f"i{number % 30_000}" for number in range(1_000_000))
    (folder / "million.dat").write_text(f"{line}\n{line}\ni1 i2\n")
    return folder / "million.dat"


def test_a_line_of_a_million_items(tmp_path: Path) -> None:
    data = with_very_many_items(tmp_path)
    ran = command("inspect", data, "--out", tmp_path / "policy.yaml")
    assert ran.code == 0, ran
    ran = publish(tmp_path, "privacy.k=2", "search.time_limit=2")
    assert ran.code == 0, ran
    assert "1940000 items were named more than once" in ran.err
    assert command("verify", tmp_path / "out").code == 0


WRONG: dict[str, Callable[[Path], object]] = {
    "folder": lambda folder: folder,
    "taxonomy": lambda folder: folder / "items.csv",
    "nothing": lambda folder: folder / "nothing",
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", ["verify", "attack", "publish"])
def test_the_wrong_thing_is_given(tmp_path: Path, name: str, wrong: str) -> None:
    write_policy(tmp_path)
    (tmp_path / "notes.json").write_text(json.dumps({}))
    assert_refused(command(name, WRONG[wrong](tmp_path)))
