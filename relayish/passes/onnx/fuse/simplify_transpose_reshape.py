"""Transposes that move no element, as reshapes.

Before::

    let %y = Transpose_13(%x, perm=[0, 2, 1, 3]);    // %x: Tensor[(20, 2, 1, 48), float32]
    let %z = Reshape_14(%y, [20, 1, 96]);

After::

    let %z = Reshape_14(%x, [20, 1, 96]);
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.views import VIEWS
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule


@register_pass("SimplifyTransposeReshape", opt_level=1, idempotent=True)
def simplify_transpose_reshape(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Make one ``Reshape`` of a reshape and a transpose that only moves dimensions of one element.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


@rule("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def reshape_transposed(call: Call, graph: Rewriter) -> Call | None:
    """Return the reshape of what a transpose is of, that moves no element."""
    value = inputs_of(call)[0]
    transpose = graph.producer(value, "Transpose")
    if transpose is None or not graph.is_used_once(value) or not _moves_nothing(transpose, graph):
        return None
    return _reshape(inputs_of(transpose)[0], call, graph)


@rule("Transpose")
def transpose_reshaped(call: Call, graph: Rewriter) -> Call | None:
    """Return one reshape for a reshape that is transposed, moving no element."""
    value = inputs_of(call)[0]
    reshape = graph.producer(value, *_RESHAPES)
    if reshape is None or not graph.is_used_once(value) or not _moves_nothing(call, graph):
        return None
    return _reshape(inputs_of(reshape)[0], call, graph)


def _reshape(source: Expr, call: Call, graph: Rewriter) -> Call | None:
    """Return ``source`` in the shape that the current variable has."""
    shape = graph.shape_of(graph.current)
    if shape is None or graph.function_opset < 5:
        return None
    target = as_target(shape)
    if target is None:
        return None
    return graph.call("Reshape", (source, graph.emit_constant("shape", target)), like=call)


def as_target(shape: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.int64]] | None:
    """Return a shape as ``Reshape`` takes it; ``None`` if more than one size is not known.

    Any: dimensions, of several kinds; the shape of an array.
    """
    sizes = [dim if type(dim) is int else -1 for dim in shape]
    if sizes.count(-1) > 1 or 0 in sizes:
        return None
    return np.asarray(sizes, np.int64)


def _moves_nothing(transpose: Call, graph: Rewriter) -> bool:
    """Return whether the dimensions of more than one element stay in their order."""
    shape = graph.shape_of(inputs_of(transpose)[0])
    if shape is None:
        return False
    perm = graph.attribute(transpose, "perm") or tuple(range(len(shape)))[::-1]
    large = [axis for axis in perm if shape[axis] != 1]
    return large == sorted(large)


_RESHAPES: Final = tuple([name for name in VIEWS if name not in ("Transpose", "Identity")])

RULES: Final = OnnxRules((reshape_transposed, transpose_reshaped))
