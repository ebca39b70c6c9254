"""Sparse weights of convolutions: those that are mostly zero, stored in blocks."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np

from relayish.analysis.sparse_weights import (
    SparseAnalysisResult,
    replace_weight,
    search_weights,
    share_of_zeros,
    to_blocks,
)
from relayish.ir.relay.expr import Expr
from relayish.op.declaration.registry import relay_op
from relayish.op.values.evaluation import Array


def process_params(
    expr: Expr,
    params: MutableMapping[str, Any],  # Any: whatever numpy makes an array of
    block_size: tuple[int, int],
    sparsity_threshold: float,
    layout: str,
    kernel_size: int,
    reg_task_input: bool = True,
) -> SparseAnalysisResult:
    """Store the weights of ``nn.conv2d`` that are mostly zero in blocks, by output channels.

    What is found is for ``Conv2dToSparse``.

    Args:
        expr: A function, or its body.
        params: Values of parameters by name. A weight that is stored in blocks is taken out, and
            its three parts are put in.
        block_size: Output channels and columns of a block; a weight it does not divide stays. The
            blocks of kernels of one element that have one column are held as ``(n, rows)``.
        sparsity_threshold: The least share of elements that are zero, in kernels of one element,
            or in no block that is stored, in others, of a weight that is stored so.
        layout: ``NHWC``, with weights ``HWIO``, or ``NCHW``, with ``OIHW``.
        kernel_size: Rows and columns of the kernels that are stored so; others stay.
        reg_task_input: Taken as Relay takes it and left aside.

    Complexity:
        Linear in the number of distinct nodes and in the elements of weights.

    Source:
        Relay ``analysis.sparse_conv2d.process_params``.
    """
    del reg_task_input
    found = SparseAnalysisResult([], [])
    for name in search_weights(expr, relay_op("nn.conv2d")):
        weight = np.asarray(params[name]) if name in params else None
        rows = None if weight is None else kernel_rows(weight, layout, kernel_size)
        parts = None if rows is None else to_blocks(rows, block_size)
        if rows is None or parts is None:
            continue
        zeros = share_of_zeros(rows) if kernel_size == 1 else 1.0 - parts[0].size / rows.size
        if zeros < sparsity_threshold:
            continue
        if kernel_size == 1 and block_size[1] == 1:
            parts = (parts[0].reshape(-1, block_size[0]), *parts[1:])
        replace_weight(params, name, parts, found)
    return found


def kernel_rows(weight: Array, layout: str, kernel_size: int) -> Array | None:
    """Return a kernel as a matrix with a row for each output channel; ``None`` if of another size.

    The columns are those that ``nn.sparse_conv2d`` has: ``IHW`` in the layout ``NCHW``, ``HWI`` in
    ``NHWC``.
    """
    if weight.ndim != 4:
        return None
    sizes = weight.shape[2:] if layout == "NCHW" else weight.shape[:2]
    if sizes != (kernel_size, kernel_size):
        return None
    if layout == "NCHW":
        return weight.reshape(weight.shape[0], -1)
    return weight.reshape(-1, weight.shape[-1]).T
