"""From an encoded table to how it is to be published: by a search, or by a recoding found earlier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from discreet.encode.table import Encoding, encode_table
from discreet.engine import STAR, Engine
from discreet.errors import InputError
from discreet.losses.table import TABLE_LOSSES
from discreet.policy import TablePolicy
from discreet.read.cleaning import clean_table, warn_of_unreadable
from discreet.read.database import Database
from discreet.read.table import has_column_order, load_table
from discreet.recode.table.recoded import ByCuts, ByRegions, Recoded
from discreet.recode.table.release import write_release
from discreet.recode.table.rule import TableRule, write_mapping
from discreet.recode.written import Written, write_json
from discreet.search.events import Listener, ignore
from discreet.search.results import Found
from discreet.search.solving import Solved, run_method
from discreet.search.table.problem import TableProblem, demand_of, exact_cost, release_of, why_too_few
from discreet.values.formulas import escaped
from discreet.values.partitions import Suppressed

MOST_NAMES = 30
LONGEST_NAME = 60

SolvedTable: TypeAlias = Solved[TablePolicy, Encoding, TableProblem]


def search(
    policy: TablePolicy, encoding: Encoding, random: np.random.Generator, listen: Listener = ignore
) -> SolvedTable:
    """Searches for the best release of an encoded table."""
    method = policy.search.declared()
    encoding = _as_searched(policy, encoding.collapsed() if method.merges_chains else encoding)
    problem = problem_of(policy, encoding)
    result = run_method(policy, problem, random, listen)
    for found in result.found:
        _check_complete(problem, found.recoded)
    warnings, too_few = _warnings(policy, encoding), why_too_few(problem)
    return Solved(policy, encoding, problem, result.found, result, warnings, why_empty=too_few)


def apply(rule: TableRule, policy: TablePolicy, encoding: Encoding) -> SolvedTable:
    """Takes the release that a recoding found elsewhere gives for this table.

    Its cuts may name any node of a one-child chain, so these chains stay.
    """
    encoding = _as_searched(policy, encoding)
    problem = problem_of(policy, encoding)
    recoded = ByCuts(rule.cuts_of(encoding))
    _check_suppressed(policy, release_of(problem, recoded))
    found = (Found(recoded, exact_cost(problem, recoded)),)
    return Solved(policy, encoding, problem, found, None, _warnings(policy, encoding), rule)


def _check_suppressed(policy: TablePolicy, release: Suppressed) -> None:
    """A limit on what is deleted binds a recoding that was found for other records too."""
    most = policy.search.max_suppressed
    suppressed = release.records + release.values
    if most is not None and suppressed > int(most * release.rows):
        what = f"of {release.rows} {'records' if release.records else 'sensitive values'} would be deleted"
        raise InputError(
            f"With this recoding {suppressed} {what}, more than the share {most} that search.max_suppressed allows; "
            "publish them without --recoding, which searches one of its own."
        )


def _check_complete(problem: TableProblem, recoded: Recoded) -> None:
    """Only cuts leave records out, by the scheme; a method that does otherwise has a defect."""
    if isinstance(recoded, ByCuts):
        return
    left_out = isinstance(recoded, ByRegions) and int(recoded.counts.sum()) != problem.table.rows
    if problem.scheme != "none" or left_out:
        raise TypeError("Local recoding and new rows go with the suppression none, and publish every record.")


def _as_searched(policy: TablePolicy, encoding: Encoding) -> Encoding:
    """Classes distinguished only where the loss or the method looks at them: fewer combinations are faster."""
    looked_at = TABLE_LOSSES[policy.search.loss].needs_class or policy.search.declared().makes_numbers
    return encoding if looked_at else encoding.without_class()


def problem_of(policy: TablePolicy, encoding: Encoding) -> TableProblem:
    """What a search is asked for: the table, what every group has to keep, the scheme and the loss."""
    for column in encoding.table.told:
        if STAR in column.values:
            raise InputError(
                f"{column.name}: the value '*' occurs in the data, but in a release it stands for suppressed values; "
                "rename it."
            )
    demand = demand_of(policy.promises, encoding.table)
    problem = TableProblem.asked(policy, encoding.table, demand)
    problem.check_digits()
    return problem


def _warnings(policy: TablePolicy, encoding: Encoding) -> tuple[str, ...]:
    columns = encoding.table.by_column
    about = {column: [model for model in policy.promises if model.column in (column, None)] for column in columns}
    return (
        *encoding.warnings,
        *(text for column, models in about.items() for model in models for text in model.warnings(columns[column])),
    )


def encode(engine: Engine, policy: TablePolicy, data: object) -> Encoding:
    """Loads the table in memory, or else the policy's file, checks its columns against the roles, and encodes it."""
    source = source_of(policy) if data is None else data
    if source is None:
        raise InputError("data.path: there is no data to publish; name a file, or pass a table in Python.")
    in_file = isinstance(source, Path)
    columns = load_table(
        engine,
        source,
        encoding=policy.data.encoding if in_file else None,
        sheet=policy.data.sheet if in_file else None,
    ).columns
    name = source.name if isinstance(source, Path | Database) else "the table"
    _check_columns(policy, columns, name)
    cleanings = policy.cleanings()
    cleaned = clean_table(engine, cleanings, name)
    encoding = encode_table(engine, policy, columns if has_column_order(source) else tuple(policy.attributes))
    warnings = (*warn_of_unreadable(cleanings, cleaned), *encoding.warnings)
    return replace(encoding, cleaned=cleaned, warnings=warnings)


