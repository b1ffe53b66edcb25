"""Verifying a published table.

A *partition* is the set of records with one sequence of published quasi-identifier values (Definition 3.1).
That is a group of equal rows only if no published value lies above another one of its column: a person
whose value is `Junior` may otherwise be among the rows of `Junior` and among those of `Secondary`. So this
*domain exclusiveness* is checked with every promise, where the certificate says that values were recoded globally.

With local recoding groups may overlap. Somebody who fits several groups is then one of all their records: there are at
least as many as in each, and the share of a value is no larger than the largest in the groups. So what holds for every
group of equal rows holds for what anybody can find.

Where a column tells by a pseudonym whose row each is, partitions consist of people and not of rows: one of n people may
be behind each row, however many rows they have. Somebody whose rows are in two partitions would be counted in both, and
their pseudonym would tell which rows of the two belong together; so nobody may be.

Rows are counted by an engine in groups; what comes here are the published values of each column that its taxonomy
knows, and the witnesses. The promises are in `promises`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from discreet.engine.published import PublishedGroups, PublishedTable, published_table
from discreet.errors import InputError
from discreet.verifier.certificate import (
    NAME,
    NEEDED_KEYS,
    OPTIONAL_KEYS,
    Certificate,
    mapping,
    only_keys,
    sequence,
)
from discreet.verifier.limits import ReleaseLimits
from discreet.verifier.table.claims import SUPPRESSED, Columns, read_columns, read_roles, the_person
from discreet.verifier.table.labels import LABELS
from discreet.verifier.table.promises import TablePromise, read_promises
from discreet.verifier.taxonomy import Parents, nested_pairs
from discreet.verifier.verdict import MOST_WITNESSES, Breach, Verdict, counted, shown, some, within_witness_limit

NOTES = {
    "local": "The certificate says that values were recoded group by group, so published values may lie above one "
    "another, and a person may fit several groups; what was checked of every group holds of all of them together.",
    "synthetic": "The certificate says that the rows were made up; what can be checked was checked of them as of "
    "records.",
}
"""Recoding -> what to know about a verdict."""
SPLIT = (
    "The certificate says that records which are alike were sent to different groups for their sensitive values. What "
    "was checked holds for whoever takes the records of a group for exchangeable. Somebody who knows how many people "
    "are alike may conclude more from how many of them are not with the others."
)
NO_TAXONOMIES = (
    "There is no certificate, so it was not checked where the values come from; what was checked is every group of "
    "equal rows, with * as a suppressed sensitive value."
)


def verify_table(certificate: Certificate, promise: Sequence[object] | None = None) -> Verdict:
    """Check a published table against its certificate, or against `promise` in place of the stated one."""
    only_keys(certificate.entries, NEEDED_KEYS | {"columns"}, NAME, OPTIONAL_KEYS | {"recoding"})
    columns = read_columns(certificate)
    promises = read_promises(certificate.promise, columns, f"{NAME}: promise")
    if promise is not None:
        promises = read_promises(sequence(promise, "promise"), columns, "promise")
    notes = [NOTES[columns.recoding]] if columns.recoding in NOTES else []
    if mapping(certificate.entries.get("method", {}), f"{NAME}: method").get("split", False) is not False:
        notes.append(SPLIT)
    with published_table(certificate.data, escaped=certificate.escaped) as table:
        return _checked(table, columns, promises, certificate.limits, notes)


def verify_table_file(path: Path, claims: Mapping[str, object], limits: ReleaseLimits) -> Verdict:
    """Check a table that nobody certified against claims: its `columns` with their roles, and a `promise`.

    There are no taxonomies to look values up in, so nothing is known of values that lie above one another; what holds
    of every group of equal rows holds of overlapping ones too, as with local recoding.
    """
    roles = read_roles(claims["columns"], "columns")
    with published_table(path) as table:
        columns, notes = _columns_there(roles, table)
        promises = read_promises(sequence(claims["promise"], "promise"), columns, "promise")
        return _checked(table, columns, promises, limits, notes)


def _columns_there(roles: Mapping[str, str], table: PublishedTable) -> tuple[Columns, list[str]]:
    """The columns of a table that have a role, and what to know of it; one without a role is an error."""
    if strangers := [column for column in table.columns if column not in roles]:
        raise InputError(
            f"{table.name}: the policy says nothing of the {'column' if len(strangers) == 1 else 'columns'} "
            f"{some(list(map(repr, strangers)))}; give every column a role."
        )
    there = {column: role for column, role in roles.items() if column in table.columns}
    keys = [column for column, role in there.items() if role == "quasi-identifier"]
    if not keys:
        raise InputError(f"{table.name}: none of its columns is a quasi-identifier, so there are no groups to check.")
    left_out = [column for column, role in roles.items() if role != "identifier" and column not in there]
    notes = [NO_TAXONOMIES]
    if left_out:
        notes.append(f"Not in the table, so nobody learns anything by it: {some(list(map(repr, left_out)))}.")
    sensitive: dict[str, Parents | None] = {column: None for column, role in there.items() if role == "sensitive"}
    keyed: dict[str, Parents] = {column: {} for column in keys}
    return Columns(there, keyed, sensitive, "local", person=the_person(there, "columns")), notes


def _checked(
    table: PublishedTable,
    columns: Columns,
    promises: Sequence[TablePromise],
    limits: ReleaseLimits,
    notes: list[str],
) -> Verdict:
    """What is found in the rows of a table. notes: what is known before; more may come."""
    rows = partitions = 0
    people = None
    hollow = "Every table keeps this promise." if all(each.says_nothing for each in promises) else None
    unproved = next((each.unproved for each in promises if each.unproved), None)
    limits.allow("rows", table.rows, table.name)
    limits.allow("megabytes", table.bytes >> 20, table.name)
    notes += [note for each in promises for note in each.notes]
    breaches = list(_column_breaches(columns, table))
    times = Counter(table.columns)
    if all(times[column] == 1 for column in columns.counted.all):
        second = table.recount(columns.counted)
        limits.allow("megabytes", second.bytes >> 20, table.name)
        groups = table.groups(columns.counted, second)
        rows, partitions, people = groups.rows, groups.groups, groups.people
        if people is not None:
            notes.append(f"Partitions consist of people, not of rows: {columns.members(people)} by their pseudonyms.")
            breaches += _person_breaches(groups)
        breaches += _taxonomy_breaches(groups, columns)
        breaches += _sensitive_taxonomy_breaches(groups, columns)
        breaches += _number_breaches(groups, columns)
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
        unproved=unproved,
        people=people,
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


def _person_breaches(groups: PublishedGroups) -> Iterator[Breach]:
    """Every row is somebody's, and all rows of a person are in one partition."""
    if nobodys := groups.without_person(SUPPRESSED):
        yield Breach("person", f"{counted(nobodys, 'row')} without a pseudonym, so people cannot be counted.")
    number, found = groups.in_several(SUPPRESSED, MOST_WITNESSES)
    if number:
        yield Breach(
            "person",
            f"{counted(number, 'pseudonym')} in more than one partition, which tells that rows of both belong to one "
            "person, and counts them twice.",
            tuple(f"the pseudonym {shown(person)} is in {times} partitions" for person, times in found),
        )


