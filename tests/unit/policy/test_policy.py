"""The policy: what it accepts, exactly, and the one sentence for everything it does not."""

import copy
import doctest
import json
import pickle
import subprocess
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import discreet.policy.file
import discreet.policy.policy
from discreet.errors import InputError
from discreet.losses.table import TABLE_LOSSES
from discreet.methods.method import keepers, kept
from discreet.methods.table import TABLE_METHODS
from discreet.models.k_anonymity import KAnonymity
from discreet.models.l_diversity import LDiversity
from discreet.models.l_plus_diversity import ByFrequency, LPlusDiversity
from discreet.models.schemes import SCHEMES
from discreet.models.table import TABLE_MODELS, TableModel
from discreet.policy import Policy, TablePolicy
from discreet.policy.promises import promise_section
from discreet.policy.section import Section
from discreet.policy.table import FATES, Attribute, Role, Suppression
from discreet.read.taxonomies import taxonomy_builder
from discreet.taxonomy import Dates, Flat, Intervals, LabelledTaxonomy, Prefixes, TaxonomyBuilder
from examples import examples

CONTRACT = """\
data:
  kind: table                  # table | transactions | query-log | trees
  path: patients.csv
attributes:
  name:      {role: identifier}
  education: {role: quasi-identifier, taxonomy: taxonomies/education.csv}
  age:       {role: quasi-identifier, taxonomy: {intervals: [5, 10, 20, 40], start: 17, end: 97}}
  zip:       {role: quasi-identifier, taxonomy: {prefixes: [3, 1]}}
  disease:   {role: sensitive}
  income:    {role: class}
  ward:      {role: insensitive}
privacy:
  model: l-plus-diversity
  thresholds: {Cancer: 0.3, Asthma: 0.4, Flu: "1/2"}
search:
  method: l-plus-optimize
  loss: lm
  suppression: vio-sa
  time_limit: 60
  alpha: 0
  top_h: 1
output: {format: csv}
"""
SMALL = """\
data: {path: patients.csv}
attributes:
  age: {role: quasi-identifier}
  disease: {role: sensitive}
privacy: {model: l-diversity, l: 2}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "policy.yaml"


def load(file: Path, text: str) -> TablePolicy:
    file.write_text(text, encoding="utf-8")
    return TablePolicy.load(file)


def small(**sections: object) -> TablePolicy:
    policy = Policy.parse(yaml.safe_load(SMALL) | sections)
    assert isinstance(policy, TablePolicy)
    return policy


def refusal(**sections: object) -> str:
    with pytest.raises(InputError) as caught:
        small(**sections)
    sentence = str(caught.value)
    assert sentence.startswith("policy: ") and sentence.endswith(".") and "\n" not in sentence
    return sentence


def promise(thresholds: object) -> object:
    policy = small(privacy={"model": "l-plus-diversity", "thresholds": thresholds})
    [model] = policy.privacy
    assert isinstance(model, LPlusDiversity)
    return model.thresholds


def attributes(**columns: object) -> dict[str, object]:
    return {"age": {"role": "quasi-identifier"}, "disease": {"role": "sensitive"}, **columns}


def taxonomy(value: object) -> dict[str, object]:
    return attributes(age={"role": "quasi-identifier", "taxonomy": value})


def builder_of(policy: TablePolicy, column: str) -> TaxonomyBuilder:
    return taxonomy_builder(policy.attributes[column].taxonomy, column, f"attributes.{column}.taxonomy")


# What is read


def test_the_policy_of_the_contract(file: Path) -> None:
    policy = load(file, CONTRACT)
    assert policy.data.kind == "table"
    assert policy.data.path == file.parent / "patients.csv"
    assert policy.columns("quasi-identifier") == ("education", "age", "zip")
    assert (policy.sensitive, policy.class_column) == ("disease", "income")
    assert policy.attributes["education"].taxonomy == file.parent / "taxonomies/education.csv"
    assert policy.privacy == (
        LPlusDiversity({"Cancer": Fraction(3, 10), "Asthma": Fraction(2, 5), "Flu": Fraction(1, 2)}),
    )
    search = policy.search
    assert (search.method, search.loss, search.suppression) == ("l-plus-optimize", "lm", "vio-sa")
    assert (search.time_limit, search.alpha, search.guard_stars) == (60, Fraction(0), False)
    assert search.options() == {"top_h": 1}
    assert policy.output.format == "csv"


def test_a_small_policy_has_defaults() -> None:
    policy = small()
    assert policy.privacy == (LDiversity(2),)
    assert policy.data.path == Path("patients.csv")
    assert (policy.search.loss, policy.search.suppression, policy.search.time_limit) == ("lm", "all-sa", None)
    assert (policy.attributes["age"].on_missing, policy.class_column) == ("error", None)


@pytest.mark.parametrize("text", ["search:\n", "search:\n  # loss: dm\noutput:\n"])
def test_a_section_with_everything_commented_out_has_its_defaults(file: Path, text: str) -> None:
    policy = load(file, SMALL + text)
    assert (policy.search, policy.output) == (small().search, small().output)


def test_a_policy_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        small().search.loss = "dm"


@pytest.mark.parametrize("data", [None, {}, {"kind": "table"}, {"path": None}])
def test_a_policy_for_a_table_in_memory_names_no_file(data: object) -> None:
    policy = small(data=data)
    assert policy.data.path is None
    assert policy.explain().startswith("Publishes the table it is given as csv: ")
    assert Policy.parse(policy.as_dict()) == policy


def test_absolute_paths_stay(tmp_path: Path) -> None:
    written = yaml.safe_load(SMALL) | {"data": {"path": str(tmp_path / "x.csv")}}
    assert Policy.parse(written, Path("elsewhere")).data.path == tmp_path / "x.csv"


def test_the_mapping_given_is_not_kept() -> None:
    written = yaml.safe_load(SMALL)
    policy = Policy.parse(written)
    written["privacy"]["l"] = 0
    assert policy.with_settings({"search.top_h": "3"}).privacy == (LDiversity(2),)


@pytest.mark.parametrize(
    ("written", "suppression"),
    [
        ({}, "all-sa"),
        ({"privacy": {"model": "k-anonymity", "k": 5}}, "vio-rec"),
        ({"privacy": [{"model": "l-diversity", "l": 2}, {"model": "k-anonymity", "k": 5}]}, "all-rec"),
        (
            {"attributes": {"age": {"role": "quasi-identifier"}}, "privacy": {"model": "k-anonymity", "k": 5}},
            "vio-rec",
        ),
        ({"search": {"loss": "dm"}}, "all-rec"),
        ({"search": {"loss": "lm", "suppression": "none"}}, "none"),
        ({"search": {"guard_stars": True}}, "vio-sa"),
        ({"search": {"method": "samarati"}}, "none"),
        ({"search": {"method": "samarati", "max_suppressed": "1/10"}}, "vio-rec"),
        ({"search": {"method": "samarati"}, "privacy": {"model": "k-anonymity", "k": 5}}, "vio-rec"),
    ],
)
def test_the_default_suppression_is_one_that_can_work(written: dict[str, object], suppression: str) -> None:
    assert small(**written).search.suppression == suppression


# Scalars


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("0.3", Fraction(3, 10)),
        (".3", Fraction(3, 10)),
        ("3e-1", Fraction(3, 10)),
        ('"1/3"', Fraction(1, 3)),
        ("1/3", Fraction(1, 3)),
        ("1 / 3", Fraction(1, 3)),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
        ("1.0", Fraction(1)),
        ("0.1000000000000000055511151231257827", Fraction("0.1000000000000000055511151231257827")),
    ],
)
def test_thresholds_are_exact(file: Path, written: str, share: Fraction) -> None:
    policy = load(file, SMALL.replace("l-diversity, l: 2", f"l-plus-diversity, thresholds: {written}"))
    assert policy.privacy == (LPlusDiversity(share),)


@pytest.mark.parametrize("value", [0.3, Decimal("0.3"), Fraction(3, 10), "0.3"])
def test_python_numbers_mean_what_they_show(value: object) -> None:
    assert promise(value) == Fraction(3, 10)
    assert promise({"Flu": value}) == {"Flu": Fraction(3, 10)}


def test_keys_are_text_as_written(file: Path) -> None:
    policy = load(
        file,
        SMALL.replace("{model: l-diversity, l: 2}", "")
        + """\
  model: l-plus-diversity
  thresholds:
    1: 0.3
    01: 0.31
    1.0: 0.32
    No: 1/2
    yes: 0.33
    on: 0.34
    true: 0.35
    2020-01-01: 0.36
    12:30:45: 0.37
    0x1F: 0.38
    "": 1/4
    "null": 0.39
