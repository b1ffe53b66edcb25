"""compare: on several cores, picked up where it was stopped, with what a classifier can learn."""

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.commands import compare as compare_module
from discreet.errors import InputError
from discreet.report.frontier import frontier

ATTRIBUTES = {
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": [5, 20], "start": 0, "end": 80}},
    "town": {"role": "quasi-identifier", "taxonomy": {"prefixes": [1]}},
    "illness": {"role": "sensitive"},
    "income": {"role": "class"},
}
VARY = {"privacy.l": ["2", "3"], "search.suppression": ["vio-sa", "vio-rec"]}


def people(rows: int = 3000) -> pa.Table:
    random = np.random.default_rng(7)
    age = random.integers(0, 80, rows)
    return pa.table(
        {
            "age": age,
            "town": [
                f"{a}{b}" for a, b in zip(random.choice(list("xyz"), rows), random.integers(0, 9, rows), strict=True)
            ],
            "illness": random.choice(list("abcdef"), rows),
            "income": np.where(age + random.normal(0, 10, rows) > 40, "high", "low"),
        }
    )


def policy(path: Path | None = None) -> discreet.Policy:
    data = {} if path is None else {"path": str(path)}
    return discreet.Policy.parse({"data": data, "attributes": ATTRIBUTES, "privacy": {"model": "l-diversity", "l": 2}})


@pytest.fixture
def on_disk(tmp_path: Path) -> discreet.Policy:
    from pyarrow import csv as arrow_csv

    arrow_csv.write_csv(people(300), tmp_path / "people.csv")
    return policy(tmp_path / "people.csv")


def without_seconds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def test_processes_find_what_one_process_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_module, "STARTING", -1)
    table = people()
    told: list[dict[str, Any]] = []
    several = discreet.compare(policy(), VARY, data=table, seed=1, processes=2, tell=told.append)
    one = discreet.compare(policy(), VARY, data=table, seed=1, processes=1)
    assert without_seconds(several) == without_seconds(one)
    assert [row["status"] for row in one] == ["optimal"] * 4
    assert [(row["privacy.l"], row["search.suppression"]) for row in several] == [
        ("2", "vio-sa"),
        ("2", "vio-rec"),
        ("3", "vio-sa"),
        ("3", "vio-rec"),
    ]
    assert sorted(map(str, told)) == sorted(map(str, several))
    assert all(row["accuracy_majority"] < row["accuracy"] <= row["accuracy_original"] + 0.05 for row in one)


def stop_after(
    number: int, policy: discreet.Policy, vary: dict[str, list[str]], out: Path, patch: pytest.MonkeyPatch
) -> None:
    """A comparison that is interrupted after so many rows."""
    honest = compare_module._measure
    searched: list[int] = []

    def stopped(variant: Any) -> Any:
        if len(searched) == number:
            raise KeyboardInterrupt
        searched.append(variant.place)
        return honest(variant)

    with patch.context() as patched:
        patched.setattr(compare_module, "_measure", stopped)
        with pytest.raises(KeyboardInterrupt):
            discreet.compare(policy, vary, out, seed=1)


