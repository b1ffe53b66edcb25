"""What is dirty in a table, and how a policy can clean it.

Found in each column: blanks that nobody sees, markers of missing values, dates and numbers in other notations, codes
that are written differently from the rest, a few texts among numbers, spellings that differ in case, accents or one
letter. And rows that are equal but for such things.

What is proposed is either *safe* or *doubtful*. Safe is what changes only how something is written: readers would take
both for the same. The starter policy has it as lines that apply. Doubtful is what may be two different things, such as
two words that differ in one letter; it becomes comments that a human may uncomment.

Costs: everything looks at the different values of a column, and at most at `MOST_JUDGED` of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import numpy as np

from discreet.policy.clean import CleanColumn, CleanTable, cleaning_of
from discreet.profile.hints import NUMBERED, hint, only_a_number
from discreet.profile.table.columns import LONGEST_KEPT, CodedColumn, Column
from discreet.profile.table.combinations import CodedTable
from discreet.values.arrays import Int32s, Int64s
from discreet.values.cleaning import Cleaning
from discreet.values.look_alikes import as_read, look_alikes
from discreet.values.words import briefly, counted, listed

Topic = Literal["blanks", "missing", "dates", "numbers", "codes", "mixed types", "spellings", "rows"]
Keys = Mapping[str, Any]
"""of `clean`, as a policy writes them"""

MOST_JUDGED = 50_000
MOST_COMPARED = 5_000
"""values that are compared letter by letter"""
MOST_MAPPED = 40
SHOWN = 5
NEARLY_ALL = 0.9
STICKS_OUT = 5
"""how many times the range of all other numbers a number has to lie apart, to mean nothing for sure"""
FEWEST_NUMBERS = 5
SHORTEST_WORD = 5
RARE = 20
"""A misspelling is at least so many times as rare as the right spelling."""

_MARKERS = frozenset(
    {
        *("n/a", "n.a.", "#n/a", "na", "null", "(null)", "nan", "<na>", "\\n", "-", "--", "---", "?", "??", "???", "."),
        *(
            "unknown",
            "not known",
            "not available",
            "missing",
            "no answer",
            "unbekannt",
            "nicht bekannt",
            "k.a.",
            "k. a.",
        ),
        *("keine angabe", "inconnu", "inconnue", "non connu", "sconosciuto", "desconocido"),
    }
)
_DOUBTFUL_MARKERS = frozenset({"none", "nil", "keine", "aucun", "aucune"})
_TWO_LETTERS = re.compile(r"[A-Z]{2}")
_ALL_NINES = re.compile(r"-?9{2,}(?:\.0+)?|-1|-9")
_PLAIN = re.compile(r"[+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?", re.ASCII)
_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:[. '\u2019\u00a0\u202f]\d{3})+|\d+),\d+", re.ASCII)
_GROUPS_BY_COMMA = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_ONE_NUMBER = re.compile(r"[^\d]*?(\d+(?:\.\d+)?)[^\d]*", re.ASCII)
_DATE = re.compile(r"(\d{1,4})([./-])\s*(\d{1,2})\2\s*(\d{1,4})(?:[T\s]+\d{1,2}:\d{2}.*)?", re.ASCII)
_EIGHT_DIGITS = re.compile(r"\d{8}", re.ASCII)
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
_DATES = ("date", "datum", "birth", "birthday", "born", "dob", "geburt", "naissance", "day", "tag", "jour")
_FORMER = 1800
_LATER = 2200


@dataclass(frozen=True)
class Finding:
    """Something dirty, in words, and what to write about it."""

    topic: Topic
    text: str
    column: str | None = None
    advice: str | None = None


@dataclass(frozen=True)
class ColumnQuality:
    """What is dirty in a column, and the keys of `clean` that would mend it."""

    safe: Keys = field(default_factory=dict)
    doubtful: Keys = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Quality:
    """What is dirty in a table."""

    columns: Mapping[str, ColumnQuality]
    rows: tuple[Finding, ...] = ()
    """what is dirty in whole rows"""

    def of(self, names: Collection[str]) -> Quality:
        """What matters where only these columns are published."""
        return Quality({name: found for name, found in self.columns.items() if name in names}, self.rows)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (*(found for column in self.columns.values() for found in column.findings), *self.rows)

    @property
    def everywhere(self) -> Keys:
        """Keys of `data.clean`: blanks, and markers that several columns have, are treated alike in all of them."""
        keys: dict[str, Any] = {"trim": True} if any("trim" in found.safe for found in self.columns.values()) else {}
        return {**keys, "missing": shared} if (shared := self._shared_markers()) else keys

    def safe(self, name: str) -> Keys:
        """Keys of a column's `clean`, besides those of `data.clean`."""
        keys = {key: value for key, value in self.columns[name].safe.items() if key != "trim"}
        left = [marker for marker in keys.pop("missing", ()) if marker not in self._shared_markers()]
        return {**({"missing": left} if left else {}), **keys}

    def doubtful(self, name: str) -> Keys:
        return self.columns[name].doubtful

    def _shared_markers(self) -> list[str]:
        found = [marker for column in self.columns.values() for marker in column.safe.get("missing", ())]
        return [text for text in dict.fromkeys(found) if found.count(text) > 1 and not _PLAIN.fullmatch(text)]

    def cleanings(self) -> dict[str, Cleaning]:
        """What the safe part does to each column."""
        table = CleanTable.model_validate(self.everywhere)
        found = {name: cleaning_of(table, CleanColumn.model_validate(self.safe(name))) for name in self.columns}
        return {name: cleaning for name, cleaning in found.items() if cleaning}

    def as_dicts(self) -> list[dict[str, str | None]]:
        return [
            {"topic": found.topic, "column": found.column, "found": found.text, "advice": found.advice}
            for found in self.findings
        ]


