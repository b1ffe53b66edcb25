"""Tables and numbers as Markdown, and their place in a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path


def table(header: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> str:
    """A table whose first columns are text; the others are numbers and stand to the right."""
    rules = ["---"] * text_columns + ["---:"] * (len(header) - text_columns)
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rules, *rows))


def duration(seconds: float) -> str:
    """Seconds with three digits or so."""
    if seconds < 1:
        return f"{seconds:.3f}"
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:,.1f}"


def amount(number: Fraction) -> str:
    """A cost: whole, or with three decimals."""
    return f"{int(number):,}" if number.denominator == 1 else f"{float(number):,.3f}"


def replace_section(page: Path, name: str, text: str) -> None:
    """Puts the text between `<!-- name -->` and `<!-- /name -->`."""
    opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
    between = re.compile(f"(?<={re.escape(opening)}).*?(?={re.escape(closing)})", re.DOTALL)
    old = page.read_text(encoding="utf-8")
    if not between.search(old):
        raise SystemExit(f"{page}: there is no {opening} ... {closing} to put the table in; add the two markers.")
    page.write_text(between.sub(lambda _: f"\n\n{text}\n\n", old, count=1), encoding="utf-8")
