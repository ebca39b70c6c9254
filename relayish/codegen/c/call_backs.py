"""Calls from C back into Python: functions that ``register_extern`` knows, given memory.

A source that has such calls has a variable for the function that serves them, which is set when the
library is loaded. What a function raises goes around the frames of C: they end with a status, and
whoever called them raises it again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextvars import ContextVar
from functools import cache
from itertools import count
from math import prod
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from relayish.codegen.c.context import Fault
from relayish.errors import EvaluationError
from relayish.tir.externs import find_extern
from relayish.tir.ir.type import Type, as_type

CALL_BACK: Final = "relayish_call_back"
"""The variable of C that holds the function which calls Python."""

DECLARATION: Final = f"""\
/* calls a function of Python; whoever loads this sets it */
int32_t (*{CALL_BACK})(
  const char *name, const char *layout, const int64_t *sizes, void *const *memory);"""

NUMBERS: Final = "relayish_numbers"
"""The function of C that gives what a check that failed tells, where any does."""

FAILED: Final = -1
"""The status of a call that raised an error."""

_RAISED: ContextVar[BaseException | None] = ContextVar("_RAISED", default=None)


class Layout(NamedTuple):
    """Memory that a function of Python is given.

    Attributes:
        dtype: Its element type.
        shape: Its sizes; ``None`` where one is told when it is called.
        is_written: Whether the function fills it.
    """

    dtype: Type
    shape: tuple[int | None, ...]
    is_written: bool

    def __str__(self) -> str:
        sizes = ",".join(["?" if size is None else str(size) for size in self.shape])
        return f"{'>' if self.is_written else ''}{self.dtype}[{sizes}]"


def load_library(path: str) -> ctypes.CDLL:
    """Return a shared object, whose calls of Python are served."""
    library = ctypes.CDLL(path)
    try:
        variable = ctypes.c_void_p.in_dll(library, CALL_BACK)
    except ValueError:
        return library  # it has no such calls
    variable.value = ctypes.cast(_server(), ctypes.c_void_p).value
    return library


def raise_for(
    status: int, faults: Sequence[Fault], library: ctypes.CDLL, numbers: str = NUMBERS
) -> NoReturn:
    """Raise what a status says: the error of a check, or what a function of Python raised.

    Args:
        status: The status.
        faults: What checks find.
        library: What gave it.
        numbers: The function of it that gives the numbers that a check tells.

    Raises:
        EvaluationError: If a check failed.
    """
    if status != FAILED:
        fault = faults[status - 1]
        told: Sequence[int] = ()
        if fault.shown:
            tell = getattr(library, numbers)
            tell.restype = ctypes.POINTER(ctypes.c_int64)
            told = tell()[: len(fault.shown)]
        raise fault.error(told)
    error = _RAISED.get()
    _RAISED.set(None)
    assert error is not None
    raise error


@cache
def _server() -> Any:  # Any: as ctypes types functions
    """Return the function of C that serves all calls."""
    sizes, memory = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p)
    made = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_char_p, sizes, memory)
    return made(_serve)


def _serve(name: bytes, layout: bytes, sizes: Any, memory: Any) -> int:  # Any: as ctypes has them
    try:
        _call(name.decode(), layout.decode(), sizes, memory)
    except BaseException as error:  # noqa: BLE001 - it is raised again behind the frames of C
        _RAISED.set(error)
        return FAILED
    return 0


def _call(name: str, layout: str, sizes: Any, memory: Any) -> None:
    extern = find_extern(name)
    if extern is None:
        raise EvaluationError(
            f"nothing is known of the function {name!r} any more; call tir.register_extern"
        )
    layouts, told = _layouts(layout), count()
    shapes = [
        [max(sizes[next(told)], 0) if size is None else size for size in each.shape]
        for each in layouts
    ]
    arrays = [
        _array(each, shape, memory[at])
        for at, (each, shape) in enumerate(zip(layouts, shapes, strict=True))
    ]
    extern.evaluate(*arrays)


@cache
def _layouts(text: str) -> tuple[Layout, ...]:
    """Return what is written as texts of layouts."""
    found = []
    for each in text.split(";"):
        head, _, sizes = each.rstrip("]").partition("[")
        shape = tuple([None if size == "?" else int(size) for size in sizes.split(",") if size])
        found.append(Layout(as_type(head.removeprefix(">")), shape, head.startswith(">")))
    return tuple(found)


def _array(layout: Layout, shape: Sequence[int], address: int) -> np.ndarray[Any, Any]:
    """Return memory of C as an array."""
    dtype = layout.dtype.numpy
    number = prod(shape)
    if not number:
        return np.empty(shape, dtype)
    held: Any = (ctypes.c_uint8 * (number * dtype.itemsize)).from_address(address)  # Any: memory
    array: np.ndarray[Any, Any] = np.frombuffer(held, dtype).reshape(shape)
    array.flags.writeable = layout.is_written
    return array
