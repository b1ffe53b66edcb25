"""A role for each column, and a taxonomy for each quasi-identifier, each with its reason.

What is doubtful becomes a quasi-identifier, which is published coarsened, or, where its values may name anyone, an
identifier, which is not published at all. That a value is frequent does not make it harmless: a person may have many
rows, and then a name is lawful in a group of its own rows. A column is proposed as insensitive, that is, published as
it is, only when it has the same value everywhere and neither that value nor the column's name suggests persons or
secrets. The sensitive column is proposed by name only, never by its values, and no class is proposed at all: a wrong
guess would publish a quasi-identifier as it is.

Every proposal has to work as it stands, so this module knows what `publish` refuses: no quasi-identifier, the value `*`
in a column that is published, values outside the intervals, more quasi-identifiers than the search can take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import Literal

from discreet.profile.hints import KNOWN, NUMBERED, SECRET, TARGET, hint, only_a_number, own, person
from discreet.profile.table.columns import LONG_DIGITS, NEARLY_ALL, Column, Days, Numbers
from discreet.profile.written_policy import USUAL_K
from discreet.values.look_alikes import in_words, look_alikes

Role = Literal["identifier", "quasi-identifier", "sensitive", "class", "insensitive"]
Taxonomy = Mapping[str, str | tuple[str, ...]]

MOST_QUASI_IDENTIFIERS = 62
"""what l-plus-optimize can take"""
MOST_SENSITIVE_VALUES = 5_000
MOST_SENSITIVE_CELLS = 1 << 26
"""Groups times sensitive values that fit in memory, where a group has USUAL_K records at least."""
"""rows x sensitive values: what the search can hold of groups by values"""
MOST_CLASSES = 3
FEWEST_ROWS_TO_JUDGE = 10
ROWS_WITHOUT_CHANCE = 1000
MANY_NUMBERED = 100
MANY_NAMES = 20
EACH_ITS_OWN = 0.95
"""distinct values per value: below it, persons have several rows"""
FEWEST_PERSONS = 0.1
"""distinct values per value: below it, what is called a name may be one of something else"""
HIDDEN: Mapping[str, str | tuple[str, ...]] = {
    "intervals": ("1",),
    "start": "-2",
    "end": "-1",
    "leaves": "intervals",
}
"""A taxonomy that has no place for names and numbers of persons: with on_missing, all are published as missing."""
MANY_FLAT = 12
FEW_NUMBERS = 5
MOST_SINGLE_NUMBERS = 120
FINEST_RANGES = 40
MOST_RANGES = 500
NOTHING_FITS = "nothing in this table seems fit to be published"
TO_PROTECT = "to protect it, group its values into a few classes in the data and make it the sensitive column"

_NAMES = ("names", "full names")
_OWN = ("e-mail addresses", "social security numbers", "bank accounts", "card numbers", "full names")


@dataclass(frozen=True)
class Proposal:
    """What a column may be, why, and what a human should look at."""

    column: str
    role: Role
    reason: str
    taxonomy: Taxonomy | None = None
    """as the policy writes it; None for a flat one, and where there is none"""
    suppress_others: bool = False
    """values that are not of the column's kind are treated as missing"""
    review: str | None = None
    repeats: bool = False
    """it tells persons apart, and some have several rows"""


def propose(columns: Sequence[Column]) -> tuple[Proposal, ...]:
    """One proposal for each column; together they make a policy."""
    given = {column.name: _without_others(column) for column in columns}
    open_columns = [column for column in columns if given[column.name] is None]
    sensitive = _most_secret(open_columns)
    if sensitive and len(open_columns) > 1:
        given[sensitive.name] = _sensitive(sensitive)
    else:
        sensitive = None
    proposals = [given[column.name] or _quasi_identifier(column, sensitive) for column in columns]
    if not any(proposal.role == "quasi-identifier" for proposal in proposals):
        proposals = _with_one_quasi_identifier(columns, proposals)
    return tuple(_with_repeats(columns, _at_most(columns, proposals)))


# --- Roles --------------------------------------------------------------------------------------------------


def _without_others(column: Column) -> Proposal | None:
    """The role of a column that needs no look at the others."""
    if named := _of_persons(column):
        return named
    if column.constant and not column.has_star:
        return _constant(column)
    if why := _why_identifier(column):
        return Proposal(column.name, "identifier", why)
    if column.has_star and column.numbers is None and column.days is None:
        return Proposal(
            column.name,
            "identifier",
            "one of its values is '*', which in a release stands for any value, so it cannot be published",
            review="rename the value '*' in the data if the column is to be published",
        )
    return None


