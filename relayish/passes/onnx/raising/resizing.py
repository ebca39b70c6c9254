"""Images of other sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from relayish.ir.relay.expr import Expr
from relayish.op.values.resampling import METHODS, SLOPE, usual_rounding
from relayish.passes.onnx.raising.arithmetic import is_whole
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

_PLAIN: Final = {3: "NCW", 4: "NCHW", 5: "NCDHW"}
_COORDINATES: Final = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
_NEAREST: Final = {
    "round": "round_prefer_ceil",  # halves before the first element are brought to it in any case
    "round_prefer_floor": "round_prefer_floor", "round_prefer_ceil": "round_prefer_ceil",
    "floor": "floor", "ceil": "ceil",
}  # fmt: skip
_SIZES_AS_INPUT: Final = 11
_MAY_LEAVE_OUT: Final = 13


@raises("image.resize1d", "image.resize2d", "image.resize3d", "dyn.image.resize2d")
def resize(call: RelayCall) -> Expr:
    """Images of another size."""
    attrs, coordinates = call.attrs, call.attrs.coordinate_transformation_mode
    rounding = attrs.rounding_method or usual_rounding(coordinates)
    told: dict[str, Any] = {}  # Any: attributes by name
    if METHODS.get(attrs.method) == "cubic":
        told = {
            "cubic_coeff_a": float(attrs.cubic_alpha),
            "exclude_outside": int(bool(attrs.cubic_exclude)),
        }
    wanted = _with_given if call.name.startswith("dyn.") else _known
    return _resized(call, attrs.method, coordinates, rounding, told, wanted)


@raises("nn.upsampling", "nn.upsampling3d", "dyn.nn.upsampling", "dyn.nn.upsampling3d")
def upsample(call: RelayCall) -> Expr:
    """Larger images."""
    attrs = call.attrs
    if call.name.endswith("nn.upsampling"):
        coordinates = "align_corners" if attrs.align_corners else "asymmetric"
    else:
        coordinates = attrs.coordinate_transformation_mode
    told = {"cubic_coeff_a": SLOPE} if METHODS.get(attrs.method) == "cubic" else {}
    wanted = _scaled if call.name.startswith("dyn.") else _known
    return _resized(call, attrs.method, coordinates, usual_rounding(coordinates), told, wanted)


def _known(call: RelayCall, _: Expr, perm: Sequence[int]) -> Expr:
    """Return the sizes of the result, in another order."""
    wanted = [call.sizes()[axis] for axis in perm]
    if 0 in wanted:
        raise Unraised("it resizes to no elements")
    return ints(wanted)


def _with_given(call: RelayCall, data: Expr, _: Sequence[int]) -> Expr:
    """Return batch and channels of data, and the sizes that are an argument."""
    return call.node("Concat", _sizes(call, data, 0, 2), call.places(1), axis=0)


def _scaled(call: RelayCall, data: Expr, perm: Sequence[int]) -> Expr:
    """Return the sizes of data times scales that are arguments; halves are rounded to even."""
    scales = [
        call.reshape(call.cast_from(scale, call.type(place).dtype, "float64"), [1])
        for place, scale in enumerate(call.args[1:], 1)
    ]
    given = call.cast(_sizes(call, data, 2, len(perm)), "float64")
    times = call.node("Mul", given, call.node("Concat", *scales, axis=0))
    wanted = call.cast(call.node("Round", times), "int64")
    return call.node("Concat", _sizes(call, data, 0, 2), wanted, axis=0)


def _sizes(call: RelayCall, data: Expr, begin: int, end: int) -> Expr:
    return call.node("Gather", call.node("Shape", data), ints(range(begin, end)), axis=0)


def _resized(
    call: RelayCall,
    method: str,
    coordinates: str,
    rounding: str,
    told: dict[str, Any],  # Any: attributes by name
    find_sizes: Callable[[RelayCall, Expr, Sequence[int]], Expr],
) -> Expr:
    """Return data in the sizes of the result, as ONNX resizes them."""
    mode, given = METHODS.get(method), call.type(0).dtype
    if mode is None or coordinates not in _COORDINATES or rounding not in _NEAREST:
        raise Unraised(
            f"ONNX resizes not by {method} at {coordinates}, or rounds not by {rounding}"
        )
    if mode != "nearest" and (is_whole(given) or is_whole(call.type().dtype)):
        raise Unraised("Relay cuts off what it makes of integers, and ONNX rounds it")
    if call.opset < _SIZES_AS_INPUT:
        raise Unraised("that version resizes to scales alone, in one way")
    layout, plain = call.attrs.layout, _PLAIN[call.rank()]
    if sorted(layout) != sorted(plain):
        raise Unraised(f"its layout is {layout}; ONNX has {plain} alone")
    perm = [layout.index(axis) for axis in plain]
    back = [plain.index(axis) for axis in layout]
    if 0 in call.type(0).shape:
        raise Unraised("it resizes no elements")
    data = (
        call.args[0] if layout == plain else call.node("Transpose", call.args[0], perm=tuple(perm))
    )
    left_out = None if call.opset >= _MAY_LEAVE_OUT else number([], "float32")
    if mode == "nearest":
        told = {"nearest_mode": _NEAREST[rounding]}
    found = call.node(
        "Resize",
        data,
        left_out,
        left_out,
        find_sizes(call, data, perm),
        mode=mode,
        coordinate_transformation_mode=coordinates,
        **told,
    )
    if layout != plain:
        found = call.node("Transpose", found, perm=tuple(back))
    return call.cast_from(found, given, call.type().dtype)
