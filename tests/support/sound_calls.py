"""A sound call of every operator: the types of its arguments, and its attributes.

They stand in a table: names of operators, then the types of arguments, tuples in brackets, and
behind a bar the attributes that have no default or another value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import FuncType, GlobalTypeVar, TensorType, TupleType, Type, TypeCall
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op import get_op, make_attrs

TABLE = Path(__file__).parents[1] / "cases" / "sound_calls.txt"
MATRIX, NUMBER, LENGTH = TensorType((2, 3)), TensorType((), "int64"), TensorType((2,), "int64")
FUNCTION, DEVICE = FuncType((MATRIX, MATRIX), MATRIX), VirtualDevice(1, 0)


class Turned:
    """An index map that turns the axes around and adds one."""

    def map_shape(self, shape):
        return (*shape[::-1], 1)


OF_OBJECTS = {
    "arange": (
        (NUMBER,) * 3,
        {"start": Constant(0), "stop": Constant(5), "step": Constant(2), "dtype": "int64"},
    ),
    "call_lowered": ((FUNCTION, TupleType((MATRIX, MATRIX))), {}),
    "debug": ((MATRIX,), {"debug_func": None}),
    "device_copy": ((MATRIX,), {"src_virtual_device": DEVICE, "dst_virtual_device": DEVICE}),
    "memory.alloc_storage": ((NUMBER, LENGTH, NUMBER), {"virtual_device": DEVICE}),
    "memory.alloc_tensor": (
        (TypeCall(GlobalTypeVar("Storage"), ()), NUMBER, LENGTH),
        {"const_shape": Constant(np.array([2, 3])), "assert_shape": ()},
    ),
    "meta_schedule_layout_transform": ((MATRIX,), {"index_map": Turned()}),
    "vm.invoke_tvm_op": ((FUNCTION, TupleType((MATRIX, MATRIX)), TupleType((MATRIX,))), {}),
}
"""Calls with attributes or arguments that no line of the table can say."""


def sound_calls():
    """Return, by name, the types of arguments and the attributes of a sound call."""
    calls = {name: (types, make_attrs(get_op(name), v)) for name, (types, v) in OF_OBJECTS.items()}
    for names, line in _entries(TABLE.read_text(encoding="utf-8")):
        types, _, attributes = line.partition("|")
        values = {k.arg: ast.literal_eval(k.value) for k in _call(f"f({attributes})").keywords}
        for name in names:
            calls[name] = (_types(types), make_attrs(get_op(name), values))
    return calls


def _entries(text: str) -> Iterator[tuple[list[str], str]]:
    for entry in re.finditer(r"((?:^\S.*\n)+)((?:^ .*\n)+)", text, re.MULTILINE):
        names = re.split(r",\s+", entry[1].strip().rstrip(":"))
        yield names, " ".join(entry[2].split())


def _call(text: str) -> ast.Call:
    found = ast.parse(text, mode="eval").body
    assert isinstance(found, ast.Call)
    return found


def _types(text: str) -> tuple[Type, ...]:
    """Read types that stand one behind another: ``(float32[2,3] int8) int64``."""
    levels: list[list[Type]] = [[]]
    for mark in re.findall(r"[()]|[^\s()]+", text):
        if mark == "(":
            levels.append([])
        elif mark == ")":
            fields = levels.pop()
            levels[-1].append(TupleType(fields))
        else:
            dtype, _, sizes = mark.rstrip("]").partition("[")
            levels[-1].append(TensorType([int(n) for n in sizes.split(",") if n], dtype))
    return tuple(levels[0])
