"""The operators of neural networks; ``op.nn.relu(x)`` builds a call of ``nn.relu``."""

from __future__ import annotations

from relayish.op.builders import namespace
from relayish.op.nn import (
    activation,
    bitserial,
    blocks,
    convolution,
    correlation,
    einsum,
    loss,
    normalization,
    pooling,
    product,
    space,
    sparse,
)

__all__ = [
    "activation",
    "bitserial",
    "blocks",
    "convolution",
    "correlation",
    "einsum",
    "loss",
    "normalization",
    "pooling",
    "product",
    "space",
    "sparse",
]

__getattr__, __dir__ = namespace("nn")
