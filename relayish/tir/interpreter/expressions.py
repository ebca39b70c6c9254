"""Expressions of scalars and vectors as lines of Python."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, TypeAlias

import numpy as np

from relayish.errors import UnsupportedError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.tir.interpreter import arrays
from relayish.tir.interpreter.compiler import RULES, Compiler, require
from relayish.tir.interpreter.numbers import literal, maker, round_to
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr, integer_range
from relayish.tir.ir.tensor import Buffer, BufferRange, Tensor, Var
from relayish.tir.ir.type import Type

Names: TypeAlias = Generator[Node, str, str]

_INTEGER_TEXT: Final[dict[type[Node], str]] = {
    ops.Add: "{a} + {b}",
    ops.Sub: "{a} - {b}",
    ops.Mul: "{a} * {b}",
    ops.Div: "{a} // {b} if {a} >= 0 < {b} else divide({a}, {b}, {high})",
    ops.FracOp: "divide_exactly({a}, {b}, {high})",
    ops.Mod: "{a} % {b} if {a} >= 0 < {b} else remainder({a}, {b})",
    ops.Min: "{a} if {a} < {b} else {b}",
    ops.Max: "{a} if {a} > {b} else {b}",
}
_FLOAT_TEXT: Final[dict[type[Node], str]] = {
    **_INTEGER_TEXT,
    ops.Div: "{a} / {b}",
    ops.FracOp: "{a} / {b}",
    ops.Mod: "fmod({a}, {b})",
}
_COMPARISON_TEXT: Final[dict[type[Node], str]] = {
    ops.EQ: "{a} == {b}",
    ops.NE: "{a} != {b}",
    ops.LT: "{a} < {b}",
    ops.LE: "{a} <= {b}",
    ops.GT: "{a} > {b}",
    ops.GE: "{a} >= {b}",
}
_CONNECTIVE_TEXT: Final[dict[type[Node], str]] = {
    ops.And: "bool({a}) & bool({b})",
    ops.Or: "bool({a}) | bool({b})",
}
_WRAPPING: Final = frozenset({ops.Add, ops.Sub, ops.Mul})


def assign_wrapped(c: Compiler, text: str, given: Type) -> str:
    """Add lines that compute an integer and let it wrap around, and return its name."""
    low, high = integer_range(given)
    made = c.unit.assign(text)
    c.unit.line(f"if not {low} <= {made} <= {high}: {made} = {_wrapped(made, given)}")
    return made


def _wrapped(name: str, given: Type) -> str:
    low, high = integer_range(given)
    return f"({name} - {low} & {high - low}) + {low}" if low else f"{name} & {high}"


def compute(c: Compiler, kind: type[ops.BinaryOpNode], a: str, b: str, given: Type) -> str:
    """Add lines for an operator with operands of one type, and return the name of its value."""
    if given.is_vector:
        return c.unit.assign(f"{c.unit.capture(arrays.binary(kind, given))}({a}, {b})")
    if kind in _COMPARISON_TEXT:
        return c.unit.assign(_COMPARISON_TEXT[kind].format(a=a, b=b))
    if kind in _CONNECTIVE_TEXT:
        return c.unit.assign(_CONNECTIVE_TEXT[kind].format(a=a, b=b))
    if given.is_float:
        return c.unit.assign(_FLOAT_TEXT[kind].format(a=a, b=b))
    text = _INTEGER_TEXT[kind].format(a=a, b=b, high=integer_range(given)[1])
    return assign_wrapped(c, text, given) if kind in _WRAPPING else c.unit.assign(text)


def _require_numbers(node: Expr, given: Type) -> None:
    require(
        given.is_numeric and not given.is_bool,
        lambda: f"{_name(node)} is given operands of type {given}; expected numbers",
    )


def _require_same(node: Expr, a: Type, b: Type) -> None:
    require(
        a == b,
        lambda: f"{_name(node)} is given operands of types {a} and {b}; both must have one type",
    )


def _name(node: Node) -> str:
    return type(node).__name__


def _literal(c: Compiler, node: ops.IntImm | ops.UIntImm | ops.FloatImm) -> str:
    require(node.type.is_numeric, lambda: f"{one_line(node)} is no number of type {node.type}")
    return c.unit.capture(literal(node.value, node.type))


def _string(c: Compiler, node: ops.StringImm) -> str:
    return c.unit.capture(node.value)


def _variable(c: Compiler, var: Var) -> str:
    return c.read_variable(var)


def _arithmetic(c: Compiler, node: ops.BinaryOpNode) -> Names:
    a = yield node.a
    b = yield node.b
    _require_same(node, node.a.type, node.b.type)
    _require_numbers(node, node.a.type)
    return compute(c, type(node), a, b, node.a.type)


def _comparison(c: Compiler, node: ops.ComparisonNode) -> Names:
    a = yield node.a
    b = yield node.b
    _require_same(node, node.a.type, node.b.type)
    require(
        node.a.type.is_numeric, lambda: f"{_name(node)} is given operands of type {node.a.type}"
    )
    return compute(c, type(node), a, b, node.a.type)


def _connective(c: Compiler, node: ops.PredicateNode) -> Names:
    a = yield node.a
    b = yield node.b
    _require_same(node, node.a.type, node.b.type)
    require(
        node.a.type.is_bool,
        lambda: f"{_name(node)} is given operands of type {node.a.type}; expected truth values",
    )
    return compute(c, type(node), a, b, node.a.type)


def _minus(c: Compiler, node: ops.Minus) -> Names:
    v = yield node.v
    _require_numbers(node, node.type)
    if node.type.is_vector:
        return c.unit.assign(f"{c.unit.capture(arrays.negated)}({v})")
    if node.type.is_float:
        return c.unit.assign(f"-{v}")
    return assign_wrapped(c, f"-{v}", node.type)


def _not(c: Compiler, node: ops.Not) -> Names:
    v = yield node.v
    require(
        node.type.is_bool,
        lambda: f"Not is given a value of type {node.type}; expected a truth value",
    )
    return c.unit.assign(f"~{v}" if node.type.is_vector else f"not {v}")


def _nary(c: Compiler, node: ops.NaryOpNode) -> Names:
    kind: type[ops.BinaryOpNode] = ops.Add if isinstance(node, ops.Sum) else ops.Mul
    if not node.operands:
        return c.unit.capture(0 if kind is ops.Add else 1)
    _require_numbers(node, node.type)
    made = yield node.operands[0]
    for operand in node.operands[1:]:
        value = yield operand
        _require_same(node, node.type, operand.type)
        c.unit.node = node
        made = compute(c, kind, made, value, node.type)
    return made


def _select(c: Compiler, node: ops.Select) -> Names:
    condition = yield node.condition
    a = yield node.true_value
    b = yield node.false_value
    found = node.condition.type
    require(
        found.is_bool and found.lanes in (1, node.type.lanes),
        lambda: f"the condition of a Select of {node.type} is of type {found}",
    )
    _require_same(node, node.true_value.type, node.false_value.type)
    if found.is_vector:
        return c.unit.assign(f"{c.unit.capture(np.where)}({condition}, {a}, {b})")
    return c.unit.assign(f"{a} if {condition} else {b}")


def _cast(c: Compiler, node: ops.Cast) -> Names:
    v = yield node.v
    source, target = node.v.type, node.dtype
    require(
        source.is_numeric and target.is_numeric and source.lanes == target.lanes,
        lambda: (
            f"a value of type {source} cannot be cast to {target}; numbers of as many lanes can"
        ),
    )
    return convert(c, v, source, target)


def convert(c: Compiler, v: str, source: Type, target: Type) -> str:
    """Add lines that convert a value, and return the name of what it becomes."""
    unit = c.unit
    if source == target:
        return v
    if source.is_vector:
        return unit.assign(f"{unit.capture(arrays.caster(source, target))}({v})")
    if target.is_bool:
        return unit.assign(f"{v} != 0")
    if source.is_float:
        if target.is_integer:
            return unit.assign(f"truncate({v}, {unit.capture(target)})")
        return unit.assign(f"{unit.capture(round_to(target))}({v})")
    if target.is_integer:
        return _convert_integer(c, v, source, target)
    if source.bits < 64:
        return unit.assign(f"{unit.capture(maker(target))}({v})")
    wide = unit.capture(source.numpy.type)
    return unit.assign(f"{unit.capture(round_to(target))}({wide}({v}))")


def _convert_integer(c: Compiler, v: str, source: Type, target: Type) -> str:
    if source.is_bool:
        return c.unit.assign(f"int({v})")
    low, high = integer_range(target)
    least, most = integer_range(source)
    if low <= least and most <= high:
        return v
    return c.unit.assign(_wrapped(v, target))


def _ramp(c: Compiler, node: ops.Ramp) -> Names:
    base = yield node.base
    stride = yield node.stride
    _require_same(node, node.base.type, node.stride.type)
    require(node.base.type.is_scalar, lambda: "a Ramp of vectors is none; base is a scalar")
    _require_numbers(node, node.base.type)
    require(node.lanes > 0, lambda: f"a Ramp of {node.lanes} lanes is none; it has one or more")
    if node.lanes == 1:
        return base
    ramp, dtype = c.unit.capture(arrays.ramp), c.unit.capture(node.type.numpy)
    return c.unit.assign(f"{ramp}({base}, {stride}, {c.unit.capture(node.lanes)}, {dtype})")


def _broadcast(c: Compiler, node: ops.Broadcast) -> Names:
    value = yield node.value
    given = node.value.type
    require(
        given.is_scalar and given.is_numeric, lambda: f"a value of type {given} cannot be broadcast"
    )
    require(node.lanes > 0, lambda: f"a vector of {node.lanes} lanes is none; it has one or more")
    if node.lanes == 1:
        return value
    spread, dtype = c.unit.capture(arrays.spread), c.unit.capture(node.type.numpy)
    return c.unit.assign(f"{spread}({value}, {c.unit.capture(node.lanes)}, {dtype})")


def _no_value(_c: Compiler, node: Expr) -> str:
    raise UnsupportedError(f"{one_line(node)} is no number, and is used as one; load an element")


RULES.register(ops.IntImm, _literal)
RULES.register(ops.UIntImm, _literal)
RULES.register(ops.FloatImm, _literal)
RULES.register(ops.StringImm, _string)
RULES.register(Var, _variable)
RULES.register(ops.BinaryOpNode, _arithmetic)
RULES.register(ops.ComparisonNode, _comparison)
RULES.register(ops.PredicateNode, _connective)
RULES.register(ops.Minus, _minus)
RULES.register(ops.Not, _not)
RULES.register(ops.NaryOpNode, _nary)
RULES.register(ops.Select, _select)
RULES.register(ops.Cast, _cast)
RULES.register(ops.Ramp, _ramp)
RULES.register(ops.Broadcast, _broadcast)
RULES.register(Tensor, _no_value)
RULES.register(Buffer, _no_value)
RULES.register(BufferRange, _no_value)
