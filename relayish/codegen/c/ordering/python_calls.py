"""Operators that loops do not express, as functions of Python that fill memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.interpreter.evaluate import evaluate
from relayish.interpreter.value import leaves
from relayish.ir.relay.expr import Function
from relayish.ir.relay.tuples import leaf_types, nest
from relayish.ir.relay.type import Type
from relayish.ir.relay.typed import type_of
from relayish.text.relay.printer import astext
from relayish.tir.externs import find_extern, nothing, register_extern


def install_function(func: Function, results: int) -> str:
    """Let loops call a function of Relay, which numpy evaluates, and return by which name.

    The name tells the text of the function, so one that is registered is not registered again.

    Args:
        func: A closed function of tensors, and tuples of these.
        results: How many tensors it gives.
    """
    name = f"relay_{sha256(astext(func).encode()).hexdigest()[:16]}"
    if find_extern(name) is None:
        types = [type_of(param) for param in func.params]
        register_extern(name, _filling(func, types), arity=None, writes=results, type_rule=nothing)
    return name


def _filling(func: Function, types: Sequence[Type]) -> Callable[..., None]:
    """Return what evaluates a function of some arrays, and puts the results into further ones."""
    count = sum([len(leaf_types(ty)) for ty in types])

    def fill(*arrays: np.ndarray[Any, Any]) -> None:  # Any: of any element type
        given: Iterator[Any] = map(np.copy, arrays[:count])  # Any: or tuples of these
        value = evaluate(func, args=[nest(ty, given, tuple) for ty in types])
        found = leaves(value)
        for place, each in zip(arrays[count:], found, strict=True):
            if place.shape != np.shape(each) or place.dtype != np.asarray(each).dtype:
                raise EvaluationError(
                    f"{np.shape(each)} {np.asarray(each).dtype} is computed where memory is for "
                    f"{place.shape} {place.dtype}; types of the program do not hold"
                )
            place[...] = each

    return fill
