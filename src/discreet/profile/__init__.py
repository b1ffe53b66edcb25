"""What a table tells before anything is done to it: its columns, how identifying they are, a policy to begin with."""

from discreet.profile.columns import Column, read_columns
from discreet.profile.combinations import (
    CodedTable,
    Combination,
    Keys,
    all_pairs,
    minimal_keys,
    most_identifying,
)
from discreet.profile.proposal import Proposal, propose
from discreet.profile.starter_policy import starter_policy

__all__ = [
    "CodedTable",
    "Column",
    "Combination",
    "Keys",
    "Proposal",
    "all_pairs",
    "minimal_keys",
    "most_identifying",
    "propose",
    "read_columns",
    "starter_policy",
]
