"""Builders that do more than call one operator with what they are given."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.dtype import numpy_dtype
from relayish.ir.expr import Call, Constant, Expr, Tuple
from relayish.ir.value import as_value
from relayish.op.builders import builder, custom_builder
from relayish.op.call import call_op


def _axes(axis: int | Sequence[int] | None) -> tuple[int, ...] | None:
    return (axis,) if isinstance(axis, int) else None if axis is None else tuple(axis)


def _number(value: int, dtype: str) -> Constant:
    return Constant(numpy_dtype(dtype).type(value))


@custom_builder("arange")
def arange(
    start: Expr, stop: Expr | None = None, step: Expr | None = None, dtype: str = "float32"
) -> Call:
    """Return the numbers from ``start`` (0 if only the end is given) up to ``stop``, as a tensor.

    The attributes repeat the arguments, as Relay's do.
    """
    if stop is None:
        start, stop = _number(0, dtype), start
    step = _number(1, dtype) if step is None else step
    return call_op("arange", start, stop, step, start=start, stop=stop, step=step, dtype=dtype)


@custom_builder("nn.pad")
def pad(
    data: Expr,
    pad_width: Sequence[Sequence[int]],
    pad_value: Expr | float = 0,
    pad_mode: str = "constant",
) -> Call:
    """Return ``data`` padded; a number for ``pad_value`` becomes a constant."""
    value = pad_value if isinstance(pad_value, Expr) else Constant(as_value(pad_value))
    return call_op("nn.pad", data, value, pad_width=pad_width, pad_mode=pad_mode)


@custom_builder("nn.batch_matmul")
def batch_matmul(
    tensor_a: Expr,
    tensor_b: Expr,
    out_dtype: str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = True,
) -> Call:
    """Return the products of two stacks of matrices, the second transposed by default."""
    return call_op(
        "nn.batch_matmul",
        tensor_a,
        tensor_b,
        out_dtype=out_dtype,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


@custom_builder("gather")
def gather(data: Expr, axis: int, indices: Expr) -> Call:
    """Return the elements of ``data`` at ``indices`` along ``axis``."""
    return call_op("gather", data, indices, axis=axis)


@custom_builder("full")
def full(fill_value: Expr, shape: Sequence[int] = (), dtype: str | None = None) -> Call:
    """Return a tensor of ``shape`` filled with a scalar."""
    return call_op("full", fill_value, shape=shape, dtype=dtype)


@custom_builder("shape_of")
def shape_of(data: Expr, dtype: str = "int32") -> Call:
    """Return the shape of ``data`` as a tensor."""
    return call_op("shape_of", data, dtype=dtype)


@custom_builder("ndarray_size")
def ndarray_size(data: Expr, dtype: str = "int32") -> Call:
    """Return the number of elements of ``data``."""
    return call_op("ndarray_size", data, dtype=dtype)


@custom_builder("argsort")
def argsort(data: Expr, axis: int = -1, is_ascend: bool = True, dtype: str = "int32") -> Call:
    """Return the positions of the elements of ``data`` in order."""
    return call_op("argsort", data, axis=axis, is_ascend=is_ascend, dtype=dtype)


@custom_builder("topk")
def topk(
    data: Expr,
    k: int | Expr = 1,
    axis: int = -1,
    ret_type: str = "both",
    is_ascend: bool = False,
    dtype: str = "int32",
) -> Call:
    """Return the first ``k`` elements in order; with an expression for ``k``, by ``dyn.topk``."""
    options = {"axis": axis, "ret_type": ret_type, "is_ascend": is_ascend, "dtype": dtype}
    if isinstance(k, Expr):
        return call_op("dyn.topk", data, k, k=None, **options)
    return call_op("topk", data, k=k, **options)


@custom_builder("variance")
def variance(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Call:
    """Return the variance of ``data`` along ``axis``, about its mean."""
    axes = _axes(axis)
    mean = call_op("mean", data, axis=axes, keepdims=True, exclude=exclude)
    return call_op(
        "variance",
        data,
        mean,
        axis=axes,
        keepdims=keepdims,
        exclude=exclude,
        unbiased=unbiased,
    )


@custom_builder("std")
def std(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Call:
    """Return the standard deviation of ``data`` along ``axis``."""
    return call_op("sqrt", variance(data, axis, keepdims, exclude, unbiased))


@custom_builder("mean_variance")
def mean_variance(
    data: Expr,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
) -> Tuple:
    """Return the mean and the variance of ``data`` along ``axis``."""
    mean = call_op("mean", data, axis=_axes(axis), keepdims=keepdims, exclude=exclude)
    return Tuple((mean, variance(data, axis, keepdims, exclude, unbiased)))


@custom_builder("logsumexp")
def logsumexp(data: Expr, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Call:
    """Return the logarithm of the sum of exponentials along ``axis``, without overflow."""
    axes = _axes(axis)
    top = call_op("max", data, axis=axes, keepdims=True)
    powers = call_op("exp", builder("subtract")(data, top))
    total = call_op("log", call_op("sum", powers, axis=axes, keepdims=True))
    result = call_op("add", total, top)
    return result if keepdims else call_op("squeeze", result, axis=axes)
