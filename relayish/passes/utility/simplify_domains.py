"""Simplification of programs of all domains: by declared facts of operators, and by handlers.

Before, ``%0`` in a function of core::

    core.st(symbol=%x, value=core.add(a=core.mul(a=%0, b=1), b=0))

After::

    core.st(symbol=%x, value=%0)
"""

from __future__ import annotations

import inspect
from typing import Any

from relayish.domain import (
    DefaultHandler,
    Handler,
    Visitor,
    assemble,
    register_filler,
    register_handler,
)
from relayish.domain.dispatch import Dispatch
from relayish.domain.simplify_ctx import SimplifyCtx
from relayish.ir.domains.domain import list_domains
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.rules import SIMPLIFICATIONS
from relayish.passes.loops.simplify.simplify import simplify
from relayish.passes.relay.rewrite.simplify_expr import simplify_expr
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.rewriting.facts import Facts


@register_pass("SimplifyDomains", opt_level=1, required=("InferType",))
def simplify_domains(
    mod: AnyModule, *, attributes: bool = True, handlers: bool = True
) -> AnyModule:
    """Simplification of programs of any mix of domains.

    Each definition is visited by the handlers that domains registered for the task ``"simplify"``:
    for functions of Relay ``SimplifyExpr``, for those of loops ``Simplify``, and those of packages;
    operators of all domains go by what is declared of them.

    Args:
        mod: A module of definitions of any languages.
        attributes: Whether declared facts are used: identity and absorbing elements, idempotence,
            involutions, inverses, associativity; see :func:`relayish.ir.kinds.algebra.ALGEBRAS`.
            With them operators on literals are evaluated, by the handlers of the task
            ``"evaluate"``, where that gives a literal: nothing that faults, and no NaN.
        handlers: Whether handlers of domains are asked.

    Returns:
        ``mod`` itself when there is nothing to simplify.

    Complexity:
        Linear in the number of distinct nodes, but for what handlers do; no recursion.

    Source:
        AIR's document, "Simplifier".
    """
    context = SimplifyCtx(mod, by_facts=attributes)
    visitor = (
        assemble("simplify", context, occurrences=False)
        if handlers
        else visitor_by_default(context)
    )
    changed: dict[Any, Node] = {}  # Any: keys of the module
    for key, definition in mod.functions.items():
        image = visitor.visit(definition)
        if image is not definition:
            changed[key] = image
    return mod.with_functions(changed) if changed else mod


def visitor_by_default(context: SimplifyCtx) -> Visitor[SimplifyCtx]:
    """Return a visitor that does with all domains what the context does by default."""
    handlers = [DefaultHandler(domain.name) for domain in list_domains()]
    return Visitor(context, *handlers, occurrences=False)


@register_handler("simplify", is_view=True)
class SimplifyRelay(DefaultHandler, domain="relay"):
    """Simplifies functions of Relay that a module defines, by the rules of ``SimplifyExpr``."""

    def handle_function(self, visitor: Dispatch, func: Function) -> Node:
        """Simplify what is in a function, and then the function."""
        image: Node = visitor.visit_by_default(func)
        if visitor.context.parent(1) is not None or not isinstance(image, Function):
            return image
        mod = visitor.context.mod
        return simplify_expr(image, mod if isinstance(mod, IRModule) else None)


@register_handler("simplify", is_view=True)
class SimplifyLoops(DefaultHandler, domain="tir"):
    """Simplifies functions of loops, by the rules of ``Simplify``."""

    def handle_lowered_func(self, visitor: Dispatch, func: LoweredFunc) -> Node:
        """Simplify what is in a function, and then the function."""
        image: Node = visitor.visit_by_default(func)
        return simplify(image) if isinstance(image, LoweredFunc) else image


class _Simplified:
    """A visitor over what is simplified already: children are what they are."""

    def __init__(self) -> None:
        self.context = SimplifyCtx()

    def visit(self, node: Node) -> Node:
        """Return ``node``."""
        return node

    def visit_by_default(self, node: Node) -> Node:
        """Return what ``node`` is by the facts of its operator."""
        return self.context.simplify(node)


def _enter_rule(kind: type[Node], handler: type[Handler], method: str) -> None:
    handle = getattr(handler(), method)
    assert not inspect.isgeneratorfunction(handle)

    def rule(expr: Any, _: Facts) -> Any:  # Any: as simplifications have it
        return handle(_Simplified(), expr)

    rule.__module__ = handler.__module__
    rule.__qualname__ = f"{handler.__qualname__}.{method}"
    SIMPLIFICATIONS.register(kind, rule)


register_filler("simplify", Expr, _enter_rule)
