"""Refinement of environments by conditions: where variables lie once a condition has decided.

A comparison bounds both of its operands, and a bound of a sum or product bounds what it is made
of, going down from the whole to the variables (the backward pass of interval constraint
propagation, HC4). What may wrap around on the way is not looked through.

Source:
    Benhamou, Goualard, Granvilliers, Puget, Revising hull and box consistency, 1999.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeAlias

from relayish.dataflow.lattice import interval as intervals
from relayish.dataflow.lattice.symbols import BOTTOM, UNREACHABLE, Unreachable
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.flow.environments import (
    Environment,
    Environments,
    conditions_held,
    interval_held,
    within,
)
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Load, Var


class Lying(Protocol):
    """Tells where expressions lie."""

    def interval(self, expr: Expr) -> intervals.Interval:
        """Return an interval of all values of an integer expression."""


ValuesIn: TypeAlias = Callable[[Iterable[Node], Environment], Lying]
"""``values(exprs, environment)``: where some expressions and their operands lie."""

MOST_STEPS: Final = 1_000
"""How many connectives and operators of one condition are looked through."""

_JOIN: Final = "join"
_SWAP: Final = "swap"


def variable_read(expr: Node) -> Var | None:
    """Return the scalar variable whose value ``expr`` is, whether it is named or loaded."""
    if isinstance(expr, Load):
        expr = expr.tensor
    return expr if isinstance(expr, Var) else None


class Refinement:
    """Refines environments of one program.

    Args:
        values: Finds intervals of expressions.
        lattice: Joins what holds in either of two cases.
        is_known: Whether a variable may have an entry in environments.
    """

    def __init__(
        self,
        values: ValuesIn,
        lattice: Environments,
        is_known: Callable[[Var], bool],
    ) -> None:
        self._values = values
        self._lattice = lattice
        self._is_known = is_known

    def assume(
        self, condition: Expr, truth: bool, environment: Environment
    ) -> Environment | Unreachable:
        """Return what holds where the value of ``condition`` is ``truth``.

        Where one of two conditions holds, and which is not known, what holds is joined.

        Returns:
            ``environment`` itself where that tells nothing new; ``UNREACHABLE`` where the value
            is never that.

        Complexity:
            Linear in the size of ``condition``, of which no more than ``MOST_STEPS`` connectives
            are looked through; no recursion.
        """
        steps: list[tuple[Expr, bool] | str] = [(condition, truth)]
        found: list[Environment | Unreachable] = [environment]
        left = MOST_STEPS
        while steps:
            step = steps.pop()
            if step == _SWAP:
                found[-2:] = found[:-3:-1]
                continue
            if step == _JOIN:
                other = found.pop()
                found.append(self._lattice.join(found.pop(), other))
                continue
            assert not isinstance(step, str)
            each, holds = step
            before = found.pop()
            if before is UNREACHABLE or left <= 0:
                found.append(before)
                continue
            left -= 1
            match each:
                case ops.Not():
                    found.append(before)
                    steps.append((each.v, not holds))
                case ops.And() | ops.Or() if isinstance(each, ops.And) is holds:
                    found.append(before)
                    steps += ((each.b, holds), (each.a, holds))
                case ops.And() | ops.Or():
                    found += (before, before)
                    steps += (_JOIN, (each.b, holds), _SWAP, (each.a, holds))
                case _ if conditions := _conditions_of(each, before):
                    found.append(self.lie_within(each, _truth(holds), before))
                    steps += [(held, holds) for held in conditions]
                case _:
                    found.append(self._assume_atom(each, holds, before))
        return found[0]

    def lie_within(
        self, expr: Expr, interval: intervals.Interval, environment: Environment
    ) -> Environment | Unreachable:
        """Return what holds where ``expr``, a scalar integer, lies within ``interval``."""
        return self._lie_within(expr, interval, environment, self._values((expr,), environment))

    def _assume_atom(
        self, condition: Expr, truth: bool, environment: Environment
    ) -> Environment | Unreachable:
        if not (condition.type.is_bool and condition.type.is_scalar):
            return environment
        values = self._values((condition,), environment)
        if not values.interval(condition).holds(truth):
            return UNREACHABLE
        if not isinstance(condition, ops.ComparisonNode):
            return self._lie_within(condition, _truth(truth), environment, values)
        if not (condition.a.type.is_integer and condition.a.type == condition.b.type):
            return environment
        kind = type(condition) if truth else ops.NEGATED[type(condition)]
        a, b = values.interval(condition.a), values.interval(condition.b)
        left, right = _LEFT_OF[kind](a, b), _LEFT_OF[ops.MIRRORED[kind]](b, a)
        if left is BOTTOM or right is BOTTOM:
            return UNREACHABLE
        found = self._lie_within(condition.a, left, environment, values)
        if found is UNREACHABLE:
            return found
        return self._lie_within(condition.b, right, found, values)

    def _lie_within(
        self, expr: Expr, interval: intervals.Interval, environment: Environment, values: Lying
    ) -> Environment | Unreachable:
        """Return what holds where ``expr`` lies within ``interval``, its parts as told."""
        pending = [(expr, interval)]
        for _ in range(MOST_STEPS):
            if not pending:
                break
            each, wanted = pending.pop()
            var = variable_read(each)
            held = None if var is None else environment.get(var)
            found = interval_held(held) or values.interval(each)
            met = found.meet(wanted)
            if met is None:
                return UNREACHABLE
            if met == found:
                continue
            if var is None:
                pending += _below(each, met, values)
            elif self._is_known(var):
                environment = environment.set(var, within(held, met))
        return environment


def _below(
    expr: Expr, interval: intervals.Interval, values: Lying
) -> Iterator[tuple[Expr, intervals.Interval]]:
    """Yield operands of ``expr`` with where they lie if it lies within ``interval``."""
    ty = expr.type
    if isinstance(expr, ops.Minus):
        found = values.interval(expr.v)
        if type_range(ty).covers(intervals.sub(intervals.FALSE, found)):
            yield expr.v, intervals.sub(intervals.FALSE, interval)
        return
    if isinstance(expr, ops.Cast):
        source = expr.v.type
        converts = source.is_integer and not (ty.is_bool or source.is_bool)
        if converts and type_range(ty).covers(values.interval(expr.v)):
            yield expr.v, interval
        return
    if not isinstance(expr, (ops.Add, ops.Sub, ops.Mul)):
        return
    a, b = values.interval(expr.a), values.interval(expr.b)
    exact = _EXACT[type(expr)](a, b)
    if not type_range(ty).covers(exact):
        return
    if isinstance(expr, ops.Add):
        yield expr.a, intervals.sub(interval, b)
        yield expr.b, intervals.sub(interval, a)
    elif isinstance(expr, ops.Sub):
        yield expr.a, intervals.add(interval, b)
        yield expr.b, intervals.sub(a, interval)
    else:
        for operand, factor in ((expr.a, b), (expr.b, a)):
            if factor.is_point and factor.low:
                quotient = _quotient(interval, factor.low)
                if quotient is not None:
                    yield operand, quotient


def _conditions_of(expr: Expr, environment: Environment) -> frozenset[Expr]:
    """Return the conditions that a truth variable is the value of, as far as is known."""
    var = variable_read(expr)
    return conditions_held(None if var is None else environment.get(var))


def _truth(holds: bool) -> intervals.Interval:
    return intervals.TRUE if holds else intervals.FALSE


def _quotient(interval: intervals.Interval, factor: int) -> intervals.Interval | None:
    """Return the integers whose product with ``factor`` is within ``interval``, if there are."""
    low, high = interval if factor > 0 else (-interval.high, -interval.low)
    factor = abs(factor)
    low, high = -(-low // factor), high // factor
    return intervals.Interval(low, high) if low <= high else None


_LEFT_OF: Final[
    dict[
        type[Node], Callable[[intervals.AnyIntegers, intervals.AnyIntegers], intervals.AnyIntegers]
    ]
] = {
    ops.LT: intervals.where_less,
    ops.LE: intervals.where_less_equal,
    ops.GT: intervals.where_greater,
    ops.GE: intervals.where_greater_equal,
    ops.EQ: intervals.where_same,
    ops.NE: intervals.where_different,
}
"""Where the left operand of a comparison that holds lies, from where both did."""

_EXACT: Final[
    dict[type[Node], Callable[[intervals.Interval, intervals.Interval], intervals.Interval]]
] = {
    ops.Add: intervals.add,
    ops.Sub: intervals.sub,
    ops.Mul: intervals.mul,
}
