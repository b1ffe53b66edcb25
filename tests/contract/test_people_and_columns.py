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


def test_what_knowing_the_scheme_tells_is_a_figure(published: discreet.Publication) -> None:
    """Every group shows what it has, so nothing is hidden; what the choice of the release tells was not tried."""
    attack = published.result["attack"]
    assert attack["scheme"]["reading"].startswith("Nothing was suppressed")
    assert attack["knowing_the_method"] == {
        "above_threshold": 0,
        "by_suppression": 0,
        "by_choice": 0,
        "not_known": 0,
        "untried": ["minimality"],
    }
    assert any("the suppression scheme, one is exceeded for nobody" in sentence for sentence in attack["reading"])
    assert any("minimality reveals was not tried" in sentence for sentence in attack["reading"])
    page = text_of(published)
    assert "for somebody who knows the suppression scheme" in page and "The risk (people above a threshold)" in page


def test_a_hidden_group_that_tells_too_much_is_counted_and_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In b all have F1. That it was hidden makes it likely that most there have some F, of which half are allowed."""
    rows = [(f"a{place}", "a0", ill) for place, ill in enumerate(ILLS)] + [(f"b{n}", "b0", "F1") for n in range(4)]
    lines = [f"{person},{town},{ill},mid" for person, town, ill in rows]
    (tmp_path / "stays.csv").write_text("\n".join(["id,town,ill,pay", *lines]), encoding="utf-8")
    policy = POLICY.replace("4/5", "1/2").replace("3/5", "1/2").replace("  - {model: k-anonymity, k: 4}\n", "")
    (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
    published = discreet.publish(tmp_path / "policy.yaml", tmp_path / "out")
    attack = published.result["attack"]
    assert attack["linkage"]["after"]["above_threshold"] == 0
    assert attack["knowing_the_method"]["by_suppression"] == attack["scheme"]["above_threshold"] == 4
    assert any("4 of 8 people are above a threshold" in warning for warning in published.result["warnings"])
    assert attack["stars"]["applies"] is False and "all of them or none" in attack["stars"]["reading"]
    assert "4 of 8 people are above a threshold" in text_of(published)
    assert main(["attack", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "above one, knowing the scheme 4" in said


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
