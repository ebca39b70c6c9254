"""Type inference for passes that ask for typed modules, by class of module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from relayish.errors import TypeInferenceError, UnknownKindError, indefinite
from relayish.ir.claims import Claims
from relayish.ir.declarations import (
    Undo,
    changes_of,
    declared_temporarily,
    watch_declarations,
)
from relayish.ir.module import AnyModule

_M = TypeVar("_M", bound=AnyModule)

_INFER: Final[dict[type[AnyModule], Callable[[Any], Any]]] = {}  # Any: a module of the class
_CLAIMS: Final[Claims[type[AnyModule]]] = Claims()


def _watch(context: declared_temporarily) -> Undo:
    # what finds types may be older than the module that registers it
    return changes_of(_INFER, lambda kind, _: context.stays(_CLAIMS.module_of(kind)))


watch_declarations(_watch)


def register_type_inference(kind: type[_M], infer: Callable[[_M], _M]) -> None:
    """Say how the types of modules of class ``kind``, and of classes below it, are found.

    Args:
        kind: A class of modules.
        infer: Returns a module with types; the module itself where it has them.

    Raises:
        DuplicateNameError: If somebody else said that.
    """
    _CLAIMS.enter(
        kind,
        infer,
        f"the type inference of {kind.__name__} is registered already; it",
        taken=kind in _INFER,
        instead="leave one out",
    )
    _INFER[kind] = infer


def has_type_inference(kind: type[AnyModule]) -> bool:
    """Return whether the types of modules of class ``kind`` can be found."""
    return any(base in _INFER for base in kind.__mro__)


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
        infer = _INFER.get(base)
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
        f"relay.transform.register_type_inference({type(mod).__name__}, ...)"
    )
