"""Expressions: what has a value, its arithmetic and comparisons, and the literals in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Final, TypeAlias, Union

import numpy as np

from relayish._support.graph import walk_tree
from relayish.errors import FieldError, OperatorError
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Atom
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.values.value import Number
from relayish.tir.ir.family import ExprNode, IrNode
from relayish.tir.ir.language import TIR
from relayish.tir.ir.type import BOOL, FLOAT32, INT32, STRING, Type, as_type, bool_like

Operand: TypeAlias = Union["Expr", Number]
"""What may stand beside an expression at a Python operator: another, or a number."""


class Expr(IrNode, properties=Property.EXPR):
    """What has a value, the type of which is ``type``.

    Python's operators build nodes: ``a + b``, ``-a``, ``a / b`` (for integers rounded towards
    zero), ``a % b``, ``a < b``, ``a & b``, ``a | b`` and ``~a`` of truth values. A number becomes
    a constant of the type of the expression beside it. ``==`` compares identity; ``tir.EQ`` is the
    comparison of values.
    """

    __slots__ = ()
    visit_name = "expr"

    type: Type = field(init=False, derived=True)
    __array_ufunc__ = None  # numpy leaves its operators to those below

    def __add__(self, other: Operand) -> Expr:
        return binary(Add, self, other)

    def __radd__(self, other: Operand) -> Expr:
        return binary(Add, other, self)

    def __sub__(self, other: Operand) -> Expr:
        return binary(Sub, self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return binary(Sub, other, self)

    def __mul__(self, other: Operand) -> Expr:
        return binary(Mul, self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return binary(Mul, other, self)

    def __truediv__(self, other: Operand) -> Expr:
        return binary(Div, self, other)

    def __rtruediv__(self, other: Operand) -> Expr:
        return binary(Div, other, self)

    def __mod__(self, other: Operand) -> Expr:
        return binary(Mod, self, other)

    def __rmod__(self, other: Operand) -> Expr:
        return binary(Mod, other, self)

    def __lt__(self, other: Operand) -> Expr:
        return binary(LT, self, other)

    def __le__(self, other: Operand) -> Expr:
        return binary(LE, self, other)

    def __gt__(self, other: Operand) -> Expr:
        return binary(GT, self, other)

    def __ge__(self, other: Operand) -> Expr:
        return binary(GE, self, other)

    def __and__(self, other: Operand) -> Expr:
        return binary(And, self, other)

    def __rand__(self, other: Operand) -> Expr:
        return binary(And, other, self)

    def __or__(self, other: Operand) -> Expr:
        return binary(Or, self, other)

    def __ror__(self, other: Operand) -> Expr:
        return binary(Or, other, self)

    def __neg__(self) -> Expr:
        return Minus(self)

    def __invert__(self) -> Expr:
        return Not(self)


class UnaryOpNode(Expr, ExprNode):
    """An operator with one operand, ``v``."""

    __slots__ = ()
    visit_name = "unary_op"

    v: Expr

    derive_type = attrgetter("v.type")


class BinaryOpNode(Expr, ExprNode):
    """An operator with two operands, ``a`` and ``b``, of one type."""

    __slots__ = ()
    visit_name = "binary_op"

    a: Expr
    b: Expr

    derive_type = staticmethod(attrgetter("a.type"))


class PredicateNode(BinaryOpNode, properties=Property.BOOLEAN):
    """A comparison, or a connective of truth values."""

    __slots__ = ()
    visit_name = "predicate"

    @staticmethod
    def derive_type(node: BinaryOpNode) -> Type:
        """Return the type of truth values with the lanes of the first operand."""
        return bool_like(node.a.type)


class ComparisonNode(PredicateNode, properties=Property.COMPARE):
    """A comparison of two values of one type."""

    __slots__ = ()
    visit_name = "comparison"

    def __bool__(self) -> bool:
        raise OperatorError(
            f"the truth of {one_line(self)} is not known before it runs; chained comparisons ask "
            f"for it, and so does `if`: write (a < b) & (b < c), IfThenElse or Select"
        )


@node("int_imm", atom=Atom.LITERAL)
class IntImm(Expr, ExprNode):
    """A signed integer of ``dtype``."""

    value: int
    dtype: Type = field(default=INT32, convert=as_type)

    derive_type = attrgetter("dtype")


@node("uint_imm", atom=Atom.LITERAL)
class UIntImm(Expr, ExprNode):
    """An unsigned integer of ``dtype``, or a truth value: 0 or 1."""

    value: int
    dtype: Type = field(default=BOOL, convert=as_type)

    derive_type = attrgetter("dtype")


@node("float_imm", atom=Atom.LITERAL)
class FloatImm(Expr, ExprNode):
    """The number of ``dtype`` that is nearest to ``value``."""

    value: float = field(convert=float)
    dtype: Type = field(default=FLOAT32, convert=as_type)

    derive_type = attrgetter("dtype")


@node("string_imm", atom=Atom.LITERAL)
class StringImm(Expr, ExprNode):
    """A string."""

    value: str

    derive_type = staticmethod(lambda _: STRING)


@node("add", effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Add(BinaryOpNode):
    """``a + b``; integers wrap around."""


@node("sub", effect=Effect.NONE)
class Sub(BinaryOpNode):
    """``a - b``; integers wrap around."""


@node("mul", effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Mul(BinaryOpNode):
    """``a * b``; integers wrap around."""


@node("div", effect=Effect.NONE)
class Div(BinaryOpNode):
    """``a / b``; of integers the quotient rounded towards zero, as in C."""


@node("mod", effect=Effect.NONE)
class Mod(BinaryOpNode):
    """``a % b``; of integers the remainder of ``Div``, which has the sign of ``a``, as in C."""


@node("min", effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Min(BinaryOpNode):
    """``a < b ? a : b``: with a NaN, ``b``."""


@node("max", effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Max(BinaryOpNode):
    """``a > b ? a : b``: with a NaN, ``b``."""


@node("frac_op", effect=Effect.NONE)
class FracOp(BinaryOpNode):
    """``a / b`` as an exact fraction: of integers the quotient without a remainder."""


@node("eq", effect=Effect.NONE, properties=Property.COMMUTATIVE)
class EQ(ComparisonNode):
    """``a == b``, of two values of one type."""


@node("ne", effect=Effect.NONE, properties=Property.COMMUTATIVE)
class NE(ComparisonNode):
    """``a != b``, of two values of one type."""


@node("lt", effect=Effect.NONE)
class LT(ComparisonNode):
    """``a < b``, of two values of one type."""


@node("le", effect=Effect.NONE)
class LE(ComparisonNode):
    """``a <= b``, of two values of one type."""


@node("gt", effect=Effect.NONE)
class GT(ComparisonNode):
    """``a > b``, of two values of one type."""


@node("ge", effect=Effect.NONE)
class GE(ComparisonNode):
    """``a >= b``, of two values of one type."""


NEGATED: Final[Mapping[type[Node], type[ComparisonNode]]] = {
    LT: GE, LE: GT, GT: LE, GE: LT, EQ: NE, NE: EQ,
}  # fmt: skip
"""The comparison that holds where another does not; of floats, which may be NaN, EQ and NE only."""

MIRRORED: Final[Mapping[type[Node], type[ComparisonNode]]] = {
    LT: GT, LE: GE, GT: LT, GE: LE, EQ: EQ, NE: NE,
}  # fmt: skip
"""The comparison that says the same with its operands in the other order."""


@node("and", effect=Effect.NONE)
class And(PredicateNode):
    """``a`` and ``b``, both of which are evaluated."""


@node("or", effect=Effect.NONE)
class Or(PredicateNode):
    """``a`` or ``b``, both of which are evaluated."""


@node("minus", effect=Effect.NONE)
class Minus(UnaryOpNode):
    """``-v``; integers wrap around."""


@node("not", effect=Effect.NONE, properties=Property.BOOLEAN)
class Not(UnaryOpNode):
    """Not ``v``, a truth value."""


class NaryOpNode(Expr, ExprNode):
    """An operator with one operand or more, of one type."""

    __slots__ = ()
    visit_name = "nary_op"

    operands: tuple[Expr, ...]

    @staticmethod
    def derive_type(node: NaryOpNode) -> Type:
        """Return the type of the first operand; without any, that of Python's integers."""
        return node.operands[0].type if node.operands else INT32


