"""Multiply the same batch once with all batches of matrices.

Before::

    (nn.batch_matmul(%x, %w1, transpose_b=True), nn.batch_matmul(%x, %w2, transpose_b=True))

After::

    %0 = nn.batch_matmul(%x, concatenate((%w1, %w2), axis=1), transpose_b=True);
    (strided_slice(%0, begin=[0, 0, 0], end=[-1, -1, 4], slice_mode="size"),
     strided_slice(%0, begin=[0, 0, 4], end=[-1, -1, 8], slice_mode="size"))
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from relayish.ir.relay.expr import Call, Expr
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.product import BatchMatmulAttrs
from relayish.pass_infra import register_pass
from relayish.passes.relay.combine_parallel.combine import combine_parallel
from relayish.passes.relay.combine_parallel.combiner import Image, dtype_of, get_static_shape
from relayish.passes.relay.combine_parallel.sections import SectionCombiner


@register_pass(
    "CombineParallelBatchMatmul",
    opt_level=4,
    required=("InferType",),
    infer_types=True,
    idempotent=True,
)
def combine_parallel_batch_matmul(expr: Expr, *, min_num_branches: int = 3) -> Expr:
    """Combining of parallel matrix products: multiply one batch once with all others.

    Return ``expr`` with calls of ``nn.batch_matmul`` on the same data combined.

    Elementwise operators behind all of them are combined as well, as long as their other arguments
    have a number for each column.

    Args:
        expr: An expression whose types were inferred; nothing is combined where they were not.
        min_num_branches: How many calls it takes; never less than 2.

    Returns:
        ``expr`` itself when nothing was combined.

    Complexity:
        Linear in the number of distinct nodes, but for the logarithm of the depth of scopes.

    Source:
        Relay ``CombineParallelBatchMatmul``.
    """
    return combine_parallel(expr, _Combiner(), min_num_branches)


class _Combiner(SectionCombiner):
    """Concatenates the matrices along the columns of the result."""

    op = relay_op("nn.batch_matmul")

    def key(self, call: Call) -> Hashable | None:
        shape = get_static_shape(call.args[1])
        if shape is None or call.checked_type is None:
            return None
        place = _columns(call)
        return (call.attrs, shape[:place], shape[place + 1 :], dtype_of(call.args[1]))

    def axis(self, root: Call) -> int:  # noqa: ARG002
        return 2

    def weight_axis(self, root: Call) -> int:
        return _columns(root)

    def argument_axis(self, rank: int, axis: int) -> int:  # noqa: ARG002
        return -1

    def combine_roots(self, calls: Sequence[Call], image: Image) -> Expr:
        return calls[0].with_fields(args=self.join_args(calls, image))


def _columns(call: Call) -> int:
    """Return the axis of the second argument that becomes the last one of the result."""
    assert isinstance(call.attrs, BatchMatmulAttrs)
    return 1 if call.attrs.transpose_b else 2
