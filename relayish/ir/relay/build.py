"""Making variables and constants from what is at hand, as Relay scripts do."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from relayish.errors import FieldError
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Constant, Var
from relayish.ir.relay.type import PrimExpr, TensorType, Type, scalar_type
from relayish.ir.values.dtype import DType, check_dtype, numpy_dtype
from relayish.ir.values.value import Value, as_value

_NARROWED = {np.dtype("int64"): np.dtype("int32"), np.dtype("float64"): np.dtype("float32")}


def var(
    name_hint: str,
    type_annotation: Type | DType | None = None,
    shape: Sequence[int | PrimExpr] | None = None,
    dtype: DType = "float32",
    span: Span | None = None,
) -> Var:
    """Return a new variable; each call makes another one, whatever its name.

    Args:
        name_hint: For people; a variable is the same as another only if it is the same object.
        type_annotation: A type, or the name of an element type for a scalar.
        shape: Dimensions of a tensor, in place of ``type_annotation``.
        dtype: Its element type.
        span: Where it comes from.

    Raises:
        FieldError: If both ``type_annotation`` and ``shape`` are given, or one is no type or shape.

    Source:
        Relay ``var``.

    Example:
        >>> var("x", shape=(2, 3)).type_annotation
        TensorType(shape=(2, 3), dtype='float32')
        >>> var("n", "int32").type_annotation
        TensorType(shape=(), dtype='int32')
    """
    if type_annotation is not None and shape is not None:
        raise FieldError(
            f"var({name_hint!r}) got both type_annotation and shape; leave one of them out"
        )
    given: object = type_annotation  # still to be checked
    if isinstance(given, (tuple, list)):
        raise FieldError(
            f"the second argument of var({name_hint!r}, ...) is a type; found {given!r}; "
            f"write shape={given!r}"
        )
    check_dtype(dtype)
    if shape is not None:
        type_annotation = TensorType(shape, dtype)
    elif isinstance(type_annotation, str):
        type_annotation = scalar_type(type_annotation)
    return Var(name_hint, type_annotation, span=span)


def const(
    value: object, dtype: DType | TensorType | None = None, span: Span | None = None
) -> Constant:
    """Return a constant holding ``value``.

    Without ``dtype``, what numpy would hold in 64 bits (a Python number, a list of them, an array)
    is held in 32, as in Relay; ``Constant(value)`` keeps the width of arrays. Strings, tuples and
    ``None`` are held as they are. Of a type of tensors the element type counts.

    Raises:
        FieldError: If the value is nothing a constant can hold, or does not fit its type.

    Source:
        Relay ``const``; it wraps integers that do not fit around.

    Example:
        >>> const(1), const(0.5), const([1, 2]), const(1, "int8")
        (Constant(data=np.int32(1)), Constant(data=np.float32(0.5)), \
Constant(data=array([1, 2], dtype=int32)), Constant(data=np.int8(1)))
    """
    if value is None or isinstance(value, (str, tuple)):
        if dtype is not None:
            raise FieldError(f"const({value!r}) has no element type; leave dtype={dtype!r} out")
        return Constant(_convert(value), span=span)
    element = dtype.dtype if isinstance(dtype, TensorType) else dtype
    return Constant(_tensor(value, element), span=span)


def _convert(value: object) -> Value:
    try:
        return as_value(value)
    except (TypeError, ValueError) as error:
        raise FieldError(f"const: {error}") from error


def _tensor(value: object, dtype: DType | None) -> Value:
    try:
        array = np.asarray(value)
        if array.dtype.kind in "OSUM":
            return _convert(value)  # says what is wrong with it
        wanted = _NARROWED.get(array.dtype, array.dtype) if dtype is None else numpy_dtype(dtype)
        _check_range(array, wanted)
        with np.errstate(over="ignore", invalid="raise"):
            return as_value(array.astype(wanted))
    except FieldError:
        raise
    except (TypeError, ValueError, OverflowError, FloatingPointError) as error:
        if isinstance(value, list) and "inhomogeneous" in str(error):
            raise FieldError(
                f"const: a nested list is an array where its rows are of one length; found "
                f"{reprlib.repr(value)}; write Tuple([const(...), ...]) for several tensors"
            ) from None
        raise FieldError(f"const: {error}") from error


def _check_range(array: npt.NDArray[Any], wanted: np.dtype[Any]) -> None:  # Any: of every type
    if wanted.kind not in "iu" or array.dtype.kind not in "iu" or not array.size:
        return
    bounds = np.iinfo(wanted)
    for extreme in (int(array.min()), int(array.max())):
        if not bounds.min <= extreme <= bounds.max:
            raise OverflowError(
                f"{extreme} does not fit {wanted.name}; give a wider type, as in "
                f"const(value, 'int64')"
            )
