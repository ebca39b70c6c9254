"""Applying rewrite rules to functions and modules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from relayish.errors import PassError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.relay.expr import Call, Expr, Function, Let
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx.operators import identity_of
from relayish.passes.onnx.rewrite.engine.facts import FactSource
from relayish.passes.onnx.rewrite.engine.parts import opsets_of
from relayish.passes.onnx.rewrite.engine.rewriter import First, Rewriter
from relayish.passes.onnx.rewrite.engine.rules import OnnxRule, OnnxRules
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)
from relayish.rewriting.rule import Rule
from relayish.rewriting.rules import RuleSet
from relayish.rewriting.why_not import WhyNot, explain_rule, watch_rule


def rewrite_function(
    func: Expr,
    rules: Iterable[Rule | RuleSet],
    mod: IRModule | None = None,
    *,
    merge_constants: bool = False,
    drop_unused: bool = False,
    opset: int | None = None,
) -> Expr:
    """Return a function with rules applied to its calls, and those of its graphs, until none does.

    A variable whose call is rewritten stays, bound to what the rule gives; one that becomes another
    name of a value is replaced by that. What was used by nothing but what is gone goes with it, if
    it has no effect. Graphs are rewritten with what is constant outside known inside, and lose what
    they capture and no longer use.

    Args:
        func: The function; any other expression is returned as it is.
        rules: The rules; of those for one operator, the first that does something counts.
        mod: The module it belongs to, which says the versions of the operator sets.
        merge_constants: Give equal constants one variable first.
        drop_unused: Drop what nothing used to begin with, too.
        opset: The version of ONNX's own operator set that rules write for, if it is another one.

    Returns:
        ``func`` itself where no rule applied.

    Raises:
        PassError: If rules undo one another without end.

    Complexity:
        Linear in the bindings of the function and its graphs, and in rewrites with the uses of what
        they rewrite.
    """
    table = rules if isinstance(rules, OnnxRules) else OnnxRules(rules)
    if type(func) is not Function or not _is_for(table, func):
        return func
    opsets = opsets_of(func, None if mod is None else mod.attrs)
    if opset is not None:
        opsets = {**opsets, "": opset}
    first = First(merge_constants=merge_constants, drop_unused=drop_unused)
    return Rewriter(func, table, FactSource(func, mod), opsets, first=first).run()


@explain_rule.register
def _ask_rule(
    rule: OnnxRule, program: Any, mod: Any, among: Any, keep_order: bool
) -> WhyNot:  # Any: a node or a module, its module, rules
    if keep_order:
        raise PassError("rules for ONNX are applied in order of the nodes: do not give keep_order")
    rules = OnnxRules([rule] if among is None else among)

    def rewrite(func: Any, within: Any) -> None:
        if type(func) is not Function:
            raise PassError(f"a rule for ONNX is asked about functions; found {show_found(func)}")
        rewrite_function(func, rules, within)

    return watch_rule(rule, rules, program, mod, rewrite, applies=among is not None)


def _is_for(table: OnnxRules, func: Function) -> bool:
    """Return whether a function calls operators of ONNX, or what rules are for."""
    select = table.selector(Call)

    def is_one(node: object) -> bool:
        return type(node) is Call and bool(identity_of(node.op) or select(node))

    tail = func.body
    while type(tail) is Let:  # the initializers are first
        if is_one(tail.value):
            return True
        tail = tail.body
    return any(map(is_one, EXPRESSIONS.pre_order(func)))


def rewrite_module(
    mod: IRModule, rules: Iterable[Rule | RuleSet], *, merge_constants: bool = False
) -> IRModule:
    """Return a module with rules applied to each of its functions, as by `rewrite_function`."""
    table = rules if isinstance(rules, OnnxRules) else OnnxRules(rules)
    return transform_functions(
        mod,
        lambda func: rewrite_function(func, table, mod, merge_constants=merge_constants),
        iterate_optimized_functions,
    )
