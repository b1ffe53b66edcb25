"""A policy to begin with: what is proposed, written as YAML with comments, and accepted by `publish` as it stands.

The promise is chosen so that a release always exists. k is at most the number of rows, and no threshold is below the
share that its value has in the whole table, so even the release that shows nothing but `*` keeps the promise. The
search ends after a minute with the best it has.

Every name and value that comes from the data is quoted by PyYAML, or plain where nothing in it could be misread; in
comments it is only shown, unprintable characters escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from discreet.profile.table.alternatives import other_methods, other_promises, taxonomy_of_sensitive
from discreet.profile.table.columns import LONGEST_KEPT, Column, Kind
from discreet.profile.table.combinations import Combination
from discreet.profile.table.proposal import Proposal, Taxonomy
from discreet.profile.table.quality import Quality
from discreet.profile.written_policy import LONGEST_SHOWN, NOTHING, SECONDS, USUAL_K, comment, quoted, shown

MOST_THRESHOLDS = 20
STEPS = tuple(
    Fraction(step)
    for step in ("1/5", "1/4", "1/3", "2/5", "1/2", "3/5", "2/3", "3/4", "4/5", "9/10", "19/20", "99/100")
)

_KINDS: dict[Kind, str] = {
    "empty": "empty",
    "yes/no": "yes and no",
    "whole": "whole numbers",
    "decimal": "decimal numbers",
    "date": "dates",
    "category": "categories",
    "code": "codes",
    "text": "texts",
    "long text": "long texts",
}


def starter_policy(
    columns: Sequence[Column],
    proposals: Sequence[Proposal],
    path: str | None,
    file: str = "POLICY",
    keys: Mapping[str, str] = NOTHING,
    quality: Quality | None = None,
    together: Combination | None = None,
) -> str:
    """The text of the policy.

    path: the data as seen from the policy's folder, None for a table in memory. file: what the policy is called. keys:
    what the data section says besides. quality: what is dirty, and how to clean it. together: all quasi-identifiers, as
    they were counted.
    """
    sensitive = next((proposal.column for proposal in proposals if proposal.role == "sensitive"), None)
    column = next((column for column in columns if column.name == sensitive), None)
    lines = [
        *_head(file),
        "",
        "data:",
        "  kind: table",
        *_source(path, keys),
        *_clean_everywhere(quality),
        "",
        *comment(
            "Every column has a role. identifier: dropped. quasi-identifier: may be known to others, generalized. "
            "sensitive: nobody should learn it, protected. class and insensitive: published as they are."
        ),
        "attributes:",
        *(line for pair in zip(columns, proposals, strict=True) for line in _attribute(*pair, quality)),
        "",
        *_privacy(column, columns[0].rows, next((found.column for found in proposals if found.repeats), None)),
        "",
        *_search(together, columns[0].rows),
        *_made_up(columns, proposals),
        "",
        "output: {format: csv}",
    ]
    return "\n".join(lines) + "\n"


def _head(file: str) -> Iterator[str]:
    yield from comment(
        "A policy to begin with, proposed by discreet inspect. It can be published as it stands, but a program cannot "
        "know what is known about people or what would hurt them. Read every role and its reason, look at the "
        "lines that say so, change what is wrong, and publish:"
    )
    yield "#"
    yield f"#     discreet publish {shown(file, 10 * LONGEST_SHOWN)}"


def _source(path: str | None, keys: Mapping[str, str]) -> Iterator[str]:
    if path is not None:
        yield f"  path: {quoted(path)}"
    elif "database" not in keys:
        yield "  # no path: hand the table to publish as data="
    for key, value in keys.items():
        yield f"  {key}: {quoted(value)}"


def _clean_everywhere(quality: Quality | None) -> Iterator[str]:
    if quality is None or not quality.everywhere:
        return
    yield from comment(
        "Cells are cleaned before anything else. trim: no blanks at the ends, one at most between words. missing: what "
        "means that there is no value.",
        "  ",
    )
    yield "  clean:"
    yield from _block(quality.everywhere, "    ")


def _clean(name: str, quality: Quality | None) -> Iterator[str]:
    """The lines of a column's `clean`; what is doubtful is commented out, and in its place when it is uncommented."""
    if quality is None or name not in quality.columns:
        return
    safe, doubtful = quality.safe(name), quality.doubtful(name)
    for found in quality.columns[name].findings:
        yield from comment(f"{found.text}.", "    ")
    if safe:
        yield "    clean:"
        yield from _block(safe, "      ")
    if doubtful:
        yield from comment(
            "a human should look at this: what is only likely is commented out. Delete '# ' where it is right, and "
            "the line where it is wrong.",
            "    ",
        )
        # A mapping is written once: what is doubtful about a key that is there already goes below it.
        for line in [*([] if safe else ["    clean:"]), *_block(doubtful, "      ", begun=safe)]:
            yield f"    # {line[4:]}"


