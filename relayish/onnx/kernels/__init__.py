"""Values of ONNX operators, by numpy; the package ``onnx`` is not needed."""

from __future__ import annotations

from relayish.onnx.kernels import (
    batch_normalization,
    convolution,
    convolution_transpose,
    normalization,
    pooling,
    products,
    recurrent,
    softmax,
)
from relayish.onnx.kernels.registry import (
    Array,
    Kernel,
    absent_attributes,
    find_kernel,
    kernel,
    kernels,
)

__all__ = [
    "Array",
    "Kernel",
    "absent_attributes",
    "batch_normalization",
    "convolution",
    "convolution_transpose",
    "find_kernel",
    "kernel",
    "kernels",
    "normalization",
    "pooling",
    "products",
    "recurrent",
    "softmax",
]
