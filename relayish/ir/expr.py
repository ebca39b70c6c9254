"""Relay's expressions, but for those of algebraic data types (``adt``)."""

from __future__ import annotations

from relayish._support import show
from relayish.ir.attrs import Attrs, DictAttrs
from relayish.ir.node import Node, field, node
from relayish.ir.span import Span
from relayish.ir.type import Type, TypeVar
from relayish.ir.value import Value, as_value


class Expr(Node):
    """The root of expressions.

    ``span`` says where the expression comes from and ``checked_type`` what type inference found;
    structural comparison looks at neither.
    """

    __slots__ = ()
    visit_name = "expr"

    span: Span | None = field(default=None, compared=False, kw_only=True)
    checked_type: Type | None = field(default=None, compared=False, kw_only=True)
    __str__ = show.text


@node("constant")
class Constant(Expr):
    """A value known while compiling: a tensor, string, tuple of values, or ``None``.

    Tensors of rank 0 are held as numpy scalars and others as read-only arrays; Python numbers
    become scalars of Relay's default width (``int32``, ``float32``, ``bool``).
    """

    data: Value = field(convert=as_value)


@node("var")
class Var(Expr):
    """A local variable; it is the object that counts, the name is for people.

    ``may_share`` is RAF's: the variable whose memory the value may occupy.
    """

    name_hint: str
    type_annotation: Type | None = None
    may_share: Var | None = None


@node("global_var")
class GlobalVar(Expr):
    """The name of a function of the module."""

    name_hint: str


@node("op")
class Op(Expr):
    """A primitive operator, one object per name: obtain it with :func:`get_op`."""

    name: str


@node("tuple")
class Tuple(Expr):
    """A tuple of the values of its fields."""

    fields: tuple[Expr, ...]


@node("tuple_getitem")
class TupleGetItem(Expr):
    """Field ``index`` (from 0) of a tuple."""

    tuple_value: Expr
    index: int


@node("call")
class Call(Expr):
    """``op`` (an operator, function, constructor or global) applied to ``args``."""

    op: Expr
    args: tuple[Expr, ...]
    attrs: Attrs | None = None
    type_args: tuple[Type, ...] = ()


@node("let")
class Let(Expr):
    """Bind ``var`` to ``value`` inside ``body``; a function may refer to its own ``var``."""

    var: Var = field(binder=True)
    value: Expr
    body: Expr


@node("if")
class If(Expr):
    """``true_branch`` where the boolean scalar ``cond`` holds, else ``false_branch``."""

    cond: Expr
    true_branch: Expr
    false_branch: Expr


@node("function")
class Function(Expr):
    """A function, closed over the free variables of its ``body``."""

    params: tuple[Var, ...] = field(binder=True)
    body: Expr
    ret_type: Type | None = None
    type_params: tuple[TypeVar, ...] = field(default=(), binder=True)
    attrs: DictAttrs | None = None


@node("ref_create")
class RefCreate(Expr):
    """A new mutable cell holding ``value``."""

    value: Expr


@node("ref_read")
class RefRead(Expr):
    """The value in the cell ``ref``."""

    ref: Expr


@node("ref_write")
class RefWrite(Expr):
    """Put ``value`` into the cell ``ref``; the result is the empty tuple."""

    ref: Expr
    value: Expr
