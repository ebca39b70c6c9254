"""Kinds of local rules: of a kind of node, wherever it stands."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from relayish.tir.ir.type import Type


@lru_cache(maxsize=4096)
def is_number(given: Type) -> bool:
    """Return whether ``given`` is a type of numbers, truth values left out."""
    return given.is_numeric and not given.is_bool


@lru_cache(maxsize=4096)
def is_numeric(given: Type) -> bool:
    """Return whether ``given`` is a type of numbers or truth values."""
    return given.is_numeric


def is_truth_value(given: Type) -> bool:
    """Return whether ``given`` is the type of one truth value."""
    return given == _BOOL


def is_index(given: Type) -> bool:
    """Return whether ``given`` is a type that counts elements and iterations."""
    return given in _INDICES


_BOOL: Final = Type("bool")
_INDICES: Final = frozenset([Type("int32"), Type("int64")])
