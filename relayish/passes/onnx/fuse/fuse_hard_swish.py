"""Hard-swish fusion: compute piecewise linear activations by their own operators.

Before::

    let %a = Add_14(%x, 3f);
    let %b = Clip_13(%a, 0f, 6f);
    let %c = Div_14(%b, 6f);
    let %y = Mul_14(%x, %c);

After::

    let %y = HardSwish_14(%x);
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import number_of, operand
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule

_FLOATS: Final = frozenset({"float16", "float32", "float64"})


@register_pass("FuseHardSwish", opt_level=3, idempotent=True)
def fuse_hard_swish(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Hard-swish fusion: compute piecewise linear activations by their own operators.

    ``clip(x + 3, 0, 6) / 6``, or what is multiplied by 1/6, becomes ``HardSigmoid``, which rounds
    ``x / 6 + 1/2`` (some units in the last place differ); ``x`` times that becomes ``HardSwish``
    from version 14 on.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


@rule("Div", "Mul")
def form_hard_sigmoid(call: Call, graph: Rewriter) -> Call | None:
    """Return ``HardSigmoid`` for a sum that is clipped and divided."""
    if graph.version(call) < 7 or graph.function_opset < 6:
        return None
    lhs, rhs = inputs_of(call)
    factor = number_of(rhs, graph)
    value = lhs
    if factor is None and graph.operator(call) == "Mul":
        factor, value = number_of(lhs, graph), rhs
    if factor is None or factor <= 0 or not graph.is_used_once(value):
        return None
    slope = 1.0 / factor if graph.operator(call) == "Div" else factor
    gate = _form_gate(value, slope, call, graph)
    if gate is not None:
        return gate
    product = graph.producer(value, "Mul")
    if product is None or graph.version(product) < 7:
        return None
    for place, other in enumerate(inputs_of(product)[::-1]):
        ramp = inputs_of(product)[place]
        gate = _form_gate(ramp, slope, call, graph) if graph.is_used_once(ramp) else None
        if gate is not None:
            return graph.call("Mul", (other, graph.emit("gate", gate)), like=call)
    return None


def _form_gate(value: Expr, slope: float, like: Call, graph: Rewriter) -> Call | None:
    """Return ``HardSigmoid`` for a sum that is clipped, and multiplied by ``slope``."""
    clip = graph.producer(value, "Clip")
    if clip is None or not math.isclose(_upper_of_ramp(clip, graph) * slope, 1.0, rel_tol=1e-6):
        return None
    total = inputs_of(clip)[0]
    add = graph.producer(total, "Add")
    if add is None or not graph.is_used_once(total) or graph.version(add) < 7:
        return None
    source, offset = _split_sum(add, graph)
    if source is None or offset is None or graph.dtype_of(source) not in _FLOATS:
        return None
    attrs = {"alpha": np.float32(slope).item(), "beta": np.float32(offset * slope).item()}
    return graph.call("HardSigmoid", (source,), attrs, like=like)


@rule("Mul")
def form_hard_swish(call: Call, graph: Rewriter) -> Call | None:
    """Return ``HardSwish`` for a value times its ``HardSigmoid``."""
    if not graph.has_operator("HardSwish"):
        return None
    for source, gate in (inputs_of(call), inputs_of(call)[::-1]):
        found = graph.producer(gate, "HardSigmoid")
        if found is None or not graph.is_used_once(gate) or inputs_of(found)[0] is not source:
            continue
        alpha, beta = graph.attribute(found, "alpha", 0.2), graph.attribute(found, "beta", 0.5)
        if math.isclose(alpha, 1 / 6, rel_tol=1e-6) and math.isclose(beta, 0.5, rel_tol=1e-6):
            return graph.call("HardSwish", (source,), like=call)
    return None


def _upper_of_ramp(clip: Call, graph: Rewriter) -> float:
    """Return the upper bound of a clip from 0; not a number of any other."""
    if graph.version(clip) < 11:
        low, high = graph.attribute(clip, "min"), graph.attribute(clip, "max")
    else:
        inputs = inputs_of(clip)
        bounds = [
            operand(clip, place, graph) if is_given(inputs, place) else None for place in (1, 2)
        ]
        low, high = (None if each is None else each.reshape(-1)[0] for each in bounds)
    return math.nan if low is None or high is None or low != 0 else float(high)


def _split_sum(add: Call, graph: Rewriter) -> tuple[Expr | None, float | None]:
    """Return what a number is added to, and the number."""
    lhs, rhs = inputs_of(add)
    number = number_of(rhs, graph)
    if number is not None:
        source = lhs
    else:
        source, number = rhs, number_of(lhs, graph)
    rank = graph.rank_of(source)
    return (source, number) if rank else (None, None)


RULES: Final = OnnxRules((form_hard_sigmoid, form_hard_swish))
