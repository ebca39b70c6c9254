"""Intervals of expressions, from those of their operands: a rule for each kind of node.

Exact arithmetic comes first and is then wrapped around, so an operation that may overflow has the
whole range of its type. Kinds without a rule have that as well, or any float.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from relayish.dataflow.lattice import interval as arithmetic
from relayish.dataflow.lattice.interval import EITHER, FALSE, TRUE, AnyIntegers, Interval, Strict
from relayish.dataflow.lattice.symbols import BOTTOM
from relayish.errors import OperatorError
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import (
    ANY_FLOAT,
    AnyInterval,
    FloatInterval,
    float_corners,
    float_of,
    type_range,
    wrap,
)
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.operators import LT, Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import NODES

Compute: TypeAlias = Callable[..., AnyInterval | None]
"""``compute(node, *intervals)``: that of a node from those of what the rule needs.

``None``: nothing is known but the type. Results may leave the range of an integer type: they are
wrapped around."""


_I = TypeVar("_I", Interval, FloatInterval)


def _nothing(_: object) -> Sequence[Expr]:
    return ()


class IntervalRule(NamedTuple):
    """How the interval of a node is found.

    Attributes:
        compute: ``compute(node, *intervals)``: the interval from those of what ``needs`` tells;
            exact, if of integers: it is wrapped around. ``None``: nothing is known but the type.
        needs: What has to be known before; all of numbers or truth values.
    """

    compute: Compute
    needs: Callable[[Any], Sequence[Expr]] = _nothing  # Any: a node of one kind


def interval_by_rules(expr: Expr, context: Context) -> AnyInterval:
    """Return an interval of all values that ``expr``, or an element of it, may have.

    Complexity:
        Linear in the number of distinct nodes that ``context`` was not asked for; no recursion.

    Raises:
        OperatorError: If ``expr`` is no number and no truth value.
    """
    memo = context.intervals
    found = memo.get(expr)
    if found is not None:
        return found
    any_value(expr)
    needs = INTERVAL_RULES[type(expr)].needs(expr)
    if all(map(memo.__contains__, needs)):
        found = memo[expr] = _interval_of_node(expr, context)
        return found

    def needed(node: Node) -> Sequence[Node]:
        return () if node in memo else INTERVAL_RULES[type(node)].needs(node)

    for node in NODES.order_after(expr, needed):
        if node not in memo:
            assert isinstance(node, Expr)
            memo[node] = _interval_of_node(node, context)
    return memo[expr]


def any_value(expr: Expr) -> AnyInterval:
    """Return the interval of all values of the type of ``expr``.

    Raises:
        OperatorError: If ``expr`` is no number and no truth value.
    """
    ty = expr.type
    if ty.is_integer:
        return type_range(ty)
    if ty.is_float:
        return ANY_FLOAT
    raise OperatorError(
        f"{one_line_at(expr)} is of type {ty}; expected a number or a truth value, which alone "
        f"have intervals"
    )


def integer_interval(expr: Expr, context: Context) -> Interval:
    """Return the interval that :func:`interval_by_rules` finds of integers or truth values.

    Raises:
        OperatorError: If ``expr`` is of another type, or has operands of one.
    """
    found = interval_by_rules(expr, context)
    if isinstance(found, Interval):
        return found
    raise OperatorError(
        f"{one_line_at(expr)} is of type {expr.type}; expected integers or truth values"
    )


def _interval_of_node(node: Expr, context: Context) -> AnyInterval:
    if not node.type.is_integer:
        return _compute(node, context, ANY_FLOAT)
    whole = type_range(node.type)
    known = _known(node, context)
    if known is not None and type(node) is Var:
        return known.meet(whole) or whole
    found = wrap(_compute(node, context, whole), node.type)
    return found if known is None else known.meet(found) or found


def _compute(node: Expr, context: Context, whole: _I) -> _I:
    """Return what the rule for ``node`` finds; ``whole`` where that is nothing, or ill-typed."""
    rule = INTERVAL_RULES[type(node)]
    found = rule.compute(node, *[context.intervals[each] for each in rule.needs(node)])
    return found if isinstance(found, type(whole)) else whole


def _known(node: Expr, context: Context) -> Interval | None:
    """Return what was said of ``node`` itself, of a variable or of all that is computed alike."""
    if type(node) is Var:
        return context.interval_of_term(node)
    if not context.knows_computed:
        return None
    return context.interval_of_term(context.numbers.number(node))


def _binary(integers: Strict[AnyIntegers], floats: Compute | None = None) -> IntervalRule:
    def compute(node: ops.BinaryOpNode, a: AnyInterval, b: AnyInterval) -> AnyInterval | None:
        if isinstance(a, Interval) and isinstance(b, Interval):
            found = integers(a, b)
            return None if found is BOTTOM else found
        if floats is None or isinstance(a, Interval) or isinstance(b, Interval):
            return None
        return floats(a, b, node.type.scalar)

    return IntervalRule(compute, lambda node: (node.a, node.b))


def _add_floats(a: FloatInterval, b: FloatInterval, ty: Any) -> FloatInterval:  # Any: a Type
    return float_corners(operator.add, a, b, ty)


def _sub_floats(a: FloatInterval, b: FloatInterval, ty: Any) -> FloatInterval:  # Any: a Type
    return float_corners(operator.sub, a, b, ty)


def _mul_floats(a: FloatInterval, b: FloatInterval, ty: Any) -> FloatInterval:  # Any: a Type
    if not all(math.isfinite(value) for value in (*a[:2], *b[:2])):
        return ANY_FLOAT  # 0 times infinity may be inside, and is NaN
    return float_corners(operator.mul, a, b, ty)


def _min_floats(a: FloatInterval, b: FloatInterval, _: Any) -> FloatInterval:  # Any: a Type
    low, high = min(a.low, b.low), min(a.high, b.high)
    return FloatInterval(low, max(high, b.high) if a.nan or b.nan else high, b.nan)


def _max_floats(a: FloatInterval, b: FloatInterval, _: Any) -> FloatInterval:  # Any: a Type
    low, high = max(a.low, b.low), max(a.high, b.high)
    return FloatInterval(min(low, b.low) if a.nan or b.nan else low, high, b.nan)


def _minus(node: ops.Minus, v: AnyInterval) -> AnyInterval:  # noqa: ARG001
    if isinstance(v, Interval):
        return Interval(-v.high, -v.low)
    return FloatInterval(-v.high, -v.low, v.nan)


def _fold(integers: Compute, floats: Compute) -> IntervalRule:
    def compute(node: ops.NaryOpNode, *given: AnyInterval) -> AnyInterval | None:
        if not given:
            return None
        found: AnyInterval | None = given[0]
        for each in given[1:]:
            if isinstance(found, Interval) and isinstance(each, Interval):
                found = integers(found, each)
                assert isinstance(found, Interval)
                found = wrap(found, node.type)
            elif isinstance(found, FloatInterval) and isinstance(each, FloatInterval):
                found = floats(found, each, node.type.scalar)
            else:
                return None
        return found

    return IntervalRule(compute, lambda node: node.operands)


def compare(kind: type[Node], a: AnyInterval, b: AnyInterval) -> Interval:
    """Return the truth values of the comparison of class ``kind`` of two numbers.

    Example:
        >>> compare(LT, Interval(0, 3), Interval(4, 9))
        Interval(low=1, high=1)
        >>> compare(LT, FloatInterval(0, 3, nan=True), FloatInterval(4, 9, nan=False))
        Interval(low=0, high=1)
    """
    strict, swapped, negated = _COMPARISONS[kind]
    if swapped:
        a, b = b, a
    nan = (isinstance(a, FloatInterval) and a.nan) or (isinstance(b, FloatInterval) and b.nan)
    if strict is None:
        always = a.low == a.high == b.low == b.high
        never = a.high < b.low or b.high < a.low
    elif strict:
        always, never = a.high < b.low, a.low >= b.high
    else:
        always, never = a.high <= b.low, a.low > b.high
    if always and not nan:
        return FALSE if negated else TRUE
    if never:  # with a NaN as well: all comparisons but NE are false then
        return TRUE if negated else FALSE
    return EITHER


_COMPARISONS: Final[dict[type[Node], tuple[bool | None, bool, bool]]] = {
    LT: (True, False, False),
    ops.LE: (False, False, False),
    ops.GT: (True, True, False),
    ops.GE: (False, True, False),
    ops.EQ: (None, False, False),
    ops.NE: (None, False, True),
}
"""Whether a comparison is strict, ``None`` of equality; whether operands are swapped; negated."""


def _comparison(node: ops.ComparisonNode, a: AnyInterval, b: AnyInterval) -> Interval:
    return compare(type(node), a, b)


def hull(a: AnyInterval, b: AnyInterval) -> AnyInterval | None:
    """Return the smallest interval that covers both; ``None`` of an integer and a float."""
    if isinstance(a, Interval):
        return a.hull(b) if isinstance(b, Interval) else None
    return a.hull(b) if isinstance(b, FloatInterval) else None


def _select(
    node: ops.Select,  # noqa: ARG001 - as of all rules
    condition: AnyInterval,
    true: AnyInterval,
    false: AnyInterval,
) -> AnyInterval | None:
    if isinstance(condition, Interval) and condition.is_point:
        return true if condition.low else false
    return hull(true, false)


def _cast(node: ops.Cast, v: AnyInterval) -> AnyInterval | None:
    ty = node.type.scalar
    if ty.is_float:
        return float_of(v, ty)
    if ty.is_bool:
        zero = FloatInterval(0.0, 0.0, nan=False) if isinstance(v, FloatInterval) else FALSE
        return compare(ops.NE, v, zero)
    if isinstance(v, Interval):
        return v
    if not (math.isfinite(v.low) and math.isfinite(v.high)):
        return None
    found = Interval(math.trunc(v.low), math.trunc(v.high))
    return found.meet(type_range(ty))  # what is out of range, or NaN, is an error


def _ramp(node: ops.Ramp, base: AnyInterval, stride: AnyInterval) -> AnyInterval | None:
    if isinstance(base, Interval) and isinstance(stride, Interval):
        return arithmetic.add(base, arithmetic.mul(Interval(0, node.lanes - 1), stride))
    return None


def _bounds_needed(var: Var) -> Sequence[Expr]:
    if not var.type.is_integer:
        return ()
    bounds = (var.lower_bound, var.upper_bound)
    return [bound for bound in bounds if bound is not None and bound.type.is_integer]


def _var(var: Var, *bounds: Interval) -> AnyInterval | None:
    """Return what the bounds of a variable say of it."""
    if not bounds:
        return None
    whole = type_range(var.type)
    has_upper = var.upper_bound is not None and var.upper_bound.type.is_integer
    has_lower = len(bounds) > has_upper
    low = bounds[0].low if has_lower else whole.low
    high = bounds[-1].high - 1 if has_upper else whole.high
    return Interval(low, high).meet(whole) if low <= high else None


def _reduce(node: Reduce, *chosen_from: AnyInterval) -> AnyInterval | None:  # noqa: ARG001
    """Return the values of a reduction that makes no new ones: those of init and of bodies."""
    return hull(*chosen_from) if chosen_from else None


def _reduce_needed(node: Reduce) -> Sequence[Expr]:
    return (node.init, node.body) if node.reduce_type in (ReduceType.MIN, ReduceType.MAX) else ()


INTERVAL_RULES: Final[KindTable[IntervalRule]] = KindTable(
    "the analysis of intervals",
    "relayish.tir.analysis.INTERVAL_RULES",
    {
        Expr: IntervalRule(lambda _: None),
        Var: IntervalRule(_var, _bounds_needed),
        ops.IntImm: IntervalRule(lambda node: Interval(node.value, node.value)),
        ops.UIntImm: IntervalRule(lambda node: Interval(node.value, node.value)),
        ops.FloatImm: IntervalRule(
            lambda node: (
                ANY_FLOAT
                if math.isnan(node.value)
                else float_of(FloatInterval(node.value, node.value, nan=False), node.type)
            )
        ),
        ops.Add: _binary(arithmetic.add, _add_floats),
        ops.Sub: _binary(arithmetic.sub, _sub_floats),
        ops.Mul: _binary(arithmetic.mul, _mul_floats),
        ops.Div: _binary(arithmetic.div),
        ops.FracOp: _binary(arithmetic.div),
        ops.Mod: _binary(arithmetic.mod),
        ops.Min: _binary(arithmetic.smaller, _min_floats),
        ops.Max: _binary(arithmetic.larger, _max_floats),
        ops.And: _binary(arithmetic.smaller),
        ops.Or: _binary(arithmetic.larger),
        ops.Not: IntervalRule(lambda _, v: Interval(1 - v.high, 1 - v.low), lambda node: (node.v,)),
        ops.Minus: IntervalRule(_minus, lambda node: (node.v,)),
        ops.ComparisonNode: IntervalRule(_comparison, lambda node: (node.a, node.b)),
        ops.Sum: _fold(arithmetic.add, _add_floats),
        ops.Product: _fold(arithmetic.mul, _mul_floats),
        ops.Select: IntervalRule(
            _select, lambda node: (node.condition, node.true_value, node.false_value)
        ),
        ops.Cast: IntervalRule(_cast, lambda node: (node.v,)),
        ops.Broadcast: IntervalRule(lambda _, value: value, lambda node: (node.value,)),
        ops.Ramp: IntervalRule(_ramp, lambda node: (node.base, node.stride)),
        Reduce: IntervalRule(_reduce, _reduce_needed),
    },
)
