"""A finder of imports: modules under the names that TVM has for them.

A module that it finds is the very one that has the shorter name, so nothing is loaded twice.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from relayish._support.missing import find_missing
from relayish.tvm.names import SAME

_HERE: Final = __name__.rpartition(".")[0]


def show_names_of(other: str, module: str) -> None:
    """Let ``module`` have the names of another one beside its own, also as modules within."""

    def __getattr__(name: str) -> Any:  # noqa: N807 - that of a module; Any: whatever goes by it
        if name.startswith("__"):  # which Python asks for
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            return getattr(importlib.import_module(other), name)
        except AttributeError as error:
            return find_missing(module, name, str(error))

    here = sys.modules[module]
    vars(here).update(dict.fromkeys(SAME.get(module, "").split(), here), __getattr__=__getattr__)


class Finder:
    """Finds modules by names that begin with those of this package."""

    @staticmethod
    def find_spec(
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG004 - the import system's
    ) -> ModuleSpec | None:
        """Return the spec of the module called ``fullname``; ``None`` if it is none of these."""
        if not fullname.startswith(f"{_HERE}."):
            return None
        parent, _, name = fullname.rpartition(".")
        above = sys.modules[parent]
        file = f"{above.__name__}.{name}"
        if fullname == file:
            spec = PathFinder.find_spec(fullname, path)
            if spec is not None and spec.has_location:  # no folder with stubs alone
                return spec
            found = None
        else:
            found = _module(file)
        if found is None:
            found = getattr(above, name, None)
        if not isinstance(found, ModuleType) or not found.__name__.startswith("relayish."):
            return None
        return ModuleSpec(fullname, _Loader(found))  # type: ignore[arg-type]  # by what it does


class _Loader:
    """Gives the import system a module that is loaded already, and leaves it as it is."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module; modules within that are the same one are there by now.

        Otherwise the import of one would put it in place of a function of that name.
        """
        for name in SAME.get(self._module.__name__, "").split():
            if find_spec(f"{self._module.__name__}.{name}") is None:
                sys.modules[f"{spec.name}.{name}"] = self._module
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Undo what the import system wrote into the module."""
        module.__spec__ = self._spec


def _module(name: str) -> ModuleType | None:
    """Return the module of that name; ``None`` if there is none."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
    return None
