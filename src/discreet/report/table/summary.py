"""What is promised, whether it holds, and the few figures that matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.attacks.table.sentences import above_knowing_the_method, known_of_the_method
from discreet.models.partition_limits import RECORDS, SENSITIVE
from discreet.models.table import TABLE_MODELS
from discreet.report import summary
from discreet.report.page import Section
from discreet.report.risk_and_use import Left, Risk, risk_and_use
from discreet.report.summary import arrow, least, models_of, no_longer_told, promised, tiles, warned
from discreet.report.table.members import members
from discreet.report.text import amount, count, listed, plural, sentence, share, value_html

MOST_NAMES = 8


def subtitle(result: Mapping[str, Any]) -> str:
    return summary.subtitle(result, f"{count(result['rows']['original'])} {members(result)}", "A table in memory")


def section(result: Mapping[str, Any]) -> Section:
    parts = [
        promised(result, in_plain_words(result["policy"])),
        _figures(result),
        no_longer_told(result),
        risk_and_use(_risks(result.get("attack")), _left(result)),
        _beyond(result.get("attack")),
        warned(result),
    ]
    return Section("summary", "Summary", "", "".join(parts))


def in_plain_words(policy: Mapping[str, Any]) -> str:
    """The promises as HTML sentences; empty where a promise is not known here, which the formal ones then state."""
    roles = {name: options.get("role") for name, options in policy["attributes"].items()}
    known = listed(_names(name for name, role in roles.items() if role == "quasi-identifier"))
    sensitive = next((name for name, role in roles.items() if role == "sensitive"), None)
    members = "people" if "person" in roles.values() else "records"
    models = models_of(policy, TABLE_MODELS)
    if not models or not known or (sensitive is None and any(model.needs_sensitive for model in models)):
        return ""
    says = (
        sentence(model.in_words().replace(RECORDS, members)).replace(
            SENSITIVE, value_html(model.column or sensitive or "", 40)
        )
        for model in models
    )
    return f"Anyone who knows somebody’s {known} {listed(says)}."  # noqa: RUF001


def _names(names: Any) -> list[str]:
    every = [value_html(name, 40) for name in names]
    return every if len(every) <= MOST_NAMES else [*every[:MOST_NAMES], f"{len(every) - MOST_NAMES} other columns"]


def _figures(result: Mapping[str, Any]) -> str:
    rows, loss = result["rows"], result["loss"]
    kept = f"of {count(rows['original'])}"
    if rows["published"] == rows["original"]:
        kept = "all of them"
    published = (f"{members(result).capitalize()} published", count(rows["published"]), kept)
    if result.get("numbers_made_up"):
        published = (
            "Rows made up",
            count(rows["published"]),
            f"from {count(rows['original'])} records, none published",
        )
    cards = [
        published,
        (
            "Information lost",
            share(loss["normalized"]),
            f"where 100% is {loss.get('everything', 'nothing but *').removeprefix('a release of ')}; "
            f"{amount(loss['cost'])} by {sentence(loss['name'])}",
        ),
        ("The least possible?", *least(result)),
        *_people(result.get("attack")),
        *_hidden(result),
        *_reappearing(result),
    ]
    return tiles(cards)


def _reappearing(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Of rows that were made up: whether records come out as they went in, beside what chance does."""
    found = next((entry["details"] for entry in result.get("utility") or () if entry["name"] == "reappearing"), None)
    if not found:
        return []
    inside, outside = (found[part]["reappear"] / found[part]["records"] for part in ("inside", "outside"))
    chance = f"of the other half, by chance, {share(outside)}"
    note = f"of the records like no other, where half are published this way; {chance}"
    return [("Reappear exactly", share(inside), note)]


