"""Values of ONNX operators, by numpy; the package ``onnx`` is not needed.

The modules of kernels are imported when a kernel is looked for.
"""

from __future__ import annotations

from relayish.onnx.kernels.registry import (
    Array,
    Kernel,
    absent_parameters,
    find_kernel,
    kernel,
    kernels,
)

__all__ = ["Array", "Kernel", "absent_parameters", "find_kernel", "kernel", "kernels"]