def _taxonomy_breaches(groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
    """Every published value is a node of its column's taxonomy, or a label of groups that the certificate allows.

    With global recoding there are nodes only, and none lies above another.
    """
    for column, parents in columns.taxonomies.items():
        if not parents:  # a published taxonomy has at least its root; this table came without
            continue
        published = set()
        strangers = []
        labelling, holds = columns.labels[column]
        for value, number in groups.values(column):
            if holds(value):
                published.add(value)
            else:
                strangers.append((value, number))
        yield from _strangers(column, strangers, LABELS[labelling])
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


def _sensitive_taxonomy_breaches(groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
    """Every visible sensitive value is a node of its column's taxonomy, where there is one, or missing.

    One may lie above another: they make no groups, and a label counts with all that lies below it.
    """
    for column, parents in columns.sensitive.items():
        if parents is not None:
            known = parents.keys() | {SUPPRESSED, ""}
            yield from _strangers(column, [found for found in groups.values(column) if found[0] not in known])


def _number_breaches(groups: PublishedGroups, columns: Columns) -> Iterator[Breach]:
    """Values that were made up are numbers within what the certificate says of them."""
    for column, numbers in columns.numbers.items():
        found = [(value, rows, fault) for value, rows in groups.values(column) if (fault := numbers.fault(value))]
        if found:
            yield Breach(
                "numbers",
                f"Column {column!r}: {counted(len(found), 'published value')} that the certificate rules out.",
                tuple(
                    f"{column!r}: {shown(value)} in {counted(rows, 'row')} {fault}"
                    for value, rows, fault in found[:MOST_WITNESSES]
                ),
            )


def _strangers(column: str, values: Sequence[tuple[str, int]], fault: str = LABELS["nodes"]) -> Iterator[Breach]:
    """values: what the column may not hold, with its rows."""
    if values:
        yield Breach(
            "taxonomy",
            f"Column {column!r}: {counted(len(values), 'published value')} {fault}.",
            tuple(f"{column!r}: {shown(value)} in {counted(rows, 'row')}" for value, rows in values[:MOST_WITNESSES]),
        )
