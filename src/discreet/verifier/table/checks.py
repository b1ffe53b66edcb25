"""Verifying a published table.

A *partition* is the set of records with one sequence of published quasi-identifier values (Definition 3.1).
That is a group of equal rows only if no published value lies above another one of its column: a person
whose value is `Junior` may otherwise be among the rows of `Junior` and among those of `Secondary`. So this
*domain exclusiveness* is checked with every promise, where the certificate says that values were recoded globally.

With local recoding groups may overlap. Somebody who fits several groups is then one of all their records: there are at
least as many as in each, and the share of a value is no larger than the largest in the groups. So what holds for every
group of equal rows holds for what anybody can find.

Rows are counted by an engine in groups; what comes here are the published values of each column that its taxonomy
knows, and the witnesses. The promises are in `promises`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from discreet.engine.published import PublishedGroups, PublishedTable, published_table
from discreet.verifier.certificate import (
    NAME,
    NEEDED_KEYS,
    OPTIONAL_KEYS,
    Certificate,
    only_keys,
    sequence,
)
from discreet.verifier.table.claims import Columns, read_columns
from discreet.verifier.table.promises import read_promises
from discreet.verifier.taxonomy import nested_pairs
from discreet.verifier.verdict import MOST_WITNESSES, Breach, Verdict, counted, shown, within_witness_limit

NOTES = {
    "local": "The certificate says that values were recoded group by group, so published values may lie above one "
    "another, and a person may fit several groups; what was checked of every group holds of all of them together.",
    "synthetic": "The certificate says that the rows were made up; the promise was checked of them as of records.",
}
"""Recoding -> what to know about a verdict."""


def verify_table(certificate: Certificate, promise: Sequence[object] | None = None) -> Verdict:
    """Check a published table against its certificate, or against `promise` in place of the stated one."""
    only_keys(certificate.entries, NEEDED_KEYS | {"columns"}, NAME, OPTIONAL_KEYS | {"recoding"})
    columns = read_columns(certificate)
    promises = read_promises(certificate.promise, columns, f"{NAME}: promise")
    if promise is not None:
        promises = read_promises(sequence(promise, "promise"), columns, "promise")
    notes = [NOTES[columns.recoding]] if columns.recoding in NOTES else []
    rows = partitions = 0
    hollow = "Every table keeps this promise." if all(each.says_nothing for each in promises) else None
    with published_table(certificate.data, escaped=certificate.escaped) as table:
        certificate.limits.allow("rows", table.rows, table.name)
        certificate.limits.allow("megabytes", table.bytes >> 20, table.name)
        breaches = list(_column_breaches(columns, table))
        times = Counter(table.columns)
        if all(times[column] == 1 for column in columns.counted):
            second = table.recount(columns.quasi_identifiers, columns.sensitive)
            certificate.limits.allow("megabytes", second.bytes >> 20, table.name)
            groups = table.groups(columns.quasi_identifiers, columns.sensitive, second)
            rows, partitions = groups.rows, groups.groups
            breaches += _taxonomy_breaches(groups, columns)
            for each in promises:
                breaches += each.breaches(groups, columns)
            if rows == 0:
                hollow = "The release has no rows."
        else:
            notes.append("Partitions were not counted: not all of the columns that make them are there exactly once.")
    return Verdict(
        holds=not breaches,
        promise=tuple(map(str, promises)),
        rows=rows,
        partitions=partitions,
        breaches=within_witness_limit(breaches),
        notes=tuple(notes),
        hollow=hollow,
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
    counts = Counter(column for column in table.columns if columns.roles.get(column) != "identifier")
    faults = [
        *(f"{column!r} is missing" for column in sorted(promised - counts.keys())),
        *(f"{column!r} is not in the certificate" for column in counts if column not in promised),
        *(f"{column!r} occurs {number} times" for column, number in counts.items() if number > 1),
    ]
    if faults:
        yield Breach("columns", f"The columns of {table.name} are not the certificate's.", tuple(faults))


def _taxonomy_breaches(groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
    """Every published value is a node of its column's taxonomy, and with global recoding none lies above another."""
    for place, (column, parents) in enumerate(columns.taxonomies.items()):
        published = set()
        strangers = 0
        witnesses: list[str] = []
        for value, number in groups.values(place):
            if value in parents:
                published.add(value)
                continue
            strangers += 1
            if len(witnesses) < MOST_WITNESSES:
                witnesses.append(f"{column!r}: {shown(value)} in {counted(number, 'row')}")
        if strangers:
            yield Breach(
                "taxonomy",
                f"Column {column!r}: {counted(strangers, 'published value')} not in its taxonomy.",
                tuple(witnesses),
            )
        if columns.recoding != "global":
            continue
        nested, pairs = nested_pairs(parents, published, MOST_WITNESSES)
        if nested:
            yield Breach(
                "exclusiveness",
                f"Column {column!r}: {counted(nested, 'published value pair')} in which one lies above "
                "the other, so a person may be in more than one group of equal rows.",
                tuple(f"{column!r}: {shown(upper)} lies above {shown(lower)}" for lower, upper in pairs),
            )
