# What type checkers see of relayish.ir.relay.expr: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import typing as _typing
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
Operand: TypeAlias = Union['Expr', Number]
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
    visit_name = 'expr'
    span: Span | None = field(kw_only=True, default=...)
    checked_type: Type | None = field(kw_only=True, default=...)
    __array_ufunc__ = None
    def __add__(self, other: Operand) -> Call: ...
    def __radd__(self, other: Operand) -> Call: ...
    def __sub__(self, other: Operand) -> Call: ...
    def __rsub__(self, other: Operand) -> Call: ...
    def __mul__(self, other: Operand) -> Call: ...
    def __rmul__(self, other: Operand) -> Call: ...
    def __truediv__(self, other: Operand) -> Call: ...
    def __rtruediv__(self, other: Operand) -> Call: ...
    def __neg__(self) -> Call: ...
    def __lt__(self, other: Operand) -> Call: ...
    def __le__(self, other: Operand) -> Call: ...
    def __gt__(self, other: Operand) -> Call: ...
    def __ge__(self, other: Operand) -> Call: ...
    def __call__(self, *args: Expr) -> Call:
        """Return a call of this expression, which is a function when the program runs."""
    def astype(self, dtype: str) -> Call:
        """Return a call of ``cast``, which converts the elements to ``dtype``."""
    def __getattr__(self, name: _typing.Literal["add_argument", "add_type_rel", "args", "astuple", "attrs", "belong_to", "body", "clauses", "complete", "cond", "data", "false_branch", "fields", "full_name", "get", "get_attr", "has_attr", "index", "inputs", "list_op_names", "may_share", "name", "name_hint", "num_inputs", "op", "params", "ref", "reset_attr", "ret_type", "set_attr", "set_num_inputs", "set_support_level", "size", "support_level", "tag", "true_branch", "tuple_value", "type_annotation", "type_args", "type_params", "value", "var", "virtual_device", "with_attr", "without_attr"], /) -> _typing.Any: ...
