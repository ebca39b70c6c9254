"""Polynomial normal form of sizes: what tells whether two expressions of dimensions are equal.

Sums, differences and products are multiplied out; all other operations, and named dimensions, are
unknowns of the polynomial. ``n + 1`` is then ``1 + n``, and ``2 * (n + 1) - 2`` is ``n * 2``. Sizes
are products of unknowns as often as sums, which linear forms take for unknowns.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, TypeAlias

from relayish.ir.relay.type import Any, PrimExpr, PrimOp

Unknown: TypeAlias = object
"""A named dimension, or an operation as its name and the forms of its operands."""
Monomial: TypeAlias = frozenset[tuple[Unknown, int]]
"""The power of each unknown in a product."""
Polynomial: TypeAlias = frozenset[tuple[Monomial, int]]
"""The coefficient of each product, none of which is 0."""

_ONE: Final[Monomial] = frozenset()
_MOST: Final = 64
"""Larger expressions, or forms, are not looked into: they are equal only to themselves."""


def normal_form(size: int | PrimExpr) -> Polynomial | None:
    """Return the normal form of ``size``; ``None`` where nobody knows it, or it is too large.

    Complexity:
        Constant: expressions of more than 64 operations have none.
    """
    budget = [_MOST]
    return _form(size, budget)


def difference(left: int | PrimExpr, right: int | PrimExpr) -> int | None:
    """Return by how much ``left`` is more than ``right``, ``None`` where that is not known.

    Example:
        >>> n = SizeVar("n")
        >>> difference(PrimOp("tir.Add", (2, n)), n)
        2
    """
    one, other = normal_form(left), normal_form(right)
    if one is None or other is None:
        return None
    rest = _sum(one, other, -1)
    if not rest:
        return 0
    ((monomial, number), *others) = rest
    return number if monomial == _ONE and not others else None


def _form(size: int | PrimExpr, budget: list[int]) -> Polynomial | None:
    budget[0] -= 1
    if budget[0] < 0 or isinstance(size, Any):
        return None
    if isinstance(size, int):
        return frozenset([(_ONE, size)] if size else [])
    if not isinstance(size, PrimOp):
        return _of_unknown(size)
    forms: list[Polynomial] = []
    for arg in size.args:
        form = _form(arg, budget)
        if form is None:
            return None
        forms.append(form)
    combine = _ARITHMETIC.get(size.name) if len(forms) == 2 else None
    if combine is None:
        return _of_unknown((size.name, tuple(forms)))
    found = combine(*forms)
    return found if len(found) <= _MOST else None


def _of_unknown(unknown: Unknown) -> Polynomial:
    return frozenset([(frozenset([(unknown, 1)]), 1)])


def _sum(left: Polynomial, right: Polynomial, sign: int) -> Polynomial:
    total: Counter[Monomial] = Counter(dict(left))
    for monomial, number in right:
        total[monomial] += sign * number
    return frozenset([(monomial, number) for monomial, number in total.items() if number])


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Counter[Monomial] = Counter()
    for one, number in left:
        for other, times in right:
            powers = Counter(dict(one))
            powers.update(dict(other))
            total[frozenset(powers.items())] += number * times
    return frozenset([(monomial, number) for monomial, number in total.items() if number])


_ARITHMETIC: Final = {
    "tir.Add": lambda left, right: _sum(left, right, 1),
    "tir.Sub": lambda left, right: _sum(left, right, -1),
    "tir.Mul": _product,
}
