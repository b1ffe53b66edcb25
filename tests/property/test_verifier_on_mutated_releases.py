"""Releases of every kind, changed at random: whatever comes, verifying ends in a verdict or a sentence.

And where a reader that shares nothing with the verifier finds a group that is too small, the verdict is never that the
promise holds. There are several such readers, since real ones differ in what is missing and in what is a row.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import resource
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import discreet
from demos import small_demo, with_sections
from discreet import verifier
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.verifier import ReleaseLimits, verify_release
from discreet.verifier.limits import bounded
from examples import examples
from hand_made import Release

MOST_SECONDS = 60
MOST_MEMORY = 1 << 30
"""More than before, in bytes."""
SHAPES = ("dat", "basket", "long", "parquet")
SECRETS = {"model": "privacy-degree", "p": 2}

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Small releases: tables with their promises, several rows for a person, sets in every shape, sets in groups."""
    folder = tmp_path_factory.mktemp("seeds")
    made = [several_rows_for_a_person(folder, data) for data in ("data.csv", "data.parquet")]
    for kind in verifier.KINDS:
        path = small_demo(kind, folder, 60)
        settings: dict[str, Any] = {}
        if kind == "transactions":  # an item in a .dat has no blanks
            settings = {"sensitive": [item.replace(" ", "_") for item in Policy.load(path).as_dict()["sensitive"]]}
            for name in ("baskets.csv", "taxonomy.csv"):
                text = (path.parent / name).read_text(encoding="utf-8")
                (path.parent / name).write_text(text.replace(" ", "_"), encoding="utf-8")
        formats = ("csv", "parquet") if kind == "table" else SHAPES
        for output in formats:
            out = folder / f"{kind}-{output}"
            shape = {**settings, "output.format": output}
            made.append(discreet.publish(path, out, settings=shape, seed=1).folder / "release")
        if kind == "transactions":
            policy = with_sections(path, privacy=SECRETS, search={"method": "permutation"})
            made.append(discreet.publish(policy, folder / "groups", settings=settings, seed=1).folder / "release")
    return made


def several_rows_for_a_person(folder: Path, data: str) -> Path:
    """Two sensitive columns, one with a taxonomy, a threshold for a label and a default."""
    header = ("patient", "education", "country", "disease", "job")
    rows = [
        (f"p{person}", ("Junior", "University")[person % 2], "America", disease, job)
        for person in range(16)
        for disease, job in ((f"{'FJ'[person // 2 % 2]}{person // 4}", f"j{person // 2}"), ("*", f"j{person // 2}"))
    ]
    release = Release(rows, header).promising(
        {"model": "k-anonymity", "k": 8},
        {"model": "l-plus-diversity", "column": "disease", "thresholds": {"F": "1/2", "J0": "1/8"}, "default": "1/8"},
        {"model": "l-diversity", "column": "job", "l": 8},
    )
    release.taxonomies["disease.csv"] = "".join(
        f"{label}{number};{label};Any\n" for label in "FJ" for number in range(4)
    )
    release.stated["columns"] |= {
        "patient": {"role": "person"},
        "disease": {"role": "sensitive", "taxonomy": "taxonomies/disease.csv"},
        "job": {"role": "sensitive"},
    }
    release.stated["data"] = data
    return release.write(folder / f"people-{data}")


# --- mutations ----------------------------------------------------------------------------------------------

Mutation = Callable[[Path, random.Random], None]
SIGNS = (
    *('"', '""', '"",', ",", "\n", "\r", "\r\n", "\n\n", " ", "\t", "\0", "\ufeff", "*", ";", "'", "=", "NULL", "é"),
    *("\u2028", "\x85", "\x1a", "\\", "\\N", "NA", "#"),
)


def files(release: Path) -> list[Path]:
    return sorted(path for path in release.rglob("*") if path.is_file() and not path.is_symlink())


def some_file(release: Path, draw: random.Random, *endings: str) -> Path | None:
    found = [path for path in files(release) if not endings or path.suffix in endings]
    return draw.choice(found) if found else None


