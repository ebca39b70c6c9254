"""Constant arguments: which memory functions of loops are given that holds the same in each run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Constant, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.pass_infra import register_pass
from relayish.tir.foreign_calls import given_parameters
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Parameter
from relayish.tir.schedule.defaults.constant_memory import CONSTANT


@register_pass("MarkConstantArguments", opt_level=0, idempotent=True)
def mark_constant_arguments(mod: IRModule) -> IRModule:
    """Constant arguments: note on functions of loops which arguments all calls give as constants.

    Schedules then may prepare what these hold, once, for what would not be worth while each time.

    Returns:
        ``mod`` itself when there is nothing to note.

    Complexity:
        Linear in the number of distinct nodes.
    """
    for var, calls in calls_of_loops(mod).items():
        func = mod.function_of(LoweredFunc, var)
        found = constant_arguments(func, calls)
        attrs = DictAttrs() if func.attrs is None else func.attrs
        numbers = tuple([at for at, arg in enumerate(func.args) if arg in found])
        if numbers and attrs.get(CONSTANT) != numbers:
            marked = func.with_fields(attrs=attrs.with_values(**{CONSTANT: numbers}))
            mod = mod.with_function(var, marked)
    return mod


def calls_of_loops(mod: IRModule) -> Mapping[GlobalVar, list[Call]]:
    """Return the calls of each function of loops that functions of Relay call."""
    found: defaultdict[GlobalVar, list[Call]] = defaultdict(list)
    for func in mod.functions_of(Function).values():
        for node in EXPRESSIONS.pre_order(func):
            if isinstance(node, Call) and isinstance(node.op, GlobalVar):
                found[node.op].append(node)
    return {var: calls for var, calls in found.items() if isinstance(mod[var], LoweredFunc)}


def constant_arguments(func: LoweredFunc, calls: list[Call]) -> frozenset[Parameter]:
    """Return the arguments of a function that all of some calls give as constants."""
    found = []
    for at, arg in enumerate(given_arguments(func)):
        if all(isinstance(call.args[at], Constant) for call in calls):
            found.append(arg)
    return frozenset(found)


def given_arguments(func: LoweredFunc) -> list[Parameter]:
    """Return the arguments of a function that calls give, in order.

    Others are its results, and sizes that arguments tell.
    """
    return given_parameters(func)
