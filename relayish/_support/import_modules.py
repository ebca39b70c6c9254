"""Importing all modules of a package whose modules register what they have."""

from __future__ import annotations

import importlib
import pkgutil
import sys


def import_modules(package: str) -> None:
    """Import the modules of a package, which imports itself, in the order of their names.

    Example:
        >>> import relayish.op.random, sys
        >>> import_modules("relayish.op.random")
        >>> "relayish.op.random.threefry" in sys.modules
        True
    """
    for module in pkgutil.iter_modules(sys.modules[package].__path__):
        importlib.import_module(f"{package}.{module.name}")


class WaitingModules:
    """The modules of a package, which are imported once something is asked that they register.

    Args:
        package: The package; it must be imported when they are.
    """

    __slots__ = ("_package", "_wait")

    def __init__(self, package: str) -> None:
        self._package = package
        self._wait = True

    def load(self) -> None:
        """Import them, if nobody has; no thread is told that they are there before they are."""
        if self._wait:
            import_modules(self._package)
            self._wait = False
