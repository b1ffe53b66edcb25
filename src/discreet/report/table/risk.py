"""What adversaries gain, before and after: the one the promise is about, and those it is not about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.attacks.table.attacks import TABLE_ATTACKS
from discreet.attacks.table.sentences import above_knowing_the_method, guesses_right, known_of_the_method
from discreet.report.charts import before_and_after, figure
from discreet.report.page import Section
from discreet.report.risk import MOST_PERSONS, compared, guesses, others, readings, told_of
from discreet.report.table import confidence
from discreet.report.tables import disclosed, table
from discreet.report.text import count, plural, sentence, share, short, value_html

KINDS = {
    "prosecutor": "looks for one person known to be in the table",
    "journalist": "looks for anybody who can be found",
}
FIGURES = {"highest": "highest", "average": "average", "share_at_risk": "at risk"}


def section(result: Mapping[str, Any]) -> Section | None:
    attack = result.get("attack")
    if attack is None:
        return None
    if attack.get("applies") is False:
        return Section("risk", "Risk before and after", sentence(attack["reading"][0]), _that_apply(attack))
    lead = (
        "Simulated adversaries attack the original and the release with the same knowledge; the difference is what "
        "the release protects. Here they know the quasi-identifiers of everybody, which is the worst case."
    )
    if "knowing_the_group" in attack["linkage"]:
        lead += (
            " Groups have labels of their own, and somebody may fit several of them; worse still is an adversary who "
            "knows the group that each person is in, and the figures are theirs unless they say by all that fit."
        )
    body = [
        readings(attack),
        _risks(attack),
        "<h3>Linking people to records</h3>",
        _linkage(attack),
        *others(attack, TABLE_ATTACKS.values()),
        _persons(attack["persons"], "The people most at risk", several="knowing_the_group" in attack["linkage"]),
    ]
    return Section("risk", "Risk before and after", lead, "".join(body))


def known_section(attack: Mapping[str, Any] | None) -> Section | None:
    """The adversary who holds a file of known people; what does not depend on the file is not repeated."""
    if attack is None:
        return None
    if attack.get("applies") is False:
        title = f"An adversary with {_file(attack)}"
        return Section("known", title, sentence(attack["adversary"]), _that_apply(attack))
    lead = (
        f"This adversary knows only the people in a file: {plural(attack['people'], 'person', 'people')}, looked up in "
        "the original and in the release."
    )
    body = [readings(attack), _linkage(attack)]
    if attack["values"]:
        body += ["<h3>Confidence in each sensitive value</h3>", confidence.picture(attack["values"])]
    body.append(_risks(attack))
    if attack["intersection"]["applies"]:
        body += others(attack, [TABLE_ATTACKS["intersection"]])
    body.append(_persons(attack["persons"], "The known people"))
    return Section("known", f"An adversary with {_file(attack)}", lead, "".join(body))


def _that_apply(attack: Mapping[str, Any]) -> str:
    """The attacks that could be tried where most say that they do not apply."""
    return "".join(
        others(attack, [each for each in TABLE_ATTACKS.values() if attack.get(each.name, {}).get("applies")])
    )


def _file(attack: Mapping[str, Any]) -> str:
    return short(attack["known"]) if attack.get("known") else "a file of known people"


def _risks(attack: Mapping[str, Any]) -> str:
    risk = attack["risk"]
    before, after = risk["before"], risk["after"]
    among_all = risk.get("among_all_that_fit")
    names, pairs, rows = [], [], []
    for kind, wants in KINDS.items():
        for key, name in FIGURES.items():
            pair = (before[kind][key], after[kind][key])
            names.append(f"{kind}: {name}")
            pairs.append(pair)
            unsure = [share(among_all[kind][key])] if among_all else []
            rows.append([f"{kind.capitalize()}: {name}", *(share(figure) for figure in pair), *unsure, wants])
    pair = (before["marketer"], after["marketer"])
    names.append("marketer: average")
    pairs.append(pair)
    unsure = [share(among_all["marketer"])] if among_all else []
    wants = "links everybody, content with many right"
    rows.append(["Marketer: average", *(share(figure) for figure in pair), *unsure, wants])
    heads = ["risk", "original", "release", *(["by all that fit"] if among_all else []), "the adversary"]
    data = table("Risk of re-identification", heads, rows, numbers=tuple(range(1, len(heads) - 1)))
    drawn = [(name, pair) for name, pair in zip(names, pairs, strict=True) if None not in pair]
    finding = (
        f"The highest risk of being found is {share(before['prosecutor']['highest'])} in the original and "
        f"{share(after['prosecutor']['highest'])} in the release; on average {share(before['prosecutor']['average'])} "
        f"and {share(after['prosecutor']['average'])}."
    )
    caption = (
        f"{finding} A record is at risk above {share(risk['at_risk'])}. For the journalist the population "
        f"is: {sentence(risk['population'], 300)}. Circles: the original; diamonds: the release."
    )
    head = "<h3>The risk of being found</h3>"
    if not drawn:
        return head + data
    picture = before_and_after(
        [name for name, _ in drawn], [pair for _, pair in drawn], "risk, or share of the records at risk"
    )
    return head + figure(picture, finding, caption, data)


def _linkage(attack: Mapping[str, Any]) -> str:
    before, after = attack["linkage"]["before"], attack["linkage"]["after"]
    people = attack["people"]
    grouped = attack["linkage"].get("knowing_the_group")
    counted = {
        "found": "People who fit exactly one record",
        "unmatched": "People who fit no record",
        "certain": "People whose sensitive value is certain",
    }
    if before["above_threshold"] is not None:
        counted["above_threshold"] = "People above a threshold"
    sides = [after] if grouped is None else [grouped, after]
    rows = []
    for key, name in counted.items():
        row = compared(name, before[key], sides[0][key], people)
        rows.append([*row, *(compared(name, None, side[key], people)[-1] for side in sides[1:])])
    known = attack.get("knowing_the_method")
    if before["above_threshold"] is not None and known and not (grouped and known.get("knows") == "groups"):
        who = f"The same for somebody who knows {known_of_the_method(known)}"
        rows.append([who, "", above_knowing_the_method(known), *("" for _ in sides[1:])])
    highest = [share(side["highest_confidence"]) for side in (before, *sides)]
    rows.append(["Highest confidence for anyone", *highest])
    heads = ["", "original", "release"]
    if grouped:
        heads = ["", "original", "release, knowing the group", "release, by all that fit"]
    parts = [
        table(
            f"What linking reveals about {plural(people, 'person', 'people')}",
            heads,
            rows,
            numbers=tuple(range(1, len(heads))),
        ),
        guesses(before, guesses_right(attack["linkage"]), "sensitive value", "without quasi-identifiers"),
        disclosed("How many records people fit", _matches(before["matches"], after["matches"])),
    ]
    return "".join(parts)


def _matches(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> str:
    bins: dict[tuple[int, int | None], list[int]] = {}
    for side, entries in enumerate((before, after)):
        for entry in entries:
            bins.setdefault((entry["from"], entry["to"]), [0, 0])[side] += entry["people"]
    rows = [
        [_range(*edges), *(count(people) for people in bins[edges])]
        for edges in sorted(bins, key=lambda edges: edges[0])
    ]
    return table(
        "People by the number of records that fit them",
        ["records that fit", "original", "release"],
        rows,
        numbers=(1, 2),
    )


def _persons(persons: Sequence[Mapping[str, Any]], title: str, *, several: bool = False) -> str:
    """several: whether somebody may fit several groups."""
    if not persons:
        return ""
    shown = persons[:MOST_PERSONS]
    rows = [
        [_person(entry), _risk(entry["after"]), told_of(entry["before"]), told_of(entry["after"])] for entry in shown
    ]
    risk = "risk in the release, by all that fit" if several else "risk in the release"
    heads = ["person", risk, "from the original", "from the release"]
    if any(entry.get("stands_out") for entry in shown):
        heads.insert(1, "stands out most by")
        for row, entry in zip(rows, shown, strict=True):
            row.insert(1, _most_revealing(entry.get("stands_out")))
    caption = "What the adversary learns about them"
    return f"<h3>{title}</h3>{table(caption, heads, rows, stacked=True)}"


def _most_revealing(part: Mapping[str, Any] | None) -> str:
    if part is None:
        return ""
    return f"{value_html(part['column'], 40)}, which {plural(part['records'], 'record shares', 'records share')}"


def _risk(side: Mapping[str, Any]) -> str:
    """The highest confidence, or where nothing is sensitive the chance of picking the right record."""
    if not side["records"]:
        return "not in it"
    if not side["values"]:
        return share(1 / side["records"])
    return share(max(value["confidence"] for value in side["values"]))


def _person(entry: Mapping[str, Any]) -> str:
    """What is known about somebody; where it is much, first what sets them apart."""
    first = (entry.get("stands_out") or {}).get("column")
    known = sorted(entry["person"].items(), key=lambda part: part[0] != first)
    more = f" and {plural(len(known) - 8, 'more column')}" if len(known) > 8 else ""
    return (
        ", ".join(
            f'<span class="note">{value_html(name, 30)}</span> {value_html(value, 40)}' for name, value in known[:8]
        )
        + more
    )


def _range(first: int, last: int | None) -> str:
    if last is None:
        return f"{count(first)} or more"
    return count(first) if first == last else f"{count(first)} to {count(last)}"
