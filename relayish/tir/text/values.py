"""Values in the section of details that are no nodes: numbers, strings, lists, attributes.

``true``, ``false``, ``none``, ``7``, ``1.5f`` (with as many digits as it takes), ``"text"``,
``[1, 2]``, ``{key=value}``, ``float32(1.5f)`` for a scalar of numpy, and for an array
``array(float32, [2], "<base64 of its bytes>")``. A NaN has its bits: ``bits(0x7ff8000000000001)``.
"""

from __future__ import annotations

import base64
import struct

import numpy as np

from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.values.dtype import numpy_dtype
from relayish.text.literals import quote
from relayish.tir.ir.target import Target
from relayish.tir.ir.type import Type
from relayish.tir.text.spelling import spell_name, spell_target, spell_type

_DEEPEST = 100


def spell_value(value: object, *, exact: bool = True, depth: int = 0) -> str:
    """Return the text of a value.

    Args:
        value: What to write.
        exact: Whether a value that has no text is an error; else it is ``...``.
        depth: How many lists and mappings are around it.

    Raises:
        FieldError: If it has no text.
    """
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case int() if type(value) is int:
            return str(value)
        case float() if type(value) is float:
            return spell_exact_float(value)
        case str() if type(value) is str:
            return quote(value)
        case Target():
            return spell_target(value)
        case Type():
            return f"type({spell_type(value)})"
        case tuple() if type(value) is tuple and depth < _DEEPEST:
            return f"[{', '.join([spell_value(v, exact=exact, depth=depth + 1) for v in value])}]"
        case DictAttrs() if depth < _DEEPEST:
            return f"{{{spell_items(value, exact=exact, depth=depth + 1)}}}"
        case np.generic() | np.ndarray() if value.dtype.kind != "O":
            return _spell_array(value)
    if not exact:
        return "..."
    raise FieldError(
        f"{value!r} ({type(value).__name__}) has no text in programs of loops; attributes are "
        f"numbers, strings, arrays, lists and mappings, nested to a depth of {_DEEPEST}"
    )


def spell_items(attrs: DictAttrs, *, exact: bool = True, depth: int = 0) -> str:
    """Return ``key=value, key=value``."""
    shown = [
        f"{spell_name(key)}={spell_value(value, exact=exact, depth=depth)}"
        for key, value in attrs.items()
    ]
    return ", ".join(shown)


def spell_exact_float(value: float) -> str:
    """Return the text of a Python float that tells all its bits."""
    if value != value:  # noqa: PLR0124 - NaN is what differs from itself
        return f"bits({struct.unpack('>Q', struct.pack('>d', value))[0]:#018x})"
    return f"{value!r}f"


def _spell_array(value: np.generic | np.ndarray) -> str:
    array = np.asarray(value)
    shape = ", ".join(map(str, array.shape))
    content = base64.b64encode(array.tobytes()).decode()
    what = "scalar" if isinstance(value, np.generic) else "array"
    return f'{what}({array.dtype}, [{shape}], "{content}")'


def make_array(dtype: str, shape: tuple[int, ...], content: str, *, is_scalar: bool) -> object:
    """Return the array that :func:`spell_value` wrote.

    Raises:
        ValueError: If the bytes are not those of such an array.
    """
    kind = numpy_dtype(dtype) if dtype[0] not in "<>|" else np.dtype(dtype)
    array = np.frombuffer(base64.b64decode(content, validate=True), kind).reshape(shape).copy()
    return array[()] if is_scalar else array
