"""Pad folding: let convolutions and pooling pad for themselves.

Before::

    let %p = Pad_13(%x, [0, 0, 1, 1, 0, 0, 1, 1]);
    let %y = Conv_11(%p, %W, pads=[0, 0, 0, 0]);

After::

    let %y = Conv_11(%x, %W, pads=[1, 1, 1, 1]);
"""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import count_outputs, inputs_of, with_parts
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import integers, normalize_axes, operand
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule


@register_pass("FusePad", opt_level=1, idempotent=True)
def fuse_pad(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Pad folding: let convolutions and pooling pad for themselves.

    ``Conv`` pads by zeros, and so does ``AveragePool`` if it counts what it pads
    (``count_include_pad``); ``MaxPool`` by what is smaller than all numbers, and behind ``Relu``
    zeros do as well. So a ``Pad`` by such a number along the axes of space goes into the pads of
    the one operator that uses it. Pools take no more than their kernels cover.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


@rule("Conv")
def pad_convolution(call: Call, graph: Rewriter) -> Call | None:
    """Return a convolution that pads its input by zeros, which ``Pad`` did."""
    pad = _find_pad(call, graph)
    if pad is None or _pad_value(pad, graph) != 0:
        return None
    amounts = _amounts(pad, graph)
    return None if amounts is None else _with_pads(call, pad, amounts, graph)


@rule("MaxPool")
def pad_max_pool(call: Call, graph: Rewriter) -> Call | None:
    """Return a pooling that pads its input by what ``Pad`` did, or smaller numbers."""
    pad = _find_pad(call, graph)
    if pad is None or count_outputs(call.attrs) != 1:
        return None
    value = _pad_value(pad, graph)
    is_least = value == _least(pad, graph)
    if not is_least and not (value == 0 and graph.producer(inputs_of(pad)[0], "Relu")):
        return None
    amounts = _amounts(pad, graph)
    if amounts is None or not _is_covered(call, amounts, graph):
        return None
    if graph.attribute(call, "ceil_mode", 0) and not is_least:
        return None
    return _with_pads(call, pad, amounts, graph)


@rule("AveragePool")
def pad_average_pool(call: Call, graph: Rewriter) -> Call | None:
    """Return a pooling that pads its input by zeros, and counts them, as ``Pad`` did."""
    pad = _find_pad(call, graph)
    if pad is None or graph.version(call) < 7 or graph.attribute(call, "ceil_mode", 0):
        return None
    counts = graph.attribute(call, "count_include_pad", 0)
    if not counts and any(graph.attribute(call, "pads") or ()):
        return None
    amounts = _amounts(pad, graph)
    if amounts is None or _pad_value(pad, graph) != 0 or not _is_covered(call, amounts, graph):
        return None
    padded = _with_pads(call, pad, amounts, graph)
    assert isinstance(padded.attrs, DictAttrs)
    return padded.with_fields(attrs=padded.attrs.with_values(count_include_pad=1))


def _find_pad(call: Call, graph: Rewriter) -> Call | None:
    """Return the ``Pad`` of the first input of a call that is the only one to use it."""
    value = inputs_of(call)[0]
    pad = graph.producer(value, "Pad")
    if pad is None or not graph.is_used_once(value):
        return None
    if graph.attribute(call, "auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        return None
    return pad if graph.attribute(pad, "mode", "constant") == "constant" else None


def _pad_value(pad: Call, graph: Rewriter) -> float | None:
    """Return the number that is padded with."""
    if graph.version(pad) < 11:
        value: float = graph.attribute(pad, "value", 0.0)
        return value
    if not is_given(inputs_of(pad), 2):
        return 0.0
    array = operand(pad, 2, graph)
    return None if array is None or array.size != 1 else float(array.reshape(()).item())


def _least(pad: Call, graph: Rewriter) -> float | None:
    """Return what no number of the element type is smaller than."""
    dtype = graph.dtype_of(inputs_of(pad)[0])
    if dtype in ("int8", "uint8"):
        return float(np.iinfo(dtype).min)
    return -np.inf


def _amounts(pad: Call, graph: Rewriter) -> list[int] | None:
    """Return by how much is padded along the axes of space: all before, then all behind.

    Returns:
        ``None`` if that is not known, if something is cut off, or other axes are padded.
    """
    name = "paddings" if graph.version(pad) < 2 else "pads"
    amounts = integers(pad, name, 1, graph)
    if amounts is None or min(amounts, default=0) < 0:
        return None
    count = len(amounts) // 2
    rank, axes = count, list(range(count))
    if is_given(inputs_of(pad), 3):
        known = graph.rank_of(inputs_of(pad)[0])
        array = operand(pad, 3, graph)
        if array is None or known is None:
            return None
        found = normalize_axes([int(axis) for axis in array], known)
        assert found is not None
        rank, axes = known, found
    full = [0] * (2 * rank)
    for place, axis in enumerate(axes):
        full[axis], full[rank + axis] = amounts[place], amounts[count + place]
    before, behind = full[:rank], full[rank:]
    if rank < 3 or any((*before[:2], *behind[:2])):
        return None
    return [*before[2:], *behind[2:]]


def _is_covered(call: Call, amounts: list[int], graph: Rewriter) -> bool:
    """Return whether the kernel is larger than all padding on either side would be."""
    kernel = graph.attribute(call, "kernel_shape")
    own = graph.attribute(call, "pads") or [0] * len(amounts)
    if kernel is None or len(own) != len(amounts):
        return False
    return all(a + b < size for a, b, size in zip(own, amounts, [*kernel, *kernel], strict=True))


def _with_pads(call: Call, pad: Call, amounts: list[int], graph: Rewriter) -> Call:
    own = graph.attribute(call, "pads") or [0] * len(amounts)
    pads = tuple([a + b for a, b in zip(own, amounts, strict=True)])
    attrs = dict(call.attrs.items()) if isinstance(call.attrs, DictAttrs) else {}
    attrs.pop("auto_pad", None)
    attrs["pads"] = pads
    made = with_parts(call, inputs=(inputs_of(pad)[0], *inputs_of(call)[1:]))
    return made.with_fields(attrs=DictAttrs(attrs))


RULES: Final = OnnxRules((pad_convolution, pad_max_pool, pad_average_pool))
