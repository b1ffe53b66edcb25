"""What the summary of every kind of data holds: the promise and whether it holds, a few figures, warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from discreet.errors import InputError
from discreet.policy.promises import read_promises
from discreet.report.text import listed, sentence, share, value_html
from discreet.search.events import SAYS_NOTHING


def subtitle(result: Mapping[str, Any], records: str, in_memory: str) -> str:
    """The name of the data and how many records they have."""
    path = (result["policy"].get("data") or {}).get("path")
    return f"{value_html(PurePath(str(path)).name, 80)}, {records}" if path else f"{in_memory}, {records}"


def models_of(policy: Mapping[str, Any], models: Mapping[str, type[Any]]) -> tuple[Any, ...]:
    """The promises of a policy as a result gives it; none where one of them is not known here."""
    try:
        return read_promises(policy["privacy"], models, "")
    except (InputError, ValueError):
        return ()


def promised(result: Mapping[str, Any], plain: str) -> str:
    """The promise and whether it holds; plain: the promise as HTML sentences, empty where there are none."""
    formal = "".join(f"<li>{sentence(text)}</li>" for text in result["promise"])
    hollow = [*result.get("hollow", ()), *result.get("unprotected", ())]
    beware = "".join(f'<p class="beware">{sentence(text)}</p>' for text in hollow)
    checked = "A second program checked it, from the published files alone.</p>"
    if not result["verified"]:
        verdict = (
            '<p class="verdict broken"><span aria-hidden="true">✗</span> <strong>The release does not keep this '
            "promise.</strong> Do not publish it.</p>"
        )
    elif result.get("unproved"):
        verdict = (
            '<p class="verdict hollow"><strong>Nobody can check this promise from the release.</strong> '
            f"{sentence(result['unproved'][:1].upper() + result['unproved'][1:])} "
            "What the rows show does not contradict it.</p>"
        )
    elif result.get("hollow"):
        verdict = (
            '<p class="verdict hollow"><strong>The release keeps this promise, which protects nobody.</strong> '
            + checked
        )
    else:
        verdict = (
            '<p class="verdict holds"><span aria-hidden="true">✓</span> <strong>The release keeps this '
            f"promise.</strong> {checked}"
        )
    return (
        f'<div class="promise"><h3>The promise</h3>{f"<p>{plain}</p>" if plain else ""}'
        f'<ul class="formal">{formal}</ul>{beware}{verdict}</div>'
    )


def tiles(cards: Sequence[tuple[str, str, str]]) -> str:
    """name, figure and note of each; all HTML"""
    shown = "".join(
        f'<div><dt>{name}</dt><dd><span class="figure">{figure}</span><span class="note">{note}</span></dd></div>'
        for name, figure, note in cards
    )
    return f'<h3>In figures</h3><dl class="figures">{shown}</dl>'


def proves_nothing(result: Mapping[str, Any]) -> bool:
    """Whether hardly any lower limit of the loss is known. Heuristics have none, nor a search that hardly began."""
    unknown = not result["bound"] or result["gap"] is None or result["gap"] > SAYS_NOTHING
    return result["status"] == "feasible" and unknown


def least(result: Mapping[str, Any]) -> tuple[str, str]:
    """Could another release lose less? The answer, and what it means."""
    match result["status"]:
        case "optimal":
            rounded = f", up to {result['rounding']:.0e} of the loss by rounding" if result.get("rounding") else ""
            loses = f"no other release by this method loses less by {sentence(result['loss']['name'])}{rounded}"
            return "Yes, proved", f"{loses}; that is not to say that little is lost"
        case "applied":
            return "Not searched", "an earlier choice was applied to these records"
    if not result["loss"]["cost"]:
        return "Yes", "nothing is lost by this measure"
    if proves_nothing(result):
        return "Not proved", "nothing is proved about what another release could save"
    return (
        f"Within {share(result['gap'], 2)}",
        "not proved to be the least; at most this part of the loss could be saved",
    )


def no_longer_told(result: Mapping[str, Any]) -> str:
    """What the loss in per cent does not show: what the release says nothing about any more."""
    return "".join(f'<p class="beware">{sentence(text)}</p>' for text in result.get("gone", ()))


def arrow(before: str, after: str) -> str:
    """A figure before and after; a screen reader is told which is which."""
    return (
        f'<span class="unseen">before: </span>{before} <span aria-hidden="true">→</span> '
        f'<span class="unseen">after: </span>{after}'
    )


def warned(result: Mapping[str, Any]) -> str:
    """The warnings, and what was left out."""
    left_out = result.get("left_out", ())
    told = f"<p>Left out, because the policy says so (report.without): {listed(left_out)}.</p>" if left_out else ""
    if not result["warnings"]:
        return f'{told}<p class="calm">There are no warnings.</p>'
    texts = "".join(f"<li>{sentence(text)}</li>" for text in result["warnings"])
    return f'{told}<div class="warnings"><h3>Warnings</h3><ul>{texts}</ul></div>'
