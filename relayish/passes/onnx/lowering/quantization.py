"""Quantisation: numbers as multiples of a scale, counted from a zero point."""

from __future__ import annotations

from typing import Final

import ml_dtypes
import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_fractional
from relayish.onnx.element_types import element_type_name
from relayish.passes.onnx.lowering.arithmetic import work_type
from relayish.passes.onnx.lowering.casting import clipped
from relayish.passes.onnx.lowering.elementwise import round_to_even
from relayish.passes.onnx.lowering.reductions import fill_nothing
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_QNN: Final = ("int8", "uint8", "int16", "uint16", "int32")
"""Element types of which there are quantised operators."""


@lowers("QuantizeLinear")
def quantize(node: OnnxNode) -> Expr:
    """Numbers as multiples of a scale: ``qnn.quantize`` where it gives the type."""
    target = "uint8"
    if node.has(2):
        target = node.dtype(2)
    elif node.attr("output_dtype", 0):
        target = element_type_name(int(node.attr("output_dtype")))
    divided = _precision(node)
    if target in _QNN and divided == "float32" == node.dtype(1) and not node.attr("block_size", 0):
        zero = build("cast", node.input(2), "int32") if node.has(2) else const(0, "int32")
        axis = node.axis(1) if node.rank(1) else -1
        return build(
            "qnn.quantize", node.input(0), node.input(1), zero, axis=axis, out_dtype=target
        )
    computed = work_type(divided)
    scale = build("cast", _spread(node, 1), computed)
    x = build("cast", build("cast", node.input(0), divided), computed)
    quotient = build("cast", build("cast", build("divide", x, scale), divided), computed)
    held = numpy_dtype(target)
    if is_fractional(held):
        moved = _with_zero(node, quotient, computed)
        is_kept = target.startswith("float8") and not node.attr("saturate", 1)
        return build("cast", moved, target) if is_kept else clipped(moved, target)
    moved = _with_zero(node, round_to_even(quotient, computed), computed)
    moved = build("where", build("isnan", moved), const(0, computed), moved)
    limits = ml_dtypes.iinfo(held)  # type: ignore[no-untyped-call]
    return build("cast", build("clip", moved, float(limits.min), float(limits.max)), target)


def _precision(node: OnnxNode) -> str:
    """Return the element type in which quotients are rounded."""
    told = int(node.attr("precision", 0))
    found = element_type_name(told) if told else node.dtype(1)
    found = "float32" if found == "float8_e8m0fnu" else found  # it has powers of two alone
    if not is_fractional(numpy_dtype(found)):
        raise Unlowered(f"it divides with the precision of {found}")
    return found


def _with_zero(node: OnnxNode, x: Expr, dtype: str) -> Expr:
    """Return numbers with the zero point added, if any is another than 0."""
    if not node.has(2):
        return x
    known = node.value(2)
    if known is not None and not known.astype(np.float32).any():
        return x
    moved = build("add", x, build("cast", _spread(node, 2), dtype))
    if known is not None or not is_fractional(numpy_dtype(node.dtype(2))):
        return moved
    # a sum with 0 loses the sign of a zero
    differs = build("not_equal", build("cast", node.input(2), dtype), const(0, dtype))
    differs = build("any", differs) if node.rank(2) else differs
    return build("where", differs, moved, x)


@lowers("DequantizeLinear")
def dequantize(node: OnnxNode) -> Expr:
    """What multiples of a scale stand for: ``qnn.dequantize`` where it takes the type."""
    told = int(node.attr("output_dtype", 0))
    target = element_type_name(told) if told else node.dtype(1)
    held = node.dtype()
    if held in _QNN and target == node.dtype(1) == "float32" and not node.attr("block_size", 0):
        zero = build("cast", node.input(2), "int32") if node.has(2) else const(0, "int32")
        axis = node.axis(1) if node.rank(1) else -1
        return build("qnn.dequantize", node.input(0), node.input(1), zero, axis=axis)
    if not is_fractional(numpy_dtype(target)):
        raise Unlowered(f"it gives elements of type {target}")
    computed = work_type(target)
    x = node.input(0)
    if node.has(2):  # the difference is exact
        wide = "float32" if is_fractional(numpy_dtype(held)) else "int32"
        zero = build("cast", _spread(node, 2), wide)
        x = build("subtract", build("cast", x, wide), zero)
    scale = build("cast", _spread(node, 1), computed)
    return build("cast", build("multiply", build("cast", x, computed), scale), target)


def _spread(node: OnnxNode, place: int) -> Expr:
    """Return a scale or zero point so that it broadcasts to the first input."""
    given, rank = node.input(place), node.rank(place)
    block = int(node.attr("block_size", 0))
    if not rank:
        return given
    sizes, axis = node.sizes(place), node.axis(1)
    whole = node.sizes()
    if rank == 1 and sizes == (1,):
        return build("reshape", given, newshape=[1] * len(whole))
    if not block:
        if sizes != (whole[axis],):
            raise Unlowered(f"its input {place} has shape {sizes}, and axis {axis} another size")
        behind = len(whole) - axis - 1
        return build("expand_dims", given, axis=1, num_newaxis=behind) if behind else given
    if sizes != (*whole[:axis], -(-whole[axis] // block), *whole[axis + 1 :]):
        raise Unlowered(f"its input {place} of shape {sizes} has no number for each block")
    spread = build("repeat", given, repeats=block, axis=axis)
    if sizes[axis] * block == whole[axis]:
        return spread
    return build("strided_slice", spread, begin=[0], end=[whole[axis]], axes=[axis])


@lowers("DynamicQuantizeLinear")
def dynamic_quantize(node: OnnxNode) -> list[Expr]:
    """Integers of eight bits, at a scale that the data tell."""
    x, zero = node.input(0), const(0, "float32")
    low = build("minimum", build("min", fill_nothing(node, "min", None)), zero)
    high = build("maximum", build("max", fill_nothing(node, "max", None)), zero)
    scale = build("divide", build("subtract", high, low), const(255, "float32"))
    exact = build(
        "clip", round_to_even(build("divide", build("negative", low), scale), "float32"), 0, 255
    )
    moved = build("add", round_to_even(build("divide", x, scale), "float32"), exact)
    values = build("cast", build("clip", moved, 0, 255), "uint8")
    return [values, scale, build("cast", exact, "uint8")]
