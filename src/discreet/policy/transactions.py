"""The policy for transactions: the taxonomy of their items, which are sensitive, the promise, the search."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, ValidationInfo, model_validator

from discreet.losses.transactions import TRANSACTION_LOSSES
from discreet.methods.method import keepers
from discreet.methods.transactions import TRANSACTION_METHODS, TransactionMethod
from discreet.models.transactions import TRANSACTION_MODELS, TransactionModel
from discreet.policy.policy import Policy
from discreet.policy.promises import promise_section, read_promises, written_promise
from discreet.policy.search import Search, as_written, search_section
from discreet.policy.section import Data, Output, Reporting, Section
from discreet.policy.taxonomies import (
    ITEM_TAXONOMIES,
    EvenTaxonomy,
    FlatTaxonomy,
    ItemTaxonomyChoice,
    ReadyMadeTaxonomy,
)
from discreet.policy.values import Items, Separator, refuse
from discreet.values.words import listed

LARGEST_PARAMETER = 10**9
"""For a promise about transactions: multiplied by a count it has to fit into 64 bits."""
_MOST_ITEMS_TOLD = 10
_DELIMITED = re.compile(r".*\.[ct]sv(\.(gz|zst))?", re.IGNORECASE)


class TransactionData(Data):
    """The transactions that are to be published, each a set of items."""

    of_kind = "transactions"

    kind: Literal["transactions"] = Field(default="transactions", description="what the data are: transactions")
    separator: Separator = Field(
        default=None,
        description="in a CSV file with one transaction per line, the character between items; null for any other file",
    )

    @model_validator(mode="after")
    def _only_delimited_files_have_a_separator(self) -> Self:
        if self.separator is not None and not (self.path and _DELIMITED.fullmatch(self.path.name)):
            named = f"data.path is {self.path.name}" if self.path else "data.path names none"
            refuse([(("separator",), f"it goes only with a .csv or .tsv file, and {named}; remove it")])
        return self


class TransactionSearch(Search):
    """How the release of transactions is looked for, and what "best" means."""

    of_kind = "transactions"

    @classmethod
    def methods(cls) -> Mapping[str, TransactionMethod]:
        return TRANSACTION_METHODS

    def declared(self) -> TransactionMethod:
        return TRANSACTION_METHODS[self.method]


class TransactionOutput(Output):
    """How the release of transactions is written."""

    of_kind = "transactions"

    format: Literal["same", "dat", "long", "basket", "parquet"] = Field(
        default="same",
        description="the shape of the released data: same (as the original), dat (one transaction per line, blanks "
        "between items), long (CSV with the columns transaction and item), basket (CSV, one transaction per line) or "
        "parquet",
    )


def _read_privacy(value: object) -> tuple[TransactionModel, ...]:
    if isinstance(value, list | tuple) and len(value) > 1:
        raise ValueError(
            f"transactions are published with one promise, not with {len(value)} at once; keep one of them"
        )
    return read_promises(value, TRANSACTION_MODELS, "{model: km-anonymity, k: 5, m: 2}")


def _read_search(value: object, info: ValidationInfo) -> TransactionSearch:
    written = as_written(value)
    if "privacy" in info.data and isinstance(written, Mapping) and "method" not in written:
        written = {**written, "method": keepers(TRANSACTION_METHODS, info.data["privacy"])[0]}
    read: TransactionSearch = TransactionPolicy.section_at("search").model_validate(written)
    return read


class TransactionPolicy(Policy):
    """How transactions are published: the taxonomy of their items, which are sensitive, the promise, the search.

    >>> policy = TransactionPolicy.parse({
    ...     "data": {"kind": "transactions", "path": "baskets.dat"},
    ...     "sensitive": ["Viagra"],
    ...     "privacy": {"model": "kl-privacy", "k": 5, "l": 2, "m": 3},
    ... })
    >>> policy.promise
    KLPrivacy(k=5, l=2, m=3, n=0)
    >>> policy.search.method, policy.with_settings({"privacy": "{model: privacy-degree, p: 4}"}).search.method
    ('og', 'permutation')
    """

    of_kind = "transactions"

    data: TransactionData = Field(description="what to publish: kind, path and separator")
    taxonomy: ItemTaxonomyChoice = Field(
        default=FlatTaxonomy(),
        description="how the items that are not sensitive are generalized: a file, even, ready, or * (the default)",
    )
    sensitive: Items = Field(
        default=(), description="the sensitive items: a list, or a file with one per line; none by default"
    )
    on_missing: Literal["error", "drop"] = Field(
        default="error",
        description="what to do with items that are neither in the taxonomy nor sensitive: error, or drop them",
    )
    privacy: Annotated[
        tuple[TransactionModel, ...],
        PlainValidator(_read_privacy),
        PlainSerializer(lambda models: [written_promise(model) for model in models]),
    ] = Field(description="the promise to keep: a model with its parameters")
    search: Annotated[
        TransactionSearch, PlainValidator(_read_search), PlainSerializer(lambda search: search.model_dump(mode="json"))
    ] = Field(default=None, validate_default=True, description="how to look for the best release")
    output: TransactionOutput = Field(default_factory=TransactionOutput, description="how to write the release")
    report: Reporting = Field(default_factory=Reporting, description="what to tell the steward")

    @classmethod
    def models(cls) -> Mapping[str, type[TransactionModel]]:
        return TRANSACTION_MODELS

    @classmethod
    def section_at(cls, place: str) -> type[Any]:
        match place:
            case "data":
                return TransactionData
            case "search":
                return search_section(TransactionSearch, TRANSACTION_METHODS, TRANSACTION_LOSSES)
            case "output":
                return TransactionOutput
            case "report":
                return Reporting
        return cls

    @classmethod
    def sections(cls) -> dict[str, type[Section]]:
        return {
            "data of transactions": TransactionData,
            **{f"taxonomy of items: {name}": section for name, section in ITEM_TAXONOMIES.items()},
            **{f"privacy: {name}": promise_section(model) for name, model in TRANSACTION_MODELS.items()},
            "search for transactions": cls.section_at("search"),
            "output of transactions": TransactionOutput,
            "report": Reporting,
        }

    @classmethod
    def sections_below(cls, place: tuple[str, ...]) -> Collection[type[Section]]:
        return ITEM_TAXONOMIES.values() if place == ("taxonomy",) else []

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        refuse(self._contradictions())
        return self

    def _contradictions(self) -> Iterator[tuple[tuple[str, ...], str]]:
        method, model = self.search.method, self.promise
        for key, value in written_promise(model).items():
            exact = Fraction(str(value)) if key != "model" else Fraction(0)
            if max(exact.numerator, exact.denominator) > LARGEST_PARAMETER:
                yield (
                    ("privacy", key),
                    f"{value} has too many digits to be compared exactly with millions of counts; write up to nine",
                )
        if method not in (able := keepers(TRANSACTION_METHODS, [model])):
            yield ("search", "method"), f"{method} cannot keep {model.name}; use {listed(able, 'or')}"
        if model.needs_sensitive and not self.sensitive:
            yield (
                ("privacy",),
                f"{model.name} is about sensitive items, and there are none; name them under sensitive or "
                "promise km-anonymity",
            )
        if self.search.declared().sensitive == "apart" and self.output.format != "same":
            yield (
                ("output", "format"),
                f"{method} writes groups, CSV files in a shape of their own, and not {self.output.format}; leave out "
                "the key",
            )

    @property
    def promise(self) -> TransactionModel:
        """The one promise."""
        return self.privacy[0]

    def _subject(self) -> str:
        source = "the transactions it is given" if self.data.path is None else self.data.path
        shape = "in the shape that they have" if self.output.format == "same" else f"as {self.output.format}"
        if self.search.declared().sensitive == "apart":
            shape = "in groups, as two CSV files"
        parts = [f"items are {self.search.declared().fate_of_items(self.search.options())}"]
        if isinstance(self.sensitive, Path):
            parts.append(f"the items in {self.sensitive} are protected")
        elif len(self.sensitive) > _MOST_ITEMS_TOLD:
            parts.append(f"{len(self.sensitive)} sensitive items are protected")
        elif self.sensitive:
            parts.append(f"{listed(self.sensitive)} {'is' if len(self.sensitive) == 1 else 'are'} protected")
        return f"Publishes {source} {shape}: {'; '.join(parts)}"

    def _meaning(self, model: TransactionModel) -> str:
        return model.in_words(bool(self.sensitive))

    def _way(self, searches: bool) -> Iterator[str]:
        search = self.search
        if not searches:
            yield "Items are generalized by the recoding that was found earlier"
        else:
            yield search.explained()
        yield f"The taxonomy of the items is {self._told_taxonomy()}"
        if self.on_missing == "drop":
            yield "Items that are neither in it nor sensitive are left out"
        if searches and search.time_limit is not None:
            yield f"After {search.time_limit:g} seconds the best release so far is used"

    def _told_taxonomy(self) -> str:
        match self.taxonomy:
            case EvenTaxonomy():
                return f"made at random, {self.taxonomy.even} children under a node (seed {self.taxonomy.seed})"
            case ReadyMadeTaxonomy():
                return f"{self.taxonomy.ready}, which ships with discreet"
            case FlatTaxonomy():
                return "flat, with * above all of them"
            case path:
                return f"in {path}"
