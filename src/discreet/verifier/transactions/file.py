"""Reading published transactions so that every reader finds the same: what could be read in two ways is refused."""

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from discreet.engine.errors import complaint
from discreet.engine.escaping import unescaped
from discreet.engine.published import count_lists, published_table
from discreet.errors import InputError
from discreet.values.long_cells import long_cells
from discreet.verifier.certificate import Certificate
from discreet.verifier.limits import ReleaseLimits
from discreet.verifier.transactions.claims import TransactionClaims
from discreet.verifier.verdict import shown

Ints = npt.NDArray[np.int64]

_BLANKS = " \t"
_WHOLE = re.compile(r"[1-9][0-9]{0,17}")


@dataclass(frozen=True, eq=False)
class PublishedTransactions:
    """Transactions as they are in the file: entry i says that transaction rows[i] has the item labels[items[i]]."""

    name: str
    number: int
    labels: tuple[str, ...]
    rows: Ints
    items: Ints
    groups: Ints | None = None
    """grouped only: transaction -> its group, a place in group_labels"""
    group_labels: tuple[str, ...] = ()


def read_transactions(certificate: Certificate, claims: TransactionClaims) -> PublishedTransactions:
    """Read a file of the claimed shape; an item that occurs twice in a transaction is an error."""
    path, escaped, limits = certificate.data, certificate.escaped, certificate.limits
    match claims.shape:
        case "dat":
            published = _read_lines(path, limits)
        case "basket":
            published = _read_baskets(path, claims.separator, limits, escaped=escaped)
        case "parquet":
            published = _read_lists(path, limits)
        case _:
            published = _read_rows(path, limits, grouped=claims.shape == "grouped", escaped=escaped)
    order = np.lexsort((published.items, published.rows))
    rows, items = published.rows[order], published.items[order]
    twice = np.flatnonzero((np.diff(rows) == 0) & (np.diff(items) == 0))
    if len(twice):
        item = shown(published.labels[items[twice[0]]])
        raise InputError(f"{path.name}: transaction {rows[twice[0]] + 1} has the item {item} twice.")
    return PublishedTransactions(
        published.name, published.number, published.labels, rows, items, published.groups, published.group_labels
    )


def read_group_counts(path: Path, certificate: Certificate) -> dict[tuple[str, str], int]:
    """Read how many transactions of a group have which sensitive item."""
    counts: dict[tuple[str, str], int] = {}
    cells = _cells(path, ("group", "item", "count"), certificate.limits, escaped=certificate.escaped)
    groups, items, numbers = (column.to_pylist() for column in cells)
    for group, item, number in zip(groups, items, numbers, strict=True):
        if not _WHOLE.fullmatch(number):
            raise InputError(f"{path.name}: the count {shown(number)} of {shown(item)} is not a whole number from 1.")
        if (group, item) in counts:
            raise InputError(f"{path.name}: {shown(item)} occurs twice in the group {shown(group)}.")
        counts[group, item] = int(number)
    return counts


def _read_lines(path: Path, limits: ReleaseLimits) -> PublishedTransactions:
    """One line for each transaction, one blank between items."""
    content = _text(path, " ", limits)
    lines = content.split("\n")
    if not lines[-1]:
        lines.pop()
    transactions = [line.split(" ") if line else [] for line in lines]
    for number, items in enumerate(transactions, start=1):
        if items and " ".join(items).split() != items:
            raise InputError(
                f"{path.name}, line {number}: items are separated by one blank, with no other space anywhere."
            )
    return _from_lists(path, transactions)


def _read_baskets(path: Path, separator: str, limits: ReleaseLimits, *, escaped: bool) -> PublishedTransactions:
    """One line for each transaction, quoted as RFC 4180 has it."""
    content = _text(path, separator, limits)
    bare = content
    if '"' in content:
        pieces = content.split('"')
        if len(pieces) % 2 == 0:
            raise InputError(f"{path.name}: the file ends inside quotes.")
        mark = re.escape(separator)
        bare = '"'.join(pieces[::2])
        if re.search(rf'[^{mark}\n"]"|"[^{mark}\r\n"]', bare):
            raise InputError(f"{path.name}: a quote is next to text that is not quoted.")
    if "\r" in bare.replace("\r\n", "\n"):
        raise InputError(f"{path.name}: it has a lone carriage return, which some readers take for the end of a line.")
    transactions: list[list[str]] = []
    try:
        with long_cells():
            for row in csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True):
                items = [unescaped(item, path.name) for item in row] if escaped else row
                if not all(item and item == item.strip(_BLANKS) for item in items):
                    raise InputError(
                        f"{path.name}: transaction {len(transactions) + 1} has an empty item or one with a blank "
                        "before or after it."
                    )
                transactions.append(items)
    except csv.Error as error:
        raise InputError(f"{path.name}: cannot be read ({error}).") from error
    return _from_lists(path, transactions)


