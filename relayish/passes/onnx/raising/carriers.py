"""Carriers: element types in which an operator computes the same where ONNX has it not for its own.

What is cast to a carrier, computed there and cast back has the same bits as if computed directly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_SMALL: Final = ("bool", "int8", "uint8", "int16", "uint16")
"""Integers that ``int32`` and ``float32`` hold exactly."""

_MOVING: Final = frozenset({
    "where", "maximum", "minimum", "max", "min", "clip", "equal", "not_equal", "greater",
    "greater_equal", "less", "less_equal", "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d",
    "nn.global_max_pool2d", "nn.relu", "abs", "sign", "argmax", "argmin", "broadcast_to",
    "concatenate", "copy", "expand_dims", "nn.batch_flatten", "nn.pad", "repeat", "reshape",
    "reshape_like", "reverse", "split", "squeeze", "stack", "strided_slice", "take", "tile",
    "transpose", "isnan", "isinf", "ceil", "floor", "isfinite", "trunc", "gather", "gather_nd",
    "adv_index", "one_hot", "topk", "sort", "argsort", "argwhere", "matrix_set_diag", "strided_set",
    "nn.mirror_pad", "meshgrid", "trilu", "sequence_mask", "reverse_sequence", "slice_like",
    "sliding_window", "layout_transform", "unique",
    "broadcast_to_like", "dyn.broadcast_to", "dyn.full", "dyn.tile", "dyn.reshape", "dyn.squeeze",
    "dyn.expand_dims", "dyn.strided_slice", "dyn.topk", "dyn.one_hot", "dyn.nn.pad",
    "contrib_reverse_reshape",
    "shape_of", "ndarray_size", "full", "round", "nn.depth_to_space", "nn.space_to_depth",
    "nn.adaptive_max_pool1d", "nn.adaptive_max_pool2d", "nn.adaptive_max_pool3d",
})  # fmt: skip
"""Operators that choose, move and compare elements: any type serves that holds all of theirs."""

_WRAPPING: Final = frozenset({
    "add", "subtract", "multiply", "negative", "sum", "nn.dense", "nn.matmul", "nn.batch_matmul",
    "nn.bias_add", "einsum", "collapse_sum_like", "collapse_sum_to",
})  # fmt: skip
"""Operators that are the same modulo a power of two: of integers, any wider ones serve.

Products of all elements are not among them, for onnxruntime computes those of integers in floats,
and gives the largest integer where they do not fit.
"""

_ROUNDED: Final = frozenset({
    "add", "subtract", "multiply", "divide", "negative", "power", "exp", "log", "sqrt", "rsqrt",
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh",
    "atanh", "erf", "sigmoid", "nn.leaky_relu", "floor", "ceil", "log2", "log10",
    "floor_mod", "trunc_mod", "mod", "floor_divide", "trunc_divide", "nn.prelu", "fast_exp",
    "fast_erf", "fast_tanh", "image.resize1d", "image.resize2d", "image.resize3d", "nn.upsampling",
    "nn.upsampling3d", "dyn.image.resize2d", "dyn.nn.upsampling", "dyn.nn.upsampling3d", "einsum",
})  # fmt: skip
"""Operators that numbers of 16 bits are widened for, and rounded after, in any case."""


def carriers(name: str, dtype: str) -> Iterator[str]:
    """Yield the element types in which an operator on elements of ``dtype`` computes the same."""
    if name in _MOVING:
        if dtype in _SMALL:
            yield from ("int32", "float32")
        elif dtype in ("int32", "uint32"):
            yield from ("int64", "float64")
        elif dtype in ("float16", "bfloat16"):
            yield "float32"
    elif name in _WRAPPING and dtype != "bool" and "int" in dtype:
        yield from ("int32", "int64") if dtype in _SMALL else ("int64",)
    if name in _ROUNDED and dtype in ("float16", "bfloat16"):
        yield "float32"
    if name.startswith("logical_"):
        yield "bool"
