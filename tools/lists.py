"""relayish/cli/lists.json, generated from what is registered: commands list it, shells complete it.

What the registries tell depends on what a process has imported, so one is asked that has imported
nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final
from unittest.mock import patch

from relayish.cli.lists import KINDS, PATH, describe
from tools.generated import ROOT, Generated


def _text() -> str:
    """Return what a process tells that is started for it."""
    words = [sys.executable, "-m", __name__]
    ran = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return ran.stdout


def _tell() -> str:
    """Return what is registered, each thing on a line of its own."""
    lists = []
    for kind in KINDS:
        lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in describe(kind))
        lists.append(f"{json.dumps(kind)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(lists) + "\n}\n"


GENERATED: Final = Generated(PATH, _text)

if __name__ == "__main__":
    with patch("importlib.metadata.entry_points", return_value=()):  # other packages' are not ours
        sys.stdout.write(_tell())
