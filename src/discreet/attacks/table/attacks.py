"""The attacks on tables; a new one is one entry in TABLE_ATTACKS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from discreet.attacks.attack import Attack
from discreet.attacks.table import expulsion, intersection, minimality, nearest, scheme, stars
from discreet.attacks.table.attacked import AttackedTable, check_original
from discreet.attacks.table.joint_scheme import joint_scheme
from discreet.attacks.table.joint_worlds import HiddenGroups
from discreet.attacks.table.linkage import Linked, linkage
from discreet.attacks.table.people import original_groups, released_groups
from discreet.attacks.table.risk import AT_RISK, risks, risks_among_all_that_fit
from discreet.models.partition_limits import PartitionLimits
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import Cut
from discreet.values.arrays import Int64s

NOTHING_SENSITIVE = {
    "applies": False,
    "reading": "The table has no sensitive column, so there is no value to learn.",
}
SEVERAL_FACTS = {
    "applies": False,
    "untried": True,
    "reading": "Not tried: this attack takes a record to have one sensitive value, and here it has several, or several "
    "have a threshold together. What it would find is not known.",
}


MADE_UP = {
    "applies": False,
    "reading": "The rows were made up, so none of them is anybody's record, and nothing can be concluded from which of "
    "them fit.",
}


def _linkage(attacked: AttackedTable) -> dict[str, Any]:
    found = {
        "before": linkage(attacked.before, attacked.thresholds),
        "after": linkage(attacked.after, attacked.thresholds),
    }
    if attacked.grouped is not None:
        found["knowing_the_group"] = linkage(attacked.grouped, attacked.thresholds)
    return found


def _risk(attacked: AttackedTable) -> dict[str, Any]:
    before, after = attacked.before, attacked.after
    found = {
        "at_risk": float(AT_RISK),
        "population": attacked.population,
        "before": risks(before.classes.sizes, before.population),
    }
    if attacked.recoding != "local":
        return {**found, "after": risks(after.classes.sizes, after.population)}
    among_all = risks_among_all_that_fit(after)
    if attacked.grouped is None:
        return {**found, "after": among_all}
    by_group = risks(attacked.grouped.classes.sizes, attacked.grouped.population)
    return {**found, "after": by_group, "among_all_that_fit": among_all}


def about_records(attack: Callable[[AttackedTable], dict[str, Any]]) -> Callable[[AttackedTable], dict[str, Any]]:
    """An attack that takes the rows of a release for people's records."""
    return lambda attacked: dict(MADE_UP) if attacked.recoding == "synthetic" else attack(attacked)


def about_values(attack: Callable[[AttackedTable], dict[str, Any]]) -> Callable[[AttackedTable], dict[str, Any]]:
    """An attack on the sensitive values of records, where there are any."""
    return about_records(lambda attacked: dict(NOTHING_SENSITIVE) if attacked.thresholds is None else attack(attacked))


def about_one_value(attack: Callable[[AttackedTable], dict[str, Any]]) -> Callable[[AttackedTable], dict[str, Any]]:
    """An attack on the one sensitive value of each record, where there are any."""
    return about_values(lambda attacked: attack(attacked) if attacked.facts.is_plain else dict(SEVERAL_FACTS))


def _stars(attacked: AttackedTable) -> dict[str, Any]:
    assert attacked.thresholds is not None
    if attacked.recoding == "local":
        return dict(stars.BY_GROUPS)
    if not attacked.facts.is_plain:
        return dict(stars.WHOLE_GROUPS if attacked.groups.stars.any() else stars.NO_STARS)
    search = attacked.policy.search
    return stars.stars(attacked.groups, attacked.truth, attacked.thresholds, search.suppression, search.guard_stars)


