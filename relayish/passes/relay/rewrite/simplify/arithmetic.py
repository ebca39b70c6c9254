"""Arithmetic with constants: what changes nothing, and what can be said with fewer operators."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.dataflow_pattern import Found, Rule, RuleSet, is_constant, rule, wildcard
from relayish.dataflow_pattern.pattern import DFPattern
from relayish.errors import EvaluationError
from relayish.interpreter.call import evaluate_call
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.language import RELAY
from relayish.ir.values.dtype import numpy_dtype
from relayish.ir.values.value import as_value
from relayish.op.builders.call import relay_call
from relayish.op.declaration import properties
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import list_ops, relay_op
from relayish.passes.relay.rewrite.simplify.common import (
    is_relay_op,
    make_filled_pattern,
    make_uniform_pattern,
    same_type,
    splat,
    static_type,
    tensor_type,
)

NEUTRAL: Final[dict[str, tuple[int, bool]]] = {
    "add": (0, True),
    "subtract": (0, False),
    "multiply": (1, True),
    "divide": (1, False),
}
"""The operand that leaves the other one as it is, and whether it may stand on either side."""


def _make_neutral_rule(name: str, value: int) -> Rule:
    """Return the rule that drops an operand ``value`` of operator ``name``."""
    kept, dropped = wildcard(), make_uniform_pattern()

    @rule(is_relay_op(name)(kept, dropped))
    def neutral(call: Call, found: Found) -> Expr:
        constant = splat(found[dropped])
        if constant is None or constant != value:
            return call
        as_it_was = _is_single(found, dropped, kept) or same_type(found, found[kept], call)
        return found[kept] if as_it_was else call

    neutral.name = f"{name} of {value}"
    return neutral


def _is_single(found: Found, dropped: DFPattern, kept: DFPattern) -> bool:
    """Return whether a tensor of one element stands beside one of as many axes, or more."""
    one, other = tensor_type(found, found[dropped]), tensor_type(found, found[kept])
    if one is None or other is None or len(one.shape) > len(other.shape):
        return False
    return one.dtype == other.dtype and all(isinstance(s, int) and s == 1 for s in one.shape)


_factor, _zero = wildcard(), make_uniform_pattern()


@rule(is_relay_op("multiply")(_factor, _zero))
def multiply_zero(call: Call, found: Found) -> Expr:
    """Make zeros of a product of whole numbers and zero; of others it may be no number."""
    constant, ty = splat(found[_zero]), static_type(found, call)
    if constant is None or constant.dtype.kind not in "iu" or constant != 0 or ty is None:
        return call
    if not found.may_drop(found[_factor]):
        return call
    return relay_call("zeros", shape=ty.shape, dtype=ty.dtype, span=call.span)


def _fold(name: str, *operands: Expr) -> Constant | None:
    """Return what operator ``name`` makes of constants, if no number gets lost in it."""
    values = [each.data for each in operands if isinstance(each, Constant)]
    if not all(isinstance(v, (np.ndarray, np.generic)) for v in values):
        return None
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(evaluate_call(relay_op(name), None, values))
    except EvaluationError:
        return None
    if result.dtype.kind not in "iu":
        if not np.isfinite(result.astype("float64")).all():
            return None
        lost = np.abs(result.astype("float64")) < _get_tiny(result)
        if name == "multiply" and (lost & (values[0] != 0) & (values[1] != 0)).any():
            return None
    return Constant(as_value(result))


def _hides(first: Expr, second: Expr) -> bool:
    """Return whether zeros make no numbers of products that may have overflowed before."""
    assert isinstance(first, Constant)
    assert isinstance(second, Constant)
    large = np.abs(np.asarray(first.data).astype("float64")) > 1
    return bool((large & np.equal(np.asarray(second.data).astype("float64"), 0)).any())


def _get_tiny(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> float:
    return float(np.finfo(array.dtype.name).tiny) if array.dtype.kind == "f" else 1e-30


def _make_adjacent_rule(name: str) -> Rule:
    """Return the rule that makes one operation with a constant of two."""
    data, first, second = wildcard(), is_constant(), is_constant()

    @rule(is_relay_op(name)(is_relay_op(name)(data, first), second))
    def adjacent(call: Call, found: Found) -> Expr:
        constant = _fold(name, found[first], found[second])
        if constant is None or (name == "multiply" and _hides(found[first], found[second])):
            return call
        out = Call(call.op, (found[data], constant), span=call.span)
        return out if same_type(found, out, call) else call

    adjacent.name = f"adjacent {name}"
    return adjacent


_data, _addend, _multiplier = wildcard(), is_constant(), is_constant()


@rule(is_relay_op("multiply")(is_relay_op("add")(_data, _addend), _multiplier))
def switch_add_multiply(call: Call, found: Found) -> Expr:
    """Multiply before adding, so that products can be folded into weights."""
    constant = _fold("multiply", found[_addend], found[_multiplier])
    if constant is None:
        return call
    product = relay_call("multiply", found[_data], found[_multiplier], span=call.span)
    out = relay_call("add", product, constant, span=call.span)
    return out if same_type(found, out, call) else call


_twice = wildcard()


@rule(is_relay_op("add")(_twice, _twice))
def double(call: Call, found: Found) -> Expr:
    """Multiply by two what is added to itself."""
    ty = tensor_type(found, call)
    if ty is None or numpy_dtype(ty.dtype).kind not in "iuf":
        return call
    two = Constant(as_value(numpy_dtype(ty.dtype).type(2)))
    return relay_call("multiply", found[_twice], two, span=call.span)


def _make_full_elementwise_rule(name: str, *, first: bool) -> Rule:
    """Return the rule that puts a scalar in the place of a tensor filled with it."""
    other, tensor = wildcard(), make_filled_pattern()
    args = (tensor, other) if first else (other, tensor)

    @rule(is_relay_op(name)(*args))
    def full_elementwise(call: Call, found: Found) -> Expr:
        value = splat(found[tensor])
        if value is None or not same_type(found, found[other], call):
            return call
        scalar = Constant(as_value(value))
        left = call.args[0] is found[tensor]  # a commutative operator matches either way
        return call.with_fields(args=(scalar, found[other]) if left else (found[other], scalar))

    full_elementwise.name = f"{name} with a filled tensor"
    return full_elementwise


def _elementwise() -> list[str]:
    """Return the operators that combine the elements of two tensors."""
    return [
        name
        for name in list_ops(RELAY.name)
        if properties.pattern.get(relay_op(name)) is OpPattern.BROADCAST
        and properties.num_inputs.get(relay_op(name)) == 2
        and relay_op(name) not in properties.attrs_type
    ]


_numerator, _root = wildcard(), wildcard()


@rule(is_relay_op("divide")(_numerator, is_relay_op("sqrt")(_root)))
def reciprocal_root(call: Call, found: Found) -> Expr:
    """Divide by a root by its own operator."""
    rsqrt = relay_call("rsqrt", found[_root], span=call.span)
    if splat(found[_numerator]) == 1 and same_type(found, rsqrt, call):
        return rsqrt
    return relay_call("multiply", found[_numerator], rsqrt, span=call.span)


IDENTITIES: Final = RuleSet(
    [_make_neutral_rule(name, value) for name, (value, _) in NEUTRAL.items()]
)
ARITHMETIC: Final = RuleSet(
    [
        IDENTITIES,
        multiply_zero,
        *[
            _make_full_elementwise_rule(name, first=side)
            for name in _elementwise()
            for side in (True, False)
        ],
        _make_adjacent_rule("add"),
        _make_adjacent_rule("multiply"),
        switch_add_multiply,
        double,
        reciprocal_root,
    ]
)
