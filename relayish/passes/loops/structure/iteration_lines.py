"""Conditions over the iterations of a loop: from which one on, or up to which one, they hold."""

from __future__ import annotations

from typing import NamedTuple

from relayish.dataflow.lattice.interval import add
from relayish.passes.loops.simplify.fold_rules import fold_literals
from relayish.tir.analysis.facts.scopes import enter_loop
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.linear.linear_form import LinearForm, exact_form, interval_of_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.operators import GE, GT, LE, LT, ComparisonNode, Div, Expr, const
from relayish.tir.ir.stmt import For
from relayish.tir.ir.type import Type
from relayish.tir.rewriting.linear import build_sorted


class Line(NamedTuple):
    """A condition ``slope * k + start < 0``, where ``k`` counts iterations from 0 on.

    Attributes:
        slope: Not 0; a condition with a positive one holds up to some iteration.
        start: What else it depends on.
    """

    slope: int
    start: LinearForm

    def turn(self, ty: Type, outside: Context) -> Expr | None:
        """Return up to which iteration the condition holds, or from which one on.

        That is ``-start / slope``, rounded up. A quotient is rounded towards zero, which is right
        where it is positive, and else leaves zero at most, which is as good of a count.

        Args:
            ty: The type of the result.
            outside: What is known before the loop.

        Returns:
            ``None`` where it may be out of range. What is not positive says: 0.
        """
        step = abs(self.slope)
        sign, rounding = (-1, step - 1) if self.slope > 0 else (1, step)
        form = self.start.times(sign).shifted(rounding)
        if not type_range(ty).covers(interval_of_form(form, outside)):
            return None
        value = build_sorted(form, ty)
        return value if step == 1 else fold_literals(Div(value, const(step, ty)))


def line_of(loop: For, condition: Expr, inside: Context, outside: Context) -> Line | None:
    """Return a comparison as a line over the iterations of a loop, if it is one.

    Args:
        loop: A loop.
        condition: What is asked in each iteration.
        inside: What is known where that is.
        outside: What is known before the loop.
    """
    var = loop.loop_var
    if not isinstance(condition, (LT, LE, GT, GE)) or condition.a.type != loop.extent.type:
        return None
    if not loop.min.type == var.type == loop.extent.type or not var.type.is_scalar:
        return None
    form, low = _below_zero(condition, inside), exact_form(loop.min, outside)
    if form is None or low is None or not form.coefficient(var):
        return None
    last = add(interval_of_form(low, outside), interval_of(loop.extent, outside)).high - 1
    if last > type_range(var.type).high:
        return None  # the variable may wrap around
    slope = form.coefficient(var)
    return Line(slope, form.plus(Affine(0, {var: 1}), -slope).plus(low, slope))


def line_in(loop: For, condition: Expr, outside: Context) -> Line | None:
    """Return the same of a condition that is asked right inside of the loop."""
    return line_of(loop, condition, enter_loop(outside, loop), outside)


def _below_zero(condition: ComparisonNode, context: Context) -> LinearForm | None:
    """Return a form that is negative where a comparison holds, as an integer."""
    a, b = exact_form(condition.a, context), exact_form(condition.b, context)
    if a is None or b is None:
        return None
    lesser, greater = (a, b) if isinstance(condition, (LT, LE)) else (b, a)
    return lesser.plus(greater, -1).shifted(-int(isinstance(condition, (LE, GE))))
