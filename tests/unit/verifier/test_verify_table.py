"""The verifier of tables: every check with a release that passes and one that fails by a hair."""

import ast
import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import verifier
from discreet.errors import InputError
from discreet.verifier import verify_release
from examples import examples
from hand_made import EDUCATION, EXAMPLE_3_1, HALF, Release, Row, certificate, kinds, one_partition

# --- the promises -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("promise", "diseases", "broken"),
    [
        ({"model": "l-plus-diversity", "thresholds": "1/3"}, {"Flu": 3, "A": 3, "B": 3}, []),
        (
            {"model": "l-plus-diversity", "thresholds": "1/3"},
            {"Flu": 4, "A": 3, "B": 2},
            ["l-plus-diversity"],
        ),
        ({"model": "l-plus-diversity", "thresholds": "0.3"}, {"Flu": 3, "star": 7}, []),
        ({"model": "l-plus-diversity", "thresholds": "0"}, {"star": 3}, []),
        ({"model": "l-plus-diversity", "thresholds": 0}, {"star": 99, "Flu": 1}, ["l-plus-diversity"]),
        ({"model": "l-plus-diversity", "thresholds": "1"}, {"Flu": 1}, []),
        ({"model": "l-plus-diversity", "thresholds": {"Flu": "1", "A": "0"}}, {"Flu": 9}, []),
        (
            {"model": "l-plus-diversity", "thresholds": {"Flu": "1", "A": "0"}},
            {"Flu": 9, "A": 1},
            ["l-plus-diversity"],
        ),
        ({"model": "l-plus-diversity", "thresholds": {"Flu": "1"}}, {"Flu": 9, "A": 1}, ["threshold"]),
        ({"model": "l-diversity", "l": 3}, {"Flu": 3, "A": 3, "B": 3}, []),
        ({"model": "l-diversity", "l": 3}, {"Flu": 4, "A": 3, "B": 3}, ["l-diversity"]),
        ({"model": "l-diversity", "l": 1}, {"Flu": 1}, []),
        ({"model": "k-anonymity", "k": 5}, {"Flu": 5}, []),
        ({"model": "k-anonymity", "k": 5}, {"Flu": 4}, ["k-anonymity"]),
        ({"model": "k-anonymity", "k": 5}, {"star": 5}, []),
        # The threshold lies 1 in 10**18 below 1/3: no float can tell them apart.
        (
            {"model": "l-plus-diversity", "thresholds": "333333333333333333/1000000000000000000"},
            {"Flu": 1, "A": 1, "B": 1},
            ["l-plus-diversity"],
        ),
        (
            {"model": "l-plus-diversity", "thresholds": "333333333333333334/1000000000000000000"},
            {"Flu": 1, "A": 1, "B": 1},
            [],
        ),
    ],
)
def test_a_promise_holds_to_the_last_row(
    tmp_path: Path, promise: Mapping[str, object], diseases: dict[str, int], broken: list[str]
) -> None:
    release = one_partition(**diseases).promising(promise)
    if "1000" in str(promise):
        promise = {**promise, "thresholds": Fraction(str(promise["thresholds"]))}
        release.promising(HALF)
        verdict = verify_release(release.write(tmp_path / "release"), [promise])
    else:
        verdict = verify_release(release.write(tmp_path / "release"))
    assert kinds(verdict) == broken
    assert (verdict.rows, verdict.partitions) == (sum(diseases.values()), 1)


def test_table_3_2(tmp_path: Path) -> None:
    """Example 3.1: the anonymized partition keeps the thresholds 30%, 40%, 50%; the original does not."""
    anonymized = one_partition(Asthma=1, star=2).promising(EXAMPLE_3_1)
    original = one_partition(Asthma=1, Cancer=2).promising(EXAMPLE_3_1)
    assert verify_release(anonymized.write(tmp_path / "a")).holds
    verdict = verify_release(original.write(tmp_path / "b"))
    assert kinds(verdict) == ["l-plus-diversity"]
    assert verdict.breaches[0].witnesses == (
        "partition ('education': 'Graduate', 'country': 'America') of 3 rows: 'Cancer' in 2, more than 3/10 of them",
    )


