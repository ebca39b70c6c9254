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

_DEFAULT: Final = "_is_default_handler"


def default_handler(function: _F) -> _F:
    """Mark a handler of the library: it does what the engine does, so the engine may skip it."""
    setattr(function, _DEFAULT, True)
    return function


def is_default(handler: Handler) -> bool:
    """Return whether ``handler`` was marked as one of the library's."""
    return hasattr(handler, _DEFAULT)


def check_handler_names(
    owner: type, checked: type, prefix: str, allowed: Iterable[str] = ()
) -> None:
    """Raise for methods of ``owner`` that start with ``prefix`` and name no node kind.

    Methods of mix-ins count as well: bases not derived from ``checked``, so not looked at before.

    Raises:
        DeclarationError: Naming the method and the nearest handler there is.
    """
    for base in owner.__mro__:
        if base is not owner and issubclass(base, checked):
            continue
        for name, member in base.__dict__.items():
            if name.startswith(prefix) and callable(member) and name not in allowed:
                _check_handler_name(base, prefix, name, allowed)


def _check_handler_name(owner: type, prefix: str, name: str, allowed: Iterable[str]) -> None:
    kinds = node_kinds()
    if name.removeprefix(prefix) in kinds:
        return
    families = {a.visit_name for k in kinds.values() for a in k.__mro__ if issubclass(a, Node)}
    if name.removeprefix(prefix) in families:
        return
    known = [prefix + k for k in sorted(families)] + list(allowed)
    raise DeclarationError(
        f"{owner.__name__}.{name} names no node kind{suggest(name, known)}; "
        f"methods called {prefix}* are handlers, helpers need another name"
    )


def find_handler(owner: type, prefix: str, kind: type[Node]) -> Handler | None:
    """Return what ``owner`` overrides for nodes of class ``kind``, or ``None``."""
    for ancestor in kind.__mro__:
        name = prefix + getattr(ancestor, "visit_name", "")
        handler = getattr(owner, name, None)
        if handler is not None and not is_default(handler):
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
