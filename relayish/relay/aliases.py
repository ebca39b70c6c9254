"""Modules of relayish below ``relayish.relay``: ``relay.transform`` is ``relayish.transform``.

A finder of modules answers for names that begin with ``relayish.relay.`` and are no files there.
The module it finds is the very one that has the shorter name, so nothing is loaded twice.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

from relayish._support.module_names import spec_of

_HERE: Final = __name__.rpartition(".")[0]
_ROOT: Final = _HERE.rpartition(".")[0]


class AliasFinder:
    """Finds modules of relayish by their names below ``relayish.relay``."""

    @staticmethod
    def find_spec(
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG004 - the import system's
        target: ModuleType | None = None,  # noqa: ARG004 - likewise
    ) -> ModuleSpec | None:
        """Return the spec of the module called ``fullname``; ``None`` if it is none of these."""
        if not fullname.startswith(f"{_HERE}."):
            return None
        found = find_module(fullname.removeprefix(f"{_HERE}."))
        return None if found is None else spec_of(fullname, found)


def find_module(path: str) -> ModuleType | None:
    """Return the module of relayish that is ``relay.<path>`` in TVM, if it has another name here.

    TVM keeps what a package offers in a module within, which goes by the same name:
    ``relay.transform.transform`` is ``relay.transform``.
    """
    first, *inner = path.split(".")
    if first in OWN:
        return None
    module = _step(sys.modules[_ROOT], first)
    name = first
    for part in inner:
        if module is None:
            return None
        below = _step(module, part)
        module = module if below is None and part in (name, _INNER.get(name)) else below
        name = part
    return module


def _step(module: ModuleType, name: str) -> ModuleType | None:
    try:
        return importlib.import_module(f"{module.__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{module.__name__}.{name}":
            raise
    found = getattr(module, name, None)
    return found if isinstance(found, ModuleType) else None


OWN: Final = frozenset([file.name for file in pkgutil.iter_modules(sys.modules[_HERE].__path__)])
"""The modules that are files here."""

_INNER: Final = {"contrib": "register", "qnn": "op"}
"""By the name of a package, a further module in TVM whose names are all in the package here."""


def install() -> None:
    """Let the import system ask the finder, before those that look for files."""
    if AliasFinder not in sys.meta_path:
        sys.meta_path.insert(0, AliasFinder)
