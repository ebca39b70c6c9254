"""Graph normal form: put the values of lets where their variables are used.

Before::

    let %a = add(%x, 1);
    let %w = ref_write(%r, %a);
    multiply(%a, %a)

After::

    %0 = add(%x, 1);
    let %w = ref_write(%r, %0);
    multiply(%0, %0)
"""

from __future__ import annotations

from collections.abc import Collection

from relayish.analysis.graph_normal_form import creates_references, needless_lets
from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Expr, Let
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)


class _GraphConverter(ExprMutator):
    """Replaces the variables of some lets, and drops these."""

    def __init__(self, needless: Collection[Let]) -> None:
        self._needless = needless

    def visit_let(self, let: Let) -> Expr:
        chain: list[Let] = []
        memo = self.memo_map
        tail: Expr = let
        while type(tail) is Let and tail not in memo:
            value = self.visit(tail.value)
            if tail in self._needless:
                memo[tail.var] = value
            chain.append(tail)
            tail = tail.body
        image = self.visit(tail)
        for binding in reversed(chain):
            if binding not in self._needless:
                image = binding.with_fields(value=self.visit(binding.value), body=image)
            memo[binding] = image
        return image


def to_graph_normal_form(
    expr: Expr, mod: IRModule | None = None, *, creates: bool | None = None
) -> Expr:
    """Return ``expr`` with the values of lets in the place of their variables, shared.

    Lets remain that bind what may act, or (in programs that create references) depends on when and
    how often it is evaluated; functions that refer to themselves; and variables with ``may_share``,
    or named there.

    Args:
        expr: Any well-formed expression.
        mod: Where the functions are that ``expr`` calls by global name; without it they are taken
            to have effects.
        creates: Whether functions of ``mod`` create references; found out if not given.

    Returns:
        ``expr`` itself when it has no other lets.

    Complexity:
        Linear in distinct nodes; no recursion but over lets in the values of lets.

    Source:
        Relay ``ToGraphNormalForm``, which drops effects nobody uses the result of, and looks for
        every variable in its whole value; RAF's, which keeps references and ``may_share``.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x, t = Var("x"), Tuple(())
        >>> to_graph_normal_form(Let(x, t, x)) is t
        True
    """
    needless = set(needless_lets(expr, mod, creates=creates))
    return _GraphConverter(needless).visit(expr) if needless else expr


@register_pass("ToGraphNormalForm", opt_level=1, idempotent=True, ensures=("graph_normal_form",))
def to_graph_normal_form_of_module(mod: IRModule) -> IRModule:
    """Graph normal form: put the values of lets where their variables are used.

    What :func:`to_graph_normal_form` does, with each function.
    """
    creates = creates_references(mod)
    return transform_functions(
        mod,
        lambda func: to_graph_normal_form(func, mod, creates=creates),
        iterate_optimized_functions,
    )
