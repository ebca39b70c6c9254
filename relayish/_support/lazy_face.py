"""Lazy packages: names that are loaded from the modules they live in when they are first asked for.

Importing a module of such a package then imports no other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from relayish._support.missing import find_missing
from relayish.errors import suggest

_FACES: Final[dict[str, Mapping[str, str]]] = {}
"""By package: the module that each of its names lives in."""


class LazyPackage(ModuleType):
    """A package whose names may be those of modules in it: ``infer_type`` stays the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and name in _FACES[self.__name__]:
            return  # the import of a module, which is found by the import system all the same
        super().__setattr__(name, value)


def set_face(
    package: str, names: Mapping[str, Iterable[str]], others: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Let a package have names without importing anything; return its ``__all__``, sorted.

    Type checkers read the names from the stub beside, which is generated from the table.

    Args:
        package: The package.
        names: By module: what the package has from there; under its own name, its modules.
        others: By what people may call it, whom nobody corrects: the name of something.
    """
    _FACES[package] = {name: module for module, found in names.items() for name in found}
    sys.modules[package].__class__ = LazyPackage
    known = tuple(sorted(_FACES[package]))

    def __getattr__(name: str) -> Any:  # noqa: N807 - that of a module; Any: whatever goes by it
        found = _load_name(package, (others or {}).get(name, name))
        if found is not None:
            return found
        near = suggest(name, known)
        return find_missing(package, name, f"module {package!r} has no attribute {name!r}{near}")

    vars(sys.modules[package]).update(__getattr__=__getattr__, __dir__=lambda: [*known])
    return known


def _load_name(package: str, name: str) -> Any | None:  # Any: whatever it is
    """Return what a package has under a name, which it finds by itself from now on.

    Returns:
        ``None`` if it has no such name.
    """
    module = _FACES[package].get(name)
    if module is None:
        return None
    if module == package:
        found = import_module(f"{package}.{name}")
    else:
        found = getattr(import_module(module), name)
    sys.modules[package].__dict__[name] = found
    return found
