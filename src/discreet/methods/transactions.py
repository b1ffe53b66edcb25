"""The methods for transactions; a new one is one entry in TRANSACTION_METHODS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from discreet.methods.method import Method, Option
from discreet.models.coherence import Coherence
from discreet.models.kl_privacy import KLPrivacy
from discreet.models.km_anonymity import KMAnonymity
from discreet.models.privacy_degree import PrivacyDegree
from discreet.models.rho_uncertainty import RhoUncertainty
from discreet.models.transactional_k_anonymity import TransactionalKAnonymity
from discreet.values.lazy import Lazy

Options = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TransactionMethod(Method):
    """What else a method for transactions says."""

    fate: str | Callable[[Options], str]
    """what becomes of the items that are not sensitive; a function of its options where these change it"""
    sensitive: Literal["kept", "apart", "left out"] = "kept"
    """what becomes of the sensitive items: they stay, are published by group, or are left out of single transactions"""
    drops_unknown: bool = False
    """whether an item that its rule does not cover is left out of other data; otherwise it is refused there"""
    stricter_for: tuple[str, ...] = ()
    """promises that it keeps for the items above the published ones too"""

    def fate_of_items(self, options: Options) -> str:
        return self.fate if isinstance(self.fate, str) else self.fate(options)


def _is_about_itemsets(model: Any) -> bool:
    return hasattr(model, "itemset_limits")


def _keeps(*models: type) -> Callable[[Any], bool]:
    return lambda model: model in models


def _fate_by_insertion(options: Options) -> str:
    if options["improve"]:
        return "kept as they are, except for a few that are left out of some transactions"
    return "kept as they are"


def _fate_by_trivial(options: Options) -> str:
    return "kept as they are" if options["leave_out"] == "sensitive" else "left out, all but one in each transaction"


def _trivially(options: Options) -> str:
    left_out = {"sensitive": "every sensitive item", "all-but-one": "all items but one in each transaction"}
    return f"leaves out {left_out[options['leave_out']]}, whatever the loss"


_BY_CUTS = "generalized, each the same way in all transactions"
_OF_THREATS = {
    "nodes_tested": "Nodes tested for whether any release may go below them",
    "nodes_open": "Nodes that the search had to decide about",
    "threats_kept": "Threats kept, each of which forbids some cuts",
    "itemsets_examined": "Itemsets examined",
    "rounds": "Rounds",
    "by_programme": "Decided by a mixed-integer programme",
}
_OF_TYPES = {
    "sensitive_types": "Sensitive items that occur",
    "sensitive_types_kept": "Sensitive items published",
    "other_types_published": "Other items published",
    "choices": "Items chosen one by one",
}
_OF_DELETIONS = {"deleted_sensitive": "Sensitive items left out", "deleted_other": "Other items left out"}
_RHO = (RhoUncertainty(Fraction(1, 2)),)

TRANSACTION_METHODS: dict[str, TransactionMethod] = {
    method.name: method
    for method in (
        TransactionMethod(
            name="og",
            paper="Liu 2010, chapter 4",
            summary="Items generalized the same way everywhere with the least loss, proved by branch and bound over "
            "the threats in the data.",
            function=Lazy("discreet.search.transactions.og:og"),
            keeps=_is_about_itemsets,
            rule=True,
            proves=True,
            optimal=True,
            details=_OF_THREATS,
            warmed_up_by=(KLPrivacy(2, 2, 2, 1), KMAnonymity(2, 2)),
            fate=_BY_CUTS,
            stricter_for=(Coherence.name,),
        ),
        TransactionMethod(
            name="mog",
            paper="Liu 2010, chapter 4",
            summary="og in rounds against adversaries who know more and more items: faster where they know many, and "
            "close to the least loss.",
            function=Lazy("discreet.search.transactions.mog:mog"),
            keeps=_is_about_itemsets,
            rule=True,
            proves=True,
            details=_OF_THREATS,
            warmed_up_by=(KLPrivacy(2, 2, 2, 1), KMAnonymity(2, 2)),
            fate=_BY_CUTS,
            stricter_for=(Coherence.name,),
        ),
        TransactionMethod(
            name="apriori",
            paper="Terrovitis, Mamoulis and Kalnis 2008",
            summary="Items generalized the same way everywhere, greedily, against itemsets of one item, then two, up "
            "to m.",
            function=Lazy("discreet.search.transactions.apriori:apriori"),
            keeps=_keeps(KMAnonymity),
            rule=True,
            proves=False,
            details={"repaired_itemsets": "Itemsets that broke the promise and were repaired"},
            warmed_up_by=(KMAnonymity(2, 2),),
            fate=_BY_CUTS,
        ),
        TransactionMethod(
            name="greedy-suppression",
            paper="Xu, Wang, Fu and Yu 2008",
            summary="Items left out of all transactions, one after another, by the threats that each one ends and "
            "the loss that it costs.",
            function=Lazy("discreet.search.transactions.greedy_suppression:greedy_suppression"),
            keeps=_keeps(Coherence, KMAnonymity),
            rule=True,
            proves=False,
            details={
                "suppressed_items": "Items left out of all transactions",
                "moles": "Smallest itemsets that broke the promise",
            },
            warmed_up_by=(KMAnonymity(2, 2),),
            fate="kept as they are or left out of all transactions",
            drops_unknown=True,
        ),
        TransactionMethod(
            name="partition",
            paper="He and Naughton 2009",
            summary="Groups of similar transactions, split from the top, with items generalized group by group. Where "
            "some transactions have no items, but fewer than k, others are published without theirs.",
            function=Lazy("discreet.search.transactions.partition:partition"),
            keeps=_keeps(TransactionalKAnonymity),
            rule=False,
            proves=False,
            details={"groups": "Groups of transactions", "emptied": "Transactions emptied to keep the promise"},
            warmed_up_by=(TransactionalKAnonymity(2),),
            fate="generalized, one group of transactions at a time",
        ),
        TransactionMethod(
            name="permutation",
            paper="Ghinita, Tao and Kalnis 2008",
            summary="Groups of similar transactions, with their items as they are and their sensitive items apart, "
            "by group.",
            function=Lazy("discreet.search.transactions.permutation:permutation"),
            keeps=_keeps(PrivacyDegree),
            rule=False,
            proves=False,
            details={"groups": "Groups of transactions", "largest_group": "Transactions in the largest group"},
            warmed_up_by=(PrivacyDegree(2),),
            fate="kept as they are, separate from the sensitive ones",
            sensitive="apart",
        ),
        TransactionMethod(
            name="insertion",
            paper="discreet's own",
            summary="Sensitive items left out of single transactions; none of them could be put back on its own.",
            function=Lazy("discreet.search.transactions.insertion:insertion"),
            keeps=_keeps(RhoUncertainty),
            options=(
                Option(
                    "improve",
                    "how often all transactions are cut and filled up again to keep more items; each time "
                    "may cost some items that are not sensitive",
                    0,
                    least=0,
                ),
            ),
            rule=False,
            proves=True,
            details={
                "sensitive_occurrences": "Sensitive items in the transactions",
                "put_back": "Sensitive items published",
                "deleted_other": "Other items left out",
                "rounds": "Rounds",
                "tried": "Attempts to put an item back",
            },
            warmed_up_by=_RHO,
            fate=_fate_by_insertion,
            sensitive="left out",
        ),
        TransactionMethod(
            name="partial-suppression",
            paper="Jia et al. 2014",
            summary="Items left out of single transactions, rule by rule, to keep other rules or the frequencies of "
            "items.",
            function=Lazy("discreet.search.transactions.partial_suppression:partial_suppression"),
            keeps=_keeps(RhoUncertainty),
            options=(
                Option(
                    "aim",
                    "whether to keep the rules between items or their frequencies",
                    "rules",
                    Literal["rules", "distribution"],
                ),
                Option("t_max", "the estimated cost above which the data are cut in halves", 500),
                Option("b_max", "how many unsafe rules are looked at together", 1_000_000),
            ),
            rule=False,
            proves=True,
            details={
                **_OF_DELETIONS,
                "sanitized_rules": "Rules that were too sure and were broken",
                "parts": "Parts worked on one by one",
            },
            warmed_up_by=_RHO,
            fate="left out of some transactions",
            sensitive="left out",
        ),
        TransactionMethod(
            name="global-suppression",
            paper="Cao, Karras, Raïssi and Tan 2010",
            summary="Items, sensitive ones too, left out of all transactions, by the unsafe rules that each one ends "
            "and the occurrences that it costs.",
            function=Lazy("discreet.search.transactions.global_suppression:global_suppression"),
            keeps=_keeps(RhoUncertainty),
            rule=False,
            proves=False,
            details=_OF_TYPES,
            warmed_up_by=_RHO,
            fate="kept as they are or left out of all transactions",
            sensitive="left out",
        ),
        TransactionMethod(
            name="td-control",
            paper="Cao, Karras, Raïssi and Tan 2010",
            summary="Items generalized from the top of their taxonomy, each the same way everywhere, and left out "
            "where that is not enough.",
            function=Lazy("discreet.search.transactions.td_control:td_control"),
            keeps=_keeps(RhoUncertainty),
            rule=False,
            proves=False,
            details=_OF_TYPES,
            warmed_up_by=_RHO,
            fate="generalized or left out, each the same way in all transactions",
            sensitive="left out",
        ),
        TransactionMethod(
            name="trivial-suppression",
            paper="none: a baseline",
            summary="Every sensitive item left out, or all items but one in each transaction, so that nothing follows "
            "from anything.",
            function=Lazy("discreet.search.transactions.trivial_suppression:trivial_suppression"),
            keeps=_keeps(RhoUncertainty),
            options=(
                Option(
                    "leave_out",
                    "every sensitive item, or all items but one in each transaction",
                    "sensitive",
                    Literal["sensitive", "all-but-one"],
                ),
            ),
            rule=False,
            proves=True,
            details=_OF_DELETIONS,
            warmed_up_by=_RHO,
            fate=_fate_by_trivial,
            sensitive="left out",
            does=_trivially,
        ),
    )
}
"""Methods by name; the first of those that keep a promise is its default."""
