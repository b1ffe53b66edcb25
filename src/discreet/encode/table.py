"""A table as numbers: the distinct combinations of leaves, sensitive value and class, with their counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from discreet.encode.joint import JointValues, ToldColumn, count_records
from discreet.engine import Engine
from discreet.errors import InputError
from discreet.models.partition_limits import Order, SensitiveColumn
from discreet.models.t_closeness import is_number
from discreet.models.table import TableModel
from discreet.policy import TablePolicy
from discreet.policy.table import Attribute
from discreet.read.taxonomies import taxonomy_builder
from discreet.taxonomy import MISSING, Cut, MadeFrom, Placement, Taxonomy
from discreet.taxonomy.detail import ending_at, labels_above, named_nodes, unknown_labels
from discreet.taxonomy.published import Labelling, check_labelling
from discreet.values.arrays import Bools, Int32s, Int64s, column_codes
from discreet.values.cleaning import Cleaned
from discreet.values.look_alikes import in_words, look_alikes
from discreet.values.partitions import Partitions
from discreet.values.words import SHOWN_VALUES, briefly, listed

MOST_CELLS = 1 << 26


@dataclass(frozen=True)
class EncodedTable:
    """All that a search ever sees of a table: how often each combination occurs, never a row.

    Taxonomies are as given, with a leaf for missing values where some are missing; a search wants them collapsed.
    Where a table has no sensitive column, or no class column, all rows have the same value of it. Where it has several
    sensitive columns, a sensitive value is what they say together; where a person has several rows, a record is a
    person, and a sensitive value all that their rows say.
    """

    attributes: tuple[str, ...]
    taxonomies: tuple[Taxonomy, ...]
    leaves: Int32s
    """attribute x combination -> leaf number"""
    sensitive: Int32s
    classes: Int32s
    counts: Int64s
    sensitive_values: tuple[str, ...]
    class_values: tuple[str, ...]
    told: tuple[ToldColumn, ...] = ()
    """the sensitive columns; none: there is none, or only one, whose values are the table's sensitive values"""
    forbidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """attribute -> the labels that are too coarse to be published; with each of them all labels above it"""
    labels: Mapping[str, Labelling] = field(default_factory=dict)
    """attribute -> how a group of different values is published, where that is not the lowest node above them"""

    def labelling(self, attribute: int) -> Labelling:
        """How a group of different values is published in this attribute."""
        return self.labels.get(self.attributes[attribute], "nodes")

    def is_forbidden(self, attribute: int) -> Bools:
        """node of the attribute's taxonomy -> whether it is too coarse to be published"""
        labels = self.forbidden.get(self.attributes[attribute], frozenset())
        return np.array([label in labels for label in self.taxonomies[attribute].labels])

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def sensitive_column(self) -> SensitiveColumn:
        counts = np.bincount(self.sensitive, weights=self.counts, minlength=len(self.sensitive_values))
        return SensitiveColumn(self.sensitive_values, tuple(int(count) for count in counts))

    @property
    def by_column(self) -> Mapping[str, SensitiveColumn]:
        """The sensitive columns, each with its values and how many records have them."""
        of_table = np.array(self.sensitive_column.counts, np.int64)
        return {
            column.name: SensitiveColumn(
                column.values,
                tuple(column.counted(of_table).tolist()),
                column.categories,
                column.tree,
                column.order,
                column.order_is_assumed,
                column.name,
            )
            for column in self.told
        }

    @property
    def is_joint(self) -> bool:
        """Whether a sensitive value of the table is not simply one of its only sensitive column."""
        return len(self.told) > 1 or any(not column.is_all for column in self.told)

    def without_class(self) -> EncodedTable:
        """The same table, with no distinction between classes."""
        if len(self.class_values) == 1:
            return self
        columns = np.vstack((self.leaves, self.sensitive))
        _, first, number = np.unique(column_codes(columns), return_index=True, return_inverse=True)
        return replace(
            self,
            leaves=self.leaves[:, first],
            sensitive=self.sensitive[first],
            classes=np.zeros(len(first), np.int32),
            counts=np.bincount(number, weights=self.counts).astype(np.int64),
            class_values=(MISSING,),
        )

    def occurrences(self, attribute: int) -> Int64s:
        """How many records each leaf of the attribute has."""
        leaf_count = len(self.taxonomies[attribute].leaf_nodes)
        return np.bincount(self.leaves[attribute], weights=self.counts, minlength=leaf_count).astype(np.int64)

    def partitions(self, cuts: tuple[Cut, ...]) -> Partitions:
        """The groups that look alike when every value is replaced by the value of the cut above it."""
        values = np.stack([cut.value_of_leaf()[row] for cut, row in zip(cuts, self.leaves, strict=True)])
        codes, group_of = np.unique(column_codes(values), return_inverse=True)
        size = len(codes)
        nodes = np.empty((size, len(cuts)), np.int32)
        nodes[group_of] = values.T
        shape = (size, len(self.sensitive_values), len(self.class_values))
        if shape[0] * shape[1] * shape[2] > MOST_CELLS:
            raise InputError(
                f"The sensitive column has {shape[1]} different values and the release {shape[0]} groups: more pairs "
                "than fit in memory; group the sensitive values into classes before publishing."
            )
        cells = (group_of * shape[1] + self.sensitive) * shape[2] + self.classes
        histogram = np.bincount(cells, weights=self.counts, minlength=shape[0] * shape[1] * shape[2])
        return Partitions(nodes, histogram.astype(np.int64).reshape(shape))


