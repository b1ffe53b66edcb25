"""Verifying a published table.

A *partition* is the set of records with one sequence of published quasi-identifier values (Definition 3.1).
That is a group of equal rows only if no published value lies above another one of its column: a person
whose value is `Junior` may otherwise be among the rows of `Junior` and among those of `Secondary`. So this
*domain exclusiveness* is checked with every promise.

The promises, on every partition of n rows:

- l+-diversity: a sensitive value with threshold p/q that shows in m of the rows keeps m * q <= p * n;
- l-diversity: the same with 1/l for every value;
- k-anonymity: n >= k.

A suppressed value `*` counts in n and is itself no sensitive value. Missing is a value as any other.

Rows are grouped in DuckDB, which spills to disk, so memory does not grow with the rows; what comes to
Python are the published values of each column that its taxonomy knows, and the witnesses.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import duckdb

from discreet.verify.certificate import (
    NAME,
    NEEDED_KEYS,
    OPTIONAL_KEYS,
    Certificate,
    only_keys,
    sequence,
    unnamed_files,
)
from discreet.verify.claims import (
    SUPPRESSED,
    Anonymity,
    Columns,
    Diversity,
    Promise,
    read_columns,
    read_promises,
)
from discreet.verify.published import PublishedTable, open_table, reading, workbench
from discreet.verify.taxonomy import nested_pairs
from discreet.verify.verdict import (
    MOST_WITNESSES,
    Breach,
    Verdict,
    counted,
    shown,
    within_witness_limit,
)


def verify_table(certificate: Certificate, promise: Sequence[object] | None = None) -> Verdict:
    """Check a published table against its certificate, or against `promise` in place of the stated one."""
    only_keys(certificate.entries, NEEDED_KEYS | {"columns"}, NAME, OPTIONAL_KEYS)
    columns = read_columns(certificate)
    promises = read_promises(certificate.promise, columns, f"{NAME}: promise")
    if promise is not None:
        promises = read_promises(sequence(promise, "promise"), columns, "promise")
    notes = list(unnamed_files(certificate, columns.files))
    rows = partitions = 0
    with workbench() as database:
        table = open_table(database, certificate.data, escaped=certificate.escaped)
        breaches = list(_column_breaches(columns, table))
        if all(table.columns.count(column) == 1 for column in columns.counted):
            with reading(table.name):
                _count(database, table, columns)
            rows, partitions = _totals(database)
            table.make_sure_of(rows)
            breaches += _taxonomy_breaches(database, columns)
            for each in promises:
                breaches += _promise_breaches(database, each, columns)
            if rows == 0:
                notes.append("The release has no rows: it keeps every such promise vacuously.")
        else:
            notes.append("Partitions were not counted: the columns that make them are not all there once.")
    return Verdict(
        holds=not breaches,
        promise=tuple(map(str, promises)),
        rows=rows,
        partitions=partitions,
        breaches=within_witness_limit(breaches),
        notes=tuple(notes),
    )


def _column_breaches(columns: Columns, table: PublishedTable) -> Iterator[Breach]:
    """The published columns are the certificate's, each once, without the identifiers."""
    identifiers = [column for column in table.columns if columns.roles.get(column) == "identifier"]
    if identifiers:
        yield Breach(
            "identifier",
            f"{table.name} holds {counted(len(identifiers), 'identifying column')}.",
            tuple(f"the identifier {column!r} is published" for column in identifiers),
        )
    promised = {column for column, role in columns.roles.items() if role != "identifier"}
    counts = Counter(column for column in table.columns if column not in identifiers)
    faults = [
        *(f"{column!r} is missing" for column in sorted(promised - counts.keys())),
        *(f"{column!r} is not in the certificate" for column in counts if column not in promised),
        *(f"{column!r} stands {number} times" for column, number in counts.items() if number > 1),
    ]
    if faults:
        yield Breach("columns", f"The columns of {table.name} are not the certificate's.", tuple(faults))


def _count(database: duckdb.DuckDBPyConnection, table: PublishedTable, columns: Columns) -> None:
    """One pass over the file: rows per (quasi-identifiers, sensitive value), then rows per partition."""
    cells = [f"{table.cell(column)} AS q{place}" for place, column in enumerate(columns.quasi_identifiers)]
    # A table without a sensitive column is one in which every sensitive value is suppressed.
    sensitive = f"'{SUPPRESSED}'" if columns.sensitive is None else table.cell(columns.sensitive)
    database.execute(
        f"CREATE TEMP TABLE counts AS SELECT {', '.join(cells)}, {sensitive} AS value, "
        f"count(*) AS number FROM {table.source} GROUP BY ALL"
    )
    database.execute(
        f"CREATE TEMP TABLE partitions AS SELECT {_names(columns)}, sum(number) AS size "
        f"FROM counts GROUP BY {_names(columns)}"
    )


def _names(columns: Columns) -> str:
    return ", ".join(f"q{place}" for place in range(len(columns.quasi_identifiers)))


