"""The machine, and how much of its memory was used."""

from __future__ import annotations

import os
import platform
import re
import resource
from datetime import date
from importlib.metadata import version
from pathlib import Path

import discreet

LIBRARIES = ("numpy", "numba", "duckdb")


def machine() -> str:
    """The machine and the versions, in one line."""
    cpuinfo = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.+)$", cpuinfo.read_text(), re.MULTILINE) if cpuinfo.exists() else None
    processor = model[1].strip() if model else platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{processor}, {os.cpu_count()} cores, {memory / 1e9:.0f} GB, {platform.system()}; discreet "
        f"{discreet.__version__}, Python {platform.python_version()}, {versions}; {date.today().isoformat()}"
    )


def peak_memory() -> float:
    """The most memory this process has held at a time, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        # getrusage would count what the parent held when it started this process.
        peak = re.search(r"^VmHWM:\s*(\d+) kB$", status.read_text(), re.MULTILINE)
        if peak:
            return int(peak[1]) * 1024 / 1e6
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
