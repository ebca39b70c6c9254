"""The library under the names of TVM: ``import relayish.tvm as tvm``.

Every name of ``relayish`` is here, and is the same object, but for what evaluates: results and
parameters have ``numpy()``. TVM has Relay in several modules, ``tvm.relay``, ``tvm.relay.expr`` and
``tvm.runtime`` among them; here those are one, this one, so that ``from relayish.tvm import relay``
and ``from relayish.tvm.relay.expr_functor import ExprMutator`` read as they read there.
"""

from __future__ import annotations

# under other names: relay.Any is the dimension
import importlib as _importlib
import sys as _sys
import typing as _typing

from relayish._support.missing import find_missing as _find_missing
from relayish.tvm import finder as _finder
from relayish.tvm.names import MODULES as _MODULES
from relayish.tvm.names import NAMES as _NAMES


def __getattr__(name: str) -> _typing.Any:  # Any: whatever goes by the name
    if name in _MODULES:
        return _importlib.import_module(_MODULES[name])
    if name in _NAMES:
        module, there = _NAMES[name]
        return getattr(_importlib.import_module(module), there)
    try:
        found = getattr(_sys.modules["relayish"], name)
    except AttributeError as error:
        return _find_missing(__name__, name, str(error))
    if not name.startswith("_"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_sys.modules["relayish"]), *_MODULES, *_NAMES})


if _finder.Finder not in _sys.meta_path:
    _sys.meta_path.insert(0, _finder.Finder)  # before those that look for files