def told_of(model: TableModel, table: EncodedTable) -> ToldColumn | None:
    """The sensitive column that a promise is about; None where it is about none of several."""
    return next((told for told in table.told if told.name == model.column or len(table.told) == 1), None)


def column_of(model: TableModel, table: EncodedTable) -> SensitiveColumn:
    """The same with its values and counts; all sensitive values of the table where it is about no column."""
    told = told_of(model, table)
    return table.sensitive_column if told is None else table.by_column[told.name]


@dataclass(frozen=True)
class Encoding:
    """An encoded table and how its values were found: what recoding needs to go back to rows."""

    table: EncodedTable
    columns: tuple[str, ...]
    """all columns of the original, in the order in which they are published"""
    leaf_of: Mapping[str, Mapping[str, int]]
    """quasi-identifier -> value -> leaf number"""
    codes: Mapping[str, Mapping[str, int]]
    """sensitive columns and class column, where they exist -> value -> code"""
    person: str | None
    """the column that says which rows are one person's"""
    joint: JointValues
    """what the table's sensitive values stand for"""
    class_column: str | None
    """the class column, where classes are distinguished"""
    built: Mapping[str, tuple[Taxonomy, MadeFrom]]
    """quasi-identifier, and sensitive column that has one -> its taxonomy before anything was added or collapsed, and
    what it was made from"""
    warnings: tuple[str, ...]
    cleaned: tuple[Cleaned, ...] = ()
    """what cleaning changed before the values were found"""

    @property
    def sensitive(self) -> str | None:
        """The sensitive columns, as a sentence names them."""
        return listed(self.joint.columns) or None

    def collapsed(self) -> Encoding:
        """With every one-child chain of a taxonomy as one node, as a search needs it; the leaves stay the same."""
        taxonomies = tuple(taxonomy.collapsed() for taxonomy in self.table.taxonomies)
        return replace(self, table=replace(self.table, taxonomies=taxonomies))

    def without_class(self) -> Encoding:
        """With no distinction between classes."""
        if self.class_column is None:
            return self
        codes = {column: coded for column, coded in self.codes.items() if column != self.class_column}
        return replace(self, table=self.table.without_class(), codes=codes, class_column=None)