def _scheme(attacked: AttackedTable) -> dict[str, Any]:
    assert attacked.thresholds is not None
    search, demand = attacked.policy.search, attacked.demand
    if attacked.recoding == "local":
        return dict(scheme.BY_GROUPS)
    if not isinstance(demand, PartitionLimits):
        return dict(scheme.NOT_KNOWN)
    cuts = attacked.cuts or minimality.completed_cuts(attacked.table, attacked.releases[0].nodes)
    partitions = attacked.table.partitions(cuts)
    if not attacked.facts.is_plain:
        likely = attacked.releases[0].shown(len(attacked.table.sensitive_values)) + 1
        hidden = HiddenGroups(likely.tolist(), demand)
        return joint_scheme(partitions, attacked.groups, attacked.facts, hidden)
    return scheme.scheme(
        partitions,
        attacked.groups,
        demand,
        attacked.thresholds,
        search.suppression,
        search.guard_stars,
    )


def _minimality(attacked: AttackedTable) -> dict[str, Any]:
    assert attacked.thresholds is not None
    search, demand = attacked.policy.search, attacked.demand
    if attacked.recoding == "local":
        by_sizes = all(model.about_size for model in attacked.policy.promises)
        return dict(minimality.BY_SIZES if by_sizes else minimality.BY_VALUES)
    if not attacked.searched:
        return dict(minimality.NOT_CHOSEN)
    if not search.declared().optimal or not isinstance(demand, PartitionLimits):
        return dict(minimality.NOT_OPTIMAL)
    if search.declared().by_levels:
        return dict(minimality.BY_LEVELS)
    given = attacked.table.taxonomies
    table, release = minimality.collapsed(attacked.table, attacked.releases[0])
    if attacked.cuts is None:
        cuts = minimality.completed_cuts(table, release.nodes)
    else:
        cuts = tuple(
            Cut(new, tuple(minimality.same_node(old, new)[list(cut.nodes)]))
            for old, new, cut in zip(given, table.taxonomies, attacked.cuts, strict=True)
        )
    problem = TableProblem.asked(attacked.policy, table, demand)
    return minimality.minimality(
        minimality.Method(problem, search.options().get("top_h", 1), search.alpha),
        cuts,
        released_groups(release, range(len(table.attributes)), attacked.facts),
        attacked.thresholds,
        attacked.random,
    )


def _intersection(attacked: AttackedTable) -> dict[str, Any]:
    assert attacked.thresholds is not None
    if len(attacked.releases) == 1:
        return dict(intersection.NO_SECOND)
    if not attacked.facts.is_plain:
        return dict(SEVERAL_FACTS)
    table, people, facts = attacked.table, attacked.people, attacked.facts
    other = Linked.to(people, 1, attacked.releases[1], facts)
    of_everyone = released_groups(attacked.releases[1], attacked.everyone.attributes, facts)
    check_original(table, attacked.everyone, 1, attacked.recodings[1], of_everyone, "second release", facts)
    belongs = (_belong(attacked, 0, attacked.after), _belong(attacked, 1, other))
    return intersection.intersection(attacked.after, other, belongs, attacked.shares, attacked.thresholds)


def _belong(attacked: AttackedTable, number: int, linked: Linked) -> Int64s:
    """group -> how many people of the original belong to it"""
    everyone, release = attacked.everyone, attacked.releases[number]
    if attacked.recodings[number] == "local":
        # Who fits several groups cannot be said to be missing from one; so somebody is from all, or nobody is.
        return linked.groups.sizes + (attacked.table.rows - release.rows)
    return linked.groups.members(everyone.nodes[number][list(attacked.people.attributes)], everyone.counts)


