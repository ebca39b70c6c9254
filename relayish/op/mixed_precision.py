"""Mixed precision: which operators may be computed in a narrow element type, as ``float16``.

Operators that gain most always are; most follow their operands; those whose results leave the range
of narrow numbers, or add up many of them, never are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, overload

from relayish._support.arity import check_arity
from relayish.ir.dtype import DType, get_lowest_number, numpy_dtype
from relayish.ir.relay.expr import Op
from relayish.ir.relay.op import intern_op
from relayish.op.declaration.properties import MixedPrecision, chosen_dtype, mixed_precision
from relayish.op.declaration.registry import resolve_op

Conversion: TypeAlias = Callable[[Any, DType], Sequence[Any]]
"""``conversion(call, dtype)``: a :class:`MixedPrecision`, and the element types to accumulate in
and to return; Any: a call of the operator, and these three."""

_DEFAULT_LEVEL: Final = 10


@overload
def register_mixed_precision_conversion(
    op_name: str | Op, func: None = None, level: int = _DEFAULT_LEVEL
) -> Callable[[Conversion], Conversion]: ...
@overload
def register_mixed_precision_conversion(
    op_name: str | Op, func: Conversion, level: int = _DEFAULT_LEVEL
) -> Conversion: ...
def register_mixed_precision_conversion(
    op_name: str | Op, func: Conversion | None = None, level: int = _DEFAULT_LEVEL
) -> Conversion | Callable[[Conversion], Conversion]:
    """Let ``func``, or the decorated function, say how an operator is computed in mixed precision.

    Args:
        op_name: An operator or its name, declared already or not.
        func: ``func(call, dtype)``, asked for each call; ``dtype`` is the narrow element type. It
            returns a :class:`MixedPrecision` and two element types: that which the operator
            accumulates in, and that of what stands for the call.
        level: Of two functions for one operator, that of the higher level counts.

    Raises:
        DuplicateNameError: If the operator has one of the same level, as relayish's own have 10.

    Source:
        Relay ``op.register_mixed_precision_conversion``.

    Example:
        >>> @register_mixed_precision_conversion("example.total")
        ... def in_single_precision(call, dtype):
        ...     return MixedPrecision.ALWAYS, "float32", dtype
        >>> mixed_precision.get(intern_op("example.total")) is in_single_precision
        True
    """
    found = resolve_op(op_name)

    def declare(function: Conversion) -> Conversion:
        what = f"the conversion of operator {found.full_name!r}"
        check_arity(function, ("call", "dtype"), what)
        mixed_precision.set_at_level(found, function, level)
        return function

    return declare if func is None else declare(func)


def _choose_category(category: MixedPrecision) -> Conversion:
    def conversion(_: object, dtype: DType) -> tuple[MixedPrecision, DType, DType]:
        return category, dtype, dtype

    return conversion


_ALWAYS: Final = (
    "nn.batch_matmul",
    "nn.conv1d",
    "nn.conv1d_transpose",
    "nn.conv2d",
    "nn.conv2d_transpose",
    "nn.conv3d",
    "nn.conv3d_transpose",
    "nn.dense",
)

_FOLLOW: Final = (
    # tensors of another shape
    "argwhere",
    "broadcast_to_like",
    "concatenate",
    "dyn.broadcast_to",
    "dyn.full",
    "dyn.reshape",
    "dyn.strided_slice",
    "dyn.tile",
    "expand_dims",
    "full",
    "nn.batch_flatten",
    "nn.depth_to_space",
    "nn.pad",
    "reshape",
    "scatter",
    "scatter_elements",
    "scatter_nd",
    "split",
    "squeeze",
    "strided_slice",
    "take",
    "tile",
    "transpose",
    "where",
    "zeros",
    # comparison
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    # what depends on its operands by definition
    "cast",
    "cast_like",
    "copy",
    # arithmetic
    "add",
    "divide",
    "multiply",
    "nn.batch_norm",
    "nn.bias_add",
    "shape_of",
    "sqrt",
    "subtract",
    # activations
    "argmax",
    "argmin",
    "max",
    "maximum",
    "min",
    "minimum",
    "nn.dropout",
    "nn.leaky_relu",
    "nn.prelu",
    "nn.relu",
    # those that saturate where narrow numbers are
    "fast_erf",
    "fast_exp",
    "fast_tanh",
    "sigmoid",
    "tanh",
    # pooling
    "image.resize2d",
    "nn.adaptive_max_pool1d",
    "nn.adaptive_max_pool2d",
    "nn.adaptive_max_pool3d",
    "nn.avg_pool1d",
    "nn.avg_pool2d",
    "nn.avg_pool3d",
    "nn.global_max_pool2d",
    "nn.max_pool1d",
    "nn.max_pool2d",
    "nn.max_pool3d",
)

_NEVER: Final = (
    # results far larger than operands
    "erf",
    "exp",
    "nn.cross_entropy",
    "nn.cross_entropy_with_logits",
    "nn.l2_normalize",
    "nn.softmax",
    "power",
    # ends that narrow numbers do not reach
    "arange",
    # large sums
    "mean",
    "nn.adaptive_avg_pool1d",
    "nn.adaptive_avg_pool2d",
    "nn.adaptive_avg_pool3d",
    "nn.global_avg_pool2d",
    "nn.layer_norm",
    "sum",
    "variance",
)

for _category, _names in (
    (MixedPrecision.ALWAYS, _ALWAYS),
    (MixedPrecision.FOLLOW, _FOLLOW),
    (MixedPrecision.NEVER, _NEVER),
):
    for _name in _names:
        register_mixed_precision_conversion(_name, _choose_category(_category))


@register_mixed_precision_conversion("clip")
def _clip(call: Any, dtype: DType) -> tuple[MixedPrecision, DType, DType]:  # Any: a call
    """Keep bounds that the narrow type does not hold: there they would be infinite."""
    reach = -get_lowest_number(numpy_dtype(dtype))
    fits = max(abs(call.attrs.a_min), abs(call.attrs.a_max)) <= reach
    return MixedPrecision.FOLLOW if fits else MixedPrecision.NEVER, dtype, dtype


_ACCUMULATE: Final = (
    *_ALWAYS,
    "nn.contrib_conv2d_winograd_nnpack_weight_transform",
    "nn.contrib_conv2d_winograd_without_weight_transform",
    "nn.contrib_conv3d_winograd_without_weight_transform",
    "nn.deformable_conv2d",
    "nn.matmul",
)
for _name in _ACCUMULATE:
    chosen_dtype.set(intern_op(_name), "out_dtype")
for _name in ("dyn.full", "dyn.ones", "dyn.zeros", "full", "ones", "zeros"):
    chosen_dtype.set(intern_op(_name), "dtype")
