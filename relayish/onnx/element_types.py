"""Element types of ONNX: their numbers, their names, and the numpy types that hold them."""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError

ELEMENT_TYPES: Final[dict[int, str]] = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8_e4m3fn",
    18: "float8_e4m3fnuz",
    19: "float8_e5m2",
    20: "float8_e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4_e2m1fn",
    24: "float8_e8m0fnu",
    25: "uint2",
    26: "int2",
    27: "float6_e2m3fn",
    28: "float6_e3m2fn",
}
"""The name of each number that ``TensorProto.DataType`` has; 0 says that nothing is known."""

_NUMBERS: Final = {name: number for number, name in ELEMENT_TYPES.items()}


def element_type_name(number: int) -> str:
    """Return the name of an element type: ``'float32'`` of 1.

    Raises:
        EvaluationError: If ONNX has no element type of that number.
    """
    name = ELEMENT_TYPES.get(number)
    if name is None:
        raise EvaluationError(
            f"{number} is no element type of ONNX; expected one of 1 to {max(ELEMENT_TYPES)}"
        )
    return name


def element_type_number(name: str) -> int:
    """Return the number of an element type: 1 of ``'float32'``.

    Raises:
        EvaluationError: If ONNX has no element type of that name.
    """
    number = _NUMBERS.get(name)
    if number is None:
        raise EvaluationError(
            f"{name!r} is no element type of ONNX; expected one of {', '.join(_NUMBERS)}"
        )
    return number


@functools.cache
def find_numpy_dtype(number: int) -> np.dtype[Any]:  # Any: known when the number is
    """Return the numpy type that holds elements; strings are held as objects.

    Raises:
        EvaluationError: If there is no such element type, or the ``ml_dtypes`` that is installed
            does not have it.
    """
    name = element_type_name(number)
    try:
        found: np.dtype[Any] = np.dtype("object" if name == "string" else name)
    except TypeError:
        return _find_extended_dtype(name)
    return found


def _find_extended_dtype(name: str) -> np.dtype[Any]:  # Any: as above
    import ml_dtypes  # noqa: PLC0415 - loaded only for the element types numpy lacks

    scalar = getattr(ml_dtypes, name, None)
    if scalar is None:
        raise EvaluationError(
            f"values of element type {name} cannot be held: ml_dtypes {ml_dtypes.__version__} has "
            "no such type; install a newer one"
        )
    extended: np.dtype[Any] = np.dtype(scalar)
    return extended


@functools.lru_cache(maxsize=64)  # numpy makes up the name of a type each time it is asked
def find_element_type(dtype: np.dtype[Any]) -> int:  # Any: any element type
    """Return the number of the element type that an array of this numpy type holds.

    Raises:
        EvaluationError: If ONNX has no such element type.
    """
    return element_type_number("string" if dtype.kind in "OUS" else dtype.name)
