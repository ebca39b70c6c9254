"""Calls whose value is known: constants."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.interpreter.constant_call import SIZE_LIMIT, Room, plan_of
from relayish.ir.relay.expr import Call, Constant, Expr, Tuple
from relayish.onnx.calls import count_outputs, graph_names, is_absent
from relayish.onnx.operators import identity_of
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.rewriting.rule import Rule


@rule("Constant")
def take_constant(call: Call, graph: Rewriter) -> Expr | None:
    """A node ``Constant`` is a constant."""
    found = graph.constant(graph.current)
    return None if found is None else Constant(found, span=call.span)


@rule("*")
def fold_known_value(call: Call, graph: Rewriter) -> Expr | None:
    """What types tell the value of: shapes, and what is computed of them, all integers.

    Other numbers are folded where they are computed of constants alone.
    """
    if count_outputs(call.attrs) != 1 or not call.args or graph_names(call.attrs):
        return None
    if graph.dtype_of(graph.current) not in _OF_SHAPES:
        return None
    found = graph.value_of(graph.current)
    return None if found is None else Constant(found, span=call.span)


_OF_SHAPES: Final = frozenset({"bool", "int32", "int64"})


def fold_calls(*, room: Room | None = None, fold_dequantize: bool = False) -> Rule:
    """Return the rule that evaluates calls on constants.

    Args:
        room: How large results may be, where rules are applied to one function several times; by
            default each time anew.
        fold_dequantize: Fold ``DequantizeLinear`` too, so that weights are stored as they are used.
    """

    @rule("*")
    def fold_call(call: Call, graph: Rewriter) -> Expr | None:
        """A call on constants is its value."""
        if not call.args or graph_names(call.attrs):
            return None
        values: list[Any] = []  # Any: values of constants
        for arg in call.args:
            value = () if is_absent(arg) else graph.constant(arg)
            if value is None:
                return None
            values.append(value)
        plan = plan_of(call.op, fold_qnn=fold_dequantize)
        if identity_of(call.op) is None or plan.evaluate is None:
            return None
        space = graph.room(SIZE_LIMIT) if room is None else room
        return _as_constants(call, plan.fold(call, values, space, scalar=False))

    return fold_call


def _as_constants(call: Call, value: object) -> Expr | None:
    """Return the results of a call as constants, ``None`` if one of them is no tensor."""
    wanted = count_outputs(call.attrs)
    results = (value,) if wanted == 1 else value
    if not isinstance(results, tuple) or len(results) != wanted:
        return None
    if not all(isinstance(each, (np.ndarray, np.generic)) for each in results):
        return None
    constants = [Constant(each, span=call.span) for each in results]
    return constants[0] if wanted == 1 else Tuple(constants)
