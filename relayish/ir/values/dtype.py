"""Names of element types, and the numpy types behind them."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from relayish.errors import FieldError, suggest

_PATTERN = re.compile(
    r"(?:u?int\d{1,4}|float(?:8|16|32|64|128)|bfloat16|bool|float[468]_?e\dm\d\w*|e\dm\d\w*_float8"
    r"|complex(?:64|128)"
    r"|handle|custom\[\w+\]\d+)(?:x\d+)?|void|string|u?int|float"
)
_SHORT_NAMES = {"uint1": "bool", "int": "int32", "uint": "uint32", "float": "float32"}


@lru_cache(maxsize=1024)
def check_dtype(name: DTypeLike) -> str:
    """Return ``name`` as the canonical name of an element type.

    Args:
        name: A name, a ``numpy.dtype`` or a numpy scalar class.

    Raises:
        FieldError: If it is none of these.
    """
    if isinstance(name, str) and _PATTERN.fullmatch(name):
        return _SHORT_NAMES.get(name, name)
    if isinstance(name, (np.dtype, type)):
        try:
            found = np.dtype(name).name
        except (TypeError, ValueError):
            found = ""
        if _PATTERN.fullmatch(found):
            return found
    raise FieldError(
        f"{name!r} names no element type; use a name such as 'float32', 'int64', 'bool' or 'uint8'"
        f"{suggest(str(name), _COMMON)}"
    )


_COMMON: Final = (
    "float32", "float64", "float16", "bfloat16", "bool",
    "int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64",
)  # fmt: skip


DTypeLike: TypeAlias = str | np.dtype[np.generic] | type
"""What names an element type: its name, one of numpy's, or a class of numpy's scalars."""

DType: TypeAlias = Annotated[str, check_dtype]
"""The name of an element type: ``float32``, ``bool``, ``int8``, ``bfloat16``, ``float32x4``, …"""


@lru_cache(maxsize=256)
def numpy_dtype(name: DType) -> np.dtype[np.generic]:
    """Return the numpy type that holds elements of type ``name``.

    Raises:
        FieldError: If numpy (with ``ml_dtypes`` for bfloat16 and float8) has none, as for
            vectors (``float32x4``), odd widths (``int4``, ``uint2``) and handles.
    """
    known: np.dtype[np.generic] | None = None
    with contextlib.suppress(TypeError):
        known = np.dtype(_SHORT_NAMES.get(name, name))
    return _find_extended_dtype(name) if known is None else known


_OTHER_NAMES = {"e4m3_float8": "float8_e4m3fn", "e5m2_float8": "float8_e5m2"}


def _find_extended_dtype(name: DType) -> np.dtype[np.generic]:
    import ml_dtypes  # noqa: PLC0415 - loaded only for the element types numpy lacks

    check_dtype(name)
    scalar = getattr(ml_dtypes, _OTHER_NAMES.get(name, name), None)
    if scalar is None:
        raise FieldError(
            f"values of element type {name!r} cannot be held; numpy and ml_dtypes have no such type"
        )
    extended: np.dtype[np.generic] = np.dtype(scalar)
    return extended


def element_name(dtype: np.dtype[Any]) -> str:  # Any: any element type
    """Return what types of tensors call an element type: ``string`` where arrays hold objects."""
    return "string" if dtype.kind == "O" else dtype.name


def type_name(dtype: np.dtype[Any]) -> str:  # Any: any element type
    """Return the name of an element type of numpy, from which :func:`find_type` finds it.

    Raises:
        ValueError: If numpy cannot find it by name (records).
    """
    for name in (dtype.str, dtype.name):
        try:
            if find_type(name) == dtype:
                return name
        except (TypeError, ValueError):
            continue
    raise ValueError(f"no name says what element type {dtype} is; cast the array")


def find_type(name: str) -> np.dtype[Any]:  # Any: as above
    """Return the element type of a name that :func:`type_name` gave."""
    return np.dtype(name) if name[:1] in "<>|=" else numpy_dtype(name)


def width_in_bytes(name: DType) -> int | None:
    """Return how much memory an element takes; ``None`` for handles and what else has no size.

    The elements of a vector are counted together, and an element takes whole bytes.

    Example:
        >>> width_in_bytes("float32x4"), width_in_bytes("float4_e2m1fn"), width_in_bytes("int4x3")
        (16, 1, 2)
    """
    found = _WIDTH.fullmatch(name)
    if found is None:
        return None
    bits = int(found["bits"] or (1 if found["bool"] else 8))
    return (bits * int(found["lanes"] or 1) + 7) // 8


_WIDTH: Final = re.compile(
    r"(?:(?P<bool>bool)|(?:u?int|float|bfloat|custom\[\w+\])(?P<bits>\d+)(?:_?e\dm\d\w*?)?"
    r"|e\dm\d\w*?_float8)(?:x(?P<lanes>\d+))?"
)


def get_lowest_number(dtype: np.dtype[Any]) -> int | float:  # Any: known when it comes
    """Return the lowest finite number of an element type of integers or floating point numbers."""
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min)
    if (
        dtype.kind == "f" and dtype.isbuiltin == 1
    ):  # of those that a package adds numpy knows little
        return float(np.finfo(dtype).min)
    import ml_dtypes  # noqa: PLC0415 - as above; a value of such a type has loaded it already

    try:
        return int(ml_dtypes.iinfo(dtype).min)  # type: ignore[no-untyped-call]
    except ValueError:
        return float(ml_dtypes.finfo(dtype).min)  # type: ignore[no-untyped-call]
