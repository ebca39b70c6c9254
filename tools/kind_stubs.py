"""The stubs of modules that declare kinds of nodes, with the constructors that kinds get.

python -m tools.kind_stubs           # which modules these are: mypy sees their stubs, not them
"""

from __future__ import annotations

import importlib
from functools import partial
from pathlib import Path
from typing import Final

import relayish.core
import relayish.dataflow_pattern
import relayish.onnx.types
import relayish.tir
from relayish.ir.nodes.node import Node
from relayish.stubs.kinds import stub_of_kinds
from tools.generated import ROOT, Generated

_LOADED: Final = (relayish.core, relayish.dataflow_pattern, relayish.onnx.types, relayish.tir)


def modules_of_kinds() -> list[str]:
    """Return the modules of relayish that declare kinds of nodes or families, but for Node's."""
    found = set[str]()
    pending = [Node]
    while pending:
        below = pending.pop().__subclasses__()
        pending += below
        found.update(kind.__module__ for kind in below)
    return sorted(name for name in found if name.startswith("relayish."))


def _stub(module: str) -> str:
    return stub_of_kinds(importlib.import_module(module))


def _path(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".pyi")


GENERATED = tuple(Generated(_path(module), partial(_stub, module)) for module in modules_of_kinds())

if __name__ == "__main__":
    for generated in GENERATED:
        print(generated.path.with_suffix(".py").relative_to(ROOT))
