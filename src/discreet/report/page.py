"""The skeleton of the page: head, contents, sections, footer. One file, no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

from discreet.report.pictures import with_pictures, without_pictures

SAFE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
TITLE = "Report for the steward"


@dataclass(frozen=True)
class Section:
    """A part of the page: lead and body are HTML; the lead says in a sentence how to read it."""

    anchor: str
    title: str
    lead: str
    body: str


@cache
def style() -> str:
    return (files("discreet.report") / "style.css").read_text(encoding="utf-8")


def page(subtitle: str, sections: Sequence[Section], *, drawn: bool = True) -> str:
    """The whole page; subtitle is HTML. drawn: whether it has its pictures, or only their figures."""
    contents = "".join(f'<li><a href="#{part.anchor}">{escape(part.title)}</a></li>' for part in sections)
    written = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{SAFE}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="robots" content="noindex"><meta name="color-scheme" content="light dark">'
        f"<title>discreet: {TITLE.lower()}</title><style>{style()}</style></head>\n<body>"
        '<a class="skip" href="#content">Skip to the content</a>'
        f'<header><p class="brand">discreet</p><h1>{TITLE}</h1><p class="subtitle">{subtitle}</p>'
        '<p class="private"><strong>Never publish this page.</strong> It is for the steward only: it reveals what was '
        "suppressed and what the original looks like.</p></header>\n"
        f'<div class="sheet"><nav aria-labelledby="contents"><h2 id="contents">Contents</h2><ol>{contents}</ol></nav>\n'
        f'<main id="content" tabindex="-1">{"".join(_rendered(part) for part in sections)}</main></div>\n'
        "<footer><p>Publish the folder <code>release</code> and nothing else.</p></footer>"
        "</body></html>\n"
    )
    return with_pictures(written) if drawn else without_pictures(written)


def _rendered(part: Section) -> str:
    lead = f'<p class="lead">{part.lead}</p>' if part.lead else ""
    return (
        f'<section id="{part.anchor}" aria-labelledby="{part.anchor}-title"><h2 id="{part.anchor}-title">'
        f"{escape(part.title)}</h2>{lead}{part.body}</section>\n"
    )