def encode_table(engine: Engine, policy: TablePolicy, columns: Sequence[str]) -> Encoding:
    """Encodes the loaded table by the policy's roles, with its class column where it has one, and its taxonomies.

    columns: all of them, in the order in which they are published.
    """
    leaf_of: dict[str, dict[str, int]] = {}
    forbidden: dict[str, frozenset[str]] = {}
    labels: dict[str, Labelling] = {}
    taxonomies: list[Taxonomy] = []
    built: dict[str, tuple[Taxonomy, MadeFrom]] = {}
    warnings: list[str] = []
    for column in policy.columns("quasi-identifier"):
        values, counts = engine.distinct(column)
        builder = taxonomy_builder(policy.attributes[column].taxonomy, column, f"attributes.{column}.taxonomy")
        placement = builder.build(column, values)
        attribute = policy.attributes[column]
        warnings += (*placement.notes, *_unknown_bounds(placement, attribute, column))
        given, leaves = _at_most_as_detailed(placement, attribute)
        taxonomy = given
        is_missing = np.array([value == MISSING for value in values])
        homeless = (leaves < 0) & ~is_missing
        if homeless.any():
            sentence = _homeless(column, [values[index] for index in np.flatnonzero(homeless)], counts[homeless])
            if attribute.on_missing == "error":
                raise InputError(
                    f"{sentence} Add them to the taxonomy or set attributes.{column}.on_missing: suppress, "
                    "which treats them as missing."
                )
            warnings.append(f"{sentence} They are treated as missing.")
        if (leaves < 0).any():
            taxonomy = taxonomy.with_missing()
            leaves[leaves < 0] = taxonomy.leaf_labels.index(MISSING)
        if attribute.least_detail is not None:
            forbidden[column] = labels_above(taxonomy, named_nodes(taxonomy, attribute.least_detail))
        if (labelling := policy.labelling(column)) != "nodes":
            check_labelling(taxonomy, labelling)
            labels[column] = labelling
        taxonomies.append(taxonomy)
        built[column] = (given, placement.made_from)
        leaf_of[column] = dict(zip(values, (int(leaf) for leaf in leaves), strict=True))
    codes: dict[str, dict[str, int]] = {}
    categories: dict[str, dict[str, tuple[int, ...]]] = {}
    sensitive, class_column = policy.columns("sensitive"), policy.class_column
    for name in (*sensitive, *([class_column] if class_column else [])):
        codes[name] = {value: code for code, value in enumerate(engine.distinct(name)[0])}
    for name in sensitive:
        categories[name] = _categories(policy, name, tuple(codes[name]), built)
        if alike := look_alikes(tuple(codes[name])):
            warnings.append(
                f"{name}: some values look alike and count as different ones, so that a group of them passes for a "
                f"diverse one: {in_words(alike)}. Give them one spelling, in the data or with "
                f"attributes.{name}.clean.map."
            )
    joint = JointValues(sensitive)
    known = {name: codes[name] for name in sensitive}
    single: dict[str, Mapping[str, int]] = {**leaf_of, **({class_column: codes[class_column]} if class_column else {})}
    records = count_records(engine, single, known, policy.person, joint)
    values_of = {name: tuple(known[name]) for name in sensitive}
    table = EncodedTable(
        attributes=tuple(leaf_of),
        taxonomies=tuple(taxonomies),
        leaves=records.single[: len(leaf_of)],
        sensitive=records.sensitive,
        classes=records.single[-1] if class_column else np.zeros(len(records.counts), np.int32),
        counts=records.counts,
        sensitive_values=joint.labels(values_of),
        class_values=tuple(codes[class_column]) if class_column else (MISSING,),
        told=tuple(
            replace(
                column,
                tree=built[column.name][0] if column.name in built else None,
                order=_order(policy.attributes[column.name].order, column.values),
                order_is_assumed=policy.attributes[column.name].order is None,
            )
            for column in joint.told(values_of, categories)
        ),
        forbidden=forbidden,
        labels=labels,
    )
    return Encoding(table, tuple(columns), leaf_of, codes, policy.person, joint, class_column, built, tuple(warnings))


