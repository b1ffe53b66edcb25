"""discreet inspect: what a table or transactions tell about people, and a policy to begin with."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.options import Commands, add_command
from discreet.cli.words import WIDTH, counted, field, printable, wrapped

if TYPE_CHECKING:
    from discreet.inspecting import Inspection, TransactionInspection
    from discreet.profile import Combination
    from discreet.profile.transactions import Exposure, TransactionProfile

NAME_WIDTH = 24
LABEL_WIDTH = 40
SHOWN_OF_A_SIZE = 3
SHOWN_KEYS = 10
LONGEST_NAME = 60
MOST_NAMES = 30
ITEM_WIDTH = 28
SHOWN_SENSITIVE = 20


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "inspect",
        run,
        "say how identifying data are, and propose a policy for them",
        "Profiles a table: its columns, how many records they and their combinations\n"
        "single out, and which combinations are keys. Proposes a role for each column\n"
        "with the reason, and writes a commented policy to begin with.\n"
        "Profiles transactions: their items, and how many of them somebody singles out\n"
        "who knows a few. Proposes sensitive items with the reason, and a policy.",
        "discreet inspect patients.csv --out policy.yaml\ndiscreet inspect baskets.csv --separator , --out policy.yaml",
    )
    added.add_argument(
        "data",
        metavar="DATA",
        type=Path,
        help="the data: .csv .tsv .jsonl .parquet .arrow, or .dat for transactions; text also .gz or .zst",
    )
    added.add_argument("--out", metavar="POLICY", type=Path, help="the policy to write; it must not exist yet")
    added.add_argument(
        "--kind", choices=("table", "transactions"), help="what the data are (default: guessed from the file)"
    )
    added.add_argument(
        "--separator",
        metavar="CHARACTER",
        help="what stands between the items of a CSV file that has one transaction a line",
    )


def run(arguments: argparse.Namespace) -> int:
    from discreet.inspecting import TransactionInspection, inspect

    inspection = inspect(arguments.data, arguments.out, kind=arguments.kind, separator=arguments.separator)
    if isinstance(inspection, TransactionInspection):
        _print_transactions(arguments.data, inspection)
    else:
        _print_table(arguments.data, inspection)
    _print_next(arguments)
    return 0


def _print_table(data: Path, inspection: Inspection) -> None:
    field("Table", data)
    field("Holds", f"{counted(inspection.rows, 'record')} in {counted(len(inspection.columns), 'column')}")
    _print_columns(inspection)
    _print_reasons(inspection)
    _print_combinations(inspection)
    _print_keys(inspection)


def _print_columns(inspection: Inspection) -> None:
    print(f"\n{'column':<{NAME_WIDTH}}{'type':<10}{'distinct':>10}{'missing':>10}{'unique':>8}  proposed role")
    for column, proposal in zip(inspection.columns, inspection.proposals, strict=True):
        print(
            f"{_cell(column.name, NAME_WIDTH - 1)} {column.kind:<10}{_short(column.distinct):>10}"
            f"{_short(column.missing):>10}{_share(column.unique, column.rows):>8}  {proposal.role}"
        )
    print("\n" + wrapped("unique: the share of records whose value no other record has."))


def _print_reasons(inspection: Inspection) -> None:
    """Each reason once, with the columns that it is true of."""
    print("\nWhy these roles")
    columns_of: dict[tuple[str, str], list[str]] = {}
    for proposal in inspection.proposals:
        columns_of.setdefault((proposal.role, proposal.reason), []).append(proposal.column)
    for (role, reason), columns in columns_of.items():
        print(_wrapped_hard(f"{_listed(columns)}: {role}. {reason[:1].upper()}{reason[1:]}."))
    reviews = [proposal for proposal in inspection.proposals if proposal.review]
    if reviews:
        print("\nA human should look at")
        for proposal in reviews:
            print(_wrapped_hard(f"{_name(proposal.column)}: {proposal.review}."))


def _print_combinations(inspection: Inspection) -> None:
    heads = f"{'unique':>8}{'under 5':>9}{'distinction':>12}{'separation':>11}"
    print(f"\n{'most identifying together':<{LABEL_WIDTH}}{heads}")
    for size, found in inspection.identifying.items():
        for combination in found[:SHOWN_OF_A_SIZE]:
            _print_combination(_listed(combination.columns), combination)
        if size == 2 and not inspection.all_pairs_counted:
            print(wrapped("(of the columns with the most different values; all pairs would take too long)", "  ", "  "))
    together = inspection.quasi_identifiers
    _print_combination(f"all {len(together.columns)} quasi-identifiers", together)
    print(
        "\n"
        + wrapped(
            "unique: records that no other record is like. under 5: records in groups of fewer than five that are "
            "alike. distinction: different combinations per record. separation: the share of pairs of records that "
            "differ. Columns that are identifiers are left out."
        )
    )


def _print_combination(label: str, combination: Combination) -> None:
    numbers = (
        f"{_share(combination.unique, combination.rows):>8}{_share(combination.small, combination.rows):>9}"
        f"{_below(combination.distinction, 4):>12}{_below(combination.separation, 5):>11}"
    )
    from rich.cells import cell_len

    label = printable(label)
    if cell_len(label) >= LABEL_WIDTH:
        print(_wrapped_hard(label, ""))
        label = ""
    print(f"{_cell(label, LABEL_WIDTH)}{numbers}")


def _print_keys(inspection: Inspection) -> None:
    keys = inspection.keys
    size = counted(keys.complete_to, "column")
    if not keys.total:
        print(f"\nNo combination of up to {size} tells every record from every other.")
        return
    print("\nKeys: every record differs from every other in")
    for key in keys.columns[:SHOWN_KEYS]:
        print(_wrapped_hard(_listed(key)))
    if keys.total > SHOWN_KEYS:
        print(f"  and {keys.total - SHOWN_KEYS:,} more")
    certain = f"These are all minimal keys of up to {size}"
    print(
        wrapped(f"{certain}." if keys.complete_to == 4 else f"{certain}; looking for larger ones would take too long.")
    )


# --- Transactions -------------------------------------------------------------------------------------------


def _print_transactions(data: Path, inspection: TransactionInspection) -> None:
    profile = inspection.profile
    lengths = profile.lengths
    field("Baskets", data)
    field(
        "Hold",
        f"{counted(profile.transactions, 'transaction')} of {counted(profile.items, 'item')}, "
        f"{counted(profile.occurrences, 'occurrence')}",
    )
    empty = f"; {lengths.empty:,} of them empty" if lengths.empty else ""
    field(
        "Lengths",
        f"{lengths.shortest:,} to {lengths.longest:,} items, {lengths.mean:,.1f} on average, half have up to "
        f"{lengths.median:,.0f}{empty}",
    )
    if profile.duplicates:
        field("Merged", f"{counted(profile.duplicates, 'item')} that a transaction named more than once")
    _print_items(profile)
    _print_exposures(profile)
    _print_sensitive(profile)


def _print_items(profile: TransactionProfile) -> None:
    heads = [f"{what:<{ITEM_WIDTH}}{'in':>9}" for what in ("most frequent", "least frequent")]
    print("\n" + "  ".join(heads))
    for most, least in zip(profile.most_frequent, profile.least_frequent, strict=True):
        cells = [f"{_cell(item.name, ITEM_WIDTH)}{_short(item.transactions):>9}" for item in (most, least)]
        print("  ".join(cells))
    print("\n" + wrapped(f"{counted(profile.rare_items, 'item')} in fewer than five transactions."))


def _print_exposures(profile: TransactionProfile) -> None:
    print(f"\n{'who knows of somebody':<44}{'finds one':>12}{'under 5':>12}")
    for found in profile.exposures:
        single, small = (_estimated(share, found) for share in (found.single, found.small))
        print(f"{_knowledge(found):<44}{single:>12}{small:>12}")
    unique, small = (_share(part, profile.transactions) for part in (profile.unique, profile.small))
    print(f"{'all items':<44}{unique:>12}{small:>12}")
    draws = max((found.draws or 0 for found in profile.exposures), default=0)
    print(
        "\n"
        + wrapped(
            "finds one: the share of transactions of which so many items, picked at random, fit no other. under 5: fit "
            "fewer than five. An absent item is picked as often as others have it. all items: of those "
            f"who have exactly these. ~: estimated from {draws:,} random cases."
        )
    )


def _knowledge(found: Exposure) -> str:
    return counted(found.present, "item") + (f", and {found.absent} that is absent" if found.absent else "")


def _estimated(share: float, found: Exposure) -> str:
    """A share in per cent; an estimate is never said to be nothing or all."""
    if found.draws is None:
        return _percent(share)
    least = 1 / found.draws
    return f"~{_percent(min(max(share, least), 1 - least))}".replace("~<", "<").replace("~>", ">")


def _print_sensitive(profile: TransactionProfile) -> None:
    print("\nItems proposed as sensitive")
    items_of: dict[str, list[str]] = {}
    for item in profile.sensitive:
        items_of.setdefault(item.reason, []).append(f"{_name(item.name)} ({item.transactions:,})")
    for reason, items in items_of.items():
        more = f" and {len(items) - SHOWN_SENSITIVE:,} more" if len(items) > SHOWN_SENSITIVE else ""
        print(_wrapped_hard(f"{', '.join(items[:SHOWN_SENSITIVE])}{more}: the name {reason}."))
    if not profile.sensitive:
        why = "no name has a word that says so" if profile.named else "the items are numbers, which tell nothing"
        print(_wrapped_hard(f"None: {why}."))
    print("\nA human should look at")
    if profile.too_frequent:
        frequent = _listed([item.name for item in profile.too_frequent])
        print(_wrapped_hard(f"{frequent}: by the name a secret, but in too many transactions to be kept."))
    print(_wrapped_hard("Sensitive items: only names were read. What would hurt people is for you to say."))
    print(_wrapped_hard("The taxonomy: a random one is proposed, groups that mean something are better."))


def _print_next(arguments: argparse.Namespace) -> None:
    print("\nWhat to do next")
    if arguments.out is None:
        print(wrapped("To have a policy written to begin with, with a comment on each choice:", "  ", "  "))
        kind = "" if arguments.kind is None else f" --kind {arguments.kind}"
        separator = "" if arguments.separator is None else f" --separator {shlex.quote(arguments.separator)}"
        print(f"    discreet inspect {printable(f'{arguments.data}{kind}{separator}')} --out policy.yaml")
        return
    print(wrapped("Read the policy and change what is wrong. Then publish by it:", "  ", "  "))
    print(f"    discreet publish {printable(str(arguments.out))}")


# --- Words --------------------------------------------------------------------------------------------------


def _name(column: str) -> str:
    text = printable(column[: LONGEST_NAME + 1])
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - MOST_NAMES} more" if len(columns) > MOST_NAMES else ""
    return ", ".join(map(_name, columns[:MOST_NAMES])) + more


def _cell(text: str, width: int) -> str:
    """Exactly so many columns of the terminal; wide characters take two."""
    from rich.cells import cell_len, set_cell_size

    text = printable(text[: 4 * width])
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…"
    return set_cell_size(text, width)


def _wrapped_hard(text: str, indent: str = "  ") -> str:
    """Lines of at most 80 columns of the terminal, whatever the text holds."""
    from rich.cells import cell_len, chop_cells

    lines: list[str] = [""]
    room = WIDTH - len(indent) - 2
    for word in printable(text).split(" "):
        for piece in chop_cells(word, room) if cell_len(word) > room else [word]:
            longer = f"{lines[-1]} {piece}" if lines[-1] else piece
            if cell_len(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(piece)
    return "\n".join(f"{indent if number == 0 else indent + '  '}{line}" for number, line in enumerate(lines))


def _share(part: int, whole: int) -> str:
    """A share in per cent that is 0 or 100 only when it is."""
    return _percent(part / whole)


def _percent(share: float) -> str:
    if share in (0, 1):
        return f"{share:.0%}"
    percent = 100 * share
    if percent < 0.1:
        return "<0.1%"
    return ">99.9%" if percent > 99.9 else f"{percent:.1f}%"


def _below(number: float, places: int) -> str:
    """A number cut off and not rounded, so that 1 is only shown for 1."""
    return f"{int(number * 10**places) / 10**places:.{places}f}"


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**7 else f"{number / 10**6:,.0f}M"
