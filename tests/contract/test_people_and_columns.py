"""Several rows for a person and several sensitive columns, as a steward sees them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import discreet
from discreet.cli import main

ILLS = ("F1", "F2", "J1", "J2")
PAYS = ("high", "low", "mid")
POLICY = """\
data: {path: stays.csv}
attributes:
  id:   {role: person}
  town: {role: quasi-identifier, taxonomy: {prefixes: [1]}}
  ill:  {role: sensitive, taxonomy: {prefixes: [1]}}
  pay:  {role: sensitive}
privacy:
  - {model: l-plus-diversity, column: ill, thresholds: {"F*": 4/5}, default: 3/5}
  - {model: l-diversity, column: pay, l: 1}
  - {model: k-anonymity, k: 4}
"""


def text_of(published: discreet.Publication) -> str:
    """What the report says, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", "", published.report.read_text(encoding="utf-8")).split())


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> discreet.Publication:
    """Twenty people with two stays each, of one pay and two illnesses."""
    folder = tmp_path_factory.mktemp("stays")
    with (folder / "stays.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "town", "ill", "pay"))
        for person in range(20):
            for stay in range(2):
                ill = ILLS[(person + stay) % 4]
                writer.writerow((f"p{person}", f"{'ab'[person % 2]}{person % 3}", ill, PAYS[person % 3]))
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return discreet.publish(folder / "policy.yaml", folder / "out")


def test_people_are_counted_and_called_people(
    published: discreet.Publication, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = published.result
    assert result["rows"] == {"original": 20, "published": 20}
    assert published.verdict.rows == 40 and published.verdict.people == 20
    page = text_of(published)
    assert "stays.csv, 20 people" in page and "People published" in page and "Records published" not in page
    assert main(["publish", str(published.folder.parent / "policy.yaml"), "--out", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "finds at least 4 people that fit" in said and "of 20 to 20 people" in said


def test_each_promise_is_about_its_own_column(published: discreet.Publication) -> None:
    page = text_of(published)
    assert "link no value of ill to that person with more confidence than that value" in page
    assert "link no value of pay to that person with more confidence than 1 in 1" in page


def test_a_column_shows_its_own_values(published: discreet.Publication) -> None:
    columns = {column["name"]: column["distribution"] for column in published.result["columns"]}
    assert sorted(columns["ill"]["values"]) == sorted(ILLS) and sum(columns["ill"]["original"]) == 40
    assert sorted(columns["pay"]["values"]) == sorted(PAYS) and sum(columns["pay"]["original"]) == 20


def test_what_is_not_known_is_no_figure(published: discreet.Publication) -> None:
    """What suppressing groups tells about somebody with several values is not simulated."""
    attack = published.result["attack"]
    assert attack["knowing_the_method"]["untried"] == ["scheme", "minimality"]
    assert any("is not known" in sentence for sentence in attack["reading"])
    page = text_of(published)
    assert "not known" in page and "The risk (people above a threshold)" not in page


def test_all_that_a_record_tells_is_not_measured_as_if_it_were_one_value(published: discreet.Publication) -> None:
    """Pairs of values are more diverse than the values of either column."""
    measured = {entry["name"] for entry in published.result["utility"]}
    assert not measured & {"distinct-diversity", "entropy-diversity", "closeness"}
    assert len(published.result["not_measured"]) >= 3


def test_compare_takes_the_surest_value_of_any_column(published: discreet.Publication) -> None:
    """Of the people of a town a half have one illness beside another, so no set of illnesses is as frequent."""
    policy = discreet.Policy.load(published.folder.parent / "policy.yaml")
    [row] = discreet.compare(policy, {"privacy.2.k": ["4"]})
    values = {entry["value"]: entry["after"] for entry in published.result["attack"]["values"]}
    single = max(share for name, share in values.items() if not name.endswith("*"))
    assert row["confidence_highest"] == pytest.approx(single, abs=1e-6)
