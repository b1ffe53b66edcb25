"""Costs whose common denominator does not fit 64 bits are rounded, and a finished proof is still called one."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa

import discreet

LEAVES = (102, 104, 108, 110, 114, 128, 132, 138, 140)
"""One less each is what lm divides by: primes, whose product has more than 60 bits."""


def test_a_finished_proof_is_called_optimal_up_to_the_rounding(tmp_path: Path) -> None:
    draw = random.Random(1)
    columns = {
        f"q{place}": [str(draw.choice((0, 1, leaves - 1))) for _ in range(60)] for place, leaves in enumerate(LEAVES)
    }
    columns["s"] = [draw.choice("abc") for _ in range(60)]
    taxonomy = [{"intervals": [leaves // 2, leaves], "start": 0, "end": leaves} for leaves in LEAVES]
    roles = {f"q{place}": {"role": "quasi-identifier", "taxonomy": each} for place, each in enumerate(taxonomy)}
    policy = {
        "data": {},
        "attributes": {**roles, "s": {"role": "sensitive"}},
        "privacy": {"model": "l-diversity", "l": 2},
    }
    result = discreet.publish(discreet.Policy.parse(policy), tmp_path / "out", data=pa.table(columns)).result
    assert result["status"] == "optimal"
    assert 0 < result["rounding"] < 1e-9
    assert result["gap"] <= result["rounding"]
