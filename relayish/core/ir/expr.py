"""Expressions: literals, arithmetic, bit and logic operators, and comparisons."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from relayish.core.ir.constant import Constant
from relayish.core.ir.family import Expr
from relayish.core.ir.language import CORE
from relayish.core.ir.type import BOOL, INT32, VOID, Type, TypeLike, as_type
from relayish.errors import FieldError, OperatorError
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Atom
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import field, node


class UnaryOp(Expr):
    """An operator with one operand, ``a``, whose type is that of the value."""

    __slots__ = ()
    visit_name = "unary_op"

    a: Expr

    derive_type = staticmethod(attrgetter("a.type"))


class BinaryOp(Expr):
    """An operator with two operands, ``a`` and ``b``, whose type is that of the value."""

    __slots__ = ()
    visit_name = "binary_op"

    a: Expr
    b: Expr

    derive_type = staticmethod(attrgetter("a.type"))


class BitOp(BinaryOp):
    """An operator on the bits of two integers or truth values of one type."""

    __slots__ = ()
    visit_name = "bit_op"


class ShiftOp(BinaryOp):
    """The bits of an integer, ``a``, moved by ``b`` places: 0 or more, and less than its width."""

    __slots__ = ()
    visit_name = "shift_op"


class Comparison(BinaryOp, properties=Property.COMPARE | Property.BOOLEAN):
    """A comparison of two values of one type."""

    __slots__ = ()
    visit_name = "comparison"

    derive_type = staticmethod(lambda _: BOOL)

    def __bool__(self) -> bool:
        raise OperatorError(
            f"the truth of {one_line(self)} is not known before it runs; chained comparisons ask "
            f"for it, and so does `if`: write core.Land(a < b, b < c) or core.If"
        )


class LogicOp(BinaryOp, properties=Property.BOOLEAN):
    """A connective of two truth values, both of which are evaluated."""

    __slots__ = ()
    visit_name = "logic_op"


class Literal(Expr):
    """A number that the node itself tells."""

    __slots__ = ()
    visit_name = "literal"


@node("intconst", atom=Atom.LITERAL)
class Intconst(Literal):
    """An integer, a truth value (0 or 1), or an address, of ``rtype``."""

    value: int
    rtype: Type = field(default=INT32, convert=as_type)

    derive_type = attrgetter("rtype")


@node("zero", atom=Atom.LITERAL)
class Zero(Literal):
    """The zero of any type: of a number, an address, or all of an array or a structure."""

    rtype: Type = field(default=INT32, convert=as_type)

    derive_type = attrgetter("rtype")


@node("one", atom=Atom.LITERAL)
class One(Literal):
    """The number 1 of any type of numbers, or truth."""

    rtype: Type = field(default=INT32, convert=as_type)

    derive_type = attrgetter("rtype")


@node("ldc", effect=Effect.NONE, graph_node=False)
class Ldc(Expr):
    """The value of a constant."""

    constant: Constant

    derive_type = attrgetter("constant.type")


@node("ldca", effect=Effect.NONE, graph_node=False)
class Ldca(Expr):
    """The address of a constant, which is not written; of an array that of its first element.

    Whether two constants of one value have one address is not said.
    """

    constant: Constant

    @staticmethod
    def derive_type(node: Ldca) -> Type:
        """Return the type of addresses of the constant, or of its elements."""
        held = node.constant.type
        return (held.element if held.is_array else held).pointer_to()


@node("add", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Add(BinaryOp):
    """``a + b``; integers wrap around."""


@node("sub", effect=Effect.NONE, graph_node=False)
class Sub(BinaryOp):
    """``a - b``; integers wrap around."""


@node("mul", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Mul(BinaryOp):
    """``a * b``; integers wrap around."""


@node("div", effect=Effect.NONE, graph_node=False)
class Div(BinaryOp):
    """``a / b``; of integers the quotient rounded towards zero, as in C."""


@node("mod", effect=Effect.NONE, graph_node=False)
class Mod(BinaryOp):
    """``a % b``: of integers, as in C, the remainder of ``Div``, which has the sign of ``a``."""


@node("shl", effect=Effect.NONE, graph_node=False)
class Shl(ShiftOp):
    """``a << b``: to the left; zeros come in."""


@node("ashr", effect=Effect.NONE, graph_node=False)
class Ashr(ShiftOp):
    """``a >> b``, arithmetic: to the right; copies of the sign bit come in, whatever the type."""


@node("lshr", effect=Effect.NONE, graph_node=False)
class Lshr(ShiftOp):
    """``a >> b``, logical: to the right; zeros come in, whatever the type."""


@node("band", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Band(BitOp):
    """``a & b``, bit by bit."""


@node("bor", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Bor(BitOp):
    """``a | b``, bit by bit."""


@node("bxor", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Bxor(BitOp):
    """``a ^ b``, bit by bit."""


@node("bnot", effect=Effect.NONE, graph_node=False)
class Bnot(UnaryOp):
    """``~a``: each bit of an integer inverted; of a truth value see :class:`Lnot`."""


@node("land", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Land(LogicOp):
    """``a && b``, but for that both are evaluated."""


@node("lor", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Lor(LogicOp):
    """``a || b``, but for that both are evaluated."""


@node("lnot", effect=Effect.NONE, graph_node=False, properties=Property.BOOLEAN)
class Lnot(UnaryOp):
    """``!a``, of a truth value."""


@node("eq", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Eq(Comparison):
    """``a == b``."""


@node("ne", effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Ne(Comparison):
    """``a != b``."""


@node("lt", effect=Effect.NONE, graph_node=False)
class Lt(Comparison):
    """``a < b``."""


@node("le", effect=Effect.NONE, graph_node=False)
class Le(Comparison):
    """``a <= b``."""


@node("gt", effect=Effect.NONE, graph_node=False)
class Gt(Comparison):
    """``a > b``."""


@node("ge", effect=Effect.NONE, graph_node=False)
class Ge(Comparison):
    """``a >= b``."""


def const(value: object, given: TypeLike | None = None) -> Expr:
    """Return the literal of ``value``, a number or truth value, or what loads it as a constant.

    Args:
        value: The number, as Python or numpy have it.
        given: Its type; by default ``bool``, ``int32``, ``float32`` or that of a numpy number.

    Raises:
        FieldError: If ``value`` is no number of that type.

    Example:
        >>> const(3).type, const(2.5).type, const(True).type
        (Type('int32'), Type('float32'), Type('bool'))
    """
    if not isinstance(value, (bool, int, float, np.generic)):
        raise FieldError(
            f"{value!r} ({type(value).__name__}) is no number; expected an expression, a "
            f"symbol or a number"
        )
    wanted = _default_type(value) if given is None else as_type(given)
    if wanted.is_float:
        try:
            with np.errstate(over="ignore"):
                return Ldc(Constant(wanted.numpy.type(value)))
        except OverflowError:  # Python's, of integers beyond all floats
            raise FieldError(f"the number given is out of range of {wanted}") from None
    whole = not isinstance(value, (float, np.floating)) or float(value).is_integer()
    is_counted = wanted.is_integer or wanted.is_bool or wanted.is_pointer
    if not whole or not is_counted:
        raise FieldError(f"{value!r} is no value of type {wanted}; give the type it has")
    low, high = integer_range(wanted)
    if not low <= int(value) <= high:
        raise FieldError(f"{value} is out of range of {wanted}, which is {low} to {high}")
    return Intconst(int(value), wanted)


CORE.as_literal = const


def integer_range(given: Type) -> tuple[int, int]:
    """Return the least and the greatest number of a type of integers, truths or addresses."""
    bits = given.bits
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if given.is_int else (0, (1 << bits) - 1)


def _default_type(value: object) -> Type:
    if isinstance(value, (bool, np.bool_)):
        return BOOL
    if isinstance(value, np.generic):
        return as_type(value.dtype)
    return as_type("float32") if isinstance(value, float) else INT32


@node("void", effect=Effect.NONE, graph_node=False)
class Void(Expr):
    """No value: what stands where there is none."""

    derive_type = staticmethod(lambda _: VOID)
