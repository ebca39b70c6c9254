"""The library under the names of ``tvm.relay``: ``from relayish import relay``.

Every name of ``relayish`` is here, and is the same object, but for ``create_executor``, whose
results have ``numpy()``. The modules of ``tvm.relay`` are here too, so that
``from tvm.relay.expr_functor import ExprMutator`` needs another first word and nothing else.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

from relayish._support.absent import advice, missing_name
from relayish.relay import aliases

aliases.install()

_ROOT: Final = __name__.rpartition(".")[0]
_HERE: Final = {
    "Prelude": "relayish.prelude",
    "ShapeVar": "relayish.relay.ty",
    "create_executor": "relayish.relay.build_module",
}
"""What is not in ``relayish`` itself, or another thing there, by the module that has it."""


def __getattr__(name: str) -> Any:  # Any: whatever goes by the name
    if name in aliases.OWN:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HERE:
        return getattr(importlib.import_module(_HERE[name]), name)
    if advice(__name__, name) is not None:
        raise missing_name(__name__, name, "")
    try:
        found = getattr(sys.modules[_ROOT], name)
    except AttributeError as error:
        raise missing_name(_ROOT, name, str(error)) from None
    if not name.startswith("_"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(sys.modules[_ROOT]), *aliases.OWN} - {"aliases"})
