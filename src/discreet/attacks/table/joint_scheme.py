"""What knowing the suppression scheme reveals where a record tells several things.

The adversary of `scheme`, for tables with several sensitive columns, several rows for a person, or thresholds on
categories. There a group shows everything or nothing, and one that shows nothing tells that it broke the promise.
`joint_worlds` says how sure that makes somebody of each value of each sensitive column, and of each category with a
threshold; it is the same for all people of hidden groups of one size. Groups that show everything leave nothing to
conclude, and `linkage` counts them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.attacks.table.facts import Facts
from discreet.attacks.table.groups import Groups
from discreet.attacks.table.joint_worlds import HiddenGroups
from discreet.attacks.table.scheme import NOTHING_SUPPRESSED, reading
from discreet.values.partitions import Partitions


def joint_scheme(partitions: Partitions, released: Groups, facts: Facts, hidden_groups: HiddenGroups) -> dict[str, Any]:
    """Attacks every hidden group. partitions: of the original, by the released cuts."""
    sizes = partitions.histogram.sum(axis=(1, 2))
    shown = np.append(released.sizes - released.stars, 0)[released.find(partitions.nodes.T)]
    concerned = shown < sizes
    if not concerned.any():
        return dict(NOTHING_SUPPRESSED)
    # A group of which only a part shows is not what the scheme makes of any original: nothing is known about it.
    untried = int(sizes[concerned & (shown > 0)].sum())
    above = certain = 0
    highest = Fraction(0)
    told_by = facts.tellers()
    for size, groups in sorted(Counter(sizes[concerned & (shown == 0)].tolist()).items()):
        confidences = hidden_groups.confidences(size, told_by)
        if confidences is None:
            untried += size * groups
            continue
        highest = max(highest, *confidences)
        certain += size * groups * (max(confidences) == 1)
        exceeded = (
            threshold is not None and confidence > threshold
            for confidence, threshold in zip(confidences, facts.thresholds, strict=True)
        )
        above += size * groups * any(exceeded)
    figures = {
        "people": int(sizes.sum()),
        "groups": int(concerned.sum()),
        "people_in_them": int(sizes[concerned].sum()),
        "hidden": int((sizes - shown)[concerned].sum()),
        "untried": untried,
        "above_threshold": None if all(share is None for share in facts.thresholds) else above,
        "certain": certain,
        "highest_confidence": float(highest),
        "guesses": None,  # somebody has several values, so no single guess is right or wrong
    }
    return {"applies": True, **figures, "reading": reading(figures)}