def judge_table(columns: Sequence[CodedColumn]) -> Quality:
    judged = {
        coded.column.name: judge(
            coded.column.name, coded.values.slice(0, MOST_JUDGED).to_pylist(), np.bincount(coded.codes, minlength=1)
        )
        for coded in columns
    }
    return Quality(judged, tuple(_near_duplicates(columns)))


def judge(name: str, values: Sequence[str], counts: Sequence[int] | Int64s) -> ColumnQuality:
    """What is dirty in a column, from its different values and how many rows have each."""
    texts: dict[str, int] = defaultdict(int)
    untidy: dict[str, int] = {}
    for value, count in zip(values, counts, strict=False):
        if len(value) > LONGEST_KEPT:  # cut off, so it is not the value
            continue
        tidy = _trimmed(value)
        if tidy:
            texts[tidy] += int(count)
        if tidy != value:
            untidy[value] = int(count)
    safe: dict[str, Any] = {}
    doubtful: dict[str, Any] = {}
    findings: list[Finding] = []

    def find(topic: Topic, text: str, advice: str | None = None) -> None:
        findings.append(Finding(topic, text, name, advice))

    if untidy:
        safe["trim"] = True
        find("blanks", f"{_rows(untidy)} have blanks too many, as in {_shown(untidy)}", "data.clean: {trim: true}")
    if markers := _markers(texts):
        safe["missing"] = sorted(markers)
        find("missing", f"{_shown(markers)} probably stand for no value", "clean.missing, which takes them for missing")
    rest = {text: count for text, count in texts.items() if text not in markers}
    if not rest:
        return ColumnQuality(safe, doubtful, tuple(findings))
    reading = _dates(name, rest) or _numbers(rest)
    if reading is not None:
        safe |= reading.safe
        doubtful |= reading.doubtful
        for found in reading.findings:
            find(found.topic, found.text, found.advice)
    elif (plain := {text: count for text, count in rest.items() if _PLAIN.fullmatch(text)}) and _share(
        plain, rest
    ) >= NEARLY_ALL:
        _judge_numbers(rest, plain, safe, doubtful, find)
    else:
        _judge_spellings(rest, safe, doubtful, find)
    return ColumnQuality(safe, doubtful, tuple(findings))


