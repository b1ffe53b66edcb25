"""Names and texts as SQL writes them."""

from __future__ import annotations


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Writes any name as an SQL identifier: `say "hi", Bob` becomes `"say ""hi"", Bob"`."""
    return '"' + name.replace('"', '""') + '"'
