"""The library under the names of ``tvm.relay``: ``from relayish import relay``.

Every name of ``relayish`` is here, and is the same object, but for ``create_executor``, whose
results have ``numpy()``. The modules of ``tvm.relay`` are here too, so that
``from tvm.relay.expr_functor import ExprMutator`` needs another first word and nothing else.
"""

from __future__ import annotations

# under other names: relay.Any is the dimension
import importlib as _importlib
import sys as _sys
import typing as _typing

from relayish._support import absent as _absent
from relayish.relay import aliases as _aliases

_aliases.install()

_ROOT: _typing.Final = __name__.rpartition(".")[0]


def __getattr__(name: str) -> _typing.Any:  # Any: whatever goes by the name
    if name in _aliases.OWN:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "create_executor":
        return _importlib.import_module(f"{__name__}.build_module").create_executor
    if _absent.advice(__name__, name) is not None:
        raise _absent.missing_name(__name__, name, "")
    try:
        found = getattr(_sys.modules[_ROOT], name)
    except AttributeError as error:
        raise _absent.missing_name(_ROOT, name, str(error)) from None
    if not name.startswith("_"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_sys.modules[_ROOT]), *_aliases.OWN} - {"aliases"})
