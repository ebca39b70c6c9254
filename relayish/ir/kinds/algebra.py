"""Algebra of operators: identity, absorbing and inverse elements, and the like, as declared facts.

That an operator is commutative is a :class:`~relayish.ir.domains.property.Property`. These facts
hold of integers and truth values; of floating-point numbers, none of whose bits may change, only
those hold of which that is said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from relayish.errors import DeclarationError, suggest
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node

Number = int | float | bool


class _Algebra(NamedTuple):
    """What is known of an operator; see :class:`Algebra`."""

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


class Algebra(_Algebra):
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

    Raises:
        DeclarationError: If a fact is told that there is none of.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # which knows the facts

        def __new__(cls, *args: object, **facts: object) -> Self:
            for name in facts:
                if name not in cls._fields:
                    raise DeclarationError(
                        f"there is no fact {name!r} of an operator"
                        f"{suggest(name, cls._fields)}; there are {', '.join(cls._fields)}"
                    )
            return super().__new__(cls, *args, **facts)


ALGEBRAS: Final[KindTable[Algebra]] = KindTable(
    "algebraic simplification",
    "relayish.ir.kinds.algebra.ALGEBRAS",
    {Node: Algebra()},
    expects=Algebra,
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
    "algebraic simplification", "relayish.ir.kinds.algebra.NUMBERS", expects=Numbers
)
