"""Inference-time expansions of normalisation and dropout.

Each rule spells an operator out in simple arithmetic, so that it can be folded and fused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeAlias

from relayish.dataflow_pattern import Found, RuleSet, is_op, is_tuple_get_item, rule
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr, TupleGetItem
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_whole
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.values.evaluation import number_of
from relayish.passes.relay.rewrite.rules.tensors import broadcast_along, normalise_axis, tensor_of
from relayish.rewriting.rule import Facts

Action: TypeAlias = Callable[[Call, Facts], Expr]
"""What a rule for calls makes of one."""


def _of_fractions(action: Action) -> Action:
    """Return a rule that leaves integers alone: between the steps of arithmetic they are cut."""

    @wraps(action)
    def rewrite(call: Call, facts: Facts) -> Expr:
        before: Call = facts.pre
        whole = is_whole(numpy_dtype(tensor_of(before.args[0]).dtype))
        return call if whole else action(call, facts)

    return rewrite


@rule(is_tuple_get_item(is_op("nn.dropout")(None), 0), keeps_order=True)
def remove_dropout(item: TupleGetItem, _: Facts) -> Expr:
    """Return the data: nothing is dropped when a network is run."""
    dropout: Any = item.tuple_value  # Any: a call, as the pattern says
    data: Expr = dropout.args[0]
    return data


@rule(is_tuple_get_item(is_op("nn.batch_norm")(None), 0))
def spell_out_batch_norm(item: TupleGetItem, found: Found) -> Expr:
    """Normalise, where the other results are not asked for."""
    before: Any = found.pre  # Any: a projection, as the pattern says
    if is_whole(numpy_dtype(tensor_of(before.tuple_value.args[0]).dtype)):
        return item
    return batch_norm(item.tuple_value, before.tuple_value)


def batch_norm(call: Any, before: Any) -> Expr:  # Any: calls; the second with types
    """Return the normalised data: multiplied by a scale and shifted, both known per channel."""
    data, gamma, beta, moving_mean, moving_var = call.args
    attrs, ty = attrs_of(call), tensor_of(before.args[0])
    scale = const(1.0, ty.dtype) / op.sqrt(moving_var + _epsilon(attrs, before))
    if attrs.scale:
        scale = scale * gamma
    shift = op.negative(moving_mean) * scale
    if attrs.center:
        shift = shift + beta
    rank = len(ty.shape)
    scaled: Expr = data * broadcast_along(scale, rank, attrs.axis)
    return scaled + broadcast_along(shift, rank, attrs.axis)


@rule("nn.layer_norm")
@_of_fractions
def layer_norm(call: Call, facts: Facts) -> Expr:
    """Normalise along one axis, then scale and shift along it."""
    before: Call = facts.pre
    axis = attrs_of(call).axis
    return _scale(before, call, _normalise(before, call, call.args[0], (axis,)))


@rule("nn.instance_norm")
@_of_fractions
def instance_norm(call: Call, facts: Facts) -> Expr:
    """Normalise each channel of each sample."""
    before: Call = facts.pre
    rank, axis = len(tensor_of(before.args[0]).shape), attrs_of(call).axis
    spatial = tuple([at for at in range(1, rank) if at != normalise_axis(axis, rank)])
    return _scale(before, call, _normalise(before, call, call.args[0], spatial))


@rule("nn.group_norm")
@_of_fractions
def group_norm(call: Call, facts: Facts) -> Expr:
    """Split the channels into groups, normalise each, and put them together again."""
    before: Call = facts.pre
    shape, attrs = tensor_of(before.args[0]).shape, attrs_of(call)
    axis, groups, rank = normalise_axis(attrs.axis, len(shape)), attrs.num_groups, len(shape)
    sizes = [size for size in shape if isinstance(size, int)]
    if 0 in sizes:  # which a shape would take for a size that is kept
        return call
    if len(sizes) == rank:
        split = (*sizes[:axis], groups, sizes[axis] // groups, *sizes[axis + 1 :])
        joined = tuple(sizes)
    else:  # 0 keeps a size, -4 splits one, -3 joins two, -2 keeps all the others
        split = (*[0] * axis, -4, groups, -1, -2)
        joined = (*[0] * axis, -3, -2)
    grouped = op.reshape(call.args[0], newshape=split)
    reduced = tuple(range(axis + 1, rank + 1))
    normalised = _normalise(before, call, grouped, reduced)
    return _scale(before, call, op.reshape(normalised, newshape=joined))


@rule("nn.l2_normalize")
@_of_fractions
def l2_normalize(call: Call, facts: Facts) -> Expr:
    """Divide by the root of the sum of squares, which is taken to be no less than epsilon."""
    before: Call = facts.pre
    (data,) = call.args
    attrs = attrs_of(call)
    squares = data * data
    if attrs.axis is None or attrs.axis:  # along no axes nothing is added up
        squares = op.sum(squares, axis=attrs.axis, keepdims=True)
    length = op.sqrt(op.maximum(squares, _number(attrs.eps, before)))
    quotient: Expr = data / length
    return quotient


def _epsilon(attrs: Any, before: Call) -> Constant:  # Any: the attributes of some normalisation
    return _number(attrs.epsilon, before)


def _number(value: float, before: Call) -> Constant:
    """Return a number of an attribute in the element type of the data, as evaluation has it."""
    return Constant(number_of(value, numpy_dtype(tensor_of(before.args[0]).dtype)))


def _normalise(before: Call, call: Call, data: Expr, axes: tuple[int, ...]) -> Expr:
    """Return ``data`` minus its mean along ``axes``, over its standard deviation."""
    if not axes:  # each element is its own mean; to reductions no axes are all
        nothing: Expr = (data - data) / op.sqrt(_epsilon(attrs_of(call), before))
        return nothing
    mean = op.mean(data, axis=axes, keepdims=True)
    variance = op.variance(data, axis=axes, keepdims=True, with_mean=mean)
    deviation = op.sqrt(variance + _epsilon(attrs_of(call), before))
    quotient: Expr = (data - mean) / deviation
    return quotient


def _scale(before: Call, call: Call, normalised: Expr) -> Expr:
    """Return ``normalised`` times gamma plus beta, as far as the attributes ask for them."""
    _, gamma, beta = call.args
    attrs, rank = attrs_of(call), len(tensor_of(before.args[0]).shape)
    if attrs.scale:
        normalised = normalised * broadcast_along(gamma, rank, attrs.axis)
    if attrs.center:
        normalised = normalised + broadcast_along(beta, rank, attrs.axis)
    return normalised


INFERENCE: Final = RuleSet(
    [remove_dropout, spell_out_batch_norm, layer_norm, instance_norm, group_norm, l2_normalize]
)
"""What ``SimplifyInference`` makes of calls."""
