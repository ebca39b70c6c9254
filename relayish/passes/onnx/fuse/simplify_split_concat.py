"""Split and concatenation, one undoing the other.

Before::

    let %t = Split_13(%x, axis=1, _outputs=2);
    let %a = %t.0;
    let %b = %t.1;
    let %y = Concat_13(%a, %b, axis=1);

After::

    %x in place of %y
"""

from __future__ import annotations

from typing import Any, Final

from relayish.ir.relay.expr import Call, Expr, Tuple, TupleGetItem
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import count_outputs, inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import integers, normalize_axes
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule


@register_pass("SimplifySplitConcat", opt_level=1, idempotent=True)
def simplify_split_concat(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Remove ``Concat`` of all that ``Split`` gave, and ``Split`` of what ``Concat`` put together.

    ``Concat`` of neighbouring ``Slice`` that together are the whole value is removed as well.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and their operands.
    """
    return rewrite_function(func, RULES, mod)


@rule("Concat")
def join_split(call: Call, graph: Rewriter) -> Expr | None:
    """Return the value whose parts, all of them and in order, are put together."""
    parts = inputs_of(call)
    whole: Expr | None = None
    for place, part in enumerate(parts):
        found = graph.definition(part)
        if type(found) is not TupleGetItem or found.index != place:
            return _join_slices(call, parts, graph)
        if whole is not None and found.tuple_value is not whole:
            return None
        whole = found.tuple_value
    split = None if whole is None else graph.producer(whole, "Split")
    if split is None or count_outputs(split.attrs) != len(parts):
        return None
    source = inputs_of(split)[0]
    return source if _same_axis(call, split, graph.rank_of(source), graph) else None


def _same_axis(concat: Call, other: Call, rank: int | None, graph: Rewriter) -> bool:
    axes = [graph.attribute(concat, "axis", 1), graph.attribute(other, "axis", 0)]
    normal = normalize_axes(axes, rank) or axes
    return bool(normal[0] == normal[1])


def _join_slices(call: Call, parts: tuple[Expr, ...], graph: Rewriter) -> Expr | None:
    source: Expr | None = None
    size: Any = None  # Any: a dimension
    next_start = 0
    for part in parts:
        cut = graph.producer(part, "Slice")
        if cut is None or (source is not None and inputs_of(cut)[0] is not source):
            return None
        source = inputs_of(cut)[0]
        shape = graph.shape_of(source)
        axes = [graph.attribute(call, "axis", 1)]
        axis = None if shape is None else normalize_axes(axes, len(shape))
        if shape is None or axis is None or type(shape[axis[0]]) is not int:
            return None
        size = shape[axis[0]]
        found = _range_of(cut, axis[0], size, len(shape), graph)
        if found is None or found[0] != next_start:
            return None
        next_start = found[1]
    return source if source is not None and next_start == size else None


def _range_of(
    cut: Call, axis: int, size: int, rank: int, graph: Rewriter
) -> tuple[int, int] | None:
    """Return which places along ``axis``, and nothing else, a slice takes."""
    starts, ends = integers(cut, "starts", 1, graph), integers(cut, "ends", 2, graph)
    if starts is None or ends is None or len(starts) != 1:
        return None
    axes: list[int] | None = [0]
    if is_given(inputs_of(cut), 3) or graph.attribute(cut, "axes") is not None:
        axes = integers(cut, "axes", 3, graph)
    if is_given(inputs_of(cut), 4) and integers(cut, "steps", 4, graph) != [1]:
        return None
    if axes is None or normalize_axes(axes, rank) != [axis]:
        return None
    start, end, _ = slice(starts[0], ends[0]).indices(size)
    return (start, end) if start < end else None


@rule("Split")
def split_joined(call: Call, graph: Rewriter) -> Expr | None:
    """Return the values that were put together, where they are split into these again."""
    concat = graph.producer(inputs_of(call)[0], "Concat")
    if concat is None or len(inputs_of(concat)) != count_outputs(call.attrs):
        return None
    rank = graph.rank_of(inputs_of(concat)[0])
    axes = [graph.attribute(call, "axis", 0), graph.attribute(concat, "axis", 1)]
    normal = normalize_axes(axes, rank)
    if normal is None or normal[0] != normal[1] or len(inputs_of(concat)) < 2:
        return None
    sizes = []
    for part in inputs_of(concat):
        shape = graph.shape_of(part)
        if shape is None or type(shape[normal[0]]) is not int:
            return None
        sizes.append(shape[normal[0]])
    if is_given(inputs_of(call), 1) or graph.attribute(call, "split") is not None:
        if integers(call, "split", 1, graph) != sizes:
            return None
    elif len(set(sizes)) != 1:
        return None
    return Tuple(inputs_of(concat))


RULES: Final = OnnxRules((join_split, split_joined))
