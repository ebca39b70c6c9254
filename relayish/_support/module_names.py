"""Modules under the names that TVM has for them: what a finder asked last answers.

It is asked for what is no file here. What another module here has in it is found there
(``relayish.ir.expr`` is ``relayish.ir``), and of what relayish has not it is said what to write.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

_ROOT: Final = __name__.partition(".")[0]

_WITHIN: Final = {
    "analysis": "analysis annotated_regions call_graph count_layers feature",
    "error": "base",
    "ir": "adt affine_type base container expr function op tensor_type type type_relation",
    "op": "algorithm reduce transform",
    "runtime": "container object params",
    "target": "target",
    "testing": "py_converter utils",
    "tir": "expr",
}
"""By the name of a module, modules within that one in TVM, whose names are all in the one here."""

_ELSEWHERE: Final = {
    "_ffi": "error",
    "frontend.common": "frontend",
    "transform.fake_quantization_to_integer": "op",
    "transform.mixed_precision": "op",
    "transform.recast": "transform",
}

OTHER_NAMES: Final = {
    f"{_ROOT}.{name}": f"{_ROOT}.{module}"
    for name, module in (
        *(
            (f"{module}.{name}", module)
            for module, names in _WITHIN.items()
            for name in names.split()
        ),
        *_ELSEWHERE.items(),
    )
}
"""The module here, by its name in TVM as it would be in relayish."""


def find_other(module: str, name: str) -> ModuleType | None:
    """Return the module that is ``name`` in ``module`` for TVM; ``None`` if there is none."""
    there = OTHER_NAMES.get(f"{module}.{name}")
    return None if there is None else importlib.import_module(there)


class Loader:
    """Gives the import system a module that is loaded already, and leaves it as it is."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002 - the import system's
        """Return the module."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Undo what the import system wrote into the module."""
        module.__spec__ = self._spec


def spec_of(fullname: str, module: ModuleType) -> ModuleSpec:
    """Return the spec by which ``module`` is imported as ``fullname`` too."""
    return ModuleSpec(fullname, Loader(module))  # type: ignore[arg-type]  # a loader by what it does


def find_spec(fullname: str) -> ModuleSpec | None:
    """Return the spec of the module called ``fullname``; ``None`` if it is none of these.

    Raises:
        MissingImportError: If TVM has such a module, and relayish not.
    """
    parent, _, name = fullname.rpartition(".")
    above = sys.modules.get(parent)
    if above is None:
        return None
    found = find_other(above.__name__, name)
    if found is None:
        importlib.import_module(f"{_ROOT}._support.absent").refuse_import(parent, above, name)
        found = getattr(above, name, None)
    if isinstance(found, ModuleType) and found.__name__.startswith(f"{_ROOT}."):
        return spec_of(fullname, found)
    return None
