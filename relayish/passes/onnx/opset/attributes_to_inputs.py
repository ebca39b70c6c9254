"""Steps by which attributes of an operator became inputs."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx.opset.step import Adapter, Step

_LOWEST: Final = float(np.finfo(np.float32).min)


def _move_axes(step: Step) -> Expr:
    """Make ``axes`` the second input; where there are none, all or none are meant as before."""
    axes = step.pop("axes")
    if axes:
        step.put_constant(1, axes, np.int64, "axes")
    return step.finish()


def _move_unsqueezed_axes(step: Step) -> Expr:
    step.put_constant(1, step.pop("axes", ()), np.int64, "axes")
    return step.finish()


def _move_split(step: Step) -> Expr:
    split = step.pop("split")
    if split:
        step.put_constant(1, split, np.int64, "split")
    return step.finish()


def _fix_split(step: Step) -> Expr:
    """Make the second input, which was one for a time, an attribute."""
    if len(step.inputs) > 1:
        step.attributes["split"] = tuple(step.integers(1, "the size of its parts"))
        step.put(1, None)
    step.attributes.setdefault("axis", 0)
    return step.finish()


def _move_bounds(step: Step) -> Expr:
    """Make the bounds of ``Clip`` inputs; those that bound nothing are left out."""
    for place, name, open_bound in ((1, "min", _LOWEST), (2, "max", -_LOWEST)):
        bound = step.pop(name, open_bound)
        dtype = step.dtype(0, "the type of its bounds") if bound != open_bound else "float32"
        if bound != open_bound:
            step.put_constant(place, bound, dtype, name)
    return step.finish()


def _move_pads(step: Step) -> Expr:
    value = step.pop("value", 0.0)
    step.put_constant(1, step.pop("pads", ()), np.int64, "pads")
    if value != 0:
        step.put_constant(2, value, step.dtype(0, "the type of what it pads with"), "value")
    return step.finish()


def _rename_paddings(step: Step) -> Expr:
    paddings = step.pop("paddings")
    if paddings is None:
        step.refuse("it does not say by how much it pads: no attribute 'paddings'")
    step.attributes["pads"] = paddings
    return step.finish()


def _move_bounds_of_slice(step: Step) -> Expr:
    for place, name in ((1, "starts"), (2, "ends"), (3, "axes")):
        value = step.pop(name)
        if value is not None:
            step.put_constant(place, value, np.int64, name)
    return step.finish()


def _move_k(step: Step) -> Expr:
    step.put_constant(1, [step.pop("k")], np.int64, "k")
    return step.finish()


def _move_shape(step: Step) -> Expr:
    step.pop("consumed_inputs")
    shape = step.pop("shape")
    if shape is None:
        step.refuse("it does not say which shape is meant: no attribute 'shape'")
    step.put_constant(1, shape, np.int64, "shape")
    return step.finish()


def _move_ratio(step: Step) -> Expr:
    ratio = step.pop("ratio")
    if ratio is not None:
        step.put_constant(1, ratio, np.float32, "ratio")
    return step.finish()


def _move_axis(step: Step) -> Expr:
    step.put_constant(2, step.pop("axis", 1), np.int64, "axis")
    return step.finish()


def _repeat_all_axes(step: Step) -> Expr:
    """Make the tiles along one axis the repeats along all."""
    rank = step.rank(0, "the number of repeats")
    repeats = [1] * rank
    (tiles,), (axis,) = step.integers(1, "the repeats"), step.integers(2, "the repeated axis")
    repeats[axis] = tiles
    step.put(2, None)
    step.put_constant(1, repeats, np.int64, "repeats")
    return step.finish()


_REDUCTIONS: Final = (
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
    "ReduceMin", "ReduceProd", "ReduceSumSquare",
)  # fmt: skip

ADAPTERS: Final[dict[tuple[str, int], Adapter]] = {
    ("Squeeze", 13): _move_axes,
    ("Unsqueeze", 13): _move_unsqueezed_axes,
    ("ReduceSum", 13): _move_axes,
    **{(name, 18): _move_axes for name in _REDUCTIONS},
    ("Split", 2): _fix_split,
    ("Split", 13): _move_split,
    ("Clip", 11): _move_bounds,
    ("Pad", 2): _rename_paddings,
    ("Pad", 11): _move_pads,
    ("Slice", 10): _move_bounds_of_slice,
    ("TopK", 10): _move_k,
    ("Reshape", 5): _move_shape,
    ("Dropout", 12): _move_ratio,
    ("DFT", 20): _move_axis,
    ("Tile", 6): _repeat_all_axes,
}
