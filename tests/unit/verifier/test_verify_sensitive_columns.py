"""Promises about several sensitive columns, with a default, on a taxonomy: each kept, and broken by one row."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.verifier import ReleaseLimits, Verdict, verify_release
from discreet.verifier.taxonomy import labels_above
from hand_made import HALF, Release, Row, kinds

ICD = "F20;F2;F;Any\nF25;F2;F;Any\nF32;F3;F;Any\nJ10;J;Any\nJ45;J;Any\n"
TWO_COLUMNS = ("education", "country", "disease", "job")


def on_taxonomy(codes: Sequence[str], promise: Mapping[str, object], taxonomy: str = ICD) -> Release:
    """One partition that shows these codes."""
    release = Release([("Graduate", "America", code) for code in codes]).promising(promise)
    release.stated["columns"]["disease"]["taxonomy"] = "taxonomies/icd.csv"
    release.taxonomies["icd.csv"] = taxonomy
    return release


def two_columns(rows: Sequence[tuple[str, str]], *promise: Mapping[str, object]) -> Release:
    """One partition with two sensitive columns."""
    release = Release([("Graduate", "America", *row) for row in rows], TWO_COLUMNS).promising(*promise)
    release.stated["columns"]["job"] = {"role": "sensitive"}
    return release


def thresholds(stated: Mapping[str, str], **more: object) -> dict[str, object]:
    return {"model": "l-plus-diversity", "thresholds": stated, **more}


def verified(release: Release, folder: Path, name: str = "release", **options: Any) -> Verdict:
    return verify_release(release.write(folder / name), **options)


# --- several columns --------------------------------------------------------------------------------------

OF_DISEASE = {"model": "l-diversity", "l": 2, "column": "disease"}
OF_JOB = {"model": "l-diversity", "l": 3, "column": "job"}


@pytest.mark.parametrize(
    ("rows", "broken"),
    [
        (["Ax", "By", "Az"], ["disease"]),
        (["Ax", "By", "Az", "Bx"], ["job"]),
        (["Ax", "By", "Az", "Bx", "Ay", "Bz"], []),
        (["Ax", "Ay", "Az", "Bx", "Ay", "Bz"], ["disease"]),
        (["Ax", "By", "Az", "Bx", "Ax", "Bz"], ["job"]),
        (["Ax", "Ay", "Az", "Bx", "Ax", "Bz"], ["disease", "job"]),
        (["*x", "*y", "*z"], []),
        (["**", "A*", "Bx"], []),
    ],
)
def test_each_column_keeps_its_own_promise(tmp_path: Path, rows: list[str], broken: list[str]) -> None:
    verdict = verified(two_columns([(row[0], row[1]) for row in rows], OF_DISEASE, OF_JOB), tmp_path)
    assert [breach.sentence.split("'")[1] for breach in verdict.breaches] == broken
    assert kinds(verdict) == ["l-diversity"] * len(broken)
    assert (verdict.rows, verdict.partitions, verdict.people) == (len(rows), 1, None)


def test_a_promise_names_its_column(tmp_path: Path) -> None:
    by_value = thresholds({"x": "1/2"}, column="job", default="1/3")
    plain = thresholds({"A": "1"}, column="disease")
    verdict = verified(two_columns([("A", "x"), ("B", "x")], OF_DISEASE, by_value, plain), tmp_path)
    assert verdict.promise == (
        "l-diversity: no sensitive value of 'disease' has more than 1/2 of a partition.",
        "l-plus-diversity: no sensitive value of 'job' has more of a partition than its threshold ('x' 1/2; 1/3 for "
        "any other).",
        "l-plus-diversity: no sensitive value of 'disease' has more of a partition than its threshold ('A' 1).",
    )
    assert [(breach.kind, breach.sentence) for breach in verdict.breaches] == [
        (
            "l-plus-diversity",
            "1 time a sensitive value of 'job' has more of a partition than its threshold.",
        ),
        ("threshold", "1 visible sensitive value of 'disease' without a threshold."),
    ]


def test_a_sensitive_column_needs_no_promise(tmp_path: Path) -> None:
    rows = [("A", "x"), ("B", "x")]
    assert verified(two_columns(rows, {"model": "k-anonymity", "k": 2}), tmp_path, "a").holds
    assert verified(two_columns(rows, OF_DISEASE), tmp_path, "b").holds


def test_the_only_column_may_be_named(tmp_path: Path) -> None:
    release = Release([("Graduate", "UK", "Flu"), ("Graduate", "UK", "Asthma")])
    named = {**HALF, "column": "disease"}
    assert verified(release.promising(named), tmp_path, "a").holds
    release.rows = [*release.rows, ("Graduate", "UK", "Asthma")]
    assert kinds(verified(release, tmp_path, "b")) == ["l-plus-diversity"]


@pytest.mark.parametrize(
    ("promise", "sentence"),
    [
        (HALF, "which of the sensitive columns 'disease', 'job' it is about has to be said"),
        ({**HALF, "column": "country"}, "the column 'country' is not sensitive; sensitive are 'disease', 'job'"),
        ({**HALF, "column": "nowhere"}, "the column 'nowhere' is not sensitive"),
        ({**HALF, "column": ["job"]}, "column should be a text"),
        ({"model": "k-anonymity", "k": 2, "column": "job"}, "unknown key 'column'"),
        ({**HALF, "column": "job", "default": "1/3"}, "default goes with thresholds for single values"),
        ({"model": "l-diversity", "l": 2, "column": "job", "default": "1/3"}, "unknown key 'default'"),
        (thresholds({"x": "1/2"}, column="job", default="4/3"), "default is 4/3, outside"),
        (thresholds({"x": "1/2"}, column="job", default=None), "default should be a fraction"),
        (thresholds({"x": "1/2"}, column="job", default=0.5), "not exact"),
    ],
)
def test_what_is_not_understood(tmp_path: Path, promise: Mapping[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        verified(two_columns([("A", "x")], promise), tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", [("", None), (None, "")])
def test_either_column_has_one_spelling_of_missing(tmp_path: Path, missing: tuple[str | None, str | None]) -> None:
    rows: list[Row] = [("Graduate", "UK", "A", cell) for cell in missing]
    release = Release(rows, TWO_COLUMNS).promising({"model": "k-anonymity", "k": 2})
    release.stated["columns"]["job"] = {"role": "sensitive"}
    release.stated["data"] = "data.parquet"
    with pytest.raises(InputError, match="'job' has both NULL and empty text"):
        verified(release, tmp_path)


# --- a default --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "codes", "broken"),
    [
        ({"A": "1/2"}, "AABC", []),
        ({"A": "1/2"}, "AABB", ["l-plus-diversity"]),
        ({"A": "1/8"}, "ABCD", ["l-plus-diversity"]),  # its own threshold, not the default
        ({}, "ABCD", []),
        ({}, "AABC", ["l-plus-diversity"]),
        ({"A": "1/2"}, ["A", "A", "", "*"], []),
        ({"A": "1/2"}, ["A", "A", "", ""], ["l-plus-diversity"]),
        ({"A": "1/2", "": "1/2"}, ["A", "A", "", ""], []),
        ({"A": "1/2"}, "****", []),
    ],
)
def test_the_default_binds_values_without_a_threshold(
    tmp_path: Path, stated: dict[str, str], codes: Sequence[str], broken: list[str]
) -> None:
    release = Release([("Graduate", "UK", code) for code in codes])
    verdict = verified(release.promising(thresholds(stated, default="1/4")), tmp_path)
    assert kinds(verdict) == broken


def test_a_default_of_one_promises_nothing_more(tmp_path: Path) -> None:
    release = Release([("Graduate", "UK", "A")])
    verdict = verified(release.promising(thresholds({"A": "1"}, default="1")), tmp_path, "a")
    assert verdict.holds and verdict.hollow == "Every table keeps this promise."
    verdict = verified(release.promising(thresholds({"A": "1"}, default="1/2")), tmp_path, "b")
    assert verdict.holds and verdict.hollow is None


# --- a taxonomy of values ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("promise", "codes", "broken"),
    [
        # a label binds all that lies below it together, and itself
        (thresholds({"F": "1/2", "J": "1"}), "F20 F32 J10 J10", []),
        (thresholds({"F": "1/2", "J": "1"}), "F20 F32 F25 J10", ["l-plus-diversity"]),
        (thresholds({"F": "1/2", "J": "1"}), "F20 F J10 J10", []),
        (thresholds({"F": "1/2", "J": "1"}), "F20 F F2 J10", ["l-plus-diversity"]),
        (thresholds({"F": "1/2", "J": "1"}), "F20 F25 F25 J10 * *", []),
        # labels within labels, and values within them, are all bound
        (thresholds({"F": "3/4", "F2": "1/2", "F20": "1/4", "J": "1"}), "F20 F25 F32 J10", []),
        (thresholds({"F": "3/4", "F2": "1/2", "F20": "1/4", "J": "1"}), "F20 F25 F25 J10", ["l-plus-diversity"]),
        (thresholds({"F": "3/4", "F2": "1/2", "F20": "1/4", "J": "1"}), "F20 F20 F32 J10", ["l-plus-diversity"]),
        (thresholds({"F": "3/4", "F2": "1/2", "F20": "1/4", "J": "1"}), "F20 F25 F32 F32", ["l-plus-diversity"]),
        # the default is for single values, also those below a label
        (thresholds({"F": "1"}, default="1/4"), "F20 F25 F32 F2", []),
        (thresholds({"F": "1"}, default="1/4"), "F20 F25 F32 F32", ["l-plus-diversity"]),
        (thresholds({"F": "1"}, default="1/4"), "F20 F25 F32 F", []),
        (thresholds({"F": "1"}, default="1/4"), "F F F F", []),
        (thresholds({"F": "1", "F20": "1/2"}, default="1/4"), "F20 F20 F32 J10", []),
        # nothing is promised of a value without a threshold, a label above it or a default
        (thresholds({"F": "1"}), "F20 F J10", ["threshold"]),
        (thresholds({"F20": "1", "J": "1"}), "F20 J10", []),
        (thresholds({"F20": "1", "J": "1"}), "F20 F2 J10", ["threshold"]),
        (thresholds({"Any": "1"}), "F20 F2 J10 Any", []),
        (thresholds({"Any": "3/4"}), "F20 F2 J10 *", []),
        (thresholds({"Any": "3/4"}), "F20 F2 J10 Any", ["l-plus-diversity"]),
        # one number for all is for single values
        ({"model": "l-diversity", "l": 2}, "F20 F25 F2 F2", []),
        ({"model": "l-diversity", "l": 2}, "F20 F2 F2 F2", ["l-diversity"]),
        (HALF, "F20 F2 F2 F2", ["l-plus-diversity"]),
        # what is not in the taxonomy, other than a star
        (thresholds({"F": "1"}, default="1"), "F20 f20 *", ["taxonomy"]),
        ({"model": "k-anonymity", "k": 1}, "F20 F99", ["taxonomy"]),
    ],
)
def test_thresholds_on_a_taxonomy(tmp_path: Path, promise: Mapping[str, object], codes: str, broken: list[str]) -> None:
    assert kinds(verified(on_taxonomy(codes.split(), promise), tmp_path)) == broken


def test_words_about_labels(tmp_path: Path) -> None:
    release = on_taxonomy(["F20", "F25", "J10"], thresholds({"F": "1/2", "J10": "1"}, default="1/3"))
    verdict = verified(release, tmp_path, "a")
    assert verdict.promise == (
        "l-plus-diversity: no sensitive value has more of a partition than its threshold, nor has a label with all "
        "that lies below it ('F' 1/2, 'J10' 1; 1/3 for any other).",
    )
    assert verdict.breaches[0].witnesses == (
        "partition ('education': 'Graduate', 'country': 'America') of 3 rows: 'F' or below in 2, more than 1/2 of them",
    )
    verdict = verified(on_taxonomy(["F20", "K00", "K00"], HALF), tmp_path, "b")
    assert kinds(verdict) == ["taxonomy", "l-plus-diversity"]
    assert verdict.breaches[0].sentence == "Column 'disease': 1 published value not in its taxonomy."
    assert verdict.breaches[0].witnesses == ("'disease': 'K00' in 2 rows",)


@pytest.mark.parametrize(("taxonomy", "broken"), [(ICD, ["threshold"]), (f"{ICD};Any\n", [])])
def test_missing_lies_where_the_taxonomy_has_it(tmp_path: Path, taxonomy: str, broken: list[str]) -> None:
    """It needs no place in the taxonomy; where it has one, it lies below the labels above."""
    verdict = verified(on_taxonomy(["F20", ""], thresholds({"Any": "1"}), taxonomy), tmp_path, "a")
    assert kinds(verdict) == broken
    bound = thresholds({"Any": "1/2", "": "1/2"})
    verdict = verified(on_taxonomy(["F20", ""], bound, taxonomy), tmp_path, "b")
    assert kinds(verdict) == ([] if broken else ["l-plus-diversity"])


def test_a_root_called_star_is_no_value(tmp_path: Path) -> None:
    taxonomy = "A;*\nB;*\n"
    assert verified(on_taxonomy(["A", "*"], HALF, taxonomy), tmp_path, "a").holds
    with pytest.raises(InputError, match="can have no threshold"):
        verified(on_taxonomy(["A", "*"], thresholds({"*": "1/2"}), taxonomy), tmp_path, "b")


def test_a_threshold_of_what_the_taxonomy_does_not_have(tmp_path: Path) -> None:
    """A taxonomy made from the data has what is published alone, and the policy's thresholds may be about more."""
    verdict = verified(on_taxonomy(["F20"], thresholds({"F": "1", "G": "1/9", "G10": "0"})), tmp_path, "a")
    assert verdict.holds
    assert "No published value of 'disease' is 'G', 'G10', or lies below" in verdict.notes[0]
    verdict = verified(on_taxonomy(["F20", "G10"], thresholds({"F": "1", "G": "1/9", "G10": "0"})), tmp_path, "b")
    assert kinds(verdict) == ["taxonomy", "l-plus-diversity"]


