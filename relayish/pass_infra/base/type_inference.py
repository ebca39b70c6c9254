"""Type inference for passes that ask for typed modules, by class of module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from relayish.errors import TypeInferenceError, UnknownKindError, indefinite
from relayish.ir.modules.module import AnyModule
from relayish.ir.registration.claimed_table import ClaimedTable

_M = TypeVar("_M", bound=AnyModule)

TYPE_INFERENCE: Final[ClaimedTable[type[AnyModule], Callable[[Any], Any]]] = ClaimedTable(
    lambda kind: f"the type inference of {kind.__name__} is registered already; it", "leave one out"
)
"""By class of modules, for classes below it too, what finds their types.  Any: a module of it

It returns a module with types; the module itself where it has them."""


def has_type_inference(kind: type[AnyModule]) -> bool:
    """Return whether the types of modules of class ``kind`` can be found."""
    return any(base in TYPE_INFERENCE for base in kind.__mro__)


def infer_types(mod: _M, what: str) -> _M:
    """Return ``mod`` with types.

    Args:
        mod: The module.
        what: What it is, to be noted on errors: ``"the pass is given"``.

    Raises:
        UnknownKindError: If nobody said how types of such modules are found.
        TypeInferenceError: If it is ill-typed.
    """
    for base in type(mod).__mro__:
        infer = TYPE_INFERENCE.get(base)
        if infer is None:
            continue
        try:
            typed: _M = infer(mod)
        except TypeInferenceError as error:
            error.add_note(f"found while typing what {what}")
            raise
        return typed
    raise UnknownKindError(
        f"nothing finds the types of {indefinite(type(mod))}, for what {what}; call "
        f"relay.transform.TYPE_INFERENCE.register({type(mod).__name__}, ...)"
    )
