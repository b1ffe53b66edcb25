"""The verifier of transactions: against a brute force by the definition, and every check of form failing once."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.verifier import Verdict, verify_release
from discreet.verifier.transactions import itemsets as itemsets_module
from examples import examples

ITEMS = (
    "Beer;Liquor;Nutrient;*\nWine;Liquor;Nutrient;*\nMilk;Dairy;Nutrient;*\nYogurt;Dairy;Nutrient;*\n"
    "Jacket;Clothing;*\nPants;Clothing;*\n"
)
KL = {"model": "kl-privacy", "k": 2, "l": 1, "m": 2, "n": 0}
KM = {"model": "km-anonymity", "k": 2, "m": 2}
Transaction = Sequence[str]


def certificate(**changes: object) -> dict[str, Any]:
    return {
        "format": "discreet-certificate/1",
        "kind": "transactions",
        "data": "data.dat",
        "shape": "dat",
        "taxonomy": "taxonomies/1-items.csv",
        "sensitive": ["PregnancyTest", "Viagra"],
        "promise": [KL],
        "method": {"name": "og", "version": "0.1.0"},
        "verdict": {"holds": True},
        **changes,
    }


@dataclass
class Release:
    """A release to be changed at one place and written: its data as text, or as transactions in the shape `dat`."""

    data: str | Sequence[Transaction]
    stated: dict[str, Any] = field(default_factory=certificate)
    items: str = ITEMS
    sensitive: str | None = None

    def write(self, folder: Path) -> Path:
        (folder / "taxonomies").mkdir(parents=True, exist_ok=True)
        (folder / "taxonomies" / "1-items.csv").write_text(self.items, encoding="utf-8", newline="")
        (folder / "certificate.json").write_text(json.dumps(self.stated), encoding="utf-8")
        text = self.data if isinstance(self.data, str) else "".join(f"{' '.join(each)}\n" for each in self.data)
        (folder / self.stated["data"]).write_text(text, encoding="utf-8", newline="")
        if self.sensitive is not None:
            (folder / "sensitive.csv").write_text(self.sensitive, encoding="utf-8", newline="")
        return folder

    def verify(self) -> Verdict:
        with TemporaryDirectory() as folder:
            return verify_release(self.write(Path(folder)))


def kinds(verdict: Verdict) -> list[str]:
    assert verdict.holds == (not verdict.breaches)
    assert sum(len(breach.witnesses) for breach in verdict.breaches) <= 10
    return [breach.kind for breach in verdict.breaches]


def grouped(data: str, sensitive: str, p: int = 2, **changes: object) -> Release:
    stated = certificate(
        data="data.csv",
        shape="grouped",
        sensitive_data="sensitive.csv",
        promise=[{"model": "privacy-degree", "p": p}],
        **changes,
    )
    return Release(data, stated, sensitive=sensitive)


# --- the definition, literally --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tree:
    parents: dict[str, str | None]

    def above(self, node: str) -> list[str]:
        """The node and all above it."""
        path = [node]
        while (parent := self.parents[path[-1]]) is not None:
            path.append(parent)
        return path

    def leaves(self, node: str) -> int:
        inner = set(self.parents.values())
        return sum(node in self.above(leaf) for leaf in self.parents if leaf not in inner)

    def text(self) -> str:
        inner = set(self.parents.values())
        return "".join(";".join(self.above(leaf)) + "\n" for leaf in self.parents if leaf not in inner)


def power_set(nodes: Sequence[str], most: int) -> Iterator[tuple[str, ...]]:
    for size in range(min(most, len(nodes)) + 1):
        yield from combinations(nodes, size)


def supporting(
    tree: Tree, transactions: list[set[str]], sensitive: Sequence[str], promise: dict[str, Any]
) -> Iterator[list[set[str]]]:
    """The transactions of every itemset within the adversary's power."""
    published = sorted(set().union(*transactions) - set(sensitive)) if transactions else []
    if promise["model"] == "kl-privacy":
        m, n = promise["m"], promise["n"]
        # Below a published node, and below one that occurs nowhere, nobody can tell nodes apart.
        told = {up for item in published for up in tree.above(item)}
        nodes = [
            node
            for node, parent in tree.parents.items()
            if (parent is None or parent in told) and not any(up in published for up in tree.above(node)[1:])
        ]
        supported = [{up for item in t if item in tree.parents for up in tree.above(item)} for t in transactions]
    else:
        m, n = promise["p" if "p" in promise else "m"], 0
        nodes = published
        supported = [t & set(published) for t in transactions]
    leaves = {node: tree.leaves(node) for node in nodes}
    for present in power_set(nodes, m):
        for absent in power_set([node for node in nodes if node not in present], n):
            itemset = (*present, *absent)
            if not itemset or sum(leaves[node] for node in absent) > n:
                continue
            if promise["model"] == "kl-privacy" and any(
                x in tree.above(y) or y in tree.above(x) for x, y in combinations(itemset, 2)
            ):
                continue
            yield [
                original
                for original, t in zip(transactions, supported, strict=True)
                if t.issuperset(present) and t.isdisjoint(absent)
            ]


