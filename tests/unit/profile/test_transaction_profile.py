"""Profiles of transactions: every count against its definition, and a policy that can be kept."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from discreet.cli import main
from discreet.commands.inspect import inspect
from discreet.errors import InputError
from discreet.models.kl_privacy import KLPrivacy
from discreet.policy import Policy, TransactionPolicy
from discreet.policy.file import as_mapping, read_yaml
from discreet.profile.transactions.profile import exposures, profile_transactions, why_sensitive
from discreet.profile.transactions.starter_policy import starter_transaction_policy
from discreet.read.transactions import RawTransactions
from discreet.values.sets import Sets
from examples import examples

HOME = Path(__file__).resolve().parents[3]
DEMO = HOME / "src" / "discreet" / "demo" / "transactions"

Baskets = list[frozenset[str]]

few_items = st.frozensets(st.sampled_from("abcdef"), max_size=5)
baskets_of = st.lists(few_items, min_size=1, max_size=14).filter(any)


def raw(baskets: list[frozenset[str]] | list[list[str]]) -> RawTransactions:
    items = tuple(sorted({item for basket in baskets for item in basket}))
    sets = Sets.of([items.index(item) for item in basket] for basket in baskets)
    duplicates = sum(len(basket) - len(set(basket)) for basket in baskets)
    return RawTransactions("basket", ",", items, sets, duplicates, "baskets")


def by_definition(baskets: Baskets, present: int, absent: int) -> tuple[Fraction, Fraction]:
    """The chances that one transaction and that fewer than five are left, over every case with its weight."""
    single = small = Fraction(0)
    bought = Counter(item for basket in baskets for item in basket)
    for basket in baskets:
        cases = list(combinations(sorted(basket), min(present, len(basket))))
        others = {item: count for item, count in bought.items() if item not in basket}
        unseen: list[tuple[str | None, Fraction]] = [(None, Fraction(1))]
        if absent and others:
            unseen = [(item, Fraction(count, sum(others.values()))) for item, count in others.items()]
        for case in cases:
            for item, weight in unseen:
                left = sum(set(case) <= other and item not in other for other in baskets)
                single += weight / len(cases) * (left == 1)
                small += weight / len(cases) * (left < 5)
    return single / len(baskets), small / len(baskets)


def parsed(text: str) -> TransactionPolicy:
    policy = Policy.parse(as_mapping(read_yaml(text, "starter"), "starter"))
    assert isinstance(policy, TransactionPolicy)
    return policy


# --- Counts -------------------------------------------------------------------------------------------------


def test_the_counts_of_a_few_baskets() -> None:
    profile = profile_transactions(
        raw([["tea", "tea", "milk"], ["milk"], ["milk"], [], ["milk", "rice", "tea"]]), np.random.default_rng(1)
    )
    assert (profile.transactions, profile.items, profile.occurrences, profile.duplicates) == (5, 3, 7, 1)
    lengths = profile.lengths
    assert (lengths.shortest, lengths.median, lengths.mean, lengths.longest, lengths.empty) == (0, 1, 1.4, 3, 1)
    assert [(item.name, item.transactions) for item in profile.most_frequent] == [("milk", 4), ("tea", 2), ("rice", 1)]
    assert [item.name for item in profile.least_frequent] == ["rice", "tea", "milk"]
    assert (profile.rare_items, profile.distinct, profile.unique, profile.small) == (3, 4, 3, 5)


@settings(deadline=None)
@given(baskets_of)
def test_one_and_two_known_items_are_counted_exactly(baskets: Baskets) -> None:
    source = raw(baskets)
    found = {
        (found.present, found.absent): found
        for found in exposures(source.sets, len(source.items), np.random.default_rng(1), draws=3)
    }
    for present in (1, 2):
        exposure = found[present, 0]
        assert exposure.draws is None
        expected = by_definition(baskets, present, 0)
        assert (exposure.single, exposure.small) == pytest.approx([float(share) for share in expected], abs=1e-9)
    assert all(found[key].draws == 3 for key in ((1, 1), (2, 1), (3, 0), (3, 1)))


@settings(deadline=None)
@given(baskets_of, st.integers(0, 2**32))
def test_more_knowledge_never_tells_less(baskets: Baskets, seed: int) -> None:
    source = raw(baskets)
    for most_pair_work in (0, 10**6):
        found = {
            (found.present, found.absent): (found.single, found.small)
            for found in exposures(source.sets, len(source.items), np.random.default_rng(seed), 5, most_pair_work)
        }
        steps = [((present, 0), (present, 1)) for present in (1, 2, 3)] + [((1, 0), (2, 0)), ((2, 0), (3, 0))]
        for less, more in steps:
            assert all(0 <= a <= b + 1e-9 and b <= 1 for a, b in zip(found[less], found[more], strict=True))


@pytest.mark.parametrize("most_pair_work", [0, 10**6])
def test_what_is_drawn_comes_near_the_truth(most_pair_work: int) -> None:
    random = np.random.default_rng(5)
    liking = np.array([0.8, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05])
    baskets = [frozenset(np.array(list("abcdefg"))[random.random(7) < liking].tolist()) for _ in range(40)]
    source = raw(baskets)
    for found in exposures(source.sets, len(source.items), random, 4000, most_pair_work):
        expected = by_definition(baskets, found.present, found.absent)
        assert (found.single, found.small) == pytest.approx([float(share) for share in expected], abs=0.04)


def test_pairs_are_counted_in_parts_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    source = raw([frozenset(map(str, random.integers(60, size=8))) for _ in range(300)])
    whole = list(exposures(source.sets, len(source.items), np.random.default_rng(1), 10))
    monkeypatch.setattr("discreet.profile.transactions.profile.WORK_AT_A_TIME", 100)
    assert list(exposures(source.sets, len(source.items), np.random.default_rng(1), 10)) == whole


# --- Sensitive items ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("HIV self-test", "infection"),
        ("hiv_test", "infection"),
        ("PregnancyTest", "pregnancy"),
        ("Schwangerschaftstest", "pregnancy"),
        ("test de grossesse", "pregnancy"),
        ("Morning-after pill", "pregnancy"),
        ("Viagra 50mg", "sexuality"),
        ("Nikotinpflaster", "addiction"),
        ("psychotherapy session", "mental health"),
        ("Antidepressants", "mental health"),
        ("Brain tumour", "illness"),
    ],
)
def test_names_that_tell(name: str, word: str) -> None:
    reason = why_sensitive(name)
    assert reason is not None and word in reason


@pytest.mark.parametrize("name", ["", "39", "milk", "Essex cheese", "archive", "band aid", "beer", "x" * 10**6, "名前"])
def test_names_that_tell_nothing(name: str) -> None:
    assert why_sensitive(name) is None


def test_what_too_many_have_is_not_proposed_but_told() -> None:
    baskets = [["viagra", "milk"]] * 6 + [["milk", "hiv test"]] * 2 + [["bread"]] * 2
    profile = profile_transactions(raw(baskets), np.random.default_rng(1))
    assert [item.name for item in profile.too_frequent] == ["viagra"]
    assert [(item.name, item.transactions) for item in profile.sensitive] == [("hiv test", 2)]
    policy = starter_transaction_policy(profile, None, "baskets.dat")
    assert "viagra would be here because of the name" in " ".join(policy.replace("#", " ").split())


@examples(25)
@given(
    st.lists(
        st.frozensets(st.sampled_from(["viagra", "hiv", "nicotine", "milk", "tea"])), min_size=1, max_size=12
    ).filter(any)
)
def test_what_is_proposed_can_be_promised(baskets: Baskets) -> None:
    """The release in which all other items are one keeps the promise."""
    profile = profile_transactions(raw(baskets), np.random.default_rng(1), draws=1)
    policy = parsed(starter_transaction_policy(profile, None, "baskets.dat"))
    promise = policy.promise
    assert isinstance(promise, KLPrivacy)
    secrets = {item.name for item in profile.sensitive}
    with_others = [basket for basket in baskets if basket - secrets]
    assert with_others
    assert isinstance(policy.sensitive, tuple) and set(policy.sensitive) == secrets
    assert promise.k <= len(with_others)
    for secret in secrets:
        assert sum(secret in basket for basket in with_others) * promise.l <= len(with_others)


@pytest.mark.parametrize(
    "name",
    ["hiv: yes", "- hiv", "hiv # no", "'hiv'", 'hiv "x"', "hiv\\", "hiv\x1b[2J", "hiv \u2028", "hiv " + "x" * 3000],
)
def test_any_name_of_a_sensitive_item_survives_in_the_policy(name: str) -> None:
    profile = profile_transactions(raw([[name, "milk"], ["milk"], ["tea"]]), np.random.default_rng(1))
    assert parsed(starter_transaction_policy(profile, ",", 'a: b #".csv')).sensitive == (name,)


# --- inspect ------------------------------------------------------------------------------------------------

BASKETS = [["milk", "hiv test"], ["milk"], ["milk", "tea"], ["tea"]] * 3


def dat(folder: Path) -> Path:
    path = folder / "baskets.dat"
    path.write_text("".join(" ".join(item.replace(" ", "_") for item in basket) + "\n" for basket in BASKETS))
    return path


def long(folder: Path) -> Path:
    path = folder / "baskets.csv"
    rows = (f"{number},{item}\n" for number, basket in enumerate(BASKETS) for item in basket)
    path.write_text("transaction,item\n" + "".join(rows))
    return path


def lists(folder: Path) -> Path:
    path = folder / "baskets.parquet"
    parquet.write_table(pa.table({"items": BASKETS}), path)
    return path


def compressed(folder: Path) -> Path:
    path = folder / "baskets.dat.gz"
    with pa.CompressedOutputStream(str(path), "gzip") as file:
        file.write(dat(folder).read_bytes())
    return path


@pytest.mark.parametrize("write", [dat, long, lists, compressed])
def test_transactions_are_recognized(write: Callable[[Path], Path], tmp_path: Path) -> None:
    inspection = inspect(write(tmp_path), tmp_path / "policy.yaml", seed=1)
    found = json.loads(json.dumps(inspection.as_dict()))
    assert (found["kind"], found["transactions"], found["items"], found["occurrences"]) == ("transactions", 12, 3, 18)
    assert found["whole"] == {"distinct": 4, "unique": 0, "in_groups_under_5": 12}
    assert [item["transactions"] for item in found["sensitive"]] == [3]
    assert found["knowing"][0] == {"present": 1, "absent": 0, "singled_out": 0, "among_under_5": 1 / 8, "draws": None}
    policy = Policy.load(tmp_path / "policy.yaml")
    assert isinstance(policy, TransactionPolicy) and isinstance(policy.sensitive, tuple)
    assert len(policy.sensitive) == 1


def test_the_seed_settles_the_draws() -> None:
    first, second = (inspect(BASKETS, kind="transactions", seed=4) for _ in range(2))
    assert first == second


def test_tables_stay_tables(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("transaction,item,price\n1,milk,2\n2,tea,3\n")
    assert inspect(path).as_dict()["kind"] == "table"
    path.write_text("transaction,item\n1,milk\n2,tea\n")
    assert inspect(path, kind="table").rows == 2


def test_baskets_without_a_separator_are_told_the_way(tmp_path: Path) -> None:
    path = tmp_path / "baskets.csv"
    path.write_text("".join(",".join(basket) + "\n" for basket in BASKETS))
    for kind in (None, "transactions"):
        with pytest.raises(InputError, match=r"--separator ','\.$"):
            inspect(path, kind=kind)
    assert inspect(path, separator=",").as_dict()["shape"] == "basket"
    with pytest.raises(InputError, match="only for transactions"):
        inspect(path, kind="table", separator=",")


def test_other_faults_of_a_table_do_not_speak_of_baskets(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,\xff\n")
    with pytest.raises(InputError, match="not UTF-8") as raised:
        inspect(path)
    assert "basket" not in str(raised.value)


def test_transactions_without_any_item_get_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "empty.dat"
    path.write_text("\n\n\n")
    with pytest.raises(InputError, match="only empty transactions"):
        inspect(path, tmp_path / "policy.yaml")
    assert not (tmp_path / "policy.yaml").exists()


def test_the_command_fits_a_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    hostile = ["\x1b[2J", "名前" * 40, "x" * 500, "\u202e", "hiv " + "y" * 300, "<b>"]
    path = tmp_path / "baskets.csv"
    path.write_text("".join(f"{item},milk,{item}\n,tea\n" for item in hostile), encoding="utf-8")
    assert main(["inspect", str(path), "--separator", ","]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "/" not in line]
    assert all(line.isprintable() and len(line) <= 80 for line in lines)
    for words in ("12 transactions of 8 items", "6 items that a transaction named", "2 items, and 1 that is absent"):
        assert any(words in line for line in lines), words


# --- The demo's data ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_demo_baskets", HOME / "examples" / "make_demo_baskets.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_demo_is_what_the_script_makes(script: ModuleType, tmp_path: Path) -> None:
    script.write(tmp_path)
    for name in ("baskets.csv", "taxonomy.csv"):
        assert (tmp_path / name).read_bytes() == (DEMO / name).read_bytes()


def test_the_sensitive_items_of_the_demo_are_those_proposed(script: ModuleType) -> None:
    inspection = inspect(DEMO / "baskets.csv", separator=",", kind="transactions", seed=1)
    policy = Policy.load(DEMO / "policy.yaml")
    assert isinstance(policy, TransactionPolicy) and isinstance(policy.sensitive, tuple)
    proposed = {item.name for item in inspection.profile.sensitive}
    assert proposed == set(policy.sensitive) == set(script.SENSITIVE)
    in_taxonomy = {row[0] for row in script.taxonomy_rows()}
    assert {item for basket in script.baskets() for item in basket} == in_taxonomy | proposed
    assert not in_taxonomy & proposed
