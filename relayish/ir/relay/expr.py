"""Relay's expressions, but for those of algebraic data types (``adt``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, Union

from relayish._support import hooks
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.property import Property
from relayish.ir.equality.comparison import COMPARISONS, Comparison
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Atom, Runs
from relayish.ir.kinds.one_line import LINES, shorten
from relayish.ir.kinds.temporary import TEMPORARIES, Temporary
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.nodes.span import Span
from relayish.ir.registration.declarations import DECLARED_LEVEL
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.type import Type, TypeVar
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.ir.values.literal import is_same_literal
from relayish.ir.values.value import Number, Value, as_value

Operand: TypeAlias = Union["Expr", Number]
"""What may stand beside an expression at a Python operator: another, or a number."""


class Expr(Node, language=RELAY):
    """The root of expressions.

    ``span`` says where the expression comes from and ``checked_type`` what type inference found;
    structural comparison looks at neither.

    As in Relay, Python's arithmetic and its order comparisons build calls: ``x + y``, ``-x``,
    ``2 * x``, ``x < y``. A number becomes a constant of the element type of the expression beside
    it where that can be told, else of the default width of ``const``. ``==`` compares identity.
    An expression is called with expressions (``f(x, y)``), and converted by ``x.astype("int8")``.
    """

    __slots__ = ()
    visit_name = "expr"

    span: Span | None = field(default=None, compared=False, kw_only=True)
    checked_type: Type | None = field(default=None, compared=False, inferred=True, kw_only=True)
    __array_ufunc__ = None  # numpy leaves its operators to those below

    def __add__(self, other: Operand) -> Call:
        return _call("add", self, other)

    def __radd__(self, other: Operand) -> Call:
        return _call("add", other, self)

    def __sub__(self, other: Operand) -> Call:
        return _call("subtract", self, other)

    def __rsub__(self, other: Operand) -> Call:
        return _call("subtract", other, self)

    def __mul__(self, other: Operand) -> Call:
        return _call("multiply", self, other)

    def __rmul__(self, other: Operand) -> Call:
        return _call("multiply", other, self)

    def __truediv__(self, other: Operand) -> Call:
        return _call("divide", self, other)

    def __rtruediv__(self, other: Operand) -> Call:
        return _call("divide", other, self)

    def __neg__(self) -> Call:
        return _call("negative", self)

    def __lt__(self, other: Operand) -> Call:
        return _call("less", self, other)

    def __le__(self, other: Operand) -> Call:
        return _call("less_equal", self, other)

    def __gt__(self, other: Operand) -> Call:
        return _call("greater", self, other)

    def __ge__(self, other: Operand) -> Call:
        return _call("greater_equal", self, other)

    def __call__(self, *args: Expr) -> Call:
        """Return a call of this expression, which is a function when the program runs."""
        return Call(self, args)

    def astype(self, dtype: str) -> Call:
        """Return a call of ``cast``, which converts the elements to ``dtype``."""
        return _call("cast", self, dtype)


def _call(what: str, *operands: object) -> Call:
    call: Call = hooks.build(what, *operands)
    return call


@node("constant", atom=Atom.LITERAL)
class Constant(Expr):
    """A value known while compiling: a tensor, string, tuple of values, or ``None``.

    Tensors of rank 0 are held as numpy scalars and others as read-only arrays; Python numbers
    become scalars of Relay's default width (``int32``, ``float32``, ``bool``).
    """

    data: Value = field(convert=as_value)


@node("var", atom=Atom.VARIABLE)
class Var(Expr):
    """A local variable; it is the object that counts, the name is for people.

    ``may_share`` is RAF's: the variable whose memory the value may occupy. ``virtual_device`` says
    where the value of a parameter is kept, ``None`` that nothing is known of it.
    """

    name_hint: str = field(hint=True)
    type_annotation: Type | None = None
    may_share: Var | None = field(default=None, annotation=True)
    virtual_device: VirtualDevice | None = None


@node("global_var", atom=Atom.NAME)
class GlobalVar(Expr):
    """The name of a function of the module."""

    name_hint: str


@node("op", atom=Atom.NAME)
class Op(Expr):
    """A primitive operator, one object per domain and name: obtain it with :func:`get_op`."""

    name: str
    domain: str = RELAY.name  # type: ignore[assignment]  # which a call of it tells by its own

    @property
    def full_name(self) -> str:
        """A name that no other operator has, whatever is declared.

        It is the name alone for operators of Relay's own domain, as in TVM; for others the name
        behind that of the domain, ``domain::name``.
        """
        if self.domain == RELAY.name and "::" not in self.name:
            return self.name
        return f"{self.domain}::{self.name}"

    def __repr__(self) -> str:
        if self.domain == RELAY.name:
            return f"Op(name={self.name!r})"
        return f"Op(name={self.name!r}, domain={self.domain!r})"

    def __call__(self, *args: object, **attributes: object) -> Call:
        """Return a call of this operator, checked against its declaration."""
        call: Call = hooks.build("call", self, *args, **attributes)
        return call

    def get_attr(self, attr_key: str) -> Any:  # Any: each property has a type of its own
        """Return the property that TVM calls ``attr_key`` (``TOpPattern``), or ``None``.

        See :func:`relayish.op.declaration.attribute_keys.register_op_attr`, also for those below.
        """
        return hooks.build("get_attr", self, attr_key)

    def has_attr(self, attr_key: str) -> bool:
        """Return whether the operator has the property that TVM calls ``attr_key``."""
        found: bool = hooks.build("has_attr", self, attr_key)
        return found

    def set_attr(self, attr_key: str, value: object, plevel: int = DECLARED_LEVEL) -> None:
        """Give the operator the property that TVM calls ``attr_key``."""
        hooks.build("set_attr", self, attr_key, value, plevel)

    def reset_attr(self, attr_key: str) -> None:
        """Take the property that TVM calls ``attr_key`` away from the operator."""
        hooks.build("reset_attr", self, attr_key)

    @property
    def num_inputs(self) -> int:
        """How many arguments a call has; -1 where there may be any number."""
        found: int = hooks.build("get_num_inputs", self)
        return found

    def set_num_inputs(self, n: int) -> None:
        """Say of an operator that was registered by its name how many arguments a call has."""
        hooks.build("set_num_inputs", self, n)

    def add_argument(self, name: str, type: str = "", description: str = "") -> None:  # noqa: A002
        """Name the next argument; ``type`` and ``description`` are taken as TVM takes them."""
        hooks.build("add_argument", self, name, type, description)

    def add_type_rel(
        self, rel_name: str, type_rel_func: Callable[[Sequence[Type], Any], Type] | None = None
    ) -> None:  # Any: the attributes of the one operator
        """Say of which type a call is: by a relation of TVM's, ``Identity``, or a function.

        Args:
            rel_name: ``Identity``, ``Broadcast``, ``BroadcastComp``, or that of the function.
            type_rel_func: Returns the type of a call, of those of its arguments and its attributes.
        """
        hooks.build("add_type_rel", self, rel_name, type_rel_func)

    @property
    def support_level(self) -> int:
        """On which of Relay's levels it is: 1 for arithmetic, 10 for what is on no other."""
        found: int = hooks.build("get_support_level", self)
        return found

    def set_support_level(self, level: int) -> None:
        """Say on which level an operator is."""
        hooks.build("set_support_level", self, level)

    @staticmethod
    def get(name: str, domain: str | None = None) -> Op:
        """Return the declared operator ``name``, of ``domain`` where several have one.

        Raises:
            UnknownNameError: If no operator of that name is declared.
            AmbiguousNameError: If several are, and no domain is given.
        """
        op: Op = hooks.build("get", name, domain)
        return op

    @staticmethod
    def list_op_names() -> tuple[str, ...]:
        """Return the full names of all declared operators, sorted."""
        names: tuple[str, ...] = hooks.build("list_ops")
        return names


