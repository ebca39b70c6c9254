"""A call of each operator, evaluated: what the pages of operators show."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Final

import numpy as np

from relayish.errors import RelayishError
from relayish.interpreter import create_executor
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Call, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.relay.typed import type_of
from relayish.ir.values.dtype import numpy_dtype
from relayish.op import get_op, is_registered
from relayish.op.declaration.properties import arguments
from relayish.text import astext
from relayish.transform import InferType
from tests.support.sound_calls import OF_OBJECTS, sound_calls

MOST: Final = 32
"""Values with more elements, or axes, are told by their types alone."""
MOST_AXES: Final = 3


def operator_example(path: str) -> str:
    """Return a program that calls the operator with a public path, and what it makes of numbers."""
    name = path.removeprefix("relayish.")
    found = _calls().get(name)
    if found is None or not is_registered(name):
        return ""
    types, attrs = found
    mod = _module(name, types, attrs)
    text = "\n".join(astext(mod, show_meta_data=False).splitlines()[1:]).strip()
    shown = [f"**Example**\n\n```relay\n{text}\n```"]
    values = _evaluated(mod)
    if values:
        shown.append(f"```text\n{values}\n```")
    return "\n\n".join(shown)


@cache
def _calls() -> dict[str, tuple[tuple[Type, ...], Attrs | None]]:
    return {name: call for name, call in sound_calls().items() if name not in OF_OBJECTS}


def _module(name: str, types: tuple[Type, ...], attrs: Attrs | None) -> IRModule:
    params = [Var(hint, each) for hint, each in zip(_names(name, types), types, strict=True)]
    call = Call(get_op(name), params, attrs)
    return InferType()(IRModule.from_expr(Function(params, call)))


def _names(name: str, types: tuple[Type, ...]) -> list[str]:
    told = arguments.get(get_op(name)) or ()
    return [told[number] if number < len(told) else f"x{number}" for number in range(len(types))]


def _evaluated(mod: IRModule) -> str:
    """Return arguments and the result as text, or nothing where there is no value."""
    func = mod["main"]
    assert isinstance(func, Function)
    values = [_value(type_of(param)) for param in func.params]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numpy, about logarithms of zero and the like
            result = create_executor("debug", mod).evaluate()(*values)
    except RelayishError:
        return ""
    names = [param.name_hint for param in func.params]
    shown = [f"%{name} = {_shown(value)}" for name, value in zip(names, values, strict=True)]
    return "\n".join((*shown, f"result = {_shown(result)}"))


def _value(ty: Type, start: int = 0) -> object:
    """Return a value of a type: small numbers that differ, integers that may be positions."""
    if isinstance(ty, TupleType):
        return tuple(_value(field, number) for number, field in enumerate(ty.fields))
    assert isinstance(ty, TensorType), f"{ty} has no example"
    shape = [size if isinstance(size, int) else 2 for size in ty.shape]
    count = np.arange(start, start + int(np.prod(shape)))
    dtype = numpy_dtype(ty.dtype)
    numbers = (count % 7) / 4 - 0.5 if dtype.kind not in "iub" else count % 2
    return numbers.reshape(shape).astype(dtype)


def _shown(value: object) -> str:
    """Return a value as numpy writes it, or its type where that would be long."""
    if isinstance(value, tuple):
        return "\n".join(f".{number}: {_shown(each)}" for number, each in enumerate(value))
    array = np.asarray(value)
    if array.size > MOST or array.ndim > MOST_AXES:
        return f"{array.dtype} of shape {array.shape}"
    return np.array2string(array, precision=4, suppress_small=True, max_line_width=84)