def bytes_changed(release: Path, draw: random.Random) -> None:
    path = some_file(release, draw)
    if path is None:
        return
    content = bytearray(path.read_bytes())
    start = draw.randrange(len(content) + 1)
    end = min(len(content), start + draw.choice([0, 1, 1, 4, 50]))
    piece = bytes(content[start:end])
    changed = draw.choice([b"", piece * 2, draw.randbytes(len(piece)), bytes([draw.randrange(256)]), piece[::-1]])
    path.write_bytes(bytes(content[:start]) + changed + bytes(content[end:]))


def cut_off(release: Path, draw: random.Random) -> None:
    path = some_file(release, draw)
    if path is not None:
        content = path.read_bytes()
        path.write_bytes(content[: draw.randrange(len(content) + 1)])


def signs_put_in(release: Path, draw: random.Random) -> None:
    path = some_file(release, draw, ".csv", ".dat", ".json")
    if path is not None:
        text = path.read_bytes().decode(errors="surrogateescape")
        place = draw.choice([0, len(text), draw.randrange(len(text) + 1)])
        changed = text[:place] + draw.choice(SIGNS) + text[place:]
        path.write_bytes(changed.encode(errors="surrogateescape"))


def cell_replaced(release: Path, draw: random.Random) -> None:
    """In a line of text: one field by another of its column, by a missing one or by a sign."""
    path = some_file(release, draw, ".csv", ".dat")
    if path is None:
        return
    lines = path.read_bytes().decode(errors="surrogateescape").split("\n")
    separator = " " if path.suffix == ".dat" else ";" if path.parent != release else ","
    rows = [line.split(separator) for line in lines]
    row = draw.choice(rows)
    place = draw.randrange(len(row))
    other = draw.choice(rows)
    row[place] = draw.choice(["", '""', other[min(place, len(other) - 1)], draw.choice(SIGNS), row[place] + " "])
    path.write_bytes("\n".join(separator.join(row) for row in rows).encode(errors="surrogateescape"))


def lines_changed(release: Path, draw: random.Random) -> None:
    path = some_file(release, draw, ".csv", ".dat")
    if path is None:
        return
    lines = path.read_bytes().splitlines(keepends=True)
    start = draw.randrange(len(lines) + 1)
    end = min(len(lines), start + draw.choice([1, 1, 2, 10]))
    changed = draw.choice([[], lines[start:end] * 2, lines[start:end][::-1], [b"\n"], [b"\r\n"]])
    path.write_bytes(b"".join([*lines[:start], *changed, *lines[end:]]))


