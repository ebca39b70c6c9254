"""Strength reduction: multiply by the reciprocal of a constant instead of dividing by it.

Before::

    divide(%x, 4f)

After::

    multiply(%x, 0.25f)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.dataflow_pattern import rewrite_rules, rule
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.values.value import Value, as_value
from relayish.op.builders.builder import op
from relayish.pass_infra import register_pass
from relayish.rewriting.rule import Facts


@rule("divide")
def multiply_by_reciprocal(call: Call, _: Facts) -> Expr:
    """Multiply by the reciprocal, where the divisor is constant and has one."""
    dividend, divisor = call.args
    if type(divisor) is not Constant:
        return call
    reciprocal = _reciprocal(divisor.data)
    if reciprocal is None:
        return call
    product: Expr = op.multiply(dividend, Constant(reciprocal, span=divisor.span))
    return product


def _reciprocal(value: Value) -> Value:
    """Return one over ``value``, or ``None`` unless each element is a normal number and has one."""
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind != "f":
        return None
    divisor: Any = value  # Any: an array of floating point numbers, or one such number
    with np.errstate(all="ignore"):
        found = divisor.dtype.type(1) / divisor
    least = np.finfo(divisor.dtype).tiny
    is_normal = [np.isfinite(part) & (np.abs(part) >= least) for part in (divisor, found)]
    return as_value(found) if np.all(is_normal) else None


@register_pass(
    "DivToMul",
    opt_level=0,
    required=("InferType", "FoldConstant"),
    idempotent=True,
    preserves=(
        "DefiniteInitialisation",
        "Dominators",
        "Liveness",
        "PostDominators",
        "ReachingDefinitions",
    ),
)
def div_to_mul(expr: Expr) -> Expr:
    """Strength reduction: multiply by the reciprocal of a constant instead of dividing by it.

    Return ``expr`` with divisions by constants of floating point numbers made multiplications.

    A division stays where some element of the divisor, or its reciprocal, is zero, infinite, no
    number, or so small that precision would be lost. Elsewhere the result may differ by a rounding.

    Returns:
        ``expr`` itself when there is nothing to replace.

    Complexity:
        Linear in the number of distinct nodes and the size of the divisors; no recursion.

    Source:
        Relay ``DivToMul``, which takes the reciprocal of the first element of a tensor only.
    """
    return rewrite_rules([multiply_by_reciprocal], expr, keep_order=True)
