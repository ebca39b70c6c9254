"""Corrections of ONNX's inference, where it says what is not so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.type import PrimExpr, TensorType, Type
from relayish.onnx.identity import Identity
from relayish.onnx.types import UnrankedTensorType
from relayish.op.types.dimension import ANY, is_static

Types: TypeAlias = tuple[Type, ...]


def correct_types(identity: Identity, types: Sequence[Type | None], found: Types) -> Types:
    """Return the types of the results of a node, without what onnx is known to tell wrongly.

    Args:
        identity: Which operator it is.
        types: The types of the inputs.
        found: Those of the results, by onnx.
    """
    if identity.domain or identity.since_version > _LAST_WRONG.get(identity.name, _NEWEST):
        return found
    correct = _WRONG.get(identity.name)
    return found if correct is None else tuple([correct(types, ty) for ty in found])


def correct_pooling(
    identity: Identity, attrs: Attrs | None, types: Sequence[Type | None], found: Types
) -> Types:
    """Return the types of results of pooling without sizes that runtimes disagree with.

    Before version 22 onnx counts windows that begin behind the input where sizes are rounded up
    (``ceil_mode``), and in all versions one where the first does not fit; no runtime does. Such a
    size is not told: any number contradicts one of them.

    Args:
        identity: Which operator it is.
        attrs: The attributes of the call.
        types: The types of the inputs.
        found: Those of the results, by onnx.
    """
    if identity.domain or identity.name not in _POOLING or attrs is None:
        return found
    if not attrs.get("ceil_mode", 0):
        return found
    data, counts_more = types[0], identity.since_version < _POOLING_IS_RIGHT
    return tuple(
        [
            TensorType((*ty.shape[:2], *_windows(attrs, data, ty, more=counts_more)), ty.dtype)
            if isinstance(ty, TensorType)
            else ty
            for ty in found
        ]
    )


def _windows(
    attrs: Attrs, data: Type | None, ty: TensorType, *, more: bool
) -> list[int | PrimExpr]:
    """Return how many windows there are along the axes of space; ``Any`` where that is disputed."""
    counts = ty.shape[2:]
    rank = len(counts)
    if not isinstance(data, TensorType) or attrs.get("auto_pad", "NOTSET") != "NOTSET":
        return [ANY] * rank if more else list(counts)
    strides, spread, kernel, pads = (
        _numbers(attrs.get(name), default, length)
        for name, default, length in (
            ("strides", 1, rank), ("dilations", 1, rank), ("kernel_shape", 1, rank),
            ("pads", 0, 2 * rank),
        )
    )  # fmt: skip
    windows: list[int | PrimExpr] = []
    for axis, (count, size) in enumerate(zip(counts, data.shape[2:], strict=True)):
        if not isinstance(count, int) or not isinstance(size, int):
            windows.append(ANY if more else count)
            continue
        is_behind = more and (count - 1) * strides[axis] >= size + pads[axis]
        room = size + pads[axis] + pads[rank + axis] - (kernel[axis] - 1) * spread[axis] - 1
        windows.append(ANY if is_behind or room < 0 else count)
    return windows


def _numbers(told: object, default: int, length: int) -> Sequence[int]:
    return told if isinstance(told, Sequence) and len(told) == length else (default,) * length


def correct_resizing(
    identity: Identity,
    attrs: Attrs | None,
    types: Sequence[Type | None],
    values: Sequence[NDArray[Any] | None],  # Any: of whatever element type
    found: Types,
) -> Types:
    """Return the type of what was resized without sizes that depend on how exactly one multiplies.

    Sizes times scales are rounded down: onnx multiplies in double precision, runtimes in single.

    Args:
        identity: Which operator it is.
        attrs: The attributes of the call.
        types: The types of the inputs.
        values: Their values, as far as they are known.
        found: The types of the results, by onnx.
    """
    if identity.domain or identity.name not in {"Resize", "Upsample"} or not types:
        return found
    place = 1 if identity.since_version <= _SCALES_COME_SECOND else 2
    scales: Any = values[place] if place < len(values) else None  # Any: an array, or numbers
    scales = attrs.get("scales") if attrs is not None and scales is None else scales
    data, ty = types[0], found[0]
    if scales is None or not isinstance(data, TensorType) or not isinstance(ty, TensorType):
        return found
    axes = None if attrs is None else attrs.get("axes")
    over: Sequence[int] = axes if isinstance(axes, Sequence) and axes else range(len(scales))
    sizes = list(ty.shape)
    for axis, scale in zip(over, np.asarray(scales, np.float32), strict=True):
        size = data.shape[axis]
        if isinstance(size, int) and sizes[axis] != int(np.floor(np.float32(size) * scale)):
            sizes[axis] = ANY
    return (TensorType(sizes, ty.dtype),)


def types_without_asking(identity: Identity, types: Sequence[Type | None]) -> Types | None:
    """Return the types of the results of a node that onnx refuses although it is sound.

    It compares how many sizes a ``Resize`` is told with the rank, even where that is not known, and
    ``GroupNormalization`` of version 18, which it calls deprecated, runs all the same.

    Returns:
        ``None`` where it is to be asked.
    """
    if identity.domain or not types:
        return None
    data = types[0]
    if (identity.name, identity.since_version) == ("GroupNormalization", 18):
        return None if data is None else (data,)
    if identity.name not in {"Resize", "Upsample"}:
        return None
    if all(isinstance(ty, TensorType) and is_static(ty.shape) for ty in types[1:] if ty):
        return None
    if isinstance(data, TensorType):
        return (TensorType([ANY] * len(data.shape), data.dtype),)
    return (data,) if isinstance(data, UnrankedTensorType) else None


def _without_numbers(types: Sequence[Type | None], ty: Type) -> Type:
    """Forget sizes that are sums and products, for it takes one that is not known for 0."""
    static = all(ty is None or (isinstance(ty, TensorType) and is_static(ty.shape)) for ty in types)
    if static or not isinstance(ty, TensorType):
        return ty
    return TensorType([size if isinstance(size, PrimExpr) else ANY for size in ty.shape], ty.dtype)


def _without_names_of_sizes(_types: Sequence[Type | None], ty: Type) -> Type:
    """Forget sizes that have names, for it takes over that of a dimension that is cut."""
    if not isinstance(ty, TensorType):
        return ty
    return TensorType([ANY if isinstance(size, PrimExpr) else size for size in ty.shape], ty.dtype)


def _without_frequencies(_types: Sequence[Type | None], ty: Type) -> Type:
    """Forget how many frequencies there are, for it does not leave out those told twice."""
    if not isinstance(ty, TensorType) or len(ty.shape) != _STFT_RANK:
        return ty
    batch, frames, _, parts = ty.shape
    return TensorType((batch, frames, ANY, parts), ty.dtype)


_STFT_RANK: Final = 4
_POOLING: Final = frozenset({"AveragePool", "LpPool", "MaxPool"})
_POOLING_IS_RIGHT: Final = 22
_SCALES_COME_SECOND: Final = 10
_WRONG: Final[dict[str, Callable[[Sequence[Type | None], Type], Type]]] = {
    "Attention": _without_numbers,
    "STFT": _without_frequencies,
    "Slice": _without_names_of_sizes,
}
_NEWEST: Final = 1 << 30
_LAST_WRONG: Final = {"Slice": 10}
"""The last version of operators of which later ones are told rightly."""
