"""Algebra of operators: identity, absorbing and inverse elements, and the like, as declared facts.

That an operator is commutative is a :class:`~relayish.ir.domains.property.Property`. These facts
hold of integers and truth values; of floating-point numbers, none of whose bits may change, only
those hold of which that is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node

Number = int | float | bool


class Algebra(NamedTuple):
    """Facts of an operator with one or two operands; ``None`` and ``False``: not known.

    Attributes:
        identity: ``x op identity`` is ``x``; of commutative ones ``identity op x``, too.
        float_identity: The same of floating-point numbers, whatever ``x`` is: of sums -0.
        absorbing: ``x op absorbing`` is ``absorbing``, and likewise.
        idempotent: ``x op x`` is ``x``, of floating-point numbers as well.
        same: ``x op x`` is this number.
        involution: ``op(op(x))`` is ``x``, of floating-point numbers as well.
        associative: ``(x op y) op z`` is ``x op (y op z)``; of floating-point numbers it is not.
        inverse: The kind of the operator that undoes it: ``(x op y) inverse y`` is ``x``.
        inverse_element: The kind of the operator with one operand that gives inverse elements:
            ``x op inverse_element(x)`` is the identity element, and the other way round.
        total: Evaluating it never faults, so that it may be left out.
    """

    identity: Number | None = None
    float_identity: Number | None = None
    absorbing: Number | None = None
    idempotent: bool = False
    same: Number | None = None
    involution: bool = False
    associative: bool = False
    inverse: type[Node] | None = None
    inverse_element: type[Node] | None = None
    total: bool = False


ALGEBRAS: Final[KindTable[Algebra]] = KindTable(
    "algebraic simplification", "relayish.ir.kinds.algebra.ALGEBRAS", {Node: Algebra()}
)


class Numbers(NamedTuple):
    """How a language writes numbers, for whoever simplifies its expressions by facts.

    Attributes:
        value: ``value(node)``: the number that a literal is, ``None`` of anything else.
        make: ``make(number, node)``: the literal of a number, of the type that ``node`` has.
        type_of: ``type_of(node)``: the type of an expression; equal ones are the same.
        is_float: ``is_float(node)``: whether it has floating-point numbers.
    """

    value: Callable[[Any], Number | None]
    make: Callable[[Number, Any], Node]
    type_of: Callable[[Any], object]
    is_float: Callable[[Any], bool]


NUMBERS: Final[KindTable[Numbers]] = KindTable(
    "algebraic simplification", "relayish.ir.kinds.algebra.NUMBERS"
)
