"""Arithmetic with neutral elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import is_same_shape
from relayish.rewriting.rule import Rule


def make_rules(*, signed_zeros: bool = False) -> tuple[Rule, ...]:
    """Return the rules of neutral elements.

    Args:
        signed_zeros: Whether ``0.0`` and ``-0.0`` are told apart, so that ``x + 0.0`` stays:
            where ``x`` is ``-0.0``, that is ``0.0``.
    """

    def is_zero(value: npt.NDArray[np.generic]) -> bool:
        if value.item(0) or np.any(value):  # the first tells mostly, and at once
            return False
        return not signed_zeros or value.dtype.kind not in "fcV" or bool(np.all(np.signbit(value)))

    def is_subtracted_zero(value: npt.NDArray[np.generic]) -> bool:
        if value.item(0) or np.any(value):  # the first tells mostly, and at once
            return False
        return not signed_zeros or value.dtype.kind not in "fcV" or not np.any(np.signbit(value))

    @rule("Add")
    def remove_add(call: Call, graph: Rewriter) -> Expr | None:
        """``x + 0`` is ``x``."""
        return _without(call, graph, is_zero, both=True)

    @rule("Sub")
    def remove_sub(call: Call, graph: Rewriter) -> Expr | None:
        """``x - 0`` is ``x``."""
        return _without(call, graph, is_subtracted_zero)

    return (remove_add, remove_sub, remove_mul, remove_div, remove_pow, remove_logic)


def _is_one(value: npt.NDArray[np.generic]) -> bool:
    return value.item(0) == 1 and bool(np.all(value == np.ones((), value.dtype)))


@rule("Mul")
def remove_mul(call: Call, graph: Rewriter) -> Expr | None:
    """``x * 1`` is ``x``."""
    return _without(call, graph, _is_one, both=True)


@rule("Div")
def remove_div(call: Call, graph: Rewriter) -> Expr | None:
    """``x / 1`` is ``x``."""
    return _without(call, graph, _is_one)


@rule("Pow")
def remove_pow(call: Call, graph: Rewriter) -> Expr | None:
    """``x ** 1`` is ``x``."""
    return _without(call, graph, _is_one)


@rule("And", "Or")
def remove_logic(call: Call, graph: Rewriter) -> Expr | None:
    """``And(x, true)`` and ``Or(x, false)`` are ``x``."""
    neutral = graph.operator(call) == "And"
    return _without(call, graph, lambda value: bool(np.all(value == neutral)), both=True)


def _without(
    call: Call,
    graph: Rewriter,
    is_neutral: Callable[[npt.NDArray[np.generic]], bool],
    *,
    both: bool = False,
) -> Expr | None:
    """Return the operand beside a neutral constant, where the result has its shape."""
    left, right = call.args[:2]
    for data, other in ((left, right), (right, left)) if both else ((left, right),):
        constant = graph.constant(other)
        if constant is None or not constant.size or not is_neutral(constant):
            continue
        if constant.ndim == 0 or _keeps_shape(graph, data, constant):
            return data
        if data is left and graph.attribute(call, "broadcast", 0):
            return data  # which before version 7 says that the left operand is the larger one
    return None


def _keeps_shape(graph: Rewriter, data: Expr, constant: npt.NDArray[np.generic]) -> bool:
    """Return whether broadcasting against ``constant`` leaves the shape of ``data`` as it is."""
    rank = graph.rank_of(data)
    if rank is not None and constant.size == 1 and constant.ndim <= rank:
        return True
    return is_same_shape(graph.shape_of(data), graph.shape_of(graph.current))
