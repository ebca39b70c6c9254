"""Sparse weights of fully connected layers: those that are mostly zero, stored in blocks."""

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


def process_params(
    expr: Expr,
    params: MutableMapping[str, Any],  # Any: whatever numpy makes an array of
    block_size: tuple[int, int],
    sparsity_threshold: float,
) -> SparseAnalysisResult:
    """Store the weights of ``nn.dense`` that are mostly zero in blocks, by rows.

    What is found is for ``DenseToSparse``, which lets layers take ``w.data``, ``w.indices`` and
    ``w.indptr`` in place of ``w``.

    Args:
        expr: A function, or its body.
        params: Values of parameters by name. A weight that is stored in blocks is taken out, and
            its three parts are put in.
        block_size: Rows and columns of a block; a weight it does not divide stays.
        sparsity_threshold: The least share of zeros of a weight that is stored so.

    Complexity:
        Linear in the number of distinct nodes and in the elements of weights.

    Source:
        Relay ``analysis.sparse_dense.process_params``.

    Example:
        >>> from relayish import nn, var
        >>> params = {"w": np.array([[0, 0], [1, 2]], "float32")}
        >>> layer = nn.dense(var("x", shape=(1, 2)), var("w", shape=(2, 2)))
        >>> process_params(layer, params, (1, 2), 0.5)
        SparseAnalysisResult(weight_name=['w'], weight_shape=[[1, 1, 2, 1, 3]])
        >>> params["w.data"].tolist(), params["w.indptr"].tolist()
        ([[[1.0, 2.0]]], [0, 0, 1])
    """
    found = SparseAnalysisResult([], [])
    for name in search_weights(expr, relay_op("nn.dense")):
        if name not in params:
            continue
        weight = np.asarray(params[name])
        parts = to_blocks(weight, block_size)
        if parts is not None and share_of_zeros(weight) >= sparsity_threshold:
            replace_weight(params, name, parts, found)
    return found
