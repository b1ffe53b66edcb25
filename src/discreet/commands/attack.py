"""Attacks on a folder that `publish` wrote: reads it and the original, and writes what the adversaries learn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.commands.page import render_html
from discreet.commands.publication import ATTACK, REPORT, RESULT, STEWARD
from discreet.commands.staging import write_whole
from discreet.commands.workspace import storage_errors, workspace
from discreet.errors import InputError
from discreet.kinds import kind_of
from discreet.policy import Policy
from discreet.values import steps
from discreet.values.steps import Watcher

__all__ = ["ATTACK", "attack"]


def attack(
    folder: str | Path,
    known: object = None,
    *,
    original: object = None,
    second: str | Path | None = None,
    seed: int | None = None,
    watch: Watcher = steps.ignore,
) -> dict[str, Any]:
    """Simulates adversaries against folder/release; what they learn is also written to folder/steward, as attack.json
    and into report.html.

    known: people whom the adversary knows, a file or data in memory: what is known about each, written as in the
    original; without it everybody in the original is known, or people and what is known about them are drawn. original:
    the data that were published, where they are not where the policy says. second: another release of the same data,
    for kinds that can compare two. seed: for what the attacks draw. watch: called with each step, as `attack 3 of 6`.
    """
    folder = Path(folder)
    result = _steward_result(folder)
    policy = _policy(folder, result)
    kind, random = kind_of(policy), np.random.default_rng(seed)
    with steps.watched(watch), workspace() as engine:
        steps.doing("reading the original and the release")
        document: dict[str, Any] = kind.attack_folder(engine, folder, policy, result, known, original, second, random)
    with steps.watched(watch):
        page = render_html(*kind.with_attack(result, document))
    steward = folder / STEWARD
    for name, text in {ATTACK: json.dumps(document, indent=2, ensure_ascii=False) + "\n", REPORT: page}.items():
        with storage_errors(steward / name):
            write_whole(steward / name, text, replace=True)
    return document


def _steward_result(folder: Path) -> Mapping[str, Any]:
    path = folder / STEWARD / RESULT
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{folder}: there is no steward/result.json, and an attack needs the steward's folder to know what is "
            "true; give the folder that publish wrote, with release/ and steward/."
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: this cannot be read ({str(error).rstrip('.')}); publish again.") from None
    except RecursionError:
        raise InputError(f"{path}: this is nested too deeply; publish again.") from None
    if not isinstance(result, Mapping) or not isinstance(result.get("policy"), Mapping):
        raise InputError(f"{path}: this is not a result of publish, it has no policy; publish again.")
    return result


def _policy(folder: Path, result: Mapping[str, Any]) -> Policy:
    try:
        return Policy.parse(result["policy"])
    except InputError as error:
        raise InputError(f"{folder / STEWARD / RESULT}: {error}") from None
