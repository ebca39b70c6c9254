"""Shorthand for attributes, expanded: one number for each axis, a name for a list.

One number stands for a tuple of it, one size for that size along every axis a window slides over,
padding given once for each axis for that padding on both sides of it, a constant for what it holds.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import cache
from typing import Final

import numpy as np

from relayish.ir.attrs import Attrs
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Op
from relayish.op.declaration.properties import attrs_type

_WINDOWS: Final = frozenset({"strides", "dilation", "kernel_size", "pool_size", "output_padding"})
_SLIDING: Final = re.compile(
    r"(?:qnn|nn)\.(?:contrib_|deformable_|bitserial_|contrib_depthwise_|max_|avg_)?"
    r"(?:conv|pool)([123])d"
)


NUMBERS: Final[Mapping[str, str]] = {
    "iou_threshold": "float32",
    "k": "int32",
    "max_output_boxes_per_class": "int64",
    "max_output_size": "int32",
    "score_threshold": "float32",
}
"""Arguments that may be given as numbers, and the element types they take."""


def as_constant(name: str, value: object) -> object:
    """Return ``value`` of the argument ``name``; a number that may stand there as a constant."""
    if name == "key" and isinstance(value, np.ndarray):
        return Constant(value)  # as threefry_key gives it
    dtype = NUMBERS.get(name)
    return const(value, dtype) if dtype and isinstance(value, (int, float)) else value


def expand_shorthand(op: Op, attributes: dict[str, object]) -> dict[str, object]:
    """Return ``attributes`` of ``op`` with the short forms written out."""
    cls = attrs_type.get(op)
    if cls is None:
        return attributes
    # mypy takes the hash of instances for that of their class
    tuples, expressions = _tuples(cls), _expressions(cls)  # type: ignore[arg-type]
    rank = spatial_rank(op.full_name)
    return {
        name: value
        if name in expressions
        else _expand(name, _unwrap(value), rank, single=name in tuples)
        for name, value in attributes.items()
    }


@cache
def _tuples(cls: type[Attrs]) -> frozenset[str]:
    """Return the names of the attributes that are tuples and of nothing else."""
    hints = [(name, _annotation(cls, name)) for name in cls.field_names]
    return frozenset(
        [n for n, hint in hints if hint.startswith("tuple[") and "tuple[tuple" not in hint]
    )


@cache
def _expressions(cls: type[Attrs]) -> frozenset[str]:
    """Return the names of the attributes that may hold expressions."""
    hints = [(name, _annotation(cls, name)) for name in cls.field_names]
    return frozenset([n for n, hint in hints if re.search(r"\b(Expr|Constant|object)\b", hint)])


def _annotation(cls: type[Attrs], name: str) -> str:
    for base in cls.__mro__:
        found = inspect.get_annotations(base).get(name)
        if found is not None:
            return str(found)
    return ""


def _unwrap(value: object) -> object:
    if isinstance(value, Constant) and isinstance(value.data, (np.ndarray, np.generic)):
        return value.data.tolist()
    return value


def _expand(name: str, value: object, rank: int, *, single: bool) -> object:
    if not single:
        return value
    number = isinstance(value, (int, float, np.integer)) and not isinstance(value, bool)
    if rank and name in _WINDOWS:
        if isinstance(value, (tuple, list)) and len(value) == 1:
            return tuple(value) * rank
        return (value,) * rank if number else value
    if rank and name == "padding":
        sizes = (value,) * rank if number else value
        if isinstance(sizes, (tuple, list)) and len(sizes) == 1:
            sizes = tuple(sizes) * rank
        if isinstance(sizes, (tuple, list)) and len(sizes) == rank:
            return (*sizes, *sizes)
        return sizes
    if name == "output_size" and value is None:
        return ()
    return (value,) if number else value


def spatial_rank(name: str) -> int:
    """Return over how many axes an operator such as ``nn.conv2d`` slides its window, or 0."""
    found = _SLIDING.match(name)
    return int(found[1]) if found else 0
