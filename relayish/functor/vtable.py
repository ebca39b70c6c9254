"""The vtable of a functor class: for each node class, the handler that serves it.

Handlers are methods called ``visit_<kind>`` (or ``rewrite_<kind>``). They are looked up when the
class is defined, so that a misspelt one is an error there, and tabled per node class on first use,
along the node's class hierarchy, so that kinds declared later are served too: a ``PatternVar`` goes
to ``visit_pattern_var``, else to ``visit_pattern``, else to ``visit_node``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from relayish.errors import DeclarationError, suggest
from relayish.ir.node import Node, node_kinds

Handler = Callable[..., Any]  # Any: the arguments and the result are those of each functor

_F = TypeVar("_F", bound=Handler)

_ABSTRACT: Final = ("expr", "pattern", "type", "node")
_DEFAULT: Final = "_is_default_handler"


def default_handler(function: _F) -> _F:
    """Mark a handler of the library: it does what the engine does, so the engine may skip it."""
    setattr(function, _DEFAULT, True)
    return function


def check_handler_names(owner: type, prefix: str, allowed: Iterable[str] = ()) -> None:
    """Raise for methods of ``owner`` that start with ``prefix`` and name no node kind.

    Raises:
        DeclarationError: Naming the method and the nearest handler there is.
    """
    for name, member in owner.__dict__.items():
        if not name.startswith(prefix) or not callable(member) or name in allowed:
            continue
        kind = name.removeprefix(prefix)
        kinds = node_kinds()
        if kind in kinds or kind in _ABSTRACT:
            continue
        known = [prefix + k for k in (*kinds, *_ABSTRACT)] + list(allowed)
        raise DeclarationError(
            f"{owner.__name__}.{name} names no node kind{suggest(name, known)}; "
            f"methods called {prefix}* are handlers, helpers need another name"
        )


def find_handler(owner: type, prefix: str, kind: type[Node]) -> Handler | None:
    """Return what ``owner`` overrides for nodes of class ``kind``, or ``None``."""
    for ancestor in kind.__mro__:
        name = prefix + getattr(ancestor, "visit_name", "")
        handler = getattr(owner, name, None)
        if handler is not None and not hasattr(handler, _DEFAULT):
            return handler  # type: ignore[no-any-return]
        if ancestor is Node:
            return None
    return None


class VTable(dict[type[Node], Any]):  # Any: what `resolve` returns for each node class
    """A table from node class to whatever ``resolve`` makes of it, filled on first use."""

    __slots__ = ("_resolve",)

    def __init__(self, resolve: Callable[[type[Node]], object]) -> None:
        super().__init__()
        self._resolve = resolve

    def __missing__(self, kind: type[Node]) -> object:
        found = self[kind] = self._resolve(kind)
        return found