def _markers(texts: Mapping[str, int]) -> dict[str, int]:
    """What surely stands for no value. NA is Namibia among codes of two letters."""
    found = {text: count for text, count in texts.items() if text.casefold() in _MARKERS}
    if len(found) == len(texts):
        return {}
    others = [text for text in texts if text not in found]
    two_letters = sum(1 for text in others if _TWO_LETTERS.fullmatch(text))
    if 2 * two_letters >= len(others):
        found.pop("NA", None)
    return found


# --- Dates and numbers in other notations -------------------------------------------------------------------


def _dates(name: str, texts: Mapping[str, int]) -> ColumnQuality | None:
    """Formats that nearly all values have; None where they are no dates, or written as they should be."""
    if hint(name, _DATES) and all(
        _EIGHT_DIGITS.fullmatch(text) and _is_day(text[:4], text[4:6], text[6:]) for text in texts
    ):
        return ColumnQuality({"date": "Ymd"}, {}, (_date_finding(["Ymd"], texts),))
    rows: dict[str, int] = defaultdict(int)
    either: dict[str, int] = defaultdict(int)
    read: dict[str, int] = {}
    short: dict[str, int] = {}
    iso = True
    for text, count in texts.items():
        found = _DATE.fullmatch(text)
        if found is None:
            continue
        first, sign, second, third = found.groups()
        iso &= len(text) >= 10 and sign == "-" and len(first) == 4 and len(second) == 2
        if len(first) == 4 and _is_day(first, second, third):
            rows[f"Y{sign}m{sign}d"] += count
        elif len(third) == 4:
            by_day, by_month = _is_day(third, second, first), sign != "." and _is_day(third, first, second)
            if by_day and by_month:
                either[sign] += count
            elif by_day or by_month:
                rows[f"d{sign}m{sign}Y" if by_day else f"m{sign}d{sign}Y"] += count
            else:
                continue
        elif len(first) <= 2 and len(third) == 2:
            short[text] = count
            continue
        else:
            continue
        read[text] = count
    if short and _share(short, texts) >= NEARLY_ALL:
        text = f"dates whose years have two digits, as in {_shown(short)}: nobody can tell the century"
        return ColumnQuality(findings=(Finding("dates", text, advice="write the years with four digits in the data"),))
    if not read or _share(read, texts) < NEARLY_ALL or (iso and len(read) == len(texts)):
        return None
    open_signs = [sign for sign in either if (f"d{sign}m{sign}Y" in rows) == (f"m{sign}d{sign}Y" in rows)]
    for sign, count in either.items():
        rows[f"d{sign}m{sign}Y" if f"m{sign}d{sign}Y" not in rows else f"m{sign}d{sign}Y"] += count
    formats = sorted(rows, key=lambda text: -rows[text])
    if open_signs:
        sign = open_signs[0]
        text = f"dates of which nothing says whether the day or the month comes first, as in {_shown(read)}"
        advice = f"clean: {{date: d{sign}m{sign}Y}} or {{date: m{sign}d{sign}Y}}, whichever is meant"
        return ColumnQuality({}, {"date": _one_or_all(formats)}, (Finding("dates", text, advice=advice),))
    others = {text: count for text, count in texts.items() if text not in read}
    if others and formats == ["Y-m-d"]:
        return None
    return _with_unreadable({"date": _one_or_all(formats)}, _date_finding(formats, read), others)


def _date_finding(formats: Sequence[str], read: Mapping[str, int]) -> Finding:
    mixed = f"dates in {len(formats)} formats" if len(formats) > 1 else "dates"
    text = f"{mixed}, {listed(formats)}, as in {_shown(read)}"
    return Finding("dates", text, advice=f"clean: {{date: {_in_brackets(formats)}}}, which makes them dates")


def _with_unreadable(safe: dict[str, Any], finding: Finding, others: Mapping[str, int]) -> ColumnQuality:
    if not others:
        return ColumnQuality(safe, {}, (finding,))
    told = Finding(
        "mixed types",
        f"{_rows(others)} have something else, as {_shown(others)}",
        advice="clean.map for what they should be; on_unreadable: suppress takes them for missing",
    )
    return ColumnQuality({**safe, "on_unreadable": "suppress"}, {}, (finding, told))


