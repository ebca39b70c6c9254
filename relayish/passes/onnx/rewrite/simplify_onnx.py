"""Simplification of programs of ONNX: all rules that lose nothing, together.

Before::

    let %s = onnx::Shape_13(%x);           // %x: Tensor[(2, 3), float32]
    let %c = onnx::Equal_13(%s, [2, 3]);
    let %r = onnx::ReduceMin_13(%c){keepdims=0};
    let %y = onnx::If_16(%r, fn (%a) { let %b = onnx::Identity_16(%a); %b }, fn (%a) { %a }, %x);
    let %z = onnx::Relu_14(%y);
    %z

After::

    let %z = onnx::Relu_14(%x);
    %z
"""

from __future__ import annotations

from typing import Final

from relayish._support.stable import until_stable
from relayish.interpreter.constant_call import Room
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import rewrite_function
from relayish.passes.onnx.rewrite.engine.constants import room_of
from relayish.passes.onnx.rewrite.rules import (
    arithmetic,
    consecutive,
    constants,
    control_flow,
    feasible_ranks,
    identities,
    initial_states,
    sequences,
    views,
)
from relayish.rewriting.rule import Rule

SIZE_LIMIT: Final = 1 << 22
"""Elements a folded tensor may have by default: as many as the weights of a large layer."""


def simplifying_rules(
    room: Room, *, fold_dequantize: bool = False, signed_zeros: bool = False
) -> tuple[Rule, ...]:
    """Return the rules of :func:`simplify_onnx`, in the order in which they are tried."""
    return (
        constants.take_constant,
        *control_flow.RULES,
        *identities.RULES,
        *initial_states.RULES,
        *arithmetic.make_rules(signed_zeros=signed_zeros),
        *sequences.RULES,
        *consecutive.RULES,
        *views.RULES,
        constants.fold_known_value,  # what is known already need not be evaluated
        constants.fold_calls(room=room, fold_dequantize=fold_dequantize),
        *feasible_ranks.RULES,
    )


@register_pass("SimplifyOnnx", opt_level=1, idempotent=True)
def simplify_onnx(
    func: Expr,
    *,
    mod: IRModule | None = None,
    size_limit: int = SIZE_LIMIT,
    fold_dequantize: bool = False,
    signed_zeros: bool = False,
) -> Expr:
    """Simplification of programs of ONNX: fold, inline, drop and merge until nothing is left to do.

    Return ``func`` after ``ConstantToInitializer``, ``MergeInitializers``, ``FoldShapes``,
    ``InlineControlFlow``, ``EliminateNop``, ``SequenceToTensors`` and ``MergeConsecutive``,
    together, to a fixed point.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.
        size_limit: How many elements a folded tensor may have, unless its operands have as many.
        fold_dequantize: Fold ``DequantizeLinear`` of constants too.
        signed_zeros: Tell ``-0.0`` from ``0.0``: keep ``x + 0.0``.

    Complexity:
        Linear in the nodes and what they become, not counting evaluation.
    """
    room = room_of(func, size_limit)
    rules = simplifying_rules(room, fold_dequantize=fold_dequantize, signed_zeros=signed_zeros)
    return until_stable(
        lambda each: rewrite_function(each, rules, mod, merge_constants=True, drop_unused=True),
        func,
    )
