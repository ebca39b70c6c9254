"""Programs as bytes without their arrays, which are sent another way, or are there already."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from relayish._support.collector import pause_collection
from relayish.binary.decoder import Decoder
from relayish.binary.writer import write_program
from relayish.errors import BinaryFormatError


class Detached(NamedTuple):
    """A program without arrays, and the arrays, each of which it has once.

    Attributes:
        program: What :func:`attach` reads; to be kept no longer than this version is.
        arrays: In the order in which they are to be given there. Any: of whatever shape and type.
    """

    program: bytes
    arrays: tuple[np.ndarray[Any, Any], ...]


def detach(program: object) -> Detached:
    """Return a module, a node or a value as bytes, and its arrays, which are not copied.

    Raises:
        FieldError: If something in it is of a class that binary forms cannot hold.

    Complexity:
        Linear in the distinct objects; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import Constant
        >>> constant = Constant(np.zeros(1000))
        >>> program, arrays = detach(constant)
        >>> len(program) < 200, attach(program, arrays).data is constant.data is arrays[0]
        (True, True)
    """
    with pause_collection():
        spelt, arrays = write_program(program)
    return Detached(spelt, tuple(arrays))


def attach(
    program: bytes,
    arrays: Iterable[np.ndarray[Any, Any] | bytes | memoryview],
    taken: list[np.ndarray[Any, Any]] | None = None,
) -> Any:  # Any: what was detached
    """Return what :func:`detach` was given.

    Args:
        program: The bytes.
        arrays: The arrays, or their bytes, of which the result has views.
        taken: Filled with the arrays that the result has, in the same order.

    Raises:
        BinaryFormatError: If they are not those of the program.
        RelayishError: If it holds what is not declared here.
    """
    decoder = Decoder(memoryview(program), check_nodes=True)
    with pause_collection():
        return decoder.read(_GivenArrays(arrays, taken))


class _GivenArrays:
    """The arrays of a program, in the order in which it asks for them."""

    def __init__(
        self,
        arrays: Iterable[np.ndarray[Any, Any] | bytes | memoryview],
        taken: list[np.ndarray[Any, Any]] | None,
    ) -> None:
        self._arrays = iter(arrays)
        self._taken = [] if taken is None else taken

    def take(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        made = self._made(dtype, shape)
        self._taken.append(made)
        return made

    def _made(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        given = next(self._arrays, None)
        if isinstance(given, np.ndarray) and (given.dtype, given.shape) == (dtype, shape):
            return given
        num_bytes = math.prod(shape) * dtype.itemsize
        if given is None or isinstance(given, np.ndarray) or len(given) != num_bytes:
            raise BinaryFormatError(
                f"an array of type {dtype} and shape {shape} is needed; found "
                f"{'none' if given is None else 'another'}; give those that detach returned"
            )
        made: np.ndarray[Any, Any] = np.ndarray(shape, dtype, given or None)
        made.flags.writeable = False
        return made

    def finish(self) -> None:
        if next(self._arrays, None) is not None:
            raise BinaryFormatError("there are more arrays than the program has")
