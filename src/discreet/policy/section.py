"""A mapping of the policy: which keys it may have, and what is said about one that it cannot have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from discreet.policy.file import nearest, shown
from discreet.policy.values import Encoding, FilePath, refuse
from discreet.values.leavable import LEAVABLE
from discreet.values.words import listed

POLICIES: dict[str, Any] = {}
"""Kind of data -> the class of its policies; the first is the default."""


class Section(BaseModel):
    """A mapping of the policy: its keys are known, and those without a default are present."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    of_kind: ClassVar[str | None] = None
    """the only kind of data that has this section"""
    place: ClassVar[str | None] = None
    """the key under which a policy of any kind has it; empty for the policy itself"""

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        if value is None:  # a section whose keys are all commented out
            value = {}
        fields = cls.model_fields
        if not isinstance(value, Mapping):
            raise ValueError(f"{shown(value)} is not a mapping; give the keys {', '.join(fields)}")
        unknown = [((key,), cls._no_such_key(key)) for key in value if key not in fields]
        missing = [
            ((key,), f"this key is missing; it sets {field.description}")
            for key, field in fields.items()
            if field.is_required() and key not in value
        ]
        refuse(unknown + missing)
        return value

    @classmethod
    def _no_such_key(cls, key: str) -> str:
        for kind, policy in POLICIES.items() if cls.of_kind else ():
            if kind != cls.of_kind and key in policy.section_at(cls.place).model_fields:
                return f"it goes with data of kind {kind}, and these data are of kind {cls.of_kind}; remove it"
        return f"there is no such key; {nearest(key, cls.model_fields)}"


class Data(Section):
    """What is to be published."""

    place = "data"

    kind: str = Field(description="what the data are")
    path: FilePath | None = Field(
        default=None,
        description="the file with the data, relative to the policy file; not needed for data given in Python",
    )
    encoding: Encoding = Field(
        default="utf-8", description="the encoding of a text file, such as latin-1 or utf-16; utf-8 by default"
    )

    @property
    def elsewhere(self) -> object:
        """Where the data are, if not in a file; None where there is nothing but the path."""
        return None


class Reporting(Section):
    """What the steward is told about the release, beyond what was done and whether the promise holds."""

    place = "report"

    without: tuple[Literal[*LEAVABLE], ...] = Field(  # type: ignore[valid-type]
        default=(), description=f"what to leave out because it takes time: a list of {listed(LEAVABLE)}"
    )


class Output(Section):
    """How the release is written."""

    place = "output"

    format: str = Field(description="the format of the released data")
