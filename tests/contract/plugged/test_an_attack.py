"""An attack on transactions that lives in this module alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import discreet
from demos import small_demo
from discreet.attacks.attack import Attack
from discreet.attacks.transactions.attacks import TRANSACTION_ATTACKS, AttackedTransactions
from discreet.cli import main
from listed import is_listed


def longest(attacked: AttackedTransactions) -> dict[str, Any]:
    sizes = attacked.release.nodes.sizes
    alone = int(attacked.release.counts[sizes == sizes.max(initial=0)].sum())
    return {"applies": True, "alone": alone, "reading": f"{alone} transactions are the longest."}


def beyond(part: Mapping[str, Any]) -> str:
    return str(part["reading"])


LONGEST = Attack(
    "longest",
    "none: a test",
    "The adversary who knows who bought most.",
    longest,
    label="Longest",
    title="Knowing who bought most",
    question="Is there one longest transaction?",
    beyond=beyond,
)


def test_it_goes_all_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(TRANSACTION_ATTACKS, "longest", LONGEST)
    publication = discreet.publish(small_demo("transactions", tmp_path), tmp_path / "out", seed=1)
    found = publication.result["attack"]["longest"]
    assert found["applies"] and found["alone"] >= 1
    assert f"Beyond the promise: {found['reading']}" in publication.result["attack"]["reading"]
    page = publication.report.read_text()
    assert "Knowing who bought most" in page and "Is there one longest transaction?" in page
    capsys.readouterr()
    assert main(["attack", str(publication.folder)]) == 0
    assert f"Longest     {found['reading']}" in capsys.readouterr().out
    assert is_listed("longest", capsys)
