"""The suppression schemes: what may be deleted from a table where generalizing alone does not keep the promise.

What each scheme does to the groups of a table is in recode/table/suppression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from discreet.kernels import codes
from discreet.values.vocabulary import Vocabulary


@dataclass(frozen=True)
class Scheme:
    name: str
    deletes: Literal["nothing", "values", "records"]
    text: str
    """what happens to a group that breaks the promise"""
    code: int
    """what the kernels call it"""
    needs_limits: bool
    """whether it needs to know which values break a promise, and not only that one is broken"""
    paper: str = "Liu 2010, 3.1.3"


SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("none", "nothing", "nothing is deleted, only generalized further", codes.NO_SUPPRESSION, False),
        Scheme(
            "vio-sa",
            "values",
            "the sensitive values that break it in a group are deleted there",
            codes.VIOLATING_VALUES,
            True,
        ),
        Scheme(
            "all-sa", "values", "all sensitive values of the group that breaks it are deleted", codes.ALL_VALUES, False
        ),
        Scheme(
            "vio-rec",
            "records",
            "as few records as possible of the group that breaks it are deleted",
            codes.VIOLATING_RECORDS,
            True,
        ),
        Scheme("all-rec", "records", "all records of the group that breaks it are deleted", codes.ALL_RECORDS, False),
    )
}
VALUE_SCHEMES = tuple(name for name, scheme in SCHEMES.items() if scheme.deletes == "values")
"""the schemes that delete sensitive values"""
RECORD_SCHEMES = tuple(name for name in SCHEMES if name not in VALUE_SCHEMES)
"""those that delete records, or nothing: the ones for losses that count records and promises about sizes"""
VOCABULARIES = (
    Vocabulary(
        "Suppression: what happens where a group breaks the promise",
        "search.suppression",
        {name: (scheme.text, scheme.paper) for name, scheme in SCHEMES.items()},
    ),
)
