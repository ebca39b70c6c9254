"""Builders that do more than call one operator with what they are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.errors import OperatorError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.builders.attribute_shorthand import as_constant
from relayish.op.builders.builder import custom_builder
from relayish.op.builders.call import relay_call
from relayish.op.builders.dynamic_shapes import is_unknown
from relayish.op.builders.known_type import find_known_type
from relayish.op.declaration.registry import relay_op
from relayish.op.declaration.signature import ARRAY
from relayish.op.tensor.creation import InitOpAttrs


def _number(value: float, dtype: str) -> Constant:
    return Constant(numpy_dtype(dtype).type(value))


def _as_expr(value: Expr | float, dtype: str) -> Expr:
    """Return ``value``, a number as a constant of ``dtype``."""
    return value if isinstance(value, Expr) else const(value, dtype)


@custom_builder("arange")
def arange(
    start: Expr | float,
    stop: Expr | float | None = None,
    step: Expr | float | None = None,
    dtype: str = "float32",
) -> Call:
    """Return the numbers from ``start`` (0 if only the end is given) up to ``stop``, as a tensor.

    With one of them, it is the end, and the numbers start at 0. The attributes repeat the
    arguments, as Relay's do.
    """
    if stop is None:
        start, stop = _number(0, dtype), start
    first, last = _as_expr(start, dtype), _as_expr(stop, dtype)
    stride = _number(1, dtype) if step is None else _as_expr(step, dtype)
    return relay_call(
        "arange", first, last, stride, start=first, stop=last, step=stride, dtype=dtype
    )


def _join(name: str, data: Expr | Sequence[Expr], axis: int) -> Call:
    if isinstance(data, (tuple, list)) and not data:
        raise OperatorError(f"{name} is called without any tensor; expected at least one")
    return relay_call(name, data, axis=axis)


@custom_builder("concatenate")
def concatenate(data: Expr | Sequence[Expr], axis: int = 0) -> Call:
    """Return the tensors of a tuple, one behind another."""
    return _join("concatenate", data, axis)


@custom_builder("stack")
def stack(data: Expr | Sequence[Expr], axis: int = 0) -> Call:
    """Return the tensors of a tuple, one behind another along a new axis."""
    return _join("stack", data, axis)


@custom_builder("full")
def full(
    fill_value: Expr | float,
    shape: int | Sequence[int] | Expr = (),
    dtype: str | None = None,
) -> Call:
    """Return a tensor of ``shape`` filled with a scalar.

    A number becomes a constant of ``dtype``.
    """
    if not isinstance(fill_value, Expr):
        fill_value = const(fill_value, dtype or None)
    if is_unknown(shape):
        return relay_call("dyn.full", fill_value, shape, dtype=dtype)
    sizes = np.ravel(shape.data if isinstance(shape, Constant) else shape).tolist()  # type: ignore[arg-type]  # of sizes
    return relay_call("full", fill_value, shape=tuple(sizes), dtype=dtype)


@custom_builder("collapse_sum_to")
def collapse_sum_to(data: Expr, shape: Expr | Sequence[int]) -> Call:
    """Return ``data`` added up to ``shape``; numbers become a constant.

    The attributes repeat the sizes that are known, as Relay's do, and so does its type.
    """
    sizes = shape if isinstance(shape, Expr) else const(np.asarray(shape), "int32")
    known: tuple[int, ...] | None = None
    if isinstance(sizes, Constant):
        known = tuple(np.ravel(sizes.data).tolist())  # type: ignore[arg-type]  # numbers
    return Call(relay_op("collapse_sum_to"), (data, sizes), InitOpAttrs(known))


@custom_builder("strided_set")
def strided_set(
    data: Expr,
    v: Expr,
    begin: Expr | Sequence[int],
    end: Expr | Sequence[int],
    strides: Expr | Sequence[int] | None = None,
) -> Call:
    """Return ``data`` with a slice replaced by ``v``; numbers become constants."""
    steps: Expr | Sequence[int] = [1] if strides is None else strides
    bounds = [
        bound if isinstance(bound, Expr) else const(np.asarray(bound), "int32")
        for bound in (begin, end, steps)
    ]
    return relay_call("strided_set", data, v, *bounds)


@custom_builder("sparse_to_dense")
def sparse_to_dense(
    sparse_indices: Expr,
    output_shape: Sequence[int] | Expr,
    sparse_values: Expr,
    default_value: Expr | float = 0,
) -> Call:
    """Return a tensor of ``output_shape`` with ``sparse_values`` at ``sparse_indices``.

    A number for the default becomes a constant of the element type of the values, where that is
    known.
    """
    ty = find_known_type(sparse_values)
    if not isinstance(default_value, Expr):
        dtype = ty.dtype if isinstance(ty, TensorType) else None
        default_value = const(default_value, dtype)
    operands = (sparse_indices, sparse_values, default_value)
    if is_unknown(output_shape):
        return relay_call("dyn.sparse_to_dense", *operands, output_shape)
    if isinstance(output_shape, Constant):
        output_shape = np.ravel(output_shape.data).tolist()  # type: ignore[arg-type]  # numbers
    return relay_call("sparse_to_dense", *operands, output_shape=output_shape)


@custom_builder("matrix_set_diag")
def matrix_set_diag(
    data: Expr, diagonal: Expr, k: int | Sequence[int] = 0, align: str = "RIGHT_LEFT"
) -> Call:
    """Return ``data`` with diagonals replaced.

    Two numbers for ``k`` are the lowest and the highest diagonal.
    """
    low, high = (k, k) if isinstance(k, int) else (k[0], k[-1])
    above, _, below = align.partition("_")
    if {above, below} - {"LEFT", "RIGHT"}:
        raise OperatorError(
            f"align of matrix_set_diag is {align!r}; expected LEFT or RIGHT for diagonals above "
            f"and for those below the main one, as in 'RIGHT_LEFT'"
        )
    return relay_call(
        "matrix_set_diag",
        data,
        diagonal,
        k1=low,
        k2=high,
        super_diag_right_align=above == "RIGHT",
        sub_diag_right_align=below == "RIGHT",
    )


@custom_builder("unique")
def unique(data: Expr, is_sorted: bool = True, return_counts: bool = False) -> Call:
    """Return the distinct values, where they first are, which is where, and how many there are."""
    return relay_call("unique", data, sorted=is_sorted, return_counts=return_counts)


@custom_builder(
    "segment_sum",
    """
    Add up the slices of each segment.
    data (n, ...); segment_ids (n,) of integers; num_segments the number of segments, one more than
        the largest if None -> (num_segments, ...)
    """,
)
def segment_sum(data: Expr, segment_ids: Expr, num_segments: int | Expr | None = None) -> Call:
    """Return the sums of the slices ``data[i]`` with the same ``segment_ids[i]``.

    Like Relay's function it makes zeros of the size of the result, and adds the slices to them.
    """
    if num_segments is None:
        largest = relay_call("max", segment_ids, axis=None, keepdims=False)
        count: Expr = relay_call("add", largest, relay_call("ones_like", largest))
    else:
        count = num_segments if isinstance(num_segments, Expr) else const(num_segments)
    rows = relay_call("cast", relay_call("reshape", count, newshape=(1,)), dtype="int32")
    sizes = relay_call("shape_of", data, dtype="int32")
    rest = relay_call(
        "strided_slice", sizes, begin=(1,), end=(-1,), strides=(1,), slice_mode="size"
    )
    shape = relay_call("concatenate", (rows, rest), axis=0)
    zeros = relay_call("cast_like", relay_call("dyn.zeros", shape, dtype="float32"), data)
    ids = relay_call("expand_dims", segment_ids, axis=0)
    return relay_call("scatter_nd", zeros, ids, data, mode="add")


@custom_builder("stft")
def stft(
    data: Expr,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Expr | None = None,
    normalized: bool = False,
    onesided: bool = True,
) -> Call:
    """Return the Fourier transform of overlapping windows of ``data``.

    Left out, windows are as long as the transform and overlap by three quarters.
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    ones = const(np.ones(n_fft), "float32") if window is None else window
    return relay_call(
        "stft",
        data,
        ones,
        n_fft=n_fft,
        hop_length=hop,
        win_length=length,
        normalized=normalized,
        onesided=onesided,
    )


