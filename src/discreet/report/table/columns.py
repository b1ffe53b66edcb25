"""What happened to each column: its fate, and for a quasi-identifier its taxonomy with the cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.charts import figure
from discreet.report.hierarchy import Hierarchy, icicle
from discreet.report.page import Section
from discreet.report.pictures import Picture
from discreet.report.table.distributions import before_and_after
from discreet.report.table.left import left_in_words
from discreet.report.tables import disclosed, table
from discreet.report.taxonomies import MOST_ENTRIES, finding_of, key, nested_list
from discreet.report.text import sentence, short, value_html

MOST_DRAWINGS = 12


def section(result: Mapping[str, Any]) -> Section | None:
    columns = result.get("columns")
    if columns is None:
        return None
    quasi = [column for column in columns if column["taxonomy"] is not None]
    body = [
        table(
            "The columns of the original",
            ["column", "role", "what happened to it", "what is left of it"],
            [
                [
                    value_html(column["name"]),
                    sentence(column["role"], 80),
                    sentence(column["fate"], 400),
                    sentence(left_in_words(column["left"])) if column.get("left") else "",
                ]
                for column in columns
            ],
        )
    ]
    if result.get("cleaned"):
        body.append(_cleaned(result["cleaned"]))
    if quasi:
        body.append(_taxonomies(quasi, result["published_values"]))
    body.append(before_and_after(columns))
    lead = (
        "Each column has one role. Quasi-identifiers are what an adversary may know; they are published as coarser "
        "values where that is needed, along their taxonomies."
    )
    if result.get("numbers_made_up"):
        lead = "Each column has one role. No record is published: every column but the class was made up, as numbers."
    return Section("columns", "What happened to each column", lead, "".join(body))


def _cleaned(cleaned: Sequence[Mapping[str, Any]]) -> str:
    """What was changed before anything else, column by column."""
    rows = [
        [
            value_html(found["column"]),
            sentence(", ".join(f"{step}: {cells:,}" for step, cells in found["cells"].items()), 400),
            f"{found['unreadable']['cells']:,}",
        ]
        for found in cleaned
    ]
    heads = ["column", "cells changed, by step", "cells that could not be read"]
    return "<h3>What was cleaned first</h3>" + table("Cells that the policy's clean changed", heads, rows)


def _taxonomies(quasi: list[Mapping[str, Any]], published: Mapping[str, Mapping[str, int]]) -> str:
    entries = max(30, MOST_ENTRIES // len(quasi))
    cards, drawn = [], 0
    for column in quasi:
        hierarchy = Hierarchy.of(column["taxonomy"])
        picture = icicle(hierarchy) if drawn < MOST_DRAWINGS else None
        drawn += picture is not None
        cards.append(_card(column["name"], hierarchy, picture, published.get(column["name"], {}), entries))
    limited = (
        f"<p>The first {MOST_DRAWINGS} are drawn; the others are given as lists.</p>"
        if drawn == MOST_DRAWINGS and len(quasi) > MOST_DRAWINGS
        else ""
    )
    return (
        "<h3>The taxonomies and where they were cut</h3>"
        "<p>Each drawing reads from left to right, from the coarsest value to the finest. The cut runs through the "
        "thick boxes: a record is published with the value of the box that its own value is in. The numbers at the "
        f"right are records of the original.</p>{key('value')}{limited}"
        f'<div class="cards">{"".join(cards)}</div>'
    )


def _card(name: str, hierarchy: Hierarchy, picture: Picture | None, published: Mapping[str, int], entries: int) -> str:
    finding = finding_of(hierarchy)
    if picture is None:
        shown = '<p class="note">Too large to draw; the list has it all.</p>' if entries else ""
    else:
        shown = figure(picture, f"{short(name)}: {finding}", finding, "")
    listing = disclosed(
        f"All of {value_html(name, 40)} as a list, with counts",
        nested_list(hierarchy, published, entries),
        printed=False,
    )
    told = f"<p>{finding}</p>" if picture is None else ""
    return f'<article class="card"><h4>{value_html(name)}</h4>{told}{shown}{listing}</article>'
