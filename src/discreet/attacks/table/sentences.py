"""The attack's document in a few sentences for somebody who decides whether to publish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from discreet.attacks.attack import Attack
from discreet.attacks.table.people import KnownFile, some
from discreet.values.words import changes, people_in_words, percent


def reading(document: Mapping[str, Any], attacks: Iterable[Attack], known: KnownFile | None) -> list[str]:
    """Three to nine sentences with the figures before and after."""
    people = document["people"]
    before, after = document["linkage"]["before"], document["linkage"]["after"]
    grouped = document["linkage"].get("knowing_the_group")
    most = grouped or after
    sentences = [
        f"In the original, {_of(before['found'], people)} {'fit' if before['found'] > 1 else 'fits'} exactly one "
        f"record; in the release, {_of(after['found'], people)}."
        if people > 1
        else f"The one known person fits {_records(before)} of the original and {_records(after)} of the release."
    ]
    if after["unmatched"] or before["unmatched"]:
        sentences.append(
            f"For {people_in_words(before['unmatched'])} no record fits in the original, for "
            f"{people_in_words(after['unmatched'])} in the release."
        )
    if known is not None:
        sentences += _about(known)
    if after["highest_confidence"] is not None:
        sentences.append(
            f"The sensitive value is certain for {people_in_words(before['certain'])} before and "
            f"{people_in_words(most['certain'])} after; the highest confidence "
            f"{changes(before['highest_confidence'], most['highest_confidence'])}"
            + (f"; by all records that fit it is {percent(after['highest_confidence'])}." if grouped else ".")
        )
        if grouped:
            sentences.insert(
                -1,
                "Groups have labels of their own, and a person may fit several; the worst case is somebody who knows "
                "the group that each is in.",
            )
    if after["above_threshold"] is not None:
        kept = _of(after["above_threshold"], people)
        sentences.append(
            f"A threshold of the promise is exceeded for {people_in_words(before['above_threshold'])} before and for "
            f"{kept} after."
        )
    if known_method := document["knowing_the_method"]:
        above = above_knowing_the_method(known_method)
        whom = "nobody" if above == "0" else f"{above} of {people:,} people"
        who = f"somebody who also knows everybody's quasi-identifiers and {known_of_the_method(known_method)}"
        sentences.append(
            f"For how many one is exceeded for {who} is not known."
            if above == "not known"
            else f"For {who}, one is exceeded for {whom}."
        )
    if after["guesses"]:
        guess, base = guesses_right(document["linkage"])["guesses"], after["baseline"]
        sentences.append(
            f"Guessing from the original is right for {percent(before['guesses']['rate'])} of the people, from the "
            f"release for {percent(guess['rate'])} ({_interval(guess)}), and without knowing anybody for "
            f"{percent(base['rate'])} ({_interval(base)})."
        )
    risk = document["risk"]
    endangered = {when: percent(risk[when]["prosecutor"]["share_at_risk"]) for when in ("before", "after")}
    sentences.append(
        f"{endangered['before']} of the records are in groups of fewer than five before, "
        + (
            f"and fewer than five records of the release fit {endangered['after']} of the people."
            if known is not None and document["recoding"] == "local"
            else f"{endangered['after']} after."
        )
    )
    attacks = list(attacks)
    parts = ((attack.beyond, document[attack.name]) for attack in attacks)
    beyond = [words(part) for words, part in parts if words is not None and part["applies"]]
    beyond += [
        f"what {attack.label.lower()} reveals was not tried"
        for attack in attacks
        if document[attack.name].get("untried")
    ]
    if told := [text for text in beyond if text]:
        sentences.append("Beyond the promise: " + "; ".join(told) + ".")
    return sentences


def guesses_right(linkage: Mapping[str, Any]) -> Mapping[str, Any]:
    """The adversary of the release who guesses right more often: by all that fit, or knowing the group."""
    sides = [linkage[name] for name in ("after", "knowing_the_group") if linkage.get(name)]
    return max(sides, key=lambda side: side["guesses"]["rate"] if side["guesses"] else 0.0)


def above_knowing_the_method(known: Mapping[str, Any]) -> str:
    """How many people are above a threshold for somebody who knows the method, as far as it is known."""
    unsure = {"scheme", "expulsion"} & set(known["untried"]) or known["not_known"]
    if unsure and not known["above_threshold"]:
        return "not known"
    return f"{'at least ' if unsure else ''}{known['above_threshold']:,}"


def known_of_the_method(known: Mapping[str, Any], *, briefly: bool = False) -> str:
    """What the adversary of that figure knows: only the scheme, or with local recoding only the groups, where what the
    choice of the release tells was not tried."""
    in_full, in_short = {
        "scheme": ("the suppression scheme", "the scheme"),
        "groups": ("each person's group", "the group"),
        "splits": ("how those who are alike were split", "the splits"),
        "method": ("the method", "the method"),
    }[known.get("knows") or ("scheme" if known["untried"] == ["minimality"] else "method")]
    return in_short if briefly else in_full


def _about(known: KnownFile) -> list[str]:
    """What the known file leaves open."""
    sentences = []
    if known.strangers:
        told = "; ".join(
            f"{column} of {people_in_words(strange.people)} ({some(strange.values)})"
            for column, strange in known.strangers.items()
        )
        sentences.append(
            f"Known values that do not occur in the original: {told}. Anyone who has one is not in the table, or is "
            "written differently there and could not be found."
        )
    if known.partly_known:
        sentences.append(
            f"Some of these columns are not known for {people_in_words(known.partly_known)}; there any record fits."
        )
    return sentences


def _of(number: int, people: int) -> str:
    return f"{number:,} of {people:,} people" if number else "nobody"


def _records(part: Mapping[str, Any]) -> str:
    if part["unmatched"]:
        return "no record"
    return "exactly one record" if part["found"] else "several records"


def _interval(part: Mapping[str, Any]) -> str:
    low, high = part["interval"]
    return f"95% interval {percent(low)} to {percent(high)}"
