"""Digits of numbers: quotients and remainders that loops which are split and fused leave, tidied.

``(i * 32 + j) / 16`` is ``i * 2 + j / 16``, and ``i / 4 * 4 + i % 4`` is ``i``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from relayish.dataflow.lattice.interval import Interval
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import (
    LinearForm,
    exact_form,
    expr_of_form,
    interval_of_form,
    linear_form,
)
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.operators import Div, Expr, Mod, integer_of
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Load, Store, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.ir.type import Type
from relayish.tir.substitution import replace, substitute

N = TypeVar("N", bound=Node)

_MOST_NODES: Final = 256
"""How many nodes a quotient may have, or an index, to be looked through."""


def tidy_digits(root: N, context: Context, counts: Mapping[Var, Expr]) -> N:
    """Return a statement with quotients and remainders told by what is known of their operands.

    Args:
        root: The statement.
        context: What is known around it, but for ``counts``.
        counts: Variables that run from 0 on, each with how many values it has.

    Complexity:
        Linear in the number of distinct nodes: large operands stay what they are.
    """
    order = PROGRAM.post_order(root)
    if not any(isinstance(each, (Div, Mod)) for each in order):
        return root
    known = _ranges(root, context, counts)
    images: dict[Node, Node] = {}
    sizes: dict[Node, int] = {}
    for node in order:
        sizes[node] = 1 + sum([sizes.get(each, 0) for each in PROGRAM.children(node)])
        if isinstance(node, (Div, Mod)):
            image = _tidy(node, images, known) if sizes[node] <= _MOST_NODES else None
            if image is not None:
                images[node] = image
            continue
        for place in _places(node):
            if sizes[place] > _MOST_NODES or place in images:
                continue
            if place.type.is_integer and place.type.is_scalar:
                form = linear_form(substitute(place, images))
                joined = _joined(form)
                if joined is not form:
                    images[place] = expr_of_form(joined, place.type)
    return replace(root, images) if images else root


def _places(node: Node) -> Sequence[Expr]:
    """Return where sums matter that are divided no more: indices, values of blocks' variables."""
    if isinstance(node, ScheduleBlockRealize):
        return node.iter_values
    return node.indices if isinstance(node, (Load, Store)) else ()


def _tidy(node: Div | Mod, images: Mapping[Node, Node], context: Context) -> Expr | None:
    """Return a quotient or a remainder, told by what is known of its operands."""
    divisor = integer_of(node.b)
    if divisor is None or divisor < 2 or not node.type.is_integer or node.type.lanes > 1:
        return None
    number = substitute(node.a, images)
    if isinstance(node, Mod) and isinstance(number, Mod):
        more = integer_of(number.b)
        if more and more % divisor == 0:
            return number.a % divisor
    return _divided(number, divisor, context, isinstance(node, Div))


def _ranges(root: Node, context: Context, counts: Mapping[Var, Expr]) -> Context:
    """Return what is known of variables that loops of numbers of iterations tell."""
    ranges = {var: (0, integer_of(count)) for var, count in counts.items()}
    for node in STATEMENTS.pre_order(root):
        if isinstance(node, For):
            low = integer_of(node.min)
            if low is not None:
                ranges[node.loop_var] = (low, integer_of(node.extent))
    for var, (low, count) in ranges.items():
        if count is not None and count > 0:
            context = context.with_range(var, Interval(low, low + count - 1))
    return context


def _divided(expr: Expr, divisor: int, context: Context, is_quotient: bool) -> Expr | None:
    """Return the quotient, or the remainder, of a sum by a number; ``None`` where nothing is told.

    What is a multiple of the number is divided term by term, where neither that nor the rest is
    negative: so rounding towards zero is rounding down.
    """
    exact = exact_form(expr, context)
    if exact is None:
        return None
    form = _joined(exact)
    high = {term: by // divisor for term, by in form.terms.items() if by % divisor == 0}
    low = {term: by for term, by in form.terms.items() if by % divisor}
    quotient = LinearForm(form.constant // divisor, high)
    rest = LinearForm(form.constant % divisor, low)
    whole, below = interval_of_form(form, context), interval_of_form(rest, context)
    if whole.low < 0 or below.low < 0:
        return None
    ty = expr.type
    left = expr_of_form(rest, ty)
    if below.high < divisor:
        return expr_of_form(quotient, ty) if is_quotient else left
    if not high and not quotient.constant:
        return None if form is exact else _operation(form, divisor, ty, is_quotient)
    if not is_quotient:
        return _operation(rest, divisor, ty, is_quotient)
    return expr_of_form(quotient, ty) + _operation(rest, divisor, ty, is_quotient)


def _operation(form: LinearForm, divisor: int, ty: Type, is_quotient: bool) -> Expr:
    operand = expr_of_form(form, ty)
    return operand / divisor if is_quotient else operand % divisor


def _joined(form: LinearForm) -> LinearForm:
    """Return a form with numbers for their digits: ``x / a * a + x % a`` is ``x``."""
    found = form
    while True:
        joined = _joined_once(found)
        if joined is None:
            return found
        found = joined


def _joined_once(form: LinearForm) -> LinearForm | None:
    for high in form.terms:
        if isinstance(high, Div):
            for low in form.terms:
                number = _number(high, low, form)
                if number is not None:
                    others = {t: c for t, c in form.terms.items() if t is not high and t is not low}
                    return LinearForm(form.constant, others).plus(number)
    return None


def _number(high: Div, low: Expr, form: LinearForm) -> LinearForm | None:
    """Return what a quotient makes up with digits below it; ``None`` where these are others'.

    ``x / a * a + x % a`` is ``x``; ``x / a * (a / b) + x % a / b`` is ``x / b``.
    """
    above, factor, by = integer_of(high.b) or 0, form.coefficient(low), 1
    rest = low
    if isinstance(low, Div):
        rest, by = low.a, integer_of(low.b) or 0
    if not isinstance(rest, Mod) or by < 1 or above % by:
        return None
    if form.coefficient(high) != factor * (above // by) or not _same(rest, high):
        return None
    return linear_form(high.a if by == 1 else high.a / by).times(factor)


def _same(rest: Mod, quotient: Div) -> bool:
    """Return whether a remainder and a quotient are those of one number by another."""
    return all(
        one is other or structural_equal(one, other)
        for one, other in ((rest.a, quotient.a), (rest.b, quotient.b))
    )
