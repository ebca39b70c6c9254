"""Linear forms in simplification: sums of integer multiples, modulo two to the width of a type.

Sums wrap around, so collecting terms is exact. A form has a bounded number of terms; what would
have more is a term itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm, symmetric
from relayish.tir.analysis.values.interval import wrap_integer
from relayish.tir.analysis.values.literals import is_arithmetic, make_literal, range_of
from relayish.tir.analysis.values.value_numbers import ValueNumbers
from relayish.tir.ir.operators import (
    Add,
    Expr,
    Minus,
    Mul,
    NaryOpNode,
    Product,
    Sub,
    Sum,
    integer_of,
)
from relayish.tir.ir.type import Type
from relayish.tir.rewriting.attribute import Attribute

MOST_TERMS: Final = 16


class LinearForms(Attribute[LinearForm]):
    """The linear form of every scalar integer expression; of others, the expression itself.

    Coefficients and constants are in the range of signed integers of the width of the type. A
    coefficient of 0 says that a term was there, and has cancelled.
    """

    __slots__ = ("_is_impure", "_numbers")

    def __init__(self, numbers: ValueNumbers, is_impure: Callable[[Expr], bool]) -> None:
        super().__init__(self._form)
        self._numbers = numbers
        self._is_impure = is_impure

    def _form(self, expr: Expr) -> LinearForm:
        value = integer_of(expr)
        if value is not None:
            return Affine(signed(value, expr.type), {})
        found = None
        if type(expr) in _SUMS and is_arithmetic(expr.type) and not self._is_impure(expr):
            found = self._combine(expr)
        return self.term(expr) if found is None or len(found.terms) > MOST_TERMS else found

    def term(self, expr: Expr) -> LinearForm:
        """Return the form in which ``expr`` is the only term."""
        return Affine(0, {self._numbers.number(expr): 1})

    def _combine(self, expr: Expr) -> LinearForm | None:
        """Return the form of a sum or product; ``None`` for a product of several terms."""
        given = expr.type
        if isinstance(expr, Minus):
            return scaled(self[expr.v], -1, given)
        if isinstance(expr, NaryOpNode):
            return self._combine_all(expr)
        assert isinstance(expr, (Add, Sub, Mul))
        if expr.b.type != given:
            return None
        a, b = self[expr.a], self[expr.b]
        if isinstance(expr, Mul):
            return self._multiply(expr, a, b)
        return added(a, b, -1 if isinstance(expr, Sub) else 1, given)

    def _combine_all(self, expr: NaryOpNode) -> LinearForm | None:
        if not expr.operands or any(operand.type != expr.type for operand in expr.operands):
            return None
        forms = [self[operand] for operand in expr.operands]
        found = forms[0]
        for form in forms[1:]:
            if isinstance(expr, Product):
                if found.terms and form.terms:
                    return None
                found, by = (form, found) if not found.terms else (found, form)
                found = scaled(found, by.constant, expr.type)
            else:
                found = added(found, form, 1, expr.type)
            if len(found.terms) > MOST_TERMS:
                return None
        return found

    def _multiply(self, expr: Mul, a: LinearForm, b: LinearForm) -> LinearForm | None:
        if not a.terms:
            return scaled(b, a.constant, expr.type)
        if not b.terms:
            return scaled(a, b.constant, expr.type)
        if not is_multiple(a) and not is_multiple(b):
            return None
        # the coefficients of (4 * i) * (2 * j) are those of the product
        left, by = self._split(expr.a, a)
        right, also_by = self._split(expr.b, b)
        return scaled(self.term(Mul(left, right)), by * also_by, expr.type)

    def _split(self, expr: Expr, form: LinearForm) -> tuple[Expr, int]:
        if not is_multiple(form):
            return expr, 1
        ((term, coefficient),) = form.terms.items()
        return term, coefficient


_SUMS: Final = frozenset[type[Expr]]({Add, Sub, Mul, Minus, Sum, Product})


def signed(value: int, given: Type) -> int:
    """Return ``value`` modulo two to the width of a type, nearest to 0."""
    return symmetric(value, 1 << given.bits)


def is_multiple(form: LinearForm) -> bool:
    """Return whether a form is one term, times something but 1."""
    return not form.constant and len(form.terms) == 1 and 1 not in form.terms.values()


def scaled(form: LinearForm, by: int, given: Type) -> LinearForm:
    """Return ``form`` times an integer."""
    terms = {term: signed(found * by, given) for term, found in form.terms.items()}
    return Affine(signed(form.constant * by, given), terms)


def added(a: LinearForm, b: LinearForm, by: int, given: Type) -> LinearForm:
    """Return ``a`` plus ``b`` times an integer."""
    terms = dict(a.terms)
    for term, coefficient in b.terms.items():
        terms[term] = signed(terms.get(term, 0) + by * coefficient, given)
    return Affine(signed(a.constant + by * b.constant, given), terms)


class Step(NamedTuple):
    """An operand of a sum: a number times a term, or a number where there is no term."""

    coefficient: int
    term: Expr | None


def spell(form: LinearForm, *, reorder: bool) -> list[Step]:
    """Return the operands of the sum as it is written, from left to right.

    Terms stay in order, the number comes last. If ``reorder``, a sum does not begin with a
    subtraction where something is added.
    """
    steps = [Step(c, term) for term, c in form.terms.items() if c]
    last = [Step(form.constant, None)] if form.constant or not steps else []
    if not reorder or not steps or steps[0].coefficient > 0:
        return steps + last
    if last and form.constant > 0 and all(step.coefficient < 0 for step in steps):
        return last + steps
    first = next((at for at, step in enumerate(steps) if step.coefficient > 0), 0)
    return [steps[first], *steps[:first], *steps[first + 1 :], *last]


def build(steps: list[Step], given: Type, numbers: ValueNumbers | None = None) -> Expr:
    """Return the expression that reads as ``steps``: ``(((4 * i) + j) - 1)``.

    Parts that ``numbers`` know are the expressions that were numbered, which may have been walked.
    """
    made: Expr | None = None
    for step in steps:
        if made is None:
            made = _first(step, given)
            continue
        subtracts = _is_subtracted(step, given)
        operand = _operand(step, -step.coefficient if subtracts else step.coefficient, given)
        if numbers is not None:
            made = numbers.number(made)
            operand = operand if step.term is None else numbers.number(operand)
        made = Sub(made, operand) if subtracts else Add(made, operand)
    assert made is not None
    return made


def build_sorted(form: LinearForm, given: Type) -> Expr:
    """Return an expression that has ``form``; what is added stands first in it."""
    return build(spell(form, reorder=True), given)


def reads_as(expr: Expr, steps: list[Step], numbers: ValueNumbers) -> bool:
    """Return whether ``expr`` is what :func:`build` makes of ``steps``."""
    given = expr.type
    for step in steps[:0:-1]:
        subtracts = _is_subtracted(step, given)
        if not isinstance(expr, Sub if subtracts else Add):
            return False
        coefficient = -step.coefficient if subtracts else step.coefficient
        if not _is_operand(expr.b, step, coefficient, numbers):
            return False
        expr = expr.a
    step = steps[0]
    if step.coefficient == -1 and step.term is not None:
        return isinstance(expr, Minus) and numbers.number(expr.v) is step.term
    return _is_operand(expr, step, step.coefficient, numbers)


def _first(step: Step, given: Type) -> Expr:
    if step.coefficient == -1 and step.term is not None:
        return Minus(step.term)
    return _operand(step, step.coefficient, given)


def _is_subtracted(step: Step, given: Type) -> bool:
    """Return whether a step is written with a minus: where its opposite is a number of the type."""
    found = range_of(given)
    return step.coefficient < 0 and found is not None and -step.coefficient <= found[1]


def _operand(step: Step, coefficient: int, given: Type) -> Expr:
    if step.term is None:
        return make_literal(wrap_integer(coefficient, given), given)
    if coefficient == 1:
        return step.term
    return Mul(make_literal(wrap_integer(coefficient, given), given), step.term)


def _is_operand(expr: Expr, step: Step, coefficient: int, numbers: ValueNumbers) -> bool:
    if step.term is None:
        return integer_of(expr) == wrap_integer(coefficient, expr.type)
    if coefficient == 1:
        return numbers.number(expr) is step.term
    if not isinstance(expr, Mul) or numbers.number(expr.b) is not step.term:
        return False
    return integer_of(expr.a) == wrap_integer(coefficient, expr.type)
