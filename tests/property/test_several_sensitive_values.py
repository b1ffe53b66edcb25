"""Several sensitive columns, several rows for a person, thresholds on categories: optimum = exhaustion."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import discreet
from discreet.engine import DuckDBEngine
from discreet.errors import NoReleaseError
from discreet.policy import TablePolicy
from discreet.search.table.l_plus_optimize import l_plus_optimize
from discreet.search.table.problem import release_of
from discreet.search.table.solve import encode, problem_of
from examples import examples
from oracle.people import optimum
from oracle.random_people import Case, several


@examples(200)
@given(several())
def test_the_optimum_is_that_of_exhaustion(case: Case) -> None:
    problem, written, table = case
    policy = discreet.Policy.parse(written)
    assert isinstance(policy, TablePolicy)
    with tempfile.TemporaryDirectory() as folder:
        engine = DuckDBEngine(Path(folder))
        try:
            encoding = encode(engine, policy, table).collapsed()
        finally:
            engine.close()
    expected = optimum(problem)
    asked = problem_of(policy, encoding)
    if expected is None:
        with pytest.raises(NoReleaseError):
            l_plus_optimize(asked)
        return
    result = l_plus_optimize(asked, random=np.random.default_rng(0))
    assert result.best.cost == expected and result.bound == expected and result.status == "optimal"
    assert release_of(asked, result.best.recoded).lawful


@examples(12)
@given(several())
def test_what_is_published_keeps_the_promise_by_the_verifier(
    case: Case,
) -> None:
    """publish has every release verified, and read back for its attacks; nobody is above a threshold by linking."""
    _, written, table = case
    with tempfile.TemporaryDirectory() as folder:
        try:
            published = discreet.publish(
                discreet.Policy.parse(written), Path(folder) / "out", data=table, seed=1, allow_empty=True
            )
        except NoReleaseError:
            return
        assert discreet.verify(published.folder).holds
        assert not published.result["attack"]["linkage"]["after"]["above_threshold"]