def _totals(database: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    ((rows, partitions),) = database.execute("SELECT sum(size), count(*) FROM partitions").fetchall()
    return int(rows or 0), partitions


def _taxonomy_breaches(database: duckdb.DuckDBPyConnection, columns: Columns) -> Iterator[Breach]:
    """Every published value is a node of its column's taxonomy, and none lies above another."""
    for place, (column, parents) in enumerate(columns.taxonomies.items()):
        cells = database.execute(f"SELECT q{place}, sum(size) FROM partitions GROUP BY 1")
        published = set()
        strangers = 0
        witnesses: list[str] = []
        while batch := cells.fetchmany(10_000):
            for value, number in batch:
                if value in parents:
                    published.add(value)
                    continue
                strangers += 1
                if len(witnesses) < MOST_WITNESSES:
                    witnesses.append(f"{column!r}: {shown(value)} in {counted(int(number), 'row')}")
        if strangers:
            yield Breach(
                "taxonomy",
                f"Column {column!r}: {counted(strangers, 'published value')} not in its taxonomy.",
                tuple(witnesses),
            )
        pairs = list(nested_pairs(parents, published))
        if pairs:
            yield Breach(
                "exclusiveness",
                f"Column {column!r}: {counted(len(pairs), 'published value pair')} in which one lies above "
                "the other, so a person may be in more than one group of equal rows.",
                tuple(
                    f"{column!r}: {shown(upper)} lies above {shown(lower)}" for lower, upper in pairs[:MOST_WITNESSES]
                ),
            )


def _promise_breaches(database: duckdb.DuckDBPyConnection, promise: Promise, columns: Columns) -> Iterator[Breach]:
    if isinstance(promise, Anonymity):
        yield from _anonymity_breaches(database, promise, columns)
    else:
        yield from _diversity_breaches(database, promise, columns)


def _anonymity_breaches(database: duckdb.DuckDBPyConnection, promise: Anonymity, columns: Columns) -> Iterator[Breach]:
    small = f"FROM partitions WHERE size < {promise.k}"
    ((number,),) = database.execute(f"SELECT count(*) {small}").fetchall()
    if number:
        names = _names(columns)
        found = database.execute(f"SELECT size, {names} {small} ORDER BY size, {names} LIMIT {MOST_WITNESSES}")
        yield Breach(
            promise.model,
            f"{counted(number, 'partition')} with fewer than {counted(promise.k, 'row')}.",
            tuple(
                f"partition {_partition(columns, values)}: {counted(int(size), 'row')}, fewer than {promise.k}"
                for size, *values in found.fetchall()
            ),
        )


def _diversity_breaches(database: duckdb.DuckDBPyConnection, promise: Diversity, columns: Columns) -> Iterator[Breach]:
    visible = f"SELECT * FROM counts WHERE value <> '{SUPPRESSED}'"
    if isinstance(promise.thresholds, Fraction):
        p, q = promise.thresholds.as_integer_ratio()
        thresholds = f"(SELECT DISTINCT value, {p} AS p, {q} AS q FROM counts)"
    else:
        thresholds = "thresholds"
        database.execute(
            "CREATE OR REPLACE TEMP TABLE thresholds AS SELECT unnest(?::VARCHAR[]) AS value, "
            "unnest(?::BIGINT[]) AS p, unnest(?::BIGINT[]) AS q",
            [
                list(promise.thresholds),
                [bound.numerator for bound in promise.thresholds.values()],
                [bound.denominator for bound in promise.thresholds.values()],
            ],
        )
        yield from _unbounded_values(database, visible)
    broken = (
        f"FROM ({visible}) NATURAL JOIN partitions JOIN {thresholds} USING (value) "
        "WHERE number::HUGEINT * q > p * size::HUGEINT"
    )
    ((number,),) = database.execute(f"SELECT count(*) {broken}").fetchall()
    if number:
        names = _names(columns)
        found = database.execute(
            f"SELECT value, number, size, p, q, {names} {broken} ORDER BY {names}, value LIMIT {MOST_WITNESSES}"
        )
        yield Breach(
            promise.model,
            f"{counted(number, 'time')} a sensitive value has more of a partition than its threshold.",
            tuple(
                f"partition {_partition(columns, values)} of {counted(int(size), 'row')}: {shown(value)} in "
                f"{times}, more than {Fraction(p, q)} of them"
                for value, times, size, p, q, *values in found.fetchall()
            ),
        )


def _unbounded_values(database: duckdb.DuckDBPyConnection, visible: str) -> Iterator[Breach]:
    """A visible sensitive value without a threshold: nothing was promised of it, so nothing holds."""
    unbounded = f"FROM ({visible}) ANTI JOIN thresholds USING (value)"
    ((number,),) = database.execute(f"SELECT count(DISTINCT value) {unbounded}").fetchall()
    if number:
        found = database.execute(
            f"SELECT value, sum(number) {unbounded} GROUP BY value ORDER BY value LIMIT {MOST_WITNESSES}"
        )
        yield Breach(
            "threshold",
            f"{counted(number, 'visible sensitive value')} without a threshold.",
            tuple(
                f"{shown(value)} in {counted(int(rows), 'row')} has no threshold" for value, rows in found.fetchall()
            ),
        )


def _partition(columns: Columns, values: Sequence[str]) -> str:
    cells = zip(columns.quasi_identifiers, values, strict=True)
    return "(" + ", ".join(f"{column!r}: {shown(value)}" for column, value in cells) + ")"
