"""Rows of the bench for visitors assembled from handlers, beside functors that do the same.

What stands in the column of the loop is ``ExprVisitor`` or ``ExprMutator`` in the same style: the
dispatch of a :class:`relayish.domain.Visitor` costs at most 1.5 times theirs, and no more where it
serves 32 domains than where it serves one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import programs

Row = tuple[Callable[[int], Any], Callable[[Any], Any], Callable[[int], Any], Callable[[Any], Any]]


def works() -> dict[str, Row]:
    """Return, for each piece of work, (build, functor, build, visitor of handlers)."""
    from relayish.domain import AnalyzeCtx, DefaultHandler, Handler, TransformCtx, Visitor
    from relayish.functor import ExprMutator, ExprVisitor
    from relayish.ir.domains.domain import Domain, is_domain
    from relayish.ir.relay.expr import Call, Expr

    class ByHand(ExprVisitor):
        def visit_call(self, call: Call) -> None:
            for arg in call.args:
                self.visit(arg)

    class GoingOn(ExprVisitor):
        def visit_call(self, call: Call) -> None:
            super().visit_call(call)

    class Rebuilt(ExprMutator):
        def visit_call(self, call: Call) -> Expr:
            return call.with_fields(args=self.mutate_all(call.args))

    class RebuiltGoingOn(ExprMutator):
        def visit_call(self, call: Call) -> Expr:
            return super().visit_call(call)

    class OfArgs(DefaultHandler, domain="relay"):
        def handle_add(self, visitor: Any, node: Any) -> None:
            for arg in node.args:
                visitor.visit(arg)

    class OfChildren(DefaultHandler, domain="relay"):
        def handle_add(self, visitor: Any, node: Any) -> None:
            visitor.visit(node.child(0))
            visitor.visit(node.child(1))

    class ByDefault(DefaultHandler, domain="relay"):
        def handle_add(self, visitor: Any, node: Any) -> Any:
            return visitor.visit_by_default(node)

    class RebuiltArgs(DefaultHandler, domain="relay"):
        def handle_add(self, visitor: Any, node: Any) -> Any:
            left, right = node.args
            return node.with_fields(args=(visitor.visit(left), visitor.visit(right)))

    def analyse(*handlers: Any) -> Callable[[Any], Any]:
        return lambda expr: Visitor(AnalyzeCtx(), *handlers).visit(expr)

    def transform(*handlers: Any) -> Callable[[Any], Any]:
        return lambda expr: Visitor(TransformCtx(), *handlers).visit(expr)

    def others(count: int) -> list[Handler]:
        names = [f"bench{index}" for index in range(1, count)]
        return [DefaultHandler(name if is_domain(name) else Domain(name)) for name in names]

    dag, relay = programs.dag, DefaultHandler("relay")
    return {
        "handlers: default": (dag, lambda e: ExprVisitor().visit(e), dag, analyse(relay)),
        "handlers: by hand": (dag, lambda e: ByHand().visit(e), dag, analyse(OfArgs)),
        "handlers: by child": (dag, lambda e: ByHand().visit(e), dag, analyse(OfChildren)),
        "handlers: going on": (dag, lambda e: GoingOn().visit(e), dag, analyse(ByDefault)),
        "handlers: identity": (dag, lambda e: ExprMutator().visit(e), dag, transform(relay)),
        "handlers: rebuild by hand": (
            dag,
            lambda e: Rebuilt().visit(e),
            dag,
            transform(RebuiltArgs),
        ),
        "handlers: rebuild going on": (
            dag,
            lambda e: RebuiltGoingOn().visit(e),
            dag,
            transform(ByDefault),
        ),
        **{
            f"handlers: by hand, {count} domains": (
                dag,
                lambda e: Visitor(AnalyzeCtx(), OfArgs).visit(e),
                dag,
                analyse(OfArgs, *others(count)),
            )
            for count in (1, 4, 32)
        },
    }
