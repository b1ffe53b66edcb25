"""Has the search that a policy asks for compiled, so that compiling does not count in its time."""

from __future__ import annotations

from functools import partial

from discreet.policy import Policy, TransactionPolicy


def warm_up(policy: Policy) -> None:
    if isinstance(policy, TransactionPolicy):
        from discreet.search.transactions.warm_up import warm_up as warm_up_transactions
        from discreet.solving.transactions import method_of

        warm_up_transactions(policy.search.method, partial(method_of(policy), **policy.search.options()))
    else:
        from discreet.search.table.warm_up import warm_up as warm_up_table

        warm_up_table()
