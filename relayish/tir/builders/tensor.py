"""Builders of tensors: inputs, what is computed from others, and results of calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from string import ascii_lowercase
from typing import Final, NamedTuple, TypeAlias

from relayish.errors import OperatorError
from relayish.ir.kinds.one_line import one_line
from relayish.tir.builders.expr import as_attrs
from relayish.tir.ir.expr import Call, Reduce
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.operation import CallOp, ComputeOp, PlaceholderOp
from relayish.tir.ir.operators import Expr, Operand, as_expr
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.type import FLOAT32, VOID, TypeLike, as_type

Shape: TypeAlias = Sequence[Operand]
"""The size of each dimension: numbers, or expressions of variables."""


def placeholder(name: str, shape: Shape, dtype: TypeLike = FLOAT32) -> Tensor:
    """Return a tensor that is an input, and its buffer.

    Example:
        >>> A = placeholder("A", (16, 16))
        >>> A.buffer.name, str(A.type)
        ('_A', 'float32')
    """
    made, sizes = as_type(dtype), _as_sizes(name, shape)
    buffer = Buffer(buffer_name(name), sizes, made)
    return Tensor(name, sizes, made, buffer, PlaceholderOp(sizes, made, name=name))


def compute(
    domain: Shape, fn: Callable[..., Operand], name: str = "tensor", *, inline: bool = False
) -> Tensor:
    """Return the tensor whose element at ``(i, j, ...)`` is ``fn(i, j, ...)``.

    Args:
        domain: The size of each dimension.
        fn: Called once with a variable for each dimension, named ``i, j, k, a, b, ...``.
        name: Unique among the tensors of a function.
        inline: Whether its elements are computed where they are used, so that it needs no buffer.

    Raises:
        OperatorError: If ``fn`` gives no expression, or takes another number of indices.

    Example:
        >>> A = placeholder("A", (16,))
        >>> B = compute((16,), lambda i: A[i] * 2, "B")
        >>> B.operation.body
        (Mul(a=<Load>, b=<FloatImm>),)
    """
    sizes = _as_sizes(name, domain)
    names = axis_names()
    axis = tuple([Var(next(names), size.type) for size in sizes])
    body = as_expr(_apply(fn, axis, name))
    dtype = body.type
    over = body.reduce_axis if isinstance(body, Reduce) else ()
    operation = ComputeOp(axis, sizes, (body,), over, name=name)
    buffer = None if inline else Buffer(buffer_name(name), sizes, dtype)
    return Tensor(name, sizes, dtype, buffer, operation, axis, over)


class ReturnType(NamedTuple):
    """What a function returns: CINN's ``ReturnType``.

    Attributes:
        dtype: The type of an element.
        shape: The size of each dimension.
        name: That of the tensor.
    """

    dtype: TypeLike
    shape: Shape
    name: str


def call_lowered(
    name: str, args: Sequence[Operand], return_types: Sequence[ReturnType]
) -> tuple[Tensor, ...]:
    """Return the tensors that a function of the module writes where it is called with ``args``.

    Example:
        >>> A = placeholder("A", (16,))
        >>> (B,) = call_lowered("double", [A], [ReturnType("float32", (16,), "B")])
        >>> B.operation.call.name, B.operation.value_slot
        ('double', 0)
    """
    results: list[Tensor] = []
    for returned in return_types:
        sizes, dtype = _as_sizes(returned.name, returned.shape), as_type(returned.dtype)
        buffer = Buffer(buffer_name(returned.name), sizes, dtype)
        results.append(Tensor(returned.name, sizes, dtype, buffer))
    read = tuple([as_expr(argument) for argument in args])
    call = Call(VOID, name, read, tuple(results), CallType.CINN)
    several = len(results) > 1
    return tuple(
        [
            result.with_fields(
                operation=CallOp(call, tuple(results), slot, several, name=result.name)
            )
            for slot, result in enumerate(results)
        ]
    )


def call_extern(
    name: str,
    args: Sequence[Operand],
    dtype: TypeLike | None = None,
    attrs: Mapping[str, object] | None = None,
) -> Call:
    """Return the call of a function of the runtime or of a library.

    Args:
        name: The function.
        args: What it reads; numbers among them take the type of the first expression.
        dtype: The type of its value, by default that of the first argument, as of functions of
            numbers.
        attrs: Constants that it is given besides.

    Raises:
        OperatorError: If there is neither an argument nor a ``dtype``.
    """
    return call(name, args, CallType.EXTERN, dtype, attrs)


def call_intrinsic(
    name: str,
    args: Sequence[Operand],
    dtype: TypeLike | None = None,
    attrs: Mapping[str, object] | None = None,
) -> Call:
    """Return the call of an operation of the target; see :func:`call_extern`."""
    return call(name, args, CallType.INTRINSIC, dtype, attrs)


def call(
    name: str,
    args: Sequence[Operand],
    call_type: CallType,
    dtype: TypeLike | None = None,
    attrs: Mapping[str, object] | None = None,
) -> Call:
    """Return the call of what ``name`` names to ``call_type``; see :func:`call_extern`."""
    like = next((argument.type for argument in args if isinstance(argument, Expr)), None)
    given = tuple([as_expr(argument, like) for argument in args])
    if dtype is None and not given:
        raise OperatorError(
            f"the type of a call of {name} without arguments is not known; say dtype=..."
        )
    made = given[0].type if dtype is None else as_type(dtype)
    return Call(made, name, given, call_type=call_type, attrs=as_attrs(attrs))


def buffer_name(name: str) -> str:
    """Return what the buffer of the tensor called ``name`` is called: ``_A`` for ``A``."""
    return f"_{name}"


def axis_names() -> Iterator[str]:
    """Yield the names of the axes of a computation, as CINN has them: ``i, j, k, a, b, ...``."""
    yield from _AXES
    for number in count():
        yield from (f"{name}{number}" for name in _AXES)


_AXES: Final = ("i", "j", "k", *(c for c in ascii_lowercase if c not in "ijkwxyz"))


def _as_sizes(name: str, shape: Shape) -> tuple[Expr, ...]:
    """Return the size of each dimension as an expression."""
    if isinstance(shape, (int, Expr)):
        raise OperatorError(
            f"the shape of tensor {name} is {shape}; expected a sequence of sizes: ({shape},)"
        )
    sizes = tuple([as_expr(size) for size in shape])
    for size in sizes:
        if not size.type.is_integer or size.type.is_bool or not size.type.is_scalar:
            raise OperatorError(
                f"a dimension of tensor {name} has size {one_line(size)} of type {size.type}; "
                f"expected an integer"
            )
    return sizes


def _apply(fn: Callable[..., Operand], axis: tuple[Var, ...], name: str) -> object:
    """Return what ``fn`` makes of the axes, which have to be as many as it takes."""
    try:
        inspect.signature(fn).bind(*axis)
    except TypeError as error:
        raise OperatorError(
            f"tensor {name} has {len(axis)} dimensions, but the function that computes it takes "
            f"other arguments ({error}); expected one for each dimension"
        ) from error
    return fn(*axis)
