"""Linear forms of integer expressions: a constant plus multiples of what is not linear.

A form is valid *modulo* ``2 ** bits`` of its type always, since integers wrap around; it is valid
*as integers* where its value cannot leave the range of the type (:func:`exact_form`), however the
expression came by it: sums and products modulo ``2 ** bits`` do not care for overflow on the way.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from relayish.dataflow.lattice.interval import (
    Interval,
    add,
    scale,
    truncated_quotient,
    truncated_remainder,
)
from relayish.errors import OperatorError
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range, wrap_integer
from relayish.tir.analysis.values.interval_rules import integer_interval
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import NODES
from relayish.tir.ir.type import Type

LinearForm: TypeAlias = Affine[Expr]
"""That of an expression. Terms are variables, and what is not linear itself; of terms that are
computed alike, one stands for all. A term counts as the integer it is in its own type, which may be
narrower than that of the expression. Of a vector it is that of each element, and a scalar term is
the same in all."""

_MOST_NODES: Final = 64
"""How many nodes an operand may have that is widened or divided, to be looked through there."""


def linear_form(expr: Expr, context: Context | None = None) -> LinearForm:
    """Return the linear form of ``expr``, an expression of an integer type or of vectors of these.

    It is valid modulo ``2 ** bits``; ask :func:`exact_form` for one that is valid as integers.

    Args:
        expr: Anything of an integer type; of truth values it is a term by itself.
        context: What is known where ``expr`` is evaluated: it tells which inner sums cannot
            overflow, so that what widens or divides them may be looked through.

    Raises:
        OperatorError: If ``expr`` is of another type.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> from relayish import tir
        >>> i, j = tir.Var("i"), tir.Var("j")
        >>> form = linear_form((i + 1) * 4 - (j - i))
        >>> form.constant, form.coefficient(i), form.coefficient(j)
        (4, 5, -1)
    """
    context = Context() if context is None else context
    if not expr.type.is_integer:
        raise OperatorError(
            f"{one_line_at(expr)} is of type {expr.type}; expected integers, or vectors of these"
        )
    if type(expr) is Var:  # as most are that are asked about
        return Affine(0, {expr: 1})
    if type(expr) is ops.IntImm:
        return Affine(_reduce(expr.value, 1 << expr.type.bits), {})
    return _Linear(context).form(expr)


def interval_of_form(form: LinearForm, context: Context) -> Interval:
    """Return an interval of the integers that ``form`` is, with what ``context`` knows of it.

    These are no values of its type: they are not wrapped.
    """
    low = high = form.constant
    for term, coefficient in form.terms.items():
        if coefficient:
            part = scale(integer_interval(term, context), coefficient)
            low, high = low + part.low, high + part.high
    found = Interval(low, high)
    if len(form.terms) < 2:  # what is known of one term is in the interval of that term
        return found
    terms = {term: coefficient for term, coefficient in form.terms.items() if coefficient}
    known = context.interval_of_terms(terms) if len(terms) > 1 else None
    if known is None:
        return found
    met = found.meet(add(known, Interval(form.constant, form.constant)))
    return found if met is None else met  # a context that contradicts itself: nothing gets there


def exact_form(expr: Expr, context: Context) -> LinearForm | None:
    """Return the linear form of ``expr`` that is valid as integers: not only modulo ``2 ** bits``.

    Returns:
        ``None`` where none is known: where the value of the expression may wrap around.

    Example:
        >>> from relayish import tir
        >>> i, known = tir.Var("i"), Context()
        >>> exact_form(i + 1, known) is None
        True
        >>> exact_form(i + 1, known.with_range(i, Interval(0, 9))).constant
        1
    """
    return without_overflow(linear_form(expr, context), expr.type, context)


def without_overflow(form: LinearForm, ty: Type, context: Context) -> LinearForm | None:
    """Return ``form``, or one that is equal to it modulo ``2 ** bits``, that stays in a type.

    Returns:
        ``None`` where none is known whose value cannot leave the range of ``ty``.
    """
    whole, modulus = type_range(ty), 1 << ty.bits
    found = interval_of_form(form, context)
    turns = (found.low - whole.low) // modulus
    if found.high - turns * modulus <= whole.high:
        return form._replace(constant=form.constant - turns * modulus) if turns else form
    nearest = {term: symmetric(value, modulus) for term, value in form.terms.items()}
    if nearest == form.terms:
        return None
    return without_overflow(form._replace(terms=nearest), ty, context)


def expr_of_form(form: LinearForm, ty: Type) -> Expr:
    """Return an expression of a type that has ``form``, as a sum in the order of its terms.

    Terms of other types are converted; modulo ``2 ** bits`` that is what they are.
    """
    modulus = 1 << ty.bits
    found: Expr | None = None
    for term, coefficient in form.terms.items():
        factor = symmetric(coefficient, modulus)
        scaled = _in_type(term, ty)
        if abs(factor) != 1:
            scaled = ops.Mul(scaled, ops.const(wrap_integer(abs(factor), ty), ty))
        if found is None:
            found = ops.Minus(scaled) if factor < 0 else scaled
        else:
            found = ops.Sub(found, scaled) if factor < 0 else ops.Add(found, scaled)
    constant = symmetric(form.constant, modulus)
    if found is None:
        return ops.const(wrap_integer(constant, ty), ty)
    if not constant:
        return found
    amount = ops.const(wrap_integer(abs(constant), ty), ty)
    return ops.Sub(found, amount) if constant < 0 else ops.Add(found, amount)


def _in_type(term: Expr, ty: Type) -> Expr:
    if term.type.element != ty.element:
        term = ops.Cast(ty.with_lanes(term.type.lanes), term)
    return term if term.type.lanes == ty.lanes else ops.Broadcast(term, ty.lanes)


class _Linear:
    """The form of one expression, and those of operands that have to be exact."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.constants: dict[Node, int] = {}
        self.exact_operands: dict[Node, LinearForm] = {}

    def form(self, expr: Expr) -> LinearForm:
        if self.context.numbers.is_impure(expr):  # two evaluations need not give one value
            return Affine(0, {expr: 1})
        order = NODES.order_after(expr, _linear_operands)
        for node in order:
            assert isinstance(node, Expr)
            self._find_constant(node)
            if node not in self.constants and self._needs_exact_operand(node):
                self._find_exact_operand(node)
        return self._distribute(expr, order)

    def _distribute(self, root: Expr, order: Sequence[Node]) -> LinearForm:
        """Return the form of ``root``, whose factors are handed down from users to operands."""
        modulus = 1 << root.type.bits
        constant = 0
        terms: dict[Expr, int] = {}
        factors: dict[Node, int] = {root: 1}
        for node in reversed(order):
            factor = factors.pop(node, 0)
            if abs(factor) > modulus:
                factor = _reduce(factor, modulus)
            if not factor:
                continue
            assert isinstance(node, Expr)
            if node in self.constants:
                constant += factor * self.constants[node]
                continue
            exact = self.exact_operands.get(node)
            if exact is not None:
                constant += factor * exact.constant
                for term, coefficient in exact.terms.items():
                    terms[term] = terms.get(term, 0) + factor * coefficient
                continue
            shares = _shares(node, self.constants)
            if shares is None:
                term = node if type(node) is Var else self.context.numbers.number(node)
                terms[term] = terms.get(term, 0) + factor
                continue
            for operand, share in shares:
                factors[operand] = factors.get(operand, 0) + factor * share
        kept = {term: _reduce(value, modulus) for term, value in terms.items()}
        kept = {term: value for term, value in kept.items() if value}
        return Affine(_reduce(constant, modulus), kept)

    def _find_constant(self, node: Expr) -> None:
        if isinstance(node, (ops.IntImm, ops.UIntImm)):
            self.constants[node] = node.value
            return
        operands = _linear_operands(node)
        if not operands or not all(operand in self.constants for operand in operands):
            return
        values = [self.constants[operand] for operand in operands]
        if isinstance(node, (ops.Div, ops.Mod)) and not values[1]:
            return  # an error where it is evaluated
        self.constants[node] = wrap_integer(_EVALUATE[type(node)](*values), node.type)

    def _needs_exact_operand(self, node: Expr) -> bool:
        """Return whether ``node`` widens its operand, or divides it by a constant."""
        if not _linear_operands(node):
            return False
        if isinstance(node, ops.Cast):
            return _widens(node)
        return isinstance(node, (ops.Div, ops.Mod)) and bool(self.constants.get(node.b))

    def _find_exact_operand(self, node: Expr) -> None:
        """Find the form of the operand that ``node`` widens or divides, where that is exact."""
        operand = _linear_operands(node)[0]
        found = self._form_of_few(operand)
        exact = None if found is None else without_overflow(found, operand.type, self.context)
        if isinstance(node, ops.Cast):
            if exact is None:
                term = operand if type(operand) is Var else self.context.numbers.number(operand)
                exact = Affine(0, {term: 1})
            self.exact_operands[node] = exact
            return
        assert isinstance(node, ops.BinaryOpNode)
        divisor = self.constants[node.b]
        if exact is None or any(
            value % divisor for value in (exact.constant, *exact.terms.values())
        ):
            return
        if isinstance(node, ops.Mod):
            self.exact_operands[node] = Affine(0, {})
            return
        terms = {term: value // divisor for term, value in exact.terms.items()}
        self.exact_operands[node] = Affine(exact.constant // divisor, terms)

    def _form_of_few(self, root: Expr) -> LinearForm | None:
        """Return the form of ``root``, unless it takes many nodes, which each user would repeat."""
        met = 0

        def below(node: Node) -> Sequence[Node]:
            nonlocal met
            met += 1
            return (
                () if met > _MOST_NODES or node in self.exact_operands else _linear_operands(node)
            )

        order = NODES.order_after(root, below)
        return None if met > _MOST_NODES else self._distribute(root, order)


def _linear_operands(node: Node) -> Sequence[Expr]:
    """Return the operands, all of integer types, in which ``node`` may be linear."""
    held = _OPERANDS.get(type(node))
    if held is None:
        return ()
    assert isinstance(node, Expr)
    operands = held(node)
    if all(each.type.is_integer and not each.type.is_bool for each in (node, *operands)):
        return operands
    return ()


def _shares(node: Expr, constants: Mapping[Node, int]) -> Sequence[tuple[Expr, int]] | None:
    """Return operands and factors whose sum of products ``node`` is; ``None`` if it is no such."""
    operands = _linear_operands(node)
    if not operands:
        return None
    match node:
        case ops.Add() | ops.Sum() | ops.Broadcast():
            return [(operand, 1) for operand in operands]
        case ops.Sub():
            return [(node.a, 1), (node.b, -1)]
        case ops.Minus():
            return [(node.v, -1)]
        case ops.Mul() | ops.Product():
            variable = [operand for operand in operands if operand not in constants]
            if len(variable) > 1:
                return None
            known = [constants[operand] for operand in operands if operand in constants]
            return [(operand, math.prod(known)) for operand in variable]
        case ops.Cast() if not _widens(node):
            return [(node.v, 1)]
    return None


def _widens(cast: ops.Cast) -> bool:
    return cast.type.bits > cast.v.type.bits


_OPERANDS: Final[
    Mapping[type[Node], Callable[[Any], Sequence[Expr]]]
] = {  # Any: a node of the kind
    **dict.fromkeys((ops.Add, ops.Sub, ops.Mul, ops.Div, ops.Mod), lambda node: (node.a, node.b)),
    **dict.fromkeys((ops.Sum, ops.Product), lambda node: node.operands),
    **dict.fromkeys((ops.Minus, ops.Cast), lambda node: (node.v,)),
    ops.Broadcast: lambda node: (node.value,),
}

_EVALUATE: Final[Mapping[type[Node], Callable[..., int]]] = {
    ops.Add: operator.add,
    ops.Sub: operator.sub,
    ops.Mul: operator.mul,
    ops.Div: truncated_quotient,
    ops.Mod: truncated_remainder,
    ops.Sum: lambda *values: sum(values),
    ops.Product: lambda *values: math.prod(values),
    ops.Minus: operator.neg,
    ops.Cast: lambda value: value,
    ops.Broadcast: lambda value: value,
}


def symmetric(value: int, modulus: int) -> int:
    """Return what is equal to ``value`` modulo ``modulus``, and nearest to 0."""
    half = modulus >> 1
    return (value + half) % modulus - half


def _reduce(value: int, modulus: int) -> int:
    """Return ``value``, or if it is large what is equal to it modulo ``modulus``."""
    return value if abs(value) < modulus else symmetric(value, modulus)