def keeps_limits(tree: Tree, transactions: list[set[str]], sensitive: Sequence[str], promise: dict[str, Any]) -> bool:
    """Whether no itemset within the adversary's power is a threat: all of them are counted."""
    share = Fraction(promise["h"]) if "h" in promise else Fraction(1, promise.get("l", 1))
    for having in supporting(tree, transactions, sensitive, promise):
        if 0 < len(having) < promise["k"]:
            return False
        if any(sum(item in t for t in having) > share * len(having) for item in sensitive):
            return False
    return True


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Two to four levels, ragged, at most eleven nodes."""
    parents: dict[str, str | None] = {"r": None}
    children: Counter[str] = Counter()
    for number in range(draw(st.integers(2, 9))):
        parent = draw(st.sampled_from([node for node in parents if len(node) < 4 and children[node] < 4]))
        children[parent] += 1
        parents[f"{parent}{'abcdefghij'[number]}"] = parent
    return Tree(parents)


@st.composite
def releases(draw: st.DrawFn, local: bool = False) -> tuple[Tree, list[set[str]], list[str]]:
    """Transactions over a cut of a tree, or over any nodes, with up to two sensitive items; some nodes never occur."""
    tree = draw(trees())
    nodes = list(tree.parents)
    if not local:
        cut: list[str] = []
        for node in draw(st.permutations(nodes)):
            if not any(node in tree.above(other) or other in tree.above(node) for other in cut):
                cut.append(node)
        nodes = cut
    sensitive = ["s1", "s2"][: draw(st.integers(0, 2))]
    basket = st.sets(st.sampled_from(nodes), max_size=5)
    distinct = draw(st.lists(st.tuples(basket, st.sets(st.sampled_from(["s1", "s2"]), max_size=1)), max_size=7))
    times = draw(st.lists(st.integers(1, 4), min_size=len(distinct), max_size=len(distinct)))
    return (
        tree,
        [
            items | (hidden & set(sensitive))
            for (items, hidden), number in zip(distinct, times, strict=True)
            for _ in range(number)
        ],
        sensitive,
    )


def agrees(tree: Tree, transactions: list[set[str]], sensitive: list[str], promise: dict[str, Any]) -> None:
    stated = certificate(sensitive=sensitive, promise=[promise])
    verdict = Release([sorted(t) for t in transactions], stated, tree.text()).verify()
    assert verdict.holds == keeps_limits(tree, transactions, sensitive, promise), verdict
    assert verdict.rows == len(transactions)
    for breach in verdict.breaches:
        for witness in breach.witnesses:
            is_threat(witness, tree, transactions, promise)


def is_threat(witness: str, tree: Tree, transactions: list[set[str]], promise: dict[str, Any]) -> None:
    """A witness is a sentence that counting confirms."""
    itemset, _, said = witness.partition(": ")
    decorated = [part.replace("'", "").split(" ") for part in itemset.split(", ")]
    supported = [{up for item in t if item in tree.parents for up in tree.above(item)} for t in transactions]
    having = [
        original
        for original, t in zip(transactions, supported, strict=True)
        if all(
            (node in (t if promise["model"] == "kl-privacy" else original)) == (sign == "present")
            for node, sign in decorated
        )
    ]
    assert sum(sign == "present" for _, sign in decorated) <= promise["p" if "p" in promise else "m"]
    assert sum(tree.leaves(node) for node, sign in decorated if sign == "absent") <= promise.get("n", 0)
    words = said.split(" ")
    if "fewer" in words:
        assert 0 < len(having) == int(words[0]) < promise["k"]
    else:
        item, _, holders, _, size = words[:5]
        assert int(holders) == sum(item.strip("'") in t for t in having)
        assert int(size) == len(having)
        share = Fraction(promise["h"]) if "h" in promise else Fraction(1, promise["l"])
        assert int(holders) > share * len(having)


kl_promises = st.fixed_dictionaries(
    {
        "model": st.just("kl-privacy"),
        "k": st.integers(1, 4),
        "l": st.integers(1, 3),
        "m": st.integers(1, 4),
        "n": st.integers(0, 4),
    }
)
published_promises = st.one_of(
    st.fixed_dictionaries({"model": st.just("km-anonymity"), "k": st.integers(1, 4), "m": st.integers(1, 4)}),
    st.fixed_dictionaries(
        {
            "model": st.just("coherence"),
            "k": st.integers(1, 4),
            "h": st.sampled_from(["0", "1/3", "0.5", "2/3", "1"]),
            "p": st.integers(1, 4),
        }
    ),
)


@examples(160)
@given(releases(), kl_promises)
def test_kl_privacy_is_what_the_definition_says(
    release: tuple[Tree, list[set[str]], list[str]], promise: dict[str, Any]
) -> None:
    agrees(*release, promise)


@examples(100)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(0, 3))
@example(101, 3, 1)  # in these three, only three present items and an absent one have the smallest support
@example(194, 3, 1)
@example(276, 3, 1)
def test_the_largest_k_that_holds_is_the_smallest_support(seed: int, m: int, n: int) -> None:
    """Dense transactions of many copies, at the very border: k holds, k + 1 does not."""
    random = Random(seed)
    tree = Tree(
        {"r": None, "A": "r", **{item: random.choice(["r", "A"]) for item in "abcdefg"[: random.randint(3, 7)]}}
    )
    density = random.choice([0.4, 0.6, 0.8])
    items = [node for node in tree.parents if node not in ("r", "A") or node not in tree.parents.values()]
    transactions: list[set[str]] = []
    for _ in range(random.randint(4, 16)):
        transactions += [{item for item in items if random.random() < density}] * random.randint(1, 9)
    promise = {"model": "kl-privacy", "k": 1, "l": 1, "m": m, "n": n}
    k = min(filter(None, map(len, supporting(tree, transactions, [], promise))), default=0)
    if k:
        agrees(tree, transactions, [], {**promise, "k": k})
        agrees(tree, transactions, [], {**promise, "k": k + 1})


@examples(20)
@given(st.integers(0, 2**32))
def test_joint_weights_are_products(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, some, others = random.integers(0, 200), random.integers(0, 9), random.integers(0, 9)
    left, right = random.random((rows, some)) < 0.5, random.random((rows, others)) < 0.3
    weights = random.integers(1, 100, rows)
    expected = np.einsum("r,rs,ro->so", weights, left.astype(int), right.astype(int))
    for small in (0, 1 << 30):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(itemsets_module, "_SMALL_PRODUCT", small)
            patch.setattr(itemsets_module, "_WORDS_AT_ONCE", 8)
            assert (itemsets_module._joint(weights, left, right) == expected).all()


@examples(80)
@given(releases(local=True), published_promises)
def test_promises_of_published_items_are_what_the_definition_says(
    release: tuple[Tree, list[set[str]], list[str]], promise: dict[str, Any]
) -> None:
    agrees(*release, promise)


@examples(40)
@given(releases(), kl_promises)
def test_large_products_count_the_same(
    release: tuple[Tree, list[set[str]], list[str]], promise: dict[str, Any]
) -> None:
    """By bits, a column or two at once, whatever the size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemsets_module, "_SMALL_PRODUCT", 0)
        patch.setattr(itemsets_module, "_WORDS_AT_ONCE", 4)
        agrees(*release, promise)


