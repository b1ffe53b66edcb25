"""The steward's page: self-contained, offline, made from the result document alone.

Everything that comes from data or policy is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --good: #1a7f37; --warn: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --warn: #d4a72c; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.verdict { color: var(--good); font-weight: 600; }
.warning { border-left: .3rem solid var(--warn); padding: .3rem .8rem; background: var(--soft); margin: .6rem 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; } caption { text-align: left; font-weight: 600; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top;
  } td { overflow-wrap: anywhere; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.scroll { overflow-x: auto; } footer { margin-top: 3rem; border-top: 1px solid var(--line); font-size: .9rem; }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
"""

MOST_VALUES = 200


def write_html(result: Mapping[str, Any], path: Path) -> None:
    path.write_text(render_html(result), encoding="utf-8")


def render_html(result: Mapping[str, Any]) -> str:
    """The whole page."""
    sections = [
        _summary(result),
        "".join(f'<p class="warning">{escape(text)}</p>' for text in result["warnings"]),
        _cost(result),
        _columns(result),
        _search(result),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>discreet: report for the steward</title><style>{STYLE}</style></head><body><main>"
        + "\n".join(sections)
        + "</main><footer><p>For the steward only: this page tells what was suppressed. Publish the release folder, "
        "never this one.</p></footer></body></html>\n"
    )


def _summary(result: Mapping[str, Any]) -> str:
    promises = "".join(f"<li>{escape(sentence)}</li>" for sentence in result["promise"])
    rows = result["rows"]
    verdict = "verified: the release keeps this promise" if result["verified"] else "the promise does not hold"
    return (
        "<h1>Report for the steward</h1>"
        f"<p>{_count(rows['published'])} of {_count(rows['original'])} records are published, in "
        f"{_count(result['partitions']['count'])} groups of records that look alike.</p>"
        f"<h2>The promise</h2><ul>{promises}</ul>"
        f'<p class="verdict">✓ {verdict}.</p>'
        "<p>Checked by a second program that reads the published files alone.</p>"
    )


def _cost(result: Mapping[str, Any]) -> str:
    loss, suppressed, partitions = result["loss"], result["suppressed"], result["partitions"]
    proof = (
        "proved: no other choice of published values loses less"
        if result["status"] == "optimal"
        else f"not proved to be the least: at most {result['gap']:.2%} of it could be saved"
    )
    rows = [
        ("Information loss", f"{_amount(loss['cost'])} ({escape(loss['name'])})", proof),
        (
            "Compared with generalizing everything to *",
            f"{loss['normalized']:.1%}",
            "0% is the original; suppression can exceed 100%",
        ),
        ("Records deleted", _count(suppressed["records"]), ""),
        ("Sensitive values replaced by *", _count(suppressed["values"]), ""),
        ("Smallest group", _count(partitions["smallest"]), f"median {_amount(partitions['median'])}"),
        ("Largest group", _count(partitions["largest"]), ""),
    ]
    if result["sensitive_values"] is not None:
        share = result["sensitive_values"]["share"]
        rows.append(("Sensitive values still shown", f"{share:.1%}", "of all records"))
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{value}</td><td>{escape(note)}</td></tr>'
        for name, value, note in rows
    )
    return f'<h2>What it costs</h2><div class="scroll"><table>{body}</table></div>'


def _columns(result: Mapping[str, Any]) -> str:
    parts = ["<h2>What is published of each quasi-identifier</h2>"]
    for name, values in result["published_values"].items():
        shown = sorted(((count, label) for label, count in values.items() if count), reverse=True)
        body = "".join(
            f'<tr><td>{escape(label) or "<em>(missing)</em>"}</td><td class="number">{_count(count)}</td></tr>'
            for count, label in shown[:MOST_VALUES]
        )
        more = f"<p>… and {len(shown) - MOST_VALUES} more values.</p>" if len(shown) > MOST_VALUES else ""
        parts.append(
            f'<div class="scroll"><table><caption>{escape(name)}</caption><thead><tr><th scope="col">published as</th>'
            f'<th scope="col" class="number">records</th></tr></thead><tbody>{body}</tbody></table></div>{more}'
        )
    return "".join(parts)


def _search(result: Mapping[str, Any]) -> str:
    search = result["search"]
    return (
        "<h2>The search</h2>"
        f"<p>{_count(search['cuts_total'])} ways to generalize; {_count(search['cuts_examined'])} were looked at, "
        f"the others were ruled out by bounds, in {search['seconds']:.2f} seconds. "
        f"Lowest possible loss: {_amount(result['bound'])}.</p>"
    )


def _count(number: int | str) -> str:
    return f"{number:,}" if isinstance(number, int) else number


def _amount(number: float) -> str:
    return f"{number:,.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else f"{number:,}"
