# What type checkers see of relayish.ir.relay.type: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import numpy as _numpy
import typing as _typing
from enum import IntEnum
from typing import Final, TypeAlias
from relayish._support import hooks
from relayish.errors import FieldError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.comparison import COMPARISONS, Comparison
from relayish.ir.fields.naming import brief
from relayish.ir.fields.roles import Atom, Role
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.language import RELAY
from relayish.ir.values.dtype import DType, check_dtype
class TypeKind(IntEnum):
    """What a type variable stands for; the numbers are Relay's."""
    Type = 0
    ShapeVar = 1
    BaseType = 2
    Constraint = 4
    AdtHandle = 5
    TypeData = 6
class PrimExpr(Node, language=RELAY, held_as=Role.ANNOTATION):
    """A scalar integer expression, as it stands in the shape of a tensor type.

    As in TVM, Python's arithmetic makes others: ``n + 1``, ``2 * n``, ``n // 2``, ``n % 8`` and
    ``-n``. ``==`` compares identity.

    Example:
        >>> import relayish.op
        >>> n = SizeVar("n")
        >>> (n * 4 + 4) // 4, n + 3 - n
        (PrimOp(name='tir.FloorDiv', args=(<PrimOp>, 4), dtype='int32'), 3)
    """
    __slots__ = ()
    visit_name = 'dimension'
    __array_ufunc__ = None
    def __add__(self, other: Size) -> Size: ...
    def __radd__(self, other: Size) -> Size: ...
    def __sub__(self, other: Size) -> Size: ...
    def __rsub__(self, other: Size) -> Size: ...
    def __mul__(self, other: Size) -> Size: ...
    def __rmul__(self, other: Size) -> Size: ...
    def __floordiv__(self, other: Size) -> Size: ...
    def __rfloordiv__(self, other: Size) -> Size: ...
    def __mod__(self, other: Size) -> Size: ...
    def __rmod__(self, other: Size) -> Size: ...
    def __neg__(self) -> Size: ...
    def __getattr__(self, name: _typing.Literal["args", "dtype", "name", "nonnegative"], /) -> _typing.Any: ...
Size: TypeAlias = int | PrimExpr
@node('any')
class Any(PrimExpr):
    """A dimension whose size is known only when the program runs; printed ``?``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self) -> None: ...
    def with_fields(self, /) -> _typing.Self: ...
@node('size_var', atom=Atom.VARIABLE)
class SizeVar(PrimExpr):
    """A named dimension of unknown size; two are the same only if they are the same object.

    ``nonnegative`` tells Relay's ``tir.SizeVar`` (true) from its ``tir.Var``.
    """
    name: str
    dtype: DType
    nonnegative: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, dtype: str | _numpy.dtype[_numpy.generic] | type = "int32", nonnegative: bool = True) -> None: ...
    def with_fields(self, /, *, name: str = ..., dtype: str | _numpy.dtype[_numpy.generic] | type = ..., nonnegative: bool = ...) -> _typing.Self: ...
@node('prim_op')
class PrimOp(PrimExpr):
    """An operation on dimensions, such as ``tir.Mul`` of two; ``name`` is the TIR class name."""
    name: str
    args: tuple[int | PrimExpr, ...]
    dtype: DType
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, args: _collections_abc.Sequence[int | PrimExpr], dtype: str | _numpy.dtype[_numpy.generic] | type = "int32") -> None: ...
    def with_fields(self, /, *, name: str = ..., args: _collections_abc.Sequence[int | PrimExpr] = ..., dtype: str | _numpy.dtype[_numpy.generic] | type = ...) -> _typing.Self: ...
class Type(Node, language=RELAY, held_as=Role.ANNOTATION):
    """The root of types."""
    __slots__ = ()
    visit_name = 'type'
    span: Span | None = field(kw_only=True, default=...)
    def __getattr__(self, name: _typing.Literal["arg_types", "args", "attrs", "concrete_shape", "constructors", "dense", "dtype", "element", "fields", "func", "header", "is_extern", "key_dtype", "kind", "name_hint", "num_inputs", "ret_type", "shape", "type_constraints", "type_params", "type_vars", "value"], /) -> _typing.Any: ...
@node('tensor_type')
class TensorType(Type):
    """A tensor: ``shape`` (outermost dimension first; ``()`` for a scalar) and element type.

    A size is a number that is not negative, or an expression that is known only by name.
    """
    shape: tuple[int | PrimExpr, ...]
    dtype: DType
    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """The shape, all of whose sizes are known.

        Raises:
            FieldError: If one is not.

        Source:
            Relay ``TensorType.concrete_shape``.
        """
    __getattr__: None  # it is known what a kind has
    def __init__(self, shape: _collections_abc.Sequence[int | PrimExpr], dtype: str | _numpy.dtype[_numpy.generic] | type = "float32", *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, shape: _collections_abc.Sequence[int | PrimExpr] = ..., dtype: str | _numpy.dtype[_numpy.generic] | type = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('tuple_type')
class TupleType(Type):
    """The type of a tuple, by the types of its fields."""
    fields: tuple[Type, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, fields: _collections_abc.Sequence[Type], *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, fields: _collections_abc.Sequence[Type] = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('type_var', atom=Atom.VARIABLE)
class TypeVar(Type):
    """A variable standing for a type or, by ``kind``, for a dimension or element type."""
    name_hint: str
    kind: TypeKind
    __getattr__: None  # it is known what a kind has
    def __init__(self, name_hint: str, kind: TypeKind = ..., *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name_hint: str = ..., kind: TypeKind = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('global_type_var', atom=Atom.NAME)
class GlobalTypeVar(Type):
    """The name of a type definition of a module."""
    name_hint: str
    kind: TypeKind
    def __call__(self, *args: Type) -> TypeCall:
        """Return the type that the definition gives for ``args``."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, name_hint: str, kind: TypeKind = ..., *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name_hint: str = ..., kind: TypeKind = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
