"""What was found for transactions, apart from the data it was found on: what each item is published as."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from discreet.encode.transactions import EncodedTransactions
from discreet.errors import InputError
from discreet.policy import TransactionPolicy
from discreet.recode.transactions.recoded import UNPUBLISHED, Recoded
from discreet.recode.written import read_rule
from discreet.values.arrays import Int32s
from discreet.values.words import SHOWN_VALUES, briefly

FORMAT = "discreet-item-recoding/1"


@dataclass(frozen=True)
class ItemRule:
    """The published labels; an item is published as the one at or above it.

    others: what becomes of an item that has no such label: `suppress` where suppression was the method, `refuse` where
    every item had one.
    """

    published: tuple[str, ...]
    others: Literal["refuse", "suppress"]

    @classmethod
    def load(cls, path: str | Path) -> ItemRule:
        """The recoding in a file that `publish` wrote."""
        written = read_rule(path)
        if (
            not isinstance(written, dict)
            or written.get("format") != FORMAT
            or not isinstance(written.get("published"), list)
            or not all(isinstance(label, str) for label in written["published"])
            or written.get("others") not in ("refuse", "suppress")
        ):
            raise InputError(
                f"{path} is not a recoding of the format {FORMAT}; name a steward/recoding.json that publish wrote for "
                "transactions."
            )
        return cls(tuple(written["published"]), written["others"])

    def as_dict(self) -> dict[str, object]:
        return {"format": FORMAT, "published": list(self.published), "others": self.others}

    def node_of_leaf(self, transactions: EncodedTransactions) -> Int32s:
        """Leaf number -> the node it is published as, in the taxonomy of other transactions."""
        taxonomy = transactions.taxonomy
        node_of_leaf = np.full(len(taxonomy.leaf_nodes), UNPUBLISHED, np.int32)
        known = set(taxonomy.labels)
        for node in sorted(taxonomy.node(label) for label in self.published if label in known):
            leaves = slice(taxonomy.first_leaf[node], taxonomy.stop_leaf[node])
            if (node_of_leaf[leaves] != UNPUBLISHED).any():
                raise InputError(
                    f"The recoding publishes {briefly(taxonomy.labels[node])} and an item above it, so it does not "
                    "belong to this taxonomy; use the taxonomy that the recoding was found with."
                )
            node_of_leaf[leaves] = node
        missed = np.flatnonzero((node_of_leaf == UNPUBLISHED) & (transactions.leaf_occurrences > 0))
        if len(missed) and self.others == "refuse":
            labels = [taxonomy.leaf_labels[leaf] for leaf in missed[:SHOWN_VALUES]]
            more = f" and {len(missed) - SHOWN_VALUES} more" if len(missed) > SHOWN_VALUES else ""
            raise InputError(
                f"The recoding does not cover {len(missed)} {'item' if len(missed) == 1 else 'items'} "
                f"({', '.join(map(briefly, labels))}{more}); publish these transactions with a search of their own."
            )
        return node_of_leaf


def rule_of(transactions: EncodedTransactions, recoded: Recoded, *, drops_unknown: bool) -> ItemRule:
    """The rule of a recoding that treats all transactions the same way."""
    labels = transactions.taxonomy.labels
    published = sorted(set(_node_of_leaf(transactions, recoded).tolist()) - {UNPUBLISHED})
    return ItemRule(tuple(labels[node] for node in published), "suppress" if drops_unknown else "refuse")


def write_mapping(transactions: EncodedTransactions, recoded: Recoded, path: Path) -> None:
    """Every item that occurs and what it is published as."""
    taxonomy, node_of_leaf = transactions.taxonomy, _node_of_leaf(transactions, recoded)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("item", "published"))
        for leaf in np.flatnonzero(transactions.leaf_occurrences).tolist():
            node = int(node_of_leaf[leaf])
            writer.writerow((taxonomy.leaf_labels[leaf], "" if node == UNPUBLISHED else taxonomy.labels[node]))


def _node_of_leaf(transactions: EncodedTransactions, recoded: Recoded) -> Int32s:
    if recoded.cut is not None:
        return recoded.cut.value_of_leaf()
    node_of_leaf = np.full(len(transactions.taxonomy.leaf_nodes), UNPUBLISHED, np.int32)
    _, published = recoded.published_node(transactions)
    node_of_leaf[transactions.sets.take(recoded.sources).items] = published
    return node_of_leaf


def load_rule(rule: object, policy: TransactionPolicy) -> tuple[TransactionPolicy, ItemRule]:
    """A rule or its file, and the policy, which it leaves as it is."""
    found = ItemRule.load(rule) if isinstance(rule, str | Path) else rule
    if not isinstance(found, ItemRule):
        raise InputError("The recoding is not for data of kind transactions; use one that was found for that kind.")
    return policy, found
