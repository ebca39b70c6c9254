"""What computes operators of ONNX that have no kernel."""

from __future__ import annotations

from typing import Any

from relayish.errors import UnsupportedError
from relayish.onnx.identity import Identity
from relayish.onnx.kernels.registry import Kernel


def find_fallback(identity: Identity, _schema: Any | None) -> Kernel:  # Any: a schema of onnx
    """Return what computes an operator without a kernel.

    Raises:
        UnsupportedError: If nothing does.
    """
    raise UnsupportedError(f"{identity} has no kernel; give it one: relayish.onnx.kernels.kernel")
