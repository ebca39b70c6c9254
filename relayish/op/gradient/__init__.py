"""Gradients of operators, by family."""

from __future__ import annotations

from relayish.op.gradient import convolution, indexing, nn, reduction, shape, tensor
from relayish.op.gradient.register import PrimalGradient, register_gradient
from relayish.op.registry import primal_gradient

__all__ = [
    "PrimalGradient",
    "convolution",
    "indexing",
    "nn",
    "primal_gradient",
    "reduction",
    "register_gradient",
    "shape",
    "tensor",
]
