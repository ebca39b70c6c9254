"""Faces: the names that a package has from the modules in it, each told once, by its import."""

from __future__ import annotations

import sys
from types import ModuleType


def imported_names(package: str, *modules: str) -> list[str]:
    """Return the public names of a package that is being imported, sorted: its ``__all__``.

    What it needs for itself alone, it imports under a name that begins with ``_``. Type checkers
    read the names from the stub beside, which is generated from the imports.

    Args:
        package: The name of the package.
        modules: The modules in it that are names of its own; others are loaded by the way.

    Example:
        >>> import relayish.dataflow.analyses
        >>> "Liveness" in imported_names("relayish.dataflow.analyses")
        True
    """
    held = vars(sys.modules[package]).items()
    found = [each for each, value in held if not isinstance(value, ModuleType) and each[0] != "_"]
    return sorted((*found, *modules))