def test_stars_count_in_the_size_and_are_no_value(tmp_path: Path) -> None:
    assert verify_release(one_partition(Flu=2, star=2).write(tmp_path / "a")).holds
    assert kinds(verify_release(one_partition(Flu=2, star=1).write(tmp_path / "b"))) == ["l-plus-diversity"]


def test_every_promise_of_a_list_is_checked(tmp_path: Path) -> None:
    release = one_partition(Flu=2, Asthma=1).promising(
        {"model": "k-anonymity", "k": 4}, {"model": "l-diversity", "l": 2}, HALF
    )
    verdict = verify_release(release.write(tmp_path / "release"))
    assert kinds(verdict) == ["k-anonymity", "l-diversity", "l-plus-diversity"]
    assert verdict.promise == (
        "k-anonymity: every partition has at least 4 rows.",
        "l-diversity: no sensitive value has more than 1/2 of a partition.",
        "l-plus-diversity: no sensitive value has more than 1/2 of a partition.",
    )


def test_a_small_partition_hides_behind_no_large_one(tmp_path: Path) -> None:
    rows: list[Row] = [("Graduate", "America", disease) for disease in ("Flu", "Asthma") * 50]
    rows += [("Graduate", "Europe", "Flu")]
    verdict = verify_release(Release(rows).write(tmp_path / "release"))
    assert (verdict.rows, verdict.partitions) == (101, 2)
    assert kinds(verdict) == ["l-plus-diversity"]


def test_missing_is_a_value_of_its_own(tmp_path: Path) -> None:
    """Missing quasi-identifiers are equal to one another; a missing sensitive value has the threshold ''."""
    promise = {"model": "l-plus-diversity", "thresholds": {"Flu": "1/2", "": "1/2"}}
    rows: list[Row] = [("", "UK", "Flu"), ("", "UK", "")]
    verdict = verify_release(Release(rows).promising(promise).write(tmp_path / "a"))
    assert verdict.holds
    assert verdict.partitions == 1
    rows.append(("", "UK", ""))
    verdict = verify_release(Release(rows).promising(promise).write(tmp_path / "b"))
    assert kinds(verdict) == ["l-plus-diversity"]
    assert "(missing) in 2" in verdict.breaches[0].witnesses[0]
    verdict = verify_release(Release(rows).promising(EXAMPLE_3_1).write(tmp_path / "c"))
    assert kinds(verdict) == ["threshold"]


def test_no_rows_keep_every_promise_and_the_verdict_says_so(tmp_path: Path) -> None:
    verdict = verify_release(Release([]).write(tmp_path / "release"))
    assert verdict.holds
    assert (verdict.rows, verdict.partitions) == (0, 0)
    assert verdict.hollow == "The release has no rows."


def test_k_anonymity_needs_no_sensitive_column(tmp_path: Path) -> None:
    release = Release([("Graduate", "UK")] * 5, header=("education", "country"))
    del release.stated["columns"]["disease"]
    release.promising({"model": "k-anonymity", "k": 5})
    folder = release.write(tmp_path / "release")
    assert verify_release(folder).holds
    assert kinds(verify_release(folder, [{"model": "k-anonymity", "k": 6}])) == ["k-anonymity"]


def test_a_given_promise_takes_the_place_of_the_stated_one(tmp_path: Path) -> None:
    folder = one_partition(Flu=1, Asthma=2).promising({"model": "k-anonymity", "k": 3}).write(tmp_path / "r")
    assert verify_release(folder).holds
    assert verify_release(folder, [{"model": "l-plus-diversity", "thresholds": Fraction(2, 3)}]).holds
    assert kinds(verify_release(folder, [HALF])) == ["l-plus-diversity"]
    with pytest.raises(InputError, match="at least one entry"):
        verify_release(folder, [])


