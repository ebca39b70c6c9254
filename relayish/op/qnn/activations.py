"""Functions of single quantised elements, the leaky rectifier, and the softmax."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.elementary import sigmoid
from relayish.numeric.error_function import erf
from relayish.op.declaration.properties import OpPattern
from relayish.op.layouts.rules import keep_layout, of_axis
from relayish.op.nn.activation import LeakyReluAttrs, SoftmaxAttrs
from relayish.op.qnn.conversion import dequantize, quantize
from relayish.op.qnn.declaration import declare_quantised
from relayish.op.qnn.fixed_point import multiply, rescale
from relayish.op.qnn.parameters import check_scalars, require_quantised, saturate
from relayish.op.types.dimension import normalise_axis
from relayish.op.values.evaluation import Array, Parameters

_BYTES: Final = ("int8", "uint8")
SOFTMAX_BITS: Final = 8
QUOTIENT_BITS: Final = 30
WIDEST_SCALE: Final = 2
SOFTMAX_SCALE: Final = np.float32(1 / (1 << (SOFTMAX_BITS - 1)))
"""What a softmax in integers has before it is scaled to what is asked for."""


def _elementwise_type(
    _: Parameters,
    data: Type,
    input_scale: Type,
    input_zero_point: Type,
    output_scale: Type,
    output_zero_point: Type,
) -> TensorType:
    given = require_quantised(data, "data", _BYTES)
    check_scalars(input_scale, input_zero_point, "input")
    check_scalars(output_scale, output_zero_point, "output")
    return given


def _softmax_type(attrs: SoftmaxAttrs, data: Type, *parameters: Type) -> TensorType:
    given = _elementwise_type(attrs, data, *parameters)
    require_quantised(data, "data", ("int8",))
    normalise_axis(attrs.axis, len(given.shape))
    return given


def _table(function: Callable[[Array], Array]) -> Callable[..., Array]:
    """Return the evaluation of a function on the numbers that the elements stand for.

    It is asked for each of them once, however often they come: there are no more than 256.
    """

    def evaluation(
        _: Parameters,
        data: Array,
        scale: Array,
        zero_point: Array,
        output_scale: Array,
        output_zero_point: Array,
    ) -> Array:
        values, places = np.unique(data, return_inverse=True)
        images = function(dequantize(values, scale, zero_point))
        table = quantize(images, output_scale, output_zero_point, -1, data.dtype.name)
        return table[places].reshape(data.shape)

    return evaluation


TABULATED: Final[dict[str, Callable[[Array], Array]]] = {}
"""By name: the functions of single elements, on the numbers that these stand for."""


def _leaky_relu(
    attrs: LeakyReluAttrs,
    data: Array,
    input_scale: Array,
    input_zero_point: Array,
    output_scale: Array,
    output_zero_point: Array,
) -> Array:
    """Take ``alpha`` of what is below the zero point, in integers."""
    whole, zero = data.astype(np.int64), input_zero_point.astype(np.int64)
    below = multiply(whole, np.float64(attrs.alpha)) + multiply(zero, np.float64(1 - attrs.alpha))
    bent = np.where(whole < zero, below, whole)
    moved = rescale(bent - zero, input_scale, output_scale, 0)
    return saturate(moved + output_zero_point.astype(np.int64), data.dtype.name)


def _softmax(
    attrs: SoftmaxAttrs,
    data: Array,
    scale: Array,
    zero_point: Array,
    output_scale: Array,
    output_zero_point: Array,
) -> Array:
    """Take the softmax in integers: powers of two by shifts, their fractions by a straight line.

    As in Relay the quotient of 2**30 and the sum is cut off, which for elements far apart costs
    precision. Where the sum is larger, and Relay's overflows, the quotient is taken in full.

    Source:
        Li and Gu, "I-ViT: Integer-only Quantization for Efficient Vision Transformer Inference"
        (2022), algorithm 1.
    """
    if not data.size:
        return data
    axis = attrs.axis
    whole = data.astype(np.int64) - zero_point
    below = whole - whole.max(axis=axis, keepdims=True)
    if not 0 < scale <= WIDEST_SCALE:
        raise EvaluationError(
            f"softmax in integers needs a positive scale of 2 or less; found {scale}"
        )
    unit = math.floor(float(1 / np.float32(scale)) + 0.5)
    scaled = below + (below >> 1) - (below >> 4)  # times log2(e), nearly
    power = -scaled // unit
    rest = scaled + power * unit
    base = (rest >> 1) + unit
    shift = power.max(axis=axis, keepdims=True) - power
    exact = np.ldexp(base.astype(np.float64), shift.astype(np.int32))
    total = exact.sum(axis=axis, keepdims=True)
    quotient = np.floor(float(1 << QUOTIENT_BITS) / total)
    in_bits = np.floor(quotient * exact / float(1 << (QUOTIENT_BITS - SOFTMAX_BITS + 1)))
    in_full = np.floor(exact / total * float(1 << (SOFTMAX_BITS - 1)))
    result = np.where(total > 1 << QUOTIENT_BITS, in_full, in_bits).astype(np.int64)
    moved = rescale(result, SOFTMAX_SCALE, output_scale, 0)
    return saturate(moved + output_zero_point.astype(np.int64), data.dtype.name)


_ARGUMENTS: Final = ("data", "scale", "zero_point", "output_scale", "output_zero_point")
_SHAPES: Final = """
x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point ()
    -> (...), as x
