"""Steps from ``Upsample`` to ``Resize`` as it is now."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx.opset.step import Adapter, Step


def _scale_all_axes(step: Step) -> Expr:
    """Make the scales of height and width those of all four axes."""
    step.attributes["scales"] = (1.0, 1.0, step.pop("height_scale"), step.pop("width_scale"))
    mode = step.attributes.get("mode", "nearest")
    if mode in ("bilinear", b"bilinear"):
        step.attributes["mode"] = "linear"
    return step.finish()


def _move_scales(step: Step) -> Expr:
    step.put_constant(1, step.pop("scales"), np.float32, "scales")
    return step.finish()


def _resize(step: Step) -> Expr:
    """Call ``Resize``; as of version 11 at once where it leads there, as scales are 1 or more."""
    if step.goal < 11:
        return step.finish("Resize")
    step.version = 11
    return _name_coordinates(step, "floor")


def _name_rounding(step: Step) -> Expr:
    """Say how coordinates were rounded: down, but up along axes that become shorter.

    Where there are axes of both kinds, those that become longer are resized first.
    """
    if not _is_nearest(step):
        return _name_coordinates(step, None)
    value, scales = step.inputs
    assert scales is not None
    factors = step.graph.value_of(scales)
    if factors is None:
        step.refuse("its scales are no constant, which the rounding of coordinates depends on")
    if (factors >= 1).all():
        return _name_coordinates(step, "floor")
    if (factors > 1).any():
        longer = step.constant(np.maximum(factors, 1), np.float32, "longer")
        named = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        value = step.emit("Resize", [value, _region(step), longer], **named)
        step.inputs = [value, step.constant(np.minimum(factors, 1), np.float32, "shorter")]
    return _name_coordinates(step, "ceil")


def _name_coordinates(step: Step, rounding: str | None) -> Expr:
    """Say how coordinates were found: by the scale alone."""
    value, scales = step.inputs
    step.inputs = [value, _region(step), scales]
    step.attributes["coordinate_transformation_mode"] = "asymmetric"
    if rounding is not None and _is_nearest(step):
        step.attributes["nearest_mode"] = rounding
    return step.finish("Resize")


def _region(step: Step) -> Expr | None:
    """Return a region, which nothing looks at, but which had to be given for two versions."""
    return None if step.goal >= 13 else step.constant([], np.float32, "roi")


def _is_nearest(step: Step) -> bool:
    return step.attributes.get("mode", "nearest") in ("nearest", b"nearest")


ADAPTERS: Final[dict[tuple[str, int], Adapter]] = {
    ("Upsample", 7): _scale_all_axes,
    ("Upsample", 9): _move_scales,
    ("Upsample", 10): _resize,
    ("Resize", 11): _name_rounding,
}
