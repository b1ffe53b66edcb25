"""From the rows of a loaded table to an EncodedTable: every value finds its leaf, combinations are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.encode.table import EncodedTable
from discreet.errors import InputError
from discreet.policy import TablePolicy
from discreet.taxonomy import MISSING

SHOWN_VALUES = 10
LONGEST_SHOWN = 60


class CountingEngine(Protocol):
    """What encoding asks of an engine."""

    def distinct(self, column: str, table: str = ...) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]: ...

    def count(
        self, codes: Mapping[str, Mapping[str, int]], table: str = ...
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...


@dataclass(frozen=True)
class Encoding:
    """An encoded table and how its values were found: what recoding needs to go back to rows."""

    table: EncodedTable
    leaf_of: Mapping[str, Mapping[str, int]]
    """quasi-identifier -> value -> leaf number"""
    codes: Mapping[str, Mapping[str, int]]
    """sensitive and class column, where there are such -> value -> code"""
    sensitive: str | None
    class_column: str | None
    """the class column, where classes are told apart"""
    from_data: Mapping[str, bool]
    """quasi-identifier -> are the taxonomy's labels the data's own values?"""
    warnings: tuple[str, ...]

    def collapsed(self) -> Encoding:
        """With every one-child chain of a taxonomy as one node, as a search wants it; the leaves stay the same."""
        taxonomies = tuple(taxonomy.collapsed() for taxonomy in self.table.taxonomies)
        return replace(self, table=replace(self.table, taxonomies=taxonomies))

    def without_class(self) -> Encoding:
        """With the classes not told apart."""
        if self.class_column is None:
            return self
        codes = {column: coded for column, coded in self.codes.items() if column != self.class_column}
        return replace(self, table=self.table.without_class(), codes=codes, class_column=None)


def encode_table(engine: CountingEngine, policy: TablePolicy) -> Encoding:
    """Encodes the loaded table by the policy's roles, with its class column where it has one, and its taxonomies."""
    leaf_of: dict[str, dict[str, int]] = {}
    taxonomies, from_data, warnings = [], {}, []
    for column in policy.columns("quasi-identifier"):
        values, counts = engine.distinct(column)
        placement = policy.attributes[column].builder(column).build(column, values)
        taxonomy, leaves = placement.taxonomy, placement.leaf_of.copy()
        is_missing = np.array([value == MISSING for value in values])
        homeless = (leaves < 0) & ~is_missing
        if homeless.any():
            sentence = _homeless(column, [values[index] for index in np.flatnonzero(homeless)], counts[homeless])
            if policy.attributes[column].on_missing == "error":
                raise InputError(
                    f"{sentence} Add them to the taxonomy or set attributes.{column}.on_missing: suppress, "
                    "which treats them as missing."
                )
            warnings.append(f"{sentence} They are treated as missing.")
        if (leaves < 0).any():
            taxonomy = taxonomy.with_missing()
            leaves[leaves < 0] = taxonomy.leaf_labels.index(MISSING)
        taxonomies.append(taxonomy)
        from_data[column] = placement.from_data
        leaf_of[column] = dict(zip(values, (int(leaf) for leaf in leaves), strict=True))
    codes: dict[str, dict[str, int]] = {}
    values_of: list[tuple[str, ...]] = []
    class_column = policy.class_column
    for name in (policy.sensitive, class_column):
        values = engine.distinct(name)[0] if name else (MISSING,)
        values_of.append(values)
        if name:
            codes[name] = {value: code for code, value in enumerate(values)}
    columns, counts = engine.count({**leaf_of, **codes})
    quasi = len(leaf_of)
    nothing = np.zeros(len(counts), np.int32)
    sensitive = columns[quasi] if policy.sensitive else nothing
    classes = columns[-1] if class_column else nothing
    table = EncodedTable(
        attributes=tuple(leaf_of),
        taxonomies=tuple(taxonomies),
        leaves=columns[:quasi],
        sensitive=sensitive,
        classes=classes,
        counts=counts,
        sensitive_values=values_of[0],
        class_values=values_of[1],
    )
    return Encoding(table, leaf_of, codes, policy.sensitive, class_column, from_data, tuple(warnings))


def briefly(value: str) -> str:
    """A value as a sentence can quote it: a cell may be a megabyte long."""
    return repr(value) if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]!r}..."


def _homeless(column: str, values: list[str], counts: npt.NDArray[np.int64]) -> str:
    shown = ", ".join(map(briefly, values[:SHOWN_VALUES]))
    more = f" and {len(values) - SHOWN_VALUES} more" if len(values) > SHOWN_VALUES else ""
    return (
        f"{column}: {len(values)} {'value is' if len(values) == 1 else 'values are'} not in its taxonomy "
        f"({shown}{more}; {int(counts.sum())} {'row' if counts.sum() == 1 else 'rows'})."
    )
