"""What `discreet inspect` promises: a profile in 80 columns and a policy that `publish` accepts as it stands."""

from __future__ import annotations

import csv
import io
import json
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import discreet
from discreet.cli import main
from discreet.commands.inspect import inspect
from discreet.errors import InputError
from discreet.policy import TablePolicy
from shop import FILES, write_baskets

HOME = Path(__file__).resolve().parents[2]
HOSPITAL = HOME / "examples" / "hospital" / "patients.csv"
DEMO = HOME / "src" / "discreet" / "demo" / "table" / "patients.csv"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def publishes(data: Path, folder: Path) -> TablePolicy:
    """Inspects, publishes by the policy as it stands and verifies."""
    policy = folder / "starter.yaml"
    inspection = inspect(data, policy)
    assert policy.read_text(encoding="utf-8") == inspection.policy_text
    publication = discreet.publish(policy, folder / "out", settings={"search.time_limit": "5"}, seed=1)
    assert publication.verdict.holds
    return TablePolicy.load(policy)


def categories(count: int, rows: int, seed: int) -> list[str]:
    return [f"v{random.Random(seed * 1000 + row).randrange(count)}" for row in range(rows)]


# --- The command --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [HOSPITAL, DEMO], ids=["hospital", "demo"])
def test_the_profile_fits_a_terminal_and_names_every_column(run: Run, tmp_path: Path, data: Path) -> None:
    ran = run("inspect", data, "--out", tmp_path / "policy.yaml")
    assert (ran.code, ran.err) == (0, "")
    header = data.read_text().partition("\n")[0].split(",")
    for name in header:
        assert f"\n{name} " in ran.out
    for words in ("proposed role", "Why these roles", "quasi-identifiers", "Keys: every record", "What to do next"):
        assert words in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines() if "/" not in line)
    assert f"discreet publish {tmp_path / 'policy.yaml'}" in ran.out
    assert {path.name for path in tmp_path.iterdir()} == {"policy.yaml"}
    assert run("publish", tmp_path / "policy.yaml").code == 0
    assert run("verify", tmp_path / "policy-published").code == 0


def test_without_out_nothing_is_written_and_the_way_on_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("inspect", HOSPITAL)
    assert ran.code == 0
    assert ran.out.rstrip().endswith("--out policy.yaml")
    assert list(tmp_path.iterdir()) == []


def test_a_policy_that_exists_is_not_replaced(run: Run, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("mine")
    ran = run("inspect", HOSPITAL, "--out", policy)
    assert ran.code == 2
    assert "exists already" in ran.err
    assert ran.err.count("\n") == 1
    assert policy.read_text() == "mine"


@pytest.mark.parametrize("out", ["no/such/policy.yaml", "."])
def test_a_place_that_cannot_be_written_gets_a_sentence(run: Run, tmp_path: Path, out: str) -> None:
    ran = run("inspect", HOSPITAL, "--out", tmp_path / out)
    assert ran.code == 2
    assert ran.err.endswith("choose another --out.\n") or ran.err.endswith("or delete it first.\n")


def test_data_that_are_not_there_get_a_sentence(run: Run, tmp_path: Path) -> None:
    ran = run("inspect", tmp_path / "none.csv", "--out", tmp_path / "policy.yaml")
    assert ran.code == 2
    assert "no such file" in ran.err
    assert not (tmp_path / "policy.yaml").exists()


def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="nothing was written"):
        inspect(HOSPITAL, tmp_path / "policy.yaml")
    assert list(tmp_path.iterdir()) == []


# --- The function -------------------------------------------------------------------------------------------


def test_the_document_is_json_and_has_what_was_counted(tmp_path: Path) -> None:
    found = json.loads(json.dumps(inspect(HOSPITAL).as_dict()))
    assert found["rows"] == 10
    assert [column["role"] for column in found["columns"]] == [
        "identifier",
        "quasi-identifier",
        "quasi-identifier",
        "sensitive",
    ]
    assert found["keys"] == {"columns": [["number"]], "total": 1, "complete_to": 4}
    together = found["combinations"]["quasi_identifiers"]
    assert together == {
        "columns": ["education", "country"],
        "distinct": 9,
        "unique": 8,
        "in_classes_under_5": 10,
        "distinction": 0.9,
        "separation": pytest.approx(44 / 45),
    }
    assert len(found["combinations"]["pairs"]) == 6


