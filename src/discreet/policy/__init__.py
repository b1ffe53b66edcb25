"""What a steward writes: parsed, validated, explained; a module a kind of data. No file is opened but the policy."""

from discreet.policy.policy import Policy
from discreet.policy.section import POLICIES
from discreet.policy.table import TablePolicy
from discreet.policy.transactions import TransactionPolicy

POLICIES.update({policy.of_kind: policy for policy in (TablePolicy, TransactionPolicy)})

__all__ = ["POLICIES", "Policy", "TablePolicy", "TransactionPolicy"]
