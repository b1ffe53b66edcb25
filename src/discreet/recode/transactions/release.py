"""The release of transactions: its data, the taxonomy that a reader needs, and what the certificate says about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np

from discreet.encode.transactions import TransactionEncoding
from discreet.policy import TransactionPolicy
from discreet.read.transactions import PublishedShape
from discreet.recode.transactions.recoded import Recoded, nodes_published
from discreet.recode.transactions.writing import write_grouped, write_transactions
from discreet.recode.written import Written
from discreet.taxonomy import MadeFrom, Taxonomy, public_taxonomy, write_taxonomy

SUFFIXES = {"dat": "dat", "long": "csv", "basket": "csv", "parquet": "parquet", "grouped": "csv"}
TAXONOMY = "taxonomies/1-items.csv"
SENSITIVE = "sensitive.csv"


def published_shape(policy: TransactionPolicy, encoding: TransactionEncoding) -> PublishedShape:
    if policy.search.declared().sensitive == "apart":
        return "grouped"
    return encoding.shape if policy.output.format == "same" else cast(PublishedShape, policy.output.format)


def write_release(
    policy: TransactionPolicy,
    encoding: TransactionEncoding,
    recoded: Recoded,
    folder: Path,
    random: np.random.Generator,
) -> Written:
    """Writes the data and the taxonomy."""
    (folder / "taxonomies").mkdir(parents=True)
    transactions, shape = encoding.transactions, published_shape(policy, encoding)
    data = folder / f"data.{SUFFIXES[shape]}"
    separator = encoding.separator or "," if shape == "basket" else None
    entries: dict[str, Any] = {"data": data.name, "shape": shape}
    if shape == "grouped":
        write_grouped(data, folder / SENSITIVE, transactions, recoded, random)
        entries["sensitive_data"] = SENSITIVE
    else:
        write_transactions(data, shape, separator, transactions, recoded, random)
    if separator is not None:
        entries["separator"] = separator
    write_taxonomy(readers_taxonomy(policy, encoding, recoded), folder / TAXONOMY)
    promise = [policy.promise.promise()]
    entries |= {"taxonomy": TAXONOMY, "sensitive": list(transactions.sensitive_items), "promise": promise}
    return Written(entries, promise, transactions.transactions)


def readers_taxonomy(policy: TransactionPolicy, encoding: TransactionEncoding, recoded: Recoded) -> Taxonomy:
    """The taxonomy that a reader of the release needs.

    Where knowledge of absent items is limited, a reader has to know whether an adversary can know all items under a
    published node to be absent. So as many leaves are written under it as there are items, under numbers instead of
    names, but only up to one more than anybody knows.
    """
    taxonomy = encoding.transactions.taxonomy
    published = nodes_published(recoded, taxonomy)
    public = public_taxonomy(taxonomy, np.flatnonzero(published), encoding.made_from)
    absent = policy.promise.adversary().absent
    if encoding.made_from is MadeFrom.POLICY or not absent:
        return public
    taken = {*public.labels, *encoding.transactions.sensitive_items}
    paths: list[tuple[str, ...]] = []
    for path in map(public.path, public.leaf_nodes.tolist()):
        node = taxonomy.node(path[0])
        if taxonomy.is_leaf(node) or not published[node]:
            paths.append(path)
        else:
            leaves = min(taxonomy.leaf_count(node), absent + 1)
            paths += [(_unnamed(path[0], number, taken), *path) for number in range(leaves)]
    return Taxonomy.from_paths("items", paths)


def _unnamed(label: str, number: int, taken: set[str]) -> str:
    """A label for an item that is not named."""
    name = f"{label}/{number + 1}"
    while name in taken:
        name += "'"
    return name
