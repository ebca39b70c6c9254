"""Values drawn for parameters, by their types."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish._support.graph import fold_tree
from relayish.errors import EvaluationError
from relayish.interpreter.value import Evaluated
from relayish.ir.relay.expr import Function
from relayish.ir.relay.type import PrimExpr, PrimOp, TensorType, TupleType, Type
from relayish.ir.values.dtype import numpy_dtype

OPEN_SIZE: Final = 2
"""The size taken for a dimension whose type leaves it open."""


def random_arguments(func: Function, seed: int = 0) -> tuple[Evaluated, ...]:
    """Return a value for each parameter of ``func``, the same for the same seed.

    Args:
        func: Its parameters are annotated or typed with tensors and tuples of them. Open and named
            dimensions become 2, the same for the same name.
        seed: Of numpy's generator.

    Returns:
        Floating-point numbers from -1 to 1, integers from 0 to 3, booleans.

    Raises:
        EvaluationError: If the type of a parameter is unknown or is no tensor and no tuple.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> x = var("x", shape=(2,), dtype="bool")
        >>> random_arguments(Function((x,), x))
        (array([ True,  True]),)
    """
    random = np.random.default_rng(seed)
    return tuple(
        _draw(random, param.type_annotation or param.checked_type, param.name_hint)
        for param in func.params
    )


def _draw(random: np.random.Generator, ty: Type | None, name: str) -> Evaluated:
    def draw(part: Type | None, fields: list[Evaluated]) -> Evaluated:
        if isinstance(part, TupleType):
            return tuple(fields)
        if isinstance(part, TensorType):
            return _tensor(random, part, name)
        raise EvaluationError(
            f"no value can be drawn for parameter {name!r} of type {part!r}; "
            f"expected a tensor or a tuple of tensors"
        )

    return fold_tree(ty, lambda part: part.fields if isinstance(part, TupleType) else (), draw)


def _tensor(random: np.random.Generator, ty: TensorType, name: str) -> Evaluated:
    shape = tuple(_size(dim, name) for dim in ty.shape)
    dtype = numpy_dtype(ty.dtype)
    if dtype.kind == "b":
        return np.asarray(random.integers(0, 2, shape)).astype(dtype)
    if dtype.kind in "iu":
        return np.asarray(random.integers(0, 4, shape)).astype(dtype)
    return np.asarray(random.uniform(-1, 1, shape)).astype(dtype)


def _size(dim: int | PrimExpr, name: str) -> int:
    if isinstance(dim, PrimOp):
        raise EvaluationError(
            f"no value can be drawn for parameter {name!r}: its dimension {dim!r} is computed"
        )
    return dim if isinstance(dim, int) else OPEN_SIZE
