"""Taxonomies on the page: what their drawings mean, what a cut does, and a whole one as lists that open."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.report.hierarchy import Hierarchy
from discreet.report.text import count, plural, value_html

MOST_ENTRIES = 4000
"""Entries of nested lists on the whole page."""


DEEPEST_LIST = 12


def key(value: str) -> str:
    """What the boxes of a drawing mean; value: what they stand for, in a word."""
    return (
        f'<ul class="key"><li><span class="box published"></span> published {value} (bold, thick border)</li>'
        f'<li><span class="box above"></span> coarser {value}, above the cut (dashed)</li>'
        f'<li><span class="box below"></span> finer {value}, below the cut: no longer told apart</li></ul>'
    )


def finding_of(hierarchy: Hierarchy) -> str:
    """In a sentence what the cut does; plain text without values of the data."""
    value = hierarchy.value
    if hierarchy.unchanged:
        return f"Published unchanged: {plural(len(hierarchy.cut), value)}."
    if hierarchy.root in hierarchy.cut:
        return f"No longer revealed: everything is published as the coarsest {value}."
    finest = hierarchy.values[hierarchy.root]
    grouped = sum(1 for node in hierarchy.cut if hierarchy.values[node] > 1)
    return (
        f"{plural(finest, value)} of the original {'is' if finest == 1 else 'are'} published as "
        f"{count(len(hierarchy.cut))} {value}s; {count(grouped)} of these {'stands' if grouped == 1 else 'stand'} for "
        "several."
    )


def nested_list(hierarchy: Hierarchy, published: Mapping[str, int], entries: int) -> str:
    """The taxonomy as lists that open; published: how many records of the release have each published value."""
    if max(hierarchy.depths) > DEEPEST_LIST:
        return _flat(hierarchy, published, entries)
    every = [node for node in hierarchy.order if node not in hierarchy.below]
    shown = set(every[:entries])
    room = entries - len(shown)
    by_parent: dict[int, int] = {}
    for node in hierarchy.order:
        parent = hierarchy.parents[node]
        # the same few of every published value, so that a large one does not use up the room of the others
        if (
            node in hierarchy.below
            and parent in shown
            and room > 0
            and by_parent.get(parent, 0) < max(20, entries // 8)
        ):
            by_parent[parent] = by_parent.get(parent, 0) + 1
            shown.add(node)
            room -= 1
    parts: list[str] = ['<ul class="tree">']
    waiting: list[int | str] = [hierarchy.root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        entry = _entry(hierarchy, item, published)
        inside = [child for child in hierarchy.children[item] if child in shown]
        hidden = _values_under(hierarchy, item) - sum(_values_under(hierarchy, child) for child in inside)
        more = (
            f'<li class="more">… {plural(hidden, f"more {hierarchy.value}")} below</li>'
            if hidden > 0 and inside
            else ""
        )
        if not inside:
            folded = hierarchy.values[item] if item in hierarchy.cut and not hierarchy.complete else hidden
            note = (
                f' <span class="note">({plural(folded, hierarchy.value)} below)</span>'
                if _is_folded(hierarchy, item)
                else ""
            )
            parts.append(f"<li>{entry}{note}</li>")
            continue
        opened = "" if item in hierarchy.cut or item in hierarchy.below else " open"
        parts.append(f"<li><details{opened}><summary>{entry}</summary><ul>")
        waiting.append(f"{more}</ul></details></li>")
        waiting.extend(reversed(inside))
    parts.append("</ul>")
    return "".join(parts)


def _is_folded(hierarchy: Hierarchy, node: int) -> bool:
    return bool(hierarchy.children[node]) or (not hierarchy.complete and hierarchy.values[node] > 1)


def _values_under(hierarchy: Hierarchy, node: int) -> int:
    return hierarchy.leaves_under[node] if hierarchy.complete else max(1, hierarchy.values[node])


def _flat(hierarchy: Hierarchy, published: Mapping[str, int], entries: int) -> str:
    nodes = [node for node in hierarchy.order if node in hierarchy.cut]
    items = "".join(f"<li>{_entry(hierarchy, node, published)}</li>" for node in nodes[:entries])
    more = f"<li>… {plural(len(nodes) - entries, f'more {hierarchy.value}')}</li>" if len(nodes) > entries else ""
    told = f"<p>The taxonomy is too deep to be nested here: these are the published {hierarchy.value}s.</p>"
    return f'{told}<ul class="tree">{items}{more}</ul>'


def _entry(hierarchy: Hierarchy, node: int, published: Mapping[str, int]) -> str:
    text = value_html(hierarchy.labels[node])
    records = plural(hierarchy.records[node], hierarchy.record)
    if node not in hierarchy.cut:
        return f'{text} <span class="note">{records}</span>'
    left = published.get(hierarchy.labels[node])
    now = "" if left is None or left == hierarchy.records[node] else f", {count(left)} of them in the release"
    return f'<strong>{text}</strong> <span class="tag">published</span> <span class="note">{records}{now}</span>'
