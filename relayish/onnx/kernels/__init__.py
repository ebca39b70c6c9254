"""Values of ONNX operators, by numpy; the package ``onnx`` is not needed."""

from __future__ import annotations

from relayish._support.import_modules import import_modules
from relayish.onnx.kernels.registry import (
    Array,
    Kernel,
    absent_parameters,
    find_kernel,
    kernel,
    kernels,
)

__all__ = ["Array", "Kernel", "absent_parameters", "find_kernel", "kernel", "kernels"]

import_modules(__name__)