@examples(40)
@given(releases(local=True), st.integers(1, 4))
def test_transactional_k_anonymity_is_about_equal_sets(release: tuple[Tree, list[set[str]], list[str]], k: int) -> None:
    tree, transactions, sensitive = release
    sizes = Counter(frozenset(t - set(sensitive)) for t in transactions)
    stated = certificate(sensitive=sensitive, promise=[{"model": "transactional-k-anonymity", "k": k}])
    verdict = Release([sorted(t) for t in transactions], stated, tree.text()).verify()
    assert verdict.holds == all(size >= k for size in sizes.values())
    assert verdict.partitions == len(sizes)


@examples(40)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.sets(st.sampled_from(["Beer", "Milk"]))), min_size=1, max_size=9),
    st.dictionaries(st.tuples(st.integers(1, 4), st.sampled_from(["Viagra", "PregnancyTest"])), st.integers(1, 4)),
    st.integers(1, 3),
)
def test_privacy_degree_counts_in_groups(
    baskets: list[tuple[int, set[str]]], counts: dict[tuple[int, str], int], p: int
) -> None:
    rows = [
        f"{group},{number},{item}\n"
        for number, (group, items) in enumerate(baskets)
        for item in (sorted(items) or [""])
    ]
    sizes = Counter(group for group, _ in baskets)
    sensitive = "".join(f"{group},{item},{number}\n" for (group, item), number in counts.items())
    verdict = grouped("group,transaction,item\n" + "".join(rows), "group,item,count\n" + sensitive, p).verify()
    broken = sum(number * p > sizes[group] for (group, _), number in counts.items())
    assert kinds(verdict) == (["privacy-degree"] if broken else [])
    assert sum(len(breach.witnesses) for breach in verdict.breaches) == min(broken, 10)
    assert (verdict.rows, verdict.partitions) == (len(baskets), len(sizes))