@node("sum", effect=Effect.NONE)
class Sum(NaryOpNode):
    """The sum of the operands, from left to right."""


@node("product", effect=Effect.NONE)
class Product(NaryOpNode):
    """The product of the operands, from left to right."""


@node("cast", effect=Effect.NONE)
class Cast(Expr, ExprNode):
    """``v`` converted to ``dtype``: floats to integers towards zero, integers by their low bits."""

    dtype: Type = field(convert=as_type)
    v: Expr

    derive_type = attrgetter("dtype")


@node("select", effect=Effect.NONE)
class Select(Expr, ExprNode):
    """``true_value`` where ``condition`` holds, else ``false_value``; both are evaluated."""

    condition: Expr
    true_value: Expr
    false_value: Expr

    derive_type = attrgetter("true_value.type")


@node("ramp", effect=Effect.NONE)
class Ramp(Expr, ExprNode):
    """The vector ``base, base + stride, ..., base + (lanes - 1) * stride``."""

    base: Expr
    stride: Expr
    lanes: int

    @staticmethod
    def derive_type(node: Ramp) -> Type:
        """Return the type of a vector of such elements."""
        return node.base.type.with_lanes(node.lanes)


@node("broadcast", effect=Effect.NONE)
class Broadcast(Expr, ExprNode):
    """The vector of ``lanes`` elements that are all ``value``."""

    value: Expr
    lanes: int

    @staticmethod
    def derive_type(node: Broadcast) -> Type:
        """Return the type of a vector of such elements."""
        return node.value.type.with_lanes(node.lanes)


