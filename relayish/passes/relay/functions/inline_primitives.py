"""Call primitive functions where they stand, not by the variable they are bound to.

Before::

    let %f = fn (%a: int32, Primitive=1) { %a + 1 };
    %f(%f(%x))

After::

    %0 = fn (%a: int32, Primitive=1) { %a + 1 };
    %0(%0(%x))
"""

from __future__ import annotations

from relayish.ir.relay.expr import Call, Expr, Function, Let, Var
from relayish.ir.relay.function_attributes import is_primitive
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.passes.relay.functions.interprocedural.dropping import (
    DroppingMutator,
    count_uses,
    find_recursive_vars,
)


class _Inliner(DroppingMutator):
    def __init__(self, bound: dict[Var, Function], dropped: set[Var]) -> None:
        self._bound = bound
        self.dropped = dropped

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        function = self._bound.get(pre.op) if type(pre.op) is Var else None
        return post if function is None else post.with_fields(op=function)


@register_pass("InlinePrimitives", opt_level=1, idempotent=True)
def inline_primitives(expr: Expr) -> Expr:
    """Primitive inlining: put functions marked ``Primitive`` where variables call them.

    Return ``expr`` with functions marked ``Primitive`` in the place of variables that call them.

    The let goes where nothing else uses the variable. The function itself, one object, stands in
    all its calls.

    Returns:
        ``expr`` itself when no primitive function is called by a variable.

    Complexity:
        Linear in distinct nodes; no recursion but for lets in the values of lets.

    Source:
        RAF ``InlinePrimitives``.
    """
    bound = {
        node.var: node.value
        for node in EXPRESSIONS.pre_order(expr)
        if type(node) is Let and isinstance(node.value, Function) and is_primitive(node.value)
    }
    if not bound:
        return expr
    uses, calls = count_uses(expr)
    recursive = find_recursive_vars(expr)
    bound = {var: f for var, f in bound.items() if calls[var] and var not in recursive}
    dropped = {var for var in bound if calls[var] == uses[var]}
    return _Inliner(bound, dropped).visit(expr)