@pytest.mark.parametrize(
    ("role", "taxonomy", "sentence"),
    [
        ("sensitive", "../icd.csv", "leaves the folder"),
        ("sensitive", "taxonomies/none.csv", "does not have it"),
        ("sensitive", None, "taxonomy should be a text"),
        ("insensitive", "taxonomies/icd.csv", "unknown key 'taxonomy'"),
    ],
)
def test_a_taxonomy_that_is_not_there(tmp_path: Path, role: str, taxonomy: str | None, sentence: str) -> None:
    release = on_taxonomy(["F20"], {"model": "k-anonymity", "k": 1})
    release.stated["columns"]["disease"] = {"role": role, "taxonomy": taxonomy}
    with pytest.raises(InputError, match=sentence):
        verified(release, tmp_path)


def test_labels_above_each_node() -> None:
    """A chain of which every second node has a label, and a random tree, against walking up."""
    draw = random.Random(3)
    chain: dict[str, str | None] = {str(node): str(node - 1) if node else None for node in range(40)}
    tree: dict[str, str | None] = {"0": None, **{str(node): str(draw.randrange(node)) for node in range(1, 40)}}
    for parents in (chain, tree):
        nodes = draw.sample(sorted(parents), 25)
        labels = set(draw.sample(sorted(parents), 20))
        expected = []
        for node in nodes:
            upper = parents[node]
            while upper is not None:
                expected += [(node, upper)] if upper in labels else []
                upper = parents[upper]
        assert list(labels_above(parents, nodes, labels)) == expected


