"""Shapes of results that follow from values of inputs of which only some elements are known.

ONNX's own inference takes values that are wholly known; these rules say more, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimExpr, TensorType, Type
from relayish.onnx.propagation.elements import is_nonnegative
from relayish.onnx.propagation.fact import MISSING, Element, Fact, Partial
from relayish.onnx.propagation.sizes import Sizes, as_size
from relayish.op.types import dimension
from relayish.op.types.dimension import ANY, show_shape

Dim: TypeAlias = int | PrimExpr
Shape: TypeAlias = tuple[Dim, ...]
Rule: TypeAlias = Callable[[Sizes, Attrs | None, Sequence[Fact], Type], Shape | None]


def refine_shapes(
    name: str, sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact], found: tuple[Type, ...]
) -> tuple[Type, ...]:
    """Return the types of the results of an operator, with sizes filled in that were not known.

    Args:
        name: An operator of ONNX's own.
        sizes: Makes expressions of dimensions.
        attrs: The attributes of the call.
        inputs: What is known of the inputs.
        found: The types by ONNX's inference.

    Raises:
        TypeInferenceError: If the inputs contradict each other.
    """
    rule = _RULES.get(name)
    if rule is None or not found:
        return found
    shape = rule(sizes, attrs, inputs, found[0])
    return found if shape is None else tuple([_refine(ty, shape) for ty in found])


def _refine(found: Type, shape: Shape) -> Type:
    dtype = getattr(found, "dtype", None)
    if dtype is None:
        return found
    if isinstance(found, TensorType):
        if len(shape) != len(found.shape):
            return found
        shape = tuple([_better(a, b) for a, b in zip(found.shape, shape, strict=True)])
        if shape == found.shape:
            return found
    return TensorType(shape, dtype)


def _better(told: Dim, ours: Dim) -> Dim:
    if isinstance(told, int) or isinstance(ours, AnyDim):
        return told
    return ours if isinstance(told, AnyDim) or isinstance(ours, int) else told


def _read(attrs: Attrs | None, name: str, default: Any) -> Any:  # Any: attributes are of any class
    return default if attrs is None else attrs.get(name, default)


def _shape_of(fact: Fact) -> Shape | None:
    return fact.type.shape if isinstance(fact.type, TensorType) else None


def _list(inputs: Sequence[Fact], index: int) -> Partial | None:
    """Return an input that is a list of numbers, ``None`` where nothing is known of it."""
    if index >= len(inputs) or inputs[index] is MISSING:
        return None
    found = inputs[index].partial
    if found is not None:
        return found if len(found.shape) == 1 else None
    shape = _shape_of(inputs[index])
    if shape is None or len(shape) != 1 or not isinstance(shape[0], int) or shape[0] > _LONGEST:
        return None
    return Partial((shape[0],), (None,) * shape[0])


_LONGEST: Final = 64


# Reshape


def _reshape(sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data, target = _shape_of(inputs[0]), _list(inputs, 1)
    if target is None:
        told = _read(attrs, "shape", None)
        if told is None:
            return None
        target = Partial((len(told),), tuple(told))
    keeps_zero = bool(_read(attrs, "allowzero", 0))
    result: list[Element] = []
    copied: list[int] = []
    for place, each in enumerate(target.elements):
        if isinstance(each, int) and each == 0 and not keeps_zero:
            if data is not None and place >= len(data):
                raise TypeInferenceError(
                    f"size {place} of the shape {_show(target)} is 0, which copies that of the "
                    f"input, {show_shape(data)}; expected an axis that it has"
                )
            if data is not None:
                copied.append(place)
            size = None if data is None else sizes.keep(data[place])
            result.append(size)
        else:
            result.append(each)
    if data is None:
        return tuple([as_size(each) for each in result])
    return _solve(sizes, data, result, copied, target)


def _solve(
    sizes: Sizes, data: Shape, result: list[Element], copied: list[int], target: Partial
) -> Shape:
    """Return the shape of a reshaped tensor, of which one size follows from the others."""
    free = [i for i, each in enumerate(result) if each == -1]
    unknown = [i for i, each in enumerate(result) if each is None and i not in copied]
    rest = [size for i, size in enumerate(data) if i not in copied]
    others = [
        as_size(each)
        for i, each in enumerate(result)
        if i not in copied and i not in free and i not in unknown
    ]
    if len(free) > 1:
        raise TypeInferenceError(
            f"the shape {_show(target)} leaves {len(free)} sizes to be found; expected one at most"
        )
    wanted, given = sizes.product(rest), sizes.product(others)
    certain = all(isinstance(each, int) and each > 0 for each in others)
    if len(free) + len(unknown) == 1 and wanted is not None and given is not None:
        (place,) = free or unknown
        if given != 0 and (free or certain):
            result[place] = _quotient(sizes, wanted, given, data, target)
    elif not free and not unknown and isinstance(wanted, int) and isinstance(given, int):
        zero = any(data[i] == 0 or isinstance(data[i], AnyDim) for i in copied)
        if wanted != given and not zero:
            raise _does_not_fit(data, target)
    return tuple([as_size(each) for each in result])


def _quotient(sizes: Sizes, wanted: Dim, given: Dim, data: Shape, target: Partial) -> Element:
    if isinstance(wanted, int) and isinstance(given, int):
        if wanted % given:
            raise _does_not_fit(data, target)
        return wanted // given
    return sizes.keep(dimension.floor_divide(wanted, given))


def _does_not_fit(data: Shape, target: Partial) -> TypeInferenceError:
    return TypeInferenceError(
        f"a tensor of shape {show_shape(data)} is given the shape {_show(target)}; expected as "
        f"many elements"
    )


def _show(target: Partial) -> str:
    return show_shape([ANY if each is None else each for each in target.elements])


# operators that are told the shape of their result


def _expand(_sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data, target = _shape_of(inputs[0]), _list(inputs, 1)
    if data is None or target is None:
        return None
    return dimension.broadcast_shapes(data, [as_size(each) for each in target.elements])


def _filled(_sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    target = _list(inputs, 0)
    return None if target is None else tuple([as_size(each) for each in target.elements])


def _range(sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    found = [each.partial for each in inputs]
    if len(found) != 3 or any(part is None or len(part.elements) != 1 for part in found):
        return None
    start, limit, step = [part.elements[0] for part in found if part is not None]
    if start == 0 and step == 1 and limit is not None and not isinstance(limit, int):
        return (as_size(sizes.keep(limit)),) if is_nonnegative(limit) else None
    return None


def _tile(sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data, repeats = _shape_of(inputs[0]), _list(inputs, 1)
    if data is None or repeats is None or len(repeats.elements) != len(data):
        return None
    pairs = zip(data, repeats.elements, strict=True)
    return tuple([_times(sizes, size, times) for size, times in pairs])


def _times(sizes: Sizes, size: Dim, times: Element) -> Dim:
    return ANY if times is None else as_size(sizes.product([size, times]))


def _concat(sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    shapes = [_shape_of(each) for each in inputs]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes) or len({len(shape) for shape in known}) != 1:
        return None
    rank = len(known[0])
    axis = int(_read(attrs, "axis", 1))
    axis += rank if axis < 0 else 0
    if not 0 <= axis < rank:
        return None
    result = [
        next((size for size in column if isinstance(size, int)), _common(column))
        for column in zip(*known, strict=True)
    ]
    result[axis] = as_size(sizes.sum([shape[axis] for shape in known]))
    return tuple(result)


def _common(column: Sequence[Dim]) -> Dim:
    """Return a size that all of them are: they are the same, whatever is known of each."""
    return next((size for size in column if not isinstance(size, AnyDim)), ANY)


def _slice(_sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data = _shape_of(inputs[0])
    if data is None or len(inputs) < 3:
        return None
    starts, ends = _list(inputs, 1), _list(inputs, 2)
    if starts is None or ends is None:
        return None
    count = len(starts.elements)
    axes = _told(inputs, 3, list(range(count)))
    steps = _told(inputs, 4, [1] * count)
    if axes is None or steps is None or not count == len(ends.elements) == len(axes) == len(steps):
        return None
    result = list(data)
    for start, end, axis, step in zip(starts.elements, ends.elements, axes, steps, strict=True):
        if not isinstance(axis, int) or not -len(data) <= axis < len(data):
            return None
        result[axis] = _cut(data[axis], start, end, step)
    return tuple(result)


def _told(inputs: Sequence[Fact], index: int, default: list[int]) -> Sequence[Element] | None:
    if index >= len(inputs) or inputs[index] is MISSING:
        return default
    found = _list(inputs, index)
    return None if found is None else found.elements


_FAR: Final = (1 << 31) - 1


def _cut(size: Dim, start: Element, end: Element, step: Element) -> Dim:
    """Return how long a slice is; ``Any`` where that depends on more than is known."""
    if (
        isinstance(size, int)
        and isinstance(start, int)
        and isinstance(end, int)
        and isinstance(step, int)
        and step != 0
    ):
        stop = None if step < 0 and end <= -_FAR else end
        return len(range(size)[start:stop:step])
    whole = end is size or (isinstance(end, int) and end >= _FAR)
    if start == 0 and step == 1 and whole:
        return size
    turned = start == -1 and step == -1 and isinstance(end, int) and end <= -_FAR
    return size if turned else ANY


def _pad(sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data, pads = _shape_of(inputs[0]), _list(inputs, 1)
    if data is None or pads is None:
        return None
    axes = _told(inputs, 3, list(range(len(data))))
    if axes is None or len(pads.elements) != 2 * len(axes):
        return None
    result = list(data)
    for index, axis in enumerate(axes):
        if not isinstance(axis, int) or not -len(data) <= axis < len(data):
            return None
        before, after = pads.elements[index], pads.elements[index + len(axes)]
        added = None if before is None or after is None else sizes.sum([before, after])
        result[axis] = ANY if added is None else as_size(sizes.sum([data[axis], added]))
    return tuple(result)


def _resize(_sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data, target = _shape_of(inputs[0]), _list(inputs, 3)
    if data is None or target is None:
        return None
    if _read(attrs, "keep_aspect_ratio_policy", "stretch") != "stretch":
        return None
    axes = _read(attrs, "axes", tuple(range(len(data))))
    if len(axes) != len(target.elements):
        return None
    result = list(data)
    for axis, size in zip(axes, target.elements, strict=True):
        if not -len(data) <= axis < len(data):
            return None
        result[axis] = as_size(size)
    return tuple(result)


def _flatten(sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data = _shape_of(inputs[0])
    if data is None:
        return None
    axis = int(_read(attrs, "axis", 1))
    axis += len(data) if axis < 0 else 0
    if not 0 <= axis <= len(data):
        return None
    return as_size(sizes.product(data[:axis])), as_size(sizes.product(data[axis:]))


def _top(_sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact], _ty: Type) -> Shape | None:
    data, count = _shape_of(inputs[0]), _list(inputs, 1)
    if data is None or count is None or len(count.elements) != 1:
        return None
    axis = int(_read(attrs, "axis", -1))
    if not -len(data) <= axis < len(data):
        return None
    result = list(data)
    result[axis] = as_size(count.elements[0])
    return tuple(result)


_RULES: Final[dict[str, Rule]] = {
    "Reshape": _reshape,
    "Expand": _expand,
    "ConstantOfShape": _filled,
    "Range": _range,
    "Tile": _tile,
    "Concat": _concat,
    "Slice": _slice,
    "Pad": _pad,
    "Resize": _resize,
    "Flatten": _flatten,
    "TopK": _top,
}
