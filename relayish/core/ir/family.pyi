# What type checkers see of relayish.core.ir.family: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import typing as _typing
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
    loaded_by = ''
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
    def __lshift__(self, other: Operand) -> Expr: ...
    def __rshift__(self, other: Operand) -> Expr: ...
    def __and__(self, other: Operand) -> Expr: ...
    def __or__(self, other: Operand) -> Expr: ...
    def __xor__(self, other: Operand) -> Expr: ...
    def __lt__(self, other: Operand) -> Expr: ...
    def __le__(self, other: Operand) -> Expr: ...
    def __gt__(self, other: Operand) -> Expr: ...
    def __ge__(self, other: Operand) -> Expr: ...
    def __neg__(self) -> Expr: ...
    def __invert__(self) -> Expr: ...
class CoreNode(Node, language=CORE):
    """The root of core. ``span`` says where a node comes from; comparison leaves it out."""
    __slots__ = ()
    visit_name = 'core_node'
    span: Span | None = field(kw_only=True, default=...)
    def __getattr__(self, name: _typing.Literal["a", "access_type", "address", "args", "attrs", "b", "body", "compare", "computed", "condition", "constant", "data", "else_block", "entry", "epsilon", "expected", "field_name", "fields", "flags", "formals", "function", "increment", "indices", "init", "is_const", "is_program", "iv", "length", "loaded_by", "locals", "name", "offset", "preg", "pregs", "remark", "result", "rtype", "stmts", "symbol", "then_block", "title", "type", "value"], /) -> _typing.Any: ...
class Expr(Arithmetic, CoreNode, properties=Property.EXPR):
    """What has a value, the type of which is ``type``.

    Python's operators build nodes: ``a + b``, ``-a``, ``a << b``, ``a < b``, ... A number becomes a
    literal of the type of the operand beside it, and a symbol what it holds. ``==`` compares
    identity; ``core.equal`` is the comparison of values.
    """
    __slots__ = ()
    visit_name = 'expr'
    type: Type = field(init=False)
class Stmt(CoreNode, properties=Property.STMT):
    """What may stand in a block, and is run."""
    __slots__ = ()
    visit_name = 'stmt'
class Symbol(Arithmetic, CoreNode):
    """What names a place or a function: a symbol of AIR's tables.

    Python's operators build nodes of what it holds, as those of :class:`Expr` do.
    """
    __slots__ = ()
    visit_name = 'symbol'
    loaded_by = 'ld'
class Definition(CoreNode):
    """What a module defines under a name."""
    __slots__ = ()
    visit_name = 'definition'
Operand: TypeAlias = Union[Arithmetic, int, float, 'np.generic']
def binary(visit: str, a: Operand, b: Operand) -> Expr:
    """Return the operator of a visit name on two operands, a number as a literal.

    Raises:
        OperatorError: If the operands are of two types.
        FieldError: If a number is no value of the type of the other operand.
    """
def as_expr(given: Operand, like: Type | None=None) -> Expr:
    """Return ``given`` as an expression: itself, what a symbol holds, or the literal of a number.

    Args:
        given: An expression, a symbol, a number or a truth value.
        like: The type that a number takes; by default as of :func:`~relayish.core.const`.

    Raises:
        FieldError: If it is none of these, or a number that is no value of the type.
    """
