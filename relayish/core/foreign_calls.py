"""Functions of core as other languages call them: functions of values, which stay as they are.

Addresses are given as arrays, copies of which the function may change. A function that returns
nothing gives what it left in these arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.core.interpreter.run import Interpreter
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.type import Type
from relayish.ir.kinds.callables import CALLABLES, Callee, CallSignature, ForeignCall, ValueType
from relayish.ir.modules.module import AnyModule


def callee_of(func: FuncEntry, name: str, mod: AnyModule) -> Callee:
    """Return a function of core as a function of values.

    It gives what the function returns; of one that returns nothing the array at the address it was
    given, a tuple if these are none or several. Variables of the module begin anew in each call.
    """
    params, returns = func.type.params, not func.type.result.is_void

    def call(*values: Any) -> Any:  # Any: numpy scalars and arrays
        given = [
            np.array(value, ndmin=1) if held.is_pointer else value
            for value, held in zip(values, params, strict=False)
        ]
        given += values[len(params) :]  # one too many, which the interpreter tells
        result = Interpreter(mod).call(name, *given)
        if returns:
            return result
        left = [each for each, held in zip(given, params, strict=False) if held.is_pointer]
        return left[0] if len(left) == 1 else tuple(left)

    return call


def signature_of(func: FuncEntry) -> CallSignature | None:
    """Return what a function takes and gives, ``None`` where shapes of arrays are not told."""
    params = [_type_of(held) for held in func.type.params]
    left = [_type_of(held) for held in func.type.params if held.is_pointer]
    result = func.type.result
    results = left if result.is_void else [_type_of(result)]
    told = [each for each in (*params, *results) if each is not None]
    if len(told) < len(params) + len(results):
        return None
    return CallSignature(tuple(told[: len(params)]), tuple(told[len(params) :]))


def _type_of(held: Type) -> ValueType | None:
    given = held.pointee if held.is_pointer else held
    element = given.element if given.is_array else given
    if (held.is_pointer and not given.is_array) or not (element.is_number or element.is_bool):
        return None
    return ValueType(given.shape if given.is_array else (), element.numpy.name)


CALLABLES.register(FuncEntry, ForeignCall(callee_of, signature_of))
