"""Shorthand for attributes, expanded: one number for each axis, a name for a list.

One number stands for a tuple of it, one size for that size along every axis a window slides over,
padding given once for each axis for that padding on both sides of it, a constant for what it holds.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Final

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Op
from relayish.op.declaration.properties import attrs_type
from relayish.op.declaration.signature import ARRAY

_WINDOWS: Final = frozenset({"strides", "dilation", "kernel_size", "pool_size", "output_padding"})


def as_constant(dtype: str | None, value: object) -> object:
    """Return ``value`` of an argument; a number that may stand there as a constant.

    Args:
        dtype: The element type of the constant, :data:`~.signature.ARRAY` for an argument that may
            be given as an array, ``None`` for others.
        value: What is given.
    """
    if dtype is None:
        return value
    if dtype == ARRAY:
        return Constant(value) if isinstance(value, np.ndarray) else value
    return const(value, dtype) if isinstance(value, (int, float)) else value


def expand_shorthand(op: Op, attributes: dict[str, object]) -> dict[str, object]:
    """Return ``attributes`` of ``op`` with the short forms written out."""
    cls = attrs_type.get(op)
    if cls is None:
        return attributes
    # mypy takes the hash of instances for that of their class
    tuples, expressions = _tuples(cls), _expressions(cls)  # type: ignore[arg-type]
    rank: int = getattr(cls, "spatial_rank", 0)
    return {
        name: value
        if name in expressions
        else _expand(name, _unwrap(value), rank, single=name in tuples)
        for name, value in attributes.items()
    }


@cache
def _tuples(cls: type[Attrs]) -> frozenset[str]:
    """Return the names of the attributes that are tuples and of nothing else."""
    hints = [(name, get_annotation(cls, name)) for name in cls.field_names]
    return frozenset(
        [n for n, hint in hints if hint.startswith("tuple[") and "tuple[tuple" not in hint]
    )


@cache
def _expressions(cls: type[Attrs]) -> frozenset[str]:
    """Return the names of the attributes that may hold expressions."""
    hints = [(name, get_annotation(cls, name)) for name in cls.field_names]
    return frozenset([n for n, hint in hints if re.search(r"\b(Expr|Constant|object)\b", hint)])


def get_annotation(cls: type[Attrs], name: str) -> str:
    """Return what an attribute is annotated with, as it is written."""
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
