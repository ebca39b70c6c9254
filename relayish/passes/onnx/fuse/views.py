"""Views: calls that only arrange the elements of a value, looked through by constants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from relayish.ir.nodes.span import name_of_span
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.type import SizeVar
from relayish.onnx.calls import inputs_of, with_parts
from relayish.passes.onnx.fuse.affine import FloatArray, ScaleShift, read_affine, round_to
from relayish.passes.onnx.rewrite.engine import Rewriter

VIEWS: Final = ("Transpose", "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Identity")
"""Operators whose results have the elements of their first inputs."""


class Step(NamedTuple):
    """A call between a value and what gives it.

    Attributes:
        call: A call of a view, or of ``Add``.
        addend: What ``Add`` is to add from now on.
    """

    call: Call
    addend: Expr | None


def look_through(
    expr: Expr, affine: ScaleShift, graph: Rewriter, operators: Sequence[str]
) -> tuple[list[Step], Call, ScaleShift] | None:
    """Find what gives ``expr``, of some operators, behind views that nothing else uses.

    What is added on the way is scaled and shifted in its place.

    Args:
        expr: A value that is scaled and shifted.
        affine: By what.
        graph: Where the value is.
        operators: Which operators to look for.

    Returns:
        The calls between, the last first; the call; and what scales and shifts its result. ``None``
        if there is no such call, if other calls need the values as they are, or if the numbers of
        ``affine`` cannot be arranged as the elements are before a view.
    """
    steps: list[Step] = []
    while graph.is_used_once(expr):
        found = graph.producer(expr, *operators)
        if found is not None:
            return steps, found, affine
        call = graph.producer(expr, "Add", *VIEWS)
        if call is None:
            return None
        addend = None
        if graph.operator(call) == "Add":
            sums = _add_behind(call, affine, graph)
            if sums is None:
                return None
            addend, affine = sums
        else:
            arranged = _before(call, expr, affine, graph)
            if arranged is None:
                return None
            affine = arranged
        steps.append(Step(call, addend))
        expr = affine.source
    return None


def repeat(steps: Sequence[Step], value: Call, graph: Rewriter) -> Call:
    """Return the first of ``steps``, which the last is in front of, with ``value`` before them."""
    for step in reversed(steps):
        var = graph.emit(_name_of(value, graph), value)
        others = inputs_of(step.call)[1:] if step.addend is None else (step.addend,)
        value = with_parts(step.call, inputs=(var, *others))
    return value


def _name_of(call: Call, graph: Rewriter) -> str:
    return name_of_span(call.span) or (graph.operator(call) or "value").lower()


def _add_behind(call: Call, affine: ScaleShift, graph: Rewriter) -> tuple[Expr, ScaleShift] | None:
    """Return what is to be added behind a value that is only scaled, and that scaling."""
    inner = read_affine(call, graph)
    if inner is None or inner.scale is not None or inner.shift is None or affine.scale is None:
        return None
    number = inner.shift * affine.scale
    number = number if affine.shift is None else number + affine.shift
    if number.size > max(inner.shift.size, affine.scale.size):
        return None
    held = next(each for each in map(graph.constant, inputs_of(call)) if each is not None)
    rounded = round_to(number, held)
    if rounded is None:
        return None
    return graph.emit("bias", Constant(rounded)), ScaleShift(inner.source, affine.scale, None)


def _before(view: Call, result: Expr, affine: ScaleShift, graph: Rewriter) -> ScaleShift | None:
    """Return the numbers of ``affine`` as they apply to the input of a view."""
    source = inputs_of(view)[0]
    scale = None if affine.scale is None else _arrange(view, result, affine.scale, graph)
    shift = None if affine.shift is None else _arrange(view, result, affine.shift, graph)
    if (scale is None) != (affine.scale is None) or (shift is None) != (affine.shift is None):
        return None
    return ScaleShift(source, scale, shift)


def _arrange(view: Call, result: Expr, array: FloatArray, graph: Rewriter) -> FloatArray | None:
    """Return numbers that broadcast to the result of a view as they do to its input."""
    if array.ndim == 0 or graph.operator(view) == "Identity":
        return array
    before, after = graph.shape_of(inputs_of(view)[0]), graph.shape_of(result)
    if before is None or after is None or array.ndim > len(after):
        return None
    shape = (1,) * (len(after) - array.ndim) + array.shape
    if graph.operator(view) == "Transpose":
        perm = graph.attribute(view, "perm") or tuple(range(len(after)))[::-1]
        return array.reshape(shape).transpose([perm.index(axis) for axis in range(len(before))])
    axes = [axis for axis, dim in enumerate(shape) if dim != 1]
    if not axes:
        return array.reshape(())
    if len(axes) > 1 or after[axes[0]] != shape[axes[0]]:
        return None
    place = _same_axis(before, after, axes[0])
    return None if place is None else array.reshape(-1, *(1,) * (len(before) - place - 1))


def _same_axis(
    before: tuple[Any, ...],  # Any: dimensions, of several kinds
    after: tuple[Any, ...],  # Any: as above
    axis: int,
) -> int | None:
    """Return the axis before a view that is ``axis`` behind it, if one surely is.

    Elements are in the same order before and behind. So an axis is another one if there are as many
    elements to each of its places, and to all of them.
    """
    for place, dim in enumerate(before):
        if type(dim) is int and dim == after[axis]:
            inside = is_same_size(before[place + 1 :], after[axis + 1 :])
            if inside or is_same_size(before[:place], after[:axis]):
                return place
    return None


def is_same_size(
    some: Sequence[Any],  # Any: dimensions, of several kinds
    others: Sequence[Any],  # Any: as above
) -> bool:
    """Return whether dimensions surely multiply to the same."""
    names = [dim for dim in some if type(dim) is not int]
    left = [dim for dim in others if type(dim) is not int]
    for name in names:
        if type(name) is not SizeVar or name not in left:
            return False
        left.remove(name)
    if left:
        return False
    return math.prod([dim for dim in some if type(dim) is int]) == math.prod(
        [dim for dim in others if type(dim) is int]
    )
