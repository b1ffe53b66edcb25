"""What has to be said of everything that is registered."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from discreet.cli import main

MAKER = Path(__file__).parents[1] / "docs" / "make_reference.py"


def is_listed(name: str, capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether `discreet list` and the reference name it."""
    capsys.readouterr()
    assert main(["list"]) == 0
    listed = name in {line.strip() for line in capsys.readouterr().out.splitlines()}
    specification = importlib.util.spec_from_file_location("make_reference", MAKER)
    assert specification is not None and specification.loader is not None
    maker = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(maker)
    reference = maker.reference()
    return listed and (f"`{name}`" in reference or f"#### {name}\n" in reference)
