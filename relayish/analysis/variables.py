"""Which variables occur in an expression, and which of them are bound there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relayish.ir.node import Node
from relayish.ir.relay.adt import PatternVar
from relayish.ir.relay.expr import Expr, Function, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS

# Any: each function takes the node kind it stands under
_BINDERS: Final[dict[type[Node], Callable[[Any], tuple[Var, ...]]]] = {
    Let: lambda let: (let.var,),
    Function: lambda function: function.params,
    PatternVar: lambda pattern: (pattern.var,),
}


def free_vars(expr: Expr) -> tuple[Var, ...]:
    """Return the variables of ``expr`` that nothing in it binds, in order of first occurrence.

    As in Relay, a variable that is bound anywhere in ``expr`` is not free; a well-formed program
    uses it nowhere else.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> x, y = Var("x"), Var("y")
        >>> free_vars(Let(x, y, x)) == (y,)
        True
    """
    occurring, bound = _collect(expr)
    return tuple([var for var in occurring if var not in bound])


def bound_vars(expr: Expr) -> tuple[Var, ...]:
    """Return the variables that lets, functions and patterns of ``expr`` bind, outermost first.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return tuple(_collect(expr)[1])


def all_vars(expr: Expr) -> tuple[Var, ...]:
    """Return the variables used or bound in ``expr``, in order of first occurrence.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return tuple(_collect(expr)[0])


def bound_by(node: Node) -> tuple[Var, ...]:
    """Return the variables that ``node`` itself binds, in the scope it has."""
    bound = _BINDERS.get(type(node))
    return () if bound is None else bound(node)


def _collect(expr: Expr) -> tuple[list[Var], dict[Var, None]]:
    """Return the distinct variables, and those with a binder; a dictionary keeps their order."""
    occurring: list[Var] = []
    bound: dict[Var, None] = {}
    table = _BINDERS
    for node in EXPRESSIONS.pre_order(expr):
        kind = type(node)
        if kind is Var:
            occurring.append(node)  # type: ignore[arg-type]  # its kind is Var
        elif kind in table:
            bound.update(dict.fromkeys(table[kind](node)))
    return occurring, bound
