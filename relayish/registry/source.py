"""Sources of registries: code that registers passes, or analyses, when it is imported.

A registry stands below what it holds and names none of that. It is handed *sources*: a table that
says in which module each name is registered, or a group of entry points of installed
distributions. A source is imported the first time a name is asked for that is
not there yet, or when all are listed. relayish's own passes come the same way as everybody's:
``relayish.passes`` hands its table to the registry.
"""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Mapping

from relayish._support.entry_points import EntryPoints
from relayish.errors import PassError


class PassSource(ABC):
    """Something to import for what it registers; importing twice does nothing."""

    @abstractmethod
    def load_for(self, name: str) -> None:
        """Import what is likely to register ``name``, if that can be told from it."""

    @abstractmethod
    def load(self) -> None:
        """Import everything there is."""


class TableSource(PassSource):
    """A table from names, of passes and of checks, to the modules that register them.

    Args:
        package: The package in which the modules stand.
        table: Names of modules below the package: ``{"FoldConstant": "relay.fold.fold_constant"}``.
    """

    def __init__(self, package: str, table: Mapping[str, str]) -> None:
        self.package = package
        self.table = table

    def load_for(self, name: str) -> None:
        if name in self.table:
            importlib.import_module(f"{self.package}.{self.table[name]}")

    def load(self) -> None:
        for module in self.table.values():
            importlib.import_module(f"{self.package}.{module}")


class EntryPointSource(PassSource):
    """What installed distributions declare under a group of entry points.

    An entry point names a module (or an object in one) whose import registers passes, or ``what``
    else there are sources of.
    """

    def __init__(self, group: str, what: str = "passes") -> None:
        self.group = group
        self.what = what
        self._entry_points = EntryPoints(group, what, PassError)

    def load_for(self, name: str) -> None:
        """Do nothing: the name of a pass does not tell who has it."""

    def load(self) -> None:
        self._entry_points.load()
