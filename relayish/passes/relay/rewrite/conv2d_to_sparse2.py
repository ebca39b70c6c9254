"""Store constant weights of convolutions that are mostly zero as sparse matrices.

Before::

    nn.conv2d(%x, meta[relay.Constant][0], kernel_size=[1, 1])   // most of it is zero

After::

    nn.sparse_conv2d(%x, meta[relay.Constant][0], meta[relay.Constant][1], meta[relay.Constant][2])
"""

from __future__ import annotations

import numpy as np

from relayish.analysis.sparse_conv2d import kernel_rows
from relayish.analysis.sparse_weights import to_blocks
from relayish.errors import PassError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.op.declaration.registry import relay_op
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.conv2d_to_sparse import (
    check_layout,
    is_sparse_convolution,
    make_sparse_convolution,
)


@register_pass("Conv2dToSparse2", opt_level=5, idempotent=True)
def conv2d_to_sparse2(
    expr: Expr,
    *,
    layout: str = "NHWC",
    kernel_size: int = 1,
    blocksize: tuple[int, int] = (1, 1),
    sparsity_threshold: float = 0.5,
) -> Expr:
    """Sparse constants: store constant weights of convolutions that are mostly zero in blocks.

    Return ``expr`` with ``nn.sparse_conv2d`` in place of convolutions with such weights.

    Args:
        expr: Any well-formed expression.
        layout: That of the convolutions that are looked at, ``NHWC`` or ``NCHW``.
        kernel_size: The rows and columns of their kernels; an odd number.
        blocksize: Output channels and columns of a block; a weight it does not divide stays.
        sparsity_threshold: The least share of elements that are in no block that is stored.

    Returns:
        ``expr`` itself where there is no such weight.

    Raises:
        PassError: If the layout is another, or a block has no element.

    Complexity:
        Linear in the number of distinct nodes and in the elements of weights; no recursion.

    Source:
        Relay ``Conv2dToSparse2``, which looks at fewer of the attributes that count.

    Example:
        >>> import numpy as np
        >>> from relayish import const, nn, var
        >>> weight = np.zeros((2, 2, 1, 1), "float32")
        >>> weight[0, 1] = 3
        >>> conv = nn.conv2d(var("x", shape=(1, 2, 4, 4)), const(weight), kernel_size=(1, 1))
        >>> sparse = conv2d_to_sparse2(conv, layout="NCHW")
        >>> sparse.op.name, [part.data.tolist() for part in sparse.args[1:]]
        ('nn.sparse_conv2d', [[[[3.0]]], [1], [0, 1, 1]])
    """
    check_layout(layout)
    if min(blocksize) < 1:
        raise PassError(f"a block has a row and a column at least; found {blocksize}")
    return post_order_rewrite(expr, _Rewriter(layout, kernel_size, blocksize, sparsity_threshold))


class _Rewriter(ExprRewriter):
    def __init__(
        self, layout: str, kernel_size: int, blocksize: tuple[int, int], threshold: float
    ) -> None:
        self._layout = layout
        self._kernel_size = kernel_size
        self._blocksize = blocksize
        self._threshold = threshold
        self._known: dict[Constant, tuple[Constant, ...] | None] = {}

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if pre.op is not relay_op("nn.conv2d"):
            return post
        weight = post.args[1]
        if type(weight) is not Constant:
            return post
        if not is_sparse_convolution(pre, self._layout, self._kernel_size):
            return post
        if weight not in self._known:
            self._known[weight] = self._store(weight)
        parts = self._known[weight]
        if parts is None:
            return post
        return make_sparse_convolution(post, post.args[0], parts, self._layout, self._kernel_size)

    def _store(self, weight: Constant) -> tuple[Constant, ...] | None:
        """Return a weight in blocks; ``None`` if it has too few zeros, or blocks do not fit."""
        if not isinstance(weight.data, np.ndarray):
            return None
        rows = kernel_rows(weight.data, self._layout, self._kernel_size)
        parts = None if rows is None else to_blocks(rows, self._blocksize)
        if rows is None or parts is None or not rows.size:
            return None
        if 1.0 - parts[0].size / rows.size < self._threshold:
            return None
        return tuple([Constant(part, span=weight.span) for part in parts])
