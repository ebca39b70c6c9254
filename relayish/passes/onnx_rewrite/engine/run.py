"""Applying rewrite rules to functions and modules."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.ir.relay.expr import Expr, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.passes.normal_form.functions import iterate_optimized_functions
from relayish.passes.onnx_rewrite.engine.facts import FactSource
from relayish.passes.onnx_rewrite.engine.rewriter import Rewriter, opsets_of
from relayish.passes.onnx_rewrite.engine.rules import Rule, RuleTable


def rewrite_function(
    func: Expr, rules: Iterable[Rule] | RuleTable, mod: IRModule | None = None
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

    Returns:
        ``func`` itself where no rule applied.

    Raises:
        PassError: If rules undo one another without end.

    Complexity:
        Linear in the bindings of the function and its graphs, and in rewrites with the uses of what
        they rewrite.
    """
    if type(func) is not Function:
        return func
    table = rules if isinstance(rules, RuleTable) else RuleTable(rules)
    opsets = opsets_of(func, None if mod is None else mod.attrs)
    return Rewriter(func, table, FactSource(), opsets).run()


def rewrite_module(mod: IRModule, rules: Iterable[Rule] | RuleTable) -> IRModule:
    """Return a module with rules applied to each of its functions, as by `rewrite_function`."""
    table = rules if isinstance(rules, RuleTable) else RuleTable(rules)
    changed: dict[GlobalVar | str, Expr] = {}
    for name, func in iterate_optimized_functions(mod):
        image = rewrite_function(func, table, mod)
        if image is not func:
            changed[name] = image
    return mod.with_functions(changed) if changed else mod
