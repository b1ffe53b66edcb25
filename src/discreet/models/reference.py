"""The distribution that a promise compares every group with.

It is fixed before the search and part of the promise. The distribution of what is published would be no promise: who
deletes everybody else makes any group equal to it. The exact distribution of the original would be one, but stated in a
certificate it tells by subtraction what was deleted. So (docs/decisions/0010-the-textbooks-promises.md):

- `published`: nothing is suppressed, so that the release has the distribution of the original and anybody can count it;
- `coarse`: in whole steps of 1/100, no value that occurs at 0, which the certificate states;
- shares that the steward gives, from a public source;
- `exact`: the original's own, stated although something may be deleted. For comparisons with other programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from discreet.errors import InputError
from discreet.models.partition_limits import SensitiveColumn
from discreet.values.words import briefly

Reference: TypeAlias = Literal["published", "coarse", "exact"] | Mapping[str, Fraction] | None
"""None: not settled yet, published where nothing is suppressed and coarse elsewhere."""
STEPS = 100
EXACT_IS_TOLD = (
    "privacy.reference: exact states in the certificate how often each sensitive value occurs in the original, and "
    "whoever subtracts what is published knows what was deleted; do not publish it, or leave out the key."
)


def settled(choice: Reference, suppression: str) -> Reference:
    """What a choice comes down to with a suppression scheme."""
    if isinstance(choice, Mapping):
        return choice
    return "published" if suppression == "none" else choice or "coarse"


def shares_of(reference: Reference, sensitive: SensitiveColumn) -> dict[str, Fraction]:
    """Value -> its share of the reference; all values of the column are among them, each above 0."""
    if isinstance(reference, Mapping):
        if absent := [value for value in sensitive.values if not reference.get(value)]:
            more = f" and {len(absent) - 1} more are" if absent[1:] else " is"
            raise InputError(
                f"privacy.reference: {briefly(absent[0])}{more} in the sensitive column but not in the reference; give "
                "each value a share above 0."
            )
        return dict(reference)
    total = sum(sensitive.counts)
    exact = {value: Fraction(count, total) for value, count in zip(sensitive.values, sensitive.counts, strict=True)}
    return _in_steps(exact) if reference == "coarse" else exact


def _in_steps(shares: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Rounded to whole steps that add up to 1, each at least one: the largest remainders are rounded up."""
    steps = STEPS
    while steps < 2 * len(shares):
        steps *= 10
    whole = {value: max(1, int(share * steps)) for value, share in shares.items()}
    rest = steps - sum(whole.values())
    by_remainder = sorted(shares, key=lambda value: (whole[value] - shares[value] * steps, value))
    for place in range(rest):
        whole[by_remainder[place % len(whole)]] += 1
    while rest < 0:  # many rare values were lifted to one step: those lifted most by rounding give it back
        value = max(
            (value for value in whole if whole[value] > 1),
            key=lambda value: (whole[value] - shares[value] * steps, value),
        )
        whole[value] -= 1
        rest += 1
    return {value: Fraction(number, steps) for value, number in whole.items()}


def stated(reference: Reference, sensitive: SensitiveColumn) -> object:
    """As a certificate states it."""
    if reference in (None, "published"):
        return "published"
    return {value: str(share) for value, share in sorted(shares_of(reference, sensitive).items())}


def check_sum(choice: Reference) -> None:
    if isinstance(choice, Mapping) and sum(choice.values()) != 1:
        raise ValueError(f"the shares of the reference add up to {sum(choice.values())}; they have to add up to 1")
