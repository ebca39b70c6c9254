"""What the attributes of a function say of it."""

from __future__ import annotations

from relayish.ir.attrs import DictAttrs
from relayish.ir.expr import Expr, Function


def is_marked(expr: Expr, name: str) -> bool:
    """Return whether ``expr`` is a function whose attribute ``name`` is set, and not to 0.

    Example:
        >>> from relayish.ir.expr import Tuple
        >>> is_marked(Function((), Tuple(()), attrs=DictAttrs({"Inline": 1})), "Inline")
        True
    """
    if not isinstance(expr, Function) or expr.attrs is None:
        return False
    return bool(expr.attrs.get(name, 0))


def is_opaque(function: Function) -> bool:
    """Return whether what is inside ``function`` is nobody's business.

    Another compiler owns it (``Compiler``), its definition is elsewhere (``Extern``), or it stands
    for one operator (``Primitive``).
    """
    if function.attrs is None:
        return False
    return (
        "Compiler" in function.attrs
        or is_marked(function, "Extern")
        or is_marked(function, "Primitive")
    )


def marked(function: Function, **values: object) -> Function:
    """Return ``function`` with attributes set."""
    attrs = DictAttrs(values) if function.attrs is None else function.attrs.with_values(**values)
    return function.with_fields(attrs=attrs)