def _numbers(texts: Mapping[str, int]) -> ColumnQuality | None:
    """Numbers with a decimal comma, or with commas between the thousands."""
    plain = {text: count for text, count in texts.items() if _PLAIN.fullmatch(text)}
    for key, pattern in (("comma", _COMMA), ("point", _GROUPS_BY_COMMA)):
        written = {text: count for text, count in texts.items() if text not in plain and pattern.fullmatch(text)}
        read = plain | written
        if not written or _share(read, texts) < NEARLY_ALL:
            continue
        by_thousands = all(_GROUPS_BY_COMMA.fullmatch(text) for text in written)
        if by_thousands and not any("." in text or text.count(",") > 1 for text in written):
            text = f"numbers such as {_shown(written)}, of which nothing says whether the comma is decimal"
            advice = "clean: {decimal: comma} or {decimal: point}, whichever is the decimal sign"
            return ColumnQuality({}, {"decimal": "point"}, (Finding("numbers", text, advice=advice),))
        if key == "comma" and by_thousands:
            continue
        what = "a decimal comma" if key == "comma" else "commas between the thousands"
        finding = Finding(
            "numbers", f"numbers with {what}, as in {_shown(written)}", advice=f"clean: {{decimal: {key}}}"
        )
        others = {text: count for text, count in texts.items() if text not in read}
        return _with_unreadable({"decimal": key}, finding, others)
    return None


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        date(int(year), int(month), int(day))
    except ValueError:
        return False
    return _FORMER <= int(year) < _LATER


# --- Numbers and codes --------------------------------------------------------------------------------------


def _judge_numbers(
    texts: Mapping[str, int],
    plain: Mapping[str, int],
    safe: dict[str, Any],
    doubtful: dict[str, Any],
    find: Callable[..., None],
) -> None:
    """Few texts among numbers, digits that are codes, and numbers that mean nothing."""
    others = {text: count for text, count in texts.items() if text not in plain}
    mended = _judge_codes(texts, safe, doubtful, find)
    others = {text: count for text, count in others.items() if text not in mended}
    if others:
        numbers = {text: found[1] for text in others if (found := _ONE_NUMBER.fullmatch(text))}
        if numbers and len(numbers) <= MOST_MAPPED:
            doubtful["map"] = {**doubtful.get("map", {}), **numbers}
        find(
            "mixed types",
            f"{_rows(others)} have a text among numbers, as {_shown(others)}",
            "clean.map for what they should be, or clean.missing",
        )
    if means_nothing := _sticks_out(plain):
        text, surely = means_nothing
        target = safe if surely else doubtful
        target["missing"] = [*target.get("missing", ()), text]
        find(
            "missing",
            f"{_shown({text: plain[text]})} lies far from all other numbers and may stand for no value",
            "clean.missing",
        )


def _judge_codes(
    texts: Mapping[str, int], safe: dict[str, Any], doubtful: dict[str, Any], find: Callable[..., None]
) -> Mapping[str, str]:
    """Codes that are written differently from the rest, and how the rest would write them."""
    odd = _odd_codes(texts)
    if odd is None:
        return {}
    mended, same_way = odd
    (safe if same_way else doubtful)["map"] = mended
    shown = _shown({text: texts[text] for text in mended})
    find("codes", f"{counted(len(mended), 'value')} written differently from the rest, as {shown}", "clean.map")
    return mended


def _odd_codes(texts: Mapping[str, int]) -> tuple[dict[str, str], bool] | None:
    """Values that have digits like nearly all others and something around them; and whether that is always the same."""
    shapes: dict[str, int] = defaultdict(int)
    for text, count in texts.items():
        shapes[_shape(text)] += count
    usual = max(shapes, key=lambda shape: shapes[shape])
    if set(usual) != {"9"} or len(usual) < 3 or shapes[usual] < NEARLY_ALL * sum(shapes.values()):
        return None
    mended, around = {}, set()
    for text in texts:
        bare = text.removesuffix(".0")
        digits = bare if _shape(bare) == usual else re.sub(r"[^0-9]", "", text)
        if _shape(text) != usual and _shape(digits) == usual:
            mended[text] = digits
            around.add(re.sub(r"[0-9]", "", text) if digits != bare else ".0")
    return (mended, len(around) == 1) if 0 < len(mended) <= MOST_MAPPED else None


