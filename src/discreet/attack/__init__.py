"""Simulated adversaries against a released table, each with its baseline."""

import sys
from types import ModuleType
from typing import Any

from discreet.attack.tables import Known, attack_tables

__all__ = ["Known", "attack_tables"]


class _AttackStage(ModuleType):
    """`discreet.attack` names this stage and the public function: calling the one is calling the other."""

    def __call__(self, *arguments: Any, **named: Any) -> dict[str, Any]:
        from discreet.attacking import attack

        return attack(*arguments, **named)


sys.modules[__name__].__class__ = _AttackStage
