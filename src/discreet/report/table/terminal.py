"""What a terminal shows about a table: its profile, its result, an attack on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.attacks.table.attacks import TABLE_ATTACKS
from discreet.attacks.table.sentences import above_knowing_the_method, guesses_right, known_of_the_method
from discreet.profile.table.combinations import Combination
from discreet.profile.table.inspection import Inspection
from discreet.report.attack_lines import count, head, learned, others, rate, row, share, whom
from discreet.report.table.left import left_in_words
from discreet.report.table.members import members_in_words
from discreet.report.terminal import (
    amount,
    cell,
    cut_off,
    field,
    heading,
    name_of,
    names_of,
    share_of,
    short_count,
    widened,
    wrapped,
    wrapped_hard,
)
from discreet.values.words import counted, printable

NAME_WIDTH = 24
LABEL_WIDTH = 40
SHOWN_OF_A_SIZE = 3
SHOWN_KEYS = 10
SHOWN_COLUMNS = 12


def inspection_lines(data: str | Path, inspection: Inspection) -> Iterator[str]:
    yield field("Table", data)
    yield field("Holds", f"{counted(inspection.rows, 'record')} in {counted(len(inspection.columns), 'column')}")
    yield from _quality(inspection)
    yield from _columns(inspection)
    yield from _reasons(inspection)
    yield from _combinations(inspection)
    yield from _keys(inspection)


def _quality(inspection: Inspection) -> Iterator[str]:
    findings = inspection.quality.findings
    if not findings:
        return
    yield "\nQuality, as the data are"
    for found in findings:
        name = f"{name_of(found.column)}: " if found.column else ""
        text = found.text if name else f"{found.text[:1].upper()}{found.text[1:]}"
        advice = f" Policy: {found.advice}." if found.column and found.advice else ""
        yield wrapped_hard(f"{name}{printable(text)}.{advice or (f' {found.advice}.' if found.advice else '')}")
    yield wrapped("What is safe is in the proposed policy, and from here on the data are shown as cleaned by it.")


def _columns(inspection: Inspection) -> Iterator[str]:
    width = widened(NAME_WIDTH, max(len(column.name) for column in inspection.columns))
    heads = f"{'column':<{width}}{'type':<10}{'distinct':>10}{'missing':>10}{'unique':>8}  proposed role"
    yield f"\n{heading(heads)}"
    for column, proposal in zip(inspection.columns, inspection.proposals, strict=True):
        yield (
            f"{cell(column.name, width - 1)} {column.kind:<10}{short_count(column.distinct):>10}"
            f"{short_count(column.missing):>10}{share_of(column.unique, column.rows):>8}  {proposal.role}"
        )
    yield "\n" + wrapped("unique: the share of records whose value no other record has.")


def _reasons(inspection: Inspection) -> Iterator[str]:
    """Each reason once, with the columns for which it is true."""
    yield f"\n{heading('Why these roles')}"
    columns_of: dict[tuple[str, str], list[str]] = {}
    for proposal in inspection.proposals:
        columns_of.setdefault((proposal.role, proposal.reason), []).append(proposal.column)
    for (role, reason), columns in columns_of.items():
        yield wrapped_hard(f"{names_of(columns)}: {role}. {reason[:1].upper()}{reason[1:]}.")
    reviews = [proposal for proposal in inspection.proposals if proposal.review]
    if reviews:
        yield f"\n{heading('A human should look at')}"
        for proposal in reviews:
            yield wrapped_hard(f"{name_of(proposal.column)}: {proposal.review}.")


def _combinations(inspection: Inspection) -> Iterator[str]:
    heads = f"{'unique':>8}{'under 5':>9}{'distinction':>12}{'separation':>11}"
    shown = [found[:SHOWN_OF_A_SIZE] for found in inspection.identifying.values()]
    longest = max((len(names_of(each.columns)) for found in shown for each in found), default=0)
    width = widened(LABEL_WIDTH, longest)
    first = "most identifying together"
    yield f"\n{heading(f'{first:<{width}}{heads}')}"
    for size, found in inspection.identifying.items():
        for combination in found[:SHOWN_OF_A_SIZE]:
            yield from _combination(names_of(combination.columns), combination, width)
        if size == 2 and not inspection.all_pairs_counted:
            yield wrapped("(of the columns with the most different values; all pairs would take too long)", "  ", "  ")
    together = inspection.quasi_identifiers
    yield from _combination(f"all {len(together.columns)} quasi-identifiers", together, width)
    yield (
        "\n"
        + wrapped(
            "unique: records that are like no other. under 5: records in groups of fewer than five that are "
            "alike. distinction: different combinations per record. separation: the share of pairs of records that "
            "differ. Columns that are identifiers are left out."
        )
    )


def _combination(label: str, combination: Combination, width: int) -> Iterator[str]:
    numbers = (
        f"{share_of(combination.unique, combination.rows):>8}{share_of(combination.small, combination.rows):>9}"
        f"{cut_off(combination.distinction, 4):>12}{cut_off(combination.separation, 5):>11}"
    )
    from rich.cells import cell_len

    label = printable(label)
    if cell_len(label) >= width:
        yield wrapped_hard(label, "")
        label = ""
    yield f"{cell(label, width)}{numbers}"


def _keys(inspection: Inspection) -> Iterator[str]:
    keys = inspection.keys
    size = counted(keys.complete_to, "column")
    if not keys.total:
        yield f"\nNo combination of up to {size} tells every record apart from every other."
        return
    yield "\nKeys: every record differs from every other in"
    for key in keys.columns[:SHOWN_KEYS]:
        yield wrapped_hard(names_of(key))
    if keys.total > SHOWN_KEYS:
        yield f"  and {keys.total - SHOWN_KEYS:,} more"
    certain = f"These are all minimal keys of up to {size}"
    yield (
        wrapped(f"{certain}." if keys.complete_to == 4 else f"{certain}; looking for larger ones would take too long.")
    )


def result_lines(result: Mapping[str, Any]) -> Iterator[str]:
    suppressed, groups, search = (result[key] for key in ("suppressed", "partitions", "search"))
    if cleaned := [found for found in result["cleaned"] if sum(found["cells"].values())]:
        cells = sum(sum(found["cells"].values()) for found in cleaned)
        yield field("Cleaned", f"{counted(cells, 'cell')} in {counted(len(cleaned), 'column')}, before anything else")
    columns = [column for column in result["columns"] if column["left"]]
    for column in columns[:SHOWN_COLUMNS]:
        yield field("Left", f"of {name_of(column['name'])}: {left_in_words(column['left'])}")
    if len(columns) > SHOWN_COLUMNS:
        yield field("Left", f"of {counted(len(columns) - SHOWN_COLUMNS, 'more column')}: see the report")
    sizes = f", of {groups['smallest']:,} to {members_in_words(result, groups['largest'])}" if groups["count"] else ""
    if result["numbers_made_up"]:
        yield field("Made up", f"{counted(result['rows']['published'], 'row')} of numbers")
        yield field("From", f"{counted(groups['count'], 'group')}{sizes}")
        for entry in result.get("utility", ()):
            yield wrapped_hard(entry["reading"])
    else:
        yield field(
            "Suppressed",
            f"{members_in_words(result, suppressed['records'])}, {counted(suppressed['values'], 'sensitive value')}",
        )
        yield field("Groups", f"{groups['count']:,}{sizes}")
    if search is not None:
        if search["cuts_total"]:
            yield field("Cuts", f"{amount(search['cuts_examined'])} examined of {amount(search['cuts_total'])}")
        yield field("Seconds", f"{search['seconds']:.2f}")


def attack_lines(document: Mapping[str, Any], with_persons: bool) -> Iterator[str]:
    before, after = document["linkage"]["before"], document["linkage"]["after"]
    most = document["linkage"].get("knowing_the_group", after)
    yield from head(document["people"])
    yield row("  fit exactly one record", count(before["found"]), count(after["found"]))
    yield row("  fit no record", count(before["unmatched"]), count(after["unmatched"]))
    yield row("  sensitive value is certain", count(before["certain"]), count(most["certain"]))
    yield row("  above a threshold", count(before["above_threshold"]), count(after["above_threshold"]))
    if known := document["knowing_the_method"]:
        what = known_of_the_method(known, briefly=True)
        yield row(f"  above one, knowing {what}", "", above_knowing_the_method(known))
    yield row("  highest confidence", share(before["highest_confidence"]), share(most["highest_confidence"]))
    if most is not after:
        yield row("  highest, by all that fit", "", share(after["highest_confidence"]))
    if after["guesses"]:
        yield row("  guessed right", rate(before["guesses"]), rate(guesses_right(document["linkage"])["guesses"]))
        yield row("  guessed right knowing nobody", rate(before["baseline"]), rate(after["baseline"]))
    yield from _risk(document["risk"])
    if with_persons:
        yield from _persons(document["persons"], document["people"])
    yield ""
    yield from others(document, TABLE_ATTACKS.values())


def _risk(risk: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    before, after = risk["before"], risk["after"]
    yield row("Risk of being traced", "original", "release")
    for name in ("prosecutor", "journalist"):
        yield row(f"  {name}, highest", share(before[name]["highest"]), share(after[name]["highest"]))
        yield row(f"  {name}, average", share(before[name]["average"]), share(after[name]["average"]))
        label = f"  {name}, records above {risk['at_risk']:.0%}"
        yield row(label, share(before[name]["share_at_risk"]), share(after[name]["share_at_risk"]))
    yield row("  marketer", share(before["marketer"]), share(after["marketer"]))
    if among := risk.get("among_all_that_fit"):
        yield row("  prosecutor, by all that fit", "", share(among["prosecutor"]["average"]))
        note = "Somebody may fit several groups. The release is shown for an adversary who knows the group that each "
        yield wrapped(
            f"{note}person is in, which is the worst case; by all that fit: for one who does not.", "  ", "  "
        )
    yield wrapped(f"Population: {risk['population']}.", "  ", "  ")


def _persons(persons: Sequence[Mapping[str, Any]], people: int) -> Iterator[str]:
    yield from whom(persons, people)
    for entry in persons:
        person = ", ".join(str(value) for value in entry["person"].values() if value != "")
        yield wrapped(person or "(nothing known)", "  ", "    ")
        yield wrapped(f"original: {learned(entry['before'])}", "    ", "      ")
        yield wrapped(f"release:  {learned(entry['after'])}", "    ", "      ")
