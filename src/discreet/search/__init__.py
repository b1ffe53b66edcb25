"""The anonymization methods, one a file, a subpackage per kind of data; a new one is one line in METHODS."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """What a method says of itself to those who choose one; its code loads only when it runs."""

    name: str
    kind: str
    paper: str
    summary: str
    models: tuple[str, ...]
    """the names of the promises it can keep"""
    alike: bool = True
    """whether what it does is the same in all rows or transactions and leaves sensitive items alone, so that it can be
    applied to other data"""


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="l-plus-optimize",
            kind="table",
            paper="Liu 2010, chapter 3",
            summary="The release of least loss, proved by branch and bound; stopped early, the best so far with its "
            "proven gap.",
            models=("l-plus-diversity", "l-diversity", "k-anonymity"),
        ),
        Method(
            name="og",
            kind="transactions",
            paper="Liu 2010, chapter 4",
            summary="Items generalized alike everywhere with the least loss, proved by branch and bound over the "
            "threats that the data hold.",
            models=("kl-privacy", "km-anonymity", "coherence"),
        ),
        Method(
            name="mog",
            kind="transactions",
            paper="Liu 2010, chapter 4",
            summary="og in rounds against adversaries who know more and more items: faster where they know many, and "
            "close to the least loss.",
            models=("kl-privacy", "km-anonymity", "coherence"),
        ),
        Method(
            name="apriori",
            kind="transactions",
            paper="Terrovitis, Mamoulis and Kalnis 2008",
            summary="Items generalized alike everywhere, greedily, against itemsets of one item, then two, up to m.",
            models=("km-anonymity",),
        ),
        Method(
            name="greedy-suppression",
            kind="transactions",
            paper="Xu, Wang, Fu and Yu 2008",
            summary="Items left out of all transactions, one after the other, by the threats that each ends and the "
            "loss that it costs.",
            models=("coherence", "km-anonymity"),
        ),
        Method(
            name="partition",
            kind="transactions",
            paper="He and Naughton 2009",
            summary="Groups of like transactions, split from the top, items generalized group by group.",
            models=("transactional-k-anonymity",),
            alike=False,
        ),
        Method(
            name="permutation",
            kind="transactions",
            paper="Ghinita, Tao and Kalnis 2008",
            summary="Groups of like transactions with their items as they are and their sensitive items apart, by "
            "group.",
            models=("privacy-degree",),
            alike=False,
        ),
        Method(
            name="insertion",
            kind="transactions",
            paper="discreet's own",
            summary="Sensitive items left out of single transactions, none of which could be put back alone.",
            models=("rho-uncertainty",),
            alike=False,
        ),
        Method(
            name="partial-suppression",
            kind="transactions",
            paper="Jia et al. 2014",
            summary="Items left out of single transactions, rule by rule, to keep other rules or the frequencies of "
            "items.",
            models=("rho-uncertainty",),
            alike=False,
        ),
        Method(
            name="global-suppression",
            kind="transactions",
            paper="Cao, Karras, Raïssi and Tan 2010",
            summary="Items, sensitive ones too, left out of all transactions, by the unsafe rules that each ends and "
            "the occurrences that it costs.",
            models=("rho-uncertainty",),
            alike=False,
        ),
        Method(
            name="td-control",
            kind="transactions",
            paper="Cao, Karras, Raïssi and Tan 2010",
            summary="Items generalized from the top of their taxonomy, each alike everywhere, and left out where that "
            "is not enough.",
            models=("rho-uncertainty",),
            alike=False,
        ),
        Method(
            name="trivial-suppression",
            kind="transactions",
            paper="none: a baseline",
            summary="Every sensitive item left out, or of each transaction all items but one, so that nothing follows "
            "from anything.",
            models=("rho-uncertainty",),
            alike=False,
        ),
    )
}
"""Methods by name; the first of those that keep a promise is its default."""

__all__ = ["METHODS", "Method"]