def _of_persons(column: Column) -> Proposal | None:
    """An identifier by what its values or its name say, however often a value occurs."""
    if _is_personal(column):
        return Proposal(column.name, "identifier", f"{column.pattern}, which lead to a person")
    if column.kind in ("empty", "yes/no", "decimal", "date"):
        return None
    distinct = f"{column.distinct:,} different value{'s' if column.distinct > 1 else ''}"
    otherwise = "if its values name nobody and lead to nobody, give it the role quasi-identifier"
    if by_name := person(column.name, numbers=column.numbers is not None):
        few = column.distinct <= MANY_NAMES and 2 * column.distinct < column.rows and column.pattern not in _NAMES
        why = f"{distinct} under a name that says {by_name!r}: they lead to a person"
        return Proposal(column.name, "identifier", why, review=otherwise if few else None)
    if only_a_number(column.name):
        return Proposal(column.name, "identifier", _numbered(column, hint(column.name, NUMBERED) or "id"))
    if column.kind == "long text":
        return Proposal(
            column.name, "identifier", f"long text of up to {column.longest:,} characters, which may name anyone"
        )
    if hint(column.name, KNOWN):
        return None
    if column.pattern in _NAMES and _secrecy(column) is None:
        return Proposal(column.name, "identifier", "its values look like names of persons", review=otherwise)
    if column.kind == "code" and column.all_digits and column.shortest >= LONG_DIGITS:
        why = f"{column.shape}, long enough to number persons, accounts or phones"
        return Proposal(column.name, "identifier", why, review=otherwise)
    if column.kind != "text" or column.pattern == "dates" or column.rows < FEWEST_ROWS_TO_JUDGE:
        return None
    why = f"texts, {column.distinct:,} different, which may name anyone"
    if _secrecy(column) is None:
        return Proposal(column.name, "identifier", why, review=f"{otherwise} and a taxonomy")
    if column.distinct > MOST_SENSITIVE_VALUES or column.nearly_unique:
        return Proposal(column.name, "identifier", why, review=TO_PROTECT)
    return None


def _is_personal(column: Column) -> bool:
    return column.pattern not in (None, "dates", *_NAMES)


def _constant(column: Column) -> Proposal:
    if column.kind == "empty":
        return Proposal(column.name, "insensitive", "it has no values, so it says nothing about anyone")
    if _secrecy(column) is not None:
        return Proposal(
            column.name,
            "identifier",
            "its name says that it is a secret, and every row has the same value: it would be revealed for everybody",
            review="anyone who is known to be in this table has this value, even if the column is dropped",
        )
    return Proposal(column.name, "insensitive", "it has the same value in every row, so it tells nobody apart")


def _why_identifier(column: Column) -> str | None:
    """Why a column points to one person by itself, if it does."""
    if column.numbers and column.numbers.running:
        return "whole numbers without a gap, one for each row: they number the rows"
    if column.kind in ("decimal", "date", "yes/no", "empty"):
        return None
    by_number = None if hint(column.name, KNOWN) else hint(column.name, NUMBERED)
    if by_number and (column.distinct > MANY_NUMBERED or column.unique_share >= NEARLY_ALL):
        return _numbered(column, by_number)
    if column.unique_share < NEARLY_ALL:
        if column.kind == "whole" or not column.nearly_unique or column.present < FEWEST_ROWS_TO_JUDGE:
            return None
        return f"{column.shape}, {column.distinct:,} different in the {column.present:,} rows that have one"
    occurs = "all distinct" if column.unique == column.rows else f"{column.unique_share:.0%} of them occur once"
    if column.kind == "whole":
        random = column.unique == column.rows and column.rows >= ROWS_WITHOUT_CHANCE
        return f"whole numbers, {occurs}" if random else None
    return f"{column.shape}, {occurs}" if column.rows >= FEWEST_ROWS_TO_JUDGE else None


def _numbered(column: Column, word: str) -> str:
    return f"{column.distinct:,} different values under a name that says {word!r}: they number persons or rows"


def _secrecy(column: Column) -> int | None:
    """How grave a secret its name promises, 0 the gravest; None for none."""
    return next((rank for rank, hints in enumerate(SECRET) if hint(column.name, hints)), None)


def _most_secret(columns: Sequence[Column]) -> Column | None:
    """The column with the gravest secret, of those whose values can be protected."""
    ranked = [(rank, column) for column in columns if (rank := _secrecy(column)) is not None and _protectable(column)]
    return min(ranked, key=lambda pair: pair[0])[1] if ranked else None


