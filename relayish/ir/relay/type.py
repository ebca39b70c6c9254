"""Relay's types, and the dimensions of tensor types."""

from __future__ import annotations

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
    visit_name = "dimension"
    __array_ufunc__ = None  # numpy leaves its operators to those below

    def __add__(self, other: Size) -> Size:
        return _combine("size_add", self, other)

    def __radd__(self, other: Size) -> Size:
        return _combine("size_add", other, self)

    def __sub__(self, other: Size) -> Size:
        return _combine("size_subtract", self, other)

    def __rsub__(self, other: Size) -> Size:
        return _combine("size_subtract", other, self)

    def __mul__(self, other: Size) -> Size:
        return _combine("size_multiply", self, other)

    def __rmul__(self, other: Size) -> Size:
        return _combine("size_multiply", other, self)

    def __floordiv__(self, other: Size) -> Size:
        return _combine("size_floor_divide", self, other)

    def __rfloordiv__(self, other: Size) -> Size:
        return _combine("size_floor_divide", other, self)

    def __mod__(self, other: Size) -> Size:
        return _combine("size_floor_mod", self, other)

    def __rmod__(self, other: Size) -> Size:
        return _combine("size_floor_mod", other, self)

    def __neg__(self) -> Size:
        return _combine("size_multiply", self, -1)


Size: TypeAlias = int | PrimExpr
"""A size: a number, or an expression of named dimensions."""


def _combine(what: str, left: Size, right: Size) -> Size:
    """Return what Python's operator makes, or what has it ask the other operand."""
    made: Size = NotImplemented
    if _is_size(left) and _is_size(right):
        sizes = [size if isinstance(size, PrimExpr) else int(size) for size in (left, right)]
        made = hooks.build(what, *sizes)
    return made


def _is_size(size: object) -> bool:
    return isinstance(size, PrimExpr) or (hasattr(size, "__index__") and not isinstance(size, bool))


@node("any")
class Any(PrimExpr):
    """A dimension whose size is known only when the program runs; printed ``?``."""


@node("size_var", atom=Atom.VARIABLE)
class SizeVar(PrimExpr):
    """A named dimension of unknown size; two are the same only if they are the same object.

    ``nonnegative`` tells Relay's ``tir.SizeVar`` (true) from its ``tir.Var``.
    """

    name: str = field(hint=True)
    dtype: DType = field(default="int32", convert=check_dtype)
    nonnegative: bool = field(default=True, hint=True)


@node("prim_op")
class PrimOp(PrimExpr):
    """An operation on dimensions, such as ``tir.Mul`` of two; ``name`` is the TIR class name."""

    name: str
    args: tuple[int | PrimExpr, ...]
    dtype: DType = field(default="int32", convert=check_dtype)


class Type(Node, language=RELAY, held_as=Role.ANNOTATION):
    """The root of types."""

    __slots__ = ()
    visit_name = "type"

    span: Span | None = field(default=None, compared=False, kw_only=True)


def _check_shape(shape: object) -> tuple[int | PrimExpr, ...]:
    if isinstance(shape, (str, Node)) or not hasattr(shape, "__iter__"):
        raise TypeError(f"a shape is a sequence of dimensions; found {shape!r}")
    return tuple(_check_dimension(index, size) for index, size in enumerate(shape))


def _check_dimension(index: int, size: object) -> int | PrimExpr:
    if (type(size) is int and size >= 0) or isinstance(size, PrimExpr):
        return size
    if not hasattr(size, "__index__") or isinstance(size, bool):
        raise TypeError(f"dimension {index} must be an int, Any() or a SizeVar; found {size!r}")
    number = int(size.__index__())
    if number < 0:
        raise ValueError(f"dimension {index} must not be negative; found {number}")
    return number


@node("tensor_type")
class TensorType(Type):
    """A tensor: ``shape`` (outermost dimension first; ``()`` for a scalar) and element type.

    A size is a number that is not negative, or an expression that is known only by name.
    """

    shape: tuple[int | PrimExpr, ...] = field(convert=_check_shape)
    dtype: DType = field(default="float32", convert=check_dtype)

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """The shape, all of whose sizes are known.

        Raises:
            FieldError: If one is not.

        Source:
            Relay ``TensorType.concrete_shape``.
        """
        sizes = tuple([size for size in self.shape if isinstance(size, int)])
        if len(sizes) == len(self.shape):
            return sizes
        at = next(i for i, size in enumerate(self.shape) if not isinstance(size, int))
        raise FieldError(
            f"dimension {at} of the shape {self.shape} is known only when the program runs; "
            f"ask for ty.shape, or give the variable a shape of numbers"
        )


@node("tuple_type")
class TupleType(Type):
    """The type of a tuple, by the types of its fields."""

    fields: tuple[Type, ...]


@node("type_var", atom=Atom.VARIABLE)
class TypeVar(Type):
    """A variable standing for a type or, by ``kind``, for a dimension or element type."""

    name_hint: str = field(hint=True)
    kind: TypeKind = TypeKind.Type


@node("global_type_var", atom=Atom.NAME)
class GlobalTypeVar(Type):
    """The name of a type definition of a module."""

    name_hint: str
    kind: TypeKind = TypeKind.AdtHandle

    def __call__(self, *args: Type) -> TypeCall:
        """Return the type that the definition gives for ``args``."""
        return TypeCall(self, args)


class TypeConstraint(Type):
    """The root of what a function type may demand of its type variables."""

    __slots__ = ()


@node("func_type")
class FuncType(Type):
    """The type of a function; ``type_params`` are in scope in all its other fields."""

    arg_types: tuple[Type, ...]
    ret_type: Type
    type_params: tuple[TypeVar, ...] = field(default=(), binder=True)
    type_constraints: tuple[TypeConstraint, ...] = ()

    def __repr__(self) -> str:
        """Show the types it is made of as well, which of other nodes is left out."""
        shown = [_shown(ty) for ty in self.arg_types[:_MOST_SHOWN]]
        rest = ["..."] if len(self.arg_types) > _MOST_SHOWN else []
        params = f", type_params={brief(self.type_params)}" if self.type_params else ""
        return f"FuncType([{', '.join(shown + rest)}], {_shown(self.ret_type)}{params})"


_MOST_SHOWN: Final = 6


def _shown(ty: Type) -> str:
    return repr(ty) if type(ty) is TensorType else brief(ty)


@node("ref_type")
class RefType(Type):
    """The type of a reference to a mutable cell holding a ``value``."""

    value: Type


@node("type_call")
class TypeCall(Type):
    """A type definition applied to arguments: ``List[int32]``."""

    func: Type
    args: tuple[Type, ...]


@node("incomplete_type", atom=Atom.VARIABLE)
class IncompleteType(Type):
    """A type still to be inferred; two are the same only if they are the same object."""

    kind: TypeKind = TypeKind.Type


@node("type_relation")
class TypeRelation(TypeConstraint):
    """A named relation between types, of which the first ``num_inputs`` determine the rest."""

    func: str
    args: tuple[Type, ...]
    num_inputs: int
    attrs: Attrs | None = None


def scalar_type(dtype: DType) -> TensorType:
    """Return the type of a rank-0 tensor of ``dtype``."""
    return TensorType((), dtype)


def _is_same_type_name(lhs: GlobalTypeVar, rhs: GlobalTypeVar) -> bool:
    return lhs.name_hint == rhs.name_hint


COMPARISONS.register(GlobalTypeVar, Comparison(same=_is_same_type_name))
