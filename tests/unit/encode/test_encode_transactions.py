"""Encoding transactions: the distinct ones are counted exactly, every bad item gets its sentence; and reading back."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.encode.released_transactions import read_released
from discreet.encode.transactions import TransactionEncoding, encode_transactions
from discreet.engine import DuckDBEngine
from discreet.errors import InputError
from discreet.policy import TransactionPolicy
from discreet.read.transactions import read_transactions
from discreet.search.transactions import solve
from discreet.taxonomy import Flat, LabelledTaxonomy, MadeFrom, Taxonomy

TAXONOMY = Taxonomy.from_paths("items", [[item, item[0].upper(), "*"] for item in ("a1", "a2", "b1", "b2")])
SENSITIVE = ("s", "t")


def encode(
    transactions: Sequence[Sequence[str]], sensitive: Sequence[str] = SENSITIVE, *, drop: bool = False
) -> TransactionEncoding:
    raw = read_transactions(list(transactions))
    return encode_transactions(raw, LabelledTaxonomy(TAXONOMY), sensitive, "drop" if drop else "error")


def counted(encoding: TransactionEncoding) -> list[tuple[frozenset[str], int]]:
    """Each distinct transaction by its texts, in the order of the encoding."""
    encoded = encoding.transactions
    leaves = encoded.taxonomy.leaf_labels
    return [
        (frozenset({leaves[leaf] for leaf in numbers} | {encoded.sensitive_items[code] for code in codes}), int(count))
        for numbers, codes, count in zip(encoded.sets, encoded.sensitive, encoded.counts, strict=True)
    ]


BASKETS = st.lists(st.lists(st.sampled_from(["a1", "a2", "b1", "b2", "s", "t"]), max_size=7), min_size=1, max_size=40)


@settings(deadline=None)
@given(BASKETS, st.randoms(use_true_random=False))
def test_distinct_transactions_are_counted_whatever_their_order(baskets: list[list[str]], random: object) -> None:
    found = counted(encode(baskets))
    assert dict(found) == Counter(frozenset(basket) for basket in baskets)
    assert len(dict(found)) == len(found)
    shuffled = sorted(baskets, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert counted(encode(shuffled)) == found


def test_facts_of_the_source_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a1;s\nt;a1\n")
    raw = read_transactions(path, ";")
    given_ = encode_transactions(raw, LabelledTaxonomy(TAXONOMY), ["t", "s"], "error")
    assert (given_.shape, given_.separator, given_.name) == ("basket", ";", str(path))
    assert (given_.made_from, given_.warnings) == (MadeFrom.POLICY, ())
    assert given_.transactions.sensitive_items == ("s", "t")
    made = encode_transactions(raw, Flat(), ["t", "s"], "error")
    assert made.made_from is MadeFrom.EACH_VALUE
    assert made.transactions.taxonomy.labels == ("*", "a1")


def test_a_homeless_item_is_an_error_that_says_the_ways_out() -> None:
    with pytest.raises(InputError) as error:
        encode([["x", "a1"], ["x"], ["a1"]])
    assert str(error.value) == (
        "the list: 1 item is neither in the taxonomy nor sensitive ('x'; in 2 transactions). Add it to the taxonomy, "
        "list it under sensitive, or set on_missing: drop."
    )


def test_many_homeless_items_are_not_all_named() -> None:
    with pytest.raises(InputError, match=r"12 items are .* 'x09' and 2 more; in 1 transaction\)\. Add them"):
        encode([[f"x{number:02}" for number in range(12)]])


def test_homeless_items_can_be_dropped() -> None:
    encoding = encode([["x", "a1"], ["x", "y"], ["a1"]], (), drop=True)
    assert dict(counted(encoding)) == {frozenset({"a1"}): 2, frozenset(): 1}
    assert encoding.warnings == (
        "the list: 2 items are neither in the taxonomy nor sensitive ('x', 'y'; in 2 transactions). They are left out.",
        "the list: 1 transaction has no items; it is kept.",
    )


def test_duplicates_and_empty_transactions_are_said_once() -> None:
    encoding = encode([["a1", "a1", "a1"], [], ["s", "s"], []], ["s"])
    assert encoding.warnings == (
        "the list: 3 items were named more than once in a transaction; each counts once.",
        "the list: 2 transactions have no items; they are kept.",
    )


def test_a_sensitive_item_that_never_occurs_is_said_and_stays_sensitive() -> None:
    encoding = encode([["a1", "t"]])
    assert encoding.warnings == ("sensitive: 's' does not occur in the list.",)
    assert encoding.transactions.sensitive_items == ("s", "t")
    assert encoding.transactions.sensitive_occurrences.tolist() == [0, 1]


def test_sensitive_items_come_once() -> None:
    encoding = encode([["a1", "t"], ["s"]], ["t", "s", "t"])
    assert encoding.transactions.sensitive_items == ("s", "t")
    assert encoding.warnings == ()


@pytest.mark.parametrize("named", [["Viagra", "Caf\u00e9 cr\u00e8me", "01", "Viagra"], "secret.txt"])
def test_a_policy_names_sensitive_items_or_a_file_of_them(tmp_path: Path, named: object) -> None:
    (tmp_path / "secret.txt").write_bytes("\ufeffViagra\r\n\r\n  Caf\u00e9 cr\u00e8me \n01\n \nViagra".encode())
    promise = {"model": "km-anonymity", "k": 1, "m": 1}
    policy = TransactionPolicy.parse(
        {"data": {"kind": "transactions"}, "sensitive": named, "privacy": promise}, tmp_path
    )
    baskets = [["Viagra", "Caf\u00e9 cr\u00e8me"], ["01", "milk"]]
    encoded = solve.encode(DuckDBEngine(tmp_path), policy, baskets).transactions
    assert encoded.sensitive_items == ("01", "Caf\u00e9 cr\u00e8me", "Viagra")
    assert encoded.taxonomy.labels == ("*", "milk")


@pytest.mark.parametrize("label", ["a1", "A", "*"])
def test_a_sensitive_item_in_the_taxonomy_is_refused(label: str) -> None:
    with pytest.raises(InputError, match="both sensitive and in the taxonomy"):
        encode([["a2"]], [label])


def test_a_sensitive_star_is_refused_below_a_made_taxonomy() -> None:
    with pytest.raises(InputError, match=r"sensitive: '\*' is named like a group"):
        encode_transactions(read_transactions([["a", "*"]]), Flat(), ["*"], "error")


@pytest.mark.parametrize("drop", [False, True])
def test_an_inner_node_is_no_item(drop: bool) -> None:
    with pytest.raises(InputError, match="'A' is an inner node of the taxonomy"):
        encode([["a1", "A"]], drop=drop)


def test_the_star_is_no_item_of_a_made_taxonomy() -> None:
    with pytest.raises(InputError, match=r"the value '\*' occurs"):
        encode_transactions(read_transactions([["*"]]), Flat(), [], "error")


@pytest.mark.parametrize(
    ("shape", "name", "content", "sentence"),
    [
        ("dat", "data.dat", "A s\nzebra\n", r"data\.dat: it holds 'zebra', which the original's policy does not know"),
        ("grouped", "data.csv", "group,transaction,item\n1,1,s\n", r"data\.csv: it holds 's'"),
        ("grouped", "data.csv", "group,transaction,item\n1,1,A\n2,1,B\n", "a transaction is in two groups"),
        (
            "grouped",
            "data.csv",
            "transaction,item\n1,A\n",
            "row 1: the columns should be 'group', 'transaction', 'item'",
        ),
    ],
)
def test_a_release_with_strangers_is_refused(
    tmp_path: Path, shape: str, name: str, content: str, sentence: str
) -> None:
    (tmp_path / name).write_text(content)
    (tmp_path / "sensitive.csv").write_text("group,item,count\n")
    original = encode([["a1", "s", "t"]]).transactions
    with pytest.raises(InputError, match=sentence):
        read_released(tmp_path / name, shape, None, original, tmp_path / "sensitive.csv")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("7,s,1\n", "it holds '7'"),
        ("1,A,1\n", "it holds 'A'"),
        ("1,s,-1\n", r"sensitive\.csv, row 2: .* but this one is '-1'"),
        ("1,s,1\n1,s,2\n", r"sensitive\.csv, row 3: .* but this one is '2' again"),
        (f"1,s,{'9' * 30}\n", "each group and item has one count"),
    ],
)
def test_sensitive_counts_with_strangers_are_refused(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "data.csv").write_text("group,transaction,item\n1,1,A\n")
    (tmp_path / "sensitive.csv").write_text(f"group,item,count\n{content}")
    original = encode([["a1", "s", "t"]]).transactions
    with pytest.raises(InputError, match=sentence):
        read_released(tmp_path / "data.csv", "grouped", None, original, tmp_path / "sensitive.csv")


def test_grouped_transactions_are_distinct_within_their_group(tmp_path: Path) -> None:
    rows = "1,1,A\n1,2,A\n2,3,A\n2,4,\n2,5,\n"
    (tmp_path / "data.csv").write_text(f"group,transaction,item\n{rows}")
    (tmp_path / "sensitive.csv").write_text("group,item,count\n1,t,2\n2,s,1\n")
    original = encode([["a1", "s", "t"]]).transactions
    released = read_released(tmp_path / "data.csv", "grouped", None, original, tmp_path / "sensitive.csv")
    assert released.groups is not None and released.group_sensitive is not None
    labels = original.taxonomy.labels
    found = {
        (int(group), tuple(labels[node] for node in nodes)): int(count)
        for group, nodes, count in zip(released.groups, released.nodes, released.counts, strict=True)
    }
    assert found == {(0, ("A",)): 2, (1, ("A",)): 1, (1, ()): 2}
    assert released.transactions == 5
    assert released.sensitive.sizes.tolist() == [0, 0, 0]
    assert released.group_sensitive.tolist() == [[0, 2], [1, 0]]
