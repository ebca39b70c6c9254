"""Memory of buffers: flat arrays of elements, and which elements hold something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relayish.errors import LifetimeError, TypeConfusionError
from relayish.tir.ir.type import Type

Array: TypeAlias = npt.NDArray[Any]  # Any: the element type is known when it comes

Flat: TypeAlias = Any  # memoryview of integers, or an array: what is indexed by one integer

Layout: TypeAlias = tuple[Sequence[int], Sequence[int], int]
"""The shape, strides and offset of a buffer."""

FREED: Final = "was freed"
NEVER: Final = "was not allocated"


class Memory:
    """The memory of one buffer.

    Attributes:
        name: Of the buffer, for errors.
        dtype: The type of an element.
        array: The elements, in one dimension; ``None`` while there is no memory.
        data: The same for access to one element, as Python integers where they are such.
        mask: Which elements hold something, a byte for each; ``None``: all of them.
        state: Why there is no memory, for errors.
    """

    __slots__ = ("array", "data", "dtype", "mask", "name", "state")

    def __init__(self, name: str, dtype: Type) -> None:
        self.name = name
        self.dtype = dtype
        self.array: Array | None = None
        self.data: Flat = None
        self.mask: bytearray | None = None
        self.state = NEVER

    def hold(self, array: Array, mask: bytearray | None) -> None:
        """Give it memory."""
        self.array = array
        self.data = memoryview(cast(Any, array)) if array.dtype.kind in "biu" else array
        self.mask = mask

    def allocate(self, layout: Layout, extents: Sequence[int] | None) -> None:
        """Give it memory, none of which holds anything.

        Raises:
            LifetimeError: If it has memory, is to be of another shape, or there is not so much.
        """
        if self.array is not None:
            raise LifetimeError(
                f"{self.name} is allocated already; free it first, or allocate another buffer"
            )
        shape = tuple(layout[0])
        if extents is not None and tuple(extents) != shape:
            raise LifetimeError(
                f"{self.name} of shape {show(shape)} is allocated with extents {show(extents)}; "
                f"the two must agree"
            )
        size = size_of(*layout)
        try:
            array, mask = np.zeros(size, self.dtype.numpy), bytearray(size)
        except (MemoryError, OverflowError, ValueError) as error:  # numpy says the last of too much
            raise LifetimeError(
                f"there is no memory for {self.name} of shape {show(shape)}; allocate less"
            ) from error
        self.hold(array, mask)

    def free(self) -> None:
        """Take its memory away.

        Raises:
            LifetimeError: If it has none.
        """
        if self.array is None:
            raise LifetimeError(f"{self.name} {self.state} and is freed; allocate it before, once")
        self.release()

    def release(self) -> None:
        """Take its memory away, if it has any."""
        if self.array is not None:
            self.array = self.data = self.mask = None
            self.state = FREED

    def missing(self) -> LifetimeError:
        """Return the error for a use while there is no memory."""
        return LifetimeError(f"{self.name} {self.state} and is used; use it while it is allocated")

    @property
    def given(self) -> Array:
        """The elements.

        Raises:
            LifetimeError: If there are none.
        """
        if self.array is None:
            raise self.missing()
        return self.array

    def tracked(self) -> Memory:
        """Return it with a mask."""
        if self.mask is None and self.array is not None:
            self.mask = bytearray(b"\1") * len(self.array)
        return self


def size_of(shape: Sequence[int], strides: Sequence[int], offset: int) -> int:
    """Return the number of elements of memory that a buffer takes.

    Example:
        >>> size_of((2, 3), (), 0), size_of((2, 3), (8, 1), 4), size_of((), (), 0)
        (6, 15, 1)
    """
    if 0 in shape or any(size < 0 for size in shape):
        return offset
    if not strides:
        return offset + math.prod(shape)
    return offset + 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


class Loan:
    """An array that was given, and the memory that stands for it while a function runs."""

    __slots__ = ("array", "positions", "written")

    def __init__(self, array: Array, written: Array, positions: Array | None) -> None:
        self.array = array
        self.written = written
        self.positions = positions

    def give_back(self) -> None:
        """Copy what was stored into the array that was given."""
        found = self.written if self.positions is None else self.written[self.positions]
        self.array[...] = found.reshape(self.array.shape)


def lend(
    memory: Memory,
    array: object,
    layout: Layout,
    written: bool,
) -> Loan | None:
    """Give ``memory`` the elements of ``array``, and return how they come back, if by copying.

    The array is of the buffer's shape, or is its whole memory in one dimension: with the gaps that
    strides leave, and what lies before the offset.

    Args:
        memory: What is given the elements.
        array: The array.
        layout: The shape, strides and offset of the buffer.
        written: Whether somebody stores to it.

    Raises:
        TypeConfusionError: If it is no array of that type and shape.
    """
    shape, strides, offset = layout
    name, dtype = memory.name, memory.dtype
    if not isinstance(array, np.ndarray):
        raise TypeConfusionError(
            f"buffer {name} is given {_brief(array)}; expected a numpy array of type {dtype} and "
            f"shape {show(shape)}"
        )
    if array.dtype != dtype.numpy or dtype.lanes > 1:
        raise TypeConfusionError(
            f"buffer {name} of type {dtype} is given an array of type {array.dtype}; convert it"
        )
    if written and not array.flags.writeable:
        raise TypeConfusionError(
            f"buffer {name} is stored to, and the array given for it is read-only; give a copy"
        )
    size = size_of(shape, strides, offset)
    whole = array.shape == (size,)
    if not whole and array.shape != tuple(shape):
        flat = "" if tuple(shape) == (size,) else f", or {show((size,))} for all of its memory"
        raise TypeConfusionError(
            f"buffer {name} of shape {show(shape)} is given an array of shape {show(array.shape)}; "
            f"expected {show(shape)}{flat}"
        )
    if whole or size == array.size:
        if array.flags.c_contiguous and (whole or _is_row_major(shape, strides)):
            memory.hold(array.reshape(-1), None)
            return None
        if whole:
            copied = np.ascontiguousarray(array).reshape(-1)
            memory.hold(copied, None)
            return Loan(array, copied, None) if written else None
    positions = np.full(shape, offset, np.int64)
    steps = strides or row_major(shape)
    for axis, step in enumerate(steps):
        along = [1] * len(shape)
        along[axis] = -1
        positions += (np.arange(shape[axis]) * step).reshape(along)
    copied, mask = np.zeros(size, array.dtype), np.zeros(size, np.uint8)
    copied[positions], mask[positions] = array, 1
    memory.hold(copied, bytearray(mask.tobytes()))
    return Loan(array, copied, positions) if written else None


def _is_row_major(shape: Sequence[int], strides: Sequence[int]) -> bool:
    return not strides or tuple(strides) == row_major(shape)


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of rows that follow each other.

    Example:
        >>> row_major((2, 3, 4))
        (12, 4, 1)
    """
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * shape[axis + 1]
    return tuple(steps)


def show(shape: Sequence[int]) -> str:
    """Return a shape as errors show it: ``(2, 3)``."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _brief(value: object) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return f"{shown} ({type(value).__name__})"
