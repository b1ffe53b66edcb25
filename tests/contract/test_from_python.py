"""What somebody in a notebook relies on: data in memory all the way, what is shown, what is logged."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet
from discreet.errors import InputError

ROWS = [
    {"age": 20 + 7 * number % 40, "sex": "mf"[number % 2], "disease": ("flu", "cold", "ulcer")[number % 3]}
    for number in range(48)
]
BASKETS = [["bread", "milk"], ["bread", "wine"], ["milk", "wine"], ["bread", "milk", "wine"]] * 6


def in_columns() -> dict[str, list[Any]]:
    return {name: [row[name] for row in ROWS] for name in ROWS[0]}


@pytest.fixture
def publication(tmp_path: Path) -> discreet.Publication:
    return discreet.publish(discreet.inspect(ROWS).policy, tmp_path / "out", seed=1)


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        in_columns(),
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pl.LazyFrame(ROWS),
        pa.Table.from_pylist(ROWS),
        pa.Table.from_pylist(ROWS).to_reader(),
    ],
    ids=["dicts", "columns", "pandas", "polars", "lazy", "arrow", "reader"],
)
def test_what_was_inspected_can_be_published(data: object, tmp_path: Path) -> None:
    inspection = discreet.inspect(data)
    assert inspection.rows == len(ROWS)
    publication = discreet.publish(inspection.policy, tmp_path / "out")
    assert publication.verdict.holds
    assert publication.data.column_names == list(ROWS[0])
    assert publication.data.num_rows == publication.verdict.rows


def test_a_relation_is_read_twice(tmp_path: Path) -> None:
    with duckdb.connect() as database:
        database.register("people", pa.Table.from_pylist(ROWS))
        inspection = discreet.inspect(database.sql("SELECT * FROM people WHERE age > 20"))
        assert discreet.publish(inspection.policy, tmp_path / "out").verdict.holds


def test_a_file_is_found_again_from_where_the_policy_was_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    pd.DataFrame(ROWS).to_csv(tmp_path / "people.csv", index=False)
    inspection = discreet.inspect(tmp_path / "people.csv", tmp_path / "elsewhere" / "policy.yaml")
    assert inspection.policy == discreet.Policy.load(tmp_path / "elsewhere" / "policy.yaml")
    assert discreet.publish(inspection.policy, tmp_path / "out").verdict.holds


def test_data_stay_with_other_settings_and_give_way_to_others(tmp_path: Path) -> None:
    policy = discreet.inspect(ROWS).policy.with_settings({"privacy.0.k": 2})
    assert policy.in_memory is ROWS
    assert discreet.publish(policy, tmp_path / "own").verdict.rows == len(ROWS)
    assert discreet.publish(policy, tmp_path / "given", data=ROWS[:24]).verdict.rows == 24
    rows = discreet.compare(policy, {"privacy.0.k": [2, 3]}, settings={"search.suppression": "all-rec"})
    assert [(row["privacy.0.k"], row["status"]) for row in rows] == [(2, "optimal"), (3, "optimal")]


def test_other_processes_are_not_sent_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.commands import compare as module

    seen: list[object] = []
    honest = module._measure

    def watched(variant: Any) -> Any:
        seen.append(variant.policy.in_memory)
        return honest(variant)

    monkeypatch.setattr(module, "_measure", watched)
    discreet.compare(discreet.inspect(ROWS).policy, {"privacy.0.k": [2, 3]})
    assert seen == [None, None]


def test_the_release_is_at_hand_as_it_was_published(publication: discreet.Publication, tmp_path: Path) -> None:
    lines = (publication.release / "data.csv").read_text().splitlines()[1:]
    assert [",".join(row.values()) for row in publication.data.to_pylist()] == lines
    parquet = discreet.publish(
        discreet.inspect(ROWS).policy, tmp_path / "typed", settings={"output.format": "parquet"}, seed=1
    )
    assert parquet.data.num_rows == len(lines)


def test_missing_values_of_a_release_are_nulls(tmp_path: Path) -> None:
    rows = [{**row, "ward": None if place % 4 else 'a "b",\nc'} for place, row in enumerate(ROWS)]
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {
                "age": {"role": "quasi-identifier"},
                "sex": {"role": "identifier"},
                "disease": {"role": "sensitive"},
                "ward": {"role": "insensitive"},
            },
            "privacy": {"model": "k-anonymity", "k": 2},
        }
    )
    data = discreet.publish(policy.about(rows), tmp_path / "out").data
    assert sorted(data["ward"].to_pylist(), key=str) == sorted((row["ward"] for row in rows), key=str)


def test_baskets_in_memory_go_the_same_way(tmp_path: Path) -> None:
    inspection = discreet.inspect(BASKETS)
    publication = discreet.publish(inspection.policy, tmp_path / "out")
    assert publication.verdict.holds
    assert publication.data.column_names == ["items"]
    assert len(publication.data) == len(BASKETS)
    long = [{"transaction": place, "item": item} for place, items in enumerate(BASKETS) for item in items]
    again = discreet.publish(inspection.policy, tmp_path / "again", data=long)
    assert sorted(map(sorted, again.data["items"].to_pylist())) == sorted(
        map(sorted, publication.data["items"].to_pylist())
    )


# --- What is shown ------------------------------------------------------------------------------------------


def test_what_a_notebook_shows(publication: discreet.Publication) -> None:
    shown = publication._repr_html_()
    assert "PASS: the promise holds" in shown and str(publication.release) in shown
    assert "PASS" in publication.verdict._repr_html_() and "48 rows" in publication.verdict._repr_html_()
    inspection = discreet.inspect(ROWS)._repr_html_()
    assert all(f">{name}</td>" in inspection for name in ROWS[0]) and "quasi-identifier" in inspection
    compared = discreet.compare(discreet.inspect(ROWS).policy, {"privacy.0.k": [2, 3]})._repr_html_()
    assert "<th style='text-align:left'>privacy.0.k</th>" in compared and compared.count("optimal") == 2
    assert "24, 0 like no other" in discreet.inspect(BASKETS)._repr_html_()


def test_what_comes_from_data_cannot_run_in_a_notebook() -> None:
    nasty = [{**row, "<script>alert(1)</script>": "x\u202ey"} for row in ROWS]
    shown = discreet.inspect(nasty)._repr_html_()
    assert "<script" not in shown and "&lt;script" in shown and "\u202e" not in shown


def test_a_broken_promise_is_shown_with_its_witnesses(publication: discreet.Publication) -> None:
    data = publication.release / "data.csv"
    lines = data.read_text().splitlines()
    data.write_text("\n".join(lines[:2]) + "\n")
    verdict = discreet.verify(publication.folder)
    assert not verdict.holds
    shown = verdict._repr_html_()
    assert "FAIL" in shown and "fewer than" in shown
    assert json.loads(json.dumps(verdict.as_dict()))["holds"] is False


# --- What is logged -----------------------------------------------------------------------------------------


def test_what_is_done_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="discreet"):
        discreet.publish(discreet.inspect(ROWS).policy, tmp_path / "out")
    messages = [record.getMessage() for record in caplog.records]
    assert "reading the data" in messages
    assert any(message.startswith("searching by ") for message in messages)
    assert messages[-1] == f"Published {tmp_path / 'out'}: PASS: the promise holds"
    assert all(record.name.startswith("discreet.") for record in caplog.records)


def test_nothing_is_said_to_whoever_did_not_ask(tmp_path: Path) -> None:
    (tmp_path / "people.json").write_text(json.dumps(ROWS))
    code = (
        "import discreet, json, sys\n"
        f"rows = json.load(open({str(tmp_path / 'people.json')!r}))\n"
        "policy = discreet.inspect(rows).policy.with_settings({'search.suppression': 'vio-rec'})\n"
        f"print(len(discreet.publish(policy, {str(tmp_path / 'out')!r}).warnings))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.strip().isdigit()


def test_python_runs_the_package_as_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "discreet", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"discreet {discreet.__version__}\n"
    refused = subprocess.run([sys.executable, "-m", "discreet", "verify", "/nowhere"], capture_output=True, text=True)
    assert refused.returncode == 2 and refused.stderr.startswith("discreet: ")


# --- verify with a policy -----------------------------------------------------------------------------------


def test_any_table_is_verified_by_a_policy(publication: discreet.Publication, tmp_path: Path) -> None:
    policy = discreet.inspect(ROWS).policy
    assert discreet.verify(publication.release / "data.csv", policy=policy).holds
    pd.DataFrame(ROWS).to_csv(tmp_path / "raw.csv", index=False)
    verdict = discreet.verify(tmp_path / "raw.csv", policy=policy)
    assert not verdict.holds and verdict.rows == len(ROWS)
    easier = {"privacy": {"model": "k-anonymity", "k": 1}}
    assert discreet.verify(tmp_path / "raw.csv", policy=policy, settings=easier).holds


def test_there_is_one_promise_to_verify(publication: discreet.Publication) -> None:
    promise = [{"model": "k-anonymity", "k": 2}]
    assert discreet.verify(publication.folder, promise).holds
    with pytest.raises(InputError, match="two promises"):
        discreet.verify(publication.release / "data.csv", promise, policy=discreet.inspect(ROWS).policy)
    with pytest.raises(InputError, match="settings change a policy"):
        discreet.verify(publication.folder, settings={"privacy.k": 3})


def test_verifying_a_release_loads_nothing_that_could_have_made_it(publication: discreet.Publication) -> None:
    code = (
        "import sys, discreet\n"
        f"assert discreet.verify({str(publication.folder)!r}).holds\n"
        "made = ('search', 'recode', 'models', 'methods', 'policy', 'kernels', 'kinds')\n"
        "print([name for name in sys.modules if name.startswith(tuple(f'discreet.{part}' for part in made))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
