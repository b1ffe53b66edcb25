"""Other promises and methods that fit what was found in a table, each with its reason, for the starter policy.

Every one of them can be published as it stands: what is promised holds of the whole table, so there is a release, and
the reference of a distance is not farther from the table than is allowed. How hard a promise is, in the middle of what
the table can carry, is a guess as the thresholds are; why a promise fits is said for whoever decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from typing import Any, Literal

from discreet.errors import InputError
from discreet.models.beta_likeness import BetaLikeness
from discreet.models.parameters import AboveZero, FromZero
from discreet.models.partition_limits import SensitiveColumn
from discreet.models.t_closeness import TCloseness
from discreet.profile.table.columns import Column
from discreet.profile.table.combinations import Combination
from discreet.profile.table.proposal import Taxonomy
from discreet.profile.written_policy import shown
from discreet.values.words import briefly

RARE = Fraction(1, 20)
MANY_VALUES = 5
MANY_ALONE = 0.2
"""share of the records that are alone with their quasi-identifiers"""
DISTANCES = tuple(Fraction(t) for t in ("1/5", "1/4", "1/3", "1/2"))
FACTORS = tuple(Fraction(c) for c in ("1", "3/2", "2", "3", "4", "5", "7", "10"))


@dataclass(frozen=True)
class Alternative:
    """Keys of a policy, and why they may be wanted."""

    reason: str
    keys: Mapping[str, Any]


def taxonomy_of_sensitive(column: Column) -> Taxonomy | None:
    """What the values of a sensitive column are kinds of, where that can be read from them."""
    if column.ready:
        return {"ready": column.ready}
    if column.kind == "code" and column.prefixes:
        return {"prefixes": tuple(map(str, column.prefixes))}
    return None


def other_promises(column: Column) -> Iterator[Alternative]:
    """What else may be promised about a sensitive column, what fits it best first."""
    name, values = shown(column.name), column.distinct + (column.missing > 0)
    if values < 2:
        return
    if column.categories:
        yield from _of_known_counts(column, name)
    most = min(3, values)
    yield Alternative(
        f"Weak, but asked for in places: at least {most} different values of {name} in a group, of the {values:,} "
        "that there are. One of them may still be nearly all of it.",
        {"model": "distinct-l-diversity", "l": most},
    )


def _of_known_counts(column: Column, name: str) -> Iterator[Alternative]:
    counts = sorted((count for _, count in column.categories), reverse=True)
    rows = sum(counts)
    sensitive = SensitiveColumn(
        tuple(value for value, _ in column.categories),
        tuple(count for _, count in column.categories),
        order="numbers" if column.numbers and not column.exceptions and not column.missing else "alphabetical",
        name=column.name,
    )
    rarest, fewest = min(column.categories, key=lambda pair: pair[1])
    if fewest < RARE * rows and _keeps_whole(sensitive):
        what = briefly(shown(rarest)) if rarest else "missing"
        yield Alternative(
            f"Some values of {name} are rare: {what} is {_percent(fewest, rows)} of the records. This bounds what is "
            "learnt as a ratio, so what is rare stays rare: nobody becomes more than twice as sure of any value.",
            {"model": "beta-likeness", "beta": "1"},
        )
    yield from _near(sensitive, column, name)
    like = exp(sum(-count / rows * log(count / rows) for count in counts))
    most = int(like + 1e-9)
    if most >= 2 and len(counts) >= 3:
        wanted = max(2, (most + 1) // 2)
        many = f"{name} has many values, {len(counts)}" if len(counts) >= MANY_VALUES else f"{name} has few values"
        yield Alternative(
            f"{many}, and over the whole table it is as uncertain as one of {like:.1f} equally frequent ones: no "
            f"release can promise more than l = {most}. Whoever finds a person's group is as unsure as among l.",
            {"model": "entropy-l-diversity", "l": str(wanted)},
        )
    if len(counts) >= 3:
        ratio = Fraction(counts[0], sum(counts[2:]))
        factor = next((c for c in FACTORS if c >= 2 * ratio), None)
        if factor is not None:
            yield Alternative(
                f"Somebody who can rule out one value of {name} should not be sure of another: the most frequent one "
                f"is rarer than c times all from the third on together; in the whole table it is {float(ratio):.2f} "
                "times.",
                {"model": "recursive-l-diversity", "c": str(factor), "l": 3},
            )


def _near(sensitive: SensitiveColumn, column: Column, name: str) -> Iterator[Alternative]:
    if sensitive.order == "numbers" and len(sensitive.values) > 2:
        reason = (
            f"The values of {name} are numbers, so that a group of similar ones tells much, however different they "
            "are: this counts how far one would have to move the numbers of a group to make it look like everybody."
        )
        distance = "ordered"
    elif taxonomy_of_sensitive(column):
        reason = (
            f"The values of {name} are kinds of something: a group with one kind only tells that kind. Uncomment its "
            "taxonomy above, too: then values of different kinds are farther apart."
        )
        distance = "hierarchical"
    else:
        reason = (
            f"No group should look different from everybody. It costs the most: that {name} differs with the other "
            "columns is hidden, too."
        )
        distance = "equal"
    # a tree makes no distance larger than all values equally far apart
    measured: Literal["ordered", "equal"] = "ordered" if distance == "ordered" else "equal"
    for t in DISTANCES:
        try:
            TCloseness(FromZero(t), measured, "coarse").demand(sensitive)
        except InputError:
            continue
        yield Alternative(reason, {"model": "t-closeness", "t": str(t), "distance": distance})
        return


def _keeps_whole(sensitive: SensitiveColumn) -> bool:
    """Whether the whole table keeps beta-likeness with beta = 1, by the reference that goes with deleting records."""
    shares = BetaLikeness(AboveZero(Fraction(1)), "coarse").demand(sensitive).shares
    rows = sum(sensitive.counts)
    return all(count <= share * rows for count, share in zip(sensitive.counts, shares, strict=True))


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if 100 * part >= whole else "less than 1%"


def other_methods(together: Combination, rows: int) -> Iterator[Alternative]:
    """How else a release may be found. together: all quasi-identifiers."""
    alone = together.unique / rows if rows else 0.0
    said = f"{_percent(together.unique, rows)} of the records are alone with their quasi-identifiers"
    worth = (
        f"{said}: one rare record makes a column coarser for everybody or is deleted, so this is worth a try"
        if alone >= MANY_ALONE
        else f"{said}, so the gain may be small"
    )
    yield Alternative(
        f"Local recoding: each group has labels of its own, nothing is deleted, and the loss is often a fraction. "
        f"{worth}. The same value is then finer in one record than in another.",
        {"method": "mondrian"},
    )
    yield Alternative(
        "The same with less loss still, for as long as the time limit allows. Groups may overlap.",
        {"method": "k-member"},
    )
    yield Alternative(
        "All values of a column at one level, for programs that expect one coding throughout; it loses more.",
        {"method": "full-domain"},
    )
