"""discreet: publish data about people and keep a stated promise of privacy.

>>> import discreet
>>> publication = discreet.publish("policy.yaml", "out")     # doctest: +SKIP
>>> discreet.verify("out").holds                             # doctest: +SKIP
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.attacking import attack
    from discreet.comparing import compare
    from discreet.errors import DiscreetError, InputError, NoReleaseError, PromiseBrokenError
    from discreet.inspecting import Inspection, inspect
    from discreet.policy import Policy
    from discreet.publishing import Publication, publish
    from discreet.taxonomy import Cut, Taxonomy
    from discreet.verify import verify_release as verify

__version__ = "0.1.0"

_HOMES = {
    "Cut": "discreet.taxonomy",
    "DiscreetError": "discreet.errors",
    "InputError": "discreet.errors",
    "NoReleaseError": "discreet.errors",
    "Inspection": "discreet.inspecting",
    "Policy": "discreet.policy",
    "PromiseBrokenError": "discreet.errors",
    "Publication": "discreet.publishing",
    "Taxonomy": "discreet.taxonomy",
    "attack": "discreet.attack",
    "compare": "discreet.comparing",
    "inspect": "discreet.inspecting",
    "publish": "discreet.publishing",
    "verify": "discreet.verify",
}

_STAGES = ("attack", "verify")
"""Names of a function and of the package behind it at once: the package can be called."""

__all__ = [
    "Cut",
    "DiscreetError",
    "InputError",
    "Inspection",
    "NoReleaseError",
    "Policy",
    "PromiseBrokenError",
    "Publication",
    "Taxonomy",
    "__version__",
    "attack",
    "compare",
    "inspect",
    "publish",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first used, so that `import discreet` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = import_module(_HOMES[name])
    return module if name in _STAGES else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
