"""The taxonomy that a policy describes: read from its file, or built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.taxonomy import LabelledTaxonomy, TaxonomyBuilder, read_with_notes


def taxonomy_builder(described: Any, name: str, key: str) -> TaxonomyBuilder:
    """What makes the taxonomy with this name.

    described: a file, or a section of the policy that says how to build one. key: where in the policy it is.
    """
    if not isinstance(described, Path):
        builder: TaxonomyBuilder = described.builder()
        return builder
    try:
        return LabelledTaxonomy(*read_with_notes(described, name))
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
