"""The hinge between search and data: what was found, apart from the data it was found on."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.encode.table import Encoding
from discreet.errors import InputError
from discreet.models.schemes import RECORD_SCHEMES, VALUE_SCHEMES
from discreet.policy import TablePolicy
from discreet.recode.written import read_rule
from discreet.taxonomy import MISSING, Cut, MadeFrom, Taxonomy
from discreet.values.words import SHOWN_VALUES, briefly

FORMAT = "discreet-recoding/1"


@dataclass(frozen=True)
class TableRule:
    """A cut for each quasi-identifier and the suppression scheme that goes with them.

    Which values and records are suppressed is not part of it: that follows from the scheme, the promise and the
    rows it is applied to, so a recoding can be applied to other rows of the same shape.
    """

    cuts: Mapping[str, tuple[str, ...]]
    """quasi-identifier -> the labels of its cut"""
    suppression: str
    guard_stars: bool = False
    clean: Mapping[str, Any] = field(default_factory=dict)
    """`data`, and columns under `attributes`: how their cells were cleaned, as the policy said it"""

    @classmethod
    def of(
        cls,
        attributes: tuple[str, ...],
        cuts: tuple[Cut, ...],
        suppression: str,
        guard_stars: bool,
        clean: Mapping[str, Any],
    ) -> TableRule:
        labels = {name: cut.labels for name, cut in zip(attributes, cuts, strict=True)}
        return cls(labels, suppression, guard_stars, clean)

    @classmethod
    def load(cls, path: str | Path) -> TableRule:
        """The recoding in a file that `publish` wrote."""
        written = read_rule(path)
        if not _is_recoding(written):
            raise InputError(
                f"{path} is not a recoding of the format {FORMAT}; name a steward/recoding.json that publish wrote."
            )
        cuts = {name: tuple(labels) for name, labels in written["cuts"].items()}
        return cls(cuts, written["suppression"], written["guard_stars"], written.get("clean", {}))

    def as_dict(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "cuts": {name: list(labels) for name, labels in self.cuts.items()},
            "suppression": self.suppression,
            "guard_stars": self.guard_stars,
            "clean": self.clean,
        }

    def settings(self, policy: TablePolicy) -> dict[str, object]:
        """The keys that a recoding adds to a policy that leaves them out; an error where the policy says otherwise."""
        if policy.states("search", "suppression") and policy.search.suppression != self.suppression:
            raise InputError(
                f"search.suppression: the policy says {policy.search.suppression} and the recoding goes with "
                f"{self.suppression}; leave out the key, or search again without --recoding."
            )
        brought: dict[str, object] = {"search.suppression": self.suppression}
        if not policy.states("search", "guard_stars"):
            brought["search.guard_stars"] = self.guard_stars
        return {**brought, **self._cleaning(policy)}

    def _cleaning(self, policy: TablePolicy) -> dict[str, object]:
        """New rows are cleaned like those that the recoding was found on, where the policy does not say how."""
        brought: dict[str, object] = {}
        if self.clean.get("data") and not policy.states("data", "clean"):
            brought["data.clean"] = self.clean["data"]
        for column, clean in self.clean.get("attributes", {}).items():
            if column in policy.attributes and not policy.states("attributes", column, "clean"):
                brought[f"attributes.{column}.clean"] = clean
        return brought

    def cuts_of(self, encoding: Encoding) -> tuple[Cut, ...]:
        """The cuts in the taxonomies of another table; an error where they do not cover its values."""
        attributes = encoding.table.attributes
        if set(attributes) != set(self.cuts):
            raise InputError(
                f"The recoding is for the quasi-identifiers {', '.join(self.cuts)}, and the policy has "
                f"{', '.join(attributes)}; give the columns the same roles."
            )
        return tuple(
            _cut(name, taxonomy, self.cuts[name], made_from=encoding.built[name][1])
            for name, taxonomy in zip(attributes, encoding.table.taxonomies, strict=True)
        )


def _is_recoding(written: Any) -> bool:
    return (
        isinstance(written, dict)
        and written.get("format") == FORMAT
        and isinstance(written.get("cuts"), dict)
        and all(
            isinstance(labels, list) and all(isinstance(label, str) for label in labels)
            for labels in written["cuts"].values()
        )
        and written.get("suppression") in (*RECORD_SCHEMES, *VALUE_SCHEMES)
        and isinstance(written.get("guard_stars"), bool)
        and isinstance(clean := written.get("clean", {}), dict)
        and isinstance(clean.get("attributes", {}), dict)
    )


def _cut(name: str, taxonomy: Taxonomy, labels: tuple[str, ...], *, made_from: MadeFrom) -> Cut:
    """The cut with these labels, those that occur: a taxonomy made from other data has other leaves."""
    strangers = [label for label in labels if label not in taxonomy.labels and label != MISSING]
    if strangers and made_from is MadeFrom.POLICY:
        raise InputError(
            f"{name}: the recoding publishes {briefly(strangers[0])}, which is not in the policy's taxonomy; use the "
            "taxonomy that the recoding was found with."
        )
    nodes = sorted(taxonomy.node(label) for label in labels if label in taxonomy.labels)
    covered = {leaf for node in nodes for leaf in range(taxonomy.first_leaf[node], taxonomy.stop_leaf[node])}
    missed = [label for leaf, label in enumerate(taxonomy.leaf_labels) if leaf not in covered]
    if missed:
        shown = ", ".join(briefly(label) if label else "missing" for label in missed[:SHOWN_VALUES])
        more = f" and {len(missed) - SHOWN_VALUES} more" if len(missed) > SHOWN_VALUES else ""
        raise InputError(
            f"{name}: the recoding does not cover {len(missed)} {'value' if len(missed) == 1 else 'values'} "
            f"({shown}{more}); publish this table with a search of its own, or leave out the rows with these values."
        )
    return Cut(taxonomy, tuple(nodes))


def write_mapping(encoding: Encoding, cuts: tuple[Cut, ...], path: Path, cell: Callable[[str], str]) -> None:
    """Every value of a quasi-identifier and what it is published as."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("column", "original", "published"))
        for name, cut in zip(encoding.table.attributes, cuts, strict=True):
            node_of_leaf = cut.value_of_leaf()
            for value, leaf in encoding.leaf_of[name].items():
                writer.writerow((cell(name), cell(value), cell(cut.taxonomy.labels[node_of_leaf[leaf]])))


def load_rule(rule: object, policy: TablePolicy) -> tuple[TablePolicy, TableRule]:
    """A rule or its file, and the policy with what the rule settles."""
    found = TableRule.load(rule) if isinstance(rule, str | Path) else rule
    if not isinstance(found, TableRule):
        raise InputError("The recoding is not for data of kind table; use one that was found for that kind.")
    return policy.with_settings(found.settings(policy)), found
