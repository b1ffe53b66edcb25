"""Draws specifications as SVG: the program of a process of its own, which `pictures` starts.

A JSON document comes in, `[[language, specification], ...]`. For each picture a line of JSON goes out as soon as it is
drawn, its SVG, or null where the renderer refuses the specification: what was drawn before the process came to an end
is not lost.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import vl_convert

RENDERERS: dict[str, Callable[[Any], str]] = {
    "vega": vl_convert.vega_to_svg,
    "vega-lite": vl_convert.vegalite_to_svg,
}

_BEYOND_16_BITS = re.compile(r"[\U00010000-\U0010ffff]")


def main() -> None:
    _leave_no_memory_behind()
    for language, specification in json.load(sys.stdin):
        sys.stdout.write(json.dumps(svg(RENDERERS[language], specification)) + "\n")
        sys.stdout.flush()


def svg(render: Callable[[Any], str], specification: Any) -> str | None:
    """What the renderer makes of a specification; None where it refuses."""
    with suppress(ValueError):
        return render(specification)
    with suppress(ValueError):
        # Where a label is too wide, Vega cuts it between 16-bit units, and half an emoji cannot be drawn.
        return render(_within_16_bits(specification))
    return None


def _within_16_bits(part: Any) -> Any:
    if isinstance(part, str):
        return _BEYOND_16_BITS.sub("□", part)
    if isinstance(part, dict):
        return {key: _within_16_bits(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_within_16_bits(value) for value in part]
    return part


def _leave_no_memory_behind() -> None:
    """A process that V8 ends may leave a file with its memory, and original values are in it."""
    with suppress(ImportError, OSError, ValueError):  # not on Windows; or already less than can be set
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