def line_ends_changed(release: Path, draw: random.Random) -> None:
    path = some_file(release, draw, ".csv", ".dat")
    if path is not None:
        content = path.read_bytes().replace(b"\r\n", b"\n")
        path.write_bytes(content.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n"])))


VALUES: tuple[Any, ...] = (
    *(None, True, 0, 1, 2, -1, 10**18, 10**30, 0.5, 1e400, "", "*", "1/2", "1/3", "0", "a" * 300, [], {}, [[]]),
    *("global", "local", "csv", "data.csv", "data.parquet", "../data.csv", "/etc/passwd", "certificate.json"),
    *("sensitive", "quasi-identifier", "identifier", "class", "k-anonymity", "km-anonymity", "table", "transactions"),
    *("person", "disease", "job"),
    *({"model": "k-anonymity", "k": 2}, ["data.csv"], {"role": "class"}, "\ud800", "long", "grouped", "basket"),
)


def statement_changed(release: Path, draw: random.Random) -> None:
    """A value of the certificate replaced, taken out, moved or added."""
    path = release / "certificate.json"
    if path not in files(release):  # a pipe by now, say
        return
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    places = list(walked(entries))
    if not places:
        return
    inside, key = draw.choice(places)
    choice = draw.randrange(4)
    if choice == 0:
        inside[key] = draw.choice(VALUES)
    elif choice == 1:
        del inside[key]
    elif choice == 2:
        others, other = draw.choice(places)
        inside[key] = others[other]
    elif isinstance(inside, dict):
        key = draw.choice(
            ["", "k", "model", "escaped_formulas", "recoding", "role", "new", "column", "default", "taxonomy"]
        )
        inside[key] = draw.choice(VALUES)
    try:
        written = json.dumps(entries)
    except ValueError:  # it contains itself now
        return
    if draw.randrange(10) == 0:
        written = written.replace("{", '{"kind": "table", ', 1)
    path.write_text(written, encoding="utf-8")


def walked(entries: Any) -> Iterator[tuple[Any, Any]]:
    keys = entries if isinstance(entries, dict) else range(len(entries)) if isinstance(entries, list) else ()
    for key in keys:
        yield entries, key
        yield from walked(entries[key])


TYPES = (
    *(pa.string(), pa.large_string(), pa.binary(), pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float64()),
    *(pa.bool_(), pa.date32(), pa.time64("ns"), pa.timestamp("ns"), pa.timestamp("us", "UTC"), pa.decimal256(60, 40)),
    *(pa.null(), pa.list_(pa.string()), pa.large_list(pa.int64()), pa.struct([("a", pa.string())])),
)


def cells_of(kind: Any, number: int, draw: random.Random) -> Any:
    """A column of few different values of a type."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        values: Sequence[Any] = ["", "a", None, "*", "a\0", "Ä"]
    elif pa.types.is_boolean(kind):
        values = [True, False, None]
    elif pa.types.is_floating(kind):
        values = [0.0, -0.0, float("nan"), float("inf"), None]
    elif pa.types.is_decimal(kind):
        values = [Decimal(1), Decimal("1.0000000000000000000000000000000000000001"), None]
    elif pa.types.is_null(kind):
        values = [None]
    elif pa.types.is_struct(kind):
        values = [{"a": "b"}, None]
    elif pa.types.is_nested(kind):
        values = [[], None, [None], [1] if kind.value_type == pa.int64() else ["a"]]
    else:
        values = [0, 1, None]
    few = [value.encode() if pa.types.is_binary(kind) and value else value for value in values]
    few = [None if value == "" and pa.types.is_binary(kind) else value for value in few]
    return pa.array([draw.choice(few) for _ in range(number)], kind)


def parquet_changed(release: Path, draw: random.Random) -> None:
    """Types, missing values, columns, metadata, and how it is written."""
    path = some_file(release, draw, ".parquet")
    if path is None:
        return
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError, pa.ArrowException):
        return
    names = table.column_names
    choice = draw.randrange(7)
    if choice == 0 and names:
        place = draw.randrange(len(names))
        table = table.set_column(place, names[place], cells_of(draw.choice(TYPES), table.num_rows, draw))
    elif choice == 1 and names and table.num_rows:
        place = draw.randrange(len(names))
        cells = table.column(place).to_pylist()
        for _ in range(draw.choice([1, 2, 5])):
            cells[draw.randrange(len(cells))] = draw.choice(
                [None, [] if isinstance(cells[0], list) else "", draw.choice(cells)]
            )
        table = table.set_column(place, names[place], pa.array(cells, table.schema.types[place]))
    elif choice == 2 and names:
        table = table.drop_columns([draw.choice(names)])
    elif choice == 3:
        name = draw.choice([*names, "new", ""])
        table = table.append_column(name, cells_of(draw.choice(TYPES), table.num_rows, draw))
    elif choice == 4:
        table = table.rename_columns([draw.choice([name, name, "a.b", ""]) for name in names])
    elif choice == 5:
        table = table.slice(draw.randrange(table.num_rows + 1), draw.choice([0, 1, 30]))
    with parquet.ParquetWriter(
        path,
        table.schema,
        store_schema=draw.randrange(4) == 0,
        compression=draw.choice(["none", "snappy", "gzip", "zstd", "brotli"]),
        use_dictionary=draw.choice([True, False]),
        data_page_version=draw.choice(["1.0", "2.0"]),
        write_page_index=draw.randrange(4) == 0,
        use_deprecated_int96_timestamps=draw.choice([True, False]),
    ) as writer:
        writer.write_table(table, row_group_size=draw.choice([7, 1000]))
        if draw.randrange(4) == 0:
            writer.add_key_value_metadata({"original": "Ann"})


def file_replaced(release: Path, draw: random.Random) -> None:
    """By a link, a pipe, a folder, nothing or another file; or one more is put beside it."""
    path = some_file(release, draw)
    if path is None:
        return
    other = some_file(release, draw)
    choice = draw.randrange(7)
    if choice == 6 and other is not None:
        (path.parent / "more").write_bytes(other.read_bytes())
        return
    content = path.read_bytes()
    path.unlink()
    if choice == 0:
        path.symlink_to(draw.choice(["/dev/zero", "/etc/passwd", ".", path.name, "nowhere"]))
    elif choice == 1:
        os.mkfifo(path)
    elif choice == 2:
        path.mkdir()
    elif choice == 3 and other is not None and other != path:
        path.write_bytes(other.read_bytes())
    elif choice == 4:
        path.write_bytes(b"")
    elif choice == 5:
        (path.parent / f"{path.name} ").write_bytes(content)


MUTATIONS: tuple[Mutation, ...] = (
    *(bytes_changed, cut_off, signs_put_in, cell_replaced, cell_replaced, lines_changed, line_ends_changed),
    *(statement_changed, parquet_changed, parquet_changed, file_replaced),
)


# --- readers that share nothing with the verifier -----------------------------------------------------------


def tokens(text: str) -> Iterator[list[str | None]]:
    """The rows of a CSV file as a reader finds them that tells `""` from nothing and skips no line."""
    row: list[str | None] = []
    cell: str | None = None
    quoted = False
    place = 0
    while place < len(text):
        sign = text[place]
        if quoted and sign == '"' and text[place + 1 : place + 2] == '"':
            cell = (cell or "") + '"'
            place += 1
        elif sign == '"':
            quoted = not quoted
            cell = cell or ""
        elif quoted or sign not in ",\r\n":
            cell = (cell or "") + sign
        elif sign == ",":
            row.append(cell)
            cell = None
        elif sign == "\n":
            yield [*row, cell]
            row, cell = [], None
        place += 1
    if row or cell is not None:
        yield [*row, cell]


def tables(path: Path) -> Iterator[tuple[list[str], Rows]]:
    """The names of the columns and the rows, as different readers find them."""
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        columns = [column.to_pylist() for column in table.columns]
        yield table.column_names, list(zip(*columns, strict=True))
        return
    text = path.read_bytes().decode("utf-8-sig")
    for rows in (
        [*tokens(text)],
        [row for row in csv.reader(io.StringIO(text, newline="")) if row],
        [row for row in csv.reader(text.splitlines(keepends=True)) if row],
    ):
        header, *body = rows
        width = len(header)
        yield [name or "" for name in header], [tuple((list(row) + [None] * width)[:width]) for row in body]


def is_kept_in_table(promise: dict[str, Any], roles: dict[str, Any], names: list[str], rows: Rows) -> bool:
    """Whether every group of rows, or of people, is as large, and as diverse, as promised; labels are left out."""
    keys = [names.index(name) for name, entry in roles.items() if entry["role"] == "quasi-identifier"]
    people = [names.index(name) for name, entry in roles.items() if entry["role"] == "person"]
    # Whose row it is; where nobody says so, every row is somebody else's.
    members = [row[people[0]] if people else number for number, row in enumerate(rows)]
    homes = {(tuple(row[place] for place in keys), member) for row, member in zip(rows, members, strict=True)}
    if len(homes) > len(set(members)):
        return False
    groups = Counter(group for group, _ in homes)
    if promise["model"] == "k-anonymity":
        return all(size >= promise["k"] for size in groups.values())
    sensitive = [name for name, entry in roles.items() if entry["role"] == "sensitive"]
    name = promise["column"] if "column" in promise else sensitive[0]
    secret = names.index(name)
    shown = {
        (tuple(row[place] for place in keys), row[secret], member) for row, member in zip(rows, members, strict=True)
    }
    if promise["model"] == "l-diversity":
        shares: Any = Fraction(1, promise["l"])
    else:
        shares = promise["thresholds"]
    default = promise.get("default", "1" if "taxonomy" in roles[name] else "0")
    for (group, value), number in Counter((group, value) for group, value, _ in shown).items():
        if value != "*":
            share = shares.get(value or "", default) if isinstance(shares, dict) else shares
            if number > Fraction(share) * groups[group]:
                return False
    return True


def transactions(path: Path, entries: dict[str, Any]) -> list[set[str]]:
    if path.suffix == ".parquet":
        return [set(items) for items in parquet.read_table(path).column(0).to_pylist()]
    text = path.read_bytes().decode()
    if path.suffix == ".dat":
        return [set(line.split()) for line in text.split("\n")]
    if entries["shape"] == "basket":
        return [set(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=entries["separator"])]
    found: dict[str, set[str]] = {}
    for *_, name, item in list(csv.reader(io.StringIO(text, newline="")))[1:]:
        found.setdefault(name, set()).add(item)
    return list(found.values())


def is_kept_in_sets(promise: dict[str, Any], sets: list[set[str]], sensitive: set[str]) -> bool:
    """Whether one and two published items are found in as many transactions as promised; a necessary condition."""
    if "k" not in promise:
        return True
    size = min(promise.get("m", promise.get("p", 1)), 2)
    found = Counter(
        itemset
        for items in sets
        for number in range(1, size + 1)
        for itemset in combinations(sorted(items - sensitive - {""}), number)
    )
    return all(number >= promise["k"] for number in found.values())


def a_reader_finds_a_breach(release: Path) -> bool:
    """Whether any reader does; where one fails there is nothing to say of it."""
    try:
        entries = json.loads((release / "certificate.json").read_text(encoding="utf-8"))
        path = release / entries["data"]
        promises = entries["promise"]
        if entries["kind"] != "table":
            sets = transactions(path, entries)
            return any(not is_kept_in_sets(promise, sets, set(entries["sensitive"])) for promise in promises)
        if entries.get("escaped_formulas"):
            return False
        return any(
            not is_kept_in_table(promise, entries["columns"], names, rows)
            for names, rows in tables(path)
            for promise in promises
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error, pa.ArrowException, ArithmeticError):
        return False


# --- the property -------------------------------------------------------------------------------------------


@examples(400)
@given(st.integers(0, 2**64))
def test_whatever_comes_there_is_a_verdict_or_a_sentence(seeds: list[Path], seed: int) -> None:
    draw = random.Random(seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with TemporaryDirectory() as folder:
        release = Path(folder) / "release"
        shutil.copytree(draw.choice(seeds), release)
        for _ in range(draw.choice([1, 1, 1, 2, 4])):
            draw.choice(MUTATIONS)(release, draw)
        holds = None
        try:
            with bounded(ReleaseLimits(seconds=MOST_SECONDS, memory=1 << 20)):
                holds = verify_release(release).holds
        except InputError as error:
            assert "stopped after" not in str(error)
            assert str(error) and "\n" not in str(error) and len(str(error)) < 2_000
        if holds:
            assert not a_reader_finds_a_breach(release)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown << 10 < MOST_MEMORY


def test_unchanged_they_hold_and_readers_agree(seeds: list[Path]) -> None:
    """The readers can read all of them, and do find what is broken."""
    for release in seeds:
        assert verify_release(release).holds
        assert not a_reader_finds_a_breach(release)
    table = next(release for release in seeds if (release / "data.csv").exists())
    names, rows = next(tables(table / "data.csv"))
    stated = json.loads((table / "certificate.json").read_text(encoding="utf-8"))
    assert len(rows) > 30
    assert not is_kept_in_table(stated["promise"][0], stated["columns"], names, rows[:1])
