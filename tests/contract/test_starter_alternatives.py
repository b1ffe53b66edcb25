"""What a starter policy proposes in comments: each line is valid when its '# ' is deleted, and can be published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.commands.inspect import inspect
from discreet.policy import TablePolicy
from discreet.policy.file import read_yaml

ROWS = 240
_PROPOSED = re.compile(r"^ +# (?:- \{model: ([\w-]+),.*|method: ([\w-]+))$", re.MULTILINE)


def table(name: str, values: list[str], weights: list[float]) -> pa.Table:
    random = np.random.default_rng(3)
    shares = np.array(weights) / sum(weights)
    secrets = [*values, *random.choice(values, ROWS - len(values), p=shares)]
    return pa.table(
        {
            "age": random.integers(20, 60, ROWS),
            "sex": random.choice(["f", "m"], ROWS),
            "town": random.choice(["Bern", "Basel", "Chur"], ROWS),
            name: secrets,
        }
    )


TABLES = {
    "one is rare": table("diagnosis", ["Flu", "Cold", "Asthma", "HIV"], [50, 30, 19, 1]),
    "many values": table("diagnosis", [f"d{number} x" for number in range(40)], [1] * 40),
    "numbers": table("salary", [str(1000 * number) for number in range(1, 13)], [1] * 12),
    "kinds of something": table("diagnosis", ["A00", "A01", "A02", "B20", "B21", "F10", "F11", "F32"], [1] * 8),
    "two values": table("diagnosis", ["HIV", "none"], [1, 30]),
    "one that is nearly all": table("diagnosis", ["none", "HIV", "TB"], [98, 1, 1]),
    "more than are counted": table("diagnosis", [f"d{number} x" for number in range(60)], [1] * 60),
}
EXPECTED = {
    "one is rare": {"beta-likeness": "1", "t-closeness": "equal"},
    "many values": {"beta-likeness": "1", "t-closeness": "equal", "entropy-l-diversity": "many values"},
    "numbers": {"t-closeness": "ordered", "entropy-l-diversity": "l: 6"},
    "kinds of something": {"t-closeness": "hierarchical"},
    "two values": {"distinct-l-diversity": "l: 2"},
    "one that is nearly all": {"beta-likeness": "1"},
    "more than are counted": {"distinct-l-diversity": "l: 3"},
}


def read(text: str) -> TablePolicy:
    written = read_yaml(text, "starter.yaml")
    assert isinstance(written, Mapping)
    return TablePolicy.parse(written)


def lines_of(text: str) -> list[re.Match[str]]:
    return list(_PROPOSED.finditer(text))


@pytest.mark.parametrize("name", TABLES)
def test_what_fits_is_proposed_with_its_reason(name: str) -> None:
    text = inspect(TABLES[name]).policy_text
    found = {match[1]: match[0] for match in lines_of(text) if match[1]}
    for model in EXPECTED[name]:
        assert model in found, text
    for match in lines_of(text):
        above = text[: match.start()].rstrip("\n").splitlines()[-1]
        assert above.lstrip().startswith("# ") and above.endswith("."), "each has a reason above it"
    assert [match[2] for match in lines_of(text) if match[2]] == ["mondrian", "k-member", "full-domain"]
    if name == "two values":  # of two values nothing but how frequent each may be can be promised
        assert found.keys() <= {"beta-likeness", "t-closeness", "distinct-l-diversity"}
    if name == "more than are counted":
        assert found.keys() == {"distinct-l-diversity"}
    if "l: 6" in EXPECTED[name].values():
        assert "{model: entropy-l-diversity, l: 6}" in text and "no release can promise more than l = 11" in " ".join(
            text.replace("#", " ").split()
        )


def test_distances_suit_the_values() -> None:
    distances = {name: re.findall(r"distance: (\w+)\}", inspect(data).policy_text) for name, data in TABLES.items()}
    assert distances["numbers"] == ["ordered"]
    assert distances["kinds of something"] == ["hierarchical"]
    assert distances["one is rare"] == ["equal"]
    assert "# taxonomy: {" in inspect(TABLES["kinds of something"]).policy_text


@pytest.mark.parametrize("name", TABLES)
def test_every_proposal_can_be_published(name: str, tmp_path: Path) -> None:
    text = inspect(TABLES[name]).policy_text
    proposed = lines_of(text)
    assert proposed
    for place, match in enumerate(proposed):
        changed = text[: match.start()] + match[0].replace("# ", "", 1) + text[match.end() :]
        if "hierarchical" in match[0]:
            changed = changed.replace("# taxonomy: {", "taxonomy: {")
        policy = read(changed)
        assert changed != text
        assert match[2] == policy.search.method if match[2] else match[1] in {model.name for model in policy.privacy}
        settings = {"search.time_limit": 1, "report.without": "[measures, attack]"}
        publication = discreet.publish(policy, tmp_path / str(place), data=TABLES[name], settings=settings)
        assert publication.verdict.holds
        assert publication.result["rows"]["published"] > 0


def test_all_proposals_at_once_can_be_published(tmp_path: Path) -> None:
    """What fits a table by itself also fits it together."""
    data = TABLES["one is rare"]
    text = re.sub(r"^  # - \{", "  - {", inspect(data).policy_text, flags=re.MULTILINE)
    publication = discreet.publish(read(text), tmp_path / "out", data=data)
    assert len(publication.verdict.promise) == 7
    assert publication.verdict.holds


def test_without_a_secret_only_methods_are_proposed(tmp_path: Path) -> None:
    data = TABLES["numbers"].drop_columns(["salary"])
    found = lines_of(inspect(data).policy_text)
    assert [match[1] or match[2] for match in found] == ["mondrian", "k-member", "full-domain"]


def test_the_policy_as_it_stands_deletes_whole_groups() -> None:
    """The scheme is the safe one although it is not written: a line of a method alone has to be valid, too."""
    policy = inspect(TABLES["numbers"]).policy
    assert isinstance(policy, TablePolicy)
    assert policy.search.suppression == "all-rec"
    assert policy.search.method == "l-plus-optimize"
