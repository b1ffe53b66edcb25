"""The methods for tables; a new one is one entry in TABLE_METHODS."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.losses.table import TableLoss
from discreet.methods.method import Method, Option
from discreet.models.condensed_groups import CondensedGroups
from discreet.models.k_anonymity import KAnonymity
from discreet.models.schemes import SCHEMES
from discreet.taxonomy.published import LABELLINGS, Labelling
from discreet.values.lazy import Lazy


@dataclass(frozen=True, kw_only=True)
class TableMethod(Method):
    """What else a method for tables says."""

    schemes: tuple[str, ...]
    """the suppression schemes that it can use"""
    any_loss: bool
    """whether it prices a release by definition, so that any loss will do; otherwise the kernels must know the loss"""
    relies_on_monotony: bool
    """whether it takes it for granted that generalizing further never deletes more"""
    merges_chains: bool
    """whether it treats a node and its only child as one, as they stand for the same values"""
    by_levels: bool = False
    """whether all values of a column are published at one level, so that only such cuts are looked at"""
    labels: tuple[Labelling, ...] = ("nodes",)
    """how it can publish groups of different values; the first is the default"""
    splits_by: str | None = None
    """the option with which records that are alike are sent to different groups for their sensitive values"""
    most_columns: int | None = None
    """the most quasi-identifiers that it can take, if there is a limit"""

    averages: bool = False
    """whether it averages records, and prices that itself by the losses that are about averages"""
    makes_numbers: bool = False
    """whether its rows are numbers that it made up, in every column but the class; it needs no taxonomies"""

    def minimizes(self, loss: TableLoss) -> bool:
        if self.averages or loss.of_averages:
            return self.averages and loss.of_averages
        return self.any_loss or loss.code is not None


TABLE_METHODS: dict[str, TableMethod] = {
    method.name: method
    for method in (
        TableMethod(
            name="l-plus-optimize",
            paper="Liu 2010, chapter 3",
            summary="The release of least loss, proved by branch and bound; if stopped early, the best so far with its "
            "proven gap.",
            function=Lazy("discreet.search.table.l_plus_optimize:l_plus_optimize"),
            keeps=lambda model: model.by_cones,
            options=(Option("top_h", "draw the release at random from this many of the best", 1),),
            rule=True,
            proves=True,
            optimal=True,
            warmed_up_by=(KAnonymity(1),),
            schemes=tuple(SCHEMES),
            any_loss=False,
            relies_on_monotony=False,
            merges_chains=True,
            most_columns=62,
        ),
        TableMethod(
            name="samarati",
            paper="Samarati 2001",
            summary="All values of a column at the same level of its taxonomy, at the least height: as few steps up as "
            "possible, over all columns together.",
            function=Lazy("discreet.search.table.samarati:samarati"),
            keeps=lambda model: model.monotone,
            does=lambda options: "looks for the least height at which the promise holds, and for little loss there",
            rule=True,
            proves=False,
            details={
                "height": "Steps up the taxonomies, over all columns",
                "proved_least": "Proved to be the least height",
                "greatest_height": "Steps up to nothing but *",
                "levels": "Level of each column, counted down from *",
                "nodes_tested": "Combinations of levels tested",
                "nodes_total": "Combinations of levels in all",
            },
            schemes=("none", "vio-rec", "all-rec"),
            warmed_up_by=(KAnonymity(1),),
            any_loss=True,
            relies_on_monotony=True,
            merges_chains=False,
            by_levels=True,
        ),
        TableMethod(
            name="full-domain",
            paper="Samarati 2001; LeFevre, DeWitt and Ramakrishnan 2005",
            summary="All values of a column at the same level of its taxonomy: the release of least loss of this kind, "
            "proved; if stopped early, the best so far with its proven gap.",
            function=Lazy("discreet.search.table.full_domain:full_domain"),
            keeps=lambda model: model.monotone,
            rule=True,
            proves=True,
            optimal=True,
            details={
                "levels": "Level of each column, counted down from *",
                "height": "Steps up the taxonomies, over all columns",
                "nodes_tested": "Combinations of levels tested",
                "nodes_total": "Combinations of levels in all",
            },
            schemes=tuple(SCHEMES),
            warmed_up_by=(KAnonymity(1),),
            any_loss=True,
            relies_on_monotony=False,
            merges_chains=False,
            by_levels=True,
        ),
        TableMethod(
            name="incognito",
            paper="LeFevre, DeWitt and Ramakrishnan 2005",
            summary="All values of a column at the same level of its taxonomy: all minimal combinations of levels, "
            "below which none keeps the promise, and of these the one of least loss.",
            function=Lazy("discreet.search.table.incognito:incognito"),
            keeps=lambda model: model.monotone,
            does=lambda options: (
                "looks for all combinations of levels at which the promise holds and below which it does not, and "
                "takes the one of least loss"
            ),
            rule=True,
            proves=False,
            details={
                "levels": "Level of each column, counted down from *",
                "height": "Steps up the taxonomies, over all columns",
                "all_found": "All minimal combinations of levels were found",
                "minimal": "Minimal combinations of levels",
                "nodes_tested": "Combinations of levels tested",
                "nodes_total": "Combinations of levels in all",
            },
            schemes=("none", "vio-rec", "all-rec"),
            warmed_up_by=(KAnonymity(1),),
            any_loss=True,
            relies_on_monotony=True,
            merges_chains=False,
            by_levels=True,
        ),
        TableMethod(
            name="mondrian",
            paper="LeFevre, DeWitt and Ramakrishnan 2006",
            summary="Local recoding: cuts groups in two where that leaves the least loss, as long as both sides keep "
            "the promise; each group has labels of its own.",
            function=Lazy("discreet.search.table.mondrian:mondrian"),
            keeps=lambda model: model.by_cones,
            options=(
                Option(
                    "strict", "cut only between different values of a column, so that ranges do not overlap", True, bool
                ),
                Option(
                    "look_ahead", "choose each cut by the loss after the next ones too: slower, less loss", False, bool
                ),
            ),
            does=lambda options: "cuts groups in two, by the loss that is left, as long as both sides keep the promise",
            rule=False,
            proves=False,
            details={
                "groups": "Groups with labels of their own",
                "cuts": "Cuts made",
                "finished": "Nothing is left to cut",
            },
            warmed_up_by=(KAnonymity(1),),
            schemes=("none",),
            any_loss=True,
            relies_on_monotony=False,
            merges_chains=False,
            labels=LABELLINGS,
        ),
        TableMethod(
            name="k-member",
            paper="Byun, Kamra, Bertino and Li 2007; Kirkpatrick, Gelatt and Vecchi 1983",
            summary="Local recoding: groups filled record by record, then improved by moving records between them, for "
            "as long as the time limit allows; each group has labels of its own.",
            function=Lazy("discreet.search.table.k_member:k_member"),
            keeps=lambda model: model.by_cones,
            options=(
                Option(
                    "split",
                    "for promises about sensitive values: records that are alike may be in different groups, which "
                    "loses less and tells more to somebody who knows the method",
                    False,
                    bool,
                ),
            ),
            does=lambda options: "moves records between groups that keep the promise, to where they lose little",
            rule=False,
            proves=True,
            details={
                "groups": "Groups with labels of their own",
                "split": "Records that are alike may be in different groups",
                "finished": "Was not interrupted",
            },
            warmed_up_by=(KAnonymity(2),),
            schemes=("none",),
            any_loss=True,
            relies_on_monotony=False,
            merges_chains=False,
            labels=LABELLINGS,
            splits_by="split",
        ),
        TableMethod(
            name="mdav",
            paper="Domingo-Ferrer and Mateo-Sanz 2002",
            summary="Microaggregation: groups of k to 2k - 1 records of numbers that are near one another, each "
            "published at its mean.",
            function=Lazy("discreet.search.table.mdav:mdav"),
            keeps=lambda model: model.about_size,
            does=lambda options: "puts records that are near one another into groups, and publishes the means",
            rule=False,
            proves=False,
            details={"groups": "Groups of records", "finished": "All groups were made"},
            warmed_up_by=(KAnonymity(1),),
            schemes=("none",),
            any_loss=False,
            relies_on_monotony=False,
            merges_chains=False,
            labels=("means",),
            averages=True,
        ),
        TableMethod(
            name="condensation",
            paper="Aggarwal and Yu 2004",
            summary="Rows of numbers, made up from the means and covariances of groups of at least k similar records; "
            "where these are equal, so are the rows. Nobody can check from the release how they were made.",
            function=Lazy("discreet.search.table.condensation:condensation"),
            keeps=lambda model: model is CondensedGroups,
            options=(
                Option("per_class", "each class has groups of its own", True, bool),
                Option(
                    "stream",
                    "look at each record once, one after the other, and split groups that grow too large",
                    False,
                    bool,
                ),
                Option("copies", "how many rows are made up for each record", 1),
                Option("more_decimals", "publish so many more decimals than the records have", 0, least=0),
            ),
            does=lambda options: (
                "makes rows up from the means and covariances of groups of similar records; where these are equal, so "
                "are the rows"
            ),
            rule=False,
            proves=False,
            details={
                "groups": "Groups of records from which rows were made",
                "without_variance": "Groups of equal records, whose rows are these records",
                "clipped": "Share of the values that were moved to an end of their column's range",
            },
            warmed_up_by=(CondensedGroups(2),),
            warmed_up_with=({}, {"stream": True}),
            schemes=("none",),
            any_loss=False,
            relies_on_monotony=False,
            merges_chains=False,
            averages=True,
            makes_numbers=True,
        ),
    )
}
"""Methods by name; the first of those that keep a promise is its default."""