# --- single cases ---------------------------------------------------------------------------------------------


def test_the_witnesses_name_the_itemset_its_support_and_the_share() -> None:
    promise = {**KL, "l": 2, "m": 1, "n": 1}
    data = [["Liquor", "Viagra"], ["Liquor", "Viagra"], ["Liquor", "Milk"], ["Liquor", "Milk"], ["Liquor"]]
    verdict = Release(data, certificate(promise=[promise])).verify()
    assert kinds(verdict) == ["kl-privacy"]
    assert "'Liquor' present, 'Milk' absent: 'Viagra' in 2 of 3 transactions, more than 1/2 of them" in str(verdict)
    few = Release([["Beer"], ["Beer", "Milk"], ["Milk"]], certificate(promise=[KM])).verify()
    (witness,) = few.breaches[0].witnesses
    assert sorted(witness.partition(": ")[0].split(", ")) == ["'Beer' present", "'Milk' present"]
    assert witness.endswith(": 1 transaction, fewer than 2")


def test_items_above_the_published_ones_count_for_what_is_inferred() -> None:
    """R(a1, a2), {a1, s}, {a2, s}, {a1, a2}: a1 and a2 are each half sensitive, what lies above them is two thirds."""
    promise = {"model": "kl-privacy", "k": 1, "l": 2, "m": 1, "n": 0}
    release = Release([["a1", "s"], ["a2", "s"], ["a1", "a2"]], certificate(sensitive=["s"], promise=[promise]))
    release.items = "a1;R\na2;R\n"
    assert release.verify().breaches[0].witnesses == ("'R' present: 's' in 2 of 3 transactions, more than 1/2 of them",)
    release.stated["promise"] = [{"model": "coherence", "k": 1, "h": "1/2", "p": 1}]
    assert release.verify().holds


