"""discreet: publish data about people and keep a stated promise of privacy.

>>> import discreet
>>> publication = discreet.publish("policy.yaml", "out")     # doctest: +SKIP
>>> discreet.verify("out").holds                             # doctest: +SKIP
True
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.commands.attack import attack
    from discreet.commands.compare import compare
    from discreet.commands.inspect import inspect
    from discreet.commands.publish import Publication, publish
    from discreet.commands.verify import verify
    from discreet.errors import DiscreetError, InputError, NoReleaseError, PromiseBrokenError
    from discreet.policy import Policy
    from discreet.profile.table.inspection import Inspection
    from discreet.search.table.condensed_stream import CondensedStream
    from discreet.taxonomy import Cut, Taxonomy
    from discreet.verifier import ReleaseLimits

__version__ = "0.1.0"

_HOMES = {
    "CondensedStream": "discreet.search.table.condensed_stream",
    "Cut": "discreet.taxonomy",
    "DiscreetError": "discreet.errors",
    "InputError": "discreet.errors",
    "Inspection": "discreet.profile.table.inspection",
    "NoReleaseError": "discreet.errors",
    "Policy": "discreet.policy",
    "PromiseBrokenError": "discreet.errors",
    "Publication": "discreet.commands.publish",
    "ReleaseLimits": "discreet.verifier",
    "Taxonomy": "discreet.taxonomy",
    "attack": "discreet.commands.attack",
    "compare": "discreet.commands.compare",
    "inspect": "discreet.commands.inspect",
    "publish": "discreet.commands.publish",
    "verify": "discreet.commands.verify",
}
"""Public name -> the module that has it."""

__all__ = [
    "CondensedStream",
    "Cut",
    "DiscreetError",
    "InputError",
    "Inspection",
    "NoReleaseError",
    "Policy",
    "PromiseBrokenError",
    "Publication",
    "ReleaseLimits",
    "Taxonomy",
    "__version__",
    "attack",
    "compare",
    "inspect",
    "publish",
    "verify",
]


logging.getLogger(__name__).addHandler(logging.NullHandler())
"""What discreet does is told to the logger `discreet`, and nobody hears it who did not ask."""


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first used, so that `import discreet` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
