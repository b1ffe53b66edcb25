"""The policy for transactions: what it accepts, what follows from what, and the one sentence for the rest."""

import copy
import doctest
import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import discreet.policy.policy
import discreet.policy.transactions
from discreet.errors import InputError
from discreet.losses.transactions import TRANSACTION_LOSSES
from discreet.methods.method import kept
from discreet.methods.transactions import TRANSACTION_METHODS
from discreet.models.coherence import Coherence
from discreet.models.kl_privacy import KLPrivacy
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.privacy_degree import PrivacyDegree
from discreet.models.table import TABLE_MODELS
from discreet.models.transactional_k_anonymity import TransactionalKAnonymity
from discreet.models.transactions import TRANSACTION_MODELS
from discreet.policy import Policy, TablePolicy, TransactionPolicy
from discreet.policy.promises import promise_section
from discreet.policy.section import Section
from discreet.read.taxonomies import taxonomy_builder
from discreet.taxonomy import Even, Flat, LabelledTaxonomy, TaxonomyBuilder
from examples import examples

CONTRACT = """\
data: {kind: transactions, path: baskets.csv, separator: ","}
taxonomy: items.csv
sensitive: [Viagra, PregnancyTest, 0123]
on_missing: error
privacy: {model: kl-privacy, k: 5, l: 5, m: 3, n: 0}
search: {method: og, loss: lm, time_limit: 60, alpha: 0}
output: {format: same}
"""
SMALL = """\
data: {kind: transactions, path: baskets.dat}
privacy: {model: km-anonymity, k: 5, m: 2}
"""
PROMISES: dict[str, dict[str, Any]] = {
    "kl-privacy": {"model": "kl-privacy", "k": 5, "l": 2, "m": 3},
    "km-anonymity": {"model": "km-anonymity", "k": 5, "m": 2},
    "coherence": {"model": "coherence", "k": 5, "h": "2/5", "p": 2},
    "transactional-k-anonymity": {"model": "transactional-k-anonymity", "k": 5},
    "privacy-degree": {"model": "privacy-degree", "p": 4},
    "rho-uncertainty": {"model": "rho-uncertainty", "rho": "7/10"},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "policy.yaml"


def load(file: Path, text: str) -> TransactionPolicy:
    file.write_text(text, encoding="utf-8")
    policy = Policy.load(file)
    assert isinstance(policy, TransactionPolicy)
    return policy


def small(**sections: object) -> TransactionPolicy:
    policy = Policy.parse(yaml.safe_load(SMALL) | sections)
    assert isinstance(policy, TransactionPolicy)
    return policy


def promising(model: str, **sections: object) -> TransactionPolicy:
    return small(privacy=PROMISES[model], sensitive=["x"], **sections)


def builder_of(policy: TransactionPolicy) -> TaxonomyBuilder:
    return taxonomy_builder(policy.taxonomy, "items", "taxonomy")


def refusal(**sections: object) -> str:
    with pytest.raises(InputError) as caught:
        small(**sections)
    sentence = str(caught.value)
    assert sentence.startswith("policy: ") and sentence.endswith(".") and "\n" not in sentence
    return sentence


# What is read


def test_the_policy_of_the_contract(file: Path) -> None:
    policy = load(file, CONTRACT)
    assert (policy.data.kind, policy.data.path) == ("transactions", file.parent / "baskets.csv")
    assert (policy.data.separator, policy.on_missing, policy.output.format) == (",", "error", "same")
    assert policy.taxonomy == file.parent / "items.csv"
    assert policy.sensitive == ("Viagra", "PregnancyTest", "0123")
    assert policy.privacy == (KLPrivacy(5, 5, 3, 0),)
    assert policy.promise == KLPrivacy(5, 5, 3, 0)
    search = policy.search
    assert (search.method, search.loss, search.time_limit, search.alpha) == ("og", "lm", 60, Fraction(0))


def test_a_small_policy_has_defaults() -> None:
    policy = small()
    assert (policy.data.separator, policy.sensitive) == (None, ())
    assert (policy.on_missing, policy.output.format) == ("error", "same")
    assert builder_of(policy) == Flat()
    section = TransactionPolicy.section_at("search")
    assert policy.search == section(method="og", loss="lm", time_limit=None, alpha=Fraction(0))
    assert (policy.search.declared(), policy.search.options()) == (TRANSACTION_METHODS["og"], {})


@pytest.mark.parametrize("text", ["search:\n", "search:\n  # loss: ncp\noutput:\nsensitive:\n"])
def test_a_section_with_everything_commented_out_has_its_defaults(file: Path, text: str) -> None:
    assert load(file, SMALL + text).search == small().search


def test_transactions_in_memory_have_no_path() -> None:
    policy = small(data={"kind": "transactions"})
    assert policy.data.path is None
    assert policy.explain().startswith("Publishes the transactions it is given in the shape that they have: ")
    assert Policy.parse(policy.as_dict()) == policy


@pytest.mark.parametrize(
    ("written", "model"),
    [
        ({"model": "kl-privacy", "k": 5, "l": "2", "m": 3}, KLPrivacy(5, 2, 3, 0)),
        ({"model": "kl-privacy", "k": 5, "l": 2, "m": 3, "n": "4"}, KLPrivacy(5, 2, 3, 4)),
        ({"model": "km-anonymity", "k": 1, "m": 1}, KMAnonymity(1, 1)),
        ({"model": "coherence", "k": 5, "h": 0.4, "p": 2}, Coherence(5, Fraction(2, 5), 2)),
        ({"model": "transactional-k-anonymity", "k": 5}, TransactionalKAnonymity(5)),
        ([{"model": "km-anonymity", "k": 5, "m": 2}], KMAnonymity(5, 2)),
        (KMAnonymity(7, 2), KMAnonymity(7, 2)),
        ([KMAnonymity(7, 2)], KMAnonymity(7, 2)),
    ],
)
def test_promises(written: object, model: object) -> None:
    assert small(privacy=written).privacy == (model,)


@pytest.mark.parametrize(
    ("model", "method"),
    [
        ("kl-privacy", "og"),
        ("km-anonymity", "og"),
        ("coherence", "og"),
        ("transactional-k-anonymity", "partition"),
        ("privacy-degree", "permutation"),
        ("rho-uncertainty", "insertion"),
    ],
)
def test_the_default_method_keeps_the_promise(model: str, method: str) -> None:
    assert promising(model).search.method == method
    assert promising(model, search={"loss": "ncp"}).search.method == method
    assert promising(model, search=TransactionPolicy.section_at("search")(loss="ncp")).search.method == method


TOGETHER = {
    "og": {"kl-privacy", "km-anonymity", "coherence"},
    "mog": {"kl-privacy", "km-anonymity", "coherence"},
    "apriori": {"km-anonymity"},
    "greedy-suppression": {"coherence", "km-anonymity"},
    "partition": {"transactional-k-anonymity"},
    "permutation": {"privacy-degree"},
    "insertion": {"rho-uncertainty"},
    "partial-suppression": {"rho-uncertainty"},
    "global-suppression": {"rho-uncertainty"},
    "td-control": {"rho-uncertainty"},
    "trivial-suppression": {"rho-uncertainty"},
}


@pytest.mark.parametrize("method", TOGETHER)
@pytest.mark.parametrize("model", TRANSACTION_MODELS)
def test_which_method_goes_with_which_promise(model: str, method: str) -> None:
    if model in TOGETHER[method]:
        assert promising(model, search={"method": method}).search.method == method
        return
    with pytest.raises(InputError) as caught:
        promising(model, search={"method": method})
    assert f"search.method: {method} cannot keep {model}; use " in str(caught.value)
    able = str(caught.value).partition("; use ")[2].rstrip(".").replace(" or ", ", ").split(", ")
    assert set(able) == {other for other in TOGETHER if model in TOGETHER[other]}


@pytest.mark.parametrize("model", ["kl-privacy", "km-anonymity", "coherence", "transactional-k-anonymity"])
def test_most_promises_can_do_without_sensitive_items(model: str) -> None:
    assert small(privacy=PROMISES[model]).sensitive == ()


@pytest.mark.parametrize("path", ["a.csv", "A.CSV", "a.csv.gz", "a.b.csv.zst", "a.tsv"])
@pytest.mark.parametrize("separator", [",", ";", " ", "\t", "|"])
def test_separators(path: str, separator: str) -> None:
    policy = small(data={"kind": "transactions", "path": path, "separator": separator})
    assert policy.data.separator == separator


# Taxonomies and sensitive items


@pytest.mark.parametrize(
    ("written", "builder"),
    [
        ({"even": 5, "seed": 1}, Even(5, 1)),
        ({"even": "4"}, Even(4, 0)),
        ({"flat": True}, Flat()),
        ("*", Flat()),
    ],
)
def test_builders(written: object, builder: object) -> None:
    assert builder_of(small(taxonomy=written)) == builder


def test_a_taxonomy_file_is_read_from_the_folder_of_the_policy(file: Path) -> None:
    (file.parent / "items.csv").write_text("beer;drinks;*\nwine;drinks;*\n", encoding="utf-8")
    builder = builder_of(load(file, CONTRACT))
    assert isinstance(builder, LabelledTaxonomy)
    assert (builder.taxonomy.name, builder.taxonomy.leaf_labels) == ("items", ("beer", "wine"))


def test_the_error_of_a_taxonomy_file_names_its_key() -> None:
    with pytest.raises(InputError, match=r"^taxonomy: nowhere\.csv: there is no such"):
        builder_of(small(taxonomy="nowhere.csv"))


def test_sensitive_items_in_a_file(file: Path) -> None:
    policy = load(file, SMALL + "sensitive: secret.txt\n")
    assert policy.sensitive == file.parent / "secret.txt"


def test_sensitive_items_are_text() -> None:
    assert small(sensitive=[12, "12", "b", "a", "b"]).sensitive == ("12", "12", "b", "a", "b")


# What is refused

KIND = "this version publishes data of the kinds table and transactions"
COHERENCE = PROMISES["coherence"]


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"zzz": {}}, ["zzz: there is no such key", "data, taxonomy, sensitive, on_missing, privacy, search, output"]),
        ({"taxonmy": "x"}, ["taxonmy: there is no such key", "nearest is 'taxonomy'"]),
        ({"attributes": {}}, ["attributes: it goes with data of kind table, and these data are of kind transactions"]),
        ({"search": {"suppression": "vio-sa"}}, ["search.suppression: it goes with data of kind table", "remove it"]),
        ({"search": {"top_h": 3}}, ["search.top_h: it goes with data of kind table"]),
        ({"output": {"escape_formulas": True}}, ["output.escape_formulas: it goes with data of kind table"]),
        # data
        ({"data": {"kind": "query-log"}}, ["data.kind: query-log cannot be published yet", KIND, "kind: transactions"]),
        ({"data": {"kind": "trees"}}, ["data.kind: trees cannot be published yet", KIND]),
        ({"data": {"kind": "transaction"}}, ["data.kind: 'transaction'", "'query-log' or 'trees'"]),
        ({"data": {"kind": "transactions", "paht": "x"}}, ["data.paht", "nearest is 'path'"]),
        (
            {"data": {"kind": "transactions", "path": "x.dat", "separator": ","}},
            ["data.separator: it goes only with a .csv or .tsv file, and data.path is x.dat; remove it"],
        ),
        ({"data": {"kind": "transactions", "separator": ","}}, ["data.separator", "data.path names none"]),
        (
            {"data": {"kind": "transactions", "path": "csv", "separator": ","}},
            ["data.separator: it goes only with a .csv"],
        ),
        *(
            (
                {"data": {"kind": "transactions", "path": "x.csv", "separator": separator}},
                ["data.separator", "is not a separator", "one ASCII character"],
            )
            for separator in (",,", "", '"', "\n", "\0", "\u2028", 1, [","])
        ),
        # taxonomy
        ({"taxonomy": {"even": 1}}, ["taxonomy: even: a node needs at least 2 children, not 1"]),
        ({"taxonomy": {"even": 0}}, ["taxonomy.even: 0 is not a whole number of at least 1"]),
        ({"taxonomy": {"even": "x"}}, ["taxonomy.even: 'x' is not a whole number"]),
        ({"taxonomy": {"even": 4, "seed": -1}}, ["taxonomy.seed: -1 is not a whole number of at least 0"]),
        ({"taxonomy": {"even": 4, "sed": 1}}, ["taxonomy.sed: there is no such key", "nearest is 'seed'"]),
        ({"taxonomy": {"seed": 4}}, ["taxonomy: seed does not say what kind", "choose from even, ready, flat"]),
        ({"taxonomy": {"even": 4, "flat": True}}, ["only one taxonomy is allowed, not even and flat at once"]),
        ({"taxonomy": {"prefixes": [1]}}, ["prefixes does not say what kind", "choose from even, ready, flat"]),
        ({"taxonomy": 7}, ["taxonomy: 7 is not a taxonomy", "even, ready, flat"]),
        ({"taxonomy": ""}, ["taxonomy: '' is not a path"]),
        # sensitive
        ({"sensitive": {"a": 1}}, ["sensitive: {'a': 1} is neither a list nor a file"]),
        ({"sensitive": 7}, ["sensitive: 7 is neither a list nor a file"]),
        ({"sensitive": ""}, ["sensitive: '' is not a path"]),
        ({"sensitive": ["a", True]}, ["sensitive.1: true is not an item; write its text in quotes"]),
        ({"sensitive": [None, " "]}, ["sensitive.0: nothing is not an item", "1 more error"]),
        ({"sensitive": [["a"]]}, ["sensitive.0: ['a'] is not an item"]),
        ({"on_missing": "suppress"}, ["on_missing: 'suppress'", "'error' or 'drop'"]),
        # privacy
        ({"privacy": None}, ["privacy: nothing is not a mapping", "{model: km-anonymity, k: 5, m: 2}"]),
        ({"privacy": []}, ["privacy: there is no promise to keep", "kl-privacy, km-anonymity"]),
        ({"privacy": {"k": 4}}, ["privacy.model: this key is missing", "kl-privacy"]),
        ({"privacy": [COHERENCE] * 2}, ["privacy: transactions are published with one promise, not with 2 at once"]),
        ({"privacy": [{"model": "km-anonymity", "k": 5}]}, ["privacy.0.m: this key is missing"]),
        (
            {"privacy": {"model": "k-anonymity", "k": 5}},
            ["privacy.model: k-anonymity is a promise about data of kind table; choose from kl-privacy"],
        ),
        ({"privacy": {"model": "kl-privcy"}}, ["privacy.model: 'kl-privcy' is not a model", "nearest is 'kl-privacy'"]),
        ({"privacy": {"model": 7}}, ["privacy.model: 7 is not a model"]),
        *(
            (
                {"privacy": {**PROMISES["kl-privacy"], key: 0}},
                [f"privacy.{key}: 0 is not a whole number of at least 1"],
            )
            for key in "klm"
        ),
        ({"privacy": {**COHERENCE, "p": 0}}, ["privacy.p: 0 is not a whole number of at least 1"]),
        ({"privacy": {**PROMISES["kl-privacy"], "n": -1}}, ["privacy.n: -1 is not a whole number of at least 0"]),
        ({"privacy": {**PROMISES["kl-privacy"], "n": 0.5}}, ["privacy.n: 0.5 is not a whole number"]),
        ({"privacy": {**PROMISES["kl-privacy"], "n": None}}, ["privacy.n: nothing is not a whole number"]),
        ({"privacy": {**COHERENCE, "h": "3/2"}}, ["privacy.h: 3/2 is not between 0 and 1"]),
        ({"privacy": {**COHERENCE, "m": 2}}, ["privacy.m: there is no such key"]),
        ({"privacy": PROMISES["privacy-degree"]}, ["privacy: privacy-degree is about sensitive items", "sensitive"]),
        ({"privacy": PROMISES["rho-uncertainty"]}, ["privacy: rho-uncertainty is about sensitive items", "sensitive"]),
        ({"search": {"aim": "distribution"}}, ["search.aim: only partial-suppression has it, and the method is og"]),
        (
            {"search": {"leave_out": "all-but-one"}},
            ["search.leave_out: only trivial-suppression has it, and the method is og"],
        ),
        (
            {"privacy": PROMISES["privacy-degree"], "sensitive": []},
            ["privacy: privacy-degree is about sensitive items, and there are none"],
        ),
        # search
        ({"search": {"method": "l-plus-optimize"}}, ["search.method: 'l-plus-optimize'", "'og', 'mog'"]),
        ({"search": {"method": None}}, ["search.method: nothing"]),
        ({"search": {"method": "partition"}}, ["search.method: partition cannot keep km-anonymity"]),
        ({"search": {"loss": "dm"}}, ["search.loss: 'dm'", "'lm' or 'ncp'"]),
        ({"search": {"time_limit": 0}}, ["search.time_limit: 0 is not a number of seconds above 0"]),
        ({"search": {"alpha": -1}}, ["search.alpha: -1 is below 0"]),
        ({"search": ["og"]}, ["search: ['og'] is not a mapping", "method, loss, time_limit, alpha"]),
        # output
        ({"output": {"format": "csv"}}, ["output.format: 'csv'", "'same', 'dat', 'long', 'basket' or 'parquet'"]),
        (
            {"privacy": PROMISES["privacy-degree"], "sensitive": ["a"], "output": {"format": "dat"}},
            ["output.format: permutation writes groups", "not dat", "leave out the key"],
        ),
    ],
)
def test_refused_policies(sections: dict[str, object], words: list[str]) -> None:
    sentence = refusal(**sections)
    for word in words:
        assert word in sentence


