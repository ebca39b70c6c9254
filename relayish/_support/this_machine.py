"""The machine that runs this: what its processor can do, the folder of what was made for it."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from pathlib import Path
from typing import Final

VARIABLE: Final = "RELAYISH_CACHE"
"""The variable of the environment that names the folder."""


def cache_folder() -> Path:
    """Return the folder of compiled code: what the environment names, or the user's cache."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "relayish"


@lru_cache(maxsize=1)
def processor() -> str:
    """Return what this processor can do, which code that is compiled for it needs."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return " ".join(os.uname()[3:]) if hasattr(os, "uname") else ""
    told = [line for line in lines if line.startswith(("flags", "Features", "model name"))]
    return "\n".join(sorted(set(told)))


@lru_cache(maxsize=1)
def processor_name() -> str:
    """Return what the processor is called."""
    for line in processor().splitlines():
        name, _, told = line.partition(":")
        if name.strip() == "model name":
            return told.strip()
    return platform.processor() or platform.machine()
