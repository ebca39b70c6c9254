"""Rewriting of single expressions, bottom-up."""

from __future__ import annotations

from typing import ClassVar

from relayish.errors import DispatchError, indefinite
from relayish.functor.post_order import RewriteHandlers
from relayish.functor.relay.handlers import RewriterHandlers
from relayish.functor.relay.mixed_mode import MixedModeMutator
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr


class ExprRewriter(RewriterHandlers, RewriteHandlers):
    """Rewrites single nodes; :func:`post_order_rewrite` applies it to a program.

    Source:
        Relay ``ExprRewriter``.

    Example:
        >>> class Unwrap(ExprRewriter):
        ...     def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        ...         tup = post.tuple_value
        ...         return tup.fields[post.index] if type(tup) is Tuple else post
        >>> x = Var("x")
        >>> post_order_rewrite(TupleGetItem(Tuple((x,)), 0), Unwrap()) is x
        True
    """

    family: ClassVar[type[Node]] = Expr
    keeps_types: bool = False
    """Whether what handlers return has the type of ``pre``, so that what holds it keeps its own."""


class _PostOrder(MixedModeMutator):
    """Applies the handlers of another object."""

    def __init__(self, rewriter: ExprRewriter) -> None:
        self._applied = rewriter

    @property
    def _rewriter(self) -> RewriteHandlers:
        return self._applied


class _TypedPostOrder(_PostOrder):
    keeps_types = True


def post_order_rewrite(expr: Expr, rewriter: ExprRewriter) -> Expr:
    """Return ``expr`` with every distinct node, children first, rewritten once by ``rewriter``.

    Returns:
        ``expr`` itself when nothing changed; sharing is preserved.

    Raises:
        DispatchError: If ``expr`` is no expression or ``rewriter`` no rewriter.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``PostOrderRewrite``.
    """
    given: tuple[object, object] = (expr, rewriter)  # still to be checked
    if not isinstance(given[0], Expr) or not isinstance(given[1], ExprRewriter):
        raise DispatchError(
            f"post_order_rewrite takes an expression and an ExprRewriter; found "
            f"{indefinite(type(expr))} and {indefinite(type(rewriter))}"
        )
    applied = _TypedPostOrder if rewriter.keeps_types else _PostOrder
    return applied(rewriter).visit(expr)