def test_each_class_reads_its_own_kind() -> None:
    written = small().as_dict()
    assert TransactionPolicy.parse(written) == small()
    assert Policy.model_validate(small()) == small()
    unsaid = TransactionPolicy.parse({**written, "data": {"path": "baskets.dat"}})
    assert unsaid == small() and builder_of(unsaid.with_settings({"taxonomy": "{even: 3}"})) == Even(3, 0)
    with pytest.raises(InputError, match=r"data\.kind: this is transactions, but a policy for kind: table is"):
        TablePolicy.parse(written)
    with pytest.raises(InputError, match=r"data\.kind: this is table, but a policy for kind: transactions is"):
        TransactionPolicy.parse({**written, "data": {"kind": "table"}})


# Settings


@pytest.mark.parametrize(
    ("changes", "key", "value"),
    [
        ({"privacy.k": "10"}, "privacy.0.k", 10),
        ({"privacy.n": "2"}, "privacy.0.n", 2),
        ({"search.method": "mog"}, "search.method", "mog"),
        ({"search.loss": "ncp"}, "search.loss", "ncp"),
        ({"search.time_limit": "null"}, "search.time_limit", None),
        ({"taxonomy.even": "4"}, "taxonomy", {"even": 4, "seed": 0}),
        ({"taxonomy.even": "4", "taxonomy.seed": "3"}, "taxonomy", {"even": 4, "seed": 3}),
        ({"taxonomy": "'*'"}, "taxonomy", {"flat": True}),
        ({"sensitive": "[a, 07]"}, "sensitive", ["a", "07"]),
        ({"on_missing": "drop"}, "on_missing", "drop"),
        ({"data.separator": ";"}, "data.separator", ";"),
        ({"output.format": "long"}, "output.format", "long"),
    ],
)
def test_one_setting(file: Path, changes: dict[str, object], key: str, value: object) -> None:
    policy = load(file, CONTRACT)
    found: Any = policy.with_settings(changes).as_dict()
    assert Policy.load(file, changes).as_dict() == found
    for step in key.split("."):
        found = found[int(step)] if isinstance(found, list) else found[step]
    assert found == value


