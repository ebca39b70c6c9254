"""Values of constants: what a constant may hold, and how other things become that."""

from __future__ import annotations

import operator
from mmap import mmap
from typing import Any, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from relayish.ir.values.string_array import as_strings

Number: TypeAlias = Union[int, float, "np.number[Any]", np.bool_]  # Any: numbers of every width
"""What a literal is made of where a program holds nodes: Python's numbers, and numpy's."""

Value: TypeAlias = Union[np.generic, npt.NDArray[np.generic], str, "tuple[Value, ...]", None]
"""A numpy scalar (rank 0), a read-only array, a string, a tuple of values, or ``None``.

Tensors of strings are arrays of objects of any rank, each a string."""


class Opaque:
    """A value that only operators look into, such as a list or a map; no constant holds one.

    Operators get ``value`` itself, which nobody may change.
    """

    __slots__ = ("__weakref__", "value")

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Opaque({self.value!r})"


_DEFAULTS: dict[type, type[np.generic]] = {bool: np.bool_, int: np.int32, float: np.float32}


def as_value(value: Any) -> Value:  # Any: whatever numpy takes
    """Return ``value`` in the form constants hold.

    Python numbers take Relay's default widths, lists become tuples of values, arrays are made
    read-only (copied first when somebody else could write to them, which nobody can through a file
    that is mapped for reading).

    Raises:
        TypeError: If it is none of these, or an array of objects other than strings, or of bytes.
        ValueError: If a Python integer does not fit ``int32``.
    """
    if isinstance(value, np.generic):
        return value if value.dtype.kind in "biuf" else _freeze(np.asarray(value))
    if value is None or isinstance(value, str):
        return value
    if type(value) in _DEFAULTS:
        return _scalar(value)
    if isinstance(value, np.ndarray):
        return _freeze(value)
    if isinstance(value, (tuple, list)):
        return _tuple(value)
    if hasattr(value, "__array__"):
        return _freeze(np.array(value))
    return _refuse(value)


def _tuple(root: tuple[object, ...] | list[object]) -> Value:
    """Return a nest of tuples and lists as one of tuples; what is shared stays shared."""
    values: dict[int, Value] = {}
    entered: set[int] = set()
    stack: list[tuple[object, ...] | list[object]] = [root]
    while stack:
        nest = stack[-1]
        inner = [item for item in nest if isinstance(item, (tuple, list))]
        pending = [item for item in inner if id(item) not in values]
        if not pending:
            stack.pop()
            items = tuple([values[id(i)] if id(i) in values else as_value(i) for i in nest])
            unchanged = type(nest) is tuple and all(map(operator.is_, items, nest))
            values[id(nest)] = nest if unchanged else items  # type: ignore[assignment]
            continue
        if not entered.isdisjoint(map(id, pending)):
            raise TypeError("a list that contains itself has no value")
        entered.add(id(nest))
        stack += pending
    return values[id(root)]


def _scalar(value: object) -> np.generic:
    if type(value) is int and not -(2**31) <= value < 2**31:  # numpy 1 would wrap it around
        raise ValueError(
            f"{value!r} does not fit int32, the default of constants; "
            f"give its type: const({value!r}, 'int64')"
        )
    return _DEFAULTS[type(value)](value)


def _freeze(array: npt.NDArray[np.generic]) -> Value:
    if array.dtype.kind in "OU":
        texts = as_strings(np.asarray(array))
        return _refuse(array) if texts is None else texts
    if array.dtype.kind in "SM" or issubclass(array.dtype.type, np.void):
        _refuse(array)
    array = np.asarray(array)  # matrices and masked arrays compute otherwise
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.ndim == 0:
        return array[()]
    if array.flags.writeable or not array.flags.aligned or not _is_frozen(array.base):
        array = array.copy()
        array.flags.writeable = False
    return array


def _is_frozen(base: object) -> bool:
    """Return whether nobody can write to the memory that a read-only array with that base shows."""
    if isinstance(base, mmap):
        with memoryview(base) as view:
            return view.readonly
    if isinstance(base, np.ndarray):
        return not base.flags.writeable and base.base is not None and _is_frozen(base.base)
    return base is None or type(base) is bytes


def _refuse(value: object) -> Value:
    raise TypeError(
        f"a constant holds a number, an array, a string, a tuple of these or None; found "
        f"{value!r} ({type(value).__name__})"
    )
