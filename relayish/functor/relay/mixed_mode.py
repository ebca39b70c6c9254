"""Functors over expressions that work in post-order on an explicit stack."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from relayish.errors import DeclarationError
from relayish.functor.post_order import PostOrderVisitor, Rewriter
from relayish.functor.relay.expr_functor import ExprMutator, ExprVisitor
from relayish.functor.relay.handlers import RewriterHandlers
from relayish.functor.vtable import is_default
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Tuple, TupleGetItem

_DATAFLOW: Final[frozenset[type[Node]]] = frozenset({Call, Tuple, TupleGetItem})
"""The kinds that are always handled after their children, as in Relay."""


class MixedModeVisitor(PostOrderVisitor[Expr], ExprVisitor):
    """Visits children before parents on an explicit stack.

    ``visit_call``, ``visit_tuple`` and ``visit_tuple_getitem`` are called when everything below
    their node was visited, and have nothing to visit themselves. A handler of another kind decides
    what is visited below its node, as in :class:`ExprVisitor`; kinds without a handler are walked.

    Args:
        visit_limit: How often, 1 to 9, a node that is reached repeatedly is handled.

    Source:
        Relay ``MixedModeVisitor``.
    """

    post_order: ClassVar[frozenset[type[Node]] | None] = _DATAFLOW


class MixedModeMutator(RewriterHandlers, Rewriter[Expr], ExprMutator):
    """Rebuilds children before parents on an explicit stack, then asks ``rewrite_<kind>``.

    A subclass overrides ``rewrite_<kind>(pre, post)`` for any kind of node. A handler
    ``visit_<kind>`` of another kind than call, tuple and projection takes over for its node, as in
    :class:`ExprMutator`, and then decides what below it is visited.

    Raises:
        DeclarationError: If a subclass overrides ``visit_call``, ``visit_tuple`` or
            ``visit_tuple_getitem``: these are handled after their children.

    Source:
        Relay ``MixedModeMutator``; ``rewrite_<kind>`` is there for all kinds, not for three.
    """

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        for kind in sorted(kind.visit_name for kind in _DATAFLOW):
            if not is_default(getattr(cls, f"visit_{kind}")):
                raise DeclarationError(
                    f"{cls.__name__} overrides visit_{kind}; in a MixedModeMutator children are "
                    f"visited beforehand: define rewrite_{kind}(self, pre, post) instead"
                )
