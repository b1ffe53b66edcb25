"""docs/reference.md is what the code says today, and what it says of files is what is written."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import discreet
from discreet.kinds import KINDS, Kind
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


def registered(kind: Kind) -> dict[str, Any]:
    """What a kind of data has, by what it is called."""
    return {
        "promise": kind.models(),
        "loss": kind.losses(),
        "method": kind.methods(),
        "measure": kind.measures(),
        "attack": kind.attacks(),
    }


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_all_that_is_registered_is_told(make_reference: ModuleType, kind: Kind) -> None:
    reference = make_reference.reference()
    rows = [line for line in reference.splitlines() if f"| {kind.name} |" in line]
    for registry in (kind.models(), kind.losses(), kind.methods()):
        for name, entry in registry.items():
            assert any(row.startswith(f"| `{name}` |") and row.endswith(f"| {entry.paper} |") for row in rows), name
    text = " ".join(reference.split())
    for vocabulary in kind.vocabularies():
        for name, (meaning, paper) in vocabulary.meanings.items():
            assert f"| `{name}` | {meaning} | {paper} |" in text
    for method in kind.methods().values():
        assert method.summary in text
        for option in method.options:
            default = str(option.default).lower() if isinstance(option.default, bool) else option.default
            assert f"`{option.name}`: {option.text} (default `{default}`)" in text
    for name, measure in kind.measures().items():
        assert f"#### {measure.title} {measure.definition} Name: `{name}`. Unit: {measure.unit}." in text
    for name, attack in kind.attacks().items():
        assert f"#### {name} {attack.summary} Paper: {attack.paper}." in text
    for section in (kind.policy(), *kind.policy().sections().values()):
        for key, field in section.model_fields.items():
            assert re.search(rf"\| `{key}` \| [^|]+ \| [^|]+ \| {re.escape(field.description)} \|", text), key


def test_what_writes_it_names_nothing_that_is_registered() -> None:
    """A new promise, method, measure or kind of data comes into it by being registered, and not in any other way."""
    tree = ast.parse((HOME / "docs" / "make_reference.py").read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    for kind in KINDS.values():
        assert not any(re.search(rf"`{kind.name}`|\bkind {kind.name}\b", text) for text in texts)
        assert not any(module.endswith(f".{kind.name}") for module in modules)
        for registry in registered(kind).values():
            for name in registry:
                assert name not in texts
                assert not any(f"`{name}`" in text for text in texts)
                assert not any(module.endswith(f".{name.replace('-', '_')}") for module in modules)


def test_every_attack_on_a_table_is_a_part_of_the_document(make_reference: ModuleType, tmp_path: Path) -> None:
    discreet.publish(HOSPITAL, tmp_path / "out")
    kind = KINDS["table"]
    assert files_in(tmp_path / "out", kind.files) == set(kind.files)
    document = discreet.attack(tmp_path / "out")
    told = {name for name, part in document.items() if isinstance(part, dict)} - {"knowing_the_method"}
    assert told == set(kind.attacks())
    assert files_in(tmp_path / "out", kind.files) == set(kind.files) | set(make_reference.FILES["attack"])


def test_every_attack_on_sets_is_a_part_of_the_document(tmp_path: Path) -> None:
    document = publish_baskets(tmp_path, "insertion")["attack"]
    told = {name for name, part in document.items() if isinstance(part, dict) and "reading" in part}
    assert told == set(KINDS["transactions"].attacks())


def test_publishing_sets_writes_what_is_said(tmp_path: Path) -> None:
    """What only some methods write is said to be theirs."""
    files = KINDS["transactions"].files
    publish_baskets(tmp_path, "og")
    alike = files_in(tmp_path / "og", files)
    publish_baskets(tmp_path, "permutation")
    grouped = files_in(tmp_path / "permutation", files)
    assert alike | grouped == set(files)
    assert grouped - alike == {file for file, holds in files.items() if "`permutation` only" in holds}
    assert alike - grouped == {
        file for file, holds in files.items() if holds.startswith(("with methods", "with the same methods"))
    }


def test_a_comparison_writes_what_is_said(make_reference: ModuleType, tmp_path: Path) -> None:
    discreet.compare(HOSPITAL, {"privacy.thresholds": ["1/2", "1/3"]}, tmp_path / "comparison")
    assert files_in(tmp_path / "comparison", ()) == set(make_reference.FILES["compare"])
    [columns, *_] = (tmp_path / "comparison" / "comparison.csv").read_text(encoding="utf-8").splitlines()
    said = ", ".join(f"`{column}`" for column in columns.split(",")[1:])
    assert f"kind table: the keys that vary, {said}." in " ".join(make_reference.reference().split())


def files_in(folder: Path, described: Iterable[str]) -> set[str]:
    """Every file, by the pattern that describes it where there is one."""
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {next((pattern for pattern in described if fnmatch(file, pattern)), file) for file in files}