def test_it_goes_on_where_it_was_stopped(
    on_disk: discreet.Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    searched: list[int] = []
    honest = compare_module._measure
    stop_after(2, on_disk, VARY, out, monkeypatch)
    assert [path.name for path in out.iterdir()] == ["unfinished.jsonl"]
    with (out / "unfinished.jsonl").open("a") as file:
        file.write('{"place": 2, "ro')  # the line that was being written
    searched.clear()

    def watched(variant: Any) -> Any:
        searched.append(variant.place)
        return honest(variant)

    monkeypatch.setattr(compare_module, "_measure", watched)
    told: list[dict[str, Any]] = []
    rows = discreet.compare(on_disk, VARY, out, seed=1, tell=told.append)
    assert searched == [2, 3]
    assert len(told) == 4
    assert without_seconds(rows) == without_seconds(discreet.compare(on_disk, VARY, seed=1))
    assert {path.name for path in out.iterdir()} == {"comparison.csv", "frontier.svg"}
    with (out / "comparison.csv").open(newline="") as file:
        assert [row["cost"] for row in csv.DictReader(file)] == [str(row["cost"]) for row in rows]
    with pytest.raises(InputError, match="exists already"):
        discreet.compare(on_disk, VARY, out, seed=1)


def test_nothing_is_left_of_a_comparison_that_found_nothing(
    on_disk: discreet.Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(tmp_path.iterdir())
    stop_after(0, on_disk, VARY, tmp_path / "out", monkeypatch)
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("changed", ["settings", "seed", "data", "memory", "damaged"])
def test_another_comparison_does_not_go_on(
    on_disk: discreet.Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    out = tmp_path / "out"
    stop_after(1, on_disk, VARY, out, monkeypatch)
    data = None
    if changed == "settings":
        on_disk = on_disk.with_settings({"search.loss": "lm", "search.alpha": "0.1"})
    elif changed == "data":
        path = tmp_path / "people.csv"
        path.write_text(path.read_text() + "1,x1,a,low\n")
    elif changed == "damaged":
        (out / "unfinished.jsonl").write_text("")
    else:
        data = people(300) if changed == "memory" else None
    with pytest.raises(InputError, match="of other settings or other data"):
        discreet.compare(on_disk, VARY, out, data=data, seed=2 if changed == "seed" else 1)


def test_a_taxonomy_that_changed_in_between(
    on_disk: discreet.Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine, coarse, absent = tmp_path / "fine.csv", tmp_path / "coarse.csv", tmp_path / "absent.csv"
    towns = [f"{letter}{digit}" for letter in "xyz" for digit in range(9)]
    fine.write_text("".join(f"{town};{town[0]};*\n" for town in towns))
    coarse.write_text("".join(f"{town};*\n" for town in towns))
    vary = {"attributes.town.taxonomy": [str(fine), str(coarse), str(absent)]}
    out = tmp_path / "out"
    stop_after(1, on_disk, vary, out, monkeypatch)
    absent.write_text(fine.read_text())
    with pytest.raises(InputError, match="of other settings or other data"):
        discreet.compare(on_disk, vary, out, seed=1)


def test_what_is_refused_is_asked_again(
    on_disk: discreet.Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vary = {"search.loss": ["lm", "dm"], "search.suppression": ["vio-sa", "vio-rec"]}
    out = tmp_path / "out"
    stop_after(1, on_disk, vary, out, monkeypatch)
    assert '"invalid"' not in (out / "unfinished.jsonl").read_text()
    rows = discreet.compare(on_disk, vary, out, seed=1)
    assert [row["status"] for row in rows] == ["optimal", "optimal", "invalid", "optimal"]


@pytest.mark.parametrize("values", [[], "2,4"])
def test_what_is_no_list_of_values(values: Any) -> None:
    with pytest.raises(InputError, match="is not a list of values to try"):
        discreet.compare(policy(), {"privacy.l": values}, data=people(60))


def test_values_that_json_does_not_have(on_disk: discreet.Policy, tmp_path: Path) -> None:
    vary = {"search.alpha": [Fraction(1, 3), 0]}
    rows = discreet.compare(on_disk, vary, tmp_path / "out", seed=1)
    assert [row["search.alpha"] for row in rows] == [Fraction(1, 3), 0]
    assert (tmp_path / "out" / "comparison.csv").read_text().splitlines()[1].startswith("1/3,")


def test_nothing_to_draw(on_disk: discreet.Policy, tmp_path: Path) -> None:
    vary = {"search.suppression": ["none"], "privacy.l": ["6"]}
    (row,) = discreet.compare(on_disk, vary, tmp_path / "out", seed=1)
    assert row["status"] == "infeasible"
    assert "Nothing to draw" in (tmp_path / "out" / "frontier.svg").read_text(encoding="utf-8")


def test_the_frontier_of_fractions() -> None:
    rows = discreet.compare(
        policy(), {"privacy.model": ["l-diversity"], "search.alpha": ["1/3", "0"]}, data=people(60), seed=1
    )
    spec = frontier(rows, ["privacy.model", "search.alpha"])
    loss, accuracy = spec["vconcat"]
    points = loss["layer"][0]["data"]["values"]
    assert [(point["x"], point["shown"]) for point in points] == [(pytest.approx(1 / 3), "1/3"), (0.0, "0")]
    assert loss["layer"][0]["encoding"]["x"]["title"] == "search.alpha"
    assert [point["loss"] for point in points] == [row["normalized"] for row in rows]
    assert [mark["y"] for mark in accuracy["layer"][2]["data"]["values"]] == [
        rows[0]["accuracy_original"],
        rows[0]["accuracy_majority"],
    ]


def test_the_frontier_without_numbers_or_classes(tmp_path: Path) -> None:
    table = people(60).drop_columns(["income"])
    plain = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {name: ATTRIBUTES[name] for name in ("age", "town", "illness")},
            "privacy": {"model": "l-diversity", "l": 6},
        }
    )
    rows = discreet.compare(plain, {"search.suppression": ["none", "vio-rec"]}, tmp_path / "out", data=table)
    assert rows[0]["status"] == "infeasible"
    spec = frontier(rows, ["search.suppression"])
    assert len(spec["vconcat"]) == 1
    assert "1 of 2 combinations have no release" in spec["title"]["subtitle"]
    assert [point["x"] for point in spec["vconcat"][0]["layer"][0]["data"]["values"]] == ["vio-rec"]
    assert (tmp_path / "out" / "frontier.svg").read_text(encoding="utf-8").startswith("<svg")