def test_paths_in_settings_are_relative_to_the_policy_file(file: Path) -> None:
    policy = load(file, CONTRACT).with_settings({"taxonomy": "other.csv", "sensitive": "secret.txt"})
    assert (policy.taxonomy, policy.sensitive) == (file.parent / "other.csv", file.parent / "secret.txt")


def test_a_default_method_follows_the_promise(file: Path) -> None:
    policy = load(file, SMALL + "sensitive: [a]\n")
    assert policy.search.method == "og"
    changed = policy.with_settings({"privacy": "{model: privacy-degree, p: 4}"})
    assert (changed.promise, changed.search.method) == (PrivacyDegree(4), "permutation")
    assert changed.with_settings({"privacy": "{model: coherence, k: 2, h: 1/2, p: 2}"}).search.method == "og"
    stated = policy.with_settings({"search.method": "apriori"})
    with pytest.raises(InputError, match=r"search\.method: apriori cannot keep privacy-degree; use permutation"):
        stated.with_settings({"privacy": "{model: privacy-degree, p: 4}"})


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("search.metod", "og", ["search.metod: there is no such key", "nearest is 'method'"]),
        ("taxonomy.evn", "4", ["taxonomy.evn: there is no such key", "nearest is 'even'"]),
        ("attributes.age.role", "class", ["attributes.age.role: there is no such key"]),
        ("privacy.thresholds", "1/3", ["privacy.thresholds: there is no such key"]),
        ("privacy.k", "0", ["privacy.k: 0 is not a whole number"]),
        ("search.suppression", "none", ["search.suppression: there is no such key"]),
        ("data.kind", "table", ["data.kind: this is table"]),
    ],
)
def test_refused_settings(file: Path, key: str, value: str, words: list[str]) -> None:
    policy = load(file, CONTRACT)
    with pytest.raises(InputError) as caught:
        policy.with_settings({key: value})
    for word in (str(file), *words):
        assert word in str(caught.value)


