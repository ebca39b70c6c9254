# What type checkers see of relayish.tir.ir.operators: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import builtins as _builtins
import collections.abc as _collections_abc
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import typing as _typing
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
Operand: TypeAlias = Union['Expr', Number]
class Expr(IrNode, properties=Property.EXPR):
    """What has a value, the type of which is ``type``.

    Python's operators build nodes: ``a + b``, ``-a``, ``a / b`` (for integers rounded towards
    zero), ``a % b``, ``a < b``, ``a & b``, ``a | b`` and ``~a`` of truth values. A number becomes
    a constant of the type of the expression beside it. ``==`` compares identity; ``tir.EQ`` is the
    comparison of values.
    """
    __slots__ = ()
    visit_name = 'expr'
    type: Type = field(init=False)
    __array_ufunc__ = None
    def __add__(self, other: Operand) -> Expr: ...
    def __radd__(self, other: Operand) -> Expr: ...
    def __sub__(self, other: Operand) -> Expr: ...
    def __rsub__(self, other: Operand) -> Expr: ...
    def __mul__(self, other: Operand) -> Expr: ...
    def __rmul__(self, other: Operand) -> Expr: ...
    def __truediv__(self, other: Operand) -> Expr: ...
    def __rtruediv__(self, other: Operand) -> Expr: ...
    def __mod__(self, other: Operand) -> Expr: ...
    def __rmod__(self, other: Operand) -> Expr: ...
    def __lt__(self, other: Operand) -> Expr: ...
    def __le__(self, other: Operand) -> Expr: ...
    def __gt__(self, other: Operand) -> Expr: ...
    def __ge__(self, other: Operand) -> Expr: ...
    def __and__(self, other: Operand) -> Expr: ...
    def __rand__(self, other: Operand) -> Expr: ...
    def __or__(self, other: Operand) -> Expr: ...
    def __ror__(self, other: Operand) -> Expr: ...
    def __neg__(self) -> Expr: ...
    def __invert__(self) -> Expr: ...
class UnaryOpNode(Expr, ExprNode):
    """An operator with one operand, ``v``."""
    __slots__ = ()
    visit_name = 'unary_op'
    v: Expr
class BinaryOpNode(Expr, ExprNode):
    """An operator with two operands, ``a`` and ``b``, of one type."""
    __slots__ = ()
    visit_name = 'binary_op'
    a: Expr
    b: Expr
class PredicateNode(BinaryOpNode, properties=Property.BOOLEAN):
    """A comparison, or a connective of truth values."""
    __slots__ = ()
    visit_name = 'predicate'
class ComparisonNode(PredicateNode, properties=Property.COMPARE):
    """A comparison of two values of one type."""
    __slots__ = ()
    visit_name = 'comparison'
    def __bool__(self) -> bool: ...
@node('int_imm', atom=Atom.LITERAL)
class IntImm(Expr, ExprNode):
    """A signed integer of ``dtype``."""
    value: int
    dtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: _typing.SupportsIndex, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: _typing.SupportsIndex = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('uint_imm', atom=Atom.LITERAL)
class UIntImm(Expr, ExprNode):
    """An unsigned integer of ``dtype``, or a truth value: 0 or 1."""
    value: int
    dtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: _typing.SupportsIndex, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: _typing.SupportsIndex = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('float_imm', atom=Atom.LITERAL)
class FloatImm(Expr, ExprNode):
    """The number of ``dtype`` that is nearest to ``value``."""
    value: float
    dtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: float, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: float = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('string_imm', atom=Atom.LITERAL)
