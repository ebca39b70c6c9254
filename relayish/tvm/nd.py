"""Arrays and devices under the names of ``tvm.nd``.

Devices are named, as ``on_device`` and ``PlanDevices`` want them; whatever they are called, numpy
computes on the CPU.
"""

from __future__ import annotations

import numpy as np

from relayish._support.missing import set_finder
from relayish.ir.values.dtype import DType, numpy_dtype
from relayish.ir.values.ndarray import Array, Device, NDArray, as_ndarray
from relayish.op.runtime.device import virtual_device_named

__all__ = [
    "Array",
    "Device",
    "NDArray",
    "array",
    "cpu",
    "cuda",
    "device",
    "empty",
    "gpu",
    "hexagon",
    "metal",
    "numpyasarray",
    "opencl",
    "rocm",
    "vulkan",
    "webgpu",
]


def device(dev: str | int, device_id: int = 0) -> Device:
    """Return a device by the name of its kind (``"cpu"``, ``"cuda"``, ``"llvm"``) or its number.

    Raises:
        OperatorError: If there is no such kind of device.

    Source:
        TVM ``device``.

    Example:
        >>> device("cuda", 1)
        Device(device_type=2, device_id=1)
    """
    if isinstance(dev, int):
        return Device(dev, device_id)
    named = virtual_device_named(dev)
    return Device(named.device_type_int, device_id or named.virtual_device_id)


def cpu(dev_id: int = 0) -> Device:
    """Return a CPU."""
    return device("cpu", dev_id)


def cuda(dev_id: int = 0) -> Device:
    """Return a device of CUDA."""
    return device("cuda", dev_id)


def gpu(dev_id: int = 0) -> Device:
    """Return a device of CUDA, by its old name."""
    return cuda(dev_id)


def opencl(dev_id: int = 0) -> Device:
    """Return a device of OpenCL."""
    return device("opencl", dev_id)


def vulkan(dev_id: int = 0) -> Device:
    """Return a device of Vulkan."""
    return device("vulkan", dev_id)


def metal(dev_id: int = 0) -> Device:
    """Return a device of Metal."""
    return device("metal", dev_id)


def rocm(dev_id: int = 0) -> Device:
    """Return a device of ROCm."""
    return device("rocm", dev_id)


def hexagon(dev_id: int = 0) -> Device:
    """Return a Hexagon."""
    return device("hexagon", dev_id)


def webgpu(dev_id: int = 0) -> Device:
    """Return a device of WebGPU."""
    return device("webgpu", dev_id)


def array(arr: object, device: Device | None = None) -> NDArray:  # noqa: ARG001 - TVM's
    """Return a new array with the values of ``arr``; ``device`` is left aside.

    Source:
        TVM ``nd.array``.
    """
    return np.array(arr, subok=False).view(NDArray)


def empty(
    shape: int | tuple[int, ...],
    dtype: DType = "float32",
    device: Device | None = None,  # noqa: ARG001 - TVM's
) -> NDArray:
    """Return a new array of zeros; ``device`` is left aside."""
    return np.zeros(shape, numpy_dtype(dtype)).view(NDArray)


def numpyasarray(np_data: Array) -> NDArray:
    """Return ``np_data`` as an array that shares its memory."""
    return as_ndarray(np_data)


set_finder(__name__)