def source_of(policy: TablePolicy) -> Path | Database | None:
    """Where the policy says that the data are."""
    if policy.data.database is not None:
        return Database(policy.data.database, policy.data.table)
    return policy.data.path


def _check_columns(policy: TablePolicy, columns: Sequence[str], source: str) -> None:
    """Every column has a role, and every role a column."""
    absent = [name for name in policy.attributes if name not in columns]
    if absent:
        raise InputError(f"attributes.{absent[0]}: there is no such column in {source}; it has {_named(columns)}.")
    unnamed = [name for name in columns if name not in policy.attributes]
    if unnamed:
        raise InputError(
            f"{source} has {'a column' if len(unnamed) == 1 else 'columns'} without a role: {_named(unnamed)}; "
            "name it under attributes with its role (identifier drops it, insensitive publishes it as it is)."
        )


def _named(names: Sequence[str]) -> str:
    """Names for a sentence that stays one, however many and however long they are."""
    shown = [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..." for name in names[:MOST_NAMES]]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(shown)}{more}"


def write(engine: Engine, solved: SolvedTable, folder: Path, random: np.random.Generator) -> Written:
    """Writes the release."""
    recoded = solved.chosen.recoded
    suppressed = release_of(solved.problem, recoded)
    return write_release(engine, solved.policy, solved.encoding, recoded, suppressed, folder, random)


def write_rule(solved: SolvedTable, folder: Path) -> None:
    """The cuts, if there are any: for new rows and for reading."""
    recoded, problem, encoding = solved.chosen.recoded, solved.problem, solved.encoding
    if not isinstance(recoded, ByCuts):
        return
    rule = TableRule.of(
        encoding.table.attributes, recoded.cuts, problem.scheme, problem.guard_stars, solved.policy.written_clean()
    )
    write_json(folder / "recoding.json", rule.as_dict())
    cell = escaped if solved.policy.output.escape_formulas else str
    write_mapping(encoding, recoded.cuts, folder / "mapping.csv", cell)


def certified(solved: SolvedTable) -> dict[str, object]:
    """What the certificate says about the method: nothing that depends on the data."""
    search = solved.policy.search
    said: dict[str, object] = {} if solved.search is None else {"loss": search.loss}
    if search.splits and not all(model.about_size for model in solved.policy.promises):
        said["split"] = True
    return {**said, "suppression": search.suppression}


def encoding_key(policy: TablePolicy) -> str:
    labellings = [policy.labelling(column) for column in policy.columns("quasi-identifier")]
    return repr((policy.attributes, labellings))
