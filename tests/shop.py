"""A shop's baskets in every shape that transactions can have, and the command line to publish them with."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

import pages.baskets
from discreet.cli import main

# In a .dat file a blank ends an item.
TAXONOMY = pages.baskets.TAXONOMY.replace(" ", "-")
BASKETS: Sequence[Sequence[str]] = tuple([item.replace(" ", "-") for item in items] for items in pages.baskets.BASKETS)
METHODS = tuple(pages.baskets.PROMISES)
FILES = {
    "dat": "baskets.dat",
    "dat.gz": "baskets.dat.gz",
    "dat.zst": "baskets.dat.zst",
    "long": "long.csv",
    "long.gz": "long.csv.gz",
    "basket": "baskets.csv",
    "basket.zst": "baskets.csv.zst",
    "parquet": "baskets.parquet",
}
"""what is written -> the name of its file"""


@dataclass(frozen=True)
class Ran:
    """One run of the command line."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """What it says, whatever the line breaks."""
        return " ".join((self.out + self.err).split())


def command(*arguments: object) -> Ran:
    """Runs the command line in this process; that it compiles on a new machine is another test's matter."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    lines = [line for line in err.getvalue().splitlines(keepends=True) if not line.startswith("Compiling the search")]
    return Ran(code, out.getvalue(), "".join(lines))


def write_baskets(folder: Path, written: str = "dat", baskets: Sequence[Sequence[str]] = BASKETS) -> Path:
    """The baskets in a file of one of the `FILES`."""
    path = folder / FILES[written]
    shape, _, compression = written.partition(".")
    if shape == "parquet":
        parquet.write_table(pa.table({"bought": pa.array([list(b) for b in baskets], pa.list_(pa.string()))}), path)
        return path
    if shape == "long":
        rows = [f"{name},{item}\n" for name, items in enumerate(baskets, start=1001) for item in items or [""]]
        text = "transaction,item\n" + "".join(rows)
    else:
        text = "".join({"dat": " ", "basket": ","}[shape].join(items) + "\n" for items in baskets)
    with pa.output_stream(str(path), compression={"": None, "gz": "gzip", "zst": "zstd"}[compression]) as file:
        file.write(text.encode())
    return path


def write_policy(folder: Path, method: str = "og", written: str = "dat", **others: Any) -> Path:
    """A policy for the baskets in a file, with them and their taxonomy beside it; others: more keys of the policy."""
    path = write_baskets(folder, written)
    (folder / "items.csv").write_text(TAXONOMY, encoding="utf-8")
    separator = {"separator": ","} if written.startswith("basket") else {}
    policy = {
        "data": {"kind": "transactions", "path": path.name, **separator},
        "taxonomy": "items.csv",
        "sensitive": ["Viagra"],
        "privacy": dict(pages.baskets.PROMISES[method]),
        "search": {"method": method},
        **others,
    }
    (folder / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
    return folder / "policy.yaml"


def document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def result_of(out: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = document(out / "steward" / "result.json")
    return found


def everything(folder: Path) -> set[str]:
    """All files and folders, hidden ones too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def released(out: Path) -> list[tuple[str, ...]]:
    """The published transactions as any reader finds them, in the order of the file; without their groups."""
    release = out / "release"
    certificate = document(release / "certificate.json")
    path = release / certificate["data"]
    if certificate["shape"] == "parquet":
        return [tuple(items) for items in parquet.read_table(path).column(0).to_pylist()]
    lines = path.read_text(encoding="utf-8").splitlines()
    if certificate["shape"] in ("dat", "basket"):
        return [tuple(line.split(certificate.get("separator", " "))) if line else () for line in lines]
    found: dict[str, list[str]] = {}
    for line in lines[1:]:
        *_, name, item = line.split(",")
        found.setdefault(name, []).extend([item] if item else [])
    return [tuple(items) for items in found.values()]