@node("tuple", effect=Effect.NONE, graph_node=True)
class Tuple(Expr):
    """A tuple of the values of its fields; ``tup[0]``, ``len(tup)`` and iteration give these."""

    fields: tuple[Expr, ...]

    def __getitem__(self, index: int) -> Expr:
        return self.fields[index]

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.fields)

    def __bool__(self) -> bool:
        return True  # as every node is, also one without fields

    def astuple(self) -> Tuple:
        """Return this tuple, as what Relay wraps several results in does."""
        return self


@node("tuple_getitem", effect=Effect.NONE)
class TupleGetItem(Expr):
    """Field ``index`` (from 0) of a tuple."""

    tuple_value: Expr
    index: int


@node("call", properties=Property.CALL)
class Call(Expr):
    """``op`` (an operator, function, constructor or global) applied to ``args``."""

    op: Expr
    args: tuple[Expr, ...]
    attrs: Attrs | None = None
    type_args: tuple[Type, ...] = ()

    def __getitem__(self, index: int) -> TupleGetItem:
        """Return result ``index`` of a call with several results, such as one of ``split``."""
        item: TupleGetItem = self._fields()[index]
        return item

    def __len__(self) -> int:
        return len(self._fields())

    def __iter__(self) -> Iterator[TupleGetItem]:
        return iter(self._fields())

    def _fields(self) -> Any:  # Any: a sequence of projections, made when asked for
        return hooks.build("fields", self)

    def __bool__(self) -> bool:
        if type(self.op) is Op and self.op.name in _COMPARISONS and self.op.domain == RELAY.name:
            hooks.build("refuse_truth", self)
        return True

    @property
    def size(self) -> int:
        """How many results the call has, as what Relay wraps several results in says."""
        return len(self._fields())

    @property
    def tuple_value(self) -> Call:
        """The call itself, as what Relay wraps several results in holds it."""
        return self

    def astuple(self) -> Call:
        """Return the call itself: a program may use all of its results as one tuple."""
        return self