def _order(written: Order | None, values: Sequence[str]) -> Order:
    """The order of sensitive values; if nothing is said, that of numbers where all of them are numbers."""
    if written is not None:
        return written
    return "numbers" if all(is_number(value) for value in values) else "alphabetical"


def _categories(
    policy: TablePolicy, column: str, values: tuple[str, ...], built: dict[str, tuple[Taxonomy, MadeFrom]]
) -> dict[str, tuple[int, ...]]:
    """label of the sensitive column's taxonomy -> the values below it"""
    attribute = policy.attributes[column]
    if not attribute.has_categories:
        return {}
    builder = taxonomy_builder(attribute.taxonomy, column, f"attributes.{column}.taxonomy")
    placement = builder.build(column, values)
    taxonomy = placement.taxonomy
    homeless = [value for value, leaf in zip(values, placement.leaf_of, strict=True) if leaf < 0 and value != MISSING]
    if homeless:
        raise InputError(
            f"{column}: {briefly(homeless[0])}{' and others are' if homeless[1:] else ' is'} not in its taxonomy; add "
            "what is missing there."
        )
    odd = [
        value
        for value, leaf in zip(values, placement.leaf_of, strict=True)
        if leaf >= 0 and taxonomy.leaf_labels[leaf] != value
    ]
    if odd:
        raise InputError(
            f"{column}: its taxonomy would publish {briefly(odd[0])} under another label, and sensitive values are "
            "published as they are; give it a taxonomy whose leaves are the values."
        )
    built[column] = (taxonomy, placement.made_from)
    below: dict[str, list[int]] = {}
    for code, leaf in enumerate(placement.leaf_of.tolist()):
        if leaf >= 0:
            for label in taxonomy.path(int(taxonomy.leaf_nodes[leaf])):
                below.setdefault(label, []).append(code)
    return {label: tuple(found) for label, found in below.items()}


def _at_most_as_detailed(placement: Placement, attribute: Attribute) -> tuple[Taxonomy, Int32s]:
    """The taxonomy down to where the policy lets it go, and the leaf of each value in it."""
    if attribute.most_detail is None:
        return placement.taxonomy, placement.leaf_of.copy()
    taxonomy, leaf_of = ending_at(placement.taxonomy, named_nodes(placement.taxonomy, attribute.most_detail))
    return taxonomy, np.where(placement.leaf_of < 0, -1, leaf_of[placement.leaf_of]).astype(np.int32)


def _unknown_bounds(placement: Placement, attribute: Attribute, column: str) -> Iterator[str]:
    """Bounds that do not hold because a label does not occur; an error where it never can."""
    taxonomy, most = placement.taxonomy, attribute.most_detail
    for key, detail in (("at_least", attribute.least_detail), ("at_most", most)):
        for label in unknown_labels(taxonomy, () if detail is None else detail):
            sentence = f"attributes.{column}.{key}: {briefly(label)} is not in the taxonomy"
            if placement.made_from is MadeFrom.POLICY:
                raise InputError(f"{sentence}; name labels that are, or a level.")
            yield f"{sentence} of the values that occur, so it sets no bound."
    if most is None or attribute.least_detail is None:
        return
    ends = named_nodes(taxonomy, most)
    for node in named_nodes(taxonomy, attribute.least_detail):
        if any(end != node and taxonomy.lies_under(node, end) for end in ends):
            raise InputError(
                f"attributes.{column}: at_least asks for {briefly(taxonomy.labels[node])}, which is more detailed than "
                "at_most allows; change one of the two."
            )


def _homeless(column: str, values: list[str], counts: npt.NDArray[np.int64]) -> str:
    shown = ", ".join(map(briefly, values[:SHOWN_VALUES]))
    more = f" and {len(values) - SHOWN_VALUES} more" if len(values) > SHOWN_VALUES else ""
    return (
        f"{column}: {len(values)} {'value is' if len(values) == 1 else 'values are'} not in its taxonomy "
        f"({shown}{more}; {int(counts.sum())} {'row' if counts.sum() == 1 else 'rows'})."
    )
