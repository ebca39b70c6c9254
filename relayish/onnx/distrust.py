"""Corrections of ONNX's inference, where it says what is not so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from relayish.ir.attrs import Attrs
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
    (``ceil_mode``); no runtime does. Such a size is not told: any number contradicts one of them.

    Args:
        identity: Which operator it is.
        attrs: The attributes of the call.
        types: The types of the inputs.
        found: Those of the results, by onnx.
    """
    if identity.domain or identity.since_version >= _POOLING_IS_RIGHT or attrs is None:
        return found
    if identity.name not in _POOLING or not attrs.get("ceil_mode", 0):
        return found
    data = types[0]
    return tuple(
        [
            TensorType((*ty.shape[:2], *_windows(attrs, data, ty)), ty.dtype)
            if isinstance(ty, TensorType)
            else ty
            for ty in found
        ]
    )


def _windows(attrs: Attrs, data: Type | None, ty: TensorType) -> list[int | PrimExpr]:
    """Return how many windows there are along the axes of space; ``Any`` where that is disputed."""
    rank = len(ty.shape) - 2
    if not isinstance(data, TensorType) or attrs.get("auto_pad", "NOTSET") != "NOTSET":
        return [ANY] * rank
    strides = attrs.get("strides") or (1,) * rank
    pads = attrs.get("pads") or (0,) * (2 * rank)
    assert isinstance(strides, Sequence)
    assert isinstance(pads, Sequence)
    windows: list[int | PrimExpr] = []
    for axis, (count, size) in enumerate(zip(ty.shape[2:], data.shape[2:], strict=True)):
        if not isinstance(count, int) or not isinstance(size, int):
            windows.append(ANY)
            continue
        is_behind = (count - 1) * strides[axis] >= size + pads[axis]
        windows.append(ANY if is_behind else count)
    return windows


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
_WRONG: Final[dict[str, Callable[[Sequence[Type | None], Type], Type]]] = {
    "Attention": _without_numbers,
    "STFT": _without_frequencies,
    "Slice": _without_names_of_sizes,
}
_NEWEST: Final = 1 << 30
_LAST_WRONG: Final = {"Slice": 10}
"""The last version of operators of which later ones are told rightly."""
