"""Compiles the loops of every method that is registered, once, before several processes would each compile them."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from demos import going_with, small_demo
from discreet.kinds import KINDS
from discreet.policy import Policy
from discreet.policy.promises import written_promise


def compile_methods(kind: str, names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = small_demo(kind, Path(folder))
        for name in names:
            for promise in KINDS[kind].methods()[name].warmed_up_by:
                written = going_with(KINDS[kind].methods()[name], Policy.load(path).as_dict())
                asked = {"privacy": written_promise(promise), "search": {"method": name}}
                KINDS[kind].warm_up(Policy.parse(written | asked))


def compile_all() -> None:
    """Methods that keep the same promise share most of their loops, so one process takes all of them."""
    together: dict[tuple[str, str], list[str]] = defaultdict(list)
    for kind in KINDS.values():
        for name, method in kind.methods().items():
            if method.warmed_up_by:
                together[kind.name, method.warmed_up_by[0].name].append(name)
    with ProcessPoolExecutor() as processes:
        done = [processes.submit(compile_methods, kind, names) for (kind, _), names in together.items()]
        for each in done:
            each.result()


if __name__ == "__main__":
    compile_all()
