"""Declaring the gradient of an operator.

A gradient is a function ``gradient(call, grad)`` from a call of the operator, and the gradient of
its result, to the gradients of the arguments: one for each, of the type of that argument (a tuple
for a tuple). It is written in operators that have gradients themselves wherever there are such, so
that what differentiation makes of a program can be differentiated again.

The arguments of ``call`` are variables, constants and tuples of these, so they may be used several
times; where ``call`` itself is used it stands for the result, which is not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, overload

from relayish.errors import GradientError
from relayish.ir.registration.declarations import DECLARED_LEVEL
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Expr, Op
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op.builders.builder import op
from relayish.op.declaration.properties import primal_gradient
from relayish.op.declaration.registration import set_function
from relayish.op.types.dimension import is_static, product, show_shape, show_type

PrimalGradient: TypeAlias = Callable[[Any, Any], Sequence[Expr]]
"""``gradient(call, grad)``; Any: a call, and an expression for the gradient of its result."""

Built: TypeAlias = Any  # an expression: what the functions that build calls return is untyped


@overload
def register_gradient(
    op_name: str | Op, fgradient: None = None, level: int = DECLARED_LEVEL
) -> Callable[[PrimalGradient], PrimalGradient]: ...
@overload
def register_gradient(
    op_name: str | Op, fgradient: PrimalGradient, level: int = DECLARED_LEVEL
) -> PrimalGradient: ...
def register_gradient(
    op_name: str | Op, fgradient: PrimalGradient | None = None, level: int = DECLARED_LEVEL
) -> Any:  # Any: gives back the very function it is given
    """Let ``fgradient``, or the decorated function, be the gradient of the operator ``op_name``.

    Args:
        op_name: An operator or its name, declared already or not.
        fgradient: ``gradient(call, grad)``, returning the gradients of the arguments in order.
        level: Of two gradients of one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has a gradient of the same level.

    Source:
        Relay ``op.register_gradient``.

    Example:
        >>> from relayish.op.declaration.registry import resolve_op
        >>> @register_gradient("example.halve")
        ... def halve_grad(call, grad):
        ...     return [grad / number(2, grad)]
        >>> primal_gradient.get(resolve_op("example.halve")) is halve_grad
        True
    """
    return set_function(primal_gradient, op_name, fgradient, level)


def tensor_of(expr: Expr) -> TensorType:
    """Return the type of a tensor.

    Raises:
        GradientError: If ``expr`` has no inferred type, or is no tensor.
    """
    ty = expr.checked_type
    if not isinstance(ty, TensorType):
        found = "without a type; run InferType first" if ty is None else f"of type {show_type(ty)}"
        raise GradientError(f"a gradient is asked for with an operand {found}; expected a tensor")
    return ty


def tensors_of(expr: Expr) -> tuple[TensorType, ...]:
    """Return the types of the fields of a tuple of tensors.

    Raises:
        GradientError: If ``expr`` has no inferred type, or another one.
    """
    ty = expr.checked_type
    fields = ty.fields if isinstance(ty, TupleType) else ()
    tensors = tuple([field for field in fields if isinstance(field, TensorType)])
    if ty is None or not isinstance(ty, TupleType) or len(tensors) < len(fields):
        found = "without a type; run InferType first" if ty is None else f"of type {show_type(ty)}"
        raise GradientError(
            f"a gradient is asked for with an operand {found}; expected a tuple of tensors"
        )
    return tensors


def shape_of(expr: Expr) -> tuple[int, ...]:
    """Return the shape of a tensor, all of whose dimensions must be known.

    Raises:
        GradientError: If they are not.
    """
    return require_shape(tensor_of(expr))


def require_shape(ty: TensorType) -> tuple[int, ...]:
    """Return the shape in ``ty``, all of whose dimensions must be known.

    Raises:
        GradientError: If they are not.
    """
    if not is_static(ty.shape):
        raise GradientError(
            f"a gradient depends on the shape {show_shape(ty.shape)}, which is not known; "
            f"it is known only for shapes that are"
        )
    return tuple([size for size in ty.shape if isinstance(size, int)])


def rank_of(expr: Expr) -> int:
    """Return how many dimensions a tensor has."""
    return len(tensor_of(expr).shape)


def number(value: float, like: Expr) -> Constant:
    """Return ``value`` as a scalar of the element type of ``like``."""
    return const(value, tensor_of(like).dtype)


def size_of(data: Expr, axis: int, like: Expr) -> Built:
    """Return the size of ``data`` along ``axis``, as a scalar of the element type of ``like``."""
    known = tensor_of(data).shape[axis]
    if isinstance(known, int):
        return number(known, like)
    sizes = op.shape_of(data, dtype="int32")
    size = op.sum(op.strided_slice(sizes, begin=(axis,), end=(axis + 1,), strides=(1,)))
    return op.cast(size, tensor_of(like).dtype)


def count_elements(data: Expr, like: Expr) -> Built:
    """Return how many elements ``data`` has, as a scalar of the element type of ``like``."""
    shape = tensor_of(data).shape
    if is_static(shape):
        return number(int(product(shape)), like)
    return op.cast(op.prod(op.shape_of(data, dtype="int32")), tensor_of(like).dtype)