def _expulsion(attacked: AttackedTable) -> dict[str, Any]:
    assert attacked.thresholds is not None
    demand = attacked.demand
    if not attacked.policy.search.splits or all(model.about_size for model in attacked.policy.promises):
        return dict(expulsion.NOT_SPLIT)
    if not attacked.facts.is_plain:
        return dict(SEVERAL_FACTS)
    if not isinstance(demand, PartitionLimits):
        return dict(expulsion.NOT_KNOWN)
    table, everyone = attacked.table, attacked.everyone
    alike = original_groups(table, everyone.attributes, attacked.facts)
    linked = (
        attacked.after if attacked.knows_everybody else Linked.to(everyone, 0, attacked.releases[0], attacked.facts)
    )
    columns = attacked.releases[0].published_values(table.taxonomies)
    return expulsion.expulsion(alike, attacked.groups, columns, demand, linked, attacked.thresholds)


def _nearest(attacked: AttackedTable) -> dict[str, Any]:
    table = attacked.table
    # Sensitive numbers that were made up come after those that the table has: they are nobody's to guess.
    has_values = bool((attacked.releases[0].sensitive < len(table.sensitive_values)).all())
    plain = attacked.thresholds is not None and attacked.facts.is_plain and has_values
    return nearest.nearest(
        dict(zip(table.attributes, table.taxonomies, strict=True)),
        attacked.releases[0],
        attacked.people,
        len(table.sensitive_values) if plain else None,
        attacked.recoding == "synthetic",
    )


TABLE_ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        Attack(
            "linkage",
            "Liu 2010, 3.1.1",
            "The adversary of the promise knows somebody's quasi-identifiers and looks at the records that fit.",
            about_records(_linkage),
        ),
        Attack(
            "risk",
            "El Emam and Dankar 2008",
            "The risk that a record is traced to its person: prosecutor, journalist and marketer.",
            about_records(_risk),
        ),
        Attack(
            "stars",
            "Liu 2010, 3.1.3",
            "What a star gives away: which sensitive values the suppressed ones of a group can be.",
            about_values(_stars),
            label="Stars",
            title="Stars that give away what they hide",
            question="Can what a star hides be worked out from the values shown beside it?",
            beyond=stars.beyond,
        ),
        Attack(
            "scheme",
            "Wong, Fu, Wang and Pei 2007 (Minimality Attack in Privacy Preserving Data Publishing), for suppression",
            "Somebody who knows who is in the table, the thresholds and how values are suppressed considers every "
            "original that would have been published like this.",
            about_values(_scheme),
            label="Scheme",
            title="Knowing how values are suppressed",
            question="What can have been suppressed, for somebody who knows the scheme and the thresholds?",
            beyond=scheme.beyond,
        ),
        Attack(
            "minimality",
            "Wong, Fu, Wang and Pei 2007 (Minimality Attack in Privacy Preserving Data Publishing); Liu 2010, 3.7.1.2",
            "The minimality attack: what a release gives away by being the best one.",
            about_one_value(_minimality),
            label="Minimality",
            title="Knowing the method",
            question="Does it reveal anything that no finer release was chosen?",
            beyond=minimality.beyond,
        ),
        Attack(
            "expulsion",
            "none; the case is in the method k-member",
            "Somebody who knows that a method sends records with too frequent a value away from those that are alike "
            "concludes what the ones who left have.",
            about_values(_expulsion),
            label="Expulsion",
            title="Who was sent to another group",
            question="What have those who are not in the group with the people like them?",
            beyond=expulsion.beyond,
        ),
        Attack(
            "intersection",
            "Ganta, Kasiviswanathan and Smith 2008 (Composition Attacks and Auxiliary Information in Data Privacy)",
            "Two releases of one table: what is possible in both, and what their shares say together.",
            about_values(_intersection),
            label="Second",
            title="Several releases",
            question="What do two releases of the same people reveal together?",
            beyond=intersection.beyond,
        ),
        Attack(
            "nearest",
            "Domingo-Ferrer and Torra 2001; Yancey, Winkler and Creecy 2002",
            "Somebody takes the published row with the nearest numbers for a person's, of any release and also of rows "
            "that were made up.",
            _nearest,
            label="Nearest",
            title="The nearest row",
            question="What does the row nearest to a person in numbers say about them?",
        ),
    )
}