def test_a_table_in_memory_has_no_path(tmp_path: Path) -> None:
    table = pa.table({"age": list(range(20, 60)) * 2, "disease": ["Flu", "Cancer"] * 40})
    inspect(table, tmp_path / "policy.yaml")
    policy = TablePolicy.load(tmp_path / "policy.yaml")
    assert policy.data.path is None
    assert policy.sensitive == "disease"
    assert discreet.publish(policy, tmp_path / "out", data=table).verdict.holds


def test_the_path_is_relative_to_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "policies").mkdir()
    write(tmp_path / "data" / "a: b #'\".csv", ["age", "disease"], [[20 + row, "ab"[row % 2]] for row in range(30)])
    monkeypatch.chdir(tmp_path / "data")
    inspect("a: b #'\".csv", "../policies/p.yaml")
    assert "../data/" in (tmp_path / "policies" / "p.yaml").read_text()
    (tmp_path / "policies").rename(tmp_path / "moved")
    monkeypatch.chdir("/")
    assert discreet.publish(tmp_path / "moved" / "p.yaml", tmp_path / "out").verdict.holds


# --- Hostile tables -----------------------------------------------------------------------------------------

HOSTILE_NAMES = [
    'Robert"); DROP TABLE original;--',
    "<script>alert(1)</script>",
    "yes",
    "null",
    "123",
    "~",
    "a: b",
    "#comment",
    "- item",
    "{flow}",
    "&anchor",
    "*alias",
    "!tag",
    "%directive",
    "'single'",
    '"double"',
    "back\\slash",
    "new\nline",
    "tab\tname",
    "\x1b[31mred\x07",
    "\u202eright to left override",
    "שם פרטי",
    "😀 emoji",
    "名前",
    "\u2028separator\x85",
    "=1+1",
    "x" * 3000,
    " leading and trailing ",
    "on",
    "<<",
    "role",
    "a.b",
]
HOSTILE_VALUES = [
    "<img src=x onerror=alert(1)>",
    "=cmd|' /C calc'!A0",
    "@SUM(A1)",
    "😀",
    "שלום",
    "\x1b[2J",
    "a\nb",
    "a\rb",
    "  padded  ",
    'quo"te',
    "it's",
    "null",
    "NaN",
    "-",
    "\\N",
    "\u202e",
    "80*",
    "**",
    "{}",
    "a;b,c|d\te",
]


@pytest.mark.parametrize("first", range(0, len(HOSTILE_NAMES), 8))
def test_hostile_column_names(run: Run, tmp_path: Path, first: int) -> None:
    names = HOSTILE_NAMES[first : first + 8]
    rows = [[*(row % (2 + place) for place in range(len(names))), 20 + row % 30, "ab"[row % 2]] for row in range(60)]
    data = write(tmp_path / "data.csv", [*names, "age", "disease"], rows)
    assert list(publishes(data, tmp_path).attributes) == [*names, "age", "disease"]
    ran = run("inspect", data)
    assert ran.code == 0
    assert all(line.isprintable() and len(line) <= 80 for line in ran.out.splitlines() if "/" not in line)


@pytest.mark.parametrize("role", ["ward", "disease", "name"])
def test_hostile_values(run: Run, tmp_path: Path, role: str) -> None:
    rows = [[HOSTILE_VALUES[row % len(HOSTILE_VALUES)], 20 + row % 30, row % 3] for row in range(300)]
    data = write(tmp_path / "data.csv", [role, "age", "children"], rows)
    publishes(data, tmp_path)
    ran = run("inspect", data)
    assert ran.code == 0
    assert all(line.isprintable() and len(line) <= 80 for line in ran.out.splitlines() if "/" not in line)


def many(header: Sequence[str], rows: Sequence[Sequence[object]]) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
    return header, rows


