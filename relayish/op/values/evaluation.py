"""Helpers of evaluations by numpy, shared by several families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import cast_to

Array: TypeAlias = Any  # a numpy scalar or array; its element type is known only when it comes
Parameters: TypeAlias = Any  # the attributes of the one operator that is evaluated


def result_dtype(name: str | None, otherwise: np.dtype[Any]) -> np.dtype[Any]:
    """Return the numpy type called ``name``, or ``otherwise`` where no name is given."""
    return otherwise if name is None else numpy_dtype(name)


def number_of(value: float, dtype: np.dtype[Any]) -> Array:  # Any: its scalar class
    """Return a number given in an attribute as a scalar of ``dtype``, cast as :func:`cast_to` does.

    So an attribute that such a type cannot hold (-1 for unsigned numbers) has a value as well.
    """
    return cast_to(np.asarray(value), dtype)[()]


def as_sizes(values: Sequence[object]) -> tuple[int, ...]:
    """Return the sizes given in an attribute as numbers.

    Raises:
        EvaluationError: If one is known only by name.

    """
    for size in values:
        if not isinstance(size, int):
            raise EvaluationError(f"size {size!r} is not known; evaluation needs numbers")
    return tuple(int(size) for size in values)  # type: ignore[call-overload]


def apply_into(function: np.ufunc) -> Callable[..., Array]:
    """Return what evaluates an operator that is one function of numpy into memory that is there."""

    def into(_: Parameters, out: Array, *inputs: Array) -> Array:
        return function(*inputs, out=out)

    return into


def lowest_bits(count: int) -> np.int64:
    """Return the number whose lowest ``count`` bits are set, of 64 or more of them all."""
    return np.int64(-1 if count >= 64 else (1 << count) - 1)
