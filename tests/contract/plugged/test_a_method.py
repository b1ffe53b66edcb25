"""A method for tables that lives in this module alone: local recoding, each group with labels of its own."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet
from demos import small_demo, with_sections
from discreet.methods.method import Option
from discreet.methods.table import TABLE_METHODS, TableMethod
from discreet.recode.table.recoded import ByRegions
from discreet.search.events import Listener, SearchEvent, ignore
from discreet.search.limits import Limits
from discreet.search.results import SearchResult
from discreet.search.table.problem import TableProblem, exact_cost
from discreet.taxonomy import Taxonomy
from listed import is_listed


def neighbours(
    problem: TableProblem,
    limits: Limits,
    random: np.random.Generator,
    listen: Listener = ignore,
    *,
    spare: int = 0,
) -> SearchResult:
    """Groups of neighbours in the order of their leaves, of k records and some to spare, at their common ancestors."""
    table = problem.table
    order = np.repeat(np.lexsort(table.leaves), table.counts[np.lexsort(table.leaves)])
    size = problem.demand.smallest + spare
    group_of = np.minimum(np.arange(len(order)) // size, max(0, len(order) // size - 1))
    nodes = [
        [
            _common(taxonomy, leaves[order[group_of == group]])
            for taxonomy, leaves in zip(table.taxonomies, table.leaves, strict=True)
        ]
        for group in range(int(group_of.max()) + 1)
    ]
    pairs, counts = np.unique(np.stack([order, group_of]), axis=1, return_counts=True)
    recoded = ByRegions(
        pairs[0].astype(np.int32), pairs[1].astype(np.int32), counts.astype(np.int64), np.array(nodes, np.int32)
    )
    cost = exact_cost(problem, recoded)
    event = SearchEvent(limits.seconds, cost, None, 1)
    listen(event)
    return SearchResult.ended(recoded, cost, limits, [event], {"groups": len(nodes)})


def _common(taxonomy: Taxonomy, leaves: Any) -> int:
    """The lowest node above all of these leaves."""
    node = int(taxonomy.leaf_nodes[leaves[0]])
    while taxonomy.first_leaf[node] > leaves.min() or taxonomy.stop_leaf[node] <= leaves.max():
        node = int(taxonomy.parents[node])
    return node


NEIGHBOURS = TableMethod(
    name="neighbours",
    paper="none: a test",
    summary="Neighbours in the order of their leaves.",
    function=neighbours,
    keeps=lambda model: model.about_size,
    options=(Option("spare", "how many more than k records a group has", 0, least=0),),
    rule=False,
    proves=False,
    details={"groups": "Groups of neighbours"},
    schemes=("none",),
    any_loss=True,
    relies_on_monotony=False,
    merges_chains=False,
)


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(TABLE_METHODS, "neighbours", NEIGHBOURS)
    search = {"method": "neighbours", "spare": 2}
    return with_sections(small_demo("table", tmp_path), privacy={"model": "k-anonymity", "k": 3}, search=search)


def test_it_goes_all_the_way(policy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    verdict = discreet.verify(publication.folder)
    assert verdict.holds and verdict.rows == 120
    assert any("group by group" in note for note in verdict.notes)
    certificate = json.loads((publication.release / "certificate.json").read_text())
    assert certificate["recoding"] == "local" and certificate["method"]["name"] == "neighbours"
    result = publication.result
    assert result["recoding"] == "local" and result["cuts"] == {} and result["status"] == "feasible"
    assert result["search"]["details"] == {"groups": 24}
    assert result["partitions"]["smallest"] >= 3
    assert not (publication.folder / "steward" / "recoding.json").exists()
    measured = {measure["name"] for measure in result["utility"]}
    assert {"lm", "queries", "association", "marginals", "classifier"} <= measured and "precision" not in measured
    assert "what became of each record" in result["not_measured"]["Precision (Prec)"]
    loss = next(measure for measure in result["utility"] if measure["name"] == "lm")
    assert loss["release"] == pytest.approx(result["loss"]["normalized"])
    attack = result["attack"]
    assert attack["linkage"]["after"]["unmatched"] == 0
    assert attack["risk"]["after"]["prosecutor"]["highest"] <= 1 / 3
    assert attack["risk"]["among_all_that_fit"]["prosecutor"]["average"] <= attack["risk"]["after"]["marketer"]
    assert "without looking at sensitive values" in attack["minimality"]["reading"]
    page = publication.report.read_text()
    assert "Groups of neighbours" in page and "release, by all that fit" in page
    assert discreet.attack(publication.folder)["linkage"] == attack["linkage"]
    assert discreet.verify(publication.folder).holds
    [row] = discreet.compare(policy, {"search.spare": [2]}, seed=1)
    assert row["status"] == "feasible" and row["partitions"] > 1
    assert is_listed("neighbours", capsys)


def test_every_record_is_published_once_at_nodes_above_its_values(policy: Any, tmp_path: Path) -> None:
    """The release has as many rows of each sensitive value as the original, in groups of at least k."""
    publication = discreet.publish(policy, tmp_path / "out")
    rows = [line.split(",") for line in (publication.release / "data.csv").read_text().splitlines()]
    assert policy.data.path is not None
    original = [line.split(",") for line in policy.data.path.read_text().splitlines()]
    for column in ("diagnosis", "ward", "discharged home"):
        there, here = original[0].index(column), rows[0].index(column)
        assert sorted(row[there] for row in original[1:]) == sorted(row[here] for row in rows[1:])


@pytest.mark.parametrize("name", ["place", "Lot", "rank", "c0", "number", "label", "stop"])
def test_a_column_may_be_called_like_one_of_the_engines_own(
    policy: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the original's column taken for ours, rows would come in its order, or to the wrong region."""
    people = [{"age": str(age % 7), name: f"{age:03}"} for age in range(60)]
    written = {
        "data": {},
        "attributes": {"age": {"role": "quasi-identifier"}, name: {"role": "insensitive"}},
        "privacy": {"model": "k-anonymity", "k": 3},
        "search": {"method": "neighbours"},
    }
    table = pa.table({key: [person[key] for person in people] for key in ("age", name)})
    orders = []
    for seed in (1, 2):
        publication = discreet.publish(discreet.Policy.parse(written), tmp_path / str(seed), data=table, seed=seed)
        rows = [line.split(",") for line in (publication.release / "data.csv").read_text().splitlines()[1:]]
        orders.append([row[1] for row in rows])
        assert sorted(orders[-1]) == sorted(person[name] for person in people)
    assert orders[0] != orders[1] and sorted(orders[0]) not in orders


def test_its_option_is_a_key_of_the_policy_and_of_no_other_method(policy: Any) -> None:
    assert policy.search.options() == {"spare": 2}
    with pytest.raises(discreet.InputError, match="only neighbours has it"):
        policy.with_settings({"search.method": "samarati"})
    with pytest.raises(discreet.InputError, match="not a whole number of at least 0"):
        policy.with_settings({"search.spare": -1})
    with pytest.raises(discreet.InputError, match="neighbours cannot keep l-diversity"):
        policy.with_settings({"privacy": "{model: l-diversity, l: 2}"})
    with pytest.raises(discreet.InputError, match="the method neighbours goes only with none"):
        policy.with_settings({"search.suppression": "vio-rec"})
    assert policy.with_settings({"search.loss": "dm"}).search.loss == "dm"
    assert policy.search.suppression == "none"
    assert Fraction(policy.search.alpha) == 0