def _block(keys: Mapping[str, Any], indent: str, begun: Mapping[str, Any] = NOTHING) -> Iterator[str]:
    for key, value in sorted(keys.items(), key=lambda pair: pair[0] not in begun):
        if isinstance(value, Mapping):
            if key not in begun:
                yield f"{indent}{key}:"
            for old, new in value.items():
                yield f"{indent}  {quoted(old)}: {quoted(new)}"
        elif isinstance(value, list):
            yield f"{indent}{key}: [{', '.join(map(quoted, value))}]"
        else:
            yield f"{indent}{key}: {str(value).lower() if isinstance(value, bool) else quoted(value)}"


def _attribute(column: Column, proposal: Proposal, quality: Quality | None) -> Iterator[str]:
    facts = ""
    if proposal.role == "quasi-identifier":
        missing = f", {column.missing:,} missing" if column.missing else ""
        facts = f"{_KINDS[column.kind]}, {column.distinct:,} different{missing}: "
    yield from comment(f"{facts}{proposal.reason}.", "  ")
    if proposal.review:
        yield from comment(f"a human should look at this: {proposal.review}.", "  ")
    name = quoted(proposal.column)
    more = {"on_missing": "suppress"} if proposal.suppress_others else {}
    # YAML finds no `:` after a key of more than 1024 characters.
    start = f"  {name}:" if len(name) < 1000 else f"  ? {name}\n  :"
    clean = list(_clean(proposal.column, quality))
    kinds = taxonomy_of_sensitive(column) if proposal.role == "sensitive" else None
    if proposal.taxonomy is None and not more and not clean and kinds is None:
        yield f"{start} {{role: {proposal.role}}}"
        return
    yield start
    yield f"    role: {proposal.role}"
    if proposal.taxonomy is not None:
        yield f"    taxonomy: {_written(proposal.taxonomy)}"
    if kinds is not None:
        yield from comment(
            "What its values are kinds of: for thresholds on labels, or the distance hierarchical.", "    "
        )
        yield f"    # taxonomy: {_written(kinds)}"
    for key, value in more.items():
        yield f"    {key}: {value}"
    yield from clean


def _written(taxonomy: Taxonomy) -> str:
    parts = (
        f"{key}: {value if isinstance(value, str) else '[' + ', '.join(value) + ']'}" for key, value in taxonomy.items()
    )
    return f"{{{', '.join(parts)}}}"