def _protectable(column: Column) -> bool:
    values = column.distinct + (column.missing > 0)
    most = min(MOST_SENSITIVE_VALUES, USUAL_K * MOST_SENSITIVE_CELLS // column.rows)
    kind_fits = not column.has_star and column.kind not in ("decimal", "date")
    return 2 <= values <= most and kind_fits and not column.nearly_unique


def _sensitive(column: Column) -> Proposal:
    return Proposal(
        column.name,
        "sensitive",
        f"its name says that it is a secret, and it has {column.distinct:,} different values to protect",
        review=_both(
            "is this what nobody should learn about a person? Several columns can be sensitive, each with a promise of "
            "its own",
            _spelling(column),
        ),
    )


def _spelling(column: Column) -> str | None:
    alike = look_alikes(value for value, _ in column.categories)
    if not alike:
        return None
    return f"some of its values look alike and count as different ones, so give them one spelling: {in_words(alike)}"


def _quasi_identifier(column: Column, sensitive: Column | None) -> Proposal:
    proposal = _with_taxonomy(column)
    if hint(column.name, TARGET) and column.kind in ("category", "yes/no") and column.distinct <= MOST_CLASSES:
        review = (
            "if a classifier is to predict it, others do not know it and it is no secret, the role class publishes it "
            "as it is"
        )
        proposal = replace(proposal, review=_both(review, proposal.review))
    known = hint(column.name, KNOWN)
    if _secrecy(column) is not None and sensitive is not None and _protectable(column):
        reason = f"it may be a secret too, but what this policy protects is {sensitive.name}"
        review = "if nobody should learn it, give it the role sensitive, and a promise that names it as its column"
        return replace(proposal, reason=f"{reason}. So it is made coarser", review=_both(review, proposal.review))
    if _secrecy(column) is not None and not _protectable(column):
        reason = f"it may be a secret, but its {column.distinct:,} values are too many to protect"
        return replace(proposal, reason=f"{reason}. So it is made coarser", review=_both(TO_PROTECT, proposal.review))
    if known:
        return replace(proposal, reason="by its name it is something that others may know")
    return replace(proposal, reason="others may know it; nothing says that it is harmless")


def _both(first: str, second: str | None) -> str:
    return f"{first}; {second}" if second else first


def _with_one_quasi_identifier(columns: Sequence[Column], proposals: Sequence[Proposal]) -> list[Proposal]:
    """A policy needs a quasi-identifier: one that is published as it is, or one whose values have no place."""
    chosen, was = min(
        zip(columns, proposals, strict=True),
        key=lambda pair: (pair[1].role == "identifier", pair[0].has_star, pair[0].unique, pair[0].longest),
    )
    if was.role == "identifier":
        proposal = Proposal(
            chosen.name,
            "quasi-identifier",
            "a policy needs a quasi-identifier, and no column suits. The taxonomy of this one has no place for its "
            "values, so all of them are published as missing",
            HIDDEN,
            suppress_others=True,
            review=_both(NOTHING_FITS, was.review if chosen.has_star else None),
        )
    else:
        proposal = replace(
            _with_taxonomy(chosen),
            reason="a policy needs a quasi-identifier, and no other column suits better",
            review=NOTHING_FITS,
        )
    return [proposal if column is chosen else other for column, other in zip(columns, proposals, strict=True)]


def _with_repeats(columns: Sequence[Column], proposals: Sequence[Proposal]) -> list[Proposal]:
    """Says where persons have several rows, by the column that tells most of them apart.

    What each person has of their own counts even beside a column that numbers the rows. Names are shared by different
    persons, so they count only where nothing else tells the rows apart.
    """
    dropped = [
        column
        for column, proposal in zip(columns, proposals, strict=True)
        if (proposal.role == "identifier" or proposal.taxonomy is HIDDEN) and column.present
    ]
    found = [column for column in dropped if _is_own(column)] or [column for column in dropped if _may_be_own(column)]
    most = max(found, key=lambda column: (column.distinct / column.present, column.pattern not in _NAMES), default=None)
    if most is None or most.distinct >= EACH_ITS_OWN * most.present:
        return list(proposals)
    each = f"{most.present / most.distinct:,.1f}".removesuffix(".0")
    note = (
        f"a value occurs in {each} rows on average. If a value is a person, rows are not people: k counts rows, so one "
        "person with several can fill a group and is then not hidden. Keep one row for each person in the data"
    )
    return [
        replace(proposal, review=_both(note, proposal.review), repeats=True) if column is most else proposal
        for column, proposal in zip(columns, proposals, strict=True)
    ]


def _is_own(column: Column) -> bool:
    return column.pattern in _OWN or own(column.name, numbers=column.numbers is not None) is not None


def _may_be_own(column: Column) -> bool:
    """Numbers of rows count too: where each row has one, shared names mean nothing."""
    if _is_personal(column) or only_a_number(column.name) or (column.nearly_unique and column.kind != "long text"):
        return True
    by_name = person(column.name, numbers=column.numbers is not None) or hint(column.name, NUMBERED)
    return by_name is not None and column.distinct >= FEWEST_PERSONS * column.present


def _at_most(columns: Sequence[Column], proposals: Sequence[Proposal]) -> list[Proposal]:
    """Drops the most identifying of more quasi-identifiers than the search can take."""
    quasi = [
        (column, proposal)
        for column, proposal in zip(columns, proposals, strict=True)
        if proposal.role == "quasi-identifier"
    ]
    by_distinct = sorted(quasi, key=lambda pair: pair[0].distinct)
    dropped = {column.name for column, _ in by_distinct[MOST_QUASI_IDENTIFIERS:]}
    reason = f"left out: {len(quasi)} quasi-identifiers are more than the {MOST_QUASI_IDENTIFIERS} that can be searched"
    return [
        Proposal(proposal.column, "identifier", reason, review="keep the columns that readers need most")
        if proposal.column in dropped
        else proposal
        for proposal in proposals
    ]


# --- Taxonomies ---------------------------------------------------------------------------------------------


def _with_taxonomy(column: Column) -> Proposal:
    """A quasi-identifier, its reason still open."""
    taxonomy: Taxonomy | None = None
    review = None
    if column.ready:
        taxonomy = {"ready": column.ready}
    elif column.numbers and (column.kind == "decimal" or column.distinct > FEW_NUMBERS or column.has_star):
        taxonomy = intervals(column.numbers, whole=column.kind == "whole")
    elif column.days:
        taxonomy = {"dates": periods(column.days)}
    elif column.kind == "code" and column.prefixes:
        taxonomy = {"prefixes": tuple(str(length) for length in column.prefixes)}
    elif column.pattern == "dates":
        review = "these look like dates; written as 2024-03-05 they could be cut with {dates: [month, year]}"
    elif column.distinct > MANY_FLAT:
        review = (
            f"there is nothing between its {column.distinct:,} values and '*'; write a taxonomy file that groups them"
        )
    suppress = taxonomy is not None and column.exceptions > 0
    if suppress:
        review = f"{column.exceptions:,} rows hold something other than the rest; on_missing treats it as missing"
    return Proposal(column.name, "quasi-identifier", "", taxonomy, suppress, review)


def periods(days: Days) -> tuple[str, ...]:
    """Calendar periods that suit the time from the first day to the last."""
    length = (days.last - days.first).days
    if length <= 92:
        return ("day", "month")
    if length <= 3 * 366:
        return ("month", "quarter", "year")
    return ("month", "year") if length <= 20 * 366 else ("month", "year", "decade")


def intervals(numbers: Numbers, *, whole: bool) -> Taxonomy | None:
    """Ranges of round widths over round ends that hold every number; None where there is only one number.

    A few whole numbers may be shown as they are. Otherwise the narrowest range is about a fortieth of where most rows
    lie, and so wide that far-off numbers do not make too many ranges.
    """
    span = numbers.highest - numbers.lowest + (1 if whole else 0)
    if numbers.highest == numbers.lowest:
        return None
    singles = whole and span <= MOST_SINGLE_NUMBERS
    if singles:
        width = max(_round_below(span / 12), Fraction(2))
    else:
        middle = numbers.high - numbers.low
        width = _wider(_round_below(span / MOST_RANGES))
        if middle > 0:
            width = max(width, _round_below(middle / FINEST_RANGES))
        if whole:
            width = max(width, Fraction(1))
    widths = [width]
    while (wider := _wider(widths[-1])) < span:
        widths.append(wider)
    start = numbers.lowest // widths[-1] * widths[-1]
    end = (numbers.highest // widths[-1] + 1) * widths[-1]
    taxonomy: dict[str, str | tuple[str, ...]] = {
        "intervals": tuple(map(written, widths)),
        "start": written(start),
        "end": written(end),
    }
    return taxonomy if singles else {**taxonomy, "leaves": "intervals"}


def _round_below(number: Fraction) -> Fraction:
    """The largest of 1, 2 and 5 times a power of ten that is not above the number."""
    power = Fraction(10) ** Decimal(number.numerator / number.denominator).adjusted()
    while power > number:
        power /= 10
    while power * 10 <= number:
        power *= 10
    return max(digit * power for digit in (1, 2, 5) if digit * power <= number)


def _wider(width: Fraction) -> Fraction:
    """The next round width that is a multiple of this one: 1, 2, 10, 20, 100 or 5, 10, 20, 100."""
    power = Fraction(10) ** Decimal(width.numerator / width.denominator).adjusted()
    rounds = (digit * power * scale for scale in (1, 10, 100) for digit in (1, 2, 5))
    return next(wider for wider in rounds if wider > width and wider % width == 0)


def written(number: Fraction) -> str:
    """A number of finitely many decimal places in plain digits.

    >>> written(Fraction(1, 20)), written(Fraction(-400))
    ('0.05', '-400')
    """
    digits = Context(prec=400).divide(Decimal(number.numerator), Decimal(number.denominator))
    text = f"{digits:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