def test_what_all_know_to_be_absent_is_the_whole_file() -> None:
    promise = {"model": "kl-privacy", "k": 3, "l": 1, "m": 1, "n": 2}
    release = Release([[], []], certificate(promise=[promise]))
    release.items = "a;R\nb;R\n"
    (breach,) = release.verify().breaches
    assert breach.witnesses[0] == "'R' absent: 2 transactions, fewer than 3"
    release.stated["promise"] = [{**promise, "n": 1}]  # to know R absent is to know two leaves absent
    assert release.verify().holds


def test_at_most_ten_witnesses_of_many() -> None:
    items = [f"i{number}" for number in range(40)]
    release = Release([[item] for item in items], items="".join(f"{item};*\n" for item in items))
    verdict = release.verify()
    assert kinds(verdict) == ["kl-privacy"]
    assert len(verdict.breaches[0].witnesses) == 10
    assert verdict.breaches[0].sentence.startswith("At least 10 itemsets")


def test_items_on_one_path_break_kl_privacy_alone() -> None:
    data = [["Liquor"], ["Liquor"], ["Beer"], ["Beer"]]
    assert kinds(Release(data).verify()) == ["exclusiveness"]
    for promise in (
        KM,
        {"model": "transactional-k-anonymity", "k": 2},
        {"model": "coherence", "k": 2, "h": "1", "p": 3},
    ):
        assert Release(data, certificate(promise=[promise])).verify().holds


def test_no_transactions_keep_every_promise_and_are_noted() -> None:
    verdict = Release("").verify()
    assert verdict.holds
    assert verdict.rows == 0
    assert verdict.hollow == "The release has no transactions."


def test_a_given_promise_replaces_the_stated_one(tmp_path: Path) -> None:
    folder = Release([["Beer"], ["Beer"]]).write(tmp_path)
    assert verify_release(folder).holds
    assert not verify_release(folder, [{**KL, "k": 3}]).holds


def test_sensitive_items_beside_the_others_of_a_group_are_a_breach() -> None:
    data = "group,transaction,item\n1,1,Beer\n1,1,Viagra\n1,2,Beer\n"
    assert kinds(grouped(data, "group,item,count\n").verify()) == ["linked"]


# --- shapes ---------------------------------------------------------------------------------------------------

BASKETS = [["Beer", "Milk"], [], ["Beer", "Milk", "Viagra"], []]


def in_shape(shape: str, folder: Path) -> Path:
    data = {"dat": "data.dat", "parquet": "data.parquet"}.get(shape, "data.csv")
    stated = certificate(shape=shape, data=data)
    text = ""
    if shape == "dat":
        text = "Beer Milk\n\nBeer Milk Viagra\n\n"
    elif shape == "basket":
        stated["separator"] = ","
        text = 'Beer,Milk\n\n"Beer",Milk,Viagra\n\n'
    elif shape == "long":
        text = "transaction,item\n7,Beer\n2,\n3,Viagra\n7,Milk\n3,Beer\n3,Milk\n9,\n"
    Release(text, stated).write(folder)
    if shape == "parquet":
        table = pa.table({"items": pa.array(BASKETS, pa.list_(pa.string()))})
        pq.write_table(table, folder / data, store_schema=False)
    return folder


