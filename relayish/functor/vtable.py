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
from relayish.ir.language import languages, on_declaration
from relayish.ir.node import Node

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


def install_default(owner: type, prefix: str, default: Handler) -> None:
    """Give ``owner`` the handler ``default`` for every kind and family, declared by now or later.

    These are what ``super().visit_<kind>(node)`` finds; a handler written in ``owner`` stays.
    """
    assert is_default(default)

    def install(name: str) -> None:
        if prefix + name not in owner.__dict__:
            setattr(owner, prefix + name, default)

    on_declaration(install)


def check_handler_names(
    owner: type,
    checked: type,
    prefix: str,
    families: Iterable[type[Node]],
    allowed: Iterable[str] = (),
) -> bool:
    """Return whether ``owner`` has handlers of its own, refusing those that name no kind it meets.

    Methods of mix-ins count as well: bases not derived from ``checked``, so not looked at before.

    Args:
        owner: The class being defined.
        checked: The class that checks, whose subclasses were checked when they were defined.
        prefix: What the names of handlers begin with.
        families: The families of nodes it serves; handlers are those of their languages.
        allowed: Names that begin so and are no handlers.

    Raises:
        DeclarationError: Naming the method and the nearest handler there is.
    """
    known = handler_names(families)
    found = False
    for base in owner.__mro__:
        if base is not owner and issubclass(base, checked):
            continue
        for name, member in base.__dict__.items():
            if not name.startswith(prefix) or not callable(member) or name in allowed:
                continue
            if name.removeprefix(prefix) in known:
                found = True
                continue
            nearest = suggest(name, [*(prefix + k for k in sorted(known)), *allowed])
            raise DeclarationError(
                f"{base.__name__}.{name} names no node kind{nearest}; "
                f"methods called {prefix}* are handlers, helpers need another name"
            )
    return found


def handler_names(families: Iterable[type[Node]]) -> set[str]:
    """Return what may follow ``visit_`` in functors over ``families``."""
    spoken = {family.language_ for family in families}
    if Node.language_ in spoken:  # a functor over everything
        spoken.update(languages().values())
    return {"node"}.union(*[language.kinds.keys() | language.families for language in spoken])


def _speaks(owner: type, kind: type[Node]) -> bool:
    """Return whether handlers of ``owner`` are named after kinds of the language of ``kind``."""
    traversal = getattr(owner, "traversal", None)
    families = (getattr(owner, "family", Node), *getattr(traversal, "families", ()))
    spoken = {family.language_ for family in families}
    return Node.language_ in spoken or getattr(kind, "language_", None) in spoken


def find_handler(owner: type, prefix: str, kind: type[Node]) -> Handler | None:
    """Return what ``owner`` overrides for nodes of class ``kind``, or ``None``.

    A kind of another language, such as one that a node of Relay holds, has no handler by its name,
    which may be that of a kind of Relay: only ``visit_node`` serves it.
    """
    speaks = _speaks(owner, kind)
    for ancestor in kind.__mro__:
        if not speaks and ancestor is not Node:
            continue
        name = prefix + getattr(ancestor, "visit_name", "")
        handler = getattr(owner, name, None)
        if handler is not None and not is_default(handler):
            return handler  # type: ignore[no-any-return]
        if ancestor is Node:
            return None
    return None
