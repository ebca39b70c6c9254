"""The stubs of what is made of declarations: kinds, handlers, operators, passes.

python -m tools.stubs                # the modules of kinds: mypy sees their stubs, not them
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import relayish.core
import relayish.dataflow_pattern
import relayish.onnx.types
from relayish.ir.nodes.node import Node
from relayish.stubs.handlers import LOOPS, RELAY, handler_stub
from relayish.stubs.kinds import stub_of_kinds
from relayish.stubs.operators import DOMAINS, face_stub, operator_stubs
from relayish.stubs.passes import own_passes, transform_stub
from tools.generated import ROOT, Generated

PACKAGE: Final = ROOT / "relayish"
FACE: Final = PACKAGE / "__init__.pyi"
TRANSFORM: Final = PACKAGE / "transform" / "__init__.pyi"
_LOADED: Final = (relayish.core, relayish.dataflow_pattern, relayish.onnx.types)


def modules_of_kinds() -> list[str]:
    """Return the modules of relayish that declare kinds of nodes or families, but for Node's."""
    found = set[str]()
    pending = [Node]
    while pending:
        below = pending.pop().__subclasses__()
        pending += below
        found.update(kind.__module__ for kind in below)
    return sorted(name for name in found if name.startswith("relayish."))


def _path(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".pyi")


def _stub(module: str) -> str:
    return stub_of_kinds(importlib.import_module(module))


def _face() -> str:
    names = {*vars(relayish)["__all__"], *DOMAINS}
    return face_stub(FACE.read_text(encoding="utf-8"), operator_stubs(names))


def _files() -> Iterator[Generated]:
    for module in modules_of_kinds():
        yield Generated(_path(module), partial(_stub, module))
    for handlers in (RELAY, LOOPS):
        yield Generated(PACKAGE / handlers.path, partial(handler_stub, handlers))
    yield Generated(FACE, _face)
    yield Generated(TRANSFORM, lambda: transform_stub(own_passes()))


GENERATED: Final = tuple(_files())

if __name__ == "__main__":
    for module in modules_of_kinds():
        print(_path(module).with_suffix(".py").relative_to(ROOT))