def test_at_most_ten_witnesses_over_all(tmp_path: Path) -> None:
    leaves = [f"leaf {number:02}" for number in range(20)]
    release = Release([(leaf, "UK", "Flu") for leaf in leaves])
    release.taxonomies["education.csv"] = "".join(f"{leaf};Any\n" for leaf in leaves)
    release.promising({"model": "k-anonymity", "k": 2}, HALF)
    verdict = verify_release(release.write(tmp_path / "release"))
    assert kinds(verdict) == ["k-anonymity", "l-plus-diversity"]
    assert [len(breach.witnesses) for breach in verdict.breaches] == [10, 0]
    assert verdict.breaches[0].sentence.startswith("20 partitions")
    assert verdict.breaches[1].sentence.startswith("20 times")


# --- columns, taxonomies, exclusiveness -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "broken"),
    [
        (("country", "education", "disease"), []),
        (("education", "country", "disease", "name"), ["identifier"]),
        (("education", "country", "disease", "surplus"), ["columns"]),
        (("education", "country", "disease", "disease"), ["columns"]),
        (("education", "country", "Disease"), ["columns"]),
        (("education", "disease"), ["columns"]),
    ],
)
def test_the_columns_are_the_certificates(tmp_path: Path, header: Sequence[str], broken: list[str]) -> None:
    cells = {"education": "Graduate", "country": "UK"}
    rows = [tuple(cells.get(column, disease) for column in header) for disease in ("Flu", "Asthma")]
    assert kinds(verify_release(Release(rows, header).write(tmp_path / "release"))) == broken


def test_a_published_identifier_does_not_hide_the_rest(tmp_path: Path) -> None:
    rows = [("Graduate", "UK", "Flu", "Ann")]
    release = Release(rows, header=("education", "country", "disease", "name"))
    assert kinds(verify_release(release.write(tmp_path / "r"))) == ["identifier", "l-plus-diversity"]


def test_class_and_insensitive_columns_may_hold_anything(tmp_path: Path) -> None:
    header = ("education", "country", "disease", "income", "ward")
    release = Release([("Graduate", "UK", "Flu", "1", "a"), ("Graduate", "UK", "A", "2", "b")], header)
    release.stated["columns"] |= {"income": {"role": "class"}, "ward": {"role": "insensitive"}}
    verdict = verify_release(release.write(tmp_path / "release"))
    assert verdict.holds
    assert verdict.partitions == 1


@pytest.mark.parametrize("value", ["PhD", "graduate", "Graduate ", "", None])
def test_a_value_outside_its_taxonomy(tmp_path: Path, value: str | None) -> None:
    release = Release([(value, "UK", "Flu"), (value, "UK", "Asthma")])
    release.taxonomies["education.csv"] = EDUCATION.replace(";Any\n;Any\n", ";Any\n")
    verdict = verify_release(release.write(tmp_path / "release"))
    assert kinds(verdict) == ["taxonomy"]
    assert verdict.breaches[0].witnesses[0].endswith("in 2 rows")


def test_a_missing_leaf_makes_the_empty_cell_a_value(tmp_path: Path) -> None:
    assert verify_release(Release([(None, "UK", "Flu"), ("", "UK", "Asthma")]).write(tmp_path / "r")).holds