@pytest.mark.parametrize("shape", ["dat", "basket", "long", "parquet"])
def test_every_shape_is_read_alike(shape: str, tmp_path: Path) -> None:
    folder = in_shape(shape, tmp_path)
    verdict = verify_release(folder)
    assert verdict.holds
    assert (verdict.rows, verdict.partitions) == (4, 2)
    coherence = {"model": "coherence", "k": 2, "h": "1/3", "p": 1}
    broken = verify_release(folder, [{"model": "transactional-k-anonymity", "k": 3}, coherence])
    assert kinds(broken) == ["transactional-k-anonymity", "coherence"]
    assert "the set of no items: 2 transactions, fewer than 3" in broken.breaches[0].witnesses
    assert "'Beer' present: 'Viagra' in 1 of 2 transactions, more than 1/3 of them" in broken.breaches[1].witnesses


def test_items_of_any_text_in_a_quoted_basket() -> None:
    items = ['a "b"', "c, d", "e\u2028f", "g\nh"]
    taxonomy = "".join(csv_line([item, "*"], ";") for item in items)
    data = csv_line(items, ",") * 2
    stated = certificate(shape="basket", separator=",", data="data.csv")
    assert Release(data, stated, taxonomy).verify().rows == 2


def csv_line(cells: Sequence[str], separator: str) -> str:
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    return separator.join(quoted) + "\n"


def test_escaped_items_are_read_without_the_apostrophe() -> None:
    stated = certificate(shape="long", data="data.csv", escaped_formulas=True)
    release = Release("transaction,item\n1,'=A\n2,'=A\n", stated, "'=A;*\n")
    assert release.verify().holds
    release.data = "transaction,item\n1,=A\n2,'=A\n"
    with pytest.raises(InputError, match="escaping"):
        release.verify()


# --- what cannot be understood --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 1}, "unknown key 'seed'"),
        ({"separator": ","}, "unknown key 'separator'"),
        ({"sensitive_data": "sensitive.csv"}, "unknown key 'sensitive_data'"),
        ({"shape": "wide"}, "'wide' is unknown"),
        ({"shape": None}, "shape should be a text"),
        ({"shape": "basket"}, "lacks the key 'separator'"),
        ({"shape": "long"}, "end in .csv"),
        ({"taxonomy": "../1-items.csv"}, "leaves the folder"),
        ({"taxonomy": "none.csv"}, "does not have it"),
        ({"sensitive": "Viagra"}, "should be a list"),
        ({"sensitive": [3]}, "should be a text"),
        ({"sensitive": ["Viagra", "Viagra"]}, "'Viagra' occurs twice"),
        ({"sensitive": ["Viagra", "Liquor"]}, "'Liquor' is also in the taxonomy"),
        ({"escaped_formulas": True}, "only CSV files"),
        ({"promise": []}, "at least one"),
        ({"promise": [{**KL, "k": 0}]}, "k should be a whole number from 1"),
        ({"promise": [{**KL, "m": 0}]}, "m should be a whole number from 1"),
        ({"promise": [{**KL, "n": -1}]}, "n should be a whole number from 0"),
        ({"promise": [{**KL, "n": True}]}, "n should be a whole number"),
        ({"promise": [{**KL, "p": 1}]}, "unknown key 'p'"),
        ({"promise": [{"model": "km-anonymity", "k": 2}]}, "lacks the key 'm'"),
        ({"promise": [{"model": "coherence", "k": 2, "h": 0.3, "p": 2}]}, "not exact"),
        ({"promise": [{"model": "k-anonymity", "k": 2}]}, "not one this version can verify"),
        ({"promise": [{"model": "privacy-degree", "p": 2}]}, "and of no other"),
    ],
)
def test_a_certificate_that_is_not_understood_is_refused(change: dict[str, object], said: str) -> None:
    release = Release([["Beer"], ["Beer"]], certificate(**change))
    with pytest.raises(InputError, match=said):
        release.verify()