def test_the_kind_itself_can_be_set_while_loading(file: Path) -> None:
    file.write_text("data: {path: x.dat}\nprivacy: {model: km-anonymity, k: 5, m: 2}\n", encoding="utf-8")
    policy = Policy.load(file, {"data.kind": "transactions", "taxonomy.even": "3"})
    assert isinstance(policy, TransactionPolicy)
    assert builder_of(policy) == Even(3, 0)


def test_what_is_written_and_what_is_a_default(file: Path) -> None:
    policy = load(file, SMALL + "taxonomy: {even: 5}\n")
    assert policy.states("taxonomy", "even") and policy.states("privacy", "k")
    assert not policy.states("taxonomy", "seed") and not policy.states("search", "method")


# What comes out


def test_explain(file: Path) -> None:
    told = load(file, CONTRACT).explain()
    for words in [
        f"Publishes {file.parent / 'baskets.csv'} in the shape that they have: items are",
        "items are generalized, each the same way in all transactions",
        "Viagra, PregnancyTest and 0123 are protected",
        "The promise is kl-privacy with k 5, l 5, m 3, n 0: anyone who knows up to 3 items of a person finds at",
        "The method og looks for the release with the least loss (lm)",
        f"The taxonomy of the items is in {file.parent / 'items.csv'}",
        "After 60 seconds",
    ]:
        assert words in told
    assert told.endswith(".") and ".." not in told.replace(str(file.parent), "")


