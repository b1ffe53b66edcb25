"""Compiles the loops of every method that is registered, once, before several processes would each compile them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from demos import small_demo, with_sections
from discreet.kinds import KINDS
from discreet.policy.promises import written_promise


def compile_all() -> None:
    for kind in KINDS.values():
        with tempfile.TemporaryDirectory() as folder:
            path = small_demo(kind.name, Path(folder))
            for method in kind.methods().values():
                for promise in method.warmed_up_by:
                    kind.warm_up(with_sections(path, privacy=written_promise(promise), search={"method": method.name}))


if __name__ == "__main__":
    compile_all()
