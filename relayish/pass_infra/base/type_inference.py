"""Type inference for passes that ask for typed modules, by class of module.

A pass that is given types and changes nothing returns the module that it was given, without them.
So in a sequence of passes the types found last are handed on to the next that asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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
            typed = hand_on_types(mod, infer)
        except TypeInferenceError as error:
            error.add_note(f"found while typing what {what}")
            raise
        return typed
    raise UnknownKindError(
        f"nothing finds the types of {indefinite(type(mod))}, for what {what}; call "
        f"relay.transform.TYPE_INFERENCE.register({type(mod).__name__}, ...)"
    )


def hand_on_types(mod: _M, infer: Callable[[_M], _M]) -> _M:
    """Return ``infer(mod)``, from the passes before where they found the types of this module.

    Types rest on the module, which never changes, and on what operators and kinds have declared: so
    they are handed on within a sequence of passes alone, and forgotten with it.
    """
    handed = _HANDED.get()
    if handed is None:
        return infer(mod)
    if handed.given is not mod:
        handed.typed = infer(mod)
        handed.given = mod
    typed: _M = handed.typed
    return typed


@contextmanager
def types_handed_on() -> Iterator[None]:
    """Hand types on from pass to pass while the block, and each block inside, runs."""
    if _HANDED.get() is not None:
        yield
        return
    before = _HANDED.set(_Handed())
    try:
        yield
    finally:
        _HANDED.reset(before)


class _Handed:
    """The module whose types were found last in a sequence of passes, and that with types."""

    given: AnyModule | None = None
    typed: Any = None  # Any: of the class of the given one


_HANDED: Final[ContextVar[_Handed | None]] = ContextVar("types handed on", default=None)
