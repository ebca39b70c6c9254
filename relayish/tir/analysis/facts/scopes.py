"""Flow-sensitive facts: what is known inside of loops, branches and blocks, from that outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from relayish.dataflow.lattice.interval import Interval, add
from relayish.ir.fields.roles import Access
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.linear.linear_form import LinearForm, exact_form, interval_of_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.interval_rules import interval_by_rules
from relayish.tir.ir import operators as ops
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.intrinsic import GetAddr
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import STATEMENTS


def context_of(root: IrNode) -> Context:
    """Return what is known at the outermost level of a program: which variables it assigns.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return Context(assigned_variables(root))


def assigned_variables(root: IrNode) -> frozenset[Var]:
    """Return the variables that some statement or call of ``root`` writes, by storing to them."""
    return assigned_among(PROGRAM.pre_order(root))


def assigned_among(nodes: Iterable[Node]) -> frozenset[Var]:
    """Return the variables that some of ``nodes`` writes."""
    return frozenset([var for _, var in assignments_among(nodes)])


def assignments_among(nodes: Iterable[Node]) -> Iterator[tuple[Node, Var]]:
    """Yield each of ``nodes`` that writes variables with each of these.

    Whoever takes the address of a variable may write it, so that counts as an assignment.
    """
    written = _WRITTEN
    for node in nodes:
        for name in written[type(node)]:
            for each in _each(getattr(node, name)):
                if isinstance(each, Var):
                    yield node, each


def _written_fields(kind: type[Node]) -> tuple[str, ...]:
    """Return the fields of a kind in which variables are written."""
    if kind is GetAddr:
        return ("data",)  # whoever has the address may
    return tuple([f.name for f in kind.fields_ if f.access & Access.WRITE])


_WRITTEN: Final = ByKind(_written_fields)


def assume(context: Context, condition: Expr, holds: bool = True) -> Context:
    """Return what is known where ``condition`` holds; with ``holds=False``, where it does not.

    What is not linear, may overflow, or depends on memory or assigned variables is not kept.

    Complexity:
        Linear in the size of ``condition``; no recursion.
    """
    pending = [(condition, holds)]
    while pending:
        each, truth = pending.pop()
        match each:
            case ops.Not():
                pending.append((each.v, not truth))
            case ops.And() if truth:
                pending += [(each.b, True), (each.a, True)]
            case ops.Or() if not truth:
                pending += [(each.b, False), (each.a, False)]
            case ops.ComparisonNode() if each.type.is_scalar and each.a.type.is_integer:
                context = _assume_comparison(context, each, truth)
            case _:
                context = _assume_truth(context, each, truth)
    return context


def enter_loop(context: Context, loop: stmts.For | stmts.PolyFor) -> Context:
    """Return what is known in the body of ``loop``, where an iteration runs."""
    return (
        _enter_for(context, loop) if isinstance(loop, stmts.For) else _enter_poly_for(context, loop)
    )


def bind(context: Context, var: Var, value: Expr) -> Context:
    """Return what is known where ``var`` names ``value``: after a ``Let``, in a schedule block."""
    inner = context.without((var,))
    if var in context.assigned or not value.type.is_integer or not var.type.is_scalar:
        return inner
    found = exact_form(value, context)
    inner = inner.with_range(var, interval_of(value, context))
    if found is not None and var not in found.terms:
        inner = _with_form(inner, found.plus(_form_of(var), -1), 0, 0)
    return inner.as_definition_in(context)


def enter_block(context: Context, realize: stmts.ScheduleBlockRealize) -> Context:
    """Return what is known in the body of the schedule block that ``realize`` runs."""
    block = realize.schedule_block
    inner = context.without(block.iter_vars)
    for var, value in zip(block.iter_vars, realize.iter_values, strict=False):
        inner = bind(inner, var, value)
    return inner


def children_with_contexts(stmt: IrNode, context: Context) -> Iterator[tuple[IrNode, Context]]:
    """Yield the statements right inside of ``stmt``, each with what is known where it runs.

    Args:
        stmt: A statement, or a function.
        context: What is known where ``stmt`` runs.
    """
    match stmt:
        case stmts.For() | stmts.PolyFor():
            yield stmt.body, enter_loop(context, stmt)
        case stmts.IfThenElse():
            yield stmt.true_case, assume(context, stmt.condition)
            if stmt.false_case is not None:
                yield stmt.false_case, assume(context, stmt.condition, holds=False)
        case stmts.ScheduleBlockRealize():
            yield stmt.schedule_block.body, enter_block(context, stmt)
        case stmts.Block():
            for each in stmt.stmts:
                yield each, context
                if isinstance(each, stmts.Let):
                    context = (
                        context.without((each.symbol,))
                        if each.body is None
                        else bind(context, each.symbol, each.body)
                    )
        case _:
            for held in STATEMENTS.children(stmt):
                assert isinstance(held, IrNode)
                yield held, context


def statements_with_contexts(
    root: IrNode, context: Context | None = None
) -> Iterator[tuple[IrNode, Context]]:
    """Yield ``root`` and all statements below it, outer ones first, with what is known there.

    Args:
        root: A statement, function or module.
        context: What is known where it runs; by default :func:`context_of` it.

    Complexity:
        Linear in the number of statements, and the size of bounds and conditions; no recursion.
        A statement that is shared comes once for each place it stands in.
    """
    outermost = context_of(root) if context is None else context
    pending: list[Iterator[tuple[IrNode, Context]]] = [iter([(root, outermost)])]
    while pending:
        found = next(pending[-1], None)
        if found is None:
            pending.pop()
            continue
        yield found
        pending.append(children_with_contexts(*found))


