"""Modules that commands import, each set in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]

SCRIPT = """
import contextlib, io, json, sys
from relayish.cli import lists, main
lists.has_entry_points = lambda _prefix: False  # whatever is installed beside
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()):
        assert main.main(words) == 0, words
print(json.dumps([*sys.modules]))
"""


def imported_by(*commands: Sequence[str]) -> set[str]:
    """Return the modules that a process has imported which ran commands, one after the other."""
    words = [sys.executable, "-c", SCRIPT, json.dumps(commands)]
    ran = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    return set(json.loads(ran.stdout))


def own(modules: set[str], *parts: str) -> set[str]:
    """Return those of relayish, or of the parts of it that are named."""
    names = tuple([f"relayish.{part}." for part in parts] or ["relayish."])
    return {each for each in modules if f"{each}.".startswith(names)}
