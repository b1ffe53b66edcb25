"""Records that are alike in different groups: whoever reads the certificate, or verifies, is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import discreet
from demos import small_demo, with_sections

VALUES = {"model": "l-diversity", "l": 2}
SIZES = {"model": "k-anonymity", "k": 3}


@pytest.mark.parametrize(
    ("promise", "split", "told"), [(VALUES, True, True), (VALUES, False, False), (SIZES, True, False)]
)
def test_the_certificate_and_verify_say_so(promise: dict[str, Any], split: bool, told: bool, tmp_path: Path) -> None:
    search = {"method": "k-member", "split": split}
    policy = with_sections(small_demo("table", tmp_path), privacy=promise, search=search)
    publication = discreet.publish(policy, tmp_path / "out", seed=1)
    certificate = json.loads((publication.release / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["method"].get("split", False) is told
    verdict = discreet.verify(publication.folder)
    assert verdict.holds
    assert any("takes the records of a group for exchangeable" in note for note in verdict.notes) is told
    attack = discreet.attack(publication.folder, seed=1)
    assert attack["expulsion"]["applies"] or not told or "Of nobody" in attack["expulsion"]["reading"]
