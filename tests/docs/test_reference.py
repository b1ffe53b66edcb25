"""docs/reference.md is what the code says today, and what it says of files is what is written."""

from __future__ import annotations

import importlib.util
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

import discreet
from pages.baskets import publish_baskets

HOME = Path(__file__).resolve().parents[2]
HOSPITAL = HOME / "examples" / "hospital" / "policy.yaml"


@pytest.fixture(scope="module")
def make_reference() -> ModuleType:
    found = importlib.util.spec_from_file_location("make_reference", HOME / "docs" / "make_reference.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_reference_is_current(make_reference: ModuleType) -> None:
    written = make_reference.REFERENCE.read_text(encoding="utf-8")
    assert written == make_reference.reference(), "run `python docs/make_reference.py`"


def test_nothing_in_it_changes_from_run_to_run(make_reference: ModuleType) -> None:
    text = make_reference.reference()
    assert " at 0x" not in text
    assert str(HOME) not in text
    assert "PosixPath" not in text


def test_every_attack_is_a_part_of_the_document(make_reference: ModuleType, tmp_path: Path) -> None:
    discreet.publish(HOSPITAL, tmp_path / "out")
    document = discreet.attack(tmp_path / "out")
    assert set(make_reference.ATTACKS) <= set(document)
    told = {name for name, part in document.items() if isinstance(part, dict)}
    assert told == set(make_reference.ATTACKS)
    assert files_in(tmp_path / "out") == described(make_reference, "publish") | described(make_reference, "attack")


def test_every_attack_on_sets_is_a_part_of_the_document(make_reference: ModuleType, tmp_path: Path) -> None:
    document = publish_baskets(tmp_path, "insertion")["attack"]
    told = {name for name, part in document.items() if isinstance(part, dict) and "reading" in part}
    assert told == set(make_reference.ATTACKS_ON_SETS)


def test_a_comparison_writes_what_is_said(make_reference: ModuleType, tmp_path: Path) -> None:
    discreet.compare(HOSPITAL, {"privacy.thresholds": ["1/2", "1/3"]}, tmp_path / "comparison")
    assert files_in(tmp_path / "comparison") == described(make_reference, "compare")


def files_in(folder: Path) -> set[str]:
    """Every file; taxonomies, one for each column, as one entry."""
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pattern = "release/taxonomies/*.csv"
    return {pattern if fnmatch(file, pattern) else file for file in files}


def described(make_reference: ModuleType, command: str) -> set[str]:
    return set(make_reference.FILES[command])