class StringImm(Expr, ExprNode):
    """A string."""
    value: str
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: str, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: str = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('add', effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Add(BinaryOpNode):
    """``a + b``; integers wrap around."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('sub', effect=Effect.NONE)
class Sub(BinaryOpNode):
    """``a - b``; integers wrap around."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('mul', effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Mul(BinaryOpNode):
    """``a * b``; integers wrap around."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('div', effect=Effect.NONE)
class Div(BinaryOpNode):
    """``a / b``; of integers the quotient rounded towards zero, as in C."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('mod', effect=Effect.NONE)
class Mod(BinaryOpNode):
    """``a % b``; of integers the remainder of ``Div``, which has the sign of ``a``, as in C."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('min', effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Min(BinaryOpNode):
    """``a < b ? a : b``: with a NaN, ``b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('max', effect=Effect.NONE, properties=Property.COMMUTATIVE)
class Max(BinaryOpNode):
    """``a > b ? a : b``: with a NaN, ``b``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('frac_op', effect=Effect.NONE)
class FracOp(BinaryOpNode):
    """``a / b`` as an exact fraction: of integers the quotient without a remainder."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('eq', effect=Effect.NONE, properties=Property.COMMUTATIVE)
class EQ(ComparisonNode):
    """``a == b``, of two values of one type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ne', effect=Effect.NONE, properties=Property.COMMUTATIVE)
class NE(ComparisonNode):
    """``a != b``, of two values of one type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('lt', effect=Effect.NONE)
class LT(ComparisonNode):
    """``a < b``, of two values of one type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('le', effect=Effect.NONE)
class LE(ComparisonNode):
    """``a <= b``, of two values of one type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('gt', effect=Effect.NONE)
class GT(ComparisonNode):
    """``a > b``, of two values of one type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ge', effect=Effect.NONE)
class GE(ComparisonNode):
    """``a >= b``, of two values of one type."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
NEGATED: Final[Mapping[type[Node], type[ComparisonNode]]]
MIRRORED: Final[Mapping[type[Node], type[ComparisonNode]]]
@node('and', effect=Effect.NONE)
class And(PredicateNode):
    """``a`` and ``b``, both of which are evaluated."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('or', effect=Effect.NONE)
class Or(PredicateNode):
    """``a`` or ``b``, both of which are evaluated."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, a: Expr | _relayish_ir_values_value.Number, b: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, a: Expr | _relayish_ir_values_value.Number = ..., b: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('minus', effect=Effect.NONE)
class Minus(UnaryOpNode):
    """``-v``; integers wrap around."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, v: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, v: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('not', effect=Effect.NONE, properties=Property.BOOLEAN)
class Not(UnaryOpNode):
    """Not ``v``, a truth value."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, v: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, v: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
class NaryOpNode(Expr, ExprNode):
    """An operator with one operand or more, of one type."""
    __slots__ = ()
    visit_name = 'nary_op'
    operands: tuple[Expr, ...]
@node('sum', effect=Effect.NONE)
class Sum(NaryOpNode):
    """The sum of the operands, from left to right."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, operands: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, operands: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('product', effect=Effect.NONE)
class Product(NaryOpNode):
    """The product of the operands, from left to right."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, operands: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, operands: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('cast', effect=Effect.NONE)
class Cast(Expr, ExprNode):
    """``v`` converted to ``dtype``: floats to integers towards zero, integers by their low bits."""
    dtype: Type
    v: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type, v: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., v: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('select', effect=Effect.NONE)
class Select(Expr, ExprNode):
    """``true_value`` where ``condition`` holds, else ``false_value``; both are evaluated."""
    condition: Expr
    true_value: Expr
    false_value: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, condition: Expr | _relayish_ir_values_value.Number, true_value: Expr | _relayish_ir_values_value.Number, false_value: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, condition: Expr | _relayish_ir_values_value.Number = ..., true_value: Expr | _relayish_ir_values_value.Number = ..., false_value: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ramp', effect=Effect.NONE)
class Ramp(Expr, ExprNode):
    """The vector ``base, base + stride, ..., base + (lanes - 1) * stride``."""
    base: Expr
    stride: Expr
    lanes: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, base: Expr | _relayish_ir_values_value.Number, stride: Expr | _relayish_ir_values_value.Number, lanes: _typing.SupportsIndex, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, base: Expr | _relayish_ir_values_value.Number = ..., stride: Expr | _relayish_ir_values_value.Number = ..., lanes: _typing.SupportsIndex = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('broadcast', effect=Effect.NONE)
class Broadcast(Expr, ExprNode):
    """The vector of ``lanes`` elements that are all ``value``."""
    value: Expr
    lanes: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: Expr | _relayish_ir_values_value.Number, lanes: _typing.SupportsIndex, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: Expr | _relayish_ir_values_value.Number = ..., lanes: _typing.SupportsIndex = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
def const(value: object, dtype: Type | str | None=None) -> Expr:
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
@lru_cache(maxsize=256)
def integer_range(given: Type) -> tuple[int, int]:
    """Return the least and the greatest integer of a type."""
def integer_of(expr: Expr) -> int | None:
    """Return the value of an integer literal; ``None`` for all else."""
def conjuncts(condition: Expr) -> list[Expr]:
    """Return conditions all of which hold where ``condition`` does, itself unless it is an And."""
def as_expr(value: object, like: Type | None=None) -> Expr:
    """Return ``value`` if it is an expression, else the literal it stands for.

    Args:
        value: An expression, number, truth value or string.
        like: The type that a number takes.

    Raises:
        FieldError: As :func:`const` does.
    """
def binary(kind: type[BinaryOpNode], a: object, b: object) -> Expr:
    """Return ``kind(a, b)``, a number as a literal of the type of the other operand.

    Raises:
        OperatorError: If the operands are of two types.
        FieldError: If a number is no value of the type of the other operand.
    """
