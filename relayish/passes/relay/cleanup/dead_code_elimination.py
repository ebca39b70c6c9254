"""Dead-code elimination: drop bindings that nothing needs.

Before::

    let %a = add(%x, 1);
    let %unused = multiply(%a, 2);
    let %written = ref_write(%r, %a);
    %a

After::

    let %a = add(%x, 1);
    let %written = ref_write(%r, %a);
    %a
"""

from __future__ import annotations

from functools import partial

from relayish.functor import ExprMutator
from relayish.ir.relay.expr import Expr, Let, Tuple
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.relay.cleanup.dead_code.live_bindings import EffectQuery, Needed
from relayish.passes.relay.cleanup.dead_code.use_counts import Counted
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)


class _Eliminator(ExprMutator):
    """Drops the lets whose variable is not needed."""

    def __init__(self, needed: Needed) -> None:
        self._needed = needed

    def visit_let(self, let: Let) -> Expr:
        used, nested = self._needed.used, self._needed.nested
        kept_for_effect, shared = self._needed.kept_for_effect, self._needed.entered_again
        chain = [let]
        tail = let.body
        while type(tail) is Let and tail not in shared:
            chain.append(tail)
            tail = tail.body
        image = self.visit(tail)
        for binding in reversed(chain):
            value = binding.value
            if binding.var in used or value in kept_for_effect:
                if value in nested:
                    value = self.visit(value)
                if image is not binding.body or value is not binding.value:
                    image = Let._make(binding.var, value, image, binding.span, None)
                else:
                    image = binding
        return image


class _Inliner(ExprMutator):
    """Drops the lets whose variable is not needed, and puts what is used once where it is used."""

    def __init__(self, counted: Counted) -> None:
        self._counted = counted

    def visit_let(self, let: Let) -> Expr:
        counted, memo = self._counted, self.memo_map
        chain: list[tuple[Let, Expr]] = []
        tail: Expr = let
        while type(tail) is Let and tail not in memo:
            var, value = tail.var, tail.value
            if counted.is_inlined(var):
                memo[var] = self.visit(value)
                chain.append((tail, value))
            elif var in counted.used or value in counted.kept_for_effect:
                chain.append((tail, self.visit(value)))
            else:
                chain.append((tail, value))
            tail = tail.body
        image = self.visit(tail)
        for binding, value in reversed(chain):
            var = binding.var
            needed = var in counted.used or binding.value in counted.kept_for_effect
            if needed and not counted.is_inlined(var):
                image = binding.with_fields(value=value, body=image)
            memo[binding] = image
        return image


def _eliminate(expr: Expr, *, effects: EffectQuery, inline_once: bool) -> Expr:
    if inline_once:
        counted = Counted(expr, effects)
        counted.find()
        return _Inliner(counted).visit(expr)
    needed = Needed(expr, effects)
    needed.find()
    return _Eliminator(needed).visit(expr)


def eliminate_dead_code(
    expr: Expr,
    mod: IRModule | None = None,
    *,
    inline_once: bool = False,
    ignore_impurity: bool = False,
    ref_precision: bool = False,
    function_argument_precision: bool = False,
) -> Expr:
    """Return ``expr`` without the bindings on which neither its value nor an effect depends.

    Chains of dead bindings vanish together. A binding stays, used or not, when evaluating its value
    may write or read a reference, call an operator with state, or call a function that is not
    known; creating a reference is no effect.

    Args:
        expr: Any well-formed expression. What has an
            effect or makes a reference, and is used in several scopes, should be bound by a let:
            where it is only shared, the scope it is evaluated in is that of the uses that are left.
        mod: Where the functions are that ``expr`` calls by global name; without it they are taken
            to have effects.
        inline_once: Put a value that is pure and used once where it is used, unless that is in a
            function inside the one that binds it, which may be called again and again.
        ignore_impurity: Take everything for pure. What the program does besides its value may be
            lost then, or come at another time.
        ref_precision: Drop reads nobody uses, and writes to references of which nothing is read and
            which go nowhere else.
        function_argument_precision: Judge calls of known functions that call their parameters by
            the arguments.

    Returns:
        ``expr`` itself when everything is needed.

    Complexity:
        Linear in the number of distinct nodes; no recursion. With one of the precisions this once
        more for each time that what was dropped has left a reference unread, or a function closed.

    Source:
        Relay ``DeadCodeElimination``; what an effect uses counts as used, as it does not in RAF.
    """
    while True:
        effects = EffectQuery(
            expr,
            mod,
            ignore_impurity=ignore_impurity,
            ref_precision=ref_precision,
            function_argument_precision=function_argument_precision,
        )
        image = _eliminate(expr, effects=effects, inline_once=inline_once)
        if image is expr or not effects.must_reanalyse:
            return image
        expr = image


@register_pass("DeadCodeElimination", opt_level=1, required=("InferType",), idempotent=True)
def eliminate_dead_code_of_module(
    mod: IRModule,
    *,
    inline_once: bool = False,
    ignore_impurity: bool = False,
    ref_precision: bool = False,
    function_argument_precision: bool = False,
) -> IRModule:
    """Dead-code elimination: drop bindings on which neither result nor side effect depends.

    What :func:`eliminate_dead_code` does, whose options these are, with each function. Which
    functions are pure is found out once for the whole module. Left alone are functions that passes
    leave alone (``SkipOptimization``, ``Compiler``, ``Extern``).

    Returns:
        ``mod`` itself when everything is needed.
    """
    while True:
        effects = EffectQuery(
            Tuple(tuple(mod.functions_of(Expr).values())),
            mod,
            ignore_impurity=ignore_impurity,
            ref_precision=ref_precision,
            function_argument_precision=function_argument_precision,
        )
        eliminate = partial(_eliminate, effects=effects, inline_once=inline_once)
        image = transform_functions(mod, eliminate, iterate_optimized_functions)
        if image is mod or not effects.must_reanalyse:
            return image
        mod = image
