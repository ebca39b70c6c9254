"""The families of core's nodes, and Python's operators on them.

.. code-block:: text

    CoreNode = Expr | Stmt | Symbol | Definition
    Expr = UnaryOp | BinaryOp | Comparison | LogicOp | ShiftOp | ... (kinds)

``Expr`` has a value and ``Stmt`` runs. Packages derive kinds of their own from both, which then may
stand wherever those of core do. ``Symbol`` is what names a place: a variable, a pseudo register, or
what the module defines; ``Definition`` is what a module holds.
"""

from __future__ import annotations

from typing import Any, TypeAlias, Union, cast

import numpy as np

from relayish.core.ir.language import CORE
from relayish.core.ir.type import Type
from relayish.errors import OperatorError
from relayish.ir.domains.property import Property
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node, field
from relayish.ir.nodes.span import Span


class Arithmetic:
    """What Python's operators take: an expression, or a symbol, which stands for what it holds."""

    __slots__ = ()
    loaded_by = ""  # the visit name of what loads it; that of an expression is none
    __array_ufunc__ = None  # numpy leaves its operators to those below

    def __add__(self, other: Operand) -> Expr:
        return binary("add", self, other)

    def __radd__(self, other: Operand) -> Expr:
        return binary("add", other, self)

    def __sub__(self, other: Operand) -> Expr:
        return binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return binary("sub", other, self)

    def __mul__(self, other: Operand) -> Expr:
        return binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return binary("mul", other, self)

    def __truediv__(self, other: Operand) -> Expr:
        return binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return binary("div", other, self)

    def __mod__(self, other: Operand) -> Expr:
        return binary("mod", self, other)

    def __rmod__(self, other: Operand) -> Expr:
        return binary("mod", other, self)

    def __lshift__(self, other: Operand) -> Expr:
        return binary("shl", self, other)

    def __rshift__(self, other: Operand) -> Expr:
        return binary("lshr" if as_expr(self).type.is_uint else "ashr", self, other)

    def __and__(self, other: Operand) -> Expr:
        return binary("band", self, other)

    def __or__(self, other: Operand) -> Expr:
        return binary("bor", self, other)

    def __xor__(self, other: Operand) -> Expr:
        return binary("bxor", self, other)

    def __lt__(self, other: Operand) -> Expr:
        return binary("lt", self, other)

    def __le__(self, other: Operand) -> Expr:
        return binary("le", self, other)

    def __gt__(self, other: Operand) -> Expr:
        return binary("gt", self, other)

    def __ge__(self, other: Operand) -> Expr:
        return binary("ge", self, other)

    def __neg__(self) -> Expr:
        # zero less a zero is that of the other sign only where it is the negative one itself
        return binary("sub", -0.0 if as_expr(self).type.is_float else 0, self)

    def __invert__(self) -> Expr:
        value = as_expr(self)
        made: Expr = CORE.kinds["lnot" if value.type.is_bool else "bnot"](value)
        return made


class CoreNode(Node, language=CORE):
    """The root of core. ``span`` says where a node comes from; comparison leaves it out."""

    __slots__ = ()
    visit_name = "core_node"

    span: Span | None = field(default=None, compared=False, kw_only=True)


class Expr(Arithmetic, CoreNode, properties=Property.EXPR):
    """What has a value, the type of which is ``type``.

    Python's operators build nodes: ``a + b``, ``-a``, ``a << b``, ``a < b``, ... A number becomes a
    literal of the type of the operand beside it, and a symbol what it holds. ``==`` compares
    identity; ``core.equal`` is the comparison of values.
    """

    __slots__ = ()
    visit_name = "expr"

    type: Type = field(init=False, derived=True)


class Stmt(CoreNode, properties=Property.STMT):
    """What may stand in a block, and is run."""

    __slots__ = ()
    visit_name = "stmt"


class Symbol(Arithmetic, CoreNode):
    """What names a place or a function: a symbol of AIR's tables.

    Python's operators build nodes of what it holds, as those of :class:`Expr` do.
    """

    __slots__ = ()
    visit_name = "symbol"
    loaded_by = "ld"


class Definition(CoreNode):
    """What a module defines under a name."""

    __slots__ = ()
    visit_name = "definition"


Operand: TypeAlias = Union[Arithmetic, int, float, "np.generic"]
"""What may stand for an expression: one, a symbol, or a number."""


def binary(visit: str, a: Operand, b: Operand) -> Expr:
    """Return the operator of a visit name on two operands, a number as a literal.

    Raises:
        OperatorError: If the operands are of two types.
        FieldError: If a number is no value of the type of the other operand.
    """
    first = as_expr(a, as_expr(b).type if isinstance(b, Arithmetic) else None)
    second = as_expr(b, first.type)
    if first.type != second.type and visit not in ("shl", "ashr", "lshr"):
        raise OperatorError(
            f"{visit} is given {one_line(first)} of type {first.type} and {one_line(second)} of "
            f"type {second.type}; both must have one type"
        )
    made: Expr = CORE.kinds[visit](first, second)
    return made


def as_expr(given: Operand, like: Type | None = None) -> Expr:
    """Return ``given`` as an expression: itself, what a symbol holds, or the literal of a number.

    Args:
        given: An expression, a symbol, a number or a truth value.
        like: The type that a number takes; by default as of :func:`~relayish.core.const`.

    Raises:
        FieldError: If it is none of these, or a number that is no value of the type.
    """
    if isinstance(given, Arithmetic):
        loads = CORE.kinds.get(given.loaded_by)
        return cast("Expr", given if loads is None else loads(given))
    literal: Any = CORE.as_literal  # Any: it takes a type as well
    return cast("Expr", literal(given, like))