def _shape(text: str) -> str:
    return re.sub(r"[^\W\d_]", "A", re.sub(r"[0-9]", "9", text))


def _sticks_out(plain: Mapping[str, int]) -> tuple[str, bool] | None:
    """A number such as 9999 at one end, repeated and far from all others; and whether it surely means nothing."""
    numbers = {text: float(text) for text in plain}
    if len(numbers) <= FEWEST_NUMBERS:
        return None
    ends = (max(numbers, key=lambda text: numbers[text]), min(numbers, key=lambda text: numbers[text]))
    for text in ends:
        others = [number for other, number in numbers.items() if other != text]
        if not _ALL_NINES.fullmatch(text) or plain[text] < 2:
            continue
        span = max(max(others) - min(others), 1)
        apart = min(abs(numbers[text] - max(others)), abs(numbers[text] - min(others)))
        if apart >= span:
            return text, apart >= STICKS_OUT * span
    return None


# --- Spellings ----------------------------------------------------------------------------------------------


def _judge_spellings(
    texts: Mapping[str, int], safe: dict[str, Any], doubtful: dict[str, Any], find: Callable[..., None]
) -> None:
    mended = _judge_codes(texts, safe, doubtful, find)
    texts = {text: count for text, count in texts.items() if text not in mended}
    one_of = {text: text for text in texts}
    groups = look_alikes(texts)
    for group in groups:
        most = max(group, key=lambda text: (texts[text], text))
        one_of |= dict.fromkeys(group, most)
    if groups:
        alike = {text: most for text, most in one_of.items() if text != most}
        if len(alike) <= MOST_MAPPED:
            safe["map"] = {**safe.get("map", {}), **alike}
            advice = "clean.map, which gives them one spelling"
        elif case := _case(texts, groups):
            safe["case"] = case
            advice = f"clean: {{case: {case}}}"
        else:
            advice = "clean.map, or one spelling in the data"
        find("spellings", f"differ in case or characters that look alike: {_groups(groups, texts)}", advice)
    counts: dict[str, int] = defaultdict(int)
    for text, most in one_of.items():
        counts[most] += texts[text]
    if len(counts) > MOST_COMPARED:
        return
    for words, pairs in (("accents", _by_accents(counts)), ("one letter", _by_one_letter(counts))):
        new = {rare: often for rare, often in pairs.items() if rare not in doubtful.get("map", {})}
        if new:
            doubtful["map"] = {**doubtful.get("map", {}), **dict(list(new.items())[:MOST_MAPPED])}
            pairs_shown = [(often, rare) for rare, often in new.items()]
            find(
                "spellings", f"differ in {words}: {_groups(pairs_shown, counts)}", "clean.map where they mean the same"
            )
    if none := {text: count for text, count in counts.items() if text.casefold() in _DOUBTFUL_MARKERS}:
        doubtful["missing"] = sorted(none)
        find("missing", f"{_shown(none)} may stand for no value", "clean.missing if so")


def _case(texts: Mapping[str, int], groups: Sequence[Sequence[str]]) -> str | None:
    """The case that most rows have, where it makes all look-alikes equal."""
    cases = {"lower": str.lower, "upper": str.upper, "title": str.title}
    able = [name for name, cased in cases.items() if all(len({cased(text) for text in group}) == 1 for group in groups)]
    kept = {name: sum(count for text, count in texts.items() if cases[name](text) == text) for name in able}
    return max(kept, key=lambda name: kept[name], default=None)


def _by_accents(counts: Mapping[str, int]) -> dict[str, str]:
    """Spelling -> a more frequent one with other accents."""
    alike: dict[str, list[str]] = defaultdict(list)
    for text in counts:
        apart = unicodedata.normalize("NFKD", text.casefold())
        alike["".join(sign for sign in apart if not unicodedata.combining(sign))].append(text)
    found: dict[str, str] = {}
    for group in alike.values():
        most = max(group, key=lambda text: (counts[text], text))
        found |= {text: most for text in group if text != most}
    return found


