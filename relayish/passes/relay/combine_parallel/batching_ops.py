"""Combine parallel convolutions, fully connected layers and batches of products.

Before::

    (nn.dense(%x, %w1), nn.dense(%x, %w2), nn.dense(%x, %w3))

After::

    %0 = stack((%x, %x, %x));
    %1 = stack((%w1, %w2, %w3));
    %2 = nn.batch_matmul(%0, %1, transpose_b=True);
    ...
"""

from __future__ import annotations

from relayish.pass_infra import Sequential, register_pass


@register_pass("BatchingOps", opt_level=0, infer_types=True)
def batching_ops() -> Sequential:
    """Combining of parallel layers: compute convolutions, dense layers and products at once.

    The passes it consists of run where the level of the context is theirs, 4: below it nothing is
    combined.

    Source:
        Relay ``BatchingOps``.
    """
    return Sequential(
        ["CombineParallelConv2D", "CombineParallelDense", "CombineParallelBatchMatmul"],
        name="BatchingOps",
    )