def _text(path: Path, separator: str, limits: ReleaseLimits) -> str:
    """The content of a file that has a line for each transaction, with a separator between items."""
    try:
        content = path.read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name}: cannot be read as text ({complaint(error)}).") from error
    if content.startswith("\ufeff") or "\0" in content:
        raise InputError(f"{path.name}: it has a byte order mark or a NUL, which readers treat differently.")
    lines = content.count("\n")
    limits.allow("transactions", lines, path.name)
    limits.allow("items", lines + content.count(separator), path.name)
    return content


def _from_lists(path: Path, transactions: list[list[str]]) -> PublishedTransactions:
    codes: dict[str, int] = {}
    items = [codes.setdefault(item, len(codes)) for transaction in transactions for item in transaction]
    rows = np.repeat(np.arange(len(transactions)), [len(transaction) for transaction in transactions])
    return PublishedTransactions(path.name, len(transactions), tuple(codes), rows, np.array(items, np.int64))


def _read_lists(path: Path, limits: ReleaseLimits) -> PublishedTransactions:
    """Parquet with one column of lists of texts."""
    try:
        with parquet.ParquetFile(path) as file:
            _refuse_other_columns(path.name, file.schema_arrow)
            metadata = file.metadata
            leaves = [metadata.row_group(group).column(0) for group in range(metadata.num_row_groups)]
            limits.allow("transactions", metadata.num_rows, path.name)
            limits.allow("items", sum(leaf.num_values for leaf in leaves), path.name)
            limits.allow("megabytes", sum(leaf.total_uncompressed_size for leaf in leaves) >> 20, path.name)
            table = file.read()
            table.validate(full=True)
    except MemoryError:  # Arrow's is one of its exceptions, too
        raise
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path.name}: cannot be read as Parquet ({complaint(error)}).") from error
    lists = table.column(0)
    flat = pc.list_flatten(lists)
    if lists.null_count or flat.null_count:
        raise InputError(f"{path.name}: a list or an item is missing; a transaction of no items is an empty list.")
    labels, items = _coded(flat)
    if "" in labels:
        raise InputError(f"{path.name}: an item has no label.")
    found, second = (len(lists), len(flat), len(labels)), count_lists(path)
    if found != second:
        raise InputError(
            f"{path.name}: Arrow finds (transactions, items, different items) = {found}, and DuckDB {second}; a "
            "promise cannot hold for what not all readers read alike."
        )
    rows = np.repeat(np.arange(len(lists)), pc.list_value_length(lists).to_numpy())
    return PublishedTransactions(path.name, len(lists), labels, rows, items)


def _refuse_other_columns(name: str, schema: Any) -> None:
    kind = schema.types[0] if len(schema.types) == 1 else None
    if kind is None or not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        raise InputError(f"{name}: published transactions are one column of lists.")
    if not (pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)):
        raise InputError(f"{name}: the items should be texts, not {kind.value_type}.")


def _read_rows(path: Path, limits: ReleaseLimits, *, grouped: bool, escaped: bool) -> PublishedTransactions:
    """CSV with a row for each item of each transaction, one with an empty item for a transaction of none."""
    columns = ("group", "transaction", "item") if grouped else ("transaction", "item")
    *group, numbers, named = _cells(path, columns, limits, escaped=escaped)
    names, rows = _coded(numbers)
    limits.allow("transactions", len(names), path.name)
    labels, items = _coded(named)
    if "" in names:
        raise InputError(f"{path.name}: a transaction has no name.")
    groups: Ints | None = None
    group_labels: tuple[str, ...] = ()
    if grouped:
        group_labels, of_entry = _coded(group[0])
        groups = np.zeros(len(names), np.int64)
        groups[rows] = of_entry
        astray = np.flatnonzero(groups[rows] != of_entry)
        if len(astray):
            raise InputError(f"{path.name}: transaction {shown(names[rows[astray[0]]])} is in two groups.")
    if "" in labels:
        nothing = items == labels.index("")
        alone = np.bincount(rows)[rows[nothing]] == 1
        if not alone.all():
            name = shown(names[rows[nothing][~alone][0]])
            raise InputError(f"{path.name}: transaction {name} has an empty item beside others.")
        rows, items = rows[~nothing], items[~nothing]
    return PublishedTransactions(path.name, len(names), labels, rows, items, groups, group_labels)


def _cells(path: Path, columns: tuple[str, ...], limits: ReleaseLimits, *, escaped: bool) -> list[Any]:
    """The columns of a CSV file that has exactly these."""
    with published_table(path, escaped=escaped) as table:
        if table.columns != columns or path.suffix != ".csv":
            raise InputError(f"{path.name}: the columns should be {','.join(columns)}.")
        limits.allow("items", table.rows, path.name)
        return table.cells()


def _coded(texts: Any) -> tuple[tuple[str, ...], Ints]:
    """The different texts, and for each text its place among them."""
    coded = pc.dictionary_encode(texts)
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
        if isinstance(coded, pa.ChunkedArray):
            coded = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], pa.string()))
    return tuple(coded.dictionary.to_pylist()), coded.indices.to_numpy().astype(np.int64)
