"""Commands by name, each of which is imported when it is the one asked for.

So ``relayish --help`` needs neither numpy nor the intermediate representation.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Final

COMMANDS: Final = {
    "optimize": "relayish.cli.optimize",
    "compile": "relayish.cli.compile",
    "tune": "relayish.cli.tune",
    "show": "relayish.cli.show",
    "diff": "relayish.cli.diff",
    "opt": "relayish.cli.opt",
    "drive": "relayish.cli.drive",
    "passes": "relayish.cli.passes",
    "domains": "relayish.cli.domains",
    "print": "relayish.cli.print",
    "b2c": "relayish.cli.b2c",
    "check": "relayish.cli.check",
    "analyse": "relayish.cli.analyse",
    "bisect": "relayish.cli.bisect",
    "completion": "relayish.cli.completion",
    "stubs": "relayish.cli.stubs",
}


def load_command(name: str) -> ModuleType:
    """Return the module of a command, with its ``run``, and ``RESULT`` where it tells JSON."""
    return importlib.import_module(COMMANDS[name])