def test_explain_the_rest() -> None:
    told = small(taxonomy={"even": 5, "seed": 2}, search={"alpha": 0.1}, on_missing="drop").explain()
    for words in ["5 children under a node (seed 2)", "1 + 1/10 times the least loss", "nor sensitive are left out"]:
        assert words in told
    assert "protected" not in told and "seconds" not in told
    assert "flat, with * above" in small().explain()
    assert "x is protected" in promising("coherence").explain()
    assert "the items in secret.txt are protected" in small(sensitive="secret.txt").explain()
    assert "11 sensitive items are protected" in small(sensitive=list(range(11))).explain()
    trivial = {"method": "trivial-suppression"}
    assert "leaves out every sensitive item, whatever" in promising("rho-uncertainty", search=trivial).explain()
    assert "items are kept as they are;" in promising("rho-uncertainty", search=trivial).explain()
    assert "items are kept as they are;" in promising("rho-uncertainty").explain()
    assert "except for a few" in promising("rho-uncertainty", search={"improve": 1}).explain()
    one_left = promising("rho-uncertainty", search={**trivial, "leave_out": "all-but-one"})
    assert "leaves out all items but one in each transaction, whatever" in one_left.explain()
    partition = promising("transactional-k-anonymity", output={"format": "parquet"}).explain()
    assert "baskets.dat as parquet: items are generalized, one group of transactions" in partition
    assert "The method partition looks for a release with little loss (lm)" in partition
    assert "recoding that was found earlier" in small(search={"time_limit": 9}).explain(searches=False)
    assert "seconds" not in small(search={"time_limit": 9}).explain(searches=False)


