"""Whatever a measure or an attack gives in detail, in whatever shape: figures as lines, lists of records as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.tables import table
from discreet.report.text import NOTHING, amount, count, interval, is_number, sentence, share, value_html

MOST_DETAILS = 60
MOST_INSIDE = 8
SIDES = frozenset({"original", "release", "majority", "before", "after", "new", "first", "second", "both"})


def all_figures(details: Mapping[str, Any]) -> str:
    """Single figures in one table, those that have the same parts in another, then the others."""
    single: list[list[str]] = []
    alike: dict[tuple[str, ...], list[list[str]]] = {}
    others: list[str] = []
    for key, value in details.items():
        if _is_rate(value) or not isinstance(value, Mapping | list | tuple):
            single.append([_words(key), _rate(value) if _is_rate(value) else _cell(value)])
        elif (
            isinstance(value, Mapping) and value and value.keys() <= SIDES and not any(map(_is_nested, value.values()))
        ):
            alike.setdefault(tuple(value), []).append([_words(key), *map(_cell, value.values())])
        else:
            others.append(_shown(key, value))
    plain = all(is_number(value) for value in details.values() if not _is_nested(value) or _is_rate(value))
    parts = [table("Single figures", ["", "figure"], single, numbers=(1,) if plain else ())] if single else []
    for heads, rows in alike.items():
        names = [_words(head) for head in heads]
        parts.append(table(f"Compared: {', '.join(heads)}", ["", *names], rows, numbers=range(1, len(names) + 1)))
    return "".join([*parts, *others])


def _words(key: object) -> str:
    return sentence(str(key).replace("_", " "), 80)


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _is_rate(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == {"right", "of", "rate", "interval"}


def _rate(value: Mapping[str, Any]) -> str:
    return (
        f"{_cell(value['right'])} of {_cell(value['of'])} right, {share(value['rate'])} (95% interval "
        f"{interval(value['interval'])})"
    )


def _shown(key: str, value: Any) -> str:
    if isinstance(value, Mapping):
        entries = list(value.items())
        if entries and all(isinstance(inner, Mapping) for _, inner in entries):
            return _records(key, [{"": outer, **inner} for outer, inner in entries])
        rows = [[value_html(inner), _cell(shown)] for inner, shown in entries]
        return table(key.replace("_", " "), ["", "figure"], rows, numbers=(1,), most=MOST_DETAILS) if rows else ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if value and all(isinstance(inner, Mapping) for inner in value):
            return _records(key, value)
        return f"<p>{_words(key)}: {_cell(value)}</p>" if value else ""
    return ""


def _records(key: str, records: Sequence[Mapping[str, Any]]) -> str:
    # what is nested twice would not fit; result.json has it
    heads = list(
        dict.fromkeys(
            name
            for record in records[:MOST_DETAILS]
            for name, value in record.items()
            if not isinstance(value, Mapping)
        )
    )
    numbers = [
        index for index, head in enumerate(heads) if index and all(_is_figure(record.get(head)) for record in records)
    ]
    return table(
        key.replace("_", " "),
        [_words(head) for head in heads],
        [[_cell(record.get(head)) for head in heads] for record in records],
        numbers=numbers,
        most=MOST_DETAILS,
    )


def _is_figure(value: Any) -> bool:
    return value is None or is_number(value)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return amount(value)
    if value is None:
        return NOTHING
    if isinstance(value, Mapping):
        return ", ".join(f"{value_html(key, 40)} {_cell(inner)}" for key, inner in list(value.items())[:MOST_INSIDE])
    if isinstance(value, Sequence) and not isinstance(value, str):
        more = ", …" if len(value) > MOST_INSIDE else ""
        return ", ".join(_cell(inner) for inner in value[:MOST_INSIDE]) + more
    return value_html(value)
