"""Entry points: what installed distributions say is to be imported, for some group of things."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

from relayish.errors import PackageError


class EntryPoints:
    """The entry points of a group, each of which is loaded once.

    An entry point names a module, or an object in one, whose import registers things.

    Args:
        group: The group, ``"relayish.domains"``.
        what: What is registered, for errors: ``"domains"``.
        error: The class of the error that one cannot be loaded.
    """

    def __init__(
        self, group: str, what: str, error: Callable[[str], Exception] = PackageError
    ) -> None:
        self.group: Final = group
        self.what: Final = what
        self._error = error
        self._found: tuple[Any, ...] | None = None  # Any: entry points, loaded only here
        self._begun: set[Any] = set()

    def load(self, *names: str) -> bool:
        """Load the entry points of these names, or all where none is given.

        What is being loaded further out, or was loaded before, is left alone.

        Returns:
            Whether there were any to load.

        Raises:
            Exception: Of the class given, if one cannot be loaded; names it and its distribution.
        """
        found = [
            each
            for each in self._find()
            if each not in self._begun and (not names or each.name in names)
        ]
        for each in found:
            if each in self._begun:  # one before it has loaded it
                continue
            self._begun.add(each)
            try:
                each.load()
            except Exception as error:
                self._begun.discard(each)
                owner = each.dist.name if each.dist is not None else "a distribution"
                raise self._error(
                    f"cannot load the {self.what} that {owner} adds through entry point "
                    f"{each.name} = {each.value}: {type(error).__name__}: {error}; "
                    f"repair or uninstall it"
                ) from error
        return bool(found)

    def _find(self) -> tuple[Any, ...]:  # Any: as above
        if self._found is None:
            self._found = tuple(_metadata().entry_points(group=self.group))
        return self._found


def has_entry_points(prefix: str) -> bool:
    """Return whether an installed distribution adds anything to a group that begins so.

    Nothing of it is loaded.
    """
    return any(group.startswith(prefix) for group in _metadata().entry_points().groups)


def _metadata() -> Any:  # Any: a module
    """Return what finds entry points.

    It is imported here because it costs 25 ms, which only those pay who ask for what is not
    relayish's own.
    """
    return importlib.import_module("importlib.metadata")
