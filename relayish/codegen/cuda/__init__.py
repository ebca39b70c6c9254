"""Programs of the loop IR as CUDA C."""

from relayish.codegen.cuda.on_cpu import build_on_cpu
from relayish.codegen.cuda.source import to_cuda

__all__ = ["build_on_cpu", "to_cuda"]
