"""Changes of shape alone: two in a row are one, and what computes a known shape is a constant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.onnx.calls import inputs_of
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import (
    Shape,
    axes_of,
    input_of,
    integers_of,
    is_same_dimension,
    is_same_number_of_elements,
    is_same_shape,
    is_view_transpose,
    reshape_target,
)

_VIEWS = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")


@rule("Reshape")
def fold_reshape_target(call: Call, graph: Rewriter) -> Expr | None:
    """Tell ``Reshape`` its shape as a constant, where types tell what it is."""
    if len(inputs_of(call)) < 2 or graph.constant(call.args[1]) is not None:
        return None
    target = reshape_target(graph.shape_of(call.args[0]), graph.shape_of(graph.current))
    return None if target is None else make_reshape(call, graph, call.args[0], target)


@rule("Expand")
def fold_expand_target(call: Call, graph: Rewriter) -> Expr | None:
    """Tell ``Expand`` its shape as a constant: 1 where the dimension stays what it is."""
    if graph.constant(call.args[1]) is not None:
        return None
    before, after = graph.shape_of(call.args[0]), graph.shape_of(graph.current)
    if before is None or after is None:
        return None
    target: list[int] = []
    offset = len(after) - len(before)
    for place, size in enumerate(after):
        if isinstance(size, int):
            target.append(size)
        elif place >= offset and is_same_dimension(before[place - offset], size):
            target.append(1)
        else:
            return None
    shape = graph.emit_constant("shape", np.array(target, np.int64))
    return graph.call("Expand", [call.args[0], shape], like=call)


@rule(*_VIEWS)
def merge_views(call: Call, graph: Rewriter) -> Expr | None:
    """Reshape what was reshaped from there, at once.

    ``Reshape(Reshape(x))`` always; of the others, where the inner one has no other use.
    """
    data = call.args[0]
    inner = _producer_of_view(graph, data)
    if inner is None:
        return None
    source = inner.args[0]
    before, after = graph.shape_of(source), graph.shape_of(graph.current)
    if is_same_shape(before, after):
        return source
    if graph.operator(call) != "Reshape" and not graph.is_used_once(data):
        return None
    target = reshape_target(before, after)
    if target is None:
        target = _target_without_types(call, graph)
    return None if target is None else make_reshape(call, graph, source, target)


def _producer_of_view(graph: Rewriter, data: Expr) -> Call | None:
    inner = graph.producer(data, *_VIEWS, "Transpose")
    if inner is None:
        return None
    if graph.operator(inner) == "Transpose":
        shape = graph.shape_of(inner.args[0])
        perm = graph.attribute(inner, "perm")
        if shape is None or perm is None or not is_view_transpose(perm, shape):
            return None
    return inner


def _target_without_types(call: Call, graph: Rewriter) -> tuple[int, ...] | None:
    """Return the target of the outer call where it does not depend on what the inner one gives."""
    if graph.operator(call) == "Flatten":
        return (1, -1) if graph.attribute(call, "axis", 1) == 0 else None
    if graph.operator(call) != "Reshape":
        return None
    sizes = _told_shape(call, graph)
    return None if sizes is None or 0 in sizes else sizes


def _told_shape(call: Call, graph: Rewriter) -> tuple[int, ...] | None:
    held = graph.attribute(call, "shape")
    return held if isinstance(held, tuple) else integers_of(graph, input_of(call, 1))


def make_reshape(call: Call, graph: Rewriter, data: Expr, target: Sequence[int]) -> Call:
    """Return a reshape of ``data`` in place of ``call``."""
    if graph.function_opset and graph.function_opset < 5:
        return graph.call("Reshape", [data], {"shape": tuple(target)}, like=call)
    shape = graph.emit_constant("shape", np.array(target, np.int64))
    after = graph.shape_of(graph.current)
    is_empty = 0 in target and after is not None and any(size == 0 for size in after)
    if is_empty and graph.function_opset >= 14:
        return graph.call("Reshape", [data, shape], {"allowzero": 1}, like=call)
    return graph.call("Reshape", [data, shape], like=call)


@rule("Squeeze", "Unsqueeze")
def merge_squeezes(call: Call, graph: Rewriter) -> Expr | None:
    """``Squeeze(Unsqueeze(x))`` of the same axes is ``x``, and two of a kind are one."""
    name = graph.operator(call)
    inner = graph.producer(call.args[0], "Squeeze", "Unsqueeze")
    if inner is None or name is None:
        return None
    outer_axes, inner_axes = axes_of(graph, call), axes_of(graph, inner)
    if not outer_axes or not inner_axes:
        return None
    if graph.operator(inner) != name:
        is_inverse = sorted(outer_axes) == sorted(inner_axes)
        return inner.args[0] if is_inverse else None
    if min(*outer_axes, *inner_axes) < 0 or not graph.is_used_once(call.args[0]):
        return None
    if name == "Unsqueeze":
        axes = _place_axes(inner_axes, outer_axes)
    else:
        axes = _place_axes(outer_axes, inner_axes)
    return _squeeze(call, graph, name, inner.args[0], axes)


def _place_axes(inner: Sequence[int], outer: Sequence[int]) -> tuple[int, ...]:
    """Return where dimensions ``inner`` are once ``outer`` are put in, and these."""
    free = [axis for axis in range(max(*inner, *outer) + len(outer) + 1) if axis not in outer]
    return tuple(sorted([*outer, *[free[axis] for axis in inner]]))


def _squeeze(call: Call, graph: Rewriter, name: str, data: Expr, axes: tuple[int, ...]) -> Call:
    if graph.attribute(call, "axes") is not None:
        return graph.call(name, [data], {"axes": axes}, like=call)
    given = graph.emit_constant("axes", np.array(axes, np.int64))
    return graph.call(name, [data, given], like=call)


@rule("Transpose")
def merge_transposes(call: Call, graph: Rewriter) -> Expr | None:
    """``Transpose(Transpose(x))`` is one transposition, or ``x``."""
    inner = graph.producer(call.args[0], "Transpose")
    if inner is None:
        return None
    outer_perm, inner_perm = graph.attribute(call, "perm"), graph.attribute(inner, "perm")
    if outer_perm is None and inner_perm is None:
        return inner.args[0]
    rank = len(outer_perm or inner_perm)
    reverse = tuple(range(rank))[::-1]
    outer_perm, inner_perm = outer_perm or reverse, inner_perm or reverse
    if len(outer_perm) != len(inner_perm):
        return None
    perm = tuple([inner_perm[axis] for axis in outer_perm])
    if list(perm) == sorted(perm):
        return inner.args[0]
    return graph.call("Transpose", [inner.args[0]], {"perm": perm}, like=call)


@rule("Reshape")
def swap_view_of_expanded(call: Call, graph: Rewriter) -> Expr | None:
    """``Reshape`` of what ``Expand`` left as it was, seen from its source."""
    inner = graph.producer(call.args[0], "Expand")
    if inner is None:
        return None
    before, after = graph.shape_of(inner.args[0]), graph.shape_of(call.args[0])
    if before is None or after is None or not is_same_number_of_elements(before, after):
        return None
    target = reshape_target(before, graph.shape_of(graph.current))
    return None if target is None else make_reshape(call, graph, inner.args[0], target)


@rule("Expand")
def reshape_instead_of_expand(call: Call, graph: Rewriter) -> Expr | None:
    """``Expand`` that adds dimensions of one element only is no more than a ``Reshape``."""
    before, after = graph.shape_of(call.args[0]), graph.shape_of(graph.current)
    if before is None or after is None or not _adds_units(before, after):
        return None
    target = reshape_target(before, after)
    if target is None or is_same_shape(before, after):
        return None
    return make_reshape(call, graph, call.args[0], target)


def _adds_units(before: Shape, after: Shape) -> bool:
    added = len(after) - len(before)
    return all(size == 1 for size in after[:added]) and is_same_shape(before, after[added:])


RULES = (
    fold_reshape_target, fold_expand_target, merge_squeezes, merge_views, merge_transposes,
    swap_view_of_expanded, reshape_instead_of_expand,
)  # fmt: skip