def const(value: object, dtype: Type | str | None = None) -> Expr:
    """Return the literal of ``value``, a number, truth value or string.

    What stands for a number that is known later says by a method ``as_loop_expr`` which expression
    it is.

    Args:
        value: The number, as Python or numpy have it.
        dtype: Its type; by default ``bool``, ``int32``, ``float32`` or that of a numpy number. Of a
            vector, the value is that of each element.

    Raises:
        FieldError: If ``value`` is no number of that type, or no literal can be made of it.

    Example:
        >>> const(3, "int64").type == as_type("int64")
        True
    """
    told = getattr(value, "as_loop_expr", None)
    if told is not None:
        found: Expr = told(dtype)
        return found
    if dtype is None:
        if isinstance(value, str):
            return StringImm(value)
        dtype = _default_type(value)
    made = as_type(dtype)
    if made.lanes > 1:
        return Broadcast(const(value, made.scalar), made.lanes)
    if not isinstance(value, (int, float, np.bool_, np.integer, np.floating)):
        raise FieldError(
            f"{value!r} ({type(value).__name__}) is no number; expected one of type {made}"
        )
    if made.is_float:
        with np.errstate(over="ignore"):
            return FloatImm(float(made.numpy.type(value)), made)
    is_whole = not isinstance(value, (float, np.floating)) or value.is_integer()
    if not made.is_integer or not is_whole:
        raise FieldError(f"{value!r} is no value of type {made}; give the type it has, or cast it")
    low, high = integer_range(made)
    if not low <= value <= high:
        raise FieldError(f"{value} is out of range of {made}, which is {low} to {high}")
    literal = IntImm if made.is_int else UIntImm
    return literal(int(value), made)


TIR.as_literal = const


@lru_cache(maxsize=256)
def integer_range(given: Type) -> tuple[int, int]:
    """Return the least and the greatest integer of a type."""
    bits = given.bits
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if given.is_int else (0, (1 << bits) - 1)


def integer_of(expr: Expr) -> int | None:
    """Return the value of an integer literal; ``None`` for all else."""
    return expr.value if isinstance(expr, (IntImm, UIntImm)) else None


def conjuncts(condition: Expr) -> list[Expr]:
    """Return conditions all of which hold where ``condition`` does, itself unless it is an And."""
    parts = walk_tree(condition, lambda part: (part.a, part.b) if isinstance(part, And) else ())
    return [part for part in parts if not isinstance(part, And)]


def as_expr(value: object, like: Type | None = None) -> Expr:
    """Return ``value`` if it is an expression, else the literal it stands for.

    Args:
        value: An expression, number, truth value or string.
        like: The type that a number takes.

    Raises:
        FieldError: As :func:`const` does.
    """
    return value if isinstance(value, Expr) else const(value, like)


def _default_type(value: object) -> Type:
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, (np.integer, np.floating)):
        return as_type(value.dtype)
    return FLOAT32 if isinstance(value, float) else INT32


def binary(kind: type[BinaryOpNode], a: object, b: object) -> Expr:
    """Return ``kind(a, b)``, a number as a literal of the type of the other operand.

    Raises:
        OperatorError: If the operands are of two types.
        FieldError: If a number is no value of the type of the other operand.
    """
    if not isinstance(a, Expr):
        a = as_expr(a, b.type if isinstance(b, Expr) else None)
    if not isinstance(b, Expr):
        b = as_expr(b, a.type)
    if a.type != b.type:
        raise OperatorError(
            f"{kind.__name__} is given {one_line(a)} of type {a.type} and {one_line(b)} of type "
            f"{b.type}; both must have one type: cast one, or broadcast it"
        )
    return kind(a, b)
