"""Miscompilation check: whether a program computes something else after passes."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish._support.graph import walk_tree
from relayish.errors import EvaluationError, RelayishError
from relayish.interpreter import evaluate, normalise, random_arguments, same_value
from relayish.interpreter.value import Evaluated
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.debug.bisect import Fault

_NUMBERS: Final = (np.ndarray, np.generic)


def other_value(
    entry: str = "main", *, seed: int = 0, rtol: float = 1e-5, atol: float = 1e-5
) -> Fault:
    """Return the fault that the function ``entry`` computes something else than before.

    Both programs are evaluated with arguments drawn from ``seed``. Numbers may differ by ``atol``
    and ``rtol`` of the value before; a program without ``entry``, or whose parameters have no
    value that can be drawn, computes nothing that could be compared; :func:`compute` says why.
    """

    def value(mod: IRModule) -> Evaluated | str:
        try:
            return compute(mod, entry, seed)
        except RelayishError as error:
            return f"{type(error).__name__}: {error}"

    def fault(before: IRModule, after: IRModule) -> str | None:
        expected = value(before)
        if isinstance(expected, str):
            return None
        found = value(after)
        if isinstance(found, str):
            return f"the value cannot be computed any more: {found}"
        if _close(found, expected, rtol, atol):
            return None
        return f"the value was {expected!r} and is {found!r}"

    return fault


def compute(mod: IRModule, entry: str = "main", seed: int = 0) -> Evaluated:
    """Return what the function ``entry`` computes of arguments drawn from ``seed``.

    Raises:
        UnknownNameError: If there is no such function.
        EvaluationError: If no arguments can be drawn, or evaluation fails.
    """
    func = mod[entry]
    if not isinstance(func, Function):
        raise EvaluationError(f"@{entry} is no function, but a {type(func).__name__}")
    return evaluate(func, mod, random_arguments(func, seed))


def _close(found: Evaluated, expected: Evaluated, rtol: float, atol: float) -> bool:
    for one, other in walk_tree((normalise(found), normalise(expected)), _fields):
        if isinstance(one, tuple) and isinstance(other, tuple):
            if len(one) != len(other):
                return False
        elif isinstance(one, np.ndarray | np.generic) and isinstance(
            other, np.ndarray | np.generic
        ):
            if one.dtype != other.dtype or one.shape != other.shape:
                return False
            wide = np.asarray(one, "float64"), np.asarray(other, "float64")
            if not np.allclose(*wide, rtol=rtol, atol=atol, equal_nan=True):
                return False
        elif not same_value(one, other):
            return False
    return True


def _fields(pair: tuple[Evaluated, Evaluated]) -> list[tuple[Evaluated, Evaluated]]:
    one, other = pair
    return list(zip(*pair, strict=True)) if type(one) is type(other) is tuple else []
