"""A table may hold anything: it comes out as it went in, runs nowhere, and what cannot be used gets one sentence.

What was published is read back with Python's csv module and pyarrow, which know nothing of DuckDB. Every check of
harmlessness is first shown something harmful (the last section), so that it is known to see it.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

import discreet
from discreet.cli import main, progress
from discreet.commands.page import render_html
from discreet.errors import InputError
from discreet.policy import TablePolicy
from pages.outline import Outline

MEGABYTE = "x" * 1_000_000
RUNS = "document.title='ran'"
MARKUP = [
    f"<script>{RUNS}</script>",
    f"</style></svg></title><script>{RUNS}</script>",
    f'"><img src=x onerror="{RUNS}">',
    f"<svg onload={RUNS}>",
    f"--><script>{RUNS}</script>",
    f"&#60;script&#62;{RUNS}&#60;/script&#62;",
    "<iframe src=http://127.0.0.1:9/x>",
    "<a href=javascript:alert(1)>x</a>",
    f'"onmouseover={RUNS} x="',
    "&amp;&lt;",
    "]]>",
]
TEMPLATES = ["{{7*7}}${7*7}", "%s%n%(x)s", "{0}", "datum.x", "'+alert(1)+'", "\\'", "names[datum.value]"]
FORMULAS = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\tx", "\rx", "=cmd|' /C calc'!A0", "'=1+1", "''"]
NUMBERS = ["-5", "+1.5e3", "007", "1e5", "-\u0665", "0x10"]
CONTROLS = [
    "a\x07b",
    "\x1b[31mred\x1b[0m",
    "\x01",
    "\x7f\x85",
    "\ufffe\uffff",
    "\U0010ffff",
    "cr\rx",
    "crlf\r\nx",
    "a\nb",
]
SCRIPTS = [
    "\u2028sep\u2029",
    "\u202eabc\u2066",
    "שלום עולם",
    "مرحبا",
    "👩‍👩‍👧‍👦",
    "e\u0301",
    "'\u0301x",
    "a\u200bb",
    "\ufeffbom",
]
PLAIN = [
    " ",
    "\u00a0",
    "**",
    "NULL",
    "NaN",
    "None",
    "\\N",
    'quo"te',
    '"',
    "a,b;c|d\te",
    "W" * 60,
    "true",
    "2024-01-01",
]
CELLS = [*MARKUP, *TEMPLATES, *FORMULAS, *NUMBERS, *CONTROLS, *SCRIPTS, *PLAIN]

INNER_NAMES = [
    *("c0", "n", "original", "label_0", "code_0.code", "decision", "shuffled", "place", "lot", "released", "known"),
    *("q0", "size", "value", "number", "code", "node", "label", "keep", "deleted", "rowid", "row", "record", "line"),
    *("filename", "published", "discreet_lines"),
]
NAMES = [
    *("; DROP TABLE original; --", "select", "count(*)", "COLUMNS(*)", "*", '"quoted"', "'", "a,b", "%s", "{0}"),
    *(MARKUP[0], MARKUP[1], "N" * 10_000, "two\nlines", "cr\rlf\r\n", "😀", "שם", "\u202eabc", "\x1b[31mred", "\x01"),
    *("a.b", "yes", "null", "~", "1e3", "- x", "#x", ": ", "*x", "=1+1", "'=1+1", "@x", "../../x", "role", "\u2028x"),
]
HEADER = ("name", "quasi", "secret", "other", "group")
ROLES = ("identifier", "quasi-identifier", "sensitive", "insensitive", "class")
DIVERSE = {"model": "l-diversity", "l": 2}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]
Rows = Sequence[Sequence[str | None]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(progress, "_say_compiling", lambda kept: None)

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


def hostile_rows() -> list[list[str]]:
    """Every cell in every role, each quasi-identifier four times so that some stay."""
    count = len(CELLS)
    return [
        [
            f"id{place}-{turn}",
            cell,
            CELLS[(place + turn) % count],
            CELLS[(3 * place + turn) % count],
            "=a" if turn else "b",
        ]
        for place, cell in enumerate(CELLS)
        for turn in range(4)
    ]


def plain_rows(rows: int = 24) -> list[list[str]]:
    return [[f"id{row}", f"q{row % 3}", f"s{row % 4}", f"i{row % 5}", "ab"[row % 2]] for row in range(rows)]


def with_cell(column: int, cell: str, rows: int = 24) -> list[list[str]]:
    """Every sixth row has the cell in the column."""
    table = plain_rows(rows)
    for row in table[5::6]:
        row[column] = cell
    return table


def write(folder: Path, rows: Rows, header: Sequence[str] = HEADER, ending: str = "csv") -> Path:
    path = folder / f"table.{ending}"
    if ending == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])
    elif ending == "jsonl":
        lines = [json.dumps(dict(zip(header, row, strict=True))) for row in rows]
        path.write_text("\n".join(lines), encoding="utf-8")
    else:
        columns = list(zip(*rows, strict=True))
        parquet.write_table(pa.table(dict(zip(header, columns, strict=True))), path)
    return path


def write_policy(
    data: Path, header: Sequence[str] = HEADER, roles: Sequence[str] = ROLES, taxonomy: str = "*", **sections: object
) -> Path:
    """Quasi-identifiers all have the taxonomy."""
    attributes: dict[str, dict[str, str]] = {name: {"role": role} for name, role in zip(header, roles, strict=True)}
    for attribute in attributes.values():
        if attribute["role"] == "quasi-identifier":
            attribute["taxonomy"] = taxonomy
    privacy = DIVERSE if "sensitive" in roles else {"model": "k-anonymity", "k": 2}
    policy = {"data": {"path": data.name}, "attributes": attributes, "privacy": privacy, **sections}
    path = data.with_name("policy.yaml")
    path.write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
    return path


# --- What is checked ----------------------------------------------------------------------------------------


@contextmanager
def long_fields() -> Iterator[None]:
    limit = csv.field_size_limit(1 << 30)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def read(path: Path, *, delimiter: str = ",", escaped: bool = False) -> list[list[str]]:
    """The cells of a file as they stand, or as they were before formulas were escaped."""
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        columns = [["" if cell is None else cell for cell in column.to_pylist()] for column in table.columns]
        return [table.column_names, *(list(row) for row in zip(*columns, strict=True))]
    with long_fields(), path.open(newline="", encoding="utf-8") as file:
        rows = [row or [""] for row in csv.reader(file, delimiter=delimiter, strict=True)]
    return [[cell.removeprefix("'") for cell in row] for row in rows] if escaped else rows


def harm_to_data(folder: Path, header: Sequence[str], rows: Rows, roles: Sequence[str] = ROLES) -> list[str]:
    """What in the published files is not what it should be: original, its generalization by the mapping, or a star."""
    release = folder / "release"
    certificate = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
    escaped = certificate.get("escaped_formulas", False)
    names, *published = read(release / certificate["data"], escaped=escaped)
    kept = [place for place, role in enumerate(roles) if role != "identifier"]
    faults = []
    if names != [header[place] for place in kept] or {*certificate["columns"]} != {*header}:
        faults.append(f"names: {names}")
    _, *mapping = read(folder / "steward" / "mapping.csv", escaped=escaped)
    published_as = {(name, original): label for name, original, label in mapping}
    for name, column in certificate["columns"].items():
        if "taxonomy" in column:
            taxonomy = read(release / column["taxonomy"], delimiter=";", escaped=escaped)
            strangers = {row[names.index(name)] for row in published} - {label for path in taxonomy for label in path}
            faults += [f"not in the taxonomy of {name!r}: {label[:60]!r}" for label in strangers]

    def expected(row: Sequence[str | None], starred: bool) -> tuple[str, ...]:
        cells = []
        for place in kept:
            cell = row[place] or ""
            if roles[place] == "quasi-identifier":
                cell = published_as.get((header[place], cell), "not in the mapping")
            cells.append("*" if starred and roles[place] == "sensitive" else cell)
        return tuple(cells)

    shown = Counter(map(tuple, published))
    whole = Counter(expected(row, False) for row in rows)
    starred = Counter(expected(row, True) for row in rows)
    secret = [kept.index(place) for place in kept if roles[place] == "sensitive"]
    for cells, number in shown.items():
        is_starred = any(cells[place] == "*" for place in secret)
        if number > (starred if is_starred else whole)[cells]:
            faults.append(f"{number} rows: {tuple(cell[:60] for cell in cells)}")
    return faults


def harm_in_page(page: str) -> list[str]:
    """What in a page could run, load, hide or deceive; and a page that is no page any more."""
    faults = list(Outline(page).faults)
    faults += [
        f"the character U+{ord(sign):04X}"
        for sign in {*page}
        if not sign.isprintable() and sign not in "\n\u200c\u200d"
    ]
    faults += re.findall(r"<(?:script|img|iframe|object|embed|link|base)\b", page)
    if len(page) > 1_000_000:
        faults.append(f"it has {len(page)} characters")
    return faults


def harm_on_terminal(ran: Ran, *places: Path) -> list[str]:
    """Lines that move the cursor or, but for those that name a file, are too wide."""
    lines = f"{ran.out}\n{ran.err}".split("\n")
    faults = [f"it moves the cursor: {line[:60]!r}" for line in lines if not line.isprintable()]
    printed = [line for line in ran.out.split("\n") if not any(str(place) in line for place in places)]
    return faults + [f"{len(line)} columns: {line[:60]!r}" for line in printed if len(line) > 80]


def harm_in_formulas(folder: Path) -> list[str]:
    """Cells of the CSV files that a spreadsheet would run."""
    files = [*folder.glob("release/**/*.csv"), folder / "steward" / "mapping.csv"]
    cells = [
        cell
        for file in files
        for row in read(file, delimiter=";" if "taxonomies" in file.parts else ",")
        for cell in row
    ]
    return [
        cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and not re.fullmatch(r"[+-][0-9.]+(e[0-9]+)?", cell)
    ]


def assert_unharmed_and_harmless(folder: Path, header: Sequence[str], rows: Rows, roles: Sequence[str] = ROLES) -> None:
    assert harm_to_data(folder, header, rows, roles) == []
    assert harm_in_page((folder / "steward" / "report.html").read_text(encoding="utf-8")) == []
    assert discreet.verify(folder).holds
    assert csv.field_size_limit() == 131072  # the process's own limit, put back


def assert_refused(ran: Ran, *words: str) -> None:
    """Exit code 2 and one sentence of a sane length that moves no cursor."""
    assert ran.code == 2, ran.err[:1000]
    assert ran.err.startswith("discreet: ") and ran.err.endswith(".\n") and ran.err.count("\n") == 1
    assert ran.err[:-1].isprintable() and len(ran.err) < 2500
    assert [word for word in words if word not in ran.err] == []


# --- The whole way ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "output"),
    [
        ("csv", {"format": "csv"}),
        ("csv", {"format": "csv", "escape_formulas": True}),
        ("jsonl", {"format": "parquet"}),
        ("parquet", {"format": "csv"}),
    ],
    ids=["csv to csv", "csv to escaped csv", "json lines to parquet", "parquet to csv"],
)
def test_hostile_cells_go_all_the_way(run: Run, tmp_path: Path, ending: str, output: dict[str, object]) -> None:
    rows = hostile_rows()
    data = write(tmp_path, rows, ending=ending)
    out = tmp_path / "out"
    known = write(tmp_path, [row[1:3] for row in rows[::9]], HEADER[1:3], "jsonl" if ending == "csv" else "csv")
    for command in (
        ("inspect", data),
        ("publish", write_policy(data, output=output), "--out", out),
        ("verify", out),
        ("attack", out, "--known", known),
    ):
        ran = run(*command)
        assert ran.code == 0, ran.err
        assert harm_on_terminal(ran, tmp_path) == []
    assert_unharmed_and_harmless(out, HEADER, rows)
    if output["format"] == "csv":
        assert bool(harm_in_formulas(out)) != ("escape_formulas" in output)
    result = json.loads((out / "steward" / "result.json").read_text(encoding="utf-8"))
    attack = json.loads((out / "steward" / "attack.json").read_text(encoding="utf-8"))
    assert harm_in_page(render_html(result, attack)) == []


def test_hostile_cells_by_the_policy_that_inspect_proposes(run: Run, tmp_path: Path) -> None:
    data = write(tmp_path, hostile_rows())
    starter, out, comparison = (tmp_path / name for name in ("starter.yaml", "out", "comparison"))
    for command in (
        ("inspect", data, "--out", starter),
        ("publish", starter, "--out", out, "--time-limit", "5"),
        ("verify", out),
        ("compare", starter, "--vary", "search.loss=lm,dm", "--out", comparison),
    ):
        ran = run(*command)
        assert ran.code == 0, ran.err
        assert harm_on_terminal(ran, tmp_path) == []
    assert harm_in_page((out / "steward" / "report.html").read_text(encoding="utf-8")) == []
    assert_is_a_picture(comparison / "frontier.svg")


def assert_is_a_picture(path: Path) -> None:
    tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(path.read_text(encoding="utf-8")).iter()}
    assert tags <= {"svg", "g", "path", "text", "rect", "defs", "clipPath", "line"}
    assert path.stat().st_size < 500_000


@pytest.mark.parametrize("turn", range(3))
def test_hostile_column_names_in_every_role(tmp_path: Path, turn: int) -> None:
    names = [*INNER_NAMES, *NAMES]
    rest = len(names) - 5
    header = [*names[20 * turn :], *names[: 20 * turn]]
    roles = ["sensitive", *["quasi-identifier"] * 3, "class", *["identifier", "insensitive"] * (rest // 2 + 1)][
        : len(names)
    ]
    rows = [[f"v{(7 * row + place) % 3}" for place in range(len(names))] for row in range(24)]
    policy = write_policy(write(tmp_path, rows, header), header, roles, output={"escape_formulas": turn % 2 == 0})
    publication = discreet.publish(policy, tmp_path / "out")
    assert_unharmed_and_harmless(publication.folder, header, rows, roles)
    assert discreet.attack(publication.folder, tmp_path / "table.csv")["linkage"]["after"]["unmatched"] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"table.csv", "policy.yaml", "out"}


@pytest.mark.parametrize("name", ["a\rb", "a\r\nb", "a\nb"])
def test_a_line_break_in_a_name_is_not_taken_for_the_end_of_lines(tmp_path: Path, name: str) -> None:
    header = ("name", name, *HEADER[2:])
    publication = discreet.publish(write_policy(write(tmp_path, plain_rows(), header), header), tmp_path / "out")
    assert_unharmed_and_harmless(publication.folder, header, plain_rows())


def test_hostile_column_names_are_inspected_and_compared(run: Run, tmp_path: Path) -> None:
    header = [name for name in NAMES if len(name) < 60]
    rows = [[f"v{(7 * row + place) % 3}" for place in range(len(header))] for row in range(24)]
    data = write(tmp_path, rows, header)
    starter = tmp_path / "starter.yaml"
    ran = run("inspect", data, "--out", starter)
    assert (ran.code, harm_on_terminal(ran, tmp_path)) == (0, [])
    assert [*TablePolicy.load(starter).attributes] == header
    ran = run("publish", starter, "--out", tmp_path / "out", "--time-limit", "1")
    assert (ran.code, harm_on_terminal(ran, tmp_path)) == (0, [])
    for place, name in enumerate(["<script>x</script>", "\x01\ufffe", "N" * 10_000]):
        policy = write_policy(write(tmp_path, plain_rows(), ("name", name, *HEADER[2:])), ("name", name, *HEADER[2:]))
        comparison = tmp_path / f"comparison-{place}"
        assert (
            run("compare", policy, "--vary", f"attributes.{name}.on_missing=error,suppress", "--out", comparison).code
            == 0
        )
        assert_is_a_picture(comparison / "frontier.svg")


def test_a_column_of_any_name_can_be_set(run: Run, tmp_path: Path) -> None:
    header = ("a.b", "a", "a.b.c", "quasi.on_missing", "quasi", "- x", "#x", "null", "~", "\u202e")
    rows = [[f"v{row % 3}"] * len(header) for row in range(12)]
    policy = write_policy(write(tmp_path, rows, header), header, ["quasi-identifier", "insensitive"] * 5)
    out = tmp_path / "out"
    settings = [text for name in header[1::2] for text in ("--set", f"attributes.{name}.role=identifier")]
    assert run("publish", policy, "--out", out, *settings).code == 0
    columns = json.loads((out / "release/certificate.json").read_text(encoding="utf-8"))["columns"]
    assert [name for name in header if columns[name]["role"] == "identifier"] == list(header[1::2])


# --- A megabyte in a cell -----------------------------------------------------------------------------------


@pytest.mark.parametrize("column", range(5), ids=ROLES)
def test_a_cell_of_a_megabyte(run: Run, tmp_path: Path, column: int) -> None:
    rows = with_cell(column, MEGABYTE)
    data = write(tmp_path, rows)
    ran = run("inspect", data)
    assert (ran.code, harm_on_terminal(ran, tmp_path)) == (0, [])
    out = tmp_path / "out"
    settings: dict[str, Any] = {"loss": "cm", "suppression": "vio-rec"} if ROLES[column] == "class" else {}
    ran = run("publish", write_policy(data, search=settings), "--out", out)
    assert (ran.code, harm_on_terminal(ran, tmp_path)) == (0, [])
    ran = run("verify", out)
    assert (ran.code, harm_on_terminal(ran, tmp_path)) == (0, [])
    assert_unharmed_and_harmless(out, HEADER, rows)
    assert run("attack", out, "--known", data).code == 0


def test_what_is_long_is_cut_on_the_terminal(run: Run, tmp_path: Path) -> None:
    rows = with_cell(1, "p" * 10_000)
    for row in rows[::4]:
        row[2] = "v" * 10_000
    header = ("name", "quasi", "secret", "N" * 10_000, "group")
    data = write(tmp_path, rows, header)
    thresholds = dict.fromkeys((row[2] for row in rows), "1/2")
    policy = write_policy(data, header, privacy={"model": "l-plus-diversity", "thresholds": thresholds})
    faults = harm_on_terminal(run("publish", policy, "--out", tmp_path / "out"), tmp_path)
    faults += harm_on_terminal(run("attack", tmp_path / "out", "--known", data), tmp_path)
    assert faults == []


def test_rows_of_several_megabytes(tmp_path: Path) -> None:
    wide = "😀" * 400_000
    rows = with_cell(2, wide)
    for row in rows[5::6]:
        row[3] = wide
    publication = discreet.publish(write_policy(write(tmp_path, rows)), tmp_path / "out")
    assert publication.release.joinpath("data.csv").stat().st_size > 4 * 3_200_000
    assert_unharmed_and_harmless(publication.folder, HEADER, rows)


# --- Shapes -------------------------------------------------------------------------------------------------

SHAPES: dict[str, tuple[Sequence[str], list[list[str]], Sequence[str]]] = {
    "two rows": (HEADER, plain_rows(2), ROLES),
    "one row many times": (HEADER, [["=a", "<b>", "\u202ec", "\x1bd", "e"]] * 20, ROLES),
    "nothing at all": (HEADER, [[""] * 5] * 20, ROLES),
    "all different": (HEADER, [[f"<{place}>{row}" for place in range(5)] for row in range(40)], ROLES),
    "one column": (["=quasi"], [[cell] for cell in [*CELLS, ""] for _ in range(3)], ["quasi-identifier"]),
    "200 columns": (
        [f"c{place}" for place in range(200)],
        [[f"={(row * place) % 5}" for place in range(200)] for row in range(12)],
        ["sensitive", *["quasi-identifier"] * 3, *["insensitive"] * 196],
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_tables_of_every_shape(tmp_path: Path, shape: str) -> None:
    header, rows, roles = SHAPES[shape]
    data = write(tmp_path, rows, header)
    assert discreet.inspect(data).rows == len(rows)
    out = discreet.publish(write_policy(data, header, roles), tmp_path / "out").folder
    assert_unharmed_and_harmless(out, header, rows, roles)
    discreet.attack(out)


# --- Taxonomies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", [{"escape_formulas": True}, {"format": "parquet"}], ids=str)
def test_taxonomies_with_hostile_labels(tmp_path: Path, output: dict[str, object]) -> None:
    leaves = [*(cell for cell in CELLS if cell.strip()), MEGABYTE]
    paths = [[leaf, f"{CELLS[place // 6 * 6]}<{place // 6}>", f"={MARKUP[0]}"] for place, leaf in enumerate(leaves)]
    with (tmp_path / "taxonomy.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows(paths)
    rows = [["id", leaf, f"s{(place + turn) % 5}", "", "a"] for place, leaf in enumerate(leaves) for turn in range(2)]
    policy = write_policy(
        write(tmp_path, rows), taxonomy="taxonomy.csv", output=output, privacy={"model": "l-diversity", "l": 4}
    )
    publication = discreet.publish(policy, tmp_path / "out")
    assert any(label == path[1] for label in publication.result["cuts"]["quasi"] for path in paths)
    assert_unharmed_and_harmless(publication.folder, HEADER, rows)
    [public] = publication.release.glob("taxonomies/*.csv")
    assert read(public, delimiter=";", escaped="escape_formulas" in output) == sorted(
        paths, key=read(public, delimiter=";", escaped="escape_formulas" in output).index
    )


# --- What cannot be used ------------------------------------------------------------------------------------

UNUSABLE: dict[str, tuple[str, Sequence[str], list[list[str]], str, tuple[str, ...]]] = {
    "a NUL byte": ("csv", HEADER, with_cell(3, "a\0b"), "*", ("table.csv, row 7", "NUL byte")),
    "a NUL byte in Parquet": ("parquet", HEADER, with_cell(3, "a\0b"), "*", ("NUL byte", "output.format: parquet")),
    "a NUL byte in JSON": ("jsonl", HEADER, with_cell(1, "\0"), "*", ("NUL byte", "output.format: parquet")),
    "a NUL byte in a name": ("parquet", ("n", "q\0", "s", "o", "g"), plain_rows(), "*", ("column 2", "NUL byte")),
    "half a pair": ("jsonl", HEADER, with_cell(2, "a\ud800"), "*", ("row 6", "\\ud800", "surrogate")),
    "half a pair in a name": ("jsonl", ("n", "\udfff", "s", "o", "g"), plain_rows(), "*", ("policy", "\\udfff")),
    "a mark in a name": ("csv", ("n", "\ufeffq", "s", "o", "g"), plain_rows(), "*", ("column 2", "byte order mark")),
    "two marks": ("csv", ("\ufeff\ufeffq", "n", "s", "o", "g"), plain_rows(), "*", ("column 1", "byte order mark")),
    "a star": ("csv", HEADER, with_cell(1, "*"), "*", ("quasi", "'*' occurs in the data")),
    "a secret star": ("csv", HEADER, with_cell(2, "*"), "*", ("secret", "'*' occurs in the data")),
    "strangers": ("csv", HEADER, with_cell(1, "\x1b[2J\u202e"), "t.csv", ("quasi", "'\\x1b[2J\\u202e'", "on_missing")),
    "long strangers": ("csv", HEADER, with_cell(1, MEGABYTE), "t.csv", ("quasi", "xxx", "4 rows", "on_missing")),
    "a blank name": ("csv", ("n", " \x85", "s", "o", "g"), plain_rows(), "*", ("column 2 has no name",)),
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_data_that_cannot_be_used_get_one_sentence(run: Run, tmp_path: Path, what: str) -> None:
    ending, header, rows, taxonomy, words = UNUSABLE[what]
    (tmp_path / "t.csv").write_text("q0;all\nq1;all\nq2;all\n")
    policy = write_policy(write(tmp_path, rows, header, ending), header, taxonomy=taxonomy)
    before = {path.name for path in tmp_path.iterdir()}
    assert_refused(run("publish", policy, "--out", tmp_path / "out"), *words)
    assert {path.name for path in tmp_path.iterdir()} == before


def test_columns_with_endless_names_and_no_role_get_one_sentence(run: Run, tmp_path: Path) -> None:
    names = [f"{place}{'N' * 10_000}" for place in range(40)]
    data = write(tmp_path, [[*row, *("x" for _ in names)] for row in plain_rows()], (*HEADER, *names))
    assert_refused(run("publish", write_policy(data), "--out", tmp_path / "out"), "without a role", "and 10 more")
    policy = write_policy(data, (*HEADER, "absent"), (*ROLES, "insensitive"))
    assert_refused(run("publish", policy, "--out", tmp_path / "out"), "attributes.absent", "and 15 more")


def test_a_breach_shows_hostile_values_harmlessly(run: Run, tmp_path: Path) -> None:
    out = discreet.publish(write_policy(write(tmp_path, plain_rows())), tmp_path / "out").folder
    data = out / "release" / "data.csv"
    name, *rows = read(data)
    with data.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [name, *([MEGABYTE if turn else "\x1b[2J\u202e", *row[1:]] for turn, row in enumerate(rows))]
        )
    ran = run("verify", out)
    assert ran.code == 1
    assert "'\\x1b[2J\\u202e' in 1 row" in ran.out
    assert harm_on_terminal(ran, tmp_path) == []


def test_the_python_functions_refuse_in_one_sentence_too() -> None:
    table = pa.table({"\ufeffa": ["x"] * 4, "b": ["y"] * 4})
    with pytest.raises(
        InputError, match=r"^the Table: the name of column 1 begins with a byte order mark.*remove it\.$"
    ):
        discreet.inspect(table)


# --- In a browser -------------------------------------------------------------------------------------------

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("DISCREET_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed; install it or name it in DISCREET_CHROMIUM"
)


def harm_in_browser(page: str, folder: Path) -> list[str]:
    """What a page runs, says on the console or asks of the network when it is opened."""
    assert CHROMIUM is not None
    folder.mkdir()
    (folder / "page.html").write_text(page, encoding="utf-8")
    quiet = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    quiet += "--disable-component-update --disable-sync --disable-extensions --enable-logging=stderr --dump-dom"
    places = (f"--user-data-dir={folder / 'profile'}", f"--log-net-log={folder / 'net.json'}")
    ran = subprocess.run(
        [CHROMIUM, *quiet.split(), "--host-resolver-rules=MAP * ~NOTFOUND", *places, (folder / "page.html").as_uri()],
        capture_output=True,
        timeout=120,
        check=True,
    )
    faults = re.findall(r"CONSOLE[:(]\d+\)?\] (.*)", ran.stderr.decode(errors="replace"))
    seen = ran.stdout.decode("utf-8")
    if "<title>ran</title>" in seen:
        faults.append("a script ran")
    log = json.loads((folder / "net.json").read_text(encoding="utf-8"))
    started = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [event.get("params", {}) for event in log["events"] if event["type"] == started]
    faults += [f"asked for {each['url']}" for each in asked if "url" in each and each["initiator"] != "not an origin"]
    return faults + Outline(seen).faults


@needs_browser
def test_the_report_of_a_hostile_table_in_a_browser(tmp_path: Path) -> None:
    header = (MARKUP[0], MARKUP[2], MARKUP[1], "'+alert(1)+'", "\u202egroup")
    rows = [
        [row[0], row[1], row[2], row[3] + MEGABYTE * (place == 7), row[4]] for place, row in enumerate(hostile_rows())
    ]
    thresholds = dict.fromkeys(CELLS, "1/2")
    policy = write_policy(
        write(tmp_path, rows, header), header, privacy={"model": "l-plus-diversity", "thresholds": thresholds}
    )
    publication = discreet.publish(policy, tmp_path / "out")
    attack = discreet.attack(publication.folder, tmp_path / "table.csv")
    page = render_html(publication.result, attack)
    assert harm_in_page(page) == []
    assert harm_in_browser(page, tmp_path / "visit") == []
    unguarded = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    assert len(unguarded) < len(page)
    assert harm_in_browser(unguarded, tmp_path / "unguarded") == []


# --- The checks see harm ------------------------------------------------------------------------------------


@needs_browser
@pytest.mark.parametrize("markup", [MARKUP[1], MARKUP[2], MARKUP[6]], ids=["script", "image", "frame"])
def test_the_browser_would_have_told(tmp_path: Path, markup: str) -> None:
    page = f'<!doctype html><html lang="en"><head><title>x</title></head><body><h1>x</h1>{markup}</body></html>'
    faults = harm_in_browser(page, tmp_path / "visit")
    assert ("asked for http://127.0.0.1:9/x" if "iframe" in markup else "a script ran") in faults


def test_the_check_of_pages_would_have_told(tmp_path: Path) -> None:
    page = discreet.publish(write_policy(write(tmp_path, plain_rows())), tmp_path / "out").report.read_text()
    assert harm_in_page(page) == []
    for harm in (*MARKUP[:4], MARKUP[6], "\x1b", "\u202e", "\x00", "</section>", "x" * 1_000_001):
        assert harm_in_page(page.replace("</main>", f"{harm}</main>")) != [], harm[:60]


def test_the_checks_of_data_and_terminal_would_have_told(tmp_path: Path) -> None:
    rows = with_cell(3, "=1+1")
    out = discreet.publish(write_policy(write(tmp_path, rows)), tmp_path / "out").folder
    assert harm_to_data(out, HEADER, rows) == []
    assert harm_in_formulas(out) == ["=1+1"] * 4
    data = out / "release" / "data.csv"
    text = data.read_text()
    for old, new in (
        ("=1+1", "=1+2"),
        ("s1", "s2"),
        ("other", "0ther"),
        ("i3", '"i3\n"'),
        ("q1", "q2"),
        ("=1+1", "'=1+1"),
    ):
        assert old in text
        data.write_text(text.replace(old, new, 1))
        assert harm_to_data(out, HEADER, rows) != [], (old, new)
    assert harm_on_terminal(Ran(0, "x" * 81, "")) and harm_on_terminal(Ran(0, "", "a\x1bb"))
    assert harm_on_terminal(Ran(0, "x" * 80, "x" * 81)) == []


def test_a_single_column_that_looks_like_several(tmp_path: Path) -> None:
    table = pa.table({"x;y": ["1;2", "1;2", "3;4", "3;4"]})
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {"x;y": {"role": "quasi-identifier"}},
            "privacy": {"model": "k-anonymity", "k": 2},
        }
    )
    publication = discreet.publish(policy, tmp_path / "out", data=table)
    assert sorted(publication.release.joinpath("data.csv").read_text().split()) == [
        '"1;2"',
        '"1;2"',
        '"3;4"',
        '"3;4"',
        '"x;y"',
    ]