TABLES = {
    "two rows": many(["a", "b"], [[1, "x"], [2, "y"]]),
    "one column": many(["city"], [[f"c{row % 5}"] for row in range(20)]),
    "one column of names": many(["name"], [[f"Person {row}"] for row in range(30)]),
    "only a secret": many(["disease"], [["ab"[row % 2]] for row in range(30)]),
    "all the same": many(["a", "b"], [["x", "y"]] * 12),
    "all missing": many(["a", "b"], [["", "x"], ["", "y"]] * 12),
    "mostly missing": many(["a", "b"], [["", ""], ["z", "y"], ["", "w"]] * 3),
    "a star": many(["a", "disease", "b"], [["*", "*", "x"], ["y", "z", "w"]] * 10),
    "a star among numbers": many(["age", "b"], [["*" if row == 3 else row, "x"] for row in range(40)]),
    "numbers and NA": many(["age", "b"], [["NA" if row % 9 == 0 else row, "xy"[row % 2]] for row in range(200)]),
    "infinite numbers": many(["x", "b"], [[["inf", "nan", 1.5, 2, "-3e2"][row % 5], row % 4] for row in range(200)]),
    "huge numbers": many(["x", "b"], [[10 ** (row % 40), row % 4] for row in range(200)]),
    "tiny numbers": many(["x", "b"], [[f"{row}e-30", row % 4] for row in range(200)]),
    "one far off": many(["x", "b"], [[10**14 if row == 5 else row % 50, row % 4] for row in range(200)]),
    "negative numbers": many(["x", "b"], [[row - 100, (row - 100) / 7] for row in range(300)]),
    "exact decimals": many(["x", "b"], [[f"0.{row % 10}", "0.30000000000000004"] for row in range(60)]),
    "numbers as written": many(["x", "b"], [[["007", "+7", " 7", "7.0"][row % 4], row % 3] for row in range(60)]),
    "dates": many(["born", "b"], [[f"{1940 + row % 60}-0{1 + row % 9}-1{row % 9}", row % 3] for row in range(300)]),
    "false dates": many(["born", "b"], [[["2023-02-30", "2023-02-20"][row % 20 > 0], row % 3] for row in range(300)]),
    "dates of year 0": many(["born", "b"], [[["0000-01-01", "2023-02-20"][row % 20 > 0], 1] for row in range(300)]),
    "other dates": many(["born", "b"], [[f"{1 + row % 28}.{1 + row % 12}.1980", row % 3] for row in range(300)]),
    "timestamps": many(["seen", "b"], [[f"2024-03-0{1 + row % 9} 10:{row % 60:02}:00", row % 3] for row in range(99)]),
    "codes with stars": many(
        ["zip", "b"], [[f"80{row % 50:02}{'*' if row == 4 else '1'}", row % 3] for row in range(99)]
    ),
    "long texts": many(["note", "b"], [["word " * (20 + row), row % 3] for row in range(60)]),
    "a megabyte": many(["note", "b"], [["x" * 1_000_000 if row == 5 else f"n{row % 3}", row % 3] for row in range(30)]),
    "long secrets": many(["diagnosis", "age"], [[f"{'very long ' * 30}{row % 3}", row] for row in range(60)]),
    "many secrets": many(["diagnosis", "age"], [[f"d{row % 40}", row] for row in range(400)]),
    "missing secrets": many(["diagnosis", "age"], [["" if row % 3 else "Flu", row] for row in range(60)]),
    "secrets named like a rule": many(["diagnosis", "age"], [[["baseline", "by"][row % 2], row] for row in range(60)]),
    "several secrets": many(
        ["religion", "disease", "salary"], [["ab"[row % 2], row % 4, row * 7] for row in range(90)]
    ),
    "a class": many(["disease", "age", "outcome"], [["ab"[row % 2], row, "yn"[row % 2]] for row in range(90)]),
    "only stars": many(["a"], [["*"]] * 12),
    "stars and a secret": many(["disease"], [["*", "Flu"][row % 2 :][:1] for row in range(12)]),
    "only names of few": many(["name", "email"], [[f"Anna {row % 3}", f"a{row % 3}@x.org"] for row in range(40)]),
    "only identifiers": many(["email", "id"], [[f"p{row}@x.org", f"id{row}"] for row in range(40)]),
}


