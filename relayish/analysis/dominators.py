"""Post-dominators: where all uses of a value come together again.

An expression ``d`` post-dominates ``e`` when every way from ``e`` through the expressions that use
it, out to the whole program, leads through ``d``. The innermost such ``d`` is what fusion asks for:
what lies between ``e`` and ``d`` is used by nothing else.
"""

from __future__ import annotations

from relayish._support.display import repr_mimebundle
from relayish._support.dominators import Dominators
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS


class PostDominators(dict[Expr, Expr]):
    """The immediate post-dominator of each expression, by expression: a tree, upside down."""

    _repr_mimebundle_ = repr_mimebundle


def post_dominators(expr: Expr) -> PostDominators:
    """Return the immediate post-dominator of every expression in ``expr`` but ``expr`` itself.

    Where something stands in a pattern or clause of a match, the match counts as its user.

    Complexity:
        ``n log n`` in the number of distinct nodes and edges; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x = Var("x")
        >>> left, right = Tuple((x,)), Tuple((x, x))
        >>> join = Tuple((left, right))
        >>> found = post_dominators(Tuple((join,)))
        >>> found[x] is join, found[left] is join
        (True, True)
    """
    order = EXPRESSIONS.post_order(expr)
    dominators = Dominators(order[::-1], EXPRESSIONS.children)
    found = PostDominators()
    for node in order:
        if isinstance(node, Expr) and node is not expr:
            dominator = dominators.immediate(node)
            while dominator is not None and not isinstance(dominator, Expr):
                dominator = dominators.immediate(dominator)
            assert dominator is not None, "the whole expression dominates all of it"
            found[node] = dominator
    return found
