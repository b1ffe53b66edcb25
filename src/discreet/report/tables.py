"""Tables with a caption, headed columns and rows, that scroll by themselves where the page is narrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from discreet.report.text import plural, sentence

MOST_ROWS = 200


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    most: int = MOST_ROWS,
    stacked: bool = False,
) -> str:
    """heads and cells are HTML, the caption is not; the first cell of a row is its head.

    numbers: the columns that hold figures. stacked: on a narrow page the cells of a row are placed below one another,
    each with its head, which must then be plain text.
    """
    whole = list(rows)
    head = "".join(
        f'<th scope="col"{" class=number" if index in numbers else ""}>{text}</th>' for index, text in enumerate(heads)
    )
    body = "".join(f"<tr>{_cells(row, heads, numbers, stacked)}</tr>" for row in whole[:most])
    more = (
        f"<p>… and {plural(len(whole) - most, 'more row')}, all of them in result.json.</p>"
        if len(whole) > most
        else ""
    )
    kind = "stacked" if stacked else "compact" if len(numbers) >= len(heads) - 1 else "wide"
    told = sentence(caption, 200)
    # anyone without a mouse must be able to scroll what may be wider than the page
    focus = "" if kind == "stacked" or len(heads) < 4 else f' role="region" tabindex="0" aria-label="{told}"'
    return (
        f'<div class="scroll"{focus}><table class="{kind}"><caption>{told}</caption>'
        f"{f'<thead><tr>{head}</tr></thead>' if any(heads) else ''}<tbody>{body}</tbody></table></div>{more}"
    )


def _cells(row: Sequence[str], heads: Sequence[str], numbers: Sequence[int], stacked: bool) -> str:
    first, *others = row
    cells = [f'<th scope="row">{first}</th>']
    for index, text in enumerate(others, start=1):
        kind = " class=number" if index in numbers else ""
        head = f' data-head="{heads[index]}"' if stacked else ""
        cells.append(f"<td{kind}{head}>{text}</td>")
    return "".join(cells)


def disclosed(summary: str, content: str, *, printed: bool = True) -> str:
    """Content behind a line that opens it; on paper it is open unless it would fill pages."""
    return f"<details{' class=printed' if printed else ''}><summary>{summary}</summary>{content}</details>"