@pytest.mark.parametrize("table", TABLES)
def test_every_table_gets_a_policy_that_publishes(tmp_path: Path, table: str) -> None:
    publishes(write(tmp_path / "data.csv", *TABLES[table]), tmp_path)


def test_typed_columns(tmp_path: Path) -> None:
    from datetime import date, datetime, time
    from decimal import Decimal

    rows = 60
    table = pa.table(
        {
            "flag": [row % 2 == 0 for row in range(rows)],
            "float": [float("nan") if row == 3 else row / 7 for row in range(rows)],
            "decimal": [Decimal(row) / 4 for row in range(rows)],
            "day": [date(2000, 1, 1 + row % 28) for row in range(rows)],
            "moment": [datetime(2000, 1, 1 + row % 28, 3, 4, 5, 6) for row in range(rows)],
            "time": [time(row % 24) for row in range(rows)],
            "bytes": [bytes([row % 3]) for row in range(rows)],
            "nothing": pa.nulls(rows, pa.string()),
            "big": pa.array([2**63 + row for row in range(rows)], pa.uint64()),
        }
    )
    parquet.write_table(table, tmp_path / "data.parquet")
    publishes(tmp_path / "data.parquet", tmp_path)


@pytest.mark.parametrize("columns", [20, 70])
def test_a_wide_table_is_published(tmp_path: Path, columns: int) -> None:
    rows = 400
    values = [categories(2 + column % 9, rows, column) for column in range(columns)]
    header = [f"q{column}" for column in range(columns)]
    data = write(tmp_path / "data.csv", header, list(zip(*values, strict=True)))
    policy = publishes(data, tmp_path)
    assert len(policy.columns("quasi-identifier")) == min(columns, 62)


def test_values_of_people_are_not_printed(run: Run, tmp_path: Path) -> None:
    rows = [[f"Secretname {row}", 30 + row % 9, f"note on patient Miller {row} " * 4] for row in range(50)]
    ran = run("inspect", write(tmp_path / "data.csv", ["name", "age", "remark"], rows))
    assert "Secretname" not in ran.out
    assert "Miller" not in ran.out


def test_people_with_several_rows_are_not_published(run: Run, tmp_path: Path) -> None:
    people = [
        (f"{first} {last}", f"{374 + place}-14-144{place}", f"CH45050190090997800{place:02}")
        for place, (first, last) in enumerate(
            [("Anna", "Meier"), ("Bob", "Frei"), ("Carla", "Rossi"), ("Dragan", "Ilic"), ("Elif", "Kaya")]
        )
    ]
    rows = [[*people[row % 5], people[row % 5][0], ["Mon", "Tue"][row % 2], "abc"[row % 3]] for row in range(80)]
    header = ["full_name", "ssn", "iban", "patient", "weekday", "diagnosis"]
    data = write(tmp_path / "data.csv", header, rows)
    ran = run("inspect", data, "--out", tmp_path / "policy.yaml")
    assert ran.code == 0
    assert "rows are not people" in " ".join(ran.out.split())
    policy = (tmp_path / "policy.yaml").read_text()
    assert "k counts records" in policy and "one record for each person" in " ".join(policy.replace("#", " ").split())
    ran = run("publish", tmp_path / "policy.yaml")
    assert ran.code == 0
    assert "people have several records" in " ".join((ran.out + ran.err).split())
    released = "".join(path.read_text() for path in (tmp_path / "policy-published" / "release").rglob("*.*"))
    for text in (policy, released):
        assert not any(value in text for person in people for value in person)


@pytest.mark.parametrize(
    ("name", "value"),
    [("name", "Anna Meier"), ("contact", "anna@x.org"), ("diagnosis", "HIV"), ("visitor", "Anna Meier")],
)
@pytest.mark.parametrize("alone", [True, False])
def test_what_everybody_has_is_not_published_when_it_names_or_hurts(
    tmp_path: Path, name: str, value: str, alone: bool
) -> None:
    more = [] if alone else ["ward"]
    data = write(
        tmp_path / "data.csv", [name, *more], [[value, *(["N", "S"][row % 2] for _ in more)] for row in range(40)]
    )
    policy = publishes(data, tmp_path)
    assert policy.attributes[name].role == ("quasi-identifier" if alone else "identifier")
    released = "".join(path.read_text() for path in (tmp_path / "out" / "release").rglob("*.*"))
    assert value not in released