_COMPARISONS = frozenset({"less", "less_equal", "greater", "greater_equal"})


@node("let", effect=Effect.NONE, graph_node=True)
class Let(Expr):
    """Bind ``var`` to ``value`` inside ``body``; a function may refer to its own ``var``."""

    var: Var = field(binder=True)
    value: Expr = field(recursive=True)
    body: Expr = field(scope=Runs.ONCE, rest=True)


@node("if", effect=Effect.NONE, graph_node=True)
class If(Expr):
    """``true_branch`` where the boolean scalar ``cond`` holds, else ``false_branch``."""

    cond: Expr
    true_branch: Expr = field(scope=Runs.ONE_OF)
    false_branch: Expr = field(scope=Runs.ONE_OF)


@node("function", effect=Effect.NONE, graph_node=True)
class Function(Expr):
    """A function, closed over the free variables of its ``body``.

    ``virtual_device`` says where its result is kept, ``None`` that nothing is known of it.
    """

    params: tuple[Var, ...] = field(binder=True)
    body: Expr = field(scope=Runs.DEFERRED)
    ret_type: Type | None = None
    type_params: tuple[TypeVar, ...] = field(default=(), binder=True)
    attrs: DictAttrs | None = None
    virtual_device: VirtualDevice | None = None

    def with_attr(self, name: str | Mapping[str, object], value: object = None) -> Function:
        """Return the function with an attribute set, or those of a mapping.

        Returns:
            The function itself where it has just these values. Its type stays: attributes do not
            bear on it.

        Source:
            Relay ``Function.with_attr``.

        Example:
            >>> x = Var("x")
            >>> Function((x,), x).with_attr("Primitive", 1).attrs
            DictAttrs({'Primitive': 1})
        """
        held = {} if self.attrs is None else dict(self.attrs.items())
        given = DictAttrs({name: value} if isinstance(name, str) else name)
        if all(key in held and is_same_literal(held[key], new) for key, new in given.items()):
            return self
        attrs = DictAttrs({**held, **dict(given.items())})
        return self.with_fields(attrs=attrs, checked_type=self.checked_type)

    def without_attr(self, name: str) -> Function:
        """Return the function without an attribute; itself if it has none of that name.

        Source:
            Relay ``Function.without_attr``.
        """
        if self.attrs is None or name not in self.attrs:
            return self
        kept = {key: value for key, value in self.attrs.items() if key != name}
        attrs = DictAttrs(kept) if kept else None
        return self.with_fields(attrs=attrs, checked_type=self.checked_type)


@node("ref_create", effect=Effect.NONE, allocates=True)
class RefCreate(Expr):
    """A new mutable cell holding ``value``."""

    value: Expr


@node("ref_read", effect=Effect.READS)
class RefRead(Expr):
    """The value in the cell ``ref``."""

    ref: Expr = field(access=Access.READ | Access.INDIRECT)


@node("ref_write", effect=Effect.WRITES)
class RefWrite(Expr):
    """Put ``value`` into the cell ``ref``; the result is the empty tuple."""

    ref: Expr = field(access=Access.WRITE | Access.INDIRECT)
    value: Expr


def _is_same_op(lhs: Op, rhs: Op) -> bool:
    return lhs is rhs or (lhs.name == rhs.name and lhs.domain == rhs.domain)


def _is_same_global(lhs: GlobalVar, rhs: GlobalVar) -> bool:
    return lhs.name_hint == rhs.name_hint


def type_args(lhs: Call, rhs: Call) -> tuple[object, object] | None:
    """Return the type arguments of two calls, which do not count where an operator is called."""
    return None if type(lhs.op) is Op else (lhs.type_args, rhs.type_args)


COMPARISONS.register(Op, Comparison(same=_is_same_op, hashed=("full_name",)))
COMPARISONS.register(GlobalVar, Comparison(same=_is_same_global))
COMPARISONS.register(Call, Comparison(skipped=("type_args",), beside=type_args))


def _bind_by_let(expr: Expr, name: str) -> Temporary:
    var = Var(name)
    return Temporary(Let(var, expr, var), var)


TEMPORARIES.register(Expr, _bind_by_let)

LINES.register(Op, lambda op, _: shorten(op.full_name))
LINES.register(GlobalVar, lambda name, _: f"@{shorten(name.name_hint)}")
LINES.register(Call, lambda call, show: f"{show(call.op)}({show(*call.args)})")
LINES.register(Tuple, lambda tup, show: f"({show(*tup.fields)}{',' * (len(tup.fields) == 1)})")
LINES.register(TupleGetItem, lambda get, show: f"{show(get.tuple_value)}.{get.index}")
LINES.register(Let, lambda let, show: f"let {show(let.var)} = {show(let.value)}; ...")
LINES.register(If, lambda node, show: f"if ({show(node.cond)}) {{...}} else {{...}}")
LINES.register(Function, lambda func, show: f"fn ({show(*func.params)}) {{...}}")