class TypeConstraint(Type):
    """The root of what a function type may demand of its type variables."""
    __slots__ = ()
@node('func_type')
class FuncType(Type):
    """The type of a function; ``type_params`` are in scope in all its other fields."""
    arg_types: tuple[Type, ...]
    ret_type: Type
    type_params: tuple[TypeVar, ...]
    type_constraints: tuple[TypeConstraint, ...]
    def __repr__(self) -> str:
        """Show the types it is made of as well, which of other nodes is left out."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, arg_types: _collections_abc.Sequence[Type], ret_type: Type, type_params: _collections_abc.Sequence[TypeVar] | None = (), type_constraints: _collections_abc.Sequence[TypeConstraint] | None = (), *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, arg_types: _collections_abc.Sequence[Type] = ..., ret_type: Type = ..., type_params: _collections_abc.Sequence[TypeVar] | None = ..., type_constraints: _collections_abc.Sequence[TypeConstraint] | None = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ref_type')
class RefType(Type):
    """The type of a reference to a mutable cell holding a ``value``."""
    value: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: Type, *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: Type = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('type_call')
class TypeCall(Type):
    """A type definition applied to arguments: ``List[int32]``."""
    func: Type
    args: tuple[Type, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, func: Type, args: _collections_abc.Sequence[Type], *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, func: Type = ..., args: _collections_abc.Sequence[Type] = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('incomplete_type', atom=Atom.VARIABLE)
class IncompleteType(Type):
    """A type still to be inferred; two are the same only if they are the same object."""
    kind: TypeKind
    __getattr__: None  # it is known what a kind has
    def __init__(self, kind: TypeKind = ..., *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, kind: TypeKind = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('type_relation')
class TypeRelation(TypeConstraint):
    """A named relation between types, of which the first ``num_inputs`` determine the rest."""
    func: str
    args: tuple[Type, ...]
    num_inputs: int
    attrs: Attrs | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, func: str, args: _collections_abc.Sequence[Type], num_inputs: _typing.SupportsIndex, attrs: Attrs | None = None, *, span: Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, func: str = ..., args: _collections_abc.Sequence[Type] = ..., num_inputs: _typing.SupportsIndex = ..., attrs: Attrs | None = ..., span: Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
def scalar_type(dtype: DType) -> TensorType:
    """Return the type of a rank-0 tensor of ``dtype``."""
