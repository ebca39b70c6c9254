"""Programs of the loop IR as CUDA C."""

from __future__ import annotations

from typing import Any

from relayish.codegen.c.program import CSource, write_program
from relayish.codegen.cuda.dialect import CUDA
from relayish.ir.modules.module import Module as IRModule
from relayish.tir.ir.function import LoweredFunc, Module


def to_cuda(program: LoweredFunc | Module | IRModule[Any]) -> CSource:
    """Return a program of the loop IR in CUDA C.

    Each function becomes one of the host that is given memory of the device and returns a status,
    as :func:`~relayish.codegen.c.to_c` makes them: 0, or which check failed. It launches a kernel
    for each nest whose outermost loop is bound, and runs what is around them. Buffers of
    ``MemoryType.GPU_SHARED`` are shared by the threads of a block, those of ``GPU_LOCAL`` each
    thread has itself; all others are memory of the device.

    Programs mean what they mean in serial order: whatever threads may disturb is refused. Of
    several threads in which a check fails, the first one to come tells; others run on.

    Args:
        program: A function, or a module of functions that may call one another.

    Raises:
        CodegenError: If a device cannot run it: what, where, and what to do.
        VerificationError: If the program breaks a rule of the loop IR.

    Complexity:
        That of :func:`relayish.tir.analysis.dependences`, for each kernel.

    Source:
        CINN ``CodeGenCUDA_Dev`` and ``CodeGenCUDA_Host``.

    Example:
        >>> from relayish import tir
        >>> A, B = [tir.placeholder(name, (64,)) for name in "AB"]
        >>> body = tir.for_("i", 64, lambda i: tir.store(B, A[i] + A[i], i), thread="threadIdx.x")
        >>> text = to_cuda(tir.LoweredFunc("double", (A, B), body)).text
        >>> print(text[text.index("static __global__") : text.index("extern")].strip())
        static __global__ void double__kernel(const float *restrict A, float *restrict B)
        {
          {
            const int32_t i = (int32_t)threadIdx.x;
            B[i] = A[i] + A[i];
          }
        }
    """
    return write_program(program, tells=False, dialect=CUDA)
