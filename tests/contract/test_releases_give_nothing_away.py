"""Think as the adversary: what the published files tell beyond the promise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from pyarrow import parquet

import discreet
from discreet.commands.staging import StagedFolder
from discreet.errors import InputError, NoReleaseError


def policy(roles: dict[str, dict[str, Any]], privacy: dict[str, Any], **search: Any) -> discreet.Policy:
    return discreet.Policy.parse({"data": {}, "attributes": roles, "privacy": privacy, "search": search})


def table(columns: Sequence[str], rows: Iterable[Sequence[str | None]]) -> pa.Table:
    return pa.table({name: list(values) for name, values in zip(columns, zip(*rows, strict=True), strict=True)})


def published(folder: Path) -> list[dict[str, str]]:
    options = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(["q", "s", "c"], pa.string()))
    rows: list[dict[str, str]] = pyarrow.csv.read_csv(folder / "release/data.csv", convert_options=options).to_pylist()
    return rows


QUASI = {"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}


def test_the_places_of_rows_do_not_tell_how_many_were_deleted(tmp_path: Path) -> None:
    rows = [("x", "a")] * 9000 + [("x", "b")] * 1000
    rules = policy(QUASI, {"model": "l-diversity", "l": 2}, suppression="vio-rec")
    discreet.publish(rules, tmp_path / "out", data=table("qs", rows), seed=5)
    values = [row["s"] for row in published(tmp_path / "out")]
    assert len(values) == 2000
    quarters = [values[start : start + 500].count("a") for start in range(0, 2000, 500)]
    assert all(200 < count < 300 for count in quarters), quarters


def test_the_order_of_rows_is_not_that_of_the_original(tmp_path: Path) -> None:
    rows = [("x", f"v{number:03}") for number in range(200)]
    rules = policy(QUASI, {"model": "l-diversity", "l": 2}, suppression="none")
    orders = []
    for name in ("first", "second"):
        discreet.publish(rules, tmp_path / name, data=table("qs", rows))
        orders.append([row["s"] for row in published(tmp_path / name)])
    assert sorted(orders[0]) == sorted(orders[1]) == [value for _, value in rows]
    assert orders[0] != orders[1] != sorted(orders[1])


def test_thresholds_by_frequency_are_not_told(tmp_path: Path) -> None:
    rows = [("g", "a")] * 18 + [("g", "b")] * 2 + [("h", "a")] * 13 + [("h", "b")] * 20 + [("h", "c")] * 22
    rows += [("h", "d")] * 25
    rules = policy(
        QUASI,
        {"model": "l-plus-diversity", "thresholds": {"baseline": "1/2", "by": "frequency"}},
        suppression="vio-sa",
    )
    discreet.publish(rules, tmp_path / "out", data=table("qs", rows))
    certificate = json.loads((tmp_path / "out/release/certificate.json").read_text())
    assert certificate["promise"] == [{"model": "l-plus-diversity", "thresholds": "1/2"}]
    assert discreet.verify(tmp_path / "out").holds


@pytest.mark.parametrize("scheme", ["vio-rec", "all-rec"])
def test_k_anonymity_for_a_classifier_needs_no_sensitive_column(tmp_path: Path, scheme: str) -> None:
    rows = [("x", "u")] * 10 + [("z", "v")] * 10 + [("y", "w")] * 2
    rules = policy(
        {"q": {"role": "quasi-identifier"}, "c": {"role": "class"}},
        {"model": "k-anonymity", "k": 3},
        loss="cm",
        suppression=scheme,
    )
    publication = discreet.publish(rules, tmp_path / "out", data=table("qc", rows))
    assert publication.result["loss"]["cost"] == 2
    assert {row["q"] for row in published(tmp_path / "out")} <= {"x", "z", "*"}


@pytest.mark.parametrize("name", ["value", "place", "lot", "node", "label", "code", "number", "keep", "original"])
@pytest.mark.parametrize("scheme", ["vio-sa", "vio-rec"])
def test_columns_may_have_the_names_we_use_ourselves(tmp_path: Path, name: str, scheme: str) -> None:
    rows = [("x", "a", "1"), ("x", "b", "2"), ("x", "a", "3"), ("y", "b", "4"), ("y", "a", "5")]
    rules = policy({**QUASI, name: {"role": "insensitive"}}, {"model": "l-diversity", "l": 2}, suppression=scheme)
    publication = discreet.publish(rules, tmp_path / "out", data=table(["q", "s", name], rows))
    assert publication.verdict.holds


def test_a_column_of_missing_values_alone_is_published(tmp_path: Path) -> None:
    rows = [(None, "x", "a"), (None, "x", "b"), (None, "y", "a"), (None, "y", "b")]
    roles = {"m": {"role": "quasi-identifier"}, **QUASI}
    rules = policy(roles, {"model": "l-diversity", "l": 2}, suppression="none")
    data = table("mqs", rows)
    data = data.set_column(0, "m", pa.nulls(4, pa.string()))
    assert discreet.publish(rules, tmp_path / "out", data=data).verdict.holds


@pytest.mark.parametrize("labels", ["nodes", "ranges", "sets", "means"])
@pytest.mark.parametrize("method", ["mondrian", "k-member"])
def test_a_column_of_missing_values_alone_is_published_with_any_labels(
    tmp_path: Path, method: str, labels: str
) -> None:
    roles = {"m": {"role": "quasi-identifier", "labels": labels}, "q": {"role": "quasi-identifier", "labels": labels}}
    rules = policy(roles, {"model": "k-anonymity", "k": 2}, method=method)
    data = table("q", [("1",), ("2",), ("3",), ("4",)]).append_column("m", pa.nulls(4, pa.string()))
    assert discreet.publish(rules, tmp_path / "out", data=data).verdict.holds


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("method", "labels"), [("mondrian", "nodes"), ("mondrian", "ranges"), ("k-member", "sets"), ("mdav", "means")]
)
def test_neither_groups_nor_records_are_in_order_where_groups_have_their_own_labels(
    tmp_path: Path, method: str, labels: str, kind: str
) -> None:
    """Nor are labels in a Parquet file's dictionary, which has no others than those of the rows."""
    rows = [(str(number // 2), str(number)) for number in range(600)]
    taxonomy = {"intervals": [20, 100], "start": 0, "end": 300}
    quasi = {"role": "quasi-identifier", "taxonomy": taxonomy, "labels": labels}
    roles: dict[str, dict[str, Any]] = {"q": quasi, "c": {"role": "insensitive"}}
    rules = policy(roles, {"model": "k-anonymity", "k": 20}, method=method).with_settings({"output.format": kind})
    publication = discreet.publish(rules, tmp_path / "out", data=table("qc", rows), seed=1)
    shown, places = (publication.data[name].to_pylist() for name in ("q", "c"))
    together = sum(one == other for one, other in pairwise(shown))
    assert together < 60, "20 to 40 of 600, if rows are in no order"
    numbers = [int(place) for place in places]
    rising = sum(one < other for one, other in pairwise(numbers))
    assert 240 < rising < 360
    if kind == "parquet":
        read = parquet.read_table(publication.release / "data.parquet", read_dictionary=["q"])
        (chunk,) = read["q"].chunks
        assert chunk.dictionary.to_pylist() == list(dict.fromkeys(shown)), "as they come in the rows"


def test_an_empty_release_names_no_value_of_the_data(tmp_path: Path) -> None:
    rows = [("Secretville", "a"), ("Secretville", "a"), ("Secretville", "a")]
    rules = policy(QUASI, {"model": "l-diversity", "l": 2}, suppression="all-rec")
    with pytest.raises(NoReleaseError, match="leaves no rows to publish"):
        discreet.publish(rules, tmp_path / "out", data=table("qs", rows))
    publication = discreet.publish(rules, tmp_path / "out", data=table("qs", rows), allow_empty=True)
    assert publication.verdict.rows == 0
    told = "".join(path.read_text() for path in (tmp_path / "out/release").rglob("*") if path.is_file())
    assert "Secretville" not in told


@pytest.mark.parametrize("scheme", ["none", "vio-sa", "vio-rec"])
def test_a_star_in_the_data_is_refused(tmp_path: Path, scheme: str) -> None:
    rules = policy(QUASI, {"model": "l-diversity", "l": 2}, suppression=scheme)
    with pytest.raises(InputError, match=r"'\*' occurs"):
        discreet.publish(rules, tmp_path / "new/folders/out", data=table("qs", [("x", "*"), ("x", "b")]))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with StagedFolder(target, force=False) as staged:
        target.mkdir()
        (target / "notes.txt").write_text("mine")
        with pytest.raises(InputError, match="exists already"):
            staged.appear()
    assert (target / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_steward_alone_may_look_into_the_stewards_folder(tmp_path: Path) -> None:
    rules = policy(QUASI, {"model": "l-diversity", "l": 2}, suppression="none")
    discreet.publish(rules, tmp_path / "out", data=table("qs", [("x", "a"), ("x", "b")]))
    assert (tmp_path / "out/steward").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("taxonomy", "often", "deleted"),
    [
        ({"prefixes": [3, 1]}, ("8049", "9000"), "8041"),
        ({"dates": ["day", "month", "year"]}, ("2024-01-05", "1999-12-31"), "2024-01-06"),
        ({"intervals": ["0.5", "1"], "start": 0, "end": 9}, ("0.1", "7.3"), "0.2"),
        ({"intervals": [5, 10], "start": 0, "end": 90}, ("1", "70"), "1.5"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_record_that_is_deleted_leaves_no_trace_in_any_file(
    tmp_path: Path, taxonomy: dict[str, object], often: Sequence[str], deleted: str, kind: str
) -> None:
    roles: dict[str, dict[str, Any]] = {"q": {"role": "quasi-identifier", "taxonomy": taxonomy}}
    roles["c"] = {"role": "insensitive"}
    rules = policy(roles, {"model": "k-anonymity", "k": 2}, suppression="all-rec")
    rules = rules.with_settings({"output.format": kind})
    rows: list[tuple[str, str | None]] = [(value, "n") for value in often for _ in range(4)]
    files = []
    for name, data in (("without", rows), ("with", [*rows, (deleted, None)])):
        publication = discreet.publish(rules, tmp_path / name, data=table("qc", data), seed=1)
        assert publication.verdict.rows == 8
        release = publication.release
        schema = str(parquet.ParquetFile(release / "data.parquet").schema_arrow) if kind == "parquet" else ""
        others = [path for path in release.rglob("*") if path.is_file() and path.stem != "data"]
        files.append((schema, {path.name: path.read_bytes() for path in others}))
    assert files[0] == files[1]


def test_a_column_without_values_is_text_like_any_other(tmp_path: Path) -> None:
    rows = [(None, "a"), (None, "b")]
    rules = policy(QUASI, {"model": "l-diversity", "l": 2}, suppression="none").with_settings(
        {"output.format": "parquet"}
    )
    publication = discreet.publish(rules, tmp_path / "out", data=table("qs", rows))
    assert parquet.read_schema(publication.release / "data.parquet").field("q").type == pa.string()


def test_a_record_of_a_json_file_does_not_change_the_columns_of_the_others(tmp_path: Path) -> None:
    """Neither their order nor their types: the deleted record names the columns in another order, and has a text."""
    rows = ['{"q": "x", "n": 1}', '{"q": "x", "n": 2}'] * 2
    rules = policy({"q": {"role": "quasi-identifier"}, "n": {"role": "insensitive"}}, {"model": "k-anonymity", "k": 2})
    schemas = []
    for name, lines in (("without", rows), ("with", ['{"n": "some", "q": "y"}', *rows])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        settings = {"data.path": str(tmp_path / f"{name}.jsonl"), "output.format": "parquet"}
        publication = discreet.publish(
            rules.with_settings({**settings, "search.suppression": "all-rec"}), tmp_path / name
        )
        assert publication.verdict.rows == 4
        schemas.append(parquet.read_schema(publication.release / "data.parquet"))
    assert schemas[0] == schemas[1]
