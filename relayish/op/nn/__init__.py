"""The operators of neural networks; ``op.nn.relu(x)`` builds a call of ``nn.relu``."""

from __future__ import annotations

from relayish.op.builders.builder import namespace
from relayish.op.nn import (
    activation,
    adaptive_pooling,
    bitserial,
    blocks,
    composite,
    convolution,
    convolution_gemm,
    convolution_gradient,
    convolution_transpose,
    correlating,
    deformable,
    einsum,
    gradient,
    loss,
    normalization,
    pooling,
    pooling_gradient,
    product,
    space,
    sparse,
    winograd,
)

__all__ = [
    "activation",
    "adaptive_pooling",
    "bitserial",
    "blocks",
    "composite",
    "convolution",
    "convolution_gemm",
    "convolution_gradient",
    "convolution_transpose",
    "correlating",
    "deformable",
    "einsum",
    "gradient",
    "loss",
    "normalization",
    "pooling",
    "pooling_gradient",
    "product",
    "space",
    "sparse",
    "winograd",
]

__getattr__, __dir__ = namespace("nn")
