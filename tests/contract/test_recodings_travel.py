"""A recoding found on one table, applied to another: same values, a promise checked anew, and a plain no."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.cli import main
from discreet.errors import InputError, PromiseBrokenError

HOSPITAL = Path(__file__).parents[2] / "examples" / "hospital"
HEADER = "number,education,country,disease\n"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def found(tmp_path: Path) -> Path:
    """The recoding of Table 3.1: Junior, Senior, University; Europe, America."""
    discreet.publish(HOSPITAL / "policy.yaml", tmp_path / "found", settings={"search.suppression": "vio-sa"})
    return tmp_path / "found" / "steward" / "recoding.json"


def another(tmp_path: Path, lines: Sequence[str]) -> Path:
    path = tmp_path / "another.csv"
    path.write_text(HEADER + "".join(f"{number},{line}\n" for number, line in enumerate(lines)))
    return path


def test_the_same_values_are_published(tmp_path: Path, found: Path) -> None:
    other = another(tmp_path, ["Junior,UK,Flu", "Junior,France,Cancer", "Bachelor,USA,Flu", "Graduate,Canada,Asthma"])
    publication = discreet.publish(
        HOSPITAL / "policy.yaml", tmp_path / "out", settings={"data.path": str(other)}, recoding=found
    )
    published = rows_of(publication.release / "data.csv")
    assert sorted((row["education"], row["country"], row["disease"]) for row in published) == [
        ("Junior", "Europe", "Cancer"),
        ("Junior", "Europe", "Flu"),
        ("University", "America", "Asthma"),
        ("University", "America", "Flu"),
    ]
    assert publication.result["status"] == "applied"
    assert publication.result["search"] is None and publication.result["bound"] is None
    assert discreet.verify(tmp_path / "out").holds
    again = json.loads((tmp_path / "out/steward/recoding.json").read_text())
    assert again == json.loads(found.read_text())
    assert "applied" in publication.report.read_text(encoding="utf-8")


def test_the_promise_is_kept_by_suppression_there(tmp_path: Path, found: Path) -> None:
    other = another(tmp_path, ["Junior,UK,Flu", "Junior,France,Flu", "Bachelor,USA,Flu", "Graduate,Canada,Asthma"])
    publication = discreet.publish(HOSPITAL / "policy.yaml", tmp_path / "out", data=_table(other), recoding=found)
    assert publication.result["suppressed"] == {"records": 0, "values": 2}
    assert sorted(row["disease"] for row in rows_of(publication.release / "data.csv")) == ["*", "*", "Asthma", "Flu"]


def _table(path: Path) -> Any:
    from pyarrow import csv as arrow_csv

    return arrow_csv.read_csv(path)


def test_where_the_promise_fails_nothing_is_published(
    tmp_path: Path, found: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = json.loads(found.read_text()) | {"suppression": "none"}
    found.write_text(json.dumps(without))
    other = another(tmp_path, ["Junior,UK,Flu", "Junior,France,Flu", "Bachelor,USA,Flu", "Graduate,Canada,Asthma"])
    arguments = ["publish", str(HOSPITAL / "policy.yaml"), "--out", str(tmp_path / "out")]
    code = main([*arguments, "--set", f"data.path={other}", "--recoding", str(found)])
    said = capsys.readouterr()
    assert code == PromiseBrokenError.exit_code == 1
    assert "With this recoding the data do not keep the promise" in said.err
    assert "without --recoding" in said.err
    out = " ".join(said.out.split())
    assert "found earlier" in out and "nothing is deleted" in out
    assert not (tmp_path / "out").exists()


def test_a_value_that_the_recoding_does_not_know(tmp_path: Path) -> None:
    attributes = {"zip": {"role": "quasi-identifier", "taxonomy": {"prefixes": [2]}}, "s": {"role": "sensitive"}}
    policy = discreet.Policy.parse({"data": {}, "attributes": attributes, "privacy": {"model": "l-diversity", "l": 2}})
    first = _csv_table("zip,s\n8049,a\n8041,b\n3011,a\n3012,b\n")
    publication = discreet.publish(policy, tmp_path / "first", data=first)
    assert publication.result["cuts"] == {"zip": ["30*", "80*"]}
    recoding = tmp_path / "first/steward/recoding.json"
    # One value under 80*: alone it would be published as itself by a search; the recoding says 80*.
    second = discreet.publish(
        policy, tmp_path / "second", data=_csv_table("zip,s\n8055,a\n8055,b\n"), recoding=recoding
    )
    assert {row["zip"] for row in rows_of(second.release / "data.csv")} == {"80*"}
    with pytest.raises(InputError, match=r"zip: the recoding does not cover 1 value \('9000'\)"):
        discreet.publish(policy, tmp_path / "third", data=_csv_table("zip,s\n9000,a\n8055,b\n"), recoding=recoding)
    with pytest.raises(InputError, match=r"does not cover 1 value \(missing\)"):
        discreet.publish(policy, tmp_path / "third", data=_csv_table("zip,s\n,a\n8055,b\n"), recoding=recoding)
    assert not (tmp_path / "third").exists()


def _csv_table(text: str) -> Any:
    import pyarrow as pa

    header, *lines = (line.split(",") for line in text.strip().split("\n"))
    return pa.table({name: [line[index] or None for line in lines] for index, name in enumerate(header)})


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a recoding"),
        (
            '{"format": "discreet-recoding/1", "cuts": {"a": [1]}, "suppression": "none", "guard_stars": false}',
            "is not",
        ),
        ('{"format": "discreet-recoding/1", "cuts": {}, "suppression": "all", "guard_stars": false}', "is not"),
        (
            '{"format": "discreet-recoding/1", "cuts": {"age": ["*"]}, "suppression": "none", "guard_stars": false}',
            "quasi-identifiers age",
        ),
        (
            '{"format": "discreet-recoding/1", "cuts": {"education": ["Phd"], "country": ["Any country"]}, '
            '"suppression": "none", "guard_stars": false}',
            "'Phd', which is not in the policy's taxonomy",
        ),
        (
            '{"format": "discreet-recoding/1", "cuts": {"education": ["\\ud800"], "country": ["Any country"]}, '
            '"suppression": "none", "guard_stars": false}',
            r"half a character \(.ud800\)",
        ),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_is_no_recoding(tmp_path: Path, written: str, says: str) -> None:
    path = tmp_path / "recoding.json"
    path.write_text(written)
    with pytest.raises(InputError, match=says):
        discreet.publish(HOSPITAL / "policy.yaml", tmp_path / "out", recoding=path)
    with pytest.raises(InputError, match="cannot be read"):
        discreet.publish(HOSPITAL / "policy.yaml", tmp_path / "out", recoding=tmp_path / "absent.json")


def test_the_mapping_is_exported(tmp_path: Path) -> None:
    publication = discreet.publish(HOSPITAL / "policy.yaml", tmp_path / "out")
    mapping = rows_of(publication.folder / "steward" / "mapping.csv")
    assert {(row["original"], row["published"]) for row in mapping if row["column"] == "country"} == {
        ("France", "Europe"),
        ("UK", "Europe"),
        ("USA", "America"),
        ("Canada", "America"),
    }
    # Applied by hand to the original, it gives the release.
    of = {(row["column"], row["original"]): row["published"] for row in mapping}
    original = rows_of(HOSPITAL / "patients.csv")
    by_hand = sorted((of["education", row["education"]], of["country", row["country"]]) for row in original)
    published = rows_of(publication.release / "data.csv")
    assert by_hand == sorted((row["education"], row["country"]) for row in published)


def test_the_policy_is_not_overruled(tmp_path: Path, found: Path) -> None:
    """What the steward wrote stands; a recoding fills in only what was left open."""
    with pytest.raises(InputError, match="the policy says vio-rec and the recoding goes with vio-sa"):
        discreet.publish(
            HOSPITAL / "policy.yaml", tmp_path / "out", settings={"search.suppression": "vio-rec"}, recoding=found
        )
    publication = discreet.publish(
        HOSPITAL / "policy.yaml", tmp_path / "out", settings={"search.guard_stars": True}, recoding=found
    )
    assert publication.result["policy"]["search"]["guard_stars"] is True
    certificate = json.loads((publication.release / "certificate.json").read_text())
    assert certificate["method"] == {"name": "recoding", "version": discreet.__version__, "suppression": "vio-sa"}
