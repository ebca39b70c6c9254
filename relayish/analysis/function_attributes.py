"""Function attributes: what they say of a function."""

from __future__ import annotations

from relayish.ir.node import Node
from relayish.ir.relay.expr import Function


def is_marked(node: Node, name: str) -> bool:
    """Return whether ``node`` is a function whose attribute ``name`` is set, and not to 0.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> is_marked(Function((), Tuple(()), attrs=DictAttrs({"Inline": 1})), "Inline")
        True
    """
    if not isinstance(node, Function) or node.attrs is None:
        return False
    return bool(node.attrs.get(name, 0))


def is_primitive(node: Node) -> bool:
    """Return whether ``node`` is a function that stands for one operator: a kernel's business."""
    return is_marked(node, "Primitive")


def is_transparent(node: Node) -> bool:
    """Return whether ``node`` may be looked into: it is not the body of a primitive function.

    To be given as ``enter`` to traversals and scopes.
    """
    return type(node) is not Function or node.attrs is None or not is_primitive(node)


def is_opaque(function: Function) -> bool:
    """Return whether the body of ``function`` must not be optimised.

    Another compiler owns it (``Compiler``), its definition is elsewhere (``Extern``), or it stands
    for one operator (``Primitive``).
    """
    if function.attrs is None:
        return False
    return "Compiler" in function.attrs or is_marked(function, "Extern") or is_primitive(function)


def compiler_of_function(func: object) -> str | None:
    """Return the name of the compiler that owns a function; ``None`` if none does."""
    if type(func) is not Function or func.attrs is None:
        return None
    found = func.attrs.get("Compiler")
    return found if isinstance(found, str) else None