def _by_one_letter(counts: Mapping[str, int]) -> dict[str, str]:
    """Rare spelling -> a far more frequent one that differs by a letter more, less, other or swapped, in a long word.

    Two texts that differ so are equal when a letter is taken out of each; so only texts that share such a rest meet.
    """
    meet: dict[str, list[str]] = defaultdict(list)
    for text in counts:
        if any(sign.isdigit() for sign in text) or not SHORTEST_WORD <= len(text) <= 100:
            continue
        for rest in {text.casefold(), *(text.casefold()[:at] + text.casefold()[at + 1 :] for at in range(len(text)))}:
            meet[rest].append(text)
    found: dict[str, str] = {}
    for group in meet.values():
        for rare in group:
            for often in group:
                is_better = rare not in found or counts[often] > counts[found[rare]]
                if is_better and counts[rare] * RARE <= counts[often] and _one_long_word_differs(rare, often):
                    found[rare] = often
    return found


def _one_long_word_differs(first: str, second: str) -> bool:
    words, others = first.split(), second.split()
    if len(words) != len(others):
        return False
    different = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return (
        len(different) == 1
        and min(map(len, different[0])) >= SHORTEST_WORD - 1
        and len(different[0][1]) >= SHORTEST_WORD
    )


# --- Rows ---------------------------------------------------------------------------------------------------


def _near_duplicates(columns: Sequence[CodedColumn]) -> Iterator[Finding]:
    """Rows that are equal but for case, blanks and characters that look alike. Numbers of rows do not count."""
    kept = [coded for coded in columns if not _numbers_rows(coded.column)]
    if not kept:
        return
    names = tuple(coded.column.name for coded in kept)
    written = CodedTable(names, tuple(coded.codes for coded in kept))
    read_alike = CodedTable(names, tuple(_codes_as_read(coded.values, coded.codes) for coded in kept))
    everything = tuple(range(len(kept)))
    more = written.combination(everything).distinct - read_alike.combination(everything).distinct
    if more:
        yield Finding(
            "rows",
            f"{counted(more, 'row')} would be equal to another one but for case, blanks or characters that look alike",
            advice="look whether somebody is in the table twice",
        )


def _numbers_rows(column: Column) -> bool:
    running = column.numbers is not None and column.numbers.running
    return running or only_a_number(column.name) or (column.nearly_unique and hint(column.name, NUMBERED) is not None)


def _codes_as_read(values: Any, codes: Int32s) -> Int32s:
    """The same number for values that read the same; missing values have one of their own."""
    numbers: dict[str, int] = {}
    texts = values.to_pylist() if len(values) <= MOST_JUDGED else ()
    new = [numbers.setdefault(as_read(text), len(numbers)) for text in texts]
    if not new:
        return codes
    return np.array([*new, len(numbers)], np.int32)[codes]


# --- Words --------------------------------------------------------------------------------------------------


def _trimmed(text: str) -> str:
    return " ".join(_UNSEEN.sub("", text).split())


def _share(some: Mapping[str, int], texts: Mapping[str, int]) -> float:
    return sum(some.values()) / max(sum(texts.values()), 1)


def _rows(texts: Mapping[str, int]) -> str:
    return counted(sum(texts.values()), "row")


def _shown(texts: Mapping[str, int]) -> str:
    """The most frequent of them, with how many rows have each."""
    often = sorted(texts, key=lambda text: (-texts[text], text))
    parts = [f"{briefly(text)} ({texts[text]:,})" for text in often[:SHOWN]]
    more = len(often) - SHOWN
    return listed([*parts, f"{more:,} more"]) if more > 0 else listed(parts)


def _groups(groups: Sequence[Sequence[str]], counts: Mapping[str, int]) -> str:
    parts = [_shown({text: counts[text] for text in group}) for group in groups[:SHOWN]]
    more = len(groups) - SHOWN
    return "; ".join([*parts, *([f"and {more:,} more such groups"] if more > 0 else [])])


def _one_or_all(formats: Sequence[str]) -> str | list[str]:
    return formats[0] if len(formats) == 1 else list(formats)


def _in_brackets(formats: Sequence[str]) -> str:
    return formats[0] if len(formats) == 1 else f"[{', '.join(formats)}]"
