"""condensation on tables: what it takes, what it refuses, what it draws."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet import InputError, NoReleaseError, Policy
from discreet.cli import main
from discreet.commands.publish import Publication
from discreet.losses.sse import SumOfSquares, share_within
from discreet.report.text import share
from discreet.search.table.condensed_groups import CondensedGroups, Standard, condensed

QUASI = {"role": "quasi-identifier"}


def published(
    folder: Path, data: Mapping[str, Sequence[object]], *, k: int = 3, attributes: Any = None, **search: object
) -> Publication:
    policy = Policy.parse(
        {
            "data": {"kind": "table"},
            "attributes": attributes or dict.fromkeys(data, QUASI),
            "privacy": {"model": "condensed-groups", "k": k},
            "search": {"method": "condensation", **search},
        }
    )
    return discreet.publish(policy, folder / "out", data=dict(data), seed=1, force=True)


def rows(publication: Publication, name: str = "data.csv") -> list[list[str]]:
    return [line.split(",") for line in (publication.release / name).read_text(encoding="utf-8").splitlines()]


def people(number: int = 60) -> dict[str, list[str]]:
    random = np.random.default_rng(3)
    ages = random.integers(20, 60, number)
    weights = 50 + ages / 2 + random.normal(0, 5, number)
    return {"age": [str(age) for age in ages], "weight": [f"{weight:.1f}" for weight in weights]}


@pytest.mark.parametrize("stream", [False, True])
def test_rows_are_numbers_within_what_the_certificate_says(tmp_path: Path, stream: bool) -> None:
    publication = published(tmp_path, people(), k=4, stream=stream)
    head, *body = rows(publication)
    assert head == ["age", "weight"] and len(body) == 60
    certificate = json.loads((publication.release / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["recoding"] == "synthetic"
    assert certificate["promise"] == [{"model": "condensed-groups", "k": 4}]
    assert "unproved" in certificate["verdict"]
    for place, decimals in enumerate((0, 1)):
        numbers = certificate["columns"][head[place]]["numbers"]
        assert numbers["decimals"] == decimals
        values = [row[place] for row in body]
        assert all(len(value.partition(".")[2]) == decimals for value in values)
        assert all(float(numbers["least"]) <= float(value) <= float(numbers["most"]) for value in values)
    groups = publication.result["partitions"]
    assert 4 <= groups["smallest"] <= groups["largest"] < 8
    assert not (publication.release / "taxonomies").exists()
    assert not (publication.folder / "steward" / "recoding.json").exists()


def test_the_range_ends_at_means_of_k_records(tmp_path: Path) -> None:
    ages = [*range(30, 50), 103]
    publication = published(tmp_path, {"age": [str(age) for age in ages], "children": ["1"] * 21}, k=3)
    certificate = json.loads((publication.release / "certificate.json").read_text(encoding="utf-8"))
    made_up = [int(row[0]) for row in rows(publication)[1:]]
    assert min(made_up) >= 31 and max(made_up) <= 67, "that somebody is 103 is not told"
    told = {"least": str(min(made_up)), "most": str(max(made_up)), "decimals": 0}
    assert certificate["columns"]["age"]["numbers"] == told, "what anybody can see in the rows, and no more"


@pytest.mark.parametrize(("having", "ends"), [(4, {"21", "90"}), (5, {"20", "91"})])
def test_a_range_ends_at_a_true_end_only_where_k_records_have_it(tmp_path: Path, having: int, ends: set[str]) -> None:
    """The means of the five least and greatest, 20.2 and 90.8, are nearest to values that four have."""
    ages = ["20"] * having + ["21"] * 6 + [str(age) for age in range(25, 85)] + ["90"] * 6 + ["91"] * having
    publication = published(tmp_path, {"age": ages, "children": ["0", "1"] * (len(ages) // 2)}, k=5, copies=50)
    made_up = sorted({age for age, _ in rows(publication)[1:]}, key=int)
    assert {made_up[0], made_up[-1]} == ends


def test_decimals_are_those_of_at_least_k_records(tmp_path: Path) -> None:
    few = {"x": ["1.23456", "2.5", "3.5", "4.5", "5", "6"]}
    certificate = json.loads((published(tmp_path, few).release / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["columns"]["x"]["numbers"]["decimals"] == 1


def test_copies_make_more_rows_of_each_record(tmp_path: Path) -> None:
    assert len(rows(published(tmp_path, people(), copies=3))) == 1 + 3 * 60


def test_more_decimals_are_published_where_they_are_asked_for(tmp_path: Path) -> None:
    publication = published(tmp_path, people(), more_decimals=2)
    assert {len(cell.partition(".")[2]) for cell, _ in rows(publication)[1:]} == {2}
    assert {len(cell.partition(".")[2]) for _, cell in rows(publication)[1:]} == {3}
    assert publication.verdict.holds


@pytest.mark.parametrize("stream", [False, True])
def test_classes_have_groups_of_their_own_or_their_shares(tmp_path: Path, stream: bool) -> None:
    data = {"x": [str(x) for x in range(40)], "c": ["low"] * 20 + ["high"] * 20}
    attributes = {"x": QUASI, "c": {"role": "class"}}
    apart = published(tmp_path, data, k=5, attributes=attributes, stream=stream)
    assert Counter(row[1] for row in rows(apart)[1:]) == {"low": 20, "high": 20}
    mixed = published(tmp_path, data, k=5, attributes=attributes, stream=stream, per_class=False)
    drawn = Counter(row[1] for row in rows(mixed)[1:])
    assert set(drawn) == {"low", "high"} and sum(drawn.values()) == 40
    if not stream:
        far = [row[1] for row in rows(mixed)[1:] if not 12 < float(row[0]) < 27]
        near = [row[0] for row in rows(mixed)[1:] if float(row[0]) <= 12]
        assert len(far) > 10 and near and {row[1] for row in rows(mixed)[1:] if float(row[0]) <= 12} == {"low"}


def test_a_sensitive_column_is_made_up_like_any_other(tmp_path: Path) -> None:
    attributes = {"age": QUASI, "weight": {"role": "sensitive"}}
    publication = published(tmp_path, people(), attributes=attributes)
    fates = {column["name"]: column["fate"] for column in publication.result["columns"]}
    assert fates == {"age": "made up", "weight": "made up"}
    assert publication.result["sensitive_values"] is None
    assert len({row[1] for row in rows(publication)[1:]} - set(people()["weight"])) > 10


def test_equal_records_come_out_as_they_went_in(tmp_path: Path) -> None:
    data = {"x": ["1"] * 6 + ["9"] * 6, "y": ["-4"] * 6 + ["7"] * 6}
    publication = published(tmp_path, data, k=3)
    assert Counter(map(tuple, rows(publication)[1:])) == {("1", "-4"): 6, ("9", "7"): 6}
    assert publication.result["search"]["details"]["without_variance"] == 4
    assert publication.result["loss"]["cost"] == 0
    assert "NOT PROVED" in publication.verdict.sentence, "and yet nothing is green"


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (["1", "2", "three", "4"], r"x: 'three' is no number"),
        (["1", "2", "", "4"], r"x: a value is missing, and condensation needs a number in every record"),
        (["1", "2", "nan", "4"], r"x: 'nan' is no number"),
        (["1", "2", "inf", "4"], r"x: 'inf' is no number"),
        (["1", "2", "1_0", "4"], r"x: '1_0' is no number"),
        (["1", "2", "1e17", "4"], r"x: '1e17' is no number \(of up to 15 digits\)"),
        (["1", "2", "٣", "4"], r"x: '٣' is no number"),
    ],
)
@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_what_is_no_number_is_named(tmp_path: Path, column: list[str], sentence: str, role: str) -> None:
    attributes = {"x": {"role": role}, "y": QUASI}
    with pytest.raises(InputError, match=sentence):
        published(tmp_path, {"x": column, "y": ["1"] * 4}, k=2, attributes=attributes)
    assert not (tmp_path / "out").exists()


def test_ranges_of_a_taxonomy_are_no_numbers(tmp_path: Path) -> None:
    taxonomy = {"intervals": [5, 10], "start": 0, "end": 100, "leaves": "intervals"}
    attributes = {"age": {**QUASI, "taxonomy": taxonomy}, "weight": QUASI}
    with pytest.raises(InputError, match=r"age: '.*' is no number .* leave out its taxonomy"):
        published(tmp_path, people(), attributes=attributes)
    finer = {**taxonomy, "leaves": "values"}
    attributes = {"age": {**QUASI, "taxonomy": finer}, "weight": QUASI}
    assert published(tmp_path, people(), attributes=attributes).verdict.holds, "of single values it is not in the way"


def test_fewer_records_than_k_leave_no_release(tmp_path: Path) -> None:
    with pytest.raises(NoReleaseError, match=r"the table has 2 records, and .* groups of at least 3"):
        published(tmp_path, people(2))
    assert not (tmp_path / "out").exists()


def test_more_copies_than_fit_into_memory_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"search\.copies: .* are more than 100,000,000 rows"):
        published(tmp_path, {"x": [str(x) for x in range(9)]}, copies=10**12)


def test_the_page_says_first_that_no_record_is_published(tmp_path: Path) -> None:
    publication = published(tmp_path, {"x": [str(x) for x in range(9)]})
    page = publication.report.read_text(encoding="utf-8")
    assert publication.result["attack"]["reading"][0].endswith("is not tried here; publish measures what reappears.")
    assert "Rows made up" in page and "from 9 records, none published" in page and "Records published" not in page
    assert "Nobody can check this promise from the release.</strong> The rows" in page


def test_the_page_says_in_figures_whether_records_come_out_as_they_went_in(tmp_path: Path) -> None:
    publication = published(tmp_path, {"x": [str(x * x) for x in range(60)]})
    found = next(entry["details"] for entry in publication.result["utility"] if entry["name"] == "reappearing")
    inside, outside = (share(found[part]["reappear"] / found[part]["records"]) for part in ("inside", "outside"))
    page = publication.report.read_text(encoding="utf-8")
    assert f'Reappear exactly</dt><dd><span class="figure">{inside}<' in page and f"by chance, {outside}<" in page


def test_a_class_of_fewer_than_k_leaves_no_release(tmp_path: Path) -> None:
    data = {"x": [str(x) for x in range(9)], "c": ["often"] * 7 + ["rare"] * 2}
    attributes = {"x": QUASI, "c": {"role": "class"}}
    with pytest.raises(NoReleaseError, match="2 of the records have the class 'rare', and groups need 3"):
        published(tmp_path, data, attributes=attributes)
    assert published(tmp_path, data, attributes=attributes, per_class=False).verdict.holds


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"privacy": {"model": "k-anonymity", "k": 3}},
            "nobody can prove it of rows that are made up; promise condens",
        ),
        ({"attributes": {"x": QUASI, "y": {"role": "insensitive"}}}, r"attributes.y.role: .* kept unchanged"),
        ({"attributes": {"x": QUASI, "y": {"role": "person"}}}, r"attributes.y.role: .* none of them is anybody's"),
        (
            {"attributes": {"x": QUASI, "y": {"role": "sensitive"}, "z": {"role": "sensitive"}}},
            r"attributes.z.role: .* takes one with the role sensitive at most",
        ),
        ({"attributes": {"x": {**QUASI, "at_least": 1}}}, r"attributes.x.at_least: .* no labels of a taxonomy"),
        ({"search": {"method": "condensation", "loss": "lm"}}, "condensation cannot minimize lm"),
        ({"search": {"method": "condensation", "suppression": "vio-rec"}}, "goes only with none, not with vio-rec"),
        ({"search": {"method": "condensation", "copies": 0}}, "search.copies"),
        ({"attributes": {"x": {**QUASI, "labels": "means"}}}, r"attributes.x.labels: .* no labels of a taxonomy"),
        ({"search": {"method": "mondrian"}}, "mondrian cannot keep condensed-groups; use condensation"),
        ({"privacy": {"model": "condensed-groups", "k": 1}}, "the mean of one record is that record"),
    ],
)
def test_what_does_not_go_with_it_is_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    policy = {
        "data": {"kind": "table"},
        "attributes": {"x": QUASI},
        "privacy": {"model": "condensed-groups", "k": 3},
        "search": {"method": "condensation"},
    }
    with pytest.raises(InputError, match=sentence):
        Policy.parse(policy | changes)


def test_the_promise_alone_chooses_the_method_and_its_loss() -> None:
    policy = Policy.parse(
        {
            "data": {"kind": "table"},
            "attributes": {"x": QUASI},
            "privacy": {"model": "condensed-groups", "k": 3},
        }
    )
    assert (policy.search.method, policy.search.loss) == ("condensation", "sse")
    assert "x is made up" in policy.explain() and "which no file can prove" in policy.explain()


def test_the_loss_is_that_of_groups_and_never_of_values() -> None:
    assert share_within(0.0, 0.0) == 0 and share_within(1.0, 4.0) == share_within(2.0, 8.0)
    for priced in ("generalization", "penalty", "unit", "cost"):
        with pytest.raises(TypeError, match="which only the method knows"):
            getattr(SumOfSquares(), priced)(*[None] * {"penalty": 2, "unit": 2, "generalization": 2, "cost": 3}[priced])


def test_centred_moments_lose_nothing_at_a_hundred_million() -> None:
    """The printed formula, mean of squares less square of the mean, loses more than half of this variance."""
    numbers = 1e8 + np.array([[-1.0], [0.0], [1.0]])
    by_the_book = float(np.mean(numbers**2) - np.mean(numbers) ** 2)
    assert abs(by_the_book - 2 / 3) > 1 / 3
    one = np.zeros(3, np.int64)
    found = CondensedGroups.of(numbers, one, 1, one, np.ones(3, np.int64))
    assert found.moments[0, 0, 0] / 3 == pytest.approx(2 / 3, rel=1e-6)


def test_rows_have_the_mean_and_covariances_of_their_group() -> None:
    random = np.random.default_rng(0)
    points = random.normal(size=(50, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 0.2]])
    each, label = np.ones(50, np.int64), np.zeros(50, np.int64)
    groups = condensed(points, label, 1, each, 26)
    assert groups.sizes.tolist() == [50]
    rows, _ = groups.drawn(4000, random)
    assert len(rows) == 200_000
    assert rows.mean(axis=0) == pytest.approx(points.mean(axis=0), abs=0.02)
    assert np.cov(rows.T, bias=True) == pytest.approx(np.cov(points.T, bias=True), abs=0.02)
    variances, axes = np.linalg.eigh(np.cov(points.T, bias=True))
    along = (rows - points.mean(axis=0)) @ axes
    assert (np.abs(along).max(axis=0) <= np.sqrt(3 * variances) + 1e-9).all(), "uniform: nothing beyond sqrt(3 lambda)"


def test_many_records_are_grouped_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.search.table.condensed_groups.MOST_POINTS", 50)
    points = np.random.default_rng(1).normal(size=(700, 2))
    found = condensed(points, np.zeros(700, np.int64), 1, np.ones(700, np.int64), 6)
    assert found.sizes.sum() == 700 and found.sizes.min() >= 6 and found.sizes.max() < 12


def test_a_column_in_which_all_are_alike_is_in_nobodys_way() -> None:
    standard = Standard.of(np.array([[1.0, 7.0], [3.0, 7.0]]), np.ones(2, np.int64))
    assert standard.points(np.array([[1.0, 7.0], [3.0, 7.0]])).tolist() == [[-1.0, 0.0], [1.0, 0.0]]


def test_the_terminal_says_what_nobody_can_prove(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publication = published(tmp_path, people())
    assert main(["verify", str(publication.folder)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith("Promise No file can prove this; the steward states it")
    assert "Verdict NOT PROVED" in shown and "PASS" not in shown
    page = publication.report.read_text(encoding="utf-8")
    assert "Nobody can check this promise from the release." in page and "keeps this promise" not in page
    assert "Groups of records that look alike" not in page