@custom_builder("random.uniform")
def uniform(
    key: Expr,
    shape: int | Sequence[int],
    dtype: str = "float32",
    low: Expr | float = 0.0,
    high: Expr | float = 1.0,
) -> Call:
    """Return the next key and numbers that are equally likely everywhere between two bounds."""
    bounds = _as_expr(low, dtype), _as_expr(high, dtype)
    sizes = (shape,) if isinstance(shape, int) else shape
    return relay_call(
        "random.uniform", as_constant(ARRAY, key), *bounds, out_shape=sizes, out_dtype=dtype
    )


@custom_builder("random.normal")
def normal(
    key: Expr,
    shape: int | Sequence[int],
    dtype: str = "float32",
    mean: Expr | float = 0.0,
    scale: Expr | float = 1.0,
) -> Call:
    """Return the next key and numbers of the normal distribution."""
    moments = _as_expr(mean, dtype), _as_expr(scale, dtype)
    sizes = (shape,) if isinstance(shape, int) else shape
    return relay_call(
        "random.normal", as_constant(ARRAY, key), *moments, out_shape=sizes, out_dtype=dtype
    )


@custom_builder("random.threefry_generate")
def threefry_generate(key: Expr, shape: int | Sequence[int]) -> Call:
    """Return the next key and random bits."""
    sizes = (shape,) if isinstance(shape, int) else shape
    return relay_call("random.threefry_generate", as_constant(ARRAY, key), out_shape=sizes)
