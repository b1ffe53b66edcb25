"""Twelve dirty files go from `inspect` to a verified release, with no edits but those that `inspect` told to make."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import sqlite3
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

from discreet.cli import main
from discreet.commands.publish import publish
from discreet.policy import TablePolicy

HEADER = ("number", "born", "postcode", "town", "weight", "diagnosis")
ROWS = 400

Table = list[list[str]]


def table(change: Callable[[random.Random, int, list[str]], None] | None = None) -> Table:
    """Clean patients, and what is to be changed about each of them."""
    random_ = random.Random(8)
    rows = []
    for number in range(ROWS):
        row = [
            str(1000 + 7 * number),
            f"{random_.randint(1940, 1999)}-{random_.randint(1, 12):02}-{random_.randint(1, 28):02}",
            f"79{random_.randint(0, 9)}{random_.randint(0, 3)}0",
            random_.choice(["Freiburg", "Müllheim", "Lörrach", "Titisee"]),
            f"{random_.randint(45, 120)}.{random_.randint(0, 9)}",
            random_.choice(["asthma", "diabetes", "influenza", "migraine"]),
        ]
        if change is not None:
            change(random_, number, row)
        rows.append(row)
    return rows


def as_text(rows: Table, delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(rows)
    return text.getvalue()


def as_objects(rows: Table) -> str:
    return json.dumps([dict(zip(HEADER, row, strict=True)) for row in rows], ensure_ascii=False, indent=1)


def german_date(random_: random.Random, number: int, row: list[str]) -> None:
    year, month, day = row[1].split("-")
    row[1] = f"{int(day)}.{int(month)}.{year}" + (" 08:30" if number % 50 == 0 else "")


def two_formats(random_: random.Random, number: int, row: list[str]) -> None:
    if number % 3 == 0:
        german_date(random_, number, row)


def decimal_comma(random_: random.Random, number: int, row: list[str]) -> None:
    row[4] = row[4].replace(".", ",")


def spellings(random_: random.Random, number: int, row: list[str]) -> None:
    if number % 20 == 0:
        row[5] = random_.choice([row[5].upper(), f" {row[5]}", row[5].title(), f"{row[5]}\u00a0"])
    if number == 33:
        row[5] = "diabtes"
    if number % 29 == 0:
        row[3] = row[3].upper()


def markers(random_: random.Random, number: int, row: list[str]) -> None:
    if number % 15 == 0:
        row[3] = random_.choice(["n/a", "NULL", "-"])
        row[5] = "unknown"
    if number % 40 == 0:
        row[4] = "9999"


def texts_among_numbers(random_: random.Random, number: int, row: list[str]) -> None:
    if number % 90 == 0:
        row[4] = ["about 70", "80 kg", "over 100", "refused", "?"][number // 90]


def odd_postcodes(random_: random.Random, number: int, row: list[str]) -> None:
    if number % 70 == 0:
        row[2] = f"D-{row[2]}"


@dataclass(frozen=True)
class Dirty:
    """A dirty file, and what its policy and its release have to say."""

    make: Callable[[Path], object]
    """writes it and returns what to inspect"""
    proposed: tuple[str, ...] = ()
    """lines of the starter policy"""
    found: tuple[str, ...] = ()
    """what inspect prints about it"""
    values: dict[str, set[str]] = field(default_factory=dict)
    """column -> all values that it has once it is clean, the missing one as empty text"""


def text_file(name: str, encoding: str = "utf-8", delimiter: str = ",") -> Callable[..., Callable[[Path], Path]]:
    def made(change: Callable[[random.Random, int, list[str]], None] | None = None) -> Callable[[Path], Path]:
        def write(folder: Path) -> Path:
            (folder / name).write_bytes(as_text(table(change), delimiter).encode(encoding))
            return folder / name

        return write

    return made


def excel(folder: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(HEADER)
    for number, born, postcode, town, weight, diagnosis in table():
        sheet.append([int(number), born, int(postcode), town, float(weight), diagnosis])
    book.save(folder / "patients.xlsx")
    return folder / "patients.xlsx"


def objects(folder: Path) -> Path:
    (folder / "patients.json").write_text(as_objects(table(german_date)), encoding="utf-8")
    return folder / "patients.json"


def zipped(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "patients.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export/patients.csv", as_text(table(decimal_comma), ";").encode("cp1252"))
        archive.writestr("__MACOSX/export/._patients.csv", b"\0")
    return folder / "patients.zip"


def two_files(folder: Path) -> str:
    rows = table(german_date)
    (folder / "patients-1.csv").write_text(as_text(rows[:150]), encoding="utf-8")
    (folder / "patients-2.csv").write_text(as_text(rows[150:], ";"), encoding="utf-8")
    return str(folder / "patients-*.csv")


def database(folder: Path) -> Path:
    with sqlite3.connect(folder / "hospital.sqlite") as connection:
        connection.execute(f"CREATE TABLE patients ({', '.join(HEADER)})")
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?, ?)", table(markers))
        connection.execute("CREATE TABLE wards (name)")
    connection.close()
    return folder / "hospital.sqlite"


TOWNS = {"Freiburg", "Müllheim", "Lörrach", "Titisee"}
DIAGNOSES = {"asthma", "diabetes", "influenza", "migraine"}

FILES = {
    "latin-1": Dirty(text_file("patients.csv", "latin-1")(), ("  encoding: latin-1",), values={"town": TOWNS}),
    "utf-16": Dirty(text_file("patients.tsv", "utf-16", "\t")(), ("  encoding: utf-16",), values={"town": TOWNS}),
    "excel": Dirty(excel, values={"town": TOWNS, "diagnosis": DIAGNOSES}),
    "json": Dirty(objects, ('      date: "d.m.Y"',), ("d.m.Y",)),
    "zip, with commas": Dirty(zipped, ("  encoding: latin-1", "      decimal: comma"), ("a decimal comma",)),
    "d.m.Y": Dirty(
        text_file("patients.csv")(german_date),
        ('      date: "d.m.Y"', "    taxonomy: {dates: [month, year, decade]}"),
        ("born: dates, d.m.Y",),
    ),
    "two formats of dates": Dirty(
        text_file("patients.csv")(two_formats), ('      date: [Y-m-d, "d.m.Y"]',), ("dates in 2 formats",)
    ),
    "spellings": Dirty(
        text_file("patients.csv")(spellings),
        ("    trim: true", "        ASTHMA: asthma", "    #     diabtes: diabetes"),
        ("blanks too many", "differ in case", "differ in one letter: 'diabetes'"),
        {"town": TOWNS, "diagnosis": {*DIAGNOSES, "diabtes"}},
    ),
    "markers of missing": Dirty(
        text_file("patients.csv")(markers),
        ('      missing: ["-", "NULL", "n/a"]', '      missing: ["9999"]'),
        ("'n/a'", "'9999' (10) lies far from all other numbers"),
        {"town": {*TOWNS, ""}, "diagnosis": {*DIAGNOSES, ""}},
    ),
    "texts among numbers": Dirty(
        text_file("patients.csv")(texts_among_numbers),
        ("    on_missing: suppress", '    #     "80 kg": "80"'),
        ("have a text among numbers, as",),
    ),
    "odd postcodes": Dirty(
        text_file("patients.csv")(odd_postcodes),
        ("      map:",),
        ("values written differently from the rest, as 'D-79",),
        {"postcode": {f"79{second}{third}0" for second in range(10) for third in range(4)}},
    ),
    "several files": Dirty(two_files, ('      date: "d.m.Y"',)),
    "a database": Dirty(
        database, ('  database: "hospital.sqlite"', "  table: patients", '      missing: ["9999"]'), ("'9999'",)
    ),
}

TOLD = re.compile(r"--(\w+) ([\w.-]+)|\(for inspect, --(\w+)\) to one of it: (\w+)")


def inspected(capsys: pytest.CaptureFixture[str], data: object, policy: Path) -> str:
    """What inspect prints, with the options that it asks for where it cannot do without."""
    options: list[str] = []
    for _ in range(2):
        code = main(["inspect", str(data), "--out", str(policy), *options])
        out, err = capsys.readouterr()
        if code == 0:
            return " ".join(out.split())
        told = TOLD.search(err)
        assert code == 2, err
        assert told, err
        options += [f"--{told[1] or told[3]}", (told[2] or told[4]).rstrip(".)")]
    pytest.fail(f"inspect asks again and again: {err}")


@pytest.mark.parametrize("name", FILES)
def test_from_inspect_to_a_verified_release(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dirty = FILES[name]
    policy = tmp_path / "policy.yaml"
    printed = inspected(capsys, dirty.make(tmp_path), policy)
    for sentence in dirty.found:
        assert sentence in printed
    lines = policy.read_text(encoding="utf-8").splitlines()
    for line in dirty.proposed:
        assert line in lines
    published = publish(policy, tmp_path / "out", seed=1, settings={"search.time_limit": "5"})
    assert published.verdict.holds
    assert main(["verify", str(tmp_path / "out")]) == 0
    original = originals(tmp_path / "out" / "steward" / "mapping.csv")
    with (published.release / "data.csv").open(encoding="utf-8", newline="") as file:
        released = list(csv.DictReader(file))
    for column, values in dirty.values.items():
        if column in original:
            assert original[column] == values
        else:
            assert {row[column] for row in released} <= values


def originals(mapping: Path) -> dict[str, set[str]]:
    """Quasi-identifier -> the values that it had after cleaning."""
    found: dict[str, set[str]] = {}
    with mapping.open(encoding="utf-8", newline="") as file:
        for column, original, _ in list(csv.reader(file))[1:]:
            found.setdefault(column, set()).add(original)
    return found


def uncommented(text: str, line: str) -> str:
    assert line in text.splitlines()
    return text.replace(line, line.replace("# ", "", 1))


def test_what_is_doubtful_applies_when_it_is_uncommented(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / "policy.yaml"
    inspected(capsys, FILES["spellings"].make(tmp_path), policy)
    text = policy.read_text(encoding="utf-8")
    policy.write_text(uncommented(text, "    #     diabtes: diabetes"), encoding="utf-8")
    assert TablePolicy.load(policy).attributes["diagnosis"].clean.map["diabtes"] == "diabetes"
    result = publish(policy, tmp_path / "out", settings={"search.time_limit": "5"}).result
    (cleaned,) = [found for found in result["cleaned"] if found["column"] == "diagnosis"]
    assert cleaned["cells"]["trim"] > 0
    assert cleaned["cells"]["map"] > 1


def test_standard_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    content = as_text(table(german_date)).encode()
    for command in (
        ["inspect", "-", "--out", str(tmp_path / "policy.yaml")],
        ["publish", str(tmp_path / "policy.yaml"), "--out", str(tmp_path / "out"), "--set", "search.time_limit=5"],
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert main(command) == 0
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out")]) == 0


def test_new_rows_are_cleaned_like_the_old_ones(tmp_path: Path) -> None:
    """Even by a policy that does not say how."""
    written = {
        "data": {"clean": {"trim": True}},
        "attributes": {
            "born": {"role": "quasi-identifier", "taxonomy": {"dates": ["year"]}, "clean": {"date": "d.m.Y"}},
            "town": {"role": "quasi-identifier"},
        },
        "privacy": {"model": "k-anonymity", "k": 2},
    }

    def rows(*born: str) -> pa.Table:
        return pa.table({"born": born, "town": [" Ulm "] * len(born)})

    publish(TablePolicy.parse(written), tmp_path / "first", data=rows("1.2.1980", "3.4.1980", "5.6.1981", "7.8.1981"))
    born = {"role": "quasi-identifier", "taxonomy": {"dates": ["year"]}}
    plain = {**written, "data": {}, "attributes": {"born": born, "town": {"role": "quasi-identifier"}}}
    recoding = tmp_path / "first" / "steward" / "recoding.json"
    second = publish(
        TablePolicy.parse(plain), tmp_path / "second", data=rows("9.9.1980", "1.1.1980"), recoding=recoding
    )
    assert second.verdict.holds
    assert (second.release / "data.csv").read_text().splitlines()[1:] == ["1980,Ulm"] * 2


def test_what_cannot_be_read_is_said_with_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("born,town\n1.2.1980,Ulm\nyesterday,Ulm\n30.2.1980,Ulm\n")
    (tmp_path / "policy.yaml").write_text(
        "data: {path: t.csv}\n"
        "attributes:\n"
        "  born: {role: quasi-identifier, taxonomy: {dates: [year]}, clean: {date: d.m.Y}}\n"
        "  town: {role: quasi-identifier}\n"
        "privacy: {model: k-anonymity, k: 1}\n"
    )
    command = ["publish", str(tmp_path / "policy.yaml"), "--out", str(tmp_path / "out")]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert (
        "t.csv: born: 2 values cannot be read as dates of the format d.m.Y ('30.2.1980', 'yesterday'; 2 rows)" in error
    )
    assert "attributes.born.clean" in error
    assert not (tmp_path / "out").exists()
    assert main([*command, "--set", "attributes.born.clean.on_unreadable=suppress"]) == 0
    assert "They are treated as missing." in " ".join(capsys.readouterr().err.split())


def test_cleaning_is_told_to_the_steward_and_not_in_the_release(tmp_path: Path) -> None:
    written = {
        "attributes": {"sex": {"role": "quasi-identifier", "clean": {"map": {"femal": "female"}}}},
        "privacy": {"model": "k-anonymity", "k": 2},
    }
    data = pa.table({"sex": ["femal", "female", "female", "male", "male"]})
    publication = publish(TablePolicy.parse({"data": {}, **written}), tmp_path / "out", data=data)
    assert publication.result["cleaned"] == [
        {"column": "sex", "cells": {"map": 1}, "unreadable": {"values": 0, "cells": 0}}
    ]
    assert "What was cleaned first" in publication.report.read_text(encoding="utf-8")
    released: Sequence[Path] = [path for path in publication.release.rglob("*") if path.is_file()]
    assert len(released) > 1
    for path in released:
        assert not re.search(rb"femal\b|clean", path.read_bytes())