@pytest.mark.parametrize(
    ("values", "pair"),
    [
        (["Junior", "Senior", "University", ""], None),
        (["Secondary", "Bachelor", "Graduate"], None),
        (["Any"], None),
        (["Secondary", "Junior"], "'Secondary' lies above 'Junior'"),
        (["Any", "Graduate"], "'Any' lies above 'Graduate'"),
        (["Any", ""], "'Any' lies above (missing)"),
    ],
)
def test_no_published_value_lies_above_another(tmp_path: Path, values: list[str], pair: str | None) -> None:
    rows = [(value, "UK", disease) for value in values for disease in ("Flu", "Asthma")]
    verdict = verify_release(Release(rows).write(tmp_path / "release"))
    if pair is None:
        assert verdict.holds
    else:
        assert kinds(verdict) == ["exclusiveness"]
        assert verdict.breaches[0].witnesses == (f"'education': {pair}",)


def test_repeated_labels_on_a_path_are_one_node(tmp_path: Path) -> None:
    release = Release([("Junior", "UK", disease) for disease in ("Flu", "Asthma")])
    release.taxonomies["education.csv"] = "Junior;Junior;Any;Any\nSenior;Secondary;Any\n"
    assert verify_release(release.write(tmp_path / "release")).holds


# --- files ------------------------------------------------------------------------------------------------

HOSTILE = ['"; DROP TABLE counts; --', "naïve 🎈, \n'x'", "Age", "age", "value", "q0", ""]


@pytest.mark.parametrize("data", ["data.csv", "data.parquet"])
def test_hostile_names_and_values(tmp_path: Path, data: str) -> None:
    """Names that differ in case alone, SQL, line breaks, and a sensitive column without any name."""
    header = HOSTILE
    taxonomy = 'a"b;root\n"c;d\n\'e\'";root\n;root\n'
    row = ("c;d\n'e'", "c;d\n'e'", 'a"b', "root", "", "root")
    stated = certificate() | {
        "data": data,
        "columns": {name: {"role": "quasi-identifier", "taxonomy": "taxonomies/t.csv"} for name in header[:-1]}
        | {header[-1]: {"role": "sensitive"}},
    }
    for place, (disease, holds) in enumerate([("x' OR '1'='1", True), ("🤒", False)]):
        rows = [(*row, "🤒"), (*row, disease)]
        release = Release(rows, header, stated, {"t.csv": taxonomy.replace('a"b', '"a""b"')})
        verdict = verify_release(release.write(tmp_path / str(place)))
        assert verdict.holds == holds
        assert verdict.partitions == 1


@pytest.mark.parametrize("data", ["data.csv", "data.parquet"])
def test_csv_and_parquet_alike(tmp_path: Path, data: str) -> None:
    rows: list[Row] = [("Graduate", "UK", "Flu"), ("Graduate", "UK", "Asthma")]
    rows += [(None, "UK", "Flu"), (None, "UK", None), (None, "UK", None), (None, "UK", "*")]
    release = Release(rows)
    release.stated["data"] = data
    folder = release.write(tmp_path / "release")
    verdict = verify_release(folder)
    assert (verdict.holds, verdict.rows, verdict.partitions) == (True, 6, 2)
    assert kinds(verify_release(folder, [{"model": "l-diversity", "l": 3}])) == ["l-diversity"]
    assert kinds(verify_release(folder, [{"model": "k-anonymity", "k": 3}])) == ["k-anonymity"]


def test_parquet_numbers_are_read_as_they_print(tmp_path: Path) -> None:
    release = Release([("Graduate", "UK", 1), ("Graduate", "UK", 2)])  # type: ignore[list-item]
    release.stated["data"] = "data.parquet"
    release.promising({"model": "l-plus-diversity", "thresholds": {"1": "1/2", "2": "1/2"}})
    assert verify_release(release.write(tmp_path / "release")).holds


@pytest.mark.parametrize("name", ["a[1]", "st*r", "wh?t", "c0=PhD", "education=PhD", "it's"])
@pytest.mark.parametrize("data", ["data.csv", "data.parquet"])
def test_a_folder_is_no_pattern(tmp_path: Path, name: str, data: str) -> None:
    """DuckDB would read `a1/data.csv` for `a[1]/data.csv`, and for `education=PhD/` a column of that."""
    for neighbour in ("a1", "star", "what"):
        good = one_partition(Flu=1, Asthma=1)
        good.stated["data"] = data
        good.write(tmp_path / neighbour)
    bad = one_partition(Flu=1)
    bad.stated["data"] = data
    assert kinds(verify_release(bad.write(tmp_path / name))) == ["l-plus-diversity"]


