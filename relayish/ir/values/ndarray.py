"""Arrays of parameters: numpy's, which have ``numpy()`` as Relay's have, and say where they are.

An :class:`NDArray` is a numpy array and goes wherever one goes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.errors import FieldError

Array: TypeAlias = npt.NDArray[Any]  # Any: of any element type


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


class NDArray(np.ndarray[Any, Any]):  # Any: of any shape and element type
    """A numpy array that is asked for its values by ``numpy()``, as those of Relay are.

    Arithmetic, indexing and all else are numpy's.

    Example:
        >>> as_ndarray([1, 2]).numpy()
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
            return self.copy()
        np.copyto(target, self, casting="unsafe")
        return as_ndarray(target)

    @property
    def device(self) -> Device:  # type: ignore[override]  # numpy's says "cpu"
        """Where the array is: the CPU."""
        return Device(1)


def as_ndarray(value: object) -> NDArray:
    """Return a tensor of numpy, an array or a scalar, as an array without a copy of its memory."""
    return np.asarray(value).view(NDArray)