def test_a_deep_taxonomy_with_a_threshold_on_every_label_is_limited(tmp_path: Path) -> None:
    """A chain of so many visible labels has the square of it in pairs of a value and a label above."""
    chain = [f"n{number}" for number in range(60)]
    release = on_taxonomy(chain, thresholds(dict.fromkeys(chain, "1")), ";".join(chain) + "\n")
    folder = release.write(tmp_path / "release")
    assert verify_release(folder, limits=ReleaseLimits(labels=60 * 59 // 2)).holds
    with pytest.raises(InputError, match="thresholds above values of 'disease': 1770 labels are more than the 1769"):
        verify_release(folder, limits=ReleaseLimits(labels=60 * 59 // 2 - 1))


def test_thousands_of_values(tmp_path: Path) -> None:
    """As many as ICD-10 has, in thousands of partitions; one chapter is above its threshold in one of them."""
    codes = [f"{chapter}{number:03}" for chapter in "ABCDEFGHIJ" for number in range(300)]
    taxonomy = "".join(f"{code};{code[:3]};{code[0]};Any\n" for code in codes)
    leaves = [f"leaf {number:04}" for number in range(2_000)]
    rows: list[Row] = [
        (leaf, "UK", codes[(300 * place + 7 * number) % 3_000])
        for number, leaf in enumerate(leaves)
        for place in range(10)
    ]
    release = on_taxonomy([], thresholds({"F": "1/10", "A001": "0"}, default="1/10"), taxonomy)
    release.taxonomies["education.csv"] = "".join(f"{leaf};Any\n" for leaf in leaves)
    release.rows = [row for row in rows if row[2] != "A001"]
    broken = verified(release, tmp_path, "a")
    few = sum(row[2] == "A001" for row in rows)
    assert kinds(broken) == ["l-plus-diversity"], "where one of ten is missing, one of nine is more than a tenth"
    assert broken.breaches[0].sentence.startswith(f"{10 * few} times"), "nine values, and the label F"
    release.rows = [row if row[2] != "A001" else (*row[:2], "*") for row in rows]
    assert verified(release, tmp_path, "b").holds
    release.rows = [("leaf 0000", "UK", "F299") if row == ("leaf 0000", "UK", "G000") else row for row in release.rows]
    verdict = verified(release, tmp_path, "c")
    assert verdict.breaches[0].witnesses == (
        "partition ('education': 'leaf 0000', 'country': 'UK') of 10 rows: 'F' or below in 2, more than 1/10 of them",
    )
