"""Free and bound variables of expressions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import collect_variables


def free_vars(expr: Node) -> tuple[Var, ...]:
    """Return the variables of ``expr`` that nothing in it binds, in order of first occurrence.

    As in Relay, a variable that is bound anywhere in ``expr`` is not free; a well-formed program
    uses it nowhere else.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import Let
        >>> x, y = Var("x"), Var("y")
        >>> free_vars(Let(x, y, x)) == (y,)
        True
    """
    occurring, bound = collect_variables(expr, EXPRESSIONS)
    return _vars([var for var in occurring if var not in bound])


def bound_vars(expr: Node) -> tuple[Var, ...]:
    """Return the variables that ``expr`` binds, by lets, functions or patterns, outermost first.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return _vars(collect_variables(expr, EXPRESSIONS)[1])


def all_vars(expr: Node) -> tuple[Var, ...]:
    """Return the variables used or bound in ``expr``, in order of first occurrence.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return _vars(collect_variables(expr, EXPRESSIONS)[0])


def _vars(variables: Iterable[Node]) -> tuple[Var, ...]:
    """Return variables as what they are, unless nodes of other languages have theirs."""
    return tuple(cast("Iterable[Var]", variables))
