"""Flow-insensitive ranges: what each variable of a program is at any time, and all it becomes.

A variable is bound once, so what its binder says of it holds wherever it is used. Branches say more
(:mod:`relayish.tir.analysis.facts.scopes`); here they are left out, so one walk finds all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.dataflow.lattice.interval import Interval
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import BOUND
from relayish.tir.analysis.facts.scopes import assigned_among
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm, exact_form, linear_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.interval_rules import integer_interval
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.operators import Expr, IntImm
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Var


class LoopRanges:
    """What is known of the variables of one program.

    Args:
        order: All that it evaluates, children before parents.

    Attributes:
        intervals: Where each variable lies; of others nothing but their types is known.
        bound: The variables that the program binds.
        complete: Those that become each value of their interval, whatever the variables
            around them are: those of loops, or axes, whose bounds are known numbers.

    Complexity:
        Linear in the binders and the sizes of what they say of their variables; no recursion.
    """

    def __init__(self, order: Sequence[Node]) -> None:
        self._context = Context(assigned_among(order))
        self._news: dict[Var, Interval] = {}
        self.intervals: dict[Node, Interval] = {}
        self.complete: set[Node] = set()
        self.bound: set[Node] = set()
        self._forms: dict[Node, LinearForm | None] = {}
        self._values: dict[Node, LinearForm] = {}
        for node in reversed(order):
            if isinstance(node, ScheduleBlockRealize):
                self._see_block(node)
                continue
            binds = BOUND[type(node)]
            if binds is None:
                continue
            self.bound.update(binds(node))
            if isinstance(node, For):
                self._see_loop(node)
            elif isinstance(node, Reduce):
                for axis in node.reduce_axis:
                    self._see_axis(axis)

    @property
    def context(self) -> Context:
        """What is known, for :mod:`relayish.tir.analysis`."""
        if self._news:
            self._context = self._context.with_ranges(self._news)
            self._news = {}
        return self._context

    def interval(self, expr: Expr) -> Interval:
        """Return an interval of all values of an integer expression, or of its elements."""
        if isinstance(expr, IntImm):
            return Interval(expr.value, expr.value)
        known = self.intervals.get(expr)
        if known is not None:
            return known
        return integer_interval(expr, self.context)

    def form(self, expr: Expr) -> LinearForm | None:
        """Return the linear form of an integer, with what it is given for each variable of a block.

        Returns:
            ``None`` where it may wrap around.
        """
        found = exact_form(expr, self.context)
        return None if found is None else self._without_block_variables(found, self._forms)

    def form_modulo(self, expr: Expr) -> LinearForm:
        """Return the same but for multiples of ``2 ** bits``, which integers wrap around by."""
        found = linear_form(expr, self.context)
        of_this_type: dict[Node, LinearForm | None] = {
            term: self._values[term]
            for term in found.terms
            if term in self._values and term.type.scalar == expr.type.scalar
        }
        return self._without_block_variables(found, of_this_type)

    def extremes(self, form: LinearForm) -> Interval | None:
        """Return the least and the greatest value that ``form`` becomes for certain.

        Returns:
            ``None`` where that is not known: where it depends on what is no complete variable.
        """
        low = high = form.constant
        for term, factor in form.terms.items():
            if term not in self.complete:
                return None
            ends = [factor * end for end in self.intervals[term]]
            low, high = low + min(ends), high + max(ends)
        return Interval(low, high)

    @staticmethod
    def _without_block_variables(
        form: LinearForm, values: Mapping[Node, LinearForm | None]
    ) -> LinearForm:
        """Return a form with what variables of schedule blocks are given in place of these."""
        found = Affine[Expr](form.constant, {})
        for term, factor in form.terms.items():
            value = values.get(term)
            alone = Affine(0, {term: 1})
            found = found.plus(alone if value is None else value, factor)
        return found

    def _see_loop(self, loop: For) -> None:
        variable = loop.loop_var
        if not all(each.type.is_integer for each in (variable, loop.min, loop.extent)):
            return
        first, count = self.interval(loop.min), self.interval(loop.extent)
        if count.high > 0:
            self._note(
                variable,
                Interval(first.low, first.high + count.high - 1),
                complete=first.is_point and count.is_point,
            )

    def _see_axis(self, axis: Var) -> None:
        low, high = axis.lower_bound, axis.upper_bound
        if low is None or high is None or not (low.type.is_integer and high.type.is_integer):
            return
        first, end = self.interval(low), self.interval(high)
        if first.low < end.high:
            complete = first.is_point and end.is_point
            self._note(axis, Interval(first.low, end.high - 1), complete=complete)

    def _see_block(self, realize: ScheduleBlockRealize) -> None:
        for variable, value in zip(
            realize.schedule_block.iter_vars, realize.iter_values, strict=False
        ):
            if value.type.is_integer and value.type == variable.type:
                self._forms[variable] = self.form(value)
                self._values[variable] = self.form_modulo(value)
                self._note(variable, self.interval(value), complete=False)

    def _note(self, variable: Var, found: Interval, *, complete: bool) -> None:
        """Note where a variable lies, unless it may wrap around, or is assigned to."""
        if variable in self._context.assigned or not type_range(variable.type).covers(found):
            return
        self.intervals[variable] = found
        self._news[variable] = found
        if complete:
            self.complete.add(variable)