@pytest.mark.parametrize(
    ("shape", "data", "said"),
    [
        ("dat", "Beer Gin\nGin\n", r"1 item neither in the taxonomy nor sensitive: 'Gin' \(2 transactions\)"),
        ("dat", "Beer\nMilk Beer Milk\n", "transaction 2 has the item 'Milk' twice"),
        ("dat", "Beer  Milk\n", "line 1: items are separated by one blank"),
        ("dat", "Beer\n Milk\n", "line 2: items are separated by one blank"),
        ("dat", "Beer\tMilk\n", "line 1: items are separated by one blank"),
        ("dat", "Beer\r\n", "line 1: items are separated by one blank"),
        ("dat", "\ufeffBeer\n", "byte order mark"),
        ("dat", "Beer\0\n", "NUL"),
        ("basket", "Beer,\n", "empty item"),
        ("basket", "Beer, Milk\n", "a blank before"),
        ("basket", 'Be"er"\n', "a quote is next to text"),
        ("basket", '"Be"er\n', "a quote is next to text"),
        ("basket", 'Beer"\n', "ends inside quotes"),
        ("basket", "Beer\rMilk\n", "carriage return"),
        ("basket", "Beer,Beer\n", "twice"),
        ("long", "item,transaction\nBeer,1\n", "the columns should be transaction,item"),
        ("long", "transaction,item\n1,Beer\n1,\n", "transaction '1' has an empty item beside others"),
        ("long", "transaction,item\n1,Beer\n1,Beer\n", "twice"),
        ("long", "transaction,item\n,Beer\n", "a transaction has no name"),
        ("long", "transaction,item\n1,Beer,2\n", "cannot be read"),
    ],
)
def test_data_that_readers_could_take_differently_are_refused(shape: str, data: str, said: str) -> None:
    stated = certificate(shape=shape, data="data.dat" if shape == "dat" else "data.csv")
    if shape == "basket":
        stated["separator"] = ","
    with pytest.raises(InputError, match=said):
        Release(data, stated).verify()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pa.table({"a": [["Beer"]], "b": [["Milk"]]}), "one column of lists"),
        (pa.table({"items": ["Beer"]}), "one column of lists"),
        (pa.table({"items": [[1]]}), "should be texts"),
        (pa.table({"items": [["Beer", None]]}), "missing"),
        (pa.table({"items": [["Beer"], None]}), "missing"),
        (pa.table({"items": [["Beer", ""]]}), "no label"),
    ],
)
def test_lists_that_are_no_transactions_are_refused(table: Any, said: str, tmp_path: Path) -> None:
    Release("", certificate(shape="parquet", data="data.parquet")).write(tmp_path)
    pq.write_table(table, tmp_path / "data.parquet")
    with pytest.raises(InputError, match=said):
        verify_release(tmp_path)


@pytest.mark.parametrize(
    ("data", "sensitive", "said"),
    [
        ("1,1,Beer\n2,1,Milk\n", "", "transaction '1' is in two groups"),
        ("1,1,Beer\n1,2,Beer\n", "1,Viagra,0\n", "not a whole number from 1"),
        ("1,1,Beer\n1,2,Beer\n", "1,Viagra,-1\n", "not a whole number from 1"),
        ("1,1,Beer\n1,2,Beer\n", "1,Viagra,1.0\n", "not a whole number from 1"),
        ("1,1,Beer\n1,2,Beer\n", "1,Viagra,1\n1,Viagra,1\n", "occurs twice"),
        ("1,1,Beer\n1,2,Beer\n", "1,Aspirin,1\n", "not a sensitive item"),
    ],
)
def test_groups_that_cannot_be_counted_are_refused(data: str, sensitive: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        grouped("group,transaction,item\n" + data, "group,item,count\n" + sensitive).verify()


def test_only_groups_promise_a_privacy_degree() -> None:
    release = grouped("group,transaction,item\n1,1,Beer\n", "group,item,count\n")
    release.stated["promise"] = [KM]
    with pytest.raises(InputError, match="and of no other"):
        release.verify()


def test_a_taxonomy_with_a_nameless_leaf_is_refused() -> None:
    with pytest.raises(InputError, match="no label"):
        Release([["Beer"], ["Beer"]], items="Beer;*\n;*\n").verify()
