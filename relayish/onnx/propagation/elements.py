"""Operators on tensors of which some elements are known: arithmetic, comparisons, choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.type import PrimOp, SizeVar, TensorType
from relayish.onnx.element_types import ELEMENT_TYPES
from relayish.onnx.propagation.fact import (
    LARGEST_PARTIAL,
    Element,
    Fact,
    Partial,
    count_elements,
    elements_of_shape,
)
from relayish.onnx.propagation.sizes import Sizes
from relayish.op.types import dimension

Rule: TypeAlias = Callable[[Sizes, Attrs | None, Sequence[Fact]], Partial | None]


def apply_to_elements(
    name: str, sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact]
) -> Partial | None:
    """Return the elements of the result of an operator, ``None`` where nothing is known of them.

    Args:
        name: An operator of ONNX's own.
        sizes: Makes expressions of dimensions.
        attrs: The attributes of the call.
        inputs: What is known of the inputs.
    """
    rule = _RULES.get(name)
    return None if rule is None else rule(sizes, attrs, inputs)


def _read(attrs: Attrs | None, name: str, default: Any) -> Any:  # Any: attributes are of any class
    return default if attrs is None else attrs.get(name, default)


def _shape(_sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
    found = elements_of_shape(inputs[0].type)
    if found is None:
        return None
    elements = found.elements[_read(attrs, "start", 0) : _read(attrs, "end", None)]
    return Partial((len(elements),), elements)


def _size(sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
    ty = inputs[0].type
    return Partial((), (sizes.product(ty.shape),)) if isinstance(ty, TensorType) else None


def _same(_sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
    return inputs[0].partial


def _cast(_sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
    found = inputs[0].partial
    if found is None:
        return None
    target = ELEMENT_TYPES.get(_read(attrs, "to", 0), "")
    if target == "bool":
        return Partial(found.shape, tuple([_is_true(each) for each in found.elements]))
    if target not in {"int64", "int32"}:  # sizes may not fit into others
        return None
    limit = np.iinfo(target)
    kept = [
        None if isinstance(each, int) and not limit.min <= each <= limit.max else each
        for each in found.elements
    ]
    return Partial(found.shape, tuple(kept))


def _is_true(each: Element) -> Element:
    return int(each != 0) if isinstance(each, int) else None


def _pairwise(
    compute: Callable[[Sizes, Element, Element], Element], *, folds: bool = False
) -> Rule:
    """Return the rule of an operator on pairs of elements; ``folds`` if it takes any number."""

    def rule(sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
        found = [each.partial for each in inputs]
        if not folds and len(found) != 2:
            return None
        return reduce(lambda one, other: _pair(sizes, compute, one, other), found)

    return rule


def _pair(
    sizes: Sizes,
    compute: Callable[[Sizes, Element, Element], Element],
    one: Partial | None,
    other: Partial | None,
) -> Partial | None:
    if one is None or other is None:
        return None
    aligned = broadcast([one, other])
    if aligned is None:
        return None
    shape, (left, right) = aligned
    pairs = zip(left, right, strict=True)
    return Partial(shape, tuple([compute(sizes, a, b) for a, b in pairs]))


def broadcast(
    parts: Sequence[Partial],
) -> tuple[tuple[int, ...], list[list[Element]]] | None:
    """Return the elements of tensors as they meet; ``None`` if they do not, or are too many."""
    try:
        shape = np.broadcast_shapes(*[each.shape for each in parts])
    except ValueError:  # which is a contradiction, and told where types are inferred
        return None
    if count_elements(shape) > LARGEST_PARTIAL:
        return None
    found: list[list[Element]] = []
    for part in parts:
        places = np.broadcast_to(np.arange(len(part.elements)).reshape(part.shape), shape)
        found.append([part.elements[i] for i in places.reshape(-1).tolist()])
    return shape, found


def _add(sizes: Sizes, a: Element, b: Element) -> Element:
    return None if a is None or b is None else sizes.keep(dimension.add(a, b))


def _subtract(sizes: Sizes, a: Element, b: Element) -> Element:
    return None if a is None or b is None else sizes.keep(dimension.subtract(a, b))


def _multiply(sizes: Sizes, a: Element, b: Element) -> Element:
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else sizes.keep(dimension.multiply(a, b))


def _divide(sizes: Sizes, a: Element, b: Element) -> Element:
    if isinstance(a, int) and isinstance(b, int):
        return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if b == 1:
        return a
    if a is None or not isinstance(b, int) or b <= 0 or not is_nonnegative(a):
        return None  # rounding goes towards zero
    return sizes.keep(dimension.floor_divide(a, b))


def _modulo(sizes: Sizes, a: Element, b: Element) -> Element:
    if isinstance(a, int) and isinstance(b, int):
        return None if b == 0 else a % b
    if b == 1:
        return 0
    if a is None or not isinstance(b, int) or b <= 0 or not is_nonnegative(a):
        return None
    return sizes.keep(dimension.floor_mod(a, b))


def is_nonnegative(size: Element) -> bool:
    """Return whether an element cannot be negative, as far as a look at it tells."""
    if isinstance(size, int):
        return size >= 0
    if isinstance(size, PrimOp) and size.name in {"tir.Add", "tir.Mul", "tir.FloorDiv"}:
        return all(is_nonnegative(each) for each in size.args)
    return isinstance(size, SizeVar)


def _least(_sizes: Sizes, a: Element, b: Element) -> Element:
    return _extreme(a, b, min)


def _greatest(_sizes: Sizes, a: Element, b: Element) -> Element:
    return _extreme(a, b, max)


def _extreme(a: Element, b: Element, pick: Callable[[int, int], int]) -> Element:
    if isinstance(a, int) and isinstance(b, int):
        return pick(a, b)
    if a is b:
        return a
    for size, number in ((a, b), (b, a)):
        if is_nonnegative(size) and isinstance(number, int) and number <= 0:
            return size if pick is max else number
    return None


def _equal(_sizes: Sizes, a: Element, b: Element) -> Element:
    if a is None or b is None:
        return None
    known = dimension.compare(a, b)
    if known is None and _is_less(a, b) is not True and _is_less(b, a) is not True:
        return None
    return int(bool(known))


def _is_less(a: Element, b: Element) -> bool | None:
    """Return whether ``a < b``, ``None`` if that cannot be told."""
    if isinstance(a, int) and isinstance(b, int):
        return a < b
    if a is None or b is None:
        return None
    if isinstance(a, int) and a < 0 and is_nonnegative(b):
        return True
    if isinstance(b, int) and b <= 0 and is_nonnegative(a):
        return False
    return False if dimension.compare(a, b) is True else None


def _comparison(compare: Callable[[Element, Element], bool | None]) -> Rule:
    def compute(_sizes: Sizes, a: Element, b: Element) -> Element:
        known = compare(a, b)
        return None if known is None else int(known)

    return _pairwise(compute)


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


def _and(_sizes: Sizes, a: Element, b: Element) -> Element:
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else 1


def _or(_sizes: Sizes, a: Element, b: Element) -> Element:
    if any(isinstance(each, int) and each for each in (a, b)):
        return 1
    return None if a is None or b is None else 0


def _each(compute: Callable[[Sizes, Element], Element]) -> Rule:
    def rule(sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
        found = inputs[0].partial
        if found is None:
            return None
        return Partial(found.shape, tuple([compute(sizes, each) for each in found.elements]))

    return rule


def _negate(sizes: Sizes, a: Element) -> Element:
    return _multiply(sizes, a, -1)


def _absolute(_sizes: Sizes, a: Element) -> Element:
    if isinstance(a, int):
        return abs(a)
    return a if is_nonnegative(a) else None


def _invert(_sizes: Sizes, a: Element) -> Element:
    return int(not a) if isinstance(a, int) else None


def _where(_sizes: Sizes, _attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
    condition, left, right = [each.partial for each in inputs]
    if left is None or right is None:
        if condition is None or None in condition.elements:
            return None
        nothing = Partial((), (None,))
        left, right = left or nothing, right or nothing
        if not isinstance(inputs[1].type, TensorType) or not isinstance(inputs[2].type, TensorType):
            return None
        shapes = [ty.shape for ty in (inputs[1].type, inputs[2].type)]
        if any(type(size) is not int for shape in shapes for size in shape):
            return None
        left = _of_shape(left, inputs[1].type)
        right = _of_shape(right, inputs[2].type)
        if left is None or right is None:
            return None
    if condition is None:
        ty = inputs[0].type
        if not isinstance(ty, TensorType) or any(type(size) is not int for size in ty.shape):
            return None
        condition = _of_shape(Partial((), (None,)), ty)
        if condition is None:
            return None
    aligned = broadcast([condition, left, right])
    if aligned is None:
        return None
    shape, columns = aligned
    rows = zip(*columns, strict=True)
    return Partial(shape, tuple([_choose(c, a, b) for c, a, b in rows]))


def _of_shape(part: Partial, ty: TensorType) -> Partial | None:
    """Return a tensor of which nothing may be known, with the shape of its type."""
    shape = tuple([size for size in ty.shape if isinstance(size, int)])
    if part.shape == shape:
        return part
    count = count_elements(shape)
    return Partial(shape, (None,) * count) if count <= LARGEST_PARTIAL else None


def _choose(condition: Element, a: Element, b: Element) -> Element:
    if isinstance(condition, int):
        return a if condition else b
    return a if a == b else None


def _reduction(combine: Callable[[Sizes, Element, Element], Element], start: int | None) -> Rule:
    """Return the rule of a reduction of all elements."""

    def rule(sizes: Sizes, attrs: Attrs | None, inputs: Sequence[Fact]) -> Partial | None:
        found = inputs[0].partial
        if found is None or len(found.shape) != 1 or (not found.elements and start is None):
            return None
        axes = _axes(attrs, inputs)
        if axes is None or not set(axes) <= {0, -1}:
            return None
        if not axes and _read(attrs, "noop_with_empty_axes", 0):
            return found
        first = start if not found.elements else None
        total = (
            first
            if first is not None
            else reduce(lambda one, other: combine(sizes, one, other), found.elements)
        )
        shape = (1,) if _read(attrs, "keepdims", 1) else ()
        return Partial(shape, (total,))

    return rule


def _axes(attrs: Attrs | None, inputs: Sequence[Fact]) -> tuple[int, ...] | None:
    """Return the axes a reduction is told, ``None`` where they are not known."""
    if len(inputs) > 1 and inputs[1].fields is None:
        value = inputs[1].value
        return None if value is None else tuple(value.reshape(-1).tolist())
    told: tuple[int, ...] = _read(attrs, "axes", ())
    return tuple(told)


_RULES: Final[dict[str, Rule]] = {
    "Shape": _shape,
    "Size": _size,
    "Identity": _same,
    "Cast": _cast,
    "Add": _pairwise(_add),
    "Sub": _pairwise(_subtract),
    "Mul": _pairwise(_multiply),
    "Div": _pairwise(_divide),
    "Mod": _pairwise(_modulo),
    "Sum": _pairwise(_add, folds=True),
    "Min": _pairwise(_least, folds=True),
    "Max": _pairwise(_greatest, folds=True),
    "Neg": _each(_negate),
    "Abs": _each(_absolute),
    "Equal": _pairwise(_equal),
    "Less": _comparison(_is_less),
    "Greater": _comparison(lambda a, b: _is_less(b, a)),
    "LessOrEqual": _comparison(lambda a, b: _not(_is_less(b, a))),
    "GreaterOrEqual": _comparison(lambda a, b: _not(_is_less(a, b))),
    "Not": _each(_invert),
    "And": _pairwise(_and),
    "Or": _pairwise(_or),
    "Where": _where,
    "ReduceSum": _reduction(_add, 0),
    "ReduceProd": _reduction(_multiply, 1),
    "ReduceMin": _reduction(_least, None),
    "ReduceMax": _reduction(_greatest, None),
}
