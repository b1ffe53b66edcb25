"""What was found for transactions, apart from the data it was found on: as what each item is published."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from discreet.encode.reading import SHOWN_VALUES, briefly
from discreet.encode.transactions import EncodedTransactions, Int32s
from discreet.errors import InputError
from discreet.recode.transactions import UNPUBLISHED

FORMAT = "discreet-item-recoding/1"


@dataclass(frozen=True)
class ItemRecoding:
    """The published labels; an item is published as the one at or above it.

    others: what becomes of an item that has none: `suppress` where suppression was the method, `refuse` where every
    item had one.
    """

    published: tuple[str, ...]
    others: Literal["refuse", "suppress"]

    @classmethod
    def load(cls, path: str | Path) -> ItemRecoding:
        """The recoding in a file that `publish` wrote."""
        try:
            written = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror}); name a recoding.json.") from error
        except ValueError as error:
            raise InputError(f"{path} is not JSON ({error}); name a recoding.json that publish wrote.") from error
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
                    f"The recoding publishes {briefly(taxonomy.labels[node])} and an item above it, so it is not of "
                    "this taxonomy; use the taxonomy that the recoding was found with."
                )
            node_of_leaf[leaves] = node
        missed = np.flatnonzero((node_of_leaf == UNPUBLISHED) & (transactions.leaf_occurrences > 0))
        if len(missed) and self.others == "refuse":
            labels = [taxonomy.leaf_labels[leaf] for leaf in missed[:SHOWN_VALUES]]
            more = f" and {len(missed) - SHOWN_VALUES} more" if len(missed) > SHOWN_VALUES else ""
            raise InputError(
                f"The recoding says nothing of {len(missed)} {'item' if len(missed) == 1 else 'items'} "
                f"({', '.join(map(briefly, labels))}{more}); publish these transactions with a search of their own."
            )
        return node_of_leaf
