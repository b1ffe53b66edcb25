"""Runs the tables asked for, prints them, and keeps them in benchmarks/results."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks import (
    ablation,
    grid,
    local,
    publish,
    rho,
    rho_figures,
    scaling,
    schemes,
    sets,
    sets_figures,
    sets_pruning,
    steward,
    textbook,
)
from benchmarks.findings import Findings
from benchmarks.machine import machine
from benchmarks.markdown import replace_section
from benchmarks.sources import Source, adult, is_adult, shipped
from discreet.search.table.warm_up import warm_up_method

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
    "schemes": schemes.run,
    "textbook": textbook.run,
    "local": local.run,
}
SET_TABLES: dict[str, Callable[[Path, bool], Findings]] = {
    "sets": sets.run,
    "sets_scaling": sets.scaling,
    "sets_printed": sets_pruning.printed,
    "sets_ablation": sets_pruning.ablation,
    "sets_loss": sets_figures.loss,
    "sets_patterns": sets_figures.patterns,
    "sets_general": sets_figures.general,
    "rho": rho.losses,
    "rho_synthetic": rho.synthetic,
    "rho_curve": rho_figures.curve,
    "rho_cutoff": rho_figures.cutoff,
    "rho_scaling": rho_figures.scaling,
    "rho_knobs": rho_figures.knobs,
    "rho_permutation": rho_figures.permuted,
}
"""About transactions; the others are about a table."""
NAMES = (*TABLES, *SET_TABLES)
QUICK_ROWS = 500


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="table", help=f"{', '.join(NAMES)} (default: all of them)")
    parser.add_argument("--quick", action="store_true", help="a small sample: to see that it runs, not how fast")
    parser.add_argument(
        "--data", type=Path, default=DATA, metavar="DIR", help=f"holds adult/, retail/ and so on (default: {DATA})"
    )
    parser.add_argument(
        "--update-readme",
        type=Path,
        nargs="?",
        const=README,
        metavar="FILE",
        help="put the tables between their markers in FILE (default: benchmarks/README.md)",
    )
    wanted = parser.parse_args()
    unknown = [name for name in wanted.tables if name not in NAMES]
    if unknown:
        parser.error(f"there is no table {unknown[0]!r}; the tables are {', '.join(NAMES)}")
    # Always in the same order, the grid first: the peak of memory it reports is then its own.
    names = [name for name in NAMES if name in wanted.tables or not wanted.tables]

    source = _source(wanted.data, wanted.quick) if any(name in TABLES for name in names) else None
    for name in names:
        if source is not None and name in TABLES:
            findings = Findings(f"{TABLES[name](source, wanted.quick)}\n\n{source.description}; {machine()}.")
        else:
            found = SET_TABLES[name](wanted.data, wanted.quick)
            findings = replace(found, text=f"{found.text}\n\n{machine()}.")
        print(f"## {name}\n\n{findings.text}\n", flush=True)
        if not wanted.quick:
            RESULTS.mkdir(exist_ok=True)
            findings.keep(RESULTS, name)
        if wanted.update_readme:
            replace_section(wanted.update_readme, name, findings.text)
            findings.show(wanted.update_readme, name)


def _source(data: Path, quick: bool) -> Source:
    """The table, with all that is compiled ready."""
    if is_adult(data):
        source = adult(data)
    else:
        source = shipped()
        print(f"There is no adult/ in {data}: this runs on the table that ships with discreet instead.")
        print("Point to the data with --data DIR or the environment variable DISCREET_DATA.\n")
    warm_up_method()
    return source.thinned(QUICK_ROWS) if quick else source


if __name__ == "__main__":
    main()
