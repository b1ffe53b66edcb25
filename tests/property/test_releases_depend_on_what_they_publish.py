"""Two originals whose published rows are equal, under one policy, have releases that are equal in every file.

Otherwise a file tells of records that were deleted, or of values that a star or a more general value hides. So random
data are published twice, the second time with records added or changed; where the rows come out the same, up to
their order, everything else has to.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from pyarrow import parquet

from discreet.commands.release import write_release
from discreet.commands.workspace import workspace
from discreet.errors import InputError, NoReleaseError
from discreet.kinds import KINDS, kind_of
from discreet.methods.method import kept
from discreet.policy import Policy
from examples import examples

Pair = tuple[Policy, object, object]
"""A policy and two originals."""


def release_of(policy: Policy, data: object, folder: Path) -> None:
    kind = kind_of(policy)
    random = np.random.default_rng(1)
    with workspace() as engine:
        encoding = kind.encode(engine, policy, data)
        solved = kind.search(policy, encoding, random)
        write_release(kind, engine, solved.drawn(random), folder, random)


def content(path: Path) -> tuple[Any, list[Any]]:
    """What a file says apart from its rows, and its rows in an order of their own."""
    if path.suffix == ".parquet":
        file = parquet.ParquetFile(path)
        schema = str(file.schema).partition("\n")[2]  # the first line is the address of the object
        read = ({name: cell for name, cell in row.items() if name != "person"} for row in file.read().to_pylist())
        return (schema, file.metadata.metadata), sorted(map(repr, read))
    if not path.name.startswith(("data", "sensitive")):
        return path.read_bytes(), []
    text = path.read_bytes().decode()
    if path.name == "data.dat":
        return None, sorted(text.splitlines())
    rows = list(csv.reader(io.StringIO(text, newline="")))
    numbers = [place for place, name in enumerate(rows[0]) if name in ("transaction", "group", "tid", "person")]
    if not numbers:
        return rows[0], sorted(text.splitlines()[1:])
    return rows[0], sorted(_records(rows[1:], numbers))


def _records(rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> Iterator[str]:
    """Rows that belong together by their random numbers, without these."""
    together: dict[str, list[str]] = {}
    for row in rows:
        rest = [cell for place, cell in enumerate(row) if place not in numbers]
        together.setdefault(row[numbers[0]], []).append(repr(rest))
    yield from (repr(sorted(group)) for group in together.values())


def contents(folder: Path) -> dict[str, tuple[Any, list[Any]]]:
    return {path.relative_to(folder).as_posix(): content(path) for path in folder.rglob("*") if path.is_file()}


def without_counts(files: dict[str, tuple[Any, list[Any]]]) -> dict[str, tuple[Any, list[Any]]]:
    """Without the leaves that have numbers for names: they tell how many items there are, which is published."""
    return {
        name: ({re.sub(rb"^[^;]*/\d+'*;", b"", line) for line in said.splitlines()}, rows)
        if name.startswith("taxonomies/")
        else (said, rows)
        for name, (said, rows) in files.items()
    }


def same_rows(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return {name: rows for name, (_, rows) in first.items() if rows} == {
        name: rows for name, (_, rows) in second.items() if rows
    }


def parsed(written: dict[str, object]) -> Policy:
    """Rejects the example where the keys do not go together."""
    try:
        return Policy.parse(written)
    except InputError:
        reject()


# --- tables ---------------------------------------------------------------------------------------------------

CHAINS = "a;A;X;*\nb;A;X;*\nc;B;X;*\n"
"""A taxonomy with chains at the root and elsewhere."""
BUILDERS: dict[str, tuple[object, Sequence[str | None]]] = {
    "prefixes": ({"prefixes": [3, 1]}, ("8049", "8041", "8050", "9000", "9", "80")),
    "icd-10": ({"ready": "icd-10"}, ("A00", "A00.1", "A00.12", "A01", "B20", "?")),
    "countries": ({"ready": "countries"}, ("FR", "France", "CH", "US", "?")),
    "nuts": ({"ready": "nuts"}, ("DE", "DE2", "DE21", "FR1")),
    "postcodes": ({"ready": "postcodes"}, ("80331", "80339", "8033", "SW1A 1AA", "SW1A")),
    "dates": ({"dates": ["day", "month", "quarter", "year"]}, ("2024-01-05", "2024-01-07", "2024-02-01", "1999-12-31")),
    "decimals": ({"intervals": ["0.5", "1", "4"], "start": 0, "end": 8}, ("0.1", "0.2", "0.7", "3.25", "7")),
    "integers": ({"intervals": [2, 4], "start": 0, "end": 8}, ("1", "2", "3", "7", "2.5")),
    "ranges": ({"intervals": [2, 4], "start": 0, "end": 8, "leaves": "intervals"}, ("1", "2", "3", "7", "2.5")),
    "flat": ("*", ("x", "y", "z")),
    "file": (None, ("a", "b", "c")),
}
TABLE_SEARCHES = (
    *({"suppression": scheme} for scheme in ("vio-rec", "all-rec", "vio-sa", "all-sa", "none")),
    *({"method": "samarati", "suppression": scheme, "max_suppressed": "1/3"} for scheme in ("vio-rec", "all-rec")),
)
TABLE_PROMISES: tuple[dict[str, object], ...] = (
    {"model": "l-diversity", "l": 2},
    {"model": "l-plus-diversity", "thresholds": {"baseline": "1/2", "by": "frequency"}},
    {"model": "k-anonymity", "k": 2},
    {"model": "l-plus-diversity", "thresholds": {"u*": "1/2"}, "default": "2/3"},
)


@st.composite
def table_pairs(draw: st.DrawFn, folder: Path) -> Pair:
    columns = draw(st.lists(st.sampled_from(sorted(BUILDERS)), min_size=1, max_size=2))
    attributes: dict[str, dict[str, object]] = {"note": {"role": "insensitive"}, "disease": {"role": "sensitive"}}
    fields: list[st.SearchStrategy[str | None]] = [st.none() | st.just("n"), st.sampled_from("uuvw")]
    for place, name in enumerate(columns):
        taxonomy, values = BUILDERS[name]
        attributes[f"q{place}"] = {"role": "quasi-identifier", "taxonomy": taxonomy or str(folder / "chains.csv")}
        fields.append(st.sampled_from([*values, None]) if draw(st.booleans()) else st.sampled_from(values))
    record = st.tuples(*fields)
    common = draw(st.lists(record, min_size=1, max_size=3))
    records = [(*row[:1], value, *row[2:]) for row in common for value in draw(st.sampled_from(("uuvv", "uuvvww")))]
    changed = [*records, *draw(st.lists(record, min_size=1, max_size=2))]
    if draw(st.booleans()):
        records = [*records, draw(record)]
    promise = draw(st.sampled_from(TABLE_PROMISES))
    if "default" in promise:
        attributes["disease"]["taxonomy"] = {"prefixes": [1]}
    if draw(st.integers(0, 3)) == 0:
        attributes["person"] = {"role": "person"}
        records, changed = _with_people(records), _with_people(changed)
    policy = parsed(
        {
            "data": {},
            "attributes": attributes,
            "privacy": promise,
            "search": draw(st.sampled_from(TABLE_SEARCHES)),
            "output": {"format": draw(st.sampled_from(("csv", "parquet")))},
        }
    )
    return policy, _table(list(attributes), records), _table(list(attributes), changed)


def _with_people(records: Sequence[Sequence[str | None]]) -> list[tuple[str | None, ...]]:
    """Two rows for each person, who agree in all quasi-identifiers; one for the last of an odd number."""
    met: Counter[tuple[str | None, ...]] = Counter()
    found = []
    for record in records:
        found.append((*record, f"{record[2:]} {met[tuple(record[2:])] // 2}"))
        met[tuple(record[2:])] += 1
    return found


def _table(names: Sequence[str], records: Sequence[Sequence[str | None]]) -> pa.Table:
    return pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip(names, zip(*records, strict=True), strict=True)}
    )


NUMBERS = ("*", ("0.1", "0.2", "0.7", "3.25", "7", "7.0"))
LOCAL_SEARCHES: tuple[dict[str, object], ...] = (
    {"method": "mondrian"},
    {"method": "k-member"},
    {"method": "k-member", "split": True, "time_limit": 0.05},
    {"method": "mdav"},
    {"method": "condensation"},
    {"method": "condensation", "per_class": False, "stream": True},
)


@st.composite
def local_pairs(draw: st.DrawFn, folder: Path) -> Pair:
    """Groups with labels of their own, and made-up rows."""
    search = draw(st.sampled_from(LOCAL_SEARCHES))
    takes_text, takes_labels = search["method"] in ("mondrian", "k-member"), search["method"] != "condensation"
    attributes: dict[str, dict[str, object]] = {"s": {"role": "sensitive" if takes_labels else "class"}}
    fields: list[st.SearchStrategy[str | None]] = [st.sampled_from("uvw")]
    for place in range(draw(st.integers(1, 2))):
        labels = draw(st.sampled_from(("nodes", "ranges", "sets", "means"))) if takes_text else "means"
        is_number = labels == "means" or not takes_text
        taxonomy, values = NUMBERS if is_number else BUILDERS[draw(st.sampled_from(sorted(BUILDERS)))]
        known = [value for value in values if value != "?"]
        attributes[f"q{place}"] = {"role": "quasi-identifier"}
        if takes_labels:
            attributes[f"q{place}"] |= {"taxonomy": taxonomy or str(folder / "chains.csv"), "labels": labels}
        fields.append(st.sampled_from([*known, None] if takes_text and draw(st.booleans()) else known))
    record = st.tuples(*fields)
    common = draw(st.lists(record, min_size=1, max_size=4))
    records = [row for row in common for _ in range(draw(st.integers(2, 3)))]
    changed = list(records)
    for place in draw(st.lists(st.integers(0, len(records) - 1), min_size=1, max_size=2)):
        changed[place] = (*records[place][:1], *draw(record)[1:])
    policy = parsed(
        {
            "data": {},
            "attributes": attributes,
            "privacy": {"model": "k-anonymity" if takes_labels else "condensed-groups", "k": draw(st.integers(2, 3))},
            "search": search,
            "output": {"format": draw(st.sampled_from(("csv", "parquet")))},
        }
    )
    return policy, _table(list(attributes), records), _table(list(attributes), changed)


# --- transactions ---------------------------------------------------------------------------------------------

ITEMS = ("a", "b", "c", "d", "e", "f")
TREE = "a;A;X;*\nb;A;X;*\nc;C;X;*\nd;D;*\ne;D;*\nf;D;*\n"


@st.composite
def transaction_pairs(draw: st.DrawFn, folder: Path) -> Pair:
    kind = KINDS["transactions"]
    name = draw(st.sampled_from(sorted(kind.methods())))
    model = draw(st.sampled_from(sorted(kept(kind.methods()[name], kind.models()))))
    small = {"k": 2, "m": 1, "n": 1, "l": 2, "h": "1/2", "p": 2, "rho": "1/2"}
    fields = {field: small[field] for field in kind.models()[model].__dataclass_fields__ if field in small}
    taxonomy = draw(st.sampled_from(("*", {"even": 2, "seed": 3}, str(folder / "tree.csv"))))
    basket = st.sets(st.sampled_from((*ITEMS, "s", "t")), max_size=4).map(sorted)
    common = draw(st.lists(basket, min_size=1, max_size=3))
    baskets = [items for items in common for _ in range(draw(st.integers(2, 3)))]
    place = draw(st.integers(0, len(baskets) - 1))
    changed = [*baskets[:place], draw(basket), *baskets[place + 1 :]]
    policy = parsed(
        {
            "data": {"kind": "transactions"},
            "taxonomy": taxonomy,
            "sensitive": ["s", "t"],
            "privacy": {"model": model, **fields},
            "search": {"method": name},
            "output": {"format": draw(st.sampled_from(("dat", "long", "parquet")))},
        }
    )
    return policy, baskets, changed


# --- the property ---------------------------------------------------------------------------------------------

PAIRS: dict[str, Callable[[Path], st.SearchStrategy[Pair]]] = {
    "table": table_pairs,
    "transactions": transaction_pairs,
}


def test_every_kind_is_tried() -> None:
    assert set(PAIRS) == set(KINDS)


@pytest.mark.parametrize("kind", [*PAIRS, "local"])
def test_equal_rows_have_equal_releases(kind: str, tmp_path: Path) -> None:
    (tmp_path / "chains.csv").write_text(CHAINS, encoding="utf-8")
    (tmp_path / "tree.csv").write_text(TREE, encoding="utf-8")
    seen: Counter[str] = Counter()

    @examples(100)
    @given((local_pairs if kind == "local" else PAIRS[kind])(tmp_path))
    def check(pair: Pair) -> None:
        policy, first, second = pair
        with TemporaryDirectory(dir=tmp_path) as name:
            folder = Path(name)
            try:
                release_of(policy, first, folder / "first")
                release_of(policy, second, folder / "second")
            except (NoReleaseError, InputError) as error:
                seen[type(error).__name__] += 1
                return
            before, after = contents(folder / "first"), contents(folder / "second")
        seen["published"] += 1
        if same_rows(before, after):
            seen["equal"] += 1
            assert without_counts(before) == without_counts(after)

    check()
    assert seen["equal"] * 20 > seen["published"] > seen["InputError"], seen
