"""The part of a taxonomy that goes into a release.

A release must tell nothing but what it publishes. A taxonomy made from the data would name values that no published
record has, and so would its levels: with one-child chains collapsed, `804*` lies between 8049 and `*` only where there
is another value under it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from discreet.taxonomy.placement import MadeFrom
from discreet.taxonomy.tree import MISSING, ROOT, Taxonomy


def public_taxonomy(taxonomy: Taxonomy, published: Iterable[int], made_from: MadeFrom) -> Taxonomy:
    """What a reader needs to know of a taxonomy of which these nodes are published, and no more than they tell.

    All of it where it comes with the policy. Otherwise the published nodes, and above each of them what depends on it
    alone: its whole path or, where the tree depends on all values together, the other published nodes on this path and
    the root. The leaf of the missing value is there where it is published.

    taxonomy: not collapsed, as what is left of a chain depends on the values beside it.
    """
    shown = sorted({int(node) for node in published})
    if made_from is MadeFrom.POLICY:
        lowest = taxonomy.leaf_nodes.tolist()
    else:
        # The next node in pre-order lies under this one, or after all that do.
        lowest = [
            node for node, following in pairwise([*shown, len(taxonomy.labels)]) if following >= taxonomy.end[node]
        ]
    paths = [taxonomy.path(node) for node in lowest if taxonomy.labels[node] != MISSING]
    if made_from is MadeFrom.ALL_VALUES:
        named = {taxonomy.labels[node] for node in shown}
        paths = sorted((*(label for label in path[:-1] if label in named), path[-1]) for path in paths)
    public = Taxonomy.from_paths(taxonomy.name, paths or [(ROOT,)])
    return public.with_missing() if any(taxonomy.labels[node] == MISSING for node in shown) else public