def _privacy(sensitive: Column | None, rows: int, repeated: str | None) -> Iterator[str]:
    k = min(USUAL_K, rows)
    yield from comment(
        f"Nobody can be found by the quasi-identifiers: each record looks like at least {k - 1} others."
        + (
            f" And nobody who knows all of them about a person can infer the person's {shown(sensitive.name)} with "
            "more confidence than its threshold."
            if sensitive
            else ""
        )
    )
    if repeated is not None:
        yield from comment(
            f"a human should look at this: k counts records, and by {shown(repeated)} a person seems to have several. "
            "Then all records of a group may be one person's, who is not hidden. Give it the role person, and groups "
            "count people; or keep one record for each person in the data."
        )
    if sensitive is None:
        yield from comment(
            "a human should look at this: no column was taken for a secret. If there is one, give it the role "
            "sensitive, and add the promise {model: l-plus-diversity, thresholds: 1/2} to a list of both."
        )
        yield f"privacy: {{model: k-anonymity, k: {k}}}"
        return
    yield "privacy:"
    yield f"  - {{model: k-anonymity, k: {k}}}"
    yield from _thresholds(sensitive, rows)
    yield from _other_promises(sensitive)


def _thresholds(sensitive: Column, rows: int) -> Iterator[str]:
    yield "  - model: l-plus-diversity"
    if not sensitive.categories or len(sensitive.categories) > MOST_THRESHOLDS or sensitive.longest > LONGEST_KEPT:
        yield from comment(
            "a human should look at this: about twice the share of the records that have the most frequent value. "
            "Lower it if you can, down to that share.",
            "    ",
        )
        yield f"    thresholds: {threshold(Fraction(sensitive.largest, rows))}"
        return
    yield from comment(
        "a human should look at this: about twice the share of the records that have the value. Lower it for what "
        "hurts, down to that share; 1 is no protection.",
        "    ",
    )
    yield "    thresholds:"
    for value, count in sensitive.categories:
        share = f"{count / rows:.0%}" if 100 * count >= rows else "less than 1%"
        what = "" if value else ", the missing values"
        yield f"      {quoted(value)}: {threshold(Fraction(count, rows))}  # now {share} of the records{what}"


def threshold(share: Fraction) -> Fraction:
    """Twice the share, but for frequent values half-way to 1: the next step, and never below the share itself."""
    aim = min(2 * share, (1 + share) / 2)
    return next((step for step in STEPS if step >= aim), aim)


def _other_promises(sensitive: Column) -> Iterator[str]:
    """What else fits, each a line that holds when its '# ' is deleted."""
    others = list(other_promises(sensitive))
    if not others:
        return
    yield from comment(
        f"Other promises about {shown(sensitive.name)} that fit the data, beside these or in their place: delete "
        "'# ' before the one you want.",
        "  ",
    )
    for other in others:
        yield "  #"
        yield from comment(other.reason, "  ")
        yield f"  # - {{{', '.join(f'{key}: {value}' for key, value in other.keys.items())}}}"


def _made_up(columns: Sequence[Column], proposals: Sequence[Proposal]) -> Iterator[str]:
    """Where all that is published are numbers, readers may be better served by rows that were made up."""
    roles = {proposal.column: proposal.role for proposal in proposals}
    published = [column for column in columns if roles[column.name] not in ("identifier", "class")]
    if published and all(column.numbers and not column.exceptions and not column.missing for column in published):
        yield "  #"
        yield from comment(
            "All that is published are numbers. If readers only compute with them, rows may be made up from groups of "
            "similar records, none of which is published: promise {model: condensed-groups, k: 10}, search with "
            "{method: condensation} and nothing else, and leave out taxonomies. No file can prove such a promise. Or "
            "publish the means of groups, which k-anonymity can be proved of: {method: mdav}.",
            "  ",
        )


def _search(together: Combination | None, rows: int) -> Iterator[str]:
    yield "search:"
    yield "  loss: lm                 # keep values as unambiguous as possible"
    yield f"  time_limit: {SECONDS}           # seconds; longer may find a better release"
    yield from comment(
        "Where a group breaks the promise all of it is deleted, so that what is missing tells least (suppression has "
        "other ways). Local recoding deletes nothing.",
        "  ",
    )
    if together is None:
        return
    yield from comment("Other ways to look for a release; delete '# ' before one of them.", "  ")
    for other in other_methods(together, rows):
        yield "  #"
        yield from comment(other.reason, "  ")
        yield f"  # method: {other.keys['method']}"
