"""Constant memory: what functions are given that holds the same in each run."""

from __future__ import annotations

from typing import Final

from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Parameter

CONSTANT: Final = "constant_arguments"
"""The attribute of a function that tells the numbers of the arguments that are constant."""


def constant_memory(func: LoweredFunc) -> frozenset[Parameter]:
    """Return the arguments of a function that are noted as constant."""
    numbers = () if func.attrs is None else func.attrs.get(CONSTANT, ())
    assert isinstance(numbers, tuple)
    return frozenset([func.args[at] for at in numbers])
