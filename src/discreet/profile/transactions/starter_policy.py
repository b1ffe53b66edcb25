"""A policy for transactions to begin with: YAML with comments, accepted by `publish` as it stands.

The promise is chosen so that a release always exists: k is at most the number of transactions that have an item
which is not sensitive, and no sensitive item is in more than 1/l of them (`profile_transactions` proposes no others).
So even the release that shows nothing but the taxonomy's root keeps it. The search ends after a minute with the best
it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from discreet.profile.transactions.profile import PROTECTION, SensitiveItem, TransactionProfile
from discreet.profile.written_policy import LONGEST_SHOWN, NOTHING, SECONDS, USUAL_K, comment, quoted, shown

KNOWN = 2
FAN_OUT = 5


def starter_transaction_policy(
    profile: TransactionProfile,
    separator: str | None,
    path: str | None,
    file: str = "POLICY",
    keys: Mapping[str, str] = NOTHING,
) -> str:
    """The text of the policy.

    separator: of a basket CSV. path: the data as seen from the policy's folder, None for transactions in memory. file:
    what the policy is called. keys: what the data section says besides.
    """
    lines = [
        *comment(
            "A policy to begin with, proposed by discreet inspect. It can be published as it stands, but a program "
            "cannot know what is known about people or what would hurt them. Read every line, change what is wrong, "
            "and publish:"
        ),
        "#",
        f"#     discreet publish {shown(file, 10 * LONGEST_SHOWN)}",
        "",
        "data:",
        "  kind: transactions",
        *([f"  path: {quoted(path)}"] if path is not None else ["  # no path: hand them to publish as data="]),
        *(f"  {key}: {quoted(value)}" for key, value in keys.items()),
        *([f"  separator: {quoted(separator)}    # between the items of a line"] if separator is not None else []),
        "",
        *_taxonomy(),
        "",
        *_sensitive(profile),
        "",
        *_privacy(profile),
        "",
        "search:",
        "  method: og               # the release that loses least",
        "  loss: lm                 # keep items as unambiguous as possible",
        f"  time_limit: {SECONDS}           # seconds; longer may find a better release",
        "",
        "output: {format: same}     # the shape of the original",
    ]
    return "\n".join(lines) + "\n"


def _taxonomy() -> Iterator[str]:
    yield from comment(
        f"What items become when they must not be told apart: groups of {FAN_OUT}, these groups of {FAN_OUT} again, "
        "and so on, items put into them at random."
    )
    yield from comment(
        "a human should look at this: groups that mean something make a far more useful release. Write a file with a "
        "line for each item that is not sensitive, item;group;larger group;*, and here taxonomy: items.csv."
    )
    yield f"taxonomy: {{even: {FAN_OUT}, seed: 1}}"


def _sensitive(profile: TransactionProfile) -> Iterator[str]:
    yield from comment("What nobody should learn about a person. These items are never generalized, but protected.")
    if profile.too_frequent:
        frequent = ", ".join(shown(item.name) for item in profile.too_frequent[:USUAL_K])
        more = f" and {len(profile.too_frequent) - USUAL_K:,} more" if len(profile.too_frequent) > USUAL_K else ""
        yield from comment(
            f"a human should look at this: {frequent}{more} would be here because of the name, but so many "
            "transactions have it that nobody could be kept from guessing it."
        )
    if not profile.sensitive:
        why = "no item has a name that looks like a secret" if profile.named else "the items are numbers without names"
        yield from comment(
            f"a human should look at this: {why}. If one would hurt people, list it, and set l below to 2 or more."
        )
        yield "sensitive: []"
        return
    yield from comment(
        "a human should look at this: the items below were chosen for the words in their names alone. Take out what "
        "is no secret, and add what is one."
    )
    yield "sensitive:"
    for reason, items in groupby(sorted(profile.sensitive, key=_by_reason), key=lambda item: item.reason):
        yield from comment(f"{reason}:", "  ")
        for item in items:
            yield f"  - {quoted(item.name)}"


def _by_reason(item: SensitiveItem) -> tuple[str, str]:
    return item.reason, item.name


def _privacy(profile: TransactionProfile) -> Iterator[str]:
    k = max(1, min(USUAL_K, profile.with_other_items))
    protection = PROTECTION if profile.sensitive else 1
    sure = (
        f", and no sensitive item is in more than 1/{protection} of them (l: {protection}; raise l for what hurts more)"
        if profile.sensitive
        else ""
    )
    yield from comment(
        f"Anyone who knows up to {KNOWN} items of a person (m) finds at least {k} transactions that have them "
        f"(k){sure}. n is for an adversary who also knows items that the person does not have: so many of them."
    )
    yield from comment(
        "a human should look at this: k counts transactions. If people have several, put those of each person together."
    )
    yield f"privacy: {{model: kl-privacy, k: {k}, l: {protection}, m: {KNOWN}, n: 0}}"