@pytest.mark.parametrize("model", TRANSACTION_MODELS)
def test_every_promise_and_method_can_be_told(model: str) -> None:
    for name, method in TRANSACTION_METHODS.items():
        if method.keeps(TRANSACTION_MODELS[model]):
            assert name in promising(model, search={"method": name}).explain()


def test_as_dict_is_json_and_complete() -> None:
    written = small(search={"alpha": "1/3"}, sensitive=["a"], privacy=COHERENCE).as_dict()
    assert json.loads(json.dumps(written)) == written
    assert written == {
        "data": {"kind": "transactions", "path": "baskets.dat", "encoding": "utf-8", "separator": None},
        "taxonomy": {"flat": True},
        "sensitive": ["a"],
        "on_missing": "error",
        "privacy": [{"model": "coherence", "k": 5, "h": "2/5", "p": 2}],
        "search": {
            "method": "og",
            "loss": "lm",
            "time_limit": None,
            "alpha": "1/3",
            "aim": "rules",
            "improve": 0,
            "t_max": 500,
            "b_max": 1_000_000,
            "leave_out": "sensitive",
        },
        "output": {"format": "same"},
        "report": {"without": []},
    }


def test_equal_policies_are_equal_wherever_they_come_from(file: Path) -> None:
    policy = load(file, CONTRACT)
    assert Policy.parse(policy.as_dict()) == policy
    assert copy.deepcopy(policy) == policy
    assert pickle.loads(pickle.dumps(policy)).with_settings({"privacy.k": "9"}).promise == KLPrivacy(9, 5, 3)


