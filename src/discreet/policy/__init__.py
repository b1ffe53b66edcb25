"""What a steward writes: parsed, validated, explained; one module per kind of data. Only the policy file is opened."""

from discreet.policy.policy import Policy
from discreet.policy.section import POLICIES
from discreet.policy.table import TablePolicy
from discreet.policy.transactions import TransactionPolicy

POLICIES.update({policy.of_kind: policy for policy in (TablePolicy, TransactionPolicy)})

__all__ = ["POLICIES", "Policy", "TablePolicy", "TransactionPolicy"]