def _enter_for(context: Context, loop: stmts.For) -> Context:
    var = loop.loop_var
    inner = context.without((var,))
    if not all(each.type.is_integer for each in (var, loop.min, loop.extent)):
        return inner
    if isinstance(loop.min, ops.IntImm) and isinstance(loop.extent, ops.IntImm):  # as most are
        return _with_constant_range(inner, var, loop.min.value, loop.extent.value)
    first, count = interval_of(loop.min, context), interval_of(loop.extent, context)
    low = exact_form(loop.min, context)
    extent = exact_form(loop.extent, context)
    last = add(first, count).high - 1
    if low is None or extent is None:
        if type_range(var.type).covers(Interval(first.low, last)):
            inner = inner.with_range(var, Interval(first.low, last))
        return inner
    end = low.plus(extent)
    last = min(last, interval_of_form(end, context).high - 1)
    if not _mentions(extent, var, context):
        inner = _with_form(inner, extent, 1, None)
    if not type_range(var.type).covers(Interval(min(first.low, last), last)):
        return inner  # it may wrap around
    inner = inner.with_range(var, Interval(first.low, last))
    if low.terms and not _mentions(low, var, context):
        inner = _with_form(inner, _form_of(var).plus(low, -1), 0, None)
    if not _mentions(end, var, context):
        inner = _with_form(inner, end.plus(_form_of(var), -1), 1, None)
    return inner


def _with_constant_range(context: Context, var: Var, first: int, count: int) -> Context:
    """Return what is known where ``var`` is one of ``count`` numbers from ``first`` on."""
    if count < 1:
        return context.as_unreachable()
    values = Interval(first, first + count - 1)
    if not type_range(var.type).covers(values):
        return context
    return context.with_range(var, values).as_definition_in(context)


def _enter_poly_for(context: Context, loop: stmts.PolyFor) -> Context:
    """Return what is known while the condition holds, and if no step wraps around, of the start."""
    var = loop.iterator
    inner = context.without((var,))
    if var in context.assigned:
        return inner
    inner = assume(inner, loop.condition)
    if not all(each.type.is_integer for each in (var, loop.init, loop.inc)):
        return inner
    whole, step = type_range(var.type), interval_of(loop.inc, inner)
    start = interval_of(loop.init, context)
    steps = add(interval_of(var, inner), step)
    init = exact_form(loop.init, context)
    if init is not None and _mentions(init, var, context):
        init = None
    if step.low >= 0 and steps.high <= whole.high:
        inner = inner.with_range(var, Interval(start.low, whole.high))
        return inner if init is None else _with_form(inner, _form_of(var).plus(init, -1), 0, None)
    if step.high <= 0 and steps.low >= whole.low:
        inner = inner.with_range(var, Interval(whole.low, start.high))
        return inner if init is None else _with_form(inner, init.plus(_form_of(var), -1), 0, None)
    return inner


def _assume_comparison(context: Context, comparison: ops.ComparisonNode, truth: bool) -> Context:
    a = exact_form(comparison.a, context)
    b = exact_form(comparison.b, context)
    if a is None or b is None:
        return _assume_truth(context, comparison, truth)
    difference = a.plus(b, -1)
    kind = type(comparison) if truth else ops.NEGATED[type(comparison)]
    found = interval_of_form(difference, context)
    if kind is not ops.NE:
        low, high = _DIFFERENCES[kind]
        return _with_form(context, difference, low, high)
    if found.low == 0:
        return _with_form(context, difference, 1, None)
    if found.high == 0:
        return _with_form(context, difference, None, -1)
    return _assume_truth(context, comparison, truth)


_DIFFERENCES: Final[Mapping[type[Node], tuple[int | None, int | None]]] = {
    ops.LT: (None, -1), ops.LE: (None, 0), ops.GT: (1, None), ops.GE: (0, None), ops.EQ: (0, 0),
}  # fmt: skip
"""What the difference of integers lies within where a comparison holds."""


def _assume_truth(context: Context, condition: Expr, truth: bool) -> Context:
    """Return what is known where a condition of which no more can be told has that truth value."""
    if not (condition.type.is_bool and condition.type.is_scalar):
        return context
    known = interval_by_rules(condition, context)
    if known == Interval(int(truth), int(truth)):
        return context
    return context.with_fact(
        {context.numbers.number(condition): 1}, Interval(int(truth), int(truth))
    )


def _with_form(context: Context, form: LinearForm, low: int | None, high: int | None) -> Context:
    """Return what is known where the integer that ``form`` is lies in ``[low, high]`` as well."""
    found = interval_of_form(form, context)
    low = found.low if low is None else max(low, found.low)
    high = found.high if high is None else min(high, found.high)
    if not form.terms:
        return context if low <= high else context.as_unreachable()
    inner = context.with_fact(form.terms, Interval(low - form.constant, high - form.constant))
    if inner is context or not 1 < len(form.terms) <= _MOST_PROPAGATED:
        return inner
    for term, factor in form.terms.items():  # what that leaves for each term by itself
        rest = form.plus(Affine(0, {term: factor}), -1)
        others = interval_of_form(rest, inner)
        inner = inner.with_fact({term: factor}, Interval(low - others.high, high - others.low))
    return inner


def _form_of(var: Var) -> LinearForm:
    return Affine(0, {var: 1})


def _mentions(form: LinearForm, var: Var, context: Context) -> bool:
    """Return whether ``form`` depends on a variable, or on memory."""
    found = [context.numbers.stable_variables(term) for term in form.terms]
    return any(variables is None or var in variables for variables in found)


def _each(held: object) -> tuple[object, ...]:
    return held if isinstance(held, tuple) else (held,)


_MOST_PROPAGATED: Final = 8
"""Of how many terms a sum may consist for what is known of it to be told of each term."""
