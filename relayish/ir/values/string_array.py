"""Tensors of strings: arrays of objects, each a string, and the bytes that files hold of them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Texts: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""An array of objects, each a string. Any: of whatever shape; objects, to numpy."""


def as_strings(array: npt.NDArray[Any]) -> Texts | None:  # Any: of objects, or of strings of numpy
    """Return an array of strings as one of objects, read-only; ``None`` if it holds others.

    Complexity:
        Linear in the elements, which are not copied where nobody can write to them.
    """
    found: Texts = array if array.dtype.kind == "O" else array.astype(object)
    if not all(type(each) is str for each in found.flat):
        return None
    if found.flags.writeable or found.base is not None:
        found = found.copy()
        found.flags.writeable = False
    return found


def pack_strings(array: npt.NDArray[Any]) -> bytes:  # Any: as above
    """Return the elements as bytes: the length of each as 8 bytes, then all of them in UTF-8.

    Halves of surrogate pairs, which UTF-8 does not have, are written as if it had.

    Raises:
        ValueError: If one is no string.
    """
    held = array.reshape(-1).tolist()
    if not all(isinstance(each, str) for each in held):
        raise ValueError("an array of objects that are no strings cannot be written; cast it")
    data = [each.encode("utf-8", "surrogatepass") for each in held]
    lengths = np.array([len(each) for each in data], "<u8").tobytes()
    return b"".join([lengths, *data])


def unpack_strings(data: bytes, shape: tuple[int, ...]) -> Texts:
    """Return the array of which :func:`pack_strings` made ``data``, read-only.

    Raises:
        ValueError: If it made it of none of this shape.
    """
    count = math.prod(shape)
    if count > len(data) // 8:
        raise ValueError(f"{count} strings do not fit into {len(data)} bytes")
    ends = [8 * count, *np.frombuffer(data, "<u8", count).tolist()]
    for index in range(count):
        ends[index + 1] += ends[index]
    if ends[-1] != len(data):
        raise ValueError(f"strings take {ends[-1]} bytes, and {len(data)} are there")
    held: Texts = np.empty(count, object)
    held[:] = [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends)]
    held = held.reshape(shape).copy()
    held.flags.writeable = False
    return held
