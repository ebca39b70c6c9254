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
