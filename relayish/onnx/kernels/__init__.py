"""Values of ONNX operators, by numpy; the package ``onnx`` is not needed."""

from __future__ import annotations

from relayish.onnx.kernels.registry import Array, Kernel, find_kernel, kernel, kernels

__all__ = ["Array", "Kernel", "find_kernel", "kernel", "kernels"]
