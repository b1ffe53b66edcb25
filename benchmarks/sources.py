"""The data to measure on: Adult where it is at hand, else the table that ships with discreet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

import discreet
from discreet.commands.workspace import workspace
from discreet.encode.table import EncodedTable, encode_table
from discreet.engine.sql_text import quoted
from discreet.policy import TablePolicy
from discreet.read.table import load_table

SHIPPED = Path(discreet.__file__).parent / "demo" / "table" / "policy.yaml"
ADULT_FILE = "adult_clean_45222.csv.zst"
ADULT_TAXONOMIES = ("education", "native-country", "workclass", "marital-status", "sex", "race")


@dataclass(frozen=True, eq=False)
class Source:
    """A table as its policy and as the searches see it."""

    name: str
    policy: TablePolicy
    plain: EncodedTable
    classified: EncodedTable
    """the same with the class: for cm"""
    is_whole_adult: bool
    """are the published optima those of this table?"""

    @property
    def description(self) -> str:
        return f"{self.name}, {self.plain.rows:,} rows, {len(self.plain.counts):,} distinct combinations"

    def table(self, loss: str) -> EncodedTable:
        """What a search with this loss sees."""
        return self.classified if loss == "cm" else self.plain

    def thinned(self, rows: int) -> Source:
        """The same with a sample of the rows."""
        return replace(
            self,
            name=f"a quick look at a sample of {self.name}",
            plain=thinned(self.plain, rows),
            classified=thinned(self.classified, rows),
            is_whole_adult=False,
        )


def is_adult(data: Path) -> bool:
    return (data / "adult" / ADULT_FILE).is_file()


def adult(data: Path) -> Source:
    """Adult with the seven quasi-identifiers of the thesis."""
    ages = {"intervals": [5, 10, 20, 40], "start": 17, "end": 97, "leaves": "intervals"}
    files = {name: f"taxonomies/{name}.csv" for name in ADULT_TAXONOMIES}
    quasi = {
        name: {"role": "quasi-identifier", "taxonomy": taxonomy} for name, taxonomy in {"age": ages, **files}.items()
    }
    policy = TablePolicy.parse(
        {
            "data": {"path": ADULT_FILE},
            "attributes": {**quasi, "occupation": {"role": "sensitive"}, "income": {"role": "class"}},
            "privacy": {"model": "l-diversity", "l": 4},
        },
        (data / "adult").resolve(),
    )
    return _read("Adult", policy, is_whole_adult=True)


def shipped() -> Source:
    return _read("the patients that ship with discreet", TablePolicy.load(SHIPPED), is_whole_adult=False)


def rows_of(policy: TablePolicy) -> duckdb.DuckDBPyConnection:
    """The rows of a policy's data, as text, as the table `original` of a database."""
    # Joins as they are written, so that a sample has its rows in the order in which they are drawn.
    database = duckdb.connect(config={"disabled_optimizers": "join_order,build_side_probe_side"})
    reading = "CREATE TABLE original AS SELECT * FROM read_csv(?, all_varchar = true, header = true)"
    database.execute(reading, [str(policy.data.path)])
    return database


def write_columns(policy: TablePolicy, path: Path, rows: int | None = None) -> None:
    """The columns of a policy's data that it gives a role, as CSV; rows: only the first ones."""
    columns = ", ".join(map(quoted, policy.attributes))
    first = "" if rows is None else f" LIMIT {rows}"
    with rows_of(policy) as database:
        database.execute(f"COPY (SELECT {columns} FROM original{first}) TO '{path}' (FORMAT csv, HEADER)")


def _read(name: str, policy: TablePolicy, *, is_whole_adult: bool) -> Source:
    with workspace() as engine:
        load_table(engine, policy.data.path)
        classified = encode_table(engine, policy, engine.columns()).collapsed().table
    return Source(name, policy, _in_order(classified.without_class()), _in_order(classified), is_whole_adult)


def _in_order(table: EncodedTable) -> EncodedTable:
    """The same combinations in an order that does not change from run to run, so that seeded draws do not either."""
    order = np.lexsort((table.classes, table.sensitive, *table.leaves))
    return selected(table, order, table.counts[order])


def selected(table: EncodedTable, combinations: npt.NDArray[np.intp], counts: npt.NDArray[np.int64]) -> EncodedTable:
    """Some combinations of a table, with other counts."""
    return replace(
        table,
        leaves=np.ascontiguousarray(table.leaves[:, combinations]),
        sensitive=table.sensitive[combinations],
        classes=table.classes[combinations],
        counts=counts,
    )


def thinned(table: EncodedTable, rows: int) -> EncodedTable:
    """A sample without replacement."""
    counts = np.random.default_rng(0).multivariate_hypergeometric(table.counts, rows, method="marginals")
    drawn = np.flatnonzero(counts)
    return selected(table, drawn, counts[drawn])
