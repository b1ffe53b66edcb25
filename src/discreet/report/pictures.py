"""Pictures: Vega and Vega-Lite specifications, and the process that draws them.

The renderer runs V8, which ends its whole process where it gets no memory or address space (`ulimit -v`). No
publication may end with it, so the pictures of a page are drawn together, in a process of its own, and those that it
does not draw are missing. It inherits nothing but the place of the packages: no handle, no variable for Python. Until
then a picture stands in the page as its specification.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape, unescape
from multiprocessing.spawn import get_executable
from signal import Signals
from typing import Any, Literal

from discreet.report.text import visible
from discreet.values.steps import doing

SECONDS = 120
"""for all pictures of a page; one takes a small part of a second"""

_PROGRAM = "import sys; sys.path[:] = {path!a}; from discreet.report.renderer import main; main()"

_UNDRAWN = re.compile(r'<div class="chart" data-picture="([^"]*)" data-finding="([^"]*)"></div>')
_TAG = re.compile(r"<[^<>]*>")
_NOISE = re.compile(
    r' (?:(?:xmlns(?::\w+)?|version|class|role|aria-\w+|pointer-events|font-family|fill-opacity)="[^"]*"|opacity="1")'
)
_UNSEEN = re.compile(r'<text[^<>]* opacity="0"[^<>]*>[^<>]*</text>')
_EMPTY = re.compile(r'<path(?: d="(?:M0,0h0v0h0Z)?"| display="none")+/>')
_LONG_FRACTION = re.compile(r"(\d+\.\d\d)\d+")


@dataclass(frozen=True)
class Picture:
    """A specification. Every string in it is made visible: XML does not have all characters."""

    language: Literal["vega", "vega-lite"]
    specification: Mapping[str, Any]

    def as_json(self) -> str:
        return json.dumps([self.language, _with_texts(self.specification, visible)])


def undrawn(picture: Picture, finding: str) -> str:
    """The place of a picture in a page, before it is drawn; finding: plain text, what the picture shows."""
    told = escape(visible(finding))
    return f'<div class="chart" data-picture="{escape(picture.as_json())}" data-finding="{told}"></div>'


def with_pictures(page: str) -> str:
    """The page with its pictures drawn, each with its text alternative; and a sentence in place of what is missing."""
    svgs = iter(draw([unescape(place[1]) for place in _UNDRAWN.finditer(page)]))
    return _UNDRAWN.sub(lambda place: _in_place(next(svgs), place[2]), page)


def without_pictures(page: str) -> str:
    """The page with a sentence in place of each picture, for whoever does not want to wait for them."""
    return _UNDRAWN.sub('<p class="note">The charts were left out. The figures are below.</p>', page)


def _in_place(svg: str | None, finding: str) -> str:
    if svg is None:
        return '<p class="note">This picture could not be drawn. Its figures are below.</p>'
    opening, rest = _lean(svg).split(">", 1)
    size = re.search(r'viewBox="0 0 ([\d.]+) [\d.]+"', opening)
    width = f' style="max-width:{size[1]}px"' if size else ""
    opening = re.sub(r' (?:width|height)="[^"]*"', "", opening)
    return f'<div class="chart">{opening} role="img" focusable="false"{width} aria-label="{finding}">{rest}</div>'


def _lean(svg: str) -> str:
    """Without what only a separate file needs. Texts are left alone: in them `<` and `>` are escaped."""
    return _EMPTY.sub("", _TAG.sub(_lean_tag, _UNSEEN.sub("", svg)))


def _lean_tag(tag: re.Match[str]) -> str:
    return _LONG_FRACTION.sub(r"\1", _NOISE.sub("", tag[0]))


def _with_texts(part: Any, change: Callable[[str], str]) -> Any:
    if isinstance(part, str):
        return change(part)
    if isinstance(part, Mapping):
        return {key: _with_texts(value, change) for key, value in part.items()}
    if isinstance(part, Sequence):
        return [_with_texts(value, change) for value in part]
    return part


def draw(pictures: Sequence[str]) -> list[str | None]:
    """The SVG of each picture, given as JSON; None, and a warning, for those that could not be drawn."""
    if not pictures:
        return []
    doing(f"drawing {len(pictures)} pictures")
    answers, fault = _answers(f"[{','.join(pictures)}]".encode("ascii"))
    svgs: list[str | None] = [json.loads(answer) for answer in answers]
    svgs += [None] * (len(pictures) - len(svgs))
    if missing := svgs.count(None):
        which = "The picture" if len(pictures) == 1 else f"{missing} of {len(pictures)} pictures"
        _warn(f"{which} could not be drawn: {fault}. Everything else is there, and the figures are given in tables.")
    return svgs


def _answers(question: bytes) -> tuple[list[bytes], str]:
    """The lines that the renderer wrote, and why there are not more."""
    python = get_executable()
    if not python or getattr(sys, "frozen", False):  # what would be started is not Python, but a program made with it
        return [], "there is no Python to draw them with"
    command = [python, "-I", "-c", _PROGRAM.format(path=sys.path)]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # on Windows, where one would open
        )
    except OSError as error:
        return [], f"the process that draws cannot be started ({error.strerror or error})"
    with process:
        try:
            written, _ = process.communicate(question, SECONDS)
            fault = _ending(process.returncode)
        except subprocess.TimeoutExpired:
            process.kill()
            written, _ = process.communicate()
            fault = f"it took longer than {SECONDS} seconds"
        except BaseException:
            process.kill()
            raise
    return written.split(b"\n")[:-1], fault  # a line without its end is not whole


def _ending(code: int) -> str:
    if code == 0:
        return "the renderer does not accept the specification"
    if code > 0:
        return f"the process that draws ended with the code {code}"
    name = Signals(-code).name if -code in Signals.__members__.values() else f"signal {-code}"
    return f"the process that draws was ended by {name}; it may need more memory than it is allowed to use"


def _warn(sentence: str) -> None:
    with suppress(OSError, ValueError):  # nobody listens, or no longer
        if sys.stderr is not None:
            sys.stderr.write(f"Warning: {sentence}\n")
