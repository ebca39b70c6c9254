"""The vtable of a functor class: for each node class, the handler that serves it.

Handlers are methods called ``visit_<kind>`` (or ``rewrite_<kind>``). They are looked up when the
class is defined, so that a misspelt one is an error there, and tabled per node class on first use,
along the node's class hierarchy, so that kinds declared later are served too: a ``PatternVar`` goes
to ``visit_pattern_var``, else to ``visit_pattern``, else to ``visit_node``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from types import FunctionType
from typing import Any, Final, TypeVar

from relayish.errors import DeclarationError, suggest
from relayish.ir.domains.language import languages, on_declaration
from relayish.ir.nodes.node import Node

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


def check_handlers(
    owner: type,
    checked: type,
    prefix: str,
    families: Iterable[type[Node]],
    takes: tuple[str, ...],
    allowed: Iterable[str] = (),
) -> bool:
    """Return whether ``owner`` has handlers of its own, refusing those that are never called.

    These name no kind that is met, but look like it, or cannot take what they are called with.
    Methods of mix-ins count as well: bases not derived from ``checked``, so not looked at before.

    Args:
        owner: The class being defined.
        checked: The class that checks, whose subclasses were checked when they were defined.
        prefix: What the names of handlers begin with.
        families: The families of nodes it serves; handlers are those of their languages.
        takes: What handlers are called with beside the functor; they may take more.
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
            if not callable(member) or name in allowed:
                continue
            if not name.startswith(prefix):
                if not (name.startswith("visit_") and hasattr(owner, "visit")):
                    _refuse_other_spelling(base, name, prefix, takes, known)
                continue
            if name.removeprefix(prefix) in known:
                found = True
                _check_parameters(base, name, member, takes)
                continue
            nearest = suggest(name, [*(prefix + k for k in sorted(known)), *allowed])
            raise DeclarationError(
                f"{base.__name__}.{name} names no node kind{nearest}; "
                f"methods called {prefix}* are handlers, helpers need another name"
            )
    return found


def _check_parameters(base: type, name: str, handler: object, takes: tuple[str, ...]) -> None:
    """Raise if the method ``handler`` cannot be called with what handlers are called with."""
    if not isinstance(handler, FunctionType):
        return
    code, count = handler.__code__, 1 + len(takes)
    optional = len(handler.__defaults__ or ())
    few = code.co_argcount < count and not code.co_flags & inspect.CO_VARARGS
    many = len(takes) > 1 and code.co_argcount - optional > count  # others are given to visit
    named = code.co_kwonlyargcount > len(handler.__kwdefaults__ or ())
    if few or many or named:
        raise DeclarationError(
            f"{base.__name__}.{name}{inspect.signature(handler)} cannot be called with "
            f"{' and '.join(takes)}; write def {name}({', '.join(('self', *takes))})"
        )


def _refuse_other_spelling(
    base: type, name: str, prefix: str, takes: tuple[str, ...], known: AbstractSet[str]
) -> None:
    """Raise if a method is called as handlers are in C++, or in another class of functors."""
    parameters = ", ".join(("self", *takes))
    if name in _OVERLOADED.get(prefix, ()):
        raise DeclarationError(
            f"{base.__name__}.{name} is never called: there is one handler for each kind of node; "
            f"define {prefix}<kind>({parameters}), such as {prefix}{min({'call'} & known or known)}"
        )
    if prefix == "visit_" and name in _DISPATCHING:
        raise DeclarationError(
            f"{base.__name__}.{name} is never called: what is called for every node is visit; "
            f"define visit({parameters})"
        )
    spelt = _CAPITALS.fullmatch(name)
    if spelt is not None and name.lower().startswith(prefix.rstrip("_")):
        kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", spelt[1]).lower()
    elif name.startswith("visit_"):  # in a class that rewrites, and visits nothing
        kind = name.removeprefix("visit_")
    else:
        return
    if kind in known:
        raise DeclarationError(
            f"{base.__name__}.{name} is never called; define {prefix}{kind}({parameters})"
        )


_OVERLOADED: Final = {
    "visit_": frozenset(
        {"VisitExpr_", "VisitType_", "VisitPattern_", "VisitStmt_", "VisitLeaf", "Mutate_"}
    ),
    "rewrite_": frozenset({"Rewrite_"}),
}
"""Methods that C++ has one of for each kind, by what the names of handlers begin with here."""

_DISPATCHING: Final = frozenset(
    {"VisitExpr", "VisitType", "VisitPattern", "VisitStmt", "DispatchVisitExpr", "Mutate"}
)
"""Methods that C++ calls for every node."""

_CAPITALS: Final = re.compile(r"(?:[Vv]isit|[Rr]ewrite)_?([A-Z]\w*?)(?:Node)?_?")


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
