"""Constants of the same value, told apart by their bits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Var
from relayish.ir.values.string_array import pack_strings


def find_equal_constants(
    constants: Iterable[tuple[Var, npt.NDArray[Any]]],  # Any: of whatever element type
) -> list[tuple[Var, Var]]:
    """Return pairs of a variable and the first one whose constant has the same type and bits.

    Complexity:
        Linear in the bytes of constants that share their type and shape with another.
    """
    alike: dict[object, list[tuple[Var, npt.NDArray[Any]]]] = defaultdict(list)
    for var, array in constants:
        alike[(array.dtype, array.shape)].append((var, array))
    found: list[tuple[Var, Var]] = []
    for group in alike.values():
        if len(group) > 1:
            found += _find_equal(group)
    return found


def _find_equal(
    group: list[tuple[Var, npt.NDArray[Any]]],  # Any: as above
) -> list[tuple[Var, Var]]:
    found: list[tuple[Var, Var]] = []
    by_sum: dict[int, list[tuple[Var, npt.NDArray[np.uint8]]]] = defaultdict(list)
    for var, array in group:
        data = _bytes_of(array)
        candidates = by_sum[crc32(data.data)]
        first = next((each for each, held in candidates if np.array_equal(held, data)), None)
        if first is None:
            candidates.append((var, data))
        else:
            found.append((var, first))
    return found


def _bytes_of(array: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:  # Any: as above
    if array.dtype.hasobject:
        return np.frombuffer(pack_strings(array), np.uint8)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