"""


def _declare(
    name: str,
    summary: str,
    function: Callable[[Array], Array],
    pattern: OpPattern = OpPattern.OPAQUE,
) -> None:
    """Declare a function of single quantised elements."""
    TABULATED[name] = function
    declare_quantised(
        f"qnn.{name}",
        arguments=_ARGUMENTS,
        signature="x, scale, zero_point, output_scale, output_zero_point",
        description=f"{summary}{_SHAPES}",
        pattern=pattern,
        rule=_elementwise_type,
        evaluate=_table(function),
        infer_layout=keep_layout,
    )


_declare("abs", "Take the absolute value of quantised elements.", np.abs)
_declare("erf", "Take the error function of quantised elements.", erf)
_declare("exp", "Raise e to the power of quantised elements.", np.exp)
_declare(
    "hardswish",
    "Take x * clip(x + 3, 0, 6) / 6 of quantised elements x.",
    lambda data: data * np.clip(data + np.float32(3), 0, 6) / np.float32(6),
)
_declare("log", "Take the logarithm of quantised elements.", np.log)
_declare(
    "rsqrt",
    "Take one over the square root of quantised elements.",
    lambda data: np.float32(1) / np.sqrt(data),
)
_declare("sigmoid", "Take 1 / (1 + exp(-x)) of quantised elements x.", sigmoid)
_declare("sqrt", "Take the square root of quantised elements.", np.sqrt)
_declare(
    "tanh",
    "Take the hyperbolic tangent of quantised elements.",
    np.tanh,
    pattern=OpPattern.ELEMWISE,
)
declare_quantised(
    "qnn.leaky_relu",
    arguments=("data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"),
    signature="x, alpha, input_scale, input_zero_point, output_scale, output_zero_point",
    description="""
    Scale negative quantised elements down.
    x (...) int8 or uint8; input_scale (); input_zero_point (); output_scale ();
        output_zero_point () -> (...)
    """,
    rule=_elementwise_type,
    evaluate=_leaky_relu,
    infer_layout=keep_layout,
)
declare_quantised(
    "qnn.softmax",
    arguments=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    signature="x, scale, zero_point, output_scale, output_zero_point, axis=-1",
    description="""
    Take exponentials divided by their sum along an axis, on quantised elements.
    x (...) int8 or uint8; scale () of x; zero_point () of x; output_scale (); output_zero_point
        () -> (...), as x
    """,
    rule=_softmax_type,
    evaluate=_softmax,
    infer_layout=of_axis(),
)
