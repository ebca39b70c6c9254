"""Values and attributes as Python expressions, where these are short."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from relayish.interpreter.call import default_attrs
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Op
from relayish.op.declaration import properties

_LARGEST_ARRAY: Final = 16
_LARGEST_TUPLE: Final = 64
_DEEPEST: Final = 4


def literal(value: object, depth: int = 0) -> str | None:
    """Return an expression whose value is ``value``, to the bit but for NaNs; ``None`` for others.

    Example:
        >>> literal(np.float32(0.1)), literal(np.array([1, 2], "int8")), literal((1, "a", None))
        ('np.float32(0.1)', "np.array([1, 2], 'int8')", "(1, 'a', None)")
    """
    kind = np.generic if isinstance(value, np.generic) else type(value)
    spell = _SPELLINGS.get(kind)
    return None if spell is None else spell(value, depth)


def tuple_of(fields: Sequence[str]) -> str:
    """Return the expression of a tuple of ``fields``."""
    return f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"


def _tuple(value: tuple[object, ...], depth: int) -> str | None:
    if depth > _DEEPEST or len(value) > _LARGEST_TUPLE:
        return None
    fields = [literal(field, depth + 1) for field in value]
    return None if None in fields else tuple_of([field for field in fields if field is not None])


def _float(value: float, _depth: int) -> str:
    return repr(value) if math.isfinite(value) else f"float({str(value)!r})"


def _exact(value: object, _depth: int) -> str:
    return repr(value)


def _scalar(value: np.generic[Any], _depth: int) -> str | None:  # Any: any element type
    if value.dtype.kind not in "biuf":  # else of another package, or none of Relay's
        return None
    item = _number(value)
    if isinstance(item, float) and not math.isfinite(item):
        item = str(item)
    return f"np.{value.dtype.name.replace('bool', 'bool_')}({item!r})"


def _number(value: np.generic[Any]) -> object:  # Any: any element type
    """Return a number of Python that is converted to ``value``, that with the fewest digits."""
    if value.dtype.kind != "f":
        return value.item()
    short = float(str(value))
    return short if value.dtype.type(short) == value else value.item()


def _array(
    value: np.ndarray[Any, Any], _depth: int
) -> str | None:  # Any: of any shape and element type
    if value.dtype.kind not in "biuf" or not 0 < value.size <= _LARGEST_ARRAY:
        return None
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        return None
    numbers = np.array([_number(item) for item in value.flat], object).reshape(value.shape)
    return f"np.array({numbers.tolist()!r}, {value.dtype.name!r})"


_SPELLINGS: Final[dict[type, Callable[[Any, int], str | None]]] = {  # Any: of the type
    **dict.fromkeys((type(None), bool, int, str), _exact),
    float: _float,
    tuple: _tuple,
    np.generic: _scalar,
    np.ndarray: _array,
}
"""How values of a type are written; what derives from one of Python's may be written otherwise."""


def keywords(op: Op, attrs: Attrs | None) -> list[str] | None:
    """Return the attributes of a call as keyword arguments; ``None`` if Python cannot say them.

    Attributes that are what a call without any stands for are left out.
    """
    if attrs is None:
        return []
    kind = properties.attrs_type.get(op)
    if type(attrs) is not kind:
        return None
    shown = dict(attrs.shown_items())
    values = {name: literal(value) for name, value in shown.items()}
    if None in values.values() or "attrs" in shown:
        return None
    if not shown:
        return [] if default_attrs(op) == attrs else None
    return [f"{name}={text}" for name, text in values.items()] if kind(**shown) == attrs else None
