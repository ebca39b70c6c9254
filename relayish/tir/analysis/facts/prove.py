"""Proofs of conditions: whether one always holds, never does, or neither is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

from relayish.dataflow.lattice.interval import EITHER, FALSE, TRUE, Interval
from relayish.errors import OperatorError
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.linear.linear_facts import possible_signs
from relayish.tir.analysis.linear.linear_form import (
    LinearForm,
    interval_of_form,
    linear_form,
    without_overflow,
)
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval_rules import compare, interval_by_rules
from relayish.tir.ir.operators import EQ, NE, And, ComparisonNode, Expr, Not, Or
from relayish.tir.ir.traversal import NODES


def can_prove(condition: Expr, context: Context | None = None) -> bool | None:
    """Return whether ``condition``, a truth value, is known to hold; ``None`` if neither is known.

    Of a vector, ``True`` says that all elements hold, ``False`` that none does.

    Args:
        condition: Connectives of comparisons, and of other truth values.
        context: What is known where it is evaluated.

    Raises:
        OperatorError: If ``condition`` is no truth value.

    Complexity:
        Linear in the size of ``condition``, but for sums of which several things are known: these
        are decided together, up to a limit. No recursion.

    Example:
        >>> from relayish import tir
        >>> from relayish.tir.analysis.facts.scopes import context_of, enter_loop
        >>> i, n = tir.Var("i"), tir.Var("n")
        >>> loop = tir.For(i, 0, n, tir.Block(()))
        >>> known = enter_loop(context_of(loop), loop)
        >>> can_prove(i < n, known), can_prove(i + 1 <= 0, known), can_prove(i < 5, known)
        (True, False, None)
    """
    context = Context() if context is None else context
    if not condition.type.is_bool:
        raise OperatorError(
            f"{one_line_at(condition)} is of type {condition.type}; expected a truth value"
        )
    found: dict[Node, Interval] = {}
    for node in NODES.order_after(condition, _connected):
        assert isinstance(node, Expr)
        match node:
            case Not():
                value = found[node.v]
                found[node] = Interval(1 - value.high, 1 - value.low)
            case And():
                a, b = found[node.a], found[node.b]
                found[node] = Interval(min(a.low, b.low), min(a.high, b.high))
            case Or():
                a, b = found[node.a], found[node.b]
                found[node] = Interval(max(a.low, b.low), max(a.high, b.high))
            case _:
                found[node] = EITHER
        if found[node] == EITHER and node.type.is_bool:
            found[node] = _truth(node, context)
    value = found[condition]
    return bool(value.low) if value.is_point else None


def _connected(node: Node) -> Sequence[Expr]:
    match node:
        case Not():
            return (node.v,)
        case And() | Or():
            return (node.a, node.b)
    return ()


def _truth(condition: Expr, context: Context) -> Interval:
    """Return the truth values that ``condition`` may have."""
    found = interval_by_rules(condition, context)
    assert isinstance(found, Interval)
    if found.is_point or not isinstance(condition, ComparisonNode):
        return found
    if not condition.a.type.is_integer or condition.a.type != condition.b.type:
        return found
    if context.numbers.is_impure(condition):
        return found
    a, b = linear_form(condition.a, context), linear_form(condition.b, context)
    difference = a.plus(b, -1)
    if isinstance(condition, (EQ, NE)):
        zero = _is_zero(difference, condition.a.type.bits)
        if zero is not None:
            return TRUE if zero == isinstance(condition, EQ) else FALSE
    exact_a, exact_b = (without_overflow(each, condition.a.type, context) for each in (a, b))
    if exact_a is None or exact_b is None:
        return found
    difference = exact_a.plus(exact_b, -1)
    found = compare(type(condition), interval_of_form(difference, context), FALSE)
    if found.is_point:
        return found
    signs = possible_signs(difference, context)
    if isinstance(condition, (EQ, NE)) and not signs.zero:
        return FALSE if isinstance(condition, EQ) else TRUE
    truths: set[Interval] = set()
    for sign, name in ((-1, "negative"), (1, "positive"), (0, "zero")):
        truth = compare(type(condition), Interval(sign, sign), FALSE)
        if truth not in truths and getattr(signs, name):
            truths.add(truth)
            if len(truths) > 1:
                return found
    # without any, the context contradicts itself: nothing gets there
    return truths.pop() if truths else found


def _is_zero(form: LinearForm, bits: int) -> bool | None:
    """Return whether ``form`` is 0 modulo ``2 ** bits`` for all terms; ``None``: for some."""
    divisor = math.gcd(1 << bits, *form.terms.values())
    if form.constant % divisor:
        return False
    return True if divisor == 1 << bits else None
