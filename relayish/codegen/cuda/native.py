"""Functions of loops on a device: compiled by nvcc, and called on arrays, which are copied."""

from __future__ import annotations

import ctypes
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from relayish.codegen.c.native import NativeFunction, NativeModule, Place
from relayish.codegen.c.program import CSource
from relayish.codegen.c.toolchain import Toolchain
from relayish.codegen.cuda.dialect import FLAGS
from relayish.codegen.cuda.source import to_cuda
from relayish.errors import CodegenError, EvaluationError
from relayish.ir.modules.module import Module as IRModule
from relayish.tir.ir.function import LoweredFunc, Module

COPYING: Final = """
extern "C" void *relayish_to_device(const void *host, size_t bytes)
{
  void *const made = device_malloc(bytes + 1);
  if (made != NULL && cudaMemcpy(made, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess) {
    return made;
  }
  device_free(made);
  return NULL;
}

extern "C" int32_t relayish_to_host(void *host, const void *device, size_t bytes)
{
  return cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) != cudaSuccess;
}

extern "C" void relayish_free(void *device)
{
  device_free(device);
}
"""
"""What copies arrays to the device and back."""

_SHARED: Final = ("-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-Bsymbolic")


class DeviceFunction(NativeFunction):
    """A function whose arrays are copied to the device while it runs."""

    @contextmanager
    def placed(self) -> Iterator[Place]:
        """Yield what copies an array to the device; those that may have changed are copied back.

        Raises:
            EvaluationError: If the device has no memory for one.
        """
        library: Any = self._library  # Any: as ctypes types it
        library.relayish_to_device.restype = ctypes.c_void_p
        held: list[tuple[np.ndarray[Any, Any], int]] = []

        def place(array: np.ndarray[Any, Any]) -> int:
            size = ctypes.c_size_t(array.nbytes)
            at = library.relayish_to_device(ctypes.c_void_p(array.ctypes.data), size)
            if not at:
                raise EvaluationError(
                    f"the device has no memory for an array of {array.nbytes} bytes; free some"
                )
            held.append((array, at))
            return int(at)

        try:
            yield place
        finally:
            for array, at in held:
                where = ctypes.c_void_p(at)
                if array.flags.writeable:
                    size = ctypes.c_size_t(array.nbytes)
                    library.relayish_to_host(ctypes.c_void_p(array.ctypes.data), where, size)
                library.relayish_free(where)


class DeviceModule(NativeModule):
    """Functions that were compiled for a device."""

    function = DeviceFunction

    def __init__(self, source: CSource, toolchain: Toolchain) -> None:
        super().__init__(source._replace(text=f"{source.text}{COPYING}"), toolchain)


def build(
    program: LoweredFunc | Module | IRModule[Any], *, exact: bool = True
) -> NativeFunction | NativeModule:
    """Return a function of the loop IR, or a module of these, compiled for the device there is.

    Args:
        program: A function, or a module; :func:`to_cuda` says which a device runs.
        exact: Whether each product is rounded.

    Raises:
        CodegenError: If a device cannot run it, or there is none, or no nvcc.
        VerificationError: If the program breaks a rule of the loop IR.
    """
    source = to_cuda(program)
    toolchain = find_nvcc(exact=exact)
    module = DeviceModule(source, toolchain)
    return module[program.name] if isinstance(program, LoweredFunc) else module


def find_nvcc(*, exact: bool = True) -> Toolchain:
    """Return what compiles for the device there is.

    Raises:
        CodegenError: If there is no device, or nothing that compiles for it.
    """
    if not _count_devices():
        raise CodegenError(
            f"there is no device: {_DRIVER} tells of none; relayish.codegen.cuda has build_on_cpu, "
            f"which runs the program without one, and to_cuda, which writes its source"
        )
    if shutil.which("nvcc") is None:
        raise CodegenError("there is no nvcc, which compiles for devices; install CUDA's toolkit")
    loose = () if exact else ("-DRELAYISH_LOOSE",)
    return Toolchain(("nvcc", "-x", "cu"), (*FLAGS, "-arch=native", *loose), shared=_SHARED)


_DRIVER: Final = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


def _count_devices() -> int:
    """Return how many devices the driver knows, none where there is no driver."""
    try:
        driver = ctypes.CDLL(_DRIVER)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    is_there = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return count.value if is_there else 0