def test_the_release_or_the_folder_that_holds_it(tmp_path: Path) -> None:
    one_partition(Flu=1, Asthma=1).write(tmp_path / "release")
    assert verify_release(tmp_path) == verify_release(tmp_path / "release")


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    folder = one_partition(Flu=1, Asthma=1).write(tmp_path / "release")
    for path in (folder / "data.csv", folder / "taxonomies" / "education.csv"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert verify_release(folder).holds


def test_line_breaks_and_quotes_inside_cells(tmp_path: Path) -> None:
    """Rows are counted a second time; what is quoted well is counted well."""
    folder = Release([]).promising({"model": "k-anonymity", "k": 4}).write(tmp_path / "release")
    (folder / "data.csv").write_bytes(
        b'education,"country",disease\n'
        b'Graduate,UK,""""\n'
        b'"Graduate",UK,"a ""b"", c\n\n""d"\n'
        b'Graduate,"UK",\n'
        b'"Graduate","UK","x\r\n,"",\ny"'
    )
    verdict = verify_release(folder)
    assert (verdict.holds, verdict.rows) == (True, 4)


@pytest.mark.parametrize("content", [b'education\r\n""\r\n""\r\n', b'education\n""\n""', b'"education"\n""\n""\n'])
def test_quotes_are_the_missing_value_of_a_single_column(tmp_path: Path, content: bytes) -> None:
    release = Release([]).promising({"model": "k-anonymity", "k": 2})
    release.stated["columns"] = {"education": release.stated["columns"]["education"]}
    del release.taxonomies["country.csv"]
    folder = release.write(tmp_path / "release")
    (folder / "data.csv").write_bytes(content)
    verdict = verify_release(folder)
    assert (verdict.holds, verdict.rows) == (True, 2)


# --- what is not understood is never a pass ---------------------------------------------------------------

QI = {"role": "quasi-identifier", "taxonomy": "taxonomies/education.csv"}


def _set(*way: str, to: object) -> Callable[[dict[str, Any]], None]:
    def change(stated: dict[str, Any]) -> None:
        for step in way[:-1]:
            stated = stated[step]
        stated[way[-1]] = to

    return change


def _drop(*way: str) -> Callable[[dict[str, Any]], None]:
    def change(stated: dict[str, Any]) -> None:
        for step in way[:-1]:
            stated = stated[step]
        del stated[way[-1]]

    return change


def _promise(**entry: object) -> Callable[[dict[str, Any]], None]:
    return _set("promise", to=[entry])


def _thresholds(thresholds: object) -> Callable[[dict[str, Any]], None]:
    return _promise(model="l-plus-diversity", thresholds=thresholds)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_set("format", to="discreet-certificate/2"), "format 'discreet-certificate/2' is not"),
        (_drop("format"), "format None"),
        (_set("kind", to="hologram"), "kind 'hologram'"),
        (_drop("kind"), "kind should be a text"),
        (_set("surprise", to=1), "unknown key 'surprise'"),
        (_drop("columns"), "lacks the key 'columns'"),
        (_set("columns", to=[]), "columns should be a mapping"),
        (_set("columns", "disease", to="sensitive"), "'disease' should be a mapping"),
        (_set("columns", "disease", to={"role": "secret"}), "role 'secret' is unknown"),
        (_set("columns", "disease", to={}), "role should be a text"),
        (_set("columns", "disease", to={"role": "sensitive", "hidden": 1}), "unknown key 'hidden'"),
        (_set("columns", "education", to={"role": "quasi-identifier"}), "lacks the key 'taxonomy'"),
        (_set("columns", to={"disease": {"role": "sensitive"}}), "no column is a quasi-identifier"),
        (_set("columns", "name", to={"role": "sensitive"}), "has to be said"),
        (_set("columns", "disease", to={"role": "class"}), "no column is one"),
        (_drop("promise"), "promise should be a list"),
        (_set("promise", to=[]), "at least one entry"),
        (_set("promise", to=HALF), "promise should be a list"),
        (_set("promise", to=["k-anonymity"]), "should be a mapping"),
        (_promise(k=5), "model should be a text"),
        (_promise(model="x-closeness", t="1/5"), "'x-closeness' is not one"),
        (_promise(model="k-anonymity", k=5, except_for="nobody"), "unknown key 'except_for'"),
        (_promise(model="k-anonymity"), "lacks the key 'k'"),
        (_promise(model="k-anonymity", k=0), "k should be a whole number"),
        (_promise(model="k-anonymity", k=True), "k should be a whole number"),
        (_promise(model="k-anonymity", k="5"), "k should be a whole number"),
        (_promise(model="l-diversity", l=2.5), "l should be a whole number"),
        (_promise(model="l-plus-diversity"), "lacks the key 'thresholds'"),
        (_thresholds("3/2"), "outside"),
        (_thresholds(2), "outside"),
        (_thresholds("-1/2"), "should be a fraction"),
        (_thresholds("1/0"), "should be a fraction"),
        (_thresholds("1e-999999999"), "should be a fraction"),
        (_thresholds("nan"), "should be a fraction"),
        (_thresholds("1/" + "9" * 30), "should be a fraction"),
        (_thresholds(True), "should be a fraction"),
        (_thresholds(None), "should be a fraction"),
        (_thresholds(0.5), "not exact"),
        (_thresholds({"Flu": "1/2", "Asthma": "1.1"}), "threshold of 'Asthma' is 1.1, outside"),
        (_thresholds({"Flu": "1/2", "*": "1/2"}), "can have no threshold"),
        (_drop("data"), "data should be a text"),
        (_set("data", to="rows.csv"), "does not have it"),
        (_set("data", to="taxonomies"), "does not have it"),
        (_set("data", to="/etc/passwd"), "is absolute"),
        (_set("data", to="C:\\data.csv"), "is absolute"),
        (_set("data", to="../outside.csv"), "leaves the folder"),
        (_set("data", to="link.csv"), "no link is followed"),
        (_set("data", to="nul\0.csv"), "cannot be a file's name"),
        (_set("data", to="certificate.json"), "ends in .csv or .parquet"),
        (_set("columns", "education", "taxonomy", to="../outside.csv"), "leaves the folder"),
        (_set("columns", "education", "taxonomy", to="taxonomies/none.csv"), "does not have it"),
    ],
)
def test_a_malformed_certificate(tmp_path: Path, change: Callable[[dict[str, Any]], None], sentence: str) -> None:
    folder = one_partition(Flu=1, Asthma=1).write(tmp_path / "release")
    shutil.copy(folder / "data.csv", tmp_path / "outside.csv")
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    stated = certificate()
    change(stated)
    (folder / "certificate.json").write_text(json.dumps(stated), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        verify_release(folder)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("", "not a JSON document"),
        ("[]", "should be a mapping"),
        ("[" * 100_000, "not a JSON document"),
        ('{"format": "discreet-certificate/1", "format": "x"}', "occurs twice"),
        ('{"\\ud800": 1}', "not a JSON document"),
        ('{"k": 1' + "0" * 5000 + "}", "not a JSON document"),
    ],
)
def test_a_certificate_that_is_no_document(tmp_path: Path, document: str, sentence: str) -> None:
    folder = one_partition(Flu=1, Asthma=1).write(tmp_path / "release")
    (folder / "certificate.json").write_text(document, encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        verify_release(folder)


def test_no_certificate_at_all(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="no certificate"):
            verify_release(folder)


def test_a_stated_promise_is_read_even_when_another_is_given(tmp_path: Path) -> None:
    folder = one_partition(Flu=1, Asthma=1).promising({"model": "magic"}).write(tmp_path / "release")
    with pytest.raises(InputError, match="magic"):
        verify_release(folder, [HALF])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "first line"),
        (b"\n", "first line"),
        (b"education,country,disease\nGraduate,UK\n", "cannot be read"),
        (b"education,country,disease\nGraduate,UK,Flu,more\n", "cannot be read"),
        (b"education,country,disease\nGraduate,UK,caf\xe9\n", "cannot be read"),
        (b'education,country,disease\nGraduate,UK,"Flu\n', "ends inside quotes"),
        (b'education,country,disease\nGraduate,UK, "Flu"\n', "row 1: a quote"),
        (b'education,country,disease\nGraduate,UK,"Flu" \n', "row 1: a quote"),
        (b'education,country,disease\nGraduate,UK,Fl"u\n', "row 1: a quote"),
        (b'education,country,disease\nGraduate,UK,"Fl"u"\n', "row 1: a quote"),
        (b"education,country,disease\r\nGraduate,UK,Flu\nGraduate,UK,Flu\r\n", "cannot be read"),
        (b"education,country,disease\nGraduate,UK,Flu,\n", "cannot be read"),
        (b"education,country,disease\nGraduate,UK,Flu\rGraduate,UK,Asthma\n", "row 1: a lone carriage return"),
        # DuckDB takes the line break in the name for the file's kind of line end, and finds no rows.
        (b'education,country,disease,"a\nb"\r\nGraduate,UK,Flu,x\r\n', "0 rows of 4 cells can be read"),
        (b"education,country,caf\xe9\n", "header"),
        (b'education,"country"x,disease\n', "header"),
        (b"education;country;disease\nGraduate;UK;Flu\n", None),
    ],
)
def test_malformed_data(tmp_path: Path, content: bytes, sentence: str | None) -> None:
    folder = one_partition(Flu=1).write(tmp_path / "release")
    (folder / "data.csv").write_bytes(content)
    if sentence is None:
        assert kinds(verify_release(folder)) == ["columns"]
    else:
        with pytest.raises(InputError, match=sentence) as caught:
            verify_release(folder)
        assert "\n" not in str(caught.value)


