"""Arrays and devices under the names of ``tvm.nd``: numpy's arrays, with TVM's methods.

An :class:`NDArray` is a numpy array and goes wherever one goes. Devices are named, as ``on_device``
and ``PlanDevices`` want them; whatever they are called, numpy computes on the CPU.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish._support.absent import set_finder
from relayish.errors import FieldError
from relayish.ir.dtype import DType, numpy_dtype
from relayish.op.runtime.device import virtual_device_named

Array: TypeAlias = npt.NDArray[Any]  # Any: of any element type

__all__ = [
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


class Device(NamedTuple):
    """A device: its kind, by DLPack's number, and which of that kind it is."""

    device_type: int
    device_id: int = 0

    @property
    def exist(self) -> bool:
        """Whether programs are computed there: it is the CPU."""
        return self.device_type == 1

    def sync(self) -> None:
        """Wait until all is computed, as it is when a call returns."""


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


class NDArray(np.ndarray[Any, Any]):  # Any: of any shape and element type
    """A numpy array that is asked for its values as TVM's arrays are: ``numpy()``.

    Arithmetic, indexing and all else are numpy's.

    Example:
        >>> array([1, 2]).numpy()
        array([1, 2])
    """

    def numpy(self) -> Array:
        """Return a copy as a plain numpy array."""
        return np.array(self, subok=False)

    def asnumpy(self) -> Array:
        """Return a copy as a plain numpy array, as :meth:`numpy` does."""
        return self.numpy()

    def copyfrom(self, source_array: object) -> Self:
        """Put the values of ``source_array``, which has the same shape, into this array.

        Raises:
            FieldError: If it has another shape.
        """
        source = np.asarray(source_array)
        if source.shape != self.shape:
            raise FieldError(f"an array {self.shape} takes one of that shape; found {source.shape}")
        np.copyto(self, source, casting="unsafe")
        return self

    def copyto(self, target: Array | Device) -> NDArray:
        """Return a copy on a device, or ``target``, an array, with the values of this one in it."""
        if isinstance(target, Device):
            return array(self)
        np.copyto(target, self, casting="unsafe")
        return as_ndarray(target)

    @property
    def device(self) -> Device:  # type: ignore[override]  # numpy's says "cpu"
        """Where the array is: the CPU."""
        return cpu()


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


def as_ndarray(value: object) -> NDArray:
    """Return a tensor of numpy, an array or a scalar, as an array without a copy of its memory."""
    return np.asarray(value).view(NDArray)


set_finder(__name__)
