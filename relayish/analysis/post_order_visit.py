"""Reporting every expression of a program once, in Relay's order."""

from __future__ import annotations

from collections.abc import Callable

from relayish.functor.notes import is_noted, note_visit
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS


def post_order_visit(expr: Expr, fvisit: Callable[[Expr], object]) -> None:
    """Call ``fvisit`` on every distinct expression node of ``expr``, children before parents.

    The order is Relay's: the callee before the arguments; variable, value, body of a let;
    parameters before the body of a function; variables a pattern binds before the arm.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x, y = Var("x"), Var("y")
        >>> post_order_visit(Tuple((x, Tuple((y, x)))), lambda node: print(repr(node)))
        Var(name_hint='x', type_annotation=None, may_share=None, virtual_device=None)
        Var(name_hint='y', type_annotation=None, may_share=None, virtual_device=None)
        Tuple(fields=(Var(y), Var(x)))
        Tuple(fields=(Var(x), <Tuple>))
    """
    order = EXPRESSIONS.post_order(expr)
    node: Node = expr
    try:
        for node in order:
            if isinstance(node, Expr):
                fvisit(node)
    except Exception as error:
        if not is_noted(error):
            note_visit(error, node)
        raise


def count_nodes(expr: Expr) -> int:
    """Return how many distinct expression nodes ``expr`` is made of, itself included.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x = Var("x")
        >>> count_nodes(Tuple((x, x)))
        2
    """
    return sum(isinstance(node, Expr) for node in EXPRESSIONS.post_order(expr))
