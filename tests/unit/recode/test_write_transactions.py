"""Writing transactions: what is written is what was meant, in every shape and with any text, and tells no order."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyarrow import parquet

from discreet.encode.released_transactions import ReleasedTransactions, read_released
from discreet.encode.transactions import EncodedTransactions, encode_transactions
from discreet.errors import InputError
from discreet.read.transactions import read_transactions
from discreet.recode.transactions import writing as module
from discreet.recode.transactions.recoded import Recoded
from discreet.recode.transactions.writing import (
    check_writable,
    unwritable_labels,
    write_grouped,
    write_transactions,
)
from discreet.taxonomy import Cut, LabelledTaxonomy, Taxonomy
from discreet.values.sets import Sets
from examples import examples

SHAPES = [
    ("dat", None, "data.dat"),
    ("long", None, "data.csv"),
    ("basket", ",", "data.csv"),
    ("basket", "|", "data.csv"),
    ("basket", " ", "data.csv"),
    ("parquet", None, "data.parquet"),
]
HOSTILE = [
    "=1+1",
    'say "hi"',
    "a,b",
    "a|b",
    "two words",
    "line\nbreak",
    "c\r\nd",
    "lone\rreturn",
    "Ünï🙂",
    "'",
    "-",
    "\ufeffbom",
    " x ",
    "#",
]
IN_ONE_FOLDER = examples(25)

ITEM = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@st.composite
def baskets(draw: Any) -> tuple[list[str], list[str], list[list[str]]]:
    """Non-sensitive items, sensitive ones, and transactions of both."""
    items = draw(st.lists(ITEM, min_size=2, max_size=8, unique=True))
    assume("*" not in items and "G" not in items)
    border = draw(st.integers(1, len(items)))
    transactions = draw(st.lists(st.lists(st.sampled_from(items), max_size=5), min_size=1, max_size=15))
    return items[:border], items[border:], transactions


def encoded(items: list[str], sensitive: list[str], transactions: list[list[str]]) -> EncodedTransactions:
    taxonomy = Taxonomy.from_paths(
        "items", [[item, *(["G"] if place % 2 else []), "*"] for place, item in enumerate(items)]
    )
    return encode_transactions(
        read_transactions(transactions), LabelledTaxonomy(taxonomy), sensitive, "error"
    ).transactions


def texts_of(original: EncodedTransactions, released: ReleasedTransactions) -> Counter[frozenset[str]]:
    labels, sensitive = original.taxonomy.labels, original.sensitive_items
    found: Counter[frozenset[str]] = Counter()
    for nodes, codes, count in zip(released.nodes, released.sensitive, released.counts, strict=True):
        found[frozenset({labels[node] for node in nodes} | {sensitive[code] for code in codes})] += int(count)
    return found


@pytest.mark.parametrize(("shape", "separator", "name"), SHAPES)
@IN_ONE_FOLDER
@given(data=baskets(), cut_at_leaves=st.booleans())
def test_written_and_read_back(
    tmp_path: Path, shape: Any, separator: str | None, name: str, data: Any, cut_at_leaves: bool
) -> None:
    items, sensitive, transactions = data
    original = encoded(items, sensitive, transactions)
    taxonomy = original.taxonomy
    root = taxonomy.labels[0]
    cut = Cut.leaves(taxonomy) if cut_at_leaves else Cut.root(taxonomy)
    published = Counter(
        frozenset(item if cut_at_leaves or item in sensitive else root for item in items_) for items_ in transactions
    )
    recoded = Recoded.by_cut(original, cut)
    arguments = (tmp_path / name, shape, separator, original, recoded, np.random.default_rng())
    if unwritable_labels(shape, {item for items_ in published for item in items_}):
        with pytest.raises(InputError, match=r"output\.format: long"):
            write_transactions(*arguments)
        return
    write_transactions(*arguments)
    released = read_released(tmp_path / name, shape, separator, original)
    assert texts_of(original, released) == published
    assert len(released.counts) == len(published)


@IN_ONE_FOLDER
@given(data=baskets(), seed=st.integers(0, 9))
def test_grouped_and_read_back(tmp_path: Path, data: Any, seed: int) -> None:
    items, sensitive, transactions = data
    original = encoded(items, sensitive, transactions)
    random = np.random.default_rng(seed)
    sources = np.repeat(np.arange(len(original.counts), dtype=np.int32), original.counts)
    groups = np.unique(random.integers(0, 3, len(sources)), return_inverse=True)[1].astype(np.int32)
    leaves = Recoded.by_cut(original, Cut.leaves(original.taxonomy))
    recoded = Recoded(sources, leaves.nodes.take(sources), np.ones(len(sources), np.int64), groups)
    data_path, sensitive_path = tmp_path / "data.csv", tmp_path / "sensitive.csv"
    write_grouped(data_path, sensitive_path, original, recoded, random)
    released = read_released(data_path, "grouped", None, original, sensitive_path)
    assert released.groups is not None and released.group_sensitive is not None

    def by_group(group_of: Any, sets: Sets, counts: Any, secrets: Any) -> list[Any]:
        """Each group as its transactions with counts and its secrets with counts; groups have no names."""
        found = []
        for group in sorted(set(group_of.tolist())):
            transactions_of: Counter[tuple[int, ...]] = Counter()
            for row in np.flatnonzero(group_of == group):
                transactions_of[tuple(sets[int(row)].tolist())] += int(counts[row])
            found.append((sorted(transactions_of.items()), secrets(group)))
        return sorted(found)

    def meant(group: int) -> list[int]:
        having = Counter(
            code for row in np.flatnonzero(groups == group) for code in original.sensitive[int(sources[row])]
        )
        return [having[code] for code in range(len(original.sensitive_items))]

    table = released.group_sensitive
    assert by_group(released.groups, released.nodes, released.counts, lambda group: table[group].tolist()) == by_group(
        groups, recoded.nodes, recoded.counts, meant
    )
    with data_path.open(encoding="utf-8", newline="") as file:
        published = {row["item"] for row in csv.DictReader(file)}
    assert not published.intersection(sensitive)


SMALL = encoded(["b", "a, c"], ["aa", "z"], [["b", "z", "a, c", "aa"], [], [], ["b"]])


def written(folder: Path, shape: Any, separator: str | None, name: str, seed: int = 1) -> bytes:
    recoded = Recoded.by_cut(SMALL, Cut.leaves(SMALL.taxonomy))
    write_transactions(folder / name, shape, separator, SMALL, recoded, np.random.default_rng(seed))
    return (folder / name).read_bytes()


def test_a_basket_is_one_line_and_an_empty_one_an_empty_line(tmp_path: Path) -> None:
    content = written(tmp_path, "basket", ",", "data.csv")
    assert content.endswith(b"\n")
    assert sorted(content[:-1].split(b"\n")) == [b"", b"", b'"a, c",aa,b,z', b"b"]


def test_empty_transactions_at_the_end_stay(tmp_path: Path) -> None:
    only_empty = encoded(["a"], [], [[], [], []])
    recoded = Recoded.by_cut(only_empty, Cut.leaves(only_empty.taxonomy))
    for shape, separator, name in SHAPES:
        path = tmp_path / name
        write_transactions(path, shape, separator, only_empty, recoded, np.random.default_rng(1))  # type: ignore[arg-type]
        if shape in ("dat", "basket"):
            assert path.read_bytes() == b"\n\n\n"
        assert read_released(path, shape, separator, only_empty).counts.tolist() == [3]  # type: ignore[arg-type]


def test_long_numbers_count_up_and_an_empty_transaction_has_a_row(tmp_path: Path) -> None:
    rows = list(csv.reader(written(tmp_path, "long", None, "data.csv").decode().splitlines()))
    assert rows[0] == ["transaction", "item"]
    numbers = [int(number) for number, _ in rows[1:]]
    assert numbers == sorted(numbers)
    assert set(numbers) == {1, 2, 3, 4}
    items = [[item for number, item in rows[1:] if number == str(wanted)] for wanted in range(1, 5)]
    assert sorted(items) == [[""], [""], ["a, c", "aa", "b", "z"], ["b"]]


def test_parquet_has_one_column_of_lists(tmp_path: Path) -> None:
    written(tmp_path, "parquet", None, "data.parquet")
    table = parquet.read_table(tmp_path / "data.parquet")
    assert table.column_names == ["items"]
    assert sorted(table.column("items").to_pylist()) == [[], [], ["a, c", "aa", "b", "z"], ["b"]]
    assert parquet.read_metadata(tmp_path / "data.parquet").row_group(0).column(0).compression == "ZSTD"


def test_the_order_is_random(tmp_path: Path) -> None:
    orders = {written(tmp_path, "basket", ",", "data.csv", seed) for seed in range(40)}
    assert len(orders) > 6  # of 4! / 2!
    assert written(tmp_path, "basket", ",", "data.csv", 3) == written(tmp_path, "basket", ",", "data.csv", 3)


def test_transactions_of_many_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More transactions than are written at once."""
    monkeypatch.setattr(module, "_AT_ONCE", 7)
    recoded = Recoded.by_cut(SMALL, Cut.leaves(SMALL.taxonomy))
    many = Recoded(recoded.sources, recoded.nodes, recoded.counts * 10)
    for shape, separator, name in SHAPES[1:]:
        write_transactions(tmp_path / name, shape, separator, SMALL, many, np.random.default_rng(1))  # type: ignore[arg-type]
        released = read_released(tmp_path / name, shape, separator, SMALL)  # type: ignore[arg-type]
        assert sorted(released.counts.tolist()) == [10, 10, 20]


def test_what_each_shape_cannot_hold() -> None:
    labels = ["a", "", "n\0l", "two words", "tab\t", " lead", "no\u00a0break", "line\n", "a,b", "\ufeffbom"]
    always = ["", "n\0l"]
    assert unwritable_labels("dat", labels) == [label for label in labels if label not in ("a", "a,b")]
    assert unwritable_labels("basket", labels) == [*always, "tab\t", " lead", "\ufeffbom"]
    for shape in ("long", "grouped", "parquet"):
        assert unwritable_labels(shape, labels) == always


@pytest.mark.parametrize(
    ("shape", "label", "sentence"),
    [
        ("dat", "two words", r"'two words' has whitespace in it.*'dat'; rename it or set output\.format: long"),
        ("dat", "\ufeffa", "begins with a byte order mark"),
        ("basket", " a", r"' a' begins or ends with a blank"),
        ("long", "", "is empty or has a NUL byte"),
        ("parquet", "\0", "is empty or has a NUL byte"),
    ],
)
def test_an_unwritable_label_gets_its_sentence(shape: Any, label: str, sentence: str) -> None:
    check_writable(shape, ["fine"])
    with pytest.raises(InputError, match=sentence):
        check_writable(shape, ["fine", label])
