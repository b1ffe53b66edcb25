"""Text and numbers as the page shows them: escaped, of a sane length, nothing invisible.

Whatever comes from data goes through `visible` before it reaches the page or a drawing. A cell may hold a megabyte, a
NUL, half a surrogate pair or a mark that turns the reading direction of all that follows.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from html import escape
from typing import Any

LONGEST_VALUE = 60
LONGEST_SENTENCE = 2000
NOTHING = "–"  # noqa: RUF001
_NEWLINES = frozenset("\n")
_JOINERS = frozenset("\u200c\u200d")
"""Persian and many Indian languages cannot be written without them."""


def visible(text: str, keep: frozenset[str] = frozenset()) -> str:
    """The text with every character that cannot be seen, or that UTF-8 or XML cannot hold, written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if character in keep else _shown(character) for character in text)


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if character in _JOINERS:
        return character
    category = unicodedata.category(character)
    if category in {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}:
        return f"[U+{code:04X}]"
    return " " if category == "Zs" else character


def short(value: object, length: int = LONGEST_VALUE) -> str:
    """A value of data as plain text of at most so many characters; not escaped."""
    text = str(value)
    cut = text if len(text) <= length else text[: length - 1] + "…"
    shown = visible(cut)
    if shown and not shown.strip():
        shown = "␠" * len(shown)
    return shown if len(shown) <= 2 * length else shown[: 2 * length] + "…"


def value_html(value: object, length: int = LONGEST_VALUE) -> str:
    """A value of data inside running text: it keeps its own reading direction."""
    text = short(value, length)
    return f"<bdi>{escape(text)}</bdi>" if text else "<em>(missing)</em>"


def label(value: object, length: int = LONGEST_VALUE) -> str:
    """A value of data as plain text in a drawing."""
    return short(value, length) or "(missing)"


def broken(text: str, width: float, bold: bool = False, most: int = 4) -> list[str]:
    """A label in lines that fit a box of that width, by the widths of a wide font of the drawings' size.

    Lines end between words where they can. What needs more than `most` of them is cut.
    """
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if _drawn_width(longer, bold) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while _drawn_width(line, bold) > width and len(line) > 1:
            fits = next(
                place
                for place in range(len(line) - 1, 0, -1)
                if place == 1 or _drawn_width(line[:place], bold) <= width
            )
            lines.append(line[:fits])
            line = line[fits:]
    lines.append(line)
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][:-1]}…"]


def _drawn_width(text: str, bold: bool) -> float:
    letter = 8.7 if bold else 7.7
    return sum(2 * letter if unicodedata.east_asian_width(character) in {"W", "F"} else letter for character in text)


def sentence(text: object, length: int = LONGEST_SENTENCE) -> str:
    """A sentence that may quote data, escaped."""
    whole = str(text)
    return escape(visible(whole if len(whole) <= length else whole[:length] + "…"))


def lines(text: str) -> str:
    """Text of several lines, escaped; the line breaks stay."""
    return escape(visible(text, _NEWLINES))


def count(number: int | float | str | None) -> str:
    """A count; beyond a million million only its size is given."""
    if number is None:
        return NOTHING
    if isinstance(number, str):
        return _power(Decimal(number))
    if isinstance(number, float):
        return amount(number)
    return f"{number:,}" if abs(number) < 10**12 else _power(Decimal(number))


def _power(number: Decimal) -> str:
    digits, _, exponent = f"{number:.2e}".partition("e")
    return f"{digits} × 10{_superscript(int(exponent))}"  # noqa: RUF001


def _superscript(number: int) -> str:
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def amount(number: float | None) -> str:
    """A measured amount with three digits or so."""
    if number is None or not math.isfinite(number):
        return NOTHING
    if number == 0 or abs(number) >= 100:
        return f"{number:,.1f}".removesuffix(".0")
    if abs(number) >= 0.001:
        places = 2 - math.floor(math.log10(abs(number)))
        digits = f"{number:,.{places}f}"
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    return f"{number:.1e}"


def share(number: float | None, places: int = 1) -> str:
    """A share as a percentage; only exactly nothing is 0% and only exactly all is 100%."""
    if number is None or not math.isfinite(number):
        return NOTHING
    smallest = 10**-places
    percent = 100 * number
    if 0 < percent < smallest:
        return f"< {smallest:g}%"
    if 100 - smallest < percent < 100:
        return f"> {100 - smallest:g}%"
    return f"{percent:,.{places}f}".removesuffix("." + "0" * places) + "%"


def interval(bounds: Sequence[float]) -> str:
    return f"{share(bounds[0])} to {share(bounds[1])}"


def span(first: int, last: int | None) -> str:
    """A bin of counts; one without an end has no last number."""
    if last is None:
        return f"{count(first)}+"
    return count(first) if first == last else f"{count(first)}–{count(last)}"  # noqa: RUF001


def part_of(part: int | str, whole: int | str) -> str | None:
    """How small a part is of a whole that may be astronomically large; nothing where there is no whole."""
    few, many = Decimal(part), Decimal(whole)
    if not many:
        return None
    if few * 1000 >= many:
        return share(float(few / many))
    return f"one in {count(int(many / few) if many / few < 10**12 else str(many / few))}" if few else "none"


def measured(number: float | None, unit: str) -> str:
    """A figure of a measure by its unit."""
    if number is None:
        return NOTHING
    if unit == "share":
        return share(number)
    if unit == "count":
        return count(number)
    return f"{amount(number)} {unit.removesuffix('s') if number == 1 else unit}"


def plural(number: int, one: str, many: str | None = None) -> str:
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """a, b and c"""
    parts = list(words)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}" if parts else ""


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