def test_malformed_parquet(tmp_path: Path) -> None:
    release = one_partition(Flu=1, Asthma=1)
    release.stated["data"] = "data.parquet"
    folder = release.write(tmp_path / "release")
    nested = {"education": [["Graduate"]], "country": ["UK"], "disease": ["Flu"]}
    pq.write_table(pa.table(nested), folder / "data.parquet")
    with pytest.raises(InputError, match="'education' is nested"):
        verify_release(folder)
    (folder / "data.parquet").write_bytes(b"PAR1 not really PAR1")
    with pytest.raises(InputError, match=r"data\.parquet: cannot be read"):
        verify_release(folder)


@pytest.mark.parametrize(
    ("taxonomy", "sentence"),
    [
        ("", "empty"),
        ("Graduate;Any\nJunior;All\n", "one root"),
        ("Graduate;University;Any\nGraduate;School;Any\n", "'University' in one row and under 'School'"),
        ("Graduate;Any\nAny;Graduate\n", "one tree"),
        ("Graduate;University;Graduate;Any\n", "one tree"),
        ("Graduate;University;Any\nUniversity;Any\n", "both a leaf and an inner node"),
        ("Graduate;;Any\n", "no label"),
        ("Graduate;Any;\n", "no label"),
        ('"Graduate;Any\n', "cannot be read"),
        ("caf\udce9;Any\n", "cannot be read"),
    ],
)
def test_a_taxonomy_that_is_no_tree(tmp_path: Path, taxonomy: str, sentence: str) -> None:
    folder = one_partition(Flu=1, Asthma=1).write(tmp_path / "release")
    (folder / "taxonomies" / "education.csv").write_bytes(taxonomy.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=sentence):
        verify_release(folder)


