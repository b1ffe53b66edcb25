"""Cells that a spreadsheet would run as a formula, and how they are made harmless when a policy asks for it.

A cell that begins with = + - @, a tab or a carriage return gets an apostrophe in front, unless it is a plain number:
-5 stays -5. A cell that already begins with an apostrophe gets one too, so that taking one away always gives the cell
as it was. Readers other than spreadsheets see the apostrophe too, which is why this is not done unasked.
"""

from __future__ import annotations

import re

APOSTROPHE = "'"
FORMULA = r"^[=+\-@\t\r']"
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def escaped(text: str) -> str:
    """The text as a CSV cell that no spreadsheet runs.

    >>> escaped("=1+1"), escaped("-5"), escaped("flu")
    ("'=1+1", '-5', 'flu')
    """
    return APOSTROPHE + text if re.match(FORMULA, text) and not re.fullmatch(NUMBER, text) else text
