"""The operators of neural networks; ``op.nn.relu(x)`` builds a call of ``nn.relu``."""

from __future__ import annotations

from relayish.op.builders import namespace
from relayish.op.nn import (
    activation,
    convolution,
    loss,
    normalization,
    pooling,
    product,
    space,
)

__all__ = ["activation", "convolution", "loss", "normalization", "pooling", "product", "space"]

__getattr__, __dir__ = namespace("nn")
