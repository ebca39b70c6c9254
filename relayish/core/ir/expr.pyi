# What type checkers see of relayish.core.ir.expr: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import builtins as _builtins
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import typing as _typing
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
    visit_name = 'unary_op'
    a: Expr
class BinaryOp(Expr):
    """An operator with two operands, ``a`` and ``b``, whose type is that of the value."""
    __slots__ = ()
    visit_name = 'binary_op'
    a: Expr
    b: Expr
class BitOp(BinaryOp):
    """An operator on the bits of two integers or truth values of one type."""
    __slots__ = ()
    visit_name = 'bit_op'
class ShiftOp(BinaryOp):
    """The bits of an integer, ``a``, moved by ``b`` places: 0 or more, and less than its width."""
    __slots__ = ()
    visit_name = 'shift_op'
class Comparison(BinaryOp, properties=Property.COMPARE | Property.BOOLEAN):
    """A comparison of two values of one type."""
    __slots__ = ()
    visit_name = 'comparison'
    def __bool__(self) -> bool: ...
class LogicOp(BinaryOp, properties=Property.BOOLEAN):
    """A connective of two truth values, both of which are evaluated."""
    __slots__ = ()
    visit_name = 'logic_op'
class Literal(Expr):
    """A number that the node itself tells."""
    __slots__ = ()
    visit_name = 'literal'
@node('intconst', atom=Atom.LITERAL)
class Intconst(Literal):
    """An integer, a truth value (0 or 1), or an address, of ``rtype``."""
    value: int
    rtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: _typing.SupportsIndex, rtype: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: _typing.SupportsIndex = ..., rtype: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('zero', atom=Atom.LITERAL)
class Zero(Literal):
    """The zero of any type: of a number, an address, or all of an array or a structure."""
    rtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, rtype: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, rtype: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('one', atom=Atom.LITERAL)
class One(Literal):
    """The number 1 of any type of numbers, or truth."""
    rtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, rtype: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, rtype: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ldc', effect=Effect.NONE, graph_node=False)
class Ldc(Expr):
    """The value of a constant."""
    constant: Constant
    __getattr__: None  # it is known what a kind has
    def __init__(self, constant: Constant | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, constant: Constant | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ldca', effect=Effect.NONE, graph_node=False)
class Ldca(Expr):
    """The address of a constant, which is not written; of an array that of its first element.

    Whether two constants of one value have one address is not said.
    """
    constant: Constant
    __getattr__: None  # it is known what a kind has
    def __init__(self, constant: Constant | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, constant: Constant | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('add', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Add(BinaryOp):
    """``a + b``; integers wrap around."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('sub', effect=Effect.NONE, graph_node=False)
class Sub(BinaryOp):
    """``a - b``; integers wrap around."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('mul', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Mul(BinaryOp):
    """``a * b``; integers wrap around."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('div', effect=Effect.NONE, graph_node=False)
class Div(BinaryOp):
    """``a / b``; of integers the quotient rounded towards zero, as in C."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('mod', effect=Effect.NONE, graph_node=False)
class Mod(BinaryOp):
    """``a % b``: of integers, as in C, the remainder of ``Div``, which has the sign of ``a``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('shl', effect=Effect.NONE, graph_node=False)
class Shl(ShiftOp):
    """``a << b``: to the left; zeros come in."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ashr', effect=Effect.NONE, graph_node=False)
class Ashr(ShiftOp):
    """``a >> b``, arithmetic: to the right; copies of the sign bit come in, whatever the type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('lshr', effect=Effect.NONE, graph_node=False)
class Lshr(ShiftOp):
    """``a >> b``, logical: to the right; zeros come in, whatever the type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('band', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Band(BitOp):
    """``a & b``, bit by bit."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('bor', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Bor(BitOp):
    """``a | b``, bit by bit."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('bxor', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Bxor(BitOp):
    """``a ^ b``, bit by bit."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('bnot', effect=Effect.NONE, graph_node=False)
class Bnot(UnaryOp):
    """``~a``: each bit of an integer inverted; of a truth value see :class:`Lnot`."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('land', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Land(LogicOp):
    """``a && b``, but for that both are evaluated."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('lor', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Lor(LogicOp):
    """``a || b``, but for that both are evaluated."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('lnot', effect=Effect.NONE, graph_node=False, properties=Property.BOOLEAN)
class Lnot(UnaryOp):
    """``!a``, of a truth value."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('eq', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Eq(Comparison):
    """``a == b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ne', effect=Effect.NONE, graph_node=False, properties=Property.COMMUTATIVE)
class Ne(Comparison):
    """``a != b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('lt', effect=Effect.NONE, graph_node=False)
class Lt(Comparison):
    """``a < b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('le', effect=Effect.NONE, graph_node=False)
class Le(Comparison):
    """``a <= b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('gt', effect=Effect.NONE, graph_node=False)
class Gt(Comparison):
    """``a > b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ge', effect=Effect.NONE, graph_node=False)
class Ge(Comparison):
    """``a >= b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
def const(value: object, given: TypeLike | None=None) -> Expr:
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
def integer_range(given: Type) -> tuple[int, int]:
    """Return the least and the greatest number of a type of integers, truths or addresses."""
@node('void', effect=Effect.NONE, graph_node=False)
class Void(Expr):
    """No value: what stands where there is none."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
