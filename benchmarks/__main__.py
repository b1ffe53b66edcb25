"""Runs the tables asked for, prints them, and keeps them in benchmarks/results."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from benchmarks import ablation, grid, publish, scaling, steward
from benchmarks.machine import machine
from benchmarks.markdown import replace_section
from benchmarks.sources import Source, adult, is_adult, shipped
from discreet.search.table.warm_up import warm_up

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
README = HERE / "README.md"
DATA = Path(os.environ.get("DISCREET_DATA", HERE.parents[1] / "shared" / "data"))

TABLES: dict[str, Callable[[Source, bool], str]] = {
    "grid": grid.run,
    "ablation": ablation.run,
    "scaling": scaling.run,
    "publish": publish.run,
    "steward": steward.run,
}
QUICK_ROWS = 500


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="table", help=f"{', '.join(TABLES)} (default: all of them)")
    parser.add_argument("--quick", action="store_true", help="a small sample: to see that it runs, not how fast")
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR", help=f"holds adult/ (default: {DATA})")
    parser.add_argument(
        "--update-readme",
        type=Path,
        nargs="?",
        const=README,
        metavar="FILE",
        help="put the tables between their markers in FILE (default: benchmarks/README.md)",
    )
    wanted = parser.parse_args()
    unknown = [name for name in wanted.tables if name not in TABLES]
    if unknown:
        parser.error(f"there is no table {unknown[0]!r}; the tables are {', '.join(TABLES)}")

    if is_adult(wanted.data):
        source = adult(wanted.data)
    else:
        source = shipped()
        print(f"There is no adult/ in {wanted.data}: this runs on the table that ships with discreet instead.")
        print("Point to the data with --data DIR or the environment variable DISCREET_DATA.\n")
    if wanted.quick:
        source = source.thinned(QUICK_ROWS)
    warm_up()
    # Always in the same order, the grid first: the peak of memory it reports is then its own.
    for name in [name for name in TABLES if name in wanted.tables or not wanted.tables]:
        text = f"{TABLES[name](source, wanted.quick)}\n\n{source.description}; {machine()}."
        print(f"## {name}\n\n{text}\n", flush=True)
        if not wanted.quick:
            RESULTS.mkdir(exist_ok=True)
            (RESULTS / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
        if wanted.update_readme:
            replace_section(wanted.update_readme, name, text)


if __name__ == "__main__":
    main()
