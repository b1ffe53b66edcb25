"""What adversaries gain, before and after: the one the promise speaks of, and those it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.charts import before_and_after, figure, rates_with_intervals
from discreet.report.details import all_figures
from discreet.report.page import Section
from discreet.report.sections import confidence
from discreet.report.tables import disclosed, table
from discreet.report.words import count, interval, plural, sentence, share, short, value_html

MOST_PERSONS = 20
MOST_VALUES = 5
KINDS = {
    "prosecutor": "looks for one person known to be in the table",
    "journalist": "looks for anybody who can be found",
}
FIGURES = {"highest": "highest", "average": "average", "share_at_risk": "at risk"}
OTHERS = {
    "stars": ("Stars that tell what they hide", "Can what a star hides be told from the values that show beside it?"),
    "minimality": ("Knowing the method", "Does it tell something that a finer release was not chosen?"),
    "intersection": ("Several releases", "What do two releases of the same people tell together?"),
}


def section(result: Mapping[str, Any]) -> Section | None:
    attack = result.get("attack")
    if attack is None:
        return None
    lead = (
        "Simulated adversaries attack the original and the release with the same knowledge; the difference is what "
        "the release protects. Here they know the quasi-identifiers of everybody, which is the worst case."
    )
    body = [
        readings(attack),
        _risks(attack),
        "<h3>Linking people to records</h3>",
        _linkage(attack),
        *(other(title, question, attack[key]) for key, (title, question) in OTHERS.items() if attack.get(key)),
        _persons(attack["persons"], "The people most at risk"),
    ]
    return Section("risk", "Risk before and after", lead, "".join(body))


def known_section(attack: Mapping[str, Any] | None) -> Section | None:
    """The adversary who holds a file of known people; what does not depend on the file is not told again."""
    if attack is None:
        return None
    lead = (
        f"This adversary knows only the people in a file: {plural(attack['people'], 'person', 'people')}, looked up in "
        "the original and in the release."
    )
    body = [readings(attack), _linkage(attack)]
    if attack["values"]:
        body += ["<h3>Confidence in each sensitive value</h3>", confidence.picture(attack["values"])]
    body.append(_risks(attack))
    if attack["intersection"]["applies"]:
        body.append(other(*OTHERS["intersection"], attack["intersection"]))
    body.append(_persons(attack["persons"], "The known people"))
    return Section("known", f"An adversary with {_file(attack)}", lead, "".join(body))


def _file(attack: Mapping[str, Any]) -> str:
    return short(attack["known"]) if attack.get("known") else "a file of known people"


def readings(attack: Mapping[str, Any]) -> str:
    told = "".join(f"<li>{sentence(text)}</li>" for text in attack["reading"] if text != attack["adversary"])
    who = f"<p>{sentence(attack['adversary'])}</p>"
    return f'{who}<ul class="readings">{told}</ul>' if told else who


def _risks(attack: Mapping[str, Any]) -> str:
    risk = attack["risk"]
    before, after = risk["before"], risk["after"]
    names, pairs, rows = [], [], []
    for kind, wants in KINDS.items():
        for key, name in FIGURES.items():
            pair = (before[kind][key], after[kind][key])
            names.append(f"{kind}: {name}")
            pairs.append(pair)
            rows.append([f"{kind.capitalize()}: {name}", *(share(figure) for figure in pair), wants])
    pair = (before["marketer"], after["marketer"])
    names.append("marketer: average")
    pairs.append(pair)
    rows.append(["Marketer: average", *(share(figure) for figure in pair), "links everybody, content with many right"])
    data = table("Risk of re-identification", ["risk", "original", "release", "the adversary"], rows, numbers=(1, 2))
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
    rows = [
        compared("People who fit exactly one record", before["found"], after["found"], people),
        compared("People who fit no record", before["unmatched"], after["unmatched"], people),
        compared("People whose sensitive value is certain", before["certain"], after["certain"], people),
        ["Highest confidence for anyone", share(before["highest_confidence"]), share(after["highest_confidence"])],
    ]
    if before["above_threshold"] is not None:
        rows.insert(
            3, compared("People above a threshold", before["above_threshold"], after["above_threshold"], people)
        )
    parts = [
        table(
            f"What linking tells about {plural(people, 'person', 'people')}",
            ["", "original", "release"],
            rows,
            numbers=(1, 2),
        ),
        guesses(before, after, "sensitive value", "without quasi-identifiers"),
        disclosed("How many records people fit", _matches(before["matches"], after["matches"])),
    ]
    return "".join(parts)


def compared(name: str, before: int | None, after: int | None, people: int) -> list[str]:
    return [name, *(_of(number, people) for number in (before, after))]


def _of(number: int | None, people: int) -> str:
    return count(number) if not number or not people else f"{count(number)} ({share(number / people)})"


def guesses(before: Mapping[str, Any], after: Mapping[str, Any], guessed: str, without: str) -> str:
    """How often guesses are right; guessed: what is guessed, without: the guess of one who knows nobody, in words."""
    told = [
        ("from the original", before["guesses"]),
        ("from the release", after["guesses"]),
        (without, after["baseline"] or before["baseline"]),
    ]
    rates = [(name, rate) for name, rate in told if rate is not None and rate["of"]]
    if not rates:
        return ""
    data = table(
        f"Guesses of the {guessed}",
        ["guessed", "right", "of", "rate", "95% interval"],
        [
            [name, count(rate["right"]), count(rate["of"]), share(rate["rate"]), interval(rate["interval"])]
            for name, rate in rates
        ],
        numbers=(1, 2, 3, 4),
    )
    finding = (
        f"Guesses of the {guessed} are right: "
        + ", ".join(f"{name} {share(rate['rate'])}" for name, rate in rates)
        + "."
    )
    picture = rates_with_intervals(
        [(name, rate["rate"], *rate["interval"]) for name, rate in rates], "guesses that are right"
    )
    caption = (
        f"{finding} The adversary names for each person the most frequent one among the records that fit. What the "
        "release gives beyond the last row is what it gives away. The bars are 95% intervals."
    )
    return figure(picture, finding, caption, data)


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


def _range(first: int, last: int | None) -> str:
    if last is None:
        return f"{count(first)} or more"
    return count(first) if first == last else f"{count(first)} to {count(last)}"


def other(title: str, question: str, outcome: Mapping[str, Any]) -> str:
    figures = {name: value for name, value in outcome.items() if name not in {"applies", "reading"}}
    more = (
        disclosed(f"The figures: {title.lower()}", all_figures(figures), printed=False)
        if outcome["applies"] and figures
        else ""
    )
    return f'<h3>{title}</h3><p class="question">{question}</p><p>{sentence(outcome["reading"])}</p>{more}'


def _persons(persons: Sequence[Mapping[str, Any]], title: str) -> str:
    if not persons:
        return ""
    rows = [
        [_person(entry["person"]), told_of(entry["before"]), told_of(entry["after"])]
        for entry in persons[:MOST_PERSONS]
    ]
    caption = "What the adversary learns about them"
    heads = ["person", "from the original", "from the release"]
    return f"<h3>{title}</h3>{table(caption, heads, rows, stacked=True)}"


def _person(person: Mapping[str, Any]) -> str:
    known = list(person.items())
    more = f" and {plural(len(known) - 8, 'more column')}" if len(known) > 8 else ""
    return (
        ", ".join(
            f'<span class="note">{value_html(name, 30)}</span> {value_html(value, 40)}' for name, value in known[:8]
        )
        + more
    )


def told_of(side: Mapping[str, Any], record: str = "record") -> str:
    """What fits somebody, and the confidence in sensitive values; record: what fits, in a word."""
    records = plural(side["records"], f"{record} fits", f"{record}s fit")
    values = side["values"]
    told = ", ".join(f"{value_html(entry['value'], 40)} {share(entry['confidence'])}" for entry in values[:MOST_VALUES])
    more = f" and {plural(len(values) - MOST_VALUES, 'more value')}" if len(values) > MOST_VALUES else ""
    return f"{records}: {told}{more}" if told else records