# --- against a check so small that it is plainly right ----------------------------------------------------


def keeps(rows: Sequence[tuple[str, str, str]], thresholds: Mapping[str, Fraction], k: int) -> bool:
    """Definition 3.1, domain exclusiveness and k-anonymity, row by row."""
    above = {
        "Junior": {"Secondary", "Any"},
        "Secondary": {"Any"},
        "Graduate": {"Any"},
        "": {"Any"},
        "Any": set(),
    }
    education = {row[0] for row in rows}
    if any(above[value] & education for value in education):
        return False
    for one in rows:
        partition = [row for row in rows if row[:2] == one[:2]]
        if len(partition) < k:
            return False
        for value, number in Counter(row[2] for row in partition).items():
            if value != "*" and not (value in thresholds and Fraction(number, len(partition)) <= thresholds[value]):
                return False
    return True


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["Junior", "Secondary", "Graduate", "", "Any"]),
        st.sampled_from(["UK", "America"]),
        st.sampled_from(["Flu", "Asthma", "", "*"]),
    ),
    max_size=8,
)
SHARES = st.sampled_from([Fraction(p, q) for q in range(1, 7) for p in range(q + 1)])
THRESHOLDS = st.dictionaries(st.sampled_from(["Flu", "Asthma", ""]), SHARES, min_size=2)


