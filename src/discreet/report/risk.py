"""What the sections on risk show for every kind of data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from discreet.attacks.attack import Attack
from discreet.report.charts import figure, rates_with_intervals
from discreet.report.details import all_figures
from discreet.report.tables import disclosed, table
from discreet.report.text import count, interval, plural, sentence, share, value_html

MOST_PERSONS = 20


MOST_VALUES = 5


def readings(attack: Mapping[str, Any]) -> str:
    told = "".join(f"<li>{sentence(text)}</li>" for text in attack["reading"] if text != attack["adversary"])
    who = f"<p>{sentence(attack['adversary'])}</p>"
    return f'{who}<ul class="readings">{told}</ul>' if told else who


def compared(name: str, before: int | None, after: int | None, people: int) -> list[str]:
    return [name, *(_of(number, people) for number in (before, after))]


def _of(number: int | None, people: int) -> str:
    return count(number) if not number or not people else f"{count(number)} ({share(number / people)})"


def guesses(before: Mapping[str, Any], after: Mapping[str, Any], guessed: str, without: str) -> str:
    """How often guesses are right; guessed: what is guessed, without: guessing without knowing anybody, in words."""
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


def other(title: str, question: str, outcome: Mapping[str, Any]) -> str:
    figures = {name: value for name, value in outcome.items() if name not in {"applies", "reading"}}
    more = (
        disclosed(f"The figures: {title.lower()}", all_figures(figures), printed=False)
        if outcome["applies"] and figures
        else ""
    )
    return f'<h3>{title}</h3><p class="question">{question}</p><p>{sentence(outcome["reading"])}</p>{more}'


def told_of(side: Mapping[str, Any], record: str = "record") -> str:
    """What fits somebody, and the confidence in sensitive values; record: what fits, in a word."""
    records = plural(side["records"], f"{record} fits", f"{record}s fit")
    values = side["values"]
    told = ", ".join(f"{value_html(entry['value'], 40)} {share(entry['confidence'])}" for entry in values[:MOST_VALUES])
    more = f" and {plural(len(values) - MOST_VALUES, 'more value')}" if len(values) > MOST_VALUES else ""
    return f"{records}: {told}{more}" if told else records


def others(document: Mapping[str, Any], attacks: Iterable[Attack]) -> Iterator[str]:
    """The attacks that are shown as a sentence and figures, each under its title."""
    return (
        other(attack.title, attack.question, document[attack.name])
        for attack in attacks
        if attack.title and document.get(attack.name)
    )
