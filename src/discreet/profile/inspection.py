"""What an inspection of any kind of data is asked, and the policy that it proposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from discreet.policy import Policy
from discreet.policy.file import as_mapping, read_yaml

FORMAT = "discreet-inspection/1"


@dataclass(frozen=True)
class Asked:
    """What to look at, and what its starter policy is to say."""

    data: object
    """a path, a table of a database, or data in memory"""
    path: str | None
    """the data as the policy names them; None for data in memory"""
    called: str
    """what the policy file is called"""
    out: Path | None
    """where it will be written"""
    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    """what the policy's data section says besides the path"""
    seed: int | None = None


def proposed_policy(text: str, out: Path | None, data: object) -> Policy:
    """The starter policy with this text, as `publish` takes it. out: where it was written; data: what it is about."""
    source = "the starter policy"
    policy = Policy.parse(as_mapping(read_yaml(text, source), source), Path() if out is None else out.parent)
    is_in_memory = policy.data.path is None and policy.data.elsewhere is None
    return policy.about(data) if is_in_memory else policy