COUNTS = st.integers(1, 99)
ANY_PROMISE = st.one_of(
    st.fixed_dictionaries(
        {"model": st.just("kl-privacy"), "k": COUNTS, "l": COUNTS, "m": COUNTS}, optional={"n": st.integers(0, 9)}
    ),
    st.fixed_dictionaries({"model": st.just("km-anonymity"), "k": COUNTS, "m": COUNTS}),
    st.fixed_dictionaries(
        {
            "model": st.just("coherence"),
            "k": COUNTS,
            "h": st.fractions(0, 1, max_denominator=10**9).map(str),
            "p": COUNTS,
        },
    ),
    st.fixed_dictionaries({"model": st.just("transactional-k-anonymity"), "k": COUNTS}),
    st.fixed_dictionaries({"model": st.just("privacy-degree"), "p": COUNTS}),
    st.fixed_dictionaries({"model": st.just("rho-uncertainty"), "rho": st.just("7/10")}),
)
POLICIES = st.fixed_dictionaries(
    {
        "data": st.sampled_from(
            [
                {"kind": "transactions", "path": "data.csv", "separator": ";"},
                {"kind": "transactions", "path": "data.dat"},
                {"kind": "transactions"},
            ]
        ),
        "privacy": ANY_PROMISE | ANY_PROMISE.map(lambda promise: [promise]),
        "sensitive": st.just("secret.txt") | st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=3),
    },
    optional={
        "taxonomy": st.sampled_from(["*", "items.csv"])
        | st.fixed_dictionaries({"even": st.integers(2, 9)}, optional={"seed": st.integers(0, 9)}),
        "on_missing": st.sampled_from(["error", "drop"]),
        "search": st.fixed_dictionaries(
            {},
            optional={
                "loss": st.sampled_from(["lm", "ncp"]),
                "alpha": st.fractions(min_value=0, max_value=3).map(str),
                "time_limit": st.none() | st.floats(0.1, 1e6),
            },
        ),
        "output": st.sampled_from([None, {}, {"format": "same"}]),
    },
)