def _risks(attack: Mapping[str, Any] | None) -> list[Risk]:
    if attack is None or attack.get("applies") is False or not attack["people"]:
        return []
    before, after, people = attack["linkage"]["before"], attack["linkage"]["after"], attack["people"]
    risks = []
    if before["above_threshold"] is not None:
        known = attack.get("knowing_the_method")
        above = known["above_threshold"] + known["not_known"] if known else after["above_threshold"]
        if not (known and "scheme" in known["untried"]):  # what is not known is no figure
            risks.append(("people above a threshold", before["above_threshold"] / people, min(people, above) / people))
    risks.append(("people who fit one record", before["found"] / people, after["found"] / people))
    average = [attack["risk"][side]["prosecutor"]["average"] for side in ("before", "after")]
    if None not in average:
        risks.append(("being found, on average", average[0], average[1]))
    return risks


def _left(result: Mapping[str, Any]) -> list[Left]:
    whole, published = result["rows"]["original"], result["rows"]["published"]
    if result.get("numbers_made_up"):  # what averaging loses is not what drawing loses
        return []
    left = [("information", 1 - result["loss"]["normalized"])]
    columns = [column["left"] for column in result["columns"] if column.get("left")]
    if columns and whole:
        unchanged = sum(column["unchanged"] for column in columns) / len(columns)
        left.append(("quasi-identifiers as they were", unchanged * published / whole))
    if result["sensitive_values"] is not None:
        left.append(("sensitive values", result["sensitive_values"]["share"]))
    left += [
        ("associations of columns", entry["release"])
        for entry in result.get("utility") or ()
        if entry["name"] == "association" and entry["release"] is not None
    ]
    return left


def _people(attack: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    if attack is None or attack.get("applies") is False:
        return []
    before, after = attack["linkage"]["before"], attack["linkage"]["after"]
    if before["above_threshold"] is not None:
        naive, note = (
            count(after["above_threshold"]),
            f"of {count(attack['people'])}, in the original and in the release",
        )
        if known := attack.get("knowing_the_method"):
            change = arrow(count(before["above_threshold"]), above_knowing_the_method(known))
            by = f"for somebody who knows {known_of_the_method(known)}; by linking alone {naive}"
            return [("People above a threshold", change, f"{note}, {by}")]
        return [("People above a threshold", arrow(count(before["above_threshold"]), naive), note)]
    change = arrow(count(before["found"]), count(after["found"]))
    return [
        ("People found with certainty", change, f"of {count(attack['people'])}, in the original and in the release")
    ]


def _beyond(attack: Mapping[str, Any] | None) -> str:
    """A kept promise must not be read as no risk where an attack beyond it has succeeded."""
    if attack is None:
        return ""
    if attack.get("applies") is False:
        return f"<p>{sentence(attack['reading'][0])}</p>"
    told = attack["stars"].get("told") or 0
    surer = (attack["minimality"].get("above_threshold") or {}).get("new") or 0
    learnt = []
    if told:
        learnt.append(f"{plural(told, 'star')} can be worked out by somebody who knows the thresholds")
    if surer:
        learnt.append(
            "somebody who knows the method and all other records exceeds a threshold for "
            f"{plural(surer, 'more person', 'more people')}"
        )
    if (expulsion := attack.get("expulsion", {})).get("above_threshold"):
        learnt.append(
            "somebody who knows the method and how many people are alike exceeds a threshold for "
            f"{plural(expulsion['above_threshold'], 'person', 'people')}"
        )
    if not learnt:
        return ""
    return f'<p>Beyond what is promised: {listed(learnt)}. See <a href="#risk">Risk before and after</a>.</p>'


def _hidden(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    suppressed = result["suppressed"]
    cards = []
    if result["sensitive_values"] is not None:
        note = f"{count(suppressed['values'])} replaced by *"
        cards.append(("Sensitive values still shown", share(result["sensitive_values"]["share"]), note))
    if suppressed["records"]:
        part = share(suppressed["records"] / result["rows"]["original"]) if result["rows"]["original"] else ""
        cards.append(
            (f"{members(result).capitalize()} deleted", count(suppressed["records"]), f"{part} of the original")
        )
    return cards