@pytest.mark.parametrize(
    ("name", "cell"),
    [("credit_card", "47594050897376{:02}"), ("diagnosis", "note on case {}: flu of Ms A."), ("salary", "683{}")],
)
def test_secrets_of_which_each_is_somebodys_are_not_published_as_they_are(tmp_path: Path, name: str, cell: str) -> None:
    values = [cell.format(7 * row % 40 + 10) for row in range(40)]
    data = write(
        tmp_path / "data.csv", [name, "age", "sex"], [[v, 20 + r % 9, "MF"[r % 2]] for r, v in enumerate(values)]
    )
    policy = publishes(data, tmp_path)
    assert policy.sensitive is None
    written = (tmp_path / "starter.yaml").read_text() + (tmp_path / "out" / "release" / "data.csv").read_text()
    assert not any(value in written for value in values)


def test_a_class_is_mentioned_and_not_proposed(tmp_path: Path) -> None:
    policy = publishes(write(tmp_path / "data.csv", *TABLES["a class"]), tmp_path)
    assert policy.attributes["outcome"].role == "quasi-identifier"
    assert "the role class" in (tmp_path / "starter.yaml").read_text()


# --- Transactions -------------------------------------------------------------------------------------------

TRANSACTIONS: dict[str, list[list[str]]] = {
    "one item": [["a"]] * 9,
    "one transaction": [["a", "b", "c"]],
    "each its own": [[f"i{row}", f"j{row}"] for row in range(40)],
    "all the same": [["a", "b"]] * 12,
    "empty ones": [[], ["a"], [], ["a", "b"], ["b"]] * 4,
    "a star among them": [["a", "b"], ["a"], ["b", "c"]] * 9,
    "brackets in names": [["<1:1>", "<", "<<1:2>>", "a"], ["<1:1>", "b"], ["c", "d", "e", "f"]] * 5,
    "commas and quotes": [["bread, white", 'the "best" milk', "tab\there"], ["bread, white"]] * 7,
    "a secret": [["milk", "beer"]] * 20 + [["milk", "HIV test"], ["beer", "Viagra"]],
    "a frequent secret": [["milk", "Viagra"], ["beer", "Viagra"], ["milk"]] * 8,
    "nothing but secrets": [["Viagra"], ["HIV test"]] * 8,
    "secrets alone and with others": [["Viagra"], ["HIV test", "milk"], ["milk"], ["milk", "beer"]] * 8,
    "numbers": [[str(row % 7), str(row % 5 + 100)] for row in range(90)],
    "other alphabets": [["Brötchen", "牛乳"], ["牛乳", "🍺"], ["🍺", "Brötchen"]] * 6,
    "long names": [["x" * 5000, "y"], ["x" * 5000, "z"]] * 6,
}


@pytest.mark.parametrize("name", TRANSACTIONS)
def test_all_transactions_get_a_policy_that_publishes(tmp_path: Path, name: str) -> None:
    lists = pa.array(TRANSACTIONS[name], pa.list_(pa.string()))
    parquet.write_table(pa.table({"items": lists}), tmp_path / "data.parquet")
    inspection = inspect(tmp_path / "data.parquet", tmp_path / "starter.yaml")
    assert inspection.as_dict()["kind"] == "transactions"
    publication = discreet.publish(
        tmp_path / "starter.yaml", tmp_path / "out", settings={"search.time_limit": "5"}, seed=1
    )
    assert publication.verdict.holds and publication.verdict.rows == len(TRANSACTIONS[name])


def test_policies_for_every_shape_of_transactions_publish(run: Run, tmp_path: Path) -> None:
    for written in FILES:
        folder = tmp_path / written
        folder.mkdir()
        separator = ("--separator", ",") if written.startswith("basket") else ()
        ran = run("inspect", write_baskets(folder, written), "--out", folder / "policy.yaml", *separator)
        assert ran.code == 0, ran
        assert "Viagra" in (folder / "policy.yaml").read_text()
        assert run("publish", folder / "policy.yaml", "--set", "search.time_limit=5").code == 0
        assert run("verify", folder / "policy-published").code == 0