@examples(40)
@given(POLICIES)
def test_a_policy_written_and_parsed_again_is_the_same(written: dict[str, Any]) -> None:
    policy = Policy.parse(written)
    again = json.loads(json.dumps(policy.as_dict()))
    assert Policy.parse(again) == policy
    assert policy.with_settings({}) == policy
    assert policy.explain().endswith(".")


@examples(40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["model", "k", "even", "kind", "method", "x"]), inner)
        ),
        max_leaves=8,
    ),
    st.sampled_from(["data", "taxonomy", "sensitive", "on_missing", "privacy", "search", "output", "nothing"]),
)
def test_anything_at_all_is_a_policy_or_a_sentence(value: object, section: str) -> None:
    try:
        Policy.parse(yaml.safe_load(SMALL) | {section: value})
    except InputError as error:
        assert str(error).endswith(".")


# For those who build on it


def test_every_key_is_described_for_forms_and_docs() -> None:
    sections: dict[str, type[Section]] = {"the policy": TransactionPolicy, **TransactionPolicy.sections()}
    assert {promise_section(model) for model in TRANSACTION_MODELS.values()} <= set(sections.values())
    assert {TransactionPolicy.section_at(key) for key in ("data", "search", "output")} <= set(sections.values())
    for title, section in sections.items():
        assert section.model_config.get("extra") == "forbid" and section.__doc__, title
        for key, field in section.model_fields.items():
            assert field.description, f"{title}: {key}"


def test_what_is_registered_is_what_a_policy_can_name() -> None:
    search = TransactionPolicy.section_at("search")
    assert set(get_args(search.model_fields["method"].annotation)) == set(TRANSACTION_METHODS) == set(TOGETHER)
    assert set(get_args(search.model_fields["loss"].annotation)) == set(TRANSACTION_LOSSES)
    for name, method in TRANSACTION_METHODS.items():
        assert set(kept(method, TRANSACTION_MODELS)) == TOGETHER[name]
        assert not kept(method, TABLE_MODELS)
        assert method.fate_of_items({option.name: option.default for option in method.options})
        for option in method.options:
            key = search.model_fields[option.name]
            havers, _, text = key.description.partition(": ")
            assert havers.startswith("with ") and name in havers.split() and text == option.text
            assert key.default == option.default
    assert {name for models in TOGETHER.values() for name in models} == set(TRANSACTION_MODELS)


def test_the_examples_in_the_docstrings() -> None:
    modules = (discreet.policy.policy, discreet.policy.transactions)
    failed, tried = zip(*map(doctest.testmod, modules), strict=True)
    assert sum(tried) > 3 and all(tried) and not any(failed)
