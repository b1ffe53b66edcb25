"""Result documents of a few baskets, one for each promise and its method, as `publish` writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import discreet
from discreet.policy import Policy

TAXONOMY = """\
white bread;bread;food;*
rolls;bread;food;*
milk;dairy;food;*
butter;dairy;food;*
beer;drinks;*
wine;drinks;*
"""
BASKETS: Sequence[Sequence[str]] = (
    *(["white bread", "milk"],) * 6,
    *(["rolls", "butter"],) * 5,
    *(["white bread", "beer"],) * 5,
    ["milk", "wine", "Viagra"],
    *(["rolls", "milk", "beer", "Viagra"],) * 2,
    *(["butter", "wine"],) * 4,
    *(["beer", "wine"],) * 3,
    ["rolls", "wine"],
    ["butter"],
    [],
)
PROMISES: Mapping[str, Mapping[str, Any]] = {
    "og": {"model": "kl-privacy", "k": 2, "l": 2, "m": 2, "n": 1},
    "mog": {"model": "kl-privacy", "k": 3, "l": 1, "m": 2, "n": 0},
    "apriori": {"model": "km-anonymity", "k": 3, "m": 2},
    "greedy-suppression": {"model": "coherence", "k": 3, "h": "1/2", "p": 2},
    "partition": {"model": "transactional-k-anonymity", "k": 3},
    "permutation": {"model": "privacy-degree", "p": 4},
    "insertion": {"model": "rho-uncertainty", "rho": "1/2"},
    "partial-suppression": {"model": "rho-uncertainty", "rho": "1/2"},
    "global-suppression": {"model": "rho-uncertainty", "rho": "1/2"},
    "td-control": {"model": "rho-uncertainty", "rho": "1/2"},
    "trivial-suppression": {"model": "rho-uncertainty", "rho": "1/2"},
}
"""method -> a promise that it keeps"""


def publish_baskets(
    folder: Path,
    method: str = "og",
    *,
    baskets: Sequence[Sequence[str]] = BASKETS,
    taxonomy: str = TAXONOMY,
    sensitive: Sequence[str] = ("Viagra",),
) -> dict[str, Any]:
    """steward/result.json of these baskets."""
    path = folder / "items.csv"
    path.write_text(taxonomy, encoding="utf-8")
    policy = Policy.parse(
        {
            "data": {"kind": "transactions"},
            "taxonomy": str(path),
            "sensitive": list(sensitive),
            "privacy": dict(PROMISES[method]),
            "search": {"method": method},
        }
    )
    publication = discreet.publish(policy, folder / method, data=[list(basket) for basket in baskets])
    document: dict[str, Any] = json.loads((publication.report.parent / "result.json").read_text(encoding="utf-8"))
    return document
