"""What strangers may send: nothing is followed, nothing hangs, nothing unpacks without bound, nothing hides."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import discreet
from demos import small_demo
from discreet import cli
from discreet.engine import published
from discreet.errors import InputError
from discreet.verifier import ReleaseLimits, verify_release
from discreet.verifier.limits import bounded
from discreet.verifier.taxonomy import nested_pairs

COMMAND = str(Path(sys.executable).with_name("discreet"))
MANY = 50_000_000
"""Empty lists, in 134 kilobytes."""


def table(folder: Path, rows: str = "1,x\n1,y\n", **changes: Any) -> Path:
    (folder / "taxonomies").mkdir(parents=True)
    certificate = {
        "format": "discreet-certificate/1",
        "kind": "table",
        "data": "data.csv",
        "promise": [{"model": "k-anonymity", "k": 2}],
        "columns": {"a": {"role": "quasi-identifier", "taxonomy": "taxonomies/a.csv"}, "b": {"role": "class"}},
        **changes,
    }
    (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    (folder / "taxonomies" / "a.csv").write_text("1;*\n2;*\n", encoding="utf-8")
    if certificate["data"].endswith(".csv"):
        (folder / certificate["data"]).write_text(f"a,b\n{rows}", encoding="utf-8")
    return folder


def sets(folder: Path, items: str = "1;*\n2;*\n", **changes: Any) -> Path:
    folder.mkdir(parents=True)
    certificate = {
        "format": "discreet-certificate/1",
        "kind": "transactions",
        "data": "data.dat",
        "shape": "dat",
        "taxonomy": "items.csv",
        "sensitive": ["s"],
        "promise": [{"model": "kl-privacy", "k": 2, "l": 2, "m": 2, "n": 0}],
        **changes,
    }
    (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    (folder / "items.csv").write_text(items, encoding="utf-8")
    if certificate["data"].endswith(".dat"):
        (folder / certificate["data"]).write_text("1\n1\n2\n2\n", encoding="utf-8")
    return folder


def verified(folder: Path, *options: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    """What the command says, within generous bounds of time and memory; a process that needs more is a failure."""

    def within_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    return subprocess.run(
        [COMMAND, "verify", str(folder), *options],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        preexec_fn=within_memory,
    )


def refused(ran: subprocess.CompletedProcess[str], said: str) -> None:
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr and ran.stderr.count("\n") == 1


# --- only plain files ---------------------------------------------------------------------------------------


def link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to(path.with_name("moved"))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    path.unlink()
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has to be short
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(path.name)
    finally:
        os.chdir(here)


def folder_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("put", [link, pipe, device, listening, folder_in_its_place])
@pytest.mark.parametrize("name", ["certificate.json", "data.csv", "taxonomies/a.csv"])
def test_nothing_but_plain_files_is_opened(tmp_path: Path, put: Callable[[Path], None], name: str) -> None:
    put(table(tmp_path / "release") / name)
    refused(verified(tmp_path), name)


def test_no_folder_on_the_way_is_a_link(tmp_path: Path) -> None:
    table(tmp_path / "sent")
    (tmp_path / "sent" / "taxonomies").rename(tmp_path / "elsewhere")
    (tmp_path / "sent" / "taxonomies").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"taxonomies/a\.csv: this is a link"):
        verify_release(tmp_path / "sent")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "release").symlink_to(table(tmp_path / "good"))
    with pytest.raises(InputError, match="give the folder it leads to"):
        verify_release(tmp_path / "inside")
    assert verify_release(tmp_path / "good").holds


def test_a_folder_that_whoever_verifies_names_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(table(tmp_path / "sent"))
    assert verify_release(tmp_path / "link").holds


# --- nothing unnamed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("add", "named"),
    [
        (lambda folder: (folder / "original.csv").write_text("a"), "'original.csv'"),
        (lambda folder: (folder / "taxonomies" / "b.csv").write_text("a"), "'taxonomies/b.csv'"),
        (lambda folder: (folder / ".hidden").write_text("a"), "'.hidden'"),
        (lambda folder: (folder / "1985-03-01 Ann HIV").mkdir(), "'1985-03-01 Ann HIV/'"),
        (lambda folder: (folder / "loop").symlink_to("."), "'loop'"),
        (lambda folder: os.mkfifo(folder / "pipe"), "'pipe'"),
        (lambda folder: (folder / "deep" / "er").mkdir(parents=True), "'deep/'"),
    ],
)
def test_what_nobody_named_is_a_breach_unless_it_is_allowed(
    tmp_path: Path, add: Callable[[Path], object], named: str
) -> None:
    folder = table(tmp_path / "release")
    assert verify_release(folder).notes == ()
    add(folder)
    verdict = verify_release(folder)
    assert [breach.kind for breach in verdict.breaches] == ["unnamed"]
    assert verdict.breaches[0].witnesses == (named,)
    allowed = verify_release(folder, allow_unnamed=True)
    assert allowed.holds and named in allowed.notes[0]
    assert cli.main(["verify", str(folder)]) == 1
    assert cli.main(["verify", "--allow-unnamed", str(folder)]) == 0


def test_a_breach_and_something_unnamed_are_both_told(tmp_path: Path) -> None:
    folder = table(tmp_path / "release", "1,x\n")
    for number in range(30):
        (folder / f"{number}").write_text("")
    verdict = verify_release(folder)
    assert [breach.kind for breach in verdict.breaches] == ["k-anonymity", "unnamed"]
    assert [len(breach.witnesses) for breach in verdict.breaches] == [1, 9]
    assert "30 things" in verdict.breaches[1].sentence


TABLE = pa.table({"a": ["1", "1"], "b": ["x", "y"]})


def in_footer(path: Path) -> None:
    with parquet.ParquetWriter(path, TABLE.schema, store_schema=False) as writer:
        writer.write_table(TABLE)
        writer.add_key_value_metadata({"original": "Ann;HIV\n" * 1000})


def by_pandas(path: Path) -> None:
    TABLE.to_pandas().to_parquet(path)


def by_arrow(path: Path) -> None:
    field = pa.field("a", pa.string(), metadata={"original": "Ann"})
    parquet.write_table(pa.table(TABLE.columns, schema=pa.schema([field, pa.field("b", pa.string())])), path)


def between(path: Path) -> None:
    """Bytes before the footer, which nothing refers to."""
    parquet.write_table(TABLE, path, store_schema=False)
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    path.write_bytes(content[:footer] + b"Ann;HIV\n" * 100 + content[footer:])


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (in_footer, "data.parquet: 8000 bytes of metadata under the key 'original'"),
        (by_pandas, "under the key 'pandas'"),
        (by_arrow, "under the key 'ARROW:schema'"),
        (between, "data.parquet: 800 bytes that belong to no column"),
    ],
)
def test_what_a_parquet_file_hides_is_a_breach_unless_it_is_allowed(
    tmp_path: Path, write: Callable[[Path], None], said: str
) -> None:
    folder = table(tmp_path / "release", data="data.parquet")
    write(folder / "data.parquet")
    verdict = verify_release(folder)
    assert [breach.kind for breach in verdict.breaches] == ["unnamed"]
    assert any(said in witness for witness in verdict.breaches[0].witnesses)
    assert verify_release(folder, allow_unnamed=True).holds


def test_a_parquet_file_without_rows_hides_nothing(tmp_path: Path) -> None:
    folder = table(tmp_path / "release", data="data.parquet")
    parquet.write_table(TABLE.slice(0, 0), folder / "data.parquet", store_schema=False)
    assert verify_release(folder).holds


@pytest.mark.parametrize("kind", ["table", "transactions"])
def test_a_release_in_parquet_hides_nothing(tmp_path: Path, kind: str) -> None:
    policy = small_demo(kind, tmp_path)
    settings = {"output.format": "parquet"}
    folder = discreet.publish(policy, tmp_path / "out", settings=settings).folder / "release"
    metadata = parquet.read_metadata(folder / "data.parquet")
    assert metadata.metadata is None and metadata.num_rows > 0
    assert verify_release(folder).notes == ()


# --- limits -------------------------------------------------------------------------------------------------


def empty_lists(path: Path, number: int, item: str | None = None) -> None:
    kind = pa.list_(pa.string())
    with parquet.ParquetWriter(path, pa.schema([("items", kind)]), compression="zstd", store_schema=False) as writer:
        for start in range(0, number, 5_000_000):
            size = min(5_000_000, number - start)
            lists = pa.ListArray.from_arrays(pa.array(np.zeros(size + 1, np.int32)), pa.array([], pa.string()))
            writer.write_table(pa.table({"items": lists}), row_group_size=size)


def test_few_bytes_that_unpack_to_many_lists(tmp_path: Path) -> None:
    folder = sets(tmp_path / "release", data="data.parquet", shape="parquet")
    empty_lists(folder / "data.parquet", MANY)
    assert (folder / "data.parquet").stat().st_size < 200_000
    refused(verified(folder), f"{MANY} transactions are more than the 20000000 that are allowed")


def test_lists_within_the_limits_are_counted_quickly(tmp_path: Path) -> None:
    folder = sets(tmp_path / "release", data="data.parquet", shape="parquet")
    empty_lists(folder / "data.parquet", 5_000_000)
    ran = verified(folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "5,000,000 transactions" in ran.stdout or "5000000 transactions" in ran.stdout


def test_few_bytes_that_unpack_to_many_rows(tmp_path: Path) -> None:
    folder = table(tmp_path / "release", data="data.parquet")
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2_000_000, np.int8)), pa.array(["1"]))
    rows = pa.table({"a": same, "b": same})
    with parquet.ParquetWriter(folder / "data.parquet", rows.schema, store_schema=False) as writer:
        for _ in range(2):
            writer.write_table(rows)
    refused(verified(folder, "--limits", "rows=1000000"), "4000000 rows are more than the 1000000 that are allowed")
    assert verified(folder).returncode == 0


def test_a_long_text_that_is_repeated_without_taking_space(tmp_path: Path) -> None:
    """A dictionary of one text of ten megabytes, and a million rows that refer to it: ten terabytes."""
    folder = table(tmp_path / "release", data="data.parquet")
    text = "x" * 10_000_000
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, np.int8)), pa.array([text]))
    other = pa.array(["y"] * 1_000_000)
    parquet.write_table(pa.table({"a": same, "b": other}), folder / "data.parquet", store_schema=False)
    refused(verified(folder), "megabytes are more than the 20000 that are allowed")


def test_a_chain_of_nodes_costs_no_more_than_its_labels(tmp_path: Path) -> None:
    """Every item has 8,000 nodes above it, which all say the same."""
    chain = ";".join(f"n{number}" for number in range(8_000))
    folder = sets(tmp_path / "release", "".join(f"{item};{chain}\n" for item in range(20)))
    rows = "".join(f"{number % 20} {(number * 7 + 1) % 20}\n" for number in range(20_000))
    (folder / "data.dat").write_text(rows, encoding="utf-8")
    ran = verified(folder)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_comb_of_nodes_is_refused(tmp_path: Path) -> None:
    """Every node of a long path has one more item: as many nodes above an item as the path is long."""
    number = 3_000
    path = [f"n{step}" for step in range(number)]
    rows = [f"i{step};{';'.join(path[step:])}" for step in range(number)]
    folder = sets(tmp_path / "release", "\n".join(rows) + "\n")
    items = " ".join(f"i{step}" for step in range(number))
    (folder / "data.dat").write_text(f"{items}\n{items} s\n{items}\n{items}\n" * 2, encoding="utf-8")
    refused(verified(folder, "--limits", "items=1000000"), "with the nodes above each item")


def test_pairs_of_nested_values_are_counted_and_not_listed() -> None:
    number = 20_000
    parents = {f"{place}": f"{place - 1}" if place else None for place in range(number)}
    found, pairs = nested_pairs(parents, set(parents), 10)
    assert found == number * (number - 1) // 2
    assert pairs == [("1", "0"), *(("10", f"{upper}") for upper in range(9, 0, -1))]


def test_a_taxonomy_that_many_columns_name_is_read_once(tmp_path: Path) -> None:
    key = {"role": "quasi-identifier", "taxonomy": "taxonomies/a.csv"}
    folder = table(tmp_path / "release", columns={f"c{number}": key for number in range(20_000)})
    (folder / "taxonomies" / "a.csv").write_text("".join(f"{leaf};*\n" for leaf in range(20_000)), encoding="utf-8")
    ran = verified(folder)
    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.parametrize("labels", ["ranges", "sets", "means"])
def test_a_taxonomy_that_many_labelled_columns_name_is_put_in_order_once(tmp_path: Path, labels: str) -> None:
    key = {"role": "quasi-identifier", "taxonomy": "taxonomies/a.csv", "labels": labels}
    columns = {f"c{number}": key for number in range(5_000)}
    folder = table(tmp_path / "release", columns=columns, recoding="local")
    (folder / "taxonomies" / "a.csv").write_text("".join(f"{leaf};*\n" for leaf in range(20_000)), encoding="utf-8")
    ran = verified(folder, "--limits", "seconds=30")
    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.parametrize("labels", ["ranges", "sets", "means"])
def test_a_leaf_of_more_digits_than_can_be_counted_with_is_no_number(tmp_path: Path, labels: str) -> None:
    rows = {"ranges": "1..2,x\n", "sets": '"{1, 2}",x\n', "means": "1.5,x\n"}[labels]
    key = {"role": "quasi-identifier", "taxonomy": "taxonomies/a.csv", "labels": labels}
    folder = table(tmp_path / "release", 2 * rows, columns={"a": key, "b": {"role": "class"}}, recoding="local")
    (folder / "taxonomies" / "a.csv").write_text(f"1;*\n2;*\n{'9' * 5000};*\n", encoding="utf-8")
    assert verify_release(folder).holds


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("rows=1", "data.csv: 2 rows are more than the 1 that are allowed"),
        ("labels=3", "taxonomies/a.csv: 4 labels are more than the 3 that are allowed"),
    ],
)
def test_every_limit_of_a_table_is_held(tmp_path: Path, limit: str, said: str) -> None:
    folder = table(tmp_path / "release")
    with pytest.raises(InputError, match=said):
        verify_release(folder, limits=ReleaseLimits.parse(limit))


@pytest.mark.parametrize("limit", ["transactions=3", "items=3", "labels=3"])
def test_every_limit_of_sets_is_held(tmp_path: Path, limit: str) -> None:
    folder = sets(tmp_path / "release")
    with pytest.raises(InputError, match=f"4 {limit.split('=')[0]} are more than the 3"):
        verify_release(folder, limits=ReleaseLimits.parse(limit))
    assert verify_release(folder, limits=ReleaseLimits.parse(limit.replace("3", "9"))).holds


def test_the_size_of_all_files_is_limited(tmp_path: Path) -> None:
    folder = table(tmp_path / "release")
    with (folder / "data.csv").open("r+b") as file:
        file.truncate(3 << 30)  # a hole, which takes no space
    refused(verified(folder, "--limits", "megabytes=1000"), "megabytes are more than the 1000 that are allowed")
    refused(verified(folder), "a line is longer than")


def test_a_certificate_is_limited(tmp_path: Path) -> None:
    folder = table(tmp_path / "release")
    with (folder / "certificate.json").open("r+b") as file:
        file.truncate(100 << 20)
    refused(verified(folder), "a certificate of more than 64 megabytes is not read")


def test_time_is_limited(tmp_path: Path) -> None:
    """Every set of eighteen items once: no bound settles what is known of up to seventeen of them, all is searched."""
    folder = sets(
        tmp_path / "release",
        "".join(f"{item};*\n" for item in range(18)),
        promise=[{"model": "km-anonymity", "k": 2, "m": 17}],
    )
    every = (" ".join(f"{item}" for item in range(18) if subset >> item & 1) for subset in range(1 << 18))
    (folder / "data.dat").write_text("\n".join(every) + "\n", encoding="utf-8")
    refused(verified(folder, "--limits", "seconds=1"), "stopped after 1 seconds")


def test_memory_is_limited(tmp_path: Path) -> None:
    folder = sets(tmp_path / "release", "".join(f"{item};*\n" for item in range(10)))
    (folder / "data.dat").write_text("1 2 3 4 5 6 7 8 9\n" * 1_000_000, encoding="utf-8")
    refused(verified(folder, "--limits", "memory=700"), "memory")


def test_limits_of_a_process_end_with_the_check() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with bounded(ReleaseLimits(seconds=100, memory=1 << 20)):
        assert resource.getrlimit(resource.RLIMIT_AS) != before
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    with pytest.raises(InputError, match="stopped after 1 seconds"), bounded(ReleaseLimits(seconds=1)):
        while True:
            pass


def test_the_help_states_every_limit(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["verify", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    for each in fields(ReleaseLimits):
        assert f"{each.name}={each.default}" in said


@pytest.mark.parametrize("given", ["rows", "rows=", "rows=0", "rows=-1", "rows=1e6", "cells=3", "", "rows=1,"])
def test_a_limit_that_is_none_gets_a_sentence(tmp_path: Path, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", str(table(tmp_path / "release")), "--limits", given]) == 2
    assert "--limits" in capsys.readouterr().err


def test_so_many_columns_are_not_read(tmp_path: Path) -> None:
    folder = table(tmp_path / "release")
    (folder / "data.csv").write_text(",".join(f"c{place}" for place in range(200_000)) + "\n", encoding="utf-8")
    refused(verified(folder), f"only one of up to {published.MOST_COLUMNS}")
