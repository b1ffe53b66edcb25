"""k-member where there is nothing to move."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import discreet


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("labels", ["nodes", "ranges"])
def test_annealing_has_nothing_to_do_where_every_combination_is_lawful(
    tmp_path: Path, split: bool, labels: str
) -> None:
    policy = discreet.Policy.parse(
        {
            "data": {},
            "attributes": {"q": {"role": "quasi-identifier", "labels": labels}},
            "privacy": {"model": "k-anonymity", "k": 2},
            "search": {"method": "k-member", "split": split, "time_limit": 0.1},
        }
    )
    publication = discreet.publish(policy, tmp_path / "out", data=pa.table({"q": ["x", "x", "x", "y", "y"]}))
    assert publication.result["loss"]["cost"] == 0
    assert publication.verdict.partitions == 2