@node('constant', atom=Atom.LITERAL)
class Constant(Expr):
    """A value known while compiling: a tensor, string, tuple of values, or ``None``.

    Tensors of rank 0 are held as numpy scalars and others as read-only arrays; Python numbers
    become scalars of Relay's default width (``int32``, ``float32``, ``bool``).
    """
    data: Value
    __getattr__: None  # it is known what a kind has
    def __init__(self, data: object, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, data: object = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('var', atom=Atom.VARIABLE)
class Var(Expr):
    """A local variable; it is the object that counts, the name is for people.

    ``may_share`` is RAF's: the variable whose memory the value may occupy. ``virtual_device`` says
    where the value of a parameter is kept, ``None`` that nothing is known of it.
    """
    name_hint: str
    type_annotation: Type | None
    may_share: Var | None
    virtual_device: VirtualDevice | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, name_hint: str, type_annotation: Type | None = None, may_share: Var | None = None, virtual_device: VirtualDevice | None = None, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, name_hint: str = ..., type_annotation: Type | None = ..., may_share: Var | None = ..., virtual_device: VirtualDevice | None = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('global_var', atom=Atom.NAME)
class GlobalVar(Expr):
    """The name of a function of the module."""
    name_hint: str
    __getattr__: None  # it is known what a kind has
    def __init__(self, name_hint: str, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, name_hint: str = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('op', atom=Atom.NAME)
class Op(Expr):
    """A primitive operator, one object per domain and name: obtain it with :func:`get_op`."""
    name: str
    domain: str
    @property
    def full_name(self) -> str:
        """A name that no other operator has, whatever is declared.

        It is the name alone for operators of Relay's own domain, as in TVM; for others the name
        behind that of the domain, ``domain::name``.
        """
    def __repr__(self) -> str: ...
    def __call__(self, *args: object, **attributes: object) -> Call:
        """Return a call of this operator, checked against its declaration."""
    def get_attr(self, attr_key: str) -> Any:
        """Return the property that TVM calls ``attr_key`` (``TOpPattern``), or ``None``.

        See :func:`relayish.op.declaration.attribute_keys.register_op_attr`, also for those below.
        """
    def has_attr(self, attr_key: str) -> bool:
        """Return whether the operator has the property that TVM calls ``attr_key``."""
    def set_attr(self, attr_key: str, value: object, plevel: int=DECLARED_LEVEL) -> None:
        """Give the operator the property that TVM calls ``attr_key``."""
    def reset_attr(self, attr_key: str) -> None:
        """Take the property that TVM calls ``attr_key`` away from the operator."""
    @property
    def num_inputs(self) -> int:
        """How many arguments a call has; -1 where there may be any number."""
    def set_num_inputs(self, n: int) -> None:
        """Say of an operator that was registered by its name how many arguments a call has."""
    def add_argument(self, name: str, type: str='', description: str='') -> None:
        """Name the next argument; ``type`` and ``description`` are taken as TVM takes them."""
    def add_type_rel(self, rel_name: str, type_rel_func: Callable[[Sequence[Type], Any], Type] | None=None) -> None:
        """Say of which type a call is: by a relation of TVM's, ``Identity``, or a function.

        Args:
            rel_name: ``Identity``, ``Broadcast``, ``BroadcastComp``, or that of the function.
            type_rel_func: Returns the type of a call, of those of its arguments and its attributes.
        """
    @property
    def support_level(self) -> int:
        """On which of Relay's levels it is: 1 for arithmetic, 10 for what is on no other."""
    def set_support_level(self, level: int) -> None:
        """Say on which level an operator is."""
    @staticmethod
    def get(name: str, domain: str | None=None) -> Op:
        """Return the declared operator ``name``, of ``domain`` where several have one.

        Raises:
            UnknownNameError: If no operator of that name is declared.
            AmbiguousNameError: If several are, and no domain is given.
        """
    @staticmethod
    def list_op_names() -> tuple[str, ...]:
        """Return the full names of all declared operators, sorted."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, domain: str = "relay", *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., domain: str = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('tuple', effect=Effect.NONE, graph_node=True)
class Tuple(Expr):
    """A tuple of the values of its fields; ``tup[0]``, ``len(tup)`` and iteration give these."""
    fields: tuple[Expr, ...]
    def __getitem__(self, index: int) -> Expr: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Expr]: ...
    def __bool__(self) -> bool: ...
    def astuple(self) -> Tuple:
        """Return this tuple, as what Relay wraps several results in does."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, fields: _collections_abc.Sequence[Expr], *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, fields: _collections_abc.Sequence[Expr] = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('tuple_getitem', effect=Effect.NONE)
class TupleGetItem(Expr):
    """Field ``index`` (from 0) of a tuple."""
    tuple_value: Expr
    index: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, tuple_value: Expr, index: _typing.SupportsIndex, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, tuple_value: Expr = ..., index: _typing.SupportsIndex = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('call', properties=Property.CALL)
class Call(Expr):
    """``op`` (an operator, function, constructor or global) applied to ``args``."""
    op: Expr
    args: tuple[Expr, ...]
    attrs: Attrs | None
    type_args: tuple[Type, ...]
    def __getitem__(self, index: int) -> TupleGetItem:
        """Return result ``index`` of a call with several results, such as one of ``split``."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[TupleGetItem]: ...
    def __bool__(self) -> bool: ...
    @property
    def size(self) -> int:
        """How many results the call has, as what Relay wraps several results in says."""
    @property
    def tuple_value(self) -> Call:
        """The call itself, as what Relay wraps several results in holds it."""
    def astuple(self) -> Call:
        """Return the call itself: a program may use all of its results as one tuple."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, op: Expr, args: _collections_abc.Sequence[Expr], attrs: Attrs | None = None, type_args: _collections_abc.Sequence[Type] | None = (), *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, op: Expr = ..., args: _collections_abc.Sequence[Expr] = ..., attrs: Attrs | None = ..., type_args: _collections_abc.Sequence[Type] | None = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('let', effect=Effect.NONE, graph_node=True)
class Let(Expr):
    """Bind ``var`` to ``value`` inside ``body``; a function may refer to its own ``var``."""
    var: Var
    value: Expr
    body: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, var: Var, value: Expr, body: Expr, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, var: Var = ..., value: Expr = ..., body: Expr = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('if', effect=Effect.NONE, graph_node=True)
class If(Expr):
    """``true_branch`` where the boolean scalar ``cond`` holds, else ``false_branch``."""
    cond: Expr
    true_branch: Expr
    false_branch: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, cond: Expr, true_branch: Expr, false_branch: Expr, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, cond: Expr = ..., true_branch: Expr = ..., false_branch: Expr = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('function', effect=Effect.NONE, graph_node=True)
class Function(Expr):
    """A function, closed over the free variables of its ``body``.

    ``virtual_device`` says where its result is kept, ``None`` that nothing is known of it.
    """
    params: tuple[Var, ...]
    body: Expr
    ret_type: Type | None
    type_params: tuple[TypeVar, ...]
    attrs: DictAttrs | None
    virtual_device: VirtualDevice | None
    def with_attr(self, name: str | Mapping[str, object], value: object=None) -> Function:
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
    def without_attr(self, name: str) -> Function:
        """Return the function without an attribute; itself if it has none of that name.

        Source:
            Relay ``Function.without_attr``.
        """
    __getattr__: None  # it is known what a kind has
    def __init__(self, params: _collections_abc.Sequence[Var], body: Expr, ret_type: Type | None = None, type_params: _collections_abc.Sequence[TypeVar] | None = (), attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, virtual_device: VirtualDevice | None = None, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, params: _collections_abc.Sequence[Var] = ..., body: Expr = ..., ret_type: Type | None = ..., type_params: _collections_abc.Sequence[TypeVar] | None = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., virtual_device: VirtualDevice | None = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('ref_create', effect=Effect.NONE, allocates=True)
class RefCreate(Expr):
    """A new mutable cell holding ``value``."""
    value: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: Expr, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, value: Expr = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('ref_read', effect=Effect.READS)
class RefRead(Expr):
    """The value in the cell ``ref``."""
    ref: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, ref: Expr, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, ref: Expr = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
@node('ref_write', effect=Effect.WRITES)
class RefWrite(Expr):
    """Put ``value`` into the cell ``ref``; the result is the empty tuple."""
    ref: Expr
    value: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, ref: Expr, value: Expr, *, span: Span | tuple[str, int, int, int, int] | None = None, checked_type: Type | None = None) -> None: ...
    def with_fields(self, /, *, ref: Expr = ..., value: Expr = ..., span: Span | tuple[str, int, int, int, int] | None = ..., checked_type: Type | None = ...) -> _typing.Self: ...
def type_args(lhs: Call, rhs: Call) -> tuple[object, object] | None:
    """Return the type arguments of two calls, which do not count where an operator is called."""
