"""The attacks on tables; a new one is one entry in TABLE_ATTACKS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from discreet.attacks.attack import Attack
from discreet.attacks.table import intersection, minimality, scheme, stars
from discreet.attacks.table.attacked import AttackedTable, original_of
from discreet.attacks.table.joint_scheme import joint_scheme
from discreet.attacks.table.joint_worlds import HiddenGroups
from discreet.attacks.table.linkage import Linked, linkage
from discreet.attacks.table.people import released_groups
from discreet.attacks.table.risk import AT_RISK, risks
from discreet.models.partition_limits import PartitionLimits
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import Cut

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


def _linkage(attacked: AttackedTable) -> dict[str, Any]:
    return {
        "before": linkage(attacked.before, attacked.thresholds),
        "after": linkage(attacked.after, attacked.thresholds),
    }


def _risk(attacked: AttackedTable) -> dict[str, Any]:
    return {
        "at_risk": float(AT_RISK),
        "population": attacked.population,
        "before": risks(attacked.before.classes.sizes, attacked.before.population),
        "after": risks(attacked.after.classes.sizes, attacked.after.population),
    }


def about_values(attack: Callable[[AttackedTable], dict[str, Any]]) -> Callable[[AttackedTable], dict[str, Any]]:
    """An attack on sensitive values, where there are any."""
    return lambda attacked: dict(NOTHING_SENSITIVE) if attacked.thresholds is None else attack(attacked)


def about_one_value(attack: Callable[[AttackedTable], dict[str, Any]]) -> Callable[[AttackedTable], dict[str, Any]]:
    """An attack on the one sensitive value of each record, where there are any."""
    return about_values(lambda attacked: attack(attacked) if attacked.facts.is_plain else dict(SEVERAL_FACTS))


def _stars(attacked: AttackedTable) -> dict[str, Any]:
    assert attacked.thresholds is not None
    if not attacked.facts.is_plain:
        return dict(stars.WHOLE_GROUPS if attacked.groups.stars.any() else stars.NO_STARS)
    search = attacked.policy.search
    return stars.stars(attacked.groups, attacked.truth, attacked.thresholds, search.suppression, search.guard_stars)


def _scheme(attacked: AttackedTable) -> dict[str, Any]:
    assert attacked.thresholds is not None
    search, demand = attacked.policy.search, attacked.demand
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
    table, second, everyone, people = attacked.table, attacked.releases[1], attacked.everyone, attacked.people
    kept = list(people.attributes)
    other = Linked.of(people, people.nodes[1], released_groups(second, kept, attacked.facts))
    of_everyone = released_groups(second, everyone.attributes, attacked.facts)
    original_of(table, everyone, 1, of_everyone, "second release", attacked.facts)
    belongs = (
        attacked.after.groups.members(everyone.nodes[0][kept], everyone.counts),
        other.groups.members(everyone.nodes[1][kept], everyone.counts),
    )
    return intersection.intersection(attacked.after, other, belongs, attacked.shares, attacked.thresholds)


TABLE_ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        Attack(
            "linkage",
            "Liu 2010, 3.1.1",
            "The adversary of the promise knows somebody's quasi-identifiers and looks at the records that fit.",
            _linkage,
        ),
        Attack(
            "risk",
            "El Emam and Dankar 2008",
            "The risk that a record is traced to its person: prosecutor, journalist and marketer.",
            _risk,
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
            "intersection",
            "Ganta, Kasiviswanathan and Smith 2008 (Composition Attacks and Auxiliary Information in Data Privacy)",
            "Two releases of one table: what is possible in both, and what their shares say together.",
            about_values(_intersection),
            label="Second",
            title="Several releases",
            question="What do two releases of the same people reveal together?",
            beyond=intersection.beyond,
        ),
    )
}
