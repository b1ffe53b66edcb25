"""The policy for a table: the roles of its columns, the promise, the search for the best release."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    model_validator,
)

from discreet.errors import InputError
from discreet.losses.table import TABLE_LOSSES
from discreet.methods.method import keepers, kept
from discreet.methods.table import TABLE_METHODS, TableMethod
from discreet.models import schemes
from discreet.models.l_plus_diversity import ByFrequency
from discreet.models.partition_limits import RECORDS, SENSITIVE
from discreet.models.schemes import SCHEMES
from discreet.models.table import TABLE_MODELS, Referring, TableModel, knows_what_to_delete
from discreet.policy.clean import CleanColumn, CleanTable, cleaning_of
from discreet.policy.file import nearest
from discreet.policy.policy import Policy
from discreet.policy.promises import promise_section, read_promises, written_promise
from discreet.policy.search import Search, as_written, search_section
from discreet.policy.section import Data, Output, Reporting, Section
from discreet.policy.taxonomies import READY_MADE, TAXONOMIES, DateTaxonomy, FlatTaxonomy, TaxonomyChoice
from discreet.policy.values import DatabasePlace, DetailChoice, FilePath, Flag, OrderChoice, ShareOrNone, Weight, refuse
from discreet.taxonomy.detail import Detail
from discreet.taxonomy.published import LABELLINGS, Labelling
from discreet.values.cleaning import Cleaning
from discreet.values.words import listed

Role: TypeAlias = Literal["identifier", "person", "quasi-identifier", "sensitive", "class", "insensitive"]
OnMissing: TypeAlias = Literal["error", "suppress"]
Suppression: TypeAlias = Literal["none", "vio-sa", "all-sa", "vio-rec", "all-rec"]
Fault: TypeAlias = tuple[tuple[str, ...], str]

FATES: dict[Role, str] = {
    "identifier": "dropped",
    "person": "replaced by pseudonyms, and groups count people",
    "quasi-identifier": "generalized",
    "sensitive": "protected",
    "class": "kept as the class",
    "insensitive": "kept unchanged",
}
"""Role -> what becomes of a column."""
VOCABULARIES = (*schemes.VOCABULARIES, READY_MADE)
"""What policies can name besides promises, losses and methods."""


class TableData(Data):
    """The table that is to be published."""

    of_kind = "table"

    kind: Literal["table"] = Field(default="table", description="what the data are: table, the default")
    path: FilePath | None = Field(
        default=None,
        description="the file with the data, relative to the policy file; a pattern such as data/*.csv for several "
        "with the same columns, - for standard input; not needed for data given in Python",
    )
    sheet: str | None = Field(default=None, description="the sheet of an Excel file; the first by default")
    database: DatabasePlace | None = Field(
        default=None,
        description="in place of a path: a DuckDB or SQLite file, or the address of a PostgreSQL database, "
        "postgresql://...",
    )
    table: str | None = Field(
        default=None, description="the table or view of the database; not needed where it has only one"
    )
    clean: CleanTable = Field(
        default_factory=CleanTable, description="what is done to the cells of every column before anything else"
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.path is not None and self.database is not None:
            refuse([(("database",), "data come from a file or from a database; remove path or database")])
        if self.table is not None and self.database is None:
            refuse([(("table",), "only a database has tables; name it under database, or remove the key")])
        return self

    @property
    def elsewhere(self) -> Path | str | None:
        return self.database


class Attribute(Section):
    """A column: what it says about a person, and how it may be generalized."""

    role: Role = Field(
        description="what the column is: identifier (dropped), person (says which rows belong to one person; "
        "published as pseudonyms), quasi-identifier (generalized), sensitive (protected), class (for the loss cm) or "
        "insensitive (kept)"
    )
    taxonomy: TaxonomyChoice = Field(
        default=FlatTaxonomy(),
        description="how a quasi-identifier is generalized: a file, intervals, prefixes, dates, ready, or * (the "
        "default); of a sensitive column: what its values are kinds of, for thresholds on labels",
    )
    on_missing: OnMissing = Field(
        default="error", description="what to do with values that are not in the taxonomy: error or suppress"
    )
    weight: Weight = Field(
        default=Fraction(1),
        description="how much the detail of a quasi-identifier counts beside that of the others, with the loss lm",
    )
    at_least: DetailChoice = Field(
        default=None,
        description="never coarser than this: a level of the taxonomy counted down from * (1 is right below it), a "
        "period of dates, or one or more labels",
    )
    at_most: DetailChoice = Field(
        default=None,
        description="never more detailed than this: a level counted down from *, a period of dates, or labels",
    )
    labels: Labelling | None = Field(
        default=None,
        description="with local recoding, how a group of different values is published: nodes (the lowest label of the "
        "taxonomy above them, the default), ranges, sets or means",
    )
    order: OrderChoice = Field(
        default=None,
        description="of a sensitive column, for t-closeness with the distance ordered: alphabetical, numbers, or a "
        "list of all values; by default numbers where all values are numbers",
    )
    clean: CleanColumn = Field(
        default_factory=CleanColumn, description="what is done to its cells before anything else"
    )

    @model_validator(mode="after")
    def _only_quasi_identifiers_are_generalized(self) -> Self:
        if self.order is not None and self.role != "sensitive":
            refuse(
                [(("order",), f"only a sensitive column has it, and the role is {self.role}; remove one of the two")]
            )
        if self.role != "quasi-identifier":
            refuse(
                ((key,), f"only a quasi-identifier has it, and the role is {self.role}; remove one of the two")
                for key in ("taxonomy", "on_missing", "weight", "at_least", "at_most", "labels")
                if key in self.model_fields_set and (key, self.role) != ("taxonomy", "sensitive")
            )
        least, most = self.least_detail, self.most_detail
        if isinstance(least, int) and isinstance(most, int) and least > most:
            refuse(
                [
                    (
                        ("at_least",),
                        f"level {least} is more detailed than level {most}, the most that at_most allows; change one",
                    )
                ]
            )
        return self

    @property
    def has_categories(self) -> bool:
        """Whether the values of a sensitive column are kinds of something."""
        return self.role == "sensitive" and not isinstance(self.taxonomy, FlatTaxonomy)

    @property
    def least_detail(self) -> Detail | None:
        """Never coarser than this."""
        return self._detail(self.at_least)

    @property
    def most_detail(self) -> Detail | None:
        """Never more detailed than this."""
        return self._detail(self.at_most)

    def _detail(self, written: Detail | None) -> Detail | None:
        """The period of a date is a level of its taxonomy."""
        if isinstance(self.taxonomy, DateTaxonomy) and isinstance(written, tuple) and len(written) == 1:
            periods: tuple[str, ...] = self.taxonomy.dates
            if written[0] in periods:
                return len(periods) - periods.index(written[0])
        return written


class TableSearch(Search):
    """How the release of a table is looked for, and what "best" means."""

    of_kind = "table"

    suppression: Suppression = Field(
        default="all-sa",
        description="what may be deleted in addition to generalizing: none, vio-sa, all-sa, vio-rec or all-rec; by "
        "default the first of all-sa, all-rec and none that can keep the promise and goes with the method and the "
        "loss; for promises about sizes alone, vio-rec",
    )

    max_suppressed: ShareOrNone = Field(
        default=None,
        description="the largest share of the records that may be deleted, or of the sensitive values that may be "
        "replaced by *; no limit by default, and with samarati and incognito 0",
    )

    guard_stars: Flag = Field(
        default=False,
        description="with vio-sa: also delete the other values where a * would reveal the one that is missing",
    )

    @classmethod
    def methods(cls) -> Mapping[str, TableMethod]:
        return TABLE_METHODS

    def declared(self) -> TableMethod:
        return TABLE_METHODS[self.method]

    @property
    def splits(self) -> bool:
        """Whether records that are alike may be sent to different groups for their sensitive values."""
        option = self.declared().splits_by
        return option is not None and bool(self.options()[option])


class TableOutput(Output):
    """How the release of a table is written."""

    of_kind = "table"

    format: Literal["csv", "parquet"] = Field(
        default="csv", description="the format of the released data: csv or parquet"
    )
    escape_formulas: Flag = Field(
        default=False,
        description="in CSV files, put an apostrophe before cells that a spreadsheet would run as a formula",
    )


def _read_privacy(value: object) -> tuple[TableModel, ...]:
    return read_promises(value, TABLE_MODELS, "{model: k-anonymity, k: 5}")


def _read_search(value: object, info: ValidationInfo) -> TableSearch:
    written = as_written(value)
    if isinstance(written, Mapping) and info.data.keys() >= {"attributes", "privacy"}:
        promises = info.data["privacy"]
        chosen = {"method": next(iter(keepers(TABLE_METHODS, promises)), next(iter(TABLE_METHODS))), **written}
        method = TABLE_METHODS.get(str(chosen["method"]))
        if method is not None:
            chosen = {"loss": next(name for name, loss in TABLE_LOSSES.items() if method.minimizes(loss)), **chosen}
        loss = TABLE_LOSSES.get(str(chosen.get("loss")))
        if "suppression" not in chosen and method is not None and loss is not None:
            sensitive = any(attribute.role == "sensitive" for attribute in info.data["attributes"].values())
            chosen["suppression"] = _default_scheme(chosen, method, loss, promises, sensitive)
        written = chosen
    read: TableSearch = TablePolicy.section_at("search").model_validate(written)
    return read


def _default_scheme(
    search: Mapping[str, object], method: TableMethod, loss: Any, promises: tuple[TableModel, ...], sensitive: bool
) -> str:
    """The least costly scheme that goes with the rest and tells nothing about single values.

    vio-sa and vio-rec take out the values that were too frequent, so anybody who knows the scheme knows which these
    were. They are chosen only where another key asks for it, or where sizes are all that is promised.
    """
    order = ("all-sa", "all-rec", "none")
    if all(model.about_size for model in promises) or (method.relies_on_monotony and search.get("max_suppressed")):
        order = ("vio-rec", "none", "all-rec")
    elif search.get("guard_stars") in (True, "true"):
        order = ("vio-sa", "all-rec", "none")
    able = (name for name in order if not any(_faults_of_scheme(name, method, loss, promises, sensitive)))
    return next(able, "none")


def _faults_of_scheme(
    name: str, method: TableMethod, loss: Any, promises: tuple[TableModel, ...], sensitive: bool
) -> Iterator[str]:
    """Why a suppression scheme does not go with the rest of a policy."""
    scheme = SCHEMES[name]
    if scheme.deletes == "values":
        if not sensitive:
            yield (
                f"{name} deletes sensitive values, and no column has the role sensitive; use none, vio-rec or all-rec"
            )
        for model in promises:
            if model.about_size:
                yield (
                    f"{name} deletes sensitive values, and that cannot make a group larger, as {model.name} "
                    "may need; use none, vio-rec or all-rec"
                )
    if name not in loss.schemes:
        yield f"{loss.name} counts records: it goes with {', '.join(loss.schemes)}, not with {name}"
    if name not in method.schemes:
        yield (
            f"the method {method.name} goes with {', '.join(method.schemes)}, not with {name}; use one of them"
            if len(method.schemes) > 1
            else f"the method {method.name} goes only with {method.schemes[0]}, not with {name}; leave out the key"
        )
    others = [model.name for model in promises if not model.by_limits]
    if name == "vio-sa" and others:
        yield (
            f"{name} has to know which values break a promise, and {others[0]} says only that a group breaks it; use "
            "none, all-sa, all-rec or vio-rec"
        )
    if name == "vio-rec" and not knows_what_to_delete(promises):
        yield (
            f"{name} has to know the fewest records to delete, and with {listed([model.name for model in promises])} "
            "these are not worked out; use none, all-sa or all-rec"
        )
    if name == "vio-rec" and others and loss.needs_class:
        yield (
            f"{name} may delete one record or another to keep {others[0]}, which decides what {loss.name} counts; use "
            "none or all-rec, or another loss"
        )
    lost = [model.name for model in promises if not model.inherited]
    if name == "all-rec" and method.relies_on_monotony and lost:
        yield (
            f"a group that takes in another may break {lost[0]} and be deleted with it, so deleting whole groups is "
            f"not monotone and {method.name} could miss a release; use none or vio-rec, or the method full-domain"
        )


class TablePolicy(Policy):
    """How a table is published: the roles of its columns, the promise, the search for the best release."""

    of_kind = "table"

    data: TableData = Field(description="what to publish: kind and path")
    attributes: Annotated[dict[str, Attribute], BeforeValidator(lambda value: {} if value is None else value)] = Field(
        description="for each column its role and, for a quasi-identifier, its taxonomy"
    )
    privacy: Annotated[
        tuple[TableModel, ...],
        PlainValidator(_read_privacy),
        PlainSerializer(lambda models: [written_promise(model) for model in models]),
    ] = Field(description="the promise to keep: a model with its parameters, or a list of them")
    search: Annotated[
        TableSearch, PlainValidator(_read_search), PlainSerializer(lambda search: search.model_dump(mode="json"))
    ] = Field(default=None, validate_default=True, description="how to look for the best release")
    output: TableOutput = Field(default_factory=TableOutput, description="how to write the release")
    report: Reporting = Field(default_factory=Reporting, description="what to tell the steward")

    @classmethod
    def models(cls) -> Mapping[str, type[TableModel]]:
        return TABLE_MODELS

    @classmethod
    def section_at(cls, place: str) -> type[Any]:
        match place:
            case "data":
                return TableData
            case "search":
                return search_section(TableSearch, TABLE_METHODS, TABLE_LOSSES)
            case "output":
                return TableOutput
            case "report":
                return Reporting
        return cls

    @classmethod
    def sections(cls) -> dict[str, type[Section]]:
        return {
            "data of a table": TableData,
            "data.clean, every column": CleanTable,
            "attributes, each column": Attribute,
            "clean of a column": CleanColumn,
            **{f"taxonomy of a column: {name}": section for name, section in TAXONOMIES.items()},
            **{f"privacy: {name}": promise_section(model) for name, model in TABLE_MODELS.items()},
            "search for a table": cls.section_at("search"),
            "output of a table": TableOutput,
            "report": Reporting,
        }

    @classmethod
    def sections_below(cls, place: tuple[str, ...]) -> Collection[type[Section]]:
        match place:
            case ("attributes", _):
                return [Attribute]
            case ("attributes", _, "taxonomy"):
                return TAXONOMIES.values()
            case ("attributes", _, "clean"):
                return [CleanColumn]
            case ("data", "clean"):
                return [CleanTable]
        return []

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        refuse(self._contradictions())
        return self

    def _contradictions(self) -> Iterator[Fault]:
        if not self.columns("quasi-identifier"):
            yield (
                ("attributes",),
                "no column has the role quasi-identifier; give it to the columns by which a person could be recognized",
            )
        for role in ("person", "class"):
            if len(columns := self.columns(role)) > 1:
                yield (
                    ("attributes",),
                    f"{listed(map(repr, columns))} have the role {role}, and only one column can; "
                    "give the others another role",
                )
        if self.person and self.class_column:
            yield (
                ("attributes", self.class_column),
                f"a class goes with one row for each person, and {self.person} has the role person; give it another "
                "role",
            )
        yield from self._contradictions_of_promises()
        yield from self._contradictions_of_search()
        if self.output.escape_formulas and self.output.format != "csv":
            yield (
                ("output", "escape_formulas"),
                f"{self.output.format} files have no formulas to escape; set it to false or write csv",
            )

    def _contradictions_of_promises(self) -> Iterator[Fault]:
        sensitive = self.columns("sensitive")
        stated = [(model.name, model.column) for model in self.privacy]
        for name, column in dict.fromkeys(stated):
            if (times := stated.count((name, column))) > 1:
                yield ("privacy",), f"the model {name} appears {times} times; keep one of them"
            if not TABLE_MODELS[name].needs_sensitive:
                continue
            if not sensitive:
                yield (
                    ("privacy",),
                    f"{name} needs a column with role sensitive; name one in attributes or promise k-anonymity",
                )
            elif column is None and len(sensitive) > 1:
                yield (
                    ("privacy",),
                    f"{name} is about one sensitive column, and there are {len(sensitive)}; write column: "
                    f"{sensitive[0]}, and a promise for each of the others",
                )
            elif column is not None and column not in sensitive:
                yield ("privacy", "column"), f"{column} does not have the role sensitive; {nearest(column, sensitive)}"
        about = {column for _, column in stated if column is not None}
        if about and (bare := [column for column in sensitive if column not in about]):
            yield (
                ("privacy",),
                f"nothing is promised about {listed(bare)}; add a promise with its column, or give it another role",
            )
        for model in self.privacy:
            if getattr(model, "default", None) is not None and not isinstance(getattr(model, "thresholds", 0), Mapping):
                yield (
                    ("privacy", "default"),
                    "a default is for values without a threshold of their own, and there is one threshold for all; "
                    "leave out one of the two",
                )

    def _contradictions_of_search(self) -> Iterator[Fault]:
        search, method, loss = self.search, self.search.declared(), TABLE_LOSSES[self.search.loss]
        for model in self.privacy:
            if not method.keeps(type(model)):
                able = keepers(TABLE_METHODS, [model])
                keeps = kept(method, TABLE_MODELS)
                use = f"use {listed(able, 'or')}" if able else f"it keeps {listed(keeps)}"
                if method.makes_numbers and able:
                    use = f"nobody can prove it of rows that are made up; promise {listed(keeps, 'or')}, or {use}"
                yield ("search", "method"), f"{method.name} cannot keep {model.name}; {use}"
        quasi = len(self.columns("quasi-identifier"))
        if method.most_columns is not None and quasi > method.most_columns:
            yield (
                ("attributes",),
                f"{quasi} quasi-identifiers are more than the {method.most_columns} that {method.name} can take; give "
                "some of them another role",
            )
        if method.makes_numbers:
            yield from self._contradictions_of_numbers(method.name)
        elif not method.rule and (self.person or len(self.columns("sensitive")) > 1):
            yield (
                ("search", "method"),
                f"{method.name} gives each record labels of its own, and goes with one sensitive column and one row "
                f"for each person; use {listed([name for name, other in TABLE_METHODS.items() if other.rule], 'or')}",
            )
        if loss.needs_class and self.class_column is None:
            others = [name for name, other in TABLE_LOSSES.items() if not other.needs_class]
            yield (
                ("search", "loss"),
                f"the loss {loss.name} needs a column with role class; name one in attributes or use "
                f"{listed(others, 'or')}",
            )
        for name in self.columns("quasi-identifier"):
            labels = self.attributes[name].labels
            if labels is not None and labels not in method.labels and not method.makes_numbers:
                able = [
                    other.name for other in TABLE_METHODS.values() if labels in other.labels and not other.makes_numbers
                ]
                yield (
                    ("attributes", name, "labels"),
                    f"{method.name} publishes {listed(method.labels, 'or')}, not {labels}; leave out the key or use "
                    f"the method {listed(able, 'or')}",
                )
        if not method.minimizes(loss):
            losses = [name for name, other in TABLE_LOSSES.items() if method.minimizes(other)]
            able = [name for name, other in TABLE_METHODS.items() if other.minimizes(loss)]
            yield (
                ("search", "loss"),
                f"{method.name} cannot minimize {loss.name}; use {listed(losses, 'or')}, or the method "
                f"{listed(able, 'or')}",
            )
        for fault in _faults_of_scheme(search.suppression, method, loss, self.privacy, self.sensitive is not None):
            yield ("search", "suppression"), fault
        is_about_values = not all(model.about_size for model in self.privacy)
        if self.counts_several and is_about_values and search.suppression in ("vio-sa", "vio-rec"):
            yield (
                ("search", "suppression"),
                f"{search.suppression} takes out the values that break a promise, and with several sensitive columns, "
                "several rows for a person or thresholds on a taxonomy no value does so alone; use all-sa, all-rec or "
                "none",
            )
        if search.max_suppressed and search.suppression == "none":
            yield (
                ("search", "max_suppressed"),
                f"{search.max_suppressed} allows something to be deleted, and the suppression none deletes nothing; "
                "leave out one of the two",
            )
        if not loss.weighs_columns:
            for name in self.columns("quasi-identifier"):
                if self.attributes[name].weight != 1:
                    yield (
                        ("attributes", name, "weight"),
                        f"the loss {loss.name} counts records and not the detail of columns, so none can weigh more; "
                        "leave out the key or use the loss lm",
                    )
        if search.guard_stars and search.suppression != "vio-sa":
            yield (
                ("search", "guard_stars"),
                f"true goes only with the suppression vio-sa, not with {search.suppression}; set it to false",
            )

    def _contradictions_of_numbers(self, method: str) -> Iterator[Fault]:
        """Rows that are made up have no column as it was, but the class."""
        for name in self.columns("insensitive"):
            yield (
                ("attributes", name, "role"),
                f"{method} makes rows up, in which no column but the class can be kept unchanged; use quasi-identifier "
                "where it holds numbers, or identifier, which drops it",
            )
        if self.person:
            yield (
                ("attributes", self.person, "role"),
                f"{method} makes rows up, and none of them is anybody's; drop the column with the role identifier, in "
                "a table of one row for each person",
            )
        for name in self.columns("sensitive")[1:]:
            yield (
                ("attributes", name, "role"),
                f"{method} treats all columns alike, and takes one with the role sensitive at most; use "
                "quasi-identifier",
            )
        for name, attribute in self.attributes.items():
            for key in ("at_least", "at_most", "labels"):
                if getattr(attribute, key) is not None:
                    yield (
                        ("attributes", name, key),
                        f"{method} publishes numbers and no labels of a taxonomy; leave out the key",
                    )

    def columns(self, role: Role) -> tuple[str, ...]:
        """The columns with this role, in the order of the policy."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role == role)

    def labelling(self, column: str) -> Labelling:
        """How a group of different values of a quasi-identifier is published."""
        return self.attributes[column].labels or self.search.declared().labels[0]

    @property
    def sensitive(self) -> str | None:
        """The sensitive columns, as a sentence names them."""
        return listed(self.columns("sensitive")) or None

    @property
    def person(self) -> str | None:
        """The column that says which rows belong to one person."""
        return next(iter(self.columns("person")), None)

    @property
    def counts_several(self) -> bool:
        """Whether a record may have several sensitive values, or several values one limit: then none of them alone
        breaks a promise."""
        sensitive = self.columns("sensitive")
        limits_labels = any(isinstance(getattr(model, "thresholds", None), Mapping) for model in self.privacy)
        return (
            self.person is not None
            or len(sensitive) > 1
            or (limits_labels and any(self.attributes[name].has_categories for name in sensitive))
        )

    @property
    def promises(self) -> tuple[TableModel, ...]:
        """The promises, those that compare with a distribution with the one that goes with the suppression."""
        scheme = self.search.suppression
        return tuple(model.settled(scheme) if isinstance(model, Referring) else model for model in self.privacy)

    @property
    def class_column(self) -> str | None:
        """The column whose groups the loss cm keeps pure."""
        return next(iter(self.columns("class")), None)

    def claims(self) -> dict[str, Any]:
        if any(isinstance(getattr(model, "thresholds", None), ByFrequency) for model in self.privacy):
            raise InputError(
                "privacy.thresholds: thresholds by frequency follow from the original, which is not at hand; write a "
                "threshold for each value, or one for all."
            )
        for name in self.columns("sensitive"):
            if self.attributes[name].has_categories:
                raise InputError(
                    f"attributes.{name}.taxonomy: a table without a certificate has no taxonomies to look values up "
                    "in; leave it out, and give single values a threshold."
                )
        return super().claims() | {
            "columns": {name: {"role": attribute.role} for name, attribute in self.attributes.items()}
        }

    def as_dict(self) -> dict[str, Any]:
        written = super().as_dict()
        for name, attribute in self.attributes.items():
            entry = written["attributes"][name]
            kept = {
                "role",
                *(["taxonomy"] if attribute.has_categories else []),
                *(["order"] if attribute.order else []),
            }
            unsaid = {"order"} if attribute.labels else {"order", "labels"}
            kept = set(entry) - unsaid if attribute.role == "quasi-identifier" else kept
            written["attributes"][name] = {key: entry[key] for key in entry if key in kept - {"clean"}}
            if stated := attribute.clean.stated():
                written["attributes"][name]["clean"] = stated
        return written

    def written_clean(self) -> dict[str, Any]:
        """What is said about cleaning, as it is written: under `data`, and by column under `attributes`."""
        columns = {name: stated for name, column in self.attributes.items() if (stated := column.clean.stated())}
        table = self.data.clean.model_dump(mode="json", exclude_unset=True)
        return {key: value for key, value in (("data", table), ("attributes", columns)) if value}

    def cleanings(self) -> dict[str, Cleaning]:
        """Column -> what is done to its cells, where anything is."""
        found = {name: cleaning_of(self.data.clean, attribute.clean) for name, attribute in self.attributes.items()}
        return {name: cleaning for name, cleaning in found.items() if cleaning}

    def _subject(self) -> str:
        method = self.search.declared()
        instead = "made up" if method.makes_numbers else "averaged" if method.averages else None
        altered = ("quasi-identifier", "sensitive") if method.makes_numbers else ("quasi-identifier",)
        fates = "; ".join(
            f"{listed(columns)} {'is' if len(columns) == 1 else 'are'} "
            f"{instead if instead and role in altered else fate}"
            for role, fate in FATES.items()
            if (columns := self.columns(role))
        )
        source = self.data.path or (self.data.database and self._told_table()) or "the table it is given"
        return f"Publishes {source} as {self.output.format}: {fates}"

    def _meaning(self, model: TableModel) -> str:
        says = model.in_words().replace(SENSITIVE, model.column or self.sensitive or "")
        says = says.replace(RECORDS, "people" if self.person else "records")
        return f"anyone who knows a person's quasi-identifiers {says}"

    def _told_table(self) -> str:
        return f"{self.data.table or 'the table'} of {self.data.database}"

    def _wishes(self) -> Iterator[str]:
        """What is asked of single columns."""
        for name in self.columns("quasi-identifier"):
            attribute = self.attributes[name]
            wishes = []
            if attribute.at_least is not None:
                wishes.append(f"never coarser than {_level(attribute.at_least)}")
            if attribute.at_most is not None:
                wishes.append(f"never more detailed than {_level(attribute.at_most)}")
            if wishes:
                yield f"{name} is {listed(wishes)}"
            if attribute.weight != 1:
                yield f"The detail of {name} counts {attribute.weight} times as much as that of a column of weight 1"
        for labels in LABELLINGS[1:]:
            if named := [name for name in self.columns("quasi-identifier") if self.attributes[name].labels == labels]:
                each = labels.removesuffix("s")
                yield f"Where a group has different values of {listed(named, 'or')}, their {each} is published"

    def _way(self, searches: bool) -> Iterator[str]:
        search, options = self.search, self.search.options()
        yield from self._wishes()
        if cleaned := [name for name in self.cleanings() if self.attributes[name].role != "identifier"]:
            yield f"Before anything else, the cells of {listed(cleaned)} are cleaned"
        if searches:
            yield self.search.explained()
        else:
            yield "Values are generalized by the recoding that was found earlier"
        if search.declared().makes_numbers:
            return
        most = 0 if search.declared().relies_on_monotony and not search.max_suppressed else search.max_suppressed
        if searches and (most == 0 or search.declared().schemes == ("none",)):
            yield "Nothing is deleted"
        else:
            yield f"Where that does not keep the promise, {SCHEMES[search.suppression].text} ({search.suppression})"
        if searches and most:
            what = "sensitive values" if SCHEMES[search.suppression].deletes == "values" else "records"
            yield f"At most {most} of the {what} are deleted"
        if search.guard_stars:
            yield "Where a * would reveal the one value that is missing, the whole group gets stars"
        if searches and search.time_limit is not None:
            yield f"After {search.time_limit:g} seconds the best release so far is used"
        if searches and options.get("top_h", 1) > 1:
            yield f"The release is drawn at random from the {options['top_h']} best"


def _level(detail: Detail) -> str:
    return f"level {detail} below *" if isinstance(detail, int) else listed(detail, "or")