""",
    )
    [model] = policy.privacy
    assert isinstance(model, LPlusDiversity) and isinstance(model.thresholds, Mapping)
    assert list(model.thresholds) == [
        *("1", "01", "1.0", "No", "yes", "on", "true", "2020-01-01", "12:30:45", "0x1F", "", "null"),
    ]
    assert model.thresholds[""] == Fraction(1, 4)


@pytest.mark.parametrize("key", ["~", "null", "Null", '""', "? "])
def test_the_empty_key_is_the_missing_value(file: Path, key: str) -> None:
    text = SMALL.replace("{model: l-diversity, l: 2}", f"\n  model: l-plus-diversity\n  thresholds:\n    {key}: 1/4")
    if key == "? ":
        text = text.replace("? : 1/4", "?\n    : 1/4")
    assert load(file, text).privacy == (LPlusDiversity({"": Fraction(1, 4)}),)
    assert promise({None: 0.25}) == {"": Fraction(1, 4)}


def test_norway_is_not_false(file: Path) -> None:
    text = SMALL.replace("age:", "NO:").replace("disease:", "on:").replace("patients.csv", "no")
    policy = load(file, text)
    assert list(policy.attributes) == ["NO", "on"]
    assert policy.data.path == file.parent / "no"


@pytest.mark.parametrize("path", ["2020-01-01", "010", "1e3", "1_000", "12:30", "0o17", ".inf"])
def test_what_looks_like_a_number_can_be_a_path(file: Path, path: str) -> None:
    assert load(file, SMALL.replace("patients.csv", path)).data.path == file.parent / path


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_true_is_true(file: Path, word: str) -> None:
    assert load(file, SMALL + f"search: {{guard_stars: {word}}}").search.guard_stars


def test_thresholds_by_frequency() -> None:
    assert promise({"baseline": "1/5", "by": "frequency"}) == ByFrequency(Fraction(1, 5))
    assert promise({"baseline": "1/5", "by": "1/4"}) == {"baseline": Fraction(1, 5), "by": Fraction(1, 4)}
    assert promise({"baseline": "1/5", "by": 1, "x": 1}) == {"baseline": Fraction(1, 5), "by": 1, "x": 1}


def test_several_models_and_models_as_objects() -> None:
    both = (LDiversity(4), KAnonymity(5))
    assert small(privacy=[{"model": "l-diversity", "l": 4}, {"model": "k-anonymity", "k": "5"}]).privacy == both
    assert small(privacy=list(both)).privacy == both


def test_a_policy_without_sensitive_values_can_promise_k_anonymity() -> None:
    policy = small(attributes={"age": {"role": "quasi-identifier"}}, privacy={"model": "k-anonymity", "k": 5})
    assert policy.sensitive is None


def test_anchors_save_repetition(file: Path) -> None:
    policy = load(file, SMALL.replace("age: {role: quasi-identifier}", "age: &qi {role: quasi-identifier}\n  zip: *qi"))
    assert policy.columns("quasi-identifier") == ("age", "zip")


# Taxonomies


@pytest.mark.parametrize(
    ("written", "builder"),
    [
        ({"intervals": [5, "10"], "start": 17, "end": 97}, Intervals((5, 10), 17, 97)),
        (
            {"intervals": [0.1, 0.2], "start": -0.5, "end": "1e2", "leaves": "intervals"},
            Intervals((Decimal("0.1"), Decimal("0.2")), Decimal("-0.5"), 100, "intervals"),
        ),
        ({"prefixes": [3, "1"]}, Prefixes((3, 1))),
        ({"dates": ["day", "year"]}, Dates(("day", "year"))),
        ({"flat": True}, Flat()),
        ("*", Flat()),
    ],
)
def test_builders(written: object, builder: object) -> None:
    assert builder_of(small(attributes=taxonomy(written)), "age") == builder


def test_a_column_without_taxonomy_is_flat() -> None:
    assert builder_of(small(), "age") == Flat()


def test_a_taxonomy_file_is_read_from_the_folder_of_the_policy(file: Path) -> None:
    (file.parent / "age.csv").write_text("1;*\n2;*\n", encoding="utf-8")
    builder = builder_of(load(file, SMALL.replace("quasi-identifier", "quasi-identifier, taxonomy: age.csv")), "age")
    assert isinstance(builder, LabelledTaxonomy)
    assert (builder.taxonomy.name, builder.taxonomy.leaf_labels) == ("age", ("1", "2"))


def test_the_error_of_a_taxonomy_file_names_its_key() -> None:
    with pytest.raises(InputError, match=r"^attributes\.age\.taxonomy: nowhere\.csv: there is no such"):
        builder_of(small(attributes=taxonomy("nowhere.csv")), "age")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"prefixes": [1, 3]}, ["age.taxonomy: prefixes: the lengths [1, 3] must be positive"]),
        ({"prefixes": [3, 0]}, ["age.taxonomy.prefixes.1: 0 is not a whole number"]),
        ({"prefixes": [True]}, ["age.taxonomy.prefixes.0: true is not a whole number"]),
        ({"prefixes": 3}, ["age.taxonomy.prefixes: 3 is not a list", "[3, 1]"]),
        ({"prefixes": []}, ["age.taxonomy: prefixes: the lengths []"]),
        ({"prefixes": [3], "start": 1}, ["age.taxonomy.start: there is no such key", "choose from prefixes"]),
        ({"dates": ["week"]}, ["age.taxonomy.dates.0: 'week'", "'month'"]),
        ({"dates": ["year", "day"]}, ["age.taxonomy: dates:", "from fine to coarse"]),
        ({"flat": False}, ["age.taxonomy.flat: false", "write true"]),
        ({"intervals": [5], "start": 1}, ["age.taxonomy.end: this key is missing"]),
        ({"intervals": [5, 7], "start": 1, "end": 9}, ["age.taxonomy: intervals: the width 7 is not a multiple"]),
        ({"intervals": [5], "start": 9, "end": 9}, ["age.taxonomy: intervals: the end 9 must be above"]),
        ({"intervals": ["x"], "start": 1, "end": 9}, ["taxonomy.intervals.0: 'x' is not a decimal number"]),
        ({"intervals": ["1/3"], "start": 1, "end": 9}, ["taxonomy.intervals.0: 1/3 is not a decimal number"]),
        ({"intervals": [float("inf")], "start": 1, "end": 9}, ["inf is not a decimal number"]),
        ({"intervals": [5], "start": 1, "end": 9, "leafs": "values"}, ["leafs", "nearest is 'leaves'"]),
        ({"intervals": [5], "start": 1, "end": 9, "leaves": "x"}, ["leaves: 'x'", "'values' or 'intervals'"]),
        ({"intervals": [5], "prefixes": [1]}, ["one taxonomy is allowed, not intervals and prefixes at once"]),
        ({"prefix": [1]}, ["prefix does not say what kind", "nearest is 'prefixes'"]),
        ({}, ["age.taxonomy: nothing does not say", "intervals, prefixes, dates, ready, flat"]),
        (None, ["age.taxonomy: nothing is not a taxonomy", "name a file"]),
        (7, ["age.taxonomy: 7 is not a taxonomy"]),
        ("", ["age.taxonomy: '' is not a path"]),
    ],
)
def test_refused_taxonomies(written: object, words: list[str]) -> None:
    sentence = refusal(attributes=taxonomy(written))
    for word in words:
        assert word in sentence


# What is refused

QI = {"role": "quasi-identifier"}
KIND = "this version publishes data of the kinds table and transactions; use kind: table or kind: transactions"


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"serach": {}}, ["serach: there is no such key", "nearest is 'search'"]),
        ({"zzz": {}}, ["zzz: there is no such key", "choose from data, attributes, privacy, search, output"]),
        ({"data": "patients.csv"}, ["data: 'patients.csv' is not a mapping", "kind, path"]),
        ({"data": {"path": ""}}, ["data.path: '' is not a path"]),
        ({"data": {"path": "x", "Path": "x"}}, ["data.Path: there is no such key", "nearest is 'path'"]),
        ({"data": {"path": "x", "kind": "tables"}}, ["data.kind: 'tables'", "'query-log' or 'trees'"]),
        ({"data": {"path": "x", "separator": ","}}, ["data.separator: it goes with data of kind transactions"]),
        ({"taxonomy": "y"}, ["taxonomy: it goes with data of kind transactions, and these data are of kind table"]),
        ({"sensitive": ["y"]}, ["sensitive: it goes with data of kind transactions", "remove it"]),
        ({"data": {"path": "x", "kind": "query-log"}}, ["data.kind: query-log", KIND]),
        ({"data": {"path": "x", "kind": "trees"}, "taxonomy": "y"}, ["data.kind: trees", KIND]),
        # attributes
        ({"attributes": None, "privacy": {"model": "k-anonymity", "k": 2}}, ["attributes: no column", "role"]),
        ({"attributes": ["age"]}, ["attributes: ['age'] is not a mapping"]),
        ({"attributes": {"disease": {"role": "sensitive"}}}, ["attributes: no column has the role quasi-identifier"]),
        ({"attributes": attributes(age="quasi")}, ["attributes.age: 'quasi' is not a mapping", "role, taxonomy"]),
        ({"attributes": attributes(age=None)}, ["attributes.age.role: this key is missing", "identifier (dropped)"]),
        ({"attributes": attributes(age={"role": "quasi"})}, ["attributes.age.role: 'quasi'", "'insensitive'"]),
        ({"attributes": attributes(age={**QI, "taxonmy": "x"})}, ["attributes.age.taxonmy", "nearest is 'taxonomy'"]),
        ({"attributes": attributes(age={**QI, "on_missing": "drop"})}, ["age.on_missing: 'drop'", "'suppress'"]),
        (
            {"attributes": attributes(drug={"role": "sensitive"})},
            ["privacy: l-diversity is about one sensitive column, and there are 2; write column: disease"],
        ),
        (
            {"attributes": attributes(a={"role": "class"}, b={"role": "class"}, c={"role": "class"})},
            ["attributes: 'a', 'b' and 'c' have the role class"],
        ),
        (
            {"attributes": attributes(ward={"role": "insensitive", "taxonomy": "*"})},
            ["attributes.ward.taxonomy: only a quasi-identifier", "role is insensitive"],
        ),
        (
            {"attributes": attributes(disease={"role": "sensitive", "on_missing": "error"})},
            ["attributes.disease.on_missing: only a quasi-identifier"],
        ),
        (
            {"attributes": attributes(disease={"role": "sensitive", "weight": 2})},
            ["attributes.disease.weight: only a quasi-identifier"],
        ),
        (
            {"attributes": attributes(age={"role": "quasi-identifier", "weight": 0})},
            ["attributes.age.weight: 0 is not a weight"],
        ),
        (
            {
                "attributes": attributes(age={"role": "quasi-identifier", "weight": 2}),
                "privacy": {"model": "k-anonymity", "k": 2},
                "search": {"loss": "dm"},
            },
            ["attributes.age.weight: the loss dm counts records", "use the loss lm"],
        ),
        (
            {"attributes": attributes(age={"role": "quasi-identifier", "at_least": 0})},
            ["attributes.age.at_least: 0 says no level of detail"],
        ),
        (
            {"attributes": attributes(age={"role": "quasi-identifier", "at_most": []})},
            ["attributes.age.at_most: [] says no level of detail"],
        ),
        (
            {"attributes": attributes(age={"role": "quasi-identifier", "at_least": 2, "at_most": 1})},
            ["attributes.age.at_least: level 2 is more detailed than level 1"],
        ),
        # privacy
        ({"privacy": None}, ["privacy: nothing is not a mapping", "{model: k-anonymity, k: 5}"]),
        ({"privacy": []}, ["privacy: there is no promise", "l-plus-diversity"]),
        ({"privacy": {"l": 4}}, ["privacy.model: this key is missing", "l-plus-diversity, l-diversity"]),
        ({"privacy": {"model": "l-divresity", "l": 2}}, ["privacy.model: 'l-divresity'", "nearest is 'l-diversity'"]),
        ({"privacy": {"model": "coherence", "k": 2}}, ["coherence is a promise about data of kind transactions"]),
        ({"privacy": {"model": ["l-diversity"], "l": 2}}, ["privacy.model: ['l-diversity'] is not a model"]),
        ({"privacy": {"model": "l-diversity"}}, ["privacy.l: this key is missing", "whole number"]),
        ({"privacy": {"model": "l-diversity", "l": 2, "L": 2}}, ["privacy.L: there is no such key", "nearest is 'l'"]),
        ({"privacy": {"model": "l-plus-diversity", "threshold": 1}}, ["privacy.threshold:", "nearest is 'thresholds'"]),
        ({"privacy": {"model": "l-diversity", "l": 0}}, ["privacy.l: 0 is not a whole number of at least 1"]),
        ({"privacy": {"model": "l-diversity", "l": True}}, ["privacy.l: true is not a whole number"]),
        ({"privacy": {"model": "l-diversity", "l": 2.5}}, ["privacy.l: 2.5 is not a whole number"]),
        ({"privacy": {"model": "k-anonymity", "k": -1}}, ["privacy.k: -1 is not a whole number"]),
        ({"privacy": {"model": "k-anonymity", "k": "five"}}, ["privacy.k: 'five' is not a whole number"]),
        ({"privacy": {"model": "k-anonymity", "k": None}}, ["privacy.k: nothing is not a whole number"]),
        (
            {"privacy": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": "x"}]},
            ["privacy.1.l: 'x' is not a whole number"],
        ),
        (
            {"privacy": [{"model": "k-anonymity", "k": 2}, {"model": "k-anonymity", "k": 3}]},
            ["privacy: the model k-anonymity appears 2 times", "keep one"],
        ),
        ({"attributes": {"age": QI}}, ["privacy: l-diversity needs a column with role sensitive"]),
        # search
        (
            {"search": {"method": "guess"}},
            [
                "search.method: 'guess'",
                "'l-plus-optimize', 'samarati', 'full-domain', 'incognito', 'mondrian', 'k-member', 'mdav' or "
                "'condensation'",
            ],
        ),
        ({"search": {"loss": "lmm"}}, ["search.loss: 'lmm'", "'lm', 'dm', 'cm' or 'sse'"]),
        ({"search": {"loss": "cm"}}, ["search.loss: the loss cm needs a column with role class"]),
        ({"search": {"supression": "none"}}, ["search.supression", "nearest is 'suppression'"]),
        ({"search": {"suppression": None}}, ["search.suppression: nothing", "'vio-sa'"]),
        ({"search": ["lm"]}, ["search: ['lm'] is not a mapping", "method, loss"]),
        ({"search": {"time_limit": 0}}, ["search.time_limit: 0 is not a number of seconds above 0", "null"]),
        ({"search": {"time_limit": "soon"}}, ["search.time_limit: 'soon' is not a number"]),
        ({"search": {"time_limit": True}}, ["search.time_limit: true is not a number"]),
        ({"search": {"alpha": "-1/10"}}, ["search.alpha: -1/10 is below 0"]),
        ({"search": {"alpha": None}}, ["search.alpha: nothing is not a number"]),
        ({"search": {"top_h": 0}}, ["search.top_h: 0 is not a whole number"]),
        ({"search": {"method": "samarati", "top_h": 3}}, ["search.top_h: only l-plus-optimize has it", "is samarati"]),
        (
            {"search": {"max_suppressed": 0.1, "suppression": "none"}},
            ["search.max_suppressed: 1/10 allows something to be deleted, and the suppression none deletes nothing"],
        ),
        ({"search": {"method": "samarati", "max_suppressed": 2}}, ["search.max_suppressed: 2 is not between 0 and 1"]),
        (
            {"search": {"method": "samarati", "suppression": "vio-sa"}},
            ["search.suppression: the method samarati goes with none, vio-rec, all-rec, not with vio-sa"],
        ),
        (
            {"search": {"method": "samarati", "suppression": "all-rec"}},
            ["search.suppression: a group that takes in another may break l-diversity", "or the method full-domain"],
        ),
        ({"search": {"guard_stars": "yes"}}, ["search.guard_stars: 'yes' is neither true nor false"]),
        ({"search": {"guard_stars": 1}}, ["search.guard_stars: 1 is neither true nor false"]),
        (
            {"search": {"guard_stars": True, "suppression": "all-sa"}},
            ["search.guard_stars: true goes only with the suppression vio-sa, not with all-sa"],
        ),
        (
            {"search": {"loss": "dm", "suppression": "vio-sa"}},
            ["search.suppression: dm counts records: it goes with none, vio-rec, all-rec", "not with vio-sa"],
        ),
        (
            {
                "attributes": attributes(income={"role": "class"}),
                "search": {"loss": "cm", "suppression": "all-sa"},
            },
            ["search.suppression: cm counts records"],
        ),
        (
            {"privacy": {"model": "k-anonymity", "k": 5}, "search": {"suppression": "vio-sa"}},
            ["search.suppression: vio-sa deletes sensitive values", "group larger", "none, vio-rec or all-rec"],
        ),
        (
            {
                "attributes": {"age": QI},
                "privacy": {"model": "k-anonymity", "k": 5},
                "search": {"suppression": "all-sa"},
            },
            ["search.suppression: all-sa deletes sensitive values", "no column has the role sensitive"],
        ),
        ({"output": {"format": "xlsx"}}, ["output.format: 'xlsx'", "'csv' or 'parquet'"]),
    ],
)
def test_refused_policies(sections: dict[str, object], words: list[str]) -> None:
    sentence = refusal(**sections)
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    ("thresholds", "words"),
    [
        (1.5, ["privacy.thresholds: 1.5 is not between 0 and 1", "1/3"]),
        ("-1/3", ["privacy.thresholds: -1/3 is not between 0 and 1"]),
        ({"Flu": "3/2"}, ["privacy.thresholds.Flu: 3/2 is not between 0 and 1"]),
        ({"Flu": 2, "Cancer": 3}, ["privacy.thresholds.Flu: 2 is not", "(1 more error after this one)"]),
        ({"Flu": 2, "Cancer": 3, "x": 4}, ["(2 more errors after this one)"]),
        ("30%", ["privacy.thresholds: '30%' is not a number", "0.3 or 1/3"]),
        ("1/0", ["privacy.thresholds: 1/0 divides by zero"]),
        (True, ["privacy.thresholds: true is not a number"]),
        (None, ["privacy.thresholds: nothing is not a number"]),
        ([0.5], ["privacy.thresholds: [0.5] is not a number"]),
        ({}, ["privacy.thresholds: there is no threshold"]),
        ({"Flu": {"x": 1}}, ["privacy.thresholds.Flu: {'x': 1} is not a number"]),
        (float("nan"), ["privacy.thresholds: nan is not a number"]),
        ("1e999999999", ["privacy.thresholds: '1e999999999' is not a number"]),
        ("0." + "3" * 500, ["...", "is not a number"]),
        ({"baseline": "1/5", "by": "freq"}, ["privacy.thresholds.by: 'freq' is not a rule", "frequency"]),
        ({"baseline": 5, "by": "frequency"}, ["privacy.thresholds.baseline: 5 is not between 0 and 1"]),
    ],
)
def test_refused_thresholds(thresholds: object, words: list[str]) -> None:
    sentence = refusal(privacy={"model": "l-plus-diversity", "thresholds": thresholds})
    for word in words:
        assert word in sentence


def test_the_first_of_several_errors_is_told_and_the_others_counted() -> None:
    sentence = refusal(search={"loss": "x", "top_h": 0}, output={"format": "x"})
    assert sentence.startswith("policy: search.loss: 'x'") and sentence.endswith("(2 more errors after this one).")


def test_a_required_section_is_missed() -> None:
    with pytest.raises(InputError, match=r"^policy: privacy: this key is missing; it sets the promise to keep"):
        Policy.parse({"data": {"path": "x"}, "attributes": {}})


def test_python_keys_that_are_one_text() -> None:
    with pytest.raises(InputError, match="the key '1' appears twice"):
        promise({1: 0.5, "1": 0.6})


# Files


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{step}: &a{step} [{', '.join([f'*a{step - 1}'] * 8)}]\n" for step in range(1, 9)
)
"""268,435,456 times x, in less than 500 bytes"""


def test_aliases_that_repeat_little_are_as_written_out(file: Path) -> None:
    written = SMALL.replace("age: {role: quasi-identifier}", "age: &known {role: quasi-identifier}\n  zip: *known")
    assert load(file, written).columns("quasi-identifier") == ("age", "zip")


@pytest.mark.parametrize("count", [62, 63, 200])
def test_more_quasi_identifiers_than_the_method_can_take(count: int) -> None:
    written = {
        "data": {},
        "attributes": {f"column {number}": {"role": "quasi-identifier"} for number in range(count)},
        "privacy": {"model": "k-anonymity", "k": 2},
    }
    assert Policy.parse({**written, "search": {"method": "samarati", "suppression": "none"}})
    if count <= 62:
        assert Policy.parse(written)
        return
    sentence = f"attributes: {count} quasi-identifiers are more than the 62 that l-plus-optimize can take; give some"
    with pytest.raises(InputError, match=sentence):
        Policy.parse(written)


def test_a_mapping_in_python_that_is_nested_too_deeply() -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"data": deep}
    with pytest.raises(InputError, match="policy: this is nested too deeply"):
        Policy.parse(deep)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["the policy is empty", "data, attributes and privacy"]),
        ("# only a comment\n", ["the policy is empty"]),
        ("- data\n", ["the policy is ['data'], not a mapping"]),
        ("patients.csv\n", ["the policy is 'patients.csv', not a mapping"]),
        ("data: {path: x\nattributes:\n", ["line 2", "not YAML"]),
        ("data:\n\tpath: x\n", ["line 2", "not YAML", "'\\t'"]),
        ("data: {path: a: b}\n", ["line 1", "not YAML"]),
        ("data: {path: *}\n", ["line 1", "not YAML", "in quotes"]),
        ("data: {path: x}\ndata: {path: y}\n", ["line 2: the key 'data' appears twice"]),
        ("data:\n  path: x\n  path: y\n", ["line 3: the key 'path' appears twice"]),
        ('data: {1: x, "1": y}\n', ["line 1: the key '1' appears twice"]),
        ("[a, b]: x\n", ["line 1: a key is a list or a mapping"]),
        ("data: !!python/name:os.system\n", ["line 1: could not determine a constructor"]),
        ("data: x\n---\ndata: y\n", ["not YAML", "line 2"]),
        ("data: &a [*a]\n", ["line 1: found unconstructable recursive node"]),
        ("&a {data: *a}\n", ["line 1: found unconstructable recursive node"]),
        ("data:\n  path: x\0y\n", ["line 2", "'\\x00' is not allowed"]),
        ("[" * 5000, ["nested too deeply"]),
        (BOMB, ["line 1: aliases repeat more than 100,000 values; write out those that are meant"]),
        ("<<: {data: x}\n", ["<<: there is no such key"]),
        (SMALL + "search: {los: dm}\n", ["search.los: there is no such key; the nearest is 'loss'"]),
    ],
)
def test_refused_files(file: Path, text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        load(file, text)
    sentence = str(caught.value)
    assert sentence.startswith(f"{file}: ") and "\n" not in sentence
    for word in words:
        assert word in sentence


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: there is no such policy file"):
        Policy.load(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        Policy.load(str(tmp_path))
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("data:\n  path: caf\u00e9\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 2 is not UTF-8"):
        Policy.load(latin)


def test_a_byte_order_mark_is_no_trouble(file: Path) -> None:
    file.write_text(SMALL, encoding="utf-8-sig")
    assert Policy.load(file).privacy == (LDiversity(2),)


# Settings


def test_settings(file: Path) -> None:
    policy = load(file, CONTRACT)
    changed = policy.with_settings({"privacy.thresholds": "1/4", "search.suppression": "vio-rec"})
    assert changed.privacy == (LPlusDiversity(Fraction(1, 4)),)
    assert changed.search.suppression == "vio-rec"
    assert policy.search.suppression == "vio-sa"
    assert changed.with_settings({"search.suppression": "vio-sa"}).privacy == changed.privacy


@pytest.mark.parametrize(
    ("settings", "key", "value"),
    [
        ({"privacy.thresholds.Cancer": "1/8"}, "privacy.0.thresholds.Cancer", "1/8"),
        ({"privacy.thresholds": "{Cancer: 0.25, Flu: 1}"}, "privacy.0.thresholds", {"Cancer": "1/4", "Flu": "1"}),
        ({"privacy": "[{model: l-diversity, l: 3}]", "privacy.0.l": "4"}, "privacy.0.l", 4),
        ({"privacy": "{model: k-anonymity, k: 3}"}, "privacy", None),
        ({"search.time_limit": "null"}, "search.time_limit", None),
        ({"search.time_limit": ""}, "search.time_limit", None),
        ({"search.time_limit": 2}, "search.time_limit", 2),
        ({"search.guard_stars": "true"}, "search.guard_stars", True),
        ({"attributes.zip.taxonomy": "{prefixes: [2]}"}, "attributes.zip.taxonomy.prefixes", [2]),
        ({"attributes.zip.taxonomy.prefixes": "[4, 2]"}, "attributes.zip.taxonomy.prefixes", [4, 2]),
        ({"attributes.zip.taxonomy": "'*'"}, "attributes.zip.taxonomy", {"flat": True}),
        ({"attributes.age.taxonomy.leaves": "intervals"}, "attributes.age.taxonomy.leaves", "intervals"),
        ({"attributes.zip.on_missing": "suppress"}, "attributes.zip.on_missing", "suppress"),
        ({"output.format": "parquet"}, "output.format", "parquet"),
        ({"search": "{loss: dm}"}, "search.suppression", "all-rec"),
    ],
)
def test_one_setting(file: Path, settings: dict[str, object], key: str, value: object) -> None:
    text = CONTRACT
    if settings.keys() == {"privacy"}:
        text, value = text.replace("  suppression: vio-sa\n", ""), [{"model": "k-anonymity", "k": 3}]
    found: Any = load(file, text).with_settings(settings).as_dict()
    for step in key.split("."):
        found = found[int(step)] if isinstance(found, list) else found[step]
    assert found == value


def test_paths_in_settings_are_relative_to_the_policy_file(file: Path) -> None:
    policy = load(file, CONTRACT).with_settings({"data.path": "other.csv", "search.top_h": "2"})
    assert policy.data.path == file.parent / "other.csv"
    assert policy.attributes["education"].taxonomy == file.parent / "taxonomies/education.csv"


def test_a_default_follows_the_settings() -> None:
    policy = small()
    assert policy.search.suppression == "all-sa"
    assert policy.with_settings({"search.loss": "dm"}).search.suppression == "all-rec"


def test_columns_and_values_with_dots_in_them() -> None:
    columns = attributes(**{"a.b": QI, "a": QI, "a.b.c": QI})
    thresholds = {"model": "l-plus-diversity", "thresholds": {"J45.9": 1, "J45": 1, "": 1}}
    policy = small(attributes=columns, privacy=thresholds).with_settings(
        {
            "attributes.a.b.on_missing": "suppress",
            "attributes.a.b.c.taxonomy": "{prefixes: [1]}",
            "privacy.thresholds.J45.9": "1/2",
            "privacy.thresholds.": "1/3",
        }
    )
    assert {name for name, column in policy.attributes.items() if column.on_missing == "suppress"} == {"a.b"}
    assert builder_of(policy, "a.b.c") == Prefixes((1,))
    assert policy.privacy == (LPlusDiversity({"J45.9": Fraction(1, 2), "J45": Fraction(1), "": Fraction(1, 3)}),)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("serach.loss", "dm", ["serach.loss: there is no such key", "nearest is 'search'"]),
        ("search.los", "dm", ["search.los: there is no such key", "nearest is 'loss'"]),
        ("search.loss.x", "dm", ["search.loss.x: there is no such key", "set search.loss as a whole"]),
        ("search.loss", "dmm", ["search.loss: 'dmm'"]),
        ("attributes.aeg.role", "class", ["attributes.aeg.role", "nearest is 'age'"]),
        ("attributes.age.rol", "class", ["attributes.age.rol", "nearest is 'role'"]),
        ("attributes.age.taxonomy.interval", "[1]", ["nearest is 'intervals'"]),
        ("privacy.thresholds.cancer", "0.1", ["privacy.thresholds.cancer", "nearest is 'Cancer'"]),
        ("privacy.thresholds.Cancer", "7", ["privacy.thresholds.Cancer: 7 is not between 0 and 1"]),
        ("privacy.0.thresholds", "1", ["privacy.0.thresholds: there is no such key"]),
        ("privacy.k", "3", ["privacy.k: there is no such key", "choose from model, thresholds"]),
        ("search.loss", "{a", ["search.loss: line 1: this is not YAML"]),
        ("attributes.zip.taxonomy", "*", ["attributes.zip.taxonomy", "not YAML", "in quotes"]),
        ("", "x", [": there is no such key", "choose from data"]),
    ],
)
def test_refused_settings(file: Path, key: str, value: str, words: list[str]) -> None:
    policy = load(file, CONTRACT)
    with pytest.raises(InputError) as caught:
        policy.with_settings({key: value})
    for word in (str(file), *words):
        assert word in str(caught.value)


def test_settings_in_a_list_of_models_need_its_number() -> None:
    policy = small(privacy=[{"model": "l-diversity", "l": 2}])
    assert policy.with_settings({"privacy.0.l": "3"}).privacy == (LDiversity(3),)
    with pytest.raises(InputError, match=r"privacy is a list, so write privacy\.0\.l"):
        policy.with_settings({"privacy.l": "3"})
    with pytest.raises(InputError, match=r"privacy\.1\.l: there is no such key"):
        policy.with_settings({"privacy.1.l": "3"})


def test_settings_of_a_policy_made_in_python() -> None:
    made = TablePolicy.model_validate(Policy.model_validate(small().as_dict()))
    assert made.with_settings({"search.top_h": "2"}).search.options() == {"top_h": 2}


# What comes out


def test_explain(file: Path) -> None:
    told = load(file, CONTRACT).explain()
    for words in [
        *(f"{file.parent / 'patients.csv'} as csv", "name is dropped", "education, age and zip are generalized"),
        *("disease is protected", "income is kept as the class", "ward is kept unchanged"),
        *(
            "l-plus-diversity with thresholds 3/10 for Cancer",
            "can link no value of disease",
            "the least loss (lm)",
            "vio-sa",
        ),
        "After 60 seconds",
    ]:
        assert words in told
    assert told.endswith(".") and ".." not in told.replace(str(file.parent), "")


def test_explain_the_rest() -> None:
    policy = small(
        privacy={"model": "l-plus-diversity", "thresholds": {"baseline": "1/5", "by": "frequency"}},
        search={"alpha": 0.1, "top_h": 3, "guard_stars": True},
    )
    for words in ["thresholds 1/5, more for", "1 + 1/10 times", "random from the 3 best", "reveal"]:
        assert words in policy.explain()
    both = small(privacy=[{"model": "l-diversity", "l": 4}, {"model": "k-anonymity", "k": 5}]).explain()
    assert "l-diversity with l 4: anyone who knows a person's quasi-identifiers can link no value of disease" in both
    assert "with more confidence than 1 in 4" in both and "finds at least 5 records that fit, or none" in both
    samarati = small(search={"method": "samarati", "max_suppressed": "1/20"}).explain()
    assert "The method samarati looks for the least height at which the promise holds" in samarati
    assert "At most 1/20 of the records are deleted" in samarati
    capped = small(search={"max_suppressed": "1/20"}).explain()
    assert "At most 1/20 of the sensitive values are deleted" in capped
    bounded = {"role": "quasi-identifier", "taxonomy": {"dates": ["day", "month", "year"]}, "weight": 3}
    wishes = small(attributes=attributes(age={**bounded, "at_least": "year", "at_most": ["2024-01"]})).explain()
    assert "age is never coarser than year and never more detailed than 2024-01" in wishes
    assert "The detail of age counts 3 times as much" in wishes


def test_as_dict_is_json_and_complete() -> None:
    written = small(search={"alpha": "1/3"}).as_dict()
    assert json.loads(json.dumps(written)) == written
    assert written == {
        "data": {
            **{"kind": "table", "path": "patients.csv", "encoding": "utf-8", "sheet": None},
            **{"database": None, "table": None, "clean": {"trim": False, "missing": []}},
        },
        "attributes": {
            "age": {
                **{"role": "quasi-identifier", "taxonomy": {"flat": True}, "on_missing": "error"},
                **{"weight": "1", "at_least": None, "at_most": None},
            },
            "disease": {"role": "sensitive"},
        },
        "privacy": [{"model": "l-diversity", "l": 2}],
        "search": {
            **{"method": "l-plus-optimize", "loss": "lm", "suppression": "all-sa", "time_limit": None},
            **{"alpha": "1/3", "top_h": 1, "max_suppressed": None, "guard_stars": False},
            **{"strict": True, "look_ahead": False, "split": False},
            **{"per_class": True, "stream": False, "copies": 1, "more_decimals": 0},
        },
        "output": {"format": "csv", "escape_formulas": False},
        "report": {"without": []},
    }


def test_equal_policies_are_equal_wherever_they_come_from(file: Path) -> None:
    policy = load(file, CONTRACT)
    assert Policy.parse(policy.as_dict()) == policy
    assert copy.deepcopy(policy) == policy
    assert pickle.loads(pickle.dumps(policy)).with_settings({"search.top_h": "2"}).search.options() == {"top_h": 2}


SHARES = st.fractions(min_value=0, max_value=1)
THRESHOLDS = st.one_of(
    SHARES.map(str),
    st.decimals(min_value=0, max_value=1, allow_nan=False, places=6).map(str),
    st.dictionaries(st.text(max_size=5), SHARES.map(str), min_size=1, max_size=3),
    st.builds(lambda share: {"baseline": str(share), "by": "frequency"}, SHARES),
)
TAXONOMIES = st.one_of(
    st.just("*"),
    st.just("some/file.csv"),
    st.just({"dates": ["day", "quarter"]}),
    st.lists(st.integers(1, 9), min_size=1, unique=True).map(lambda ls: {"prefixes": sorted(ls, reverse=True)}),
    st.builds(
        lambda width, start: {"intervals": [str(width), str(width * 2)], "start": str(start), "end": str(start + 10)},
        st.decimals(min_value="0.1", max_value=9, places=1),
        st.decimals(min_value=-9, max_value=9, places=2),
    ),
)
PROMISES = st.one_of(
    st.fixed_dictionaries({"model": st.just("l-plus-diversity"), "thresholds": THRESHOLDS}),
    st.fixed_dictionaries({"model": st.just("l-diversity"), "l": st.integers(1, 99)}),
    st.fixed_dictionaries({"model": st.just("k-anonymity"), "k": st.integers(1, 99)}),
)
POLICIES = st.fixed_dictionaries(
    {
        "data": st.just({"kind": "table", "path": "data.csv"}),
        "attributes": st.dictionaries(
            st.text(max_size=6),
            st.fixed_dictionaries(
                {"role": st.just("quasi-identifier"), "taxonomy": TAXONOMIES},
                optional={"on_missing": st.sampled_from(["error", "suppress"])},
            ),
            min_size=1,
            max_size=3,
        ).map(lambda columns: {**columns, "sensitive column": {"role": "sensitive"}}),
        "privacy": PROMISES | st.lists(PROMISES, min_size=1, max_size=3, unique_by=lambda promise: promise["model"]),
    },
    optional={
        "search": st.fixed_dictionaries(
            {},
            optional={
                "loss": st.sampled_from(["lm", "dm"]),
                "alpha": st.fractions(min_value=0, max_value=3).map(str),
                "time_limit": st.none() | st.floats(0.1, 1e6),
                "top_h": st.integers(1, 100),
            },
        ),
        "output": st.sampled_from([None, {}, {"format": "parquet"}]),
    },
)


@examples(40)
@given(POLICIES)
def test_a_policy_written_and_parsed_again_is_the_same(written: dict[str, Any]) -> None:
    policy = Policy.parse(written)
    again = json.loads(json.dumps(policy.as_dict()))
    assert Policy.parse(again) == policy
    assert policy.with_settings({}) == policy


@examples(40)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["model", "l", "taxonomy", "role", "x"]), inner)
        ),
        max_leaves=8,
    ),
    st.sampled_from(["data", "attributes", "privacy", "search", "output", "nothing"]),
)
def test_anything_at_all_is_a_policy_or_a_sentence(value: object, section: str) -> None:
    try:
        small(**{section: value})
    except InputError as error:
        assert str(error).endswith(".")


# For those who build on it


def test_every_key_is_described_for_forms_and_docs() -> None:
    sections: dict[str, type[Section]] = {"the policy": TablePolicy, **TablePolicy.sections()}
    assert {promise_section(model) for model in TABLE_MODELS.values()} <= set(sections.values())
    assert {TablePolicy.section_at(key) for key in ("data", "search", "output")} <= set(sections.values())
    assert Attribute in sections.values()
    for title, section in sections.items():
        assert section.model_config.get("extra") == "forbid" and section.__doc__, title
        for key, field in section.model_fields.items():
            assert field.description, f"{title}: {key}"


def test_what_is_registered_is_what_a_policy_can_name() -> None:
    search = TablePolicy.section_at("search")
    assert set(get_args(search.model_fields["method"].annotation)) == set(TABLE_METHODS)
    assert set(get_args(search.model_fields["loss"].annotation)) == set(TABLE_LOSSES)
    assert set(get_args(search.model_fields["suppression"].annotation)) == set(get_args(Suppression)) == set(SCHEMES)
    assert set(FATES) == set(get_args(Role))
    for name, method in TABLE_METHODS.items():
        assert kept(method, TABLE_MODELS)
        for option in method.options:
            key = search.model_fields[option.name]
            havers, _, text = key.description.partition(": ")
            assert havers.startswith("with ") and name in havers.split() and text == option.text
            assert key.default == option.default
    assert {name for method in TABLE_METHODS.values() for name in kept(method, TABLE_MODELS)} == set(TABLE_MODELS)


@pytest.mark.parametrize("model", [LPlusDiversity(Fraction(1, 3)), LDiversity(3), KAnonymity(5)])
def test_every_promise_and_method_can_be_told(model: TableModel) -> None:
    for name in keepers(TABLE_METHODS, [model]):
        policy = small(privacy=[model], search={"method": name})
        assert (policy.search.declared().name, Policy.parse(policy.as_dict())) == (name, policy)
        assert f"The method {name} " in policy.explain() and model.name in policy.explain()


@pytest.mark.parametrize("module", [discreet.policy.policy, discreet.policy.file])
def test_the_examples_in_the_docstrings(module: Any) -> None:
    failed, tried = doctest.testmod(module)
    assert tried and not failed


def test_the_import_is_light() -> None:
    code = "import sys, discreet.policy; print({'duckdb', 'numba', 'pyarrow', 'pandas'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
