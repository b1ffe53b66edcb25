"""Several rows for a person: partitions consist of people, and every promise is kept, or broken by one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.engine import published
from discreet.engine.recount import Recount, recounted
from discreet.errors import InputError
from discreet.verifier import Verdict, verify_release
from hand_made import HALF, Release, kinds

TWO = {"model": "k-anonymity", "k": 2}
F_HALF = {"model": "l-plus-diversity", "thresholds": {"F": "1/2", "J": "1"}}


def people(*rows: str, promise: Mapping[str, object] = HALF, data: str = "data.csv") -> Release:
    """Rows such as `ann Flu` in one partition, or `ann Flu Europe` in another."""
    cells: list[Sequence[str]] = []
    for row in rows:
        person, disease, country = [*row.split(" "), "America"][:3]
        cells.append((person, "Graduate", country, disease))
    release = Release(cells, ("patient", "education", "country", "disease")).promising(promise)
    release.stated["columns"]["patient"] = {"role": "person"}
    release.stated["data"] = data
    return release


def verified(release: Release, folder: Path, name: str = "release") -> Verdict:
    return verify_release(release.write(folder / name))


@pytest.mark.parametrize("data", ["data.csv", "data.parquet"])
@pytest.mark.parametrize(
    ("promise", "rows", "broken"),
    [
        # the size of a partition is the number of its people
        (TWO, ["ann A", "bob A"], []),
        (TWO, ["ann A", "ann B", "ann C"], ["k-anonymity"]),
        (TWO, ["ann A", "ann A", "ann A"], ["k-anonymity"]),
        (TWO, ["ann *", "bob *"], []),
        # a value has the people with a row that shows it
        (HALF, ["ann A", "ann A", "ann A", "bob B"], []),
        (HALF, ["ann A", "ann B", "bob B", "bob C"], ["l-plus-diversity"]),
        (HALF, ["ann A", "ann B", "bob C", "bob C"], []),
        (HALF, ["ann A", "ann *", "bob B", "bob *"], []),
        (HALF, ["ann A", "ann *", "bob A", "bob *"], ["l-plus-diversity"]),
        (HALF, ["ann A", "ann B", "bob *"], []),
        # as many rows as would keep it are not enough, nor do many of one person break it
        ({"model": "l-diversity", "l": 3}, ["ann A", "bob B", "ann C"], ["l-diversity"]),
        ({"model": "l-diversity", "l": 3}, ["ann A", "bob B", "cid C", "ann A", "ann A"], []),
    ],
)
def test_partitions_consist_of_people(
    tmp_path: Path, promise: Mapping[str, object], rows: list[str], broken: list[str], data: str
) -> None:
    verdict = verified(people(*rows, promise=promise, data=data), tmp_path)
    assert kinds(verdict) == broken
    number = len({row.split()[0] for row in rows})
    assert (verdict.rows, verdict.partitions, verdict.people) == (len(rows), 1, number)


@pytest.mark.parametrize(
    ("rows", "broken"),
    [
        (["ann F20", "ann F25", "bob J10"], []),
        (["ann F20", "ann J10", "bob F25"], ["l-plus-diversity"]),
        (["ann F20", "ann J10", "bob F"], ["l-plus-diversity"]),
        (["ann F20", "ann J10", "bob J10"], []),
    ],
)
def test_a_label_has_the_people_with_a_row_at_or_below_it(tmp_path: Path, rows: list[str], broken: list[str]) -> None:
    release = people(*rows, promise=F_HALF)
    release.stated["columns"]["disease"]["taxonomy"] = "taxonomies/icd.csv"
    release.taxonomies["icd.csv"] = "F20;F;Any\nF25;F;Any\nJ10;J;Any\n"
    assert kinds(verified(release, tmp_path)) == broken


def test_nobody_is_in_two_partitions(tmp_path: Path) -> None:
    rows = ["ann A", "bob B", "cid A Europe", "dan B Europe"]
    assert verified(people(*rows), tmp_path, "a").holds
    verdict = verified(people(*rows, "ann * Europe"), tmp_path, "b")
    assert kinds(verdict) == ["person"]
    assert verdict.people == 4
    assert verdict.breaches[0].sentence.startswith("1 pseudonym in more than one partition, which tells")
    assert verdict.breaches[0].witnesses == ("the pseudonym 'ann' is in 2 partitions",)


@pytest.mark.parametrize("nobody", ["", "*"])
def test_every_row_is_somebodys(tmp_path: Path, nobody: str) -> None:
    """Rows of several people would otherwise count as those of one, and so hide how many share a value."""
    rows = ["ann A", "bob B", "cid A Europe", "dan B Europe"]
    verdict = verified(people(*rows, f"{nobody} *", f"{nobody} * Europe"), tmp_path)
    assert kinds(verdict) == ["person"]
    assert verdict.breaches[0].sentence == "2 rows without a pseudonym, so people cannot be counted."


def test_words_about_people(tmp_path: Path) -> None:
    release = people("ann A", "ann B", "bob A").promising({"model": "k-anonymity", "k": 3}, HALF)
    verdict = verified(release, tmp_path)
    assert verdict.promise == (
        "k-anonymity: every partition has at least 3 people.",
        "l-plus-diversity: no sensitive value has more than 1/2 of the people of a partition.",
    )
    assert verdict.notes == ("Partitions consist of people, not of rows: 2 people by their pseudonyms.",)
    partition = "partition ('education': 'Graduate', 'country': 'America')"
    assert [breach.witnesses for breach in verdict.breaches] == [
        (f"{partition}: 2 people, fewer than 3",),
        (f"{partition} of 2 people: 'A' in 2, more than 1/2 of them",),
    ]


def test_a_promise_without_sensitive_columns(tmp_path: Path) -> None:
    release = Release([("ann", "Graduate", "UK"), ("ann", "Graduate", "UK")], ("patient", "education", "country"))
    del release.stated["columns"]["disease"]
    release.stated["columns"]["patient"] = {"role": "person"}
    assert kinds(verified(release.promising(TWO), tmp_path, "a")) == ["k-anonymity"]
    release.rows = [*release.rows, ("bob", "Graduate", "UK")]
    assert verified(release, tmp_path, "b").holds


def test_the_pseudonyms_are_published(tmp_path: Path) -> None:
    release = people("ann A", "bob B")
    release.rows = [row[1:] for row in release.rows]
    release.header = release.header[1:]
    verdict = verified(release, tmp_path)
    assert kinds(verdict) == ["columns"]
    assert "Partitions were not counted" in verdict.notes[0]


def test_one_column_tells_the_person(tmp_path: Path) -> None:
    release = people("ann A", "bob B")
    release.stated["columns"]["name"] = {"role": "person"}
    with pytest.raises(InputError, match="one column may tell the person, not 2"):
        verified(release, tmp_path, "a")
    del release.stated["columns"]["name"]
    release.stated["columns"]["patient"]["taxonomy"] = "taxonomies/education.csv"
    with pytest.raises(InputError, match="unknown key 'taxonomy'"):
        verified(release, tmp_path, "b")


@pytest.mark.parametrize("recoding", ["local", "synthetic"])
def test_however_values_were_recoded(tmp_path: Path, recoding: str) -> None:
    rows = ["ann A", "bob B", "cid A *", "dan B *"]
    release = people(*rows)
    release.stated["recoding"] = recoding
    assert verified(release, tmp_path, "a").holds
    release = people(*rows, "dan B")
    release.stated["recoding"] = recoding
    assert kinds(verified(release, tmp_path, "b")) == ["person", "l-plus-diversity"]


# --- the second count ---------------------------------------------------------------------------------------


def test_published_pseudonyms_are_text(tmp_path: Path) -> None:
    folder = people("ann A", "bob B", data="data.parquet").write(tmp_path / "release")
    columns: dict[str, Any] = {"patient": [1, 2], "education": ["Graduate"] * 2, "country": ["UK"] * 2}
    pq.write_table(pa.table({**columns, "disease": ["A", "B"]}), folder / "data.parquet", store_schema=False)
    with pytest.raises(InputError, match="the pseudonyms in 'patient' are of the type BIGINT"):
        verify_release(folder)


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_arrow_counts_people_again(tmp_path: Path, name: str) -> None:
    columns = {"p": ["1", "1", "2", "1", "3"], "a": ["x", "x", "x", "y", None], "b": ["u"] * 5}
    table = pa.table(columns)
    if name == "data.csv":
        table.to_pandas().to_csv(tmp_path / name, index=False)
    else:
        pq.write_table(table, tmp_path / name, row_group_size=1)
    found = recounted(tmp_path / name, list(columns), ["b", "a"], "p", (), 1 << 20)
    assert (found.rows, found.groups, found.people, found.members) == (5, 3, 3, 4)


def test_many_people_are_counted_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of earlier batches is thinned out now and then, and nobody is lost or counted twice."""
    numbers = [(place * 7919) % 5_003 for place in range(40_000)]
    table = pa.table({"p": [f"p{number}" for number in numbers], "a": [str(number % 11) for number in numbers]})
    pq.write_table(table, tmp_path / "data.parquet")
    monkeypatch.setattr("discreet.engine.recount._MOST_KEPT", 1_000)
    monkeypatch.setattr("discreet.engine.recount._ROWS_AT_ONCE", 700)
    found = recounted(tmp_path / "data.parquet", ["p", "a"], ["a"], "p", (), 1 << 20)
    assert (found.rows, found.groups, found.people, found.members) == (40_000, 11, 5_003, 5_003)


def test_readers_that_disagree_about_people_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = people("ann A", "bob B").write(tmp_path / "release")
    monkeypatch.setattr(published, "recounted", lambda *_: Recount(2, 1, 0, None, 1, 2))
    with pytest.raises(InputError, match="DuckDB finds 2 people and 2 members of groups, and Arrow 1 and 2"):
        verify_release(folder)
