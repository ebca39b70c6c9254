"""Sparse weights: variables that layers multiply by, and their values in blocks."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.errors import AnalysisError
from relayish.ir.relay.expr import Call, Expr, Op, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.nn.sparse import as_block_rows
from relayish.op.values.evaluation import Array

SUFFIXES: Final = ("data", "indices", "indptr")
"""What the names of the three parts of a weight end in: its blocks, and where they stand."""


class SparseAnalysisResult(NamedTuple):
    """The weights that were stored in blocks: their names, and the sizes of their three parts."""

    weight_name: list[str]
    weight_shape: list[list[int]]


def search_weights(expr: Expr, op: Op) -> list[str]:
    """Return the names of the variables that calls of ``op`` multiply by, each once.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    root: object = expr  # still to be checked
    if not isinstance(root, Expr):
        raise AnalysisError(
            f"weights are looked for in a function, or its body; found {root!r} "
            f"({type(root).__name__})"
        )
    calls = [node for node in EXPRESSIONS.post_order(expr) if type(node) is Call and node.op is op]
    weights = [call.args[1] for call in calls]
    return list(dict.fromkeys(var.name_hint for var in weights if type(var) is Var))


def to_blocks(matrix: Array, block_size: tuple[int, int]) -> tuple[Array, Array, Array] | None:
    """Return ``matrix`` in blocks; ``None`` if these do not fit into it.

    Raises:
        AnalysisError: If a block has no rows or no columns.
    """
    sizes: object = block_size  # still to be checked
    match sizes:
        case (int(height), int(width)) if min(height, width) > 0:
            pass
        case _:
            raise AnalysisError(
                f"block_size is {sizes!r}; expected the rows and columns of a block, 1 or more"
            )
    if matrix.ndim != 2 or matrix.shape[0] % height or matrix.shape[1] % width:
        return None
    return as_block_rows(matrix, height, width)


def share_of_zeros(matrix: Array) -> float:
    """Return the share of the elements of ``matrix`` that are zero."""
    return 1.0 - np.count_nonzero(matrix) / matrix.size if matrix.size else 0.0


def replace_weight(
    params: MutableMapping[str, Any],  # Any: whatever numpy makes an array of
    name: str,
    parts: tuple[Array, Array, Array],
    found: SparseAnalysisResult,
) -> None:
    """Put the parts of a weight into ``params`` in place of it, and note it in ``found``."""
    del params[name]
    for part, suffix in zip(parts, SUFFIXES, strict=True):
        params[f"{name}.{suffix}"] = part
    found.weight_name.append(name)
    found.weight_shape.append([size for part in parts for size in part.shape])