@examples(40)
@given(
    kinds_of_row=ROWS,
    times=st.integers(1, 3),
    thresholds=THRESHOLDS,
    k=st.integers(1, 4),
    data=st.sampled_from(["data.csv", "data.parquet"]),
)
def test_equal_to_a_check_by_hand(
    kinds_of_row: list[tuple[str, str, str]],
    times: int,
    thresholds: dict[str, Fraction],
    k: int,
    data: str,
) -> None:
    rows = kinds_of_row * times
    stated = {value: str(threshold) for value, threshold in thresholds.items()}
    release = Release(rows).promising(
        {"model": "l-plus-diversity", "thresholds": stated}, {"model": "k-anonymity", "k": k}
    )
    release.stated["data"] = data
    release.taxonomies["education.csv"] = "Junior;Secondary;Any\nGraduate;Any\n;Any\n"
    with TemporaryDirectory() as folder:
        verdict = verify_release(release.write(Path(folder) / "release"))
    assert verdict.holds == keeps(rows, thresholds, k)
    assert (verdict.rows, verdict.partitions) == (len(rows), len({row[:2] for row in rows}))


# --- what anonymizes never certifies itself ---------------------------------------------------------------


def test_the_verifier_imports_nothing_that_anonymizes() -> None:
    package = Path(verifier.__file__).parents[1]
    engine = ("published", "recount", "escaping", "duckdb_errors", "errors")
    opens = (
        *(f"engine.{name}" for name in engine),
        "values.long_cells",
        "values.notebook",
        "values.words",
        "private_folders",
    )
    files = sorted((package / "verifier").rglob("*.py"))
    assert {file.parent.name for file in files} == {"verifier", *verifier.KINDS} and len(files) > 10
    files += [package / f"{name.replace('.', '/')}.py" for name in opens]
    allowed = tuple(f"discreet.{name}." for name in ("errors", "verifier", *opens))
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file.name}: a relative import hides where it leads"
                # `from discreet import models` imports discreet.models as well
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Name | ast.Attribute):
                called = node.id if isinstance(node, ast.Name) else node.attr
                assert called not in {"__import__", "import_module"}, f"{file.name}: imports by a name"
            for name in names:
                if name.split(".")[0] == "discreet":
                    assert name.startswith(allowed), f"{file.name}: {name}"
