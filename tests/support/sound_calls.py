"""Calls of operators as tables tell them: a sound one of each, and what is said of ill-typed ones.

Behind the names of operators stand the types of arguments, tuples in brackets, and behind a bar
the attributes that have no default or another value. Of an ill-typed call the next line says what
is wrong with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import (
    Any,
    FuncType,
    GlobalTypeVar,
    SizeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
)
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op import get_op, make_attrs

CASES = Path(__file__).parents[1] / "cases"
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
    for names, line in _entries((CASES / "sound_calls.txt").read_text(encoding="utf-8")):
        calls |= {name: _read(name, line) for name in names}
    return calls


def refused_calls() -> Iterator[tuple[str, tuple[Type, ...], Attrs | None, str]]:
    """Yield ill-typed calls: name, types of arguments, attributes, and what is said of them."""
    text = (CASES / "refused_calls.txt").read_text(encoding="utf-8")
    form = re.compile(r"^(\S.*):\n((?:^  \S.*\n    \S.*\n)+)", re.MULTILINE)
    others = form.sub("", text).strip()
    assert not others, f"these are no calls, each with what is wrong: {others[:80]!r}"
    for name, calls in form.findall(text):
        for call, message in re.findall(r"  (.*)\n    (.*)\n", calls):
            yield name, *_read(name, call), message


def _read(name: str, call: str) -> tuple[tuple[Type, ...], Attrs | None]:
    types, _, attributes = call.partition("|")
    values = {k.arg: ast.literal_eval(k.value) for k in _call(f"f({attributes})").keywords}
    return _types(types), make_attrs(get_op(name), values)


def _entries(text: str) -> Iterator[tuple[list[str], str]]:
    for entry in re.finditer(r"((?:^\S.*\n)+)((?:^ .*\n)+)", text, re.MULTILINE):
        names = re.split(r",\s+", entry[1].strip().rstrip(":"))
        yield names, " ".join(entry[2].split())


class _Numbers(ast.NodeTransformer):
    """Reads the names of numbers that have no literal: ``nan`` and ``inf``."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return node if node.id == "f" else ast.Constant(float(node.id))


def _call(text: str) -> ast.Call:
    found = _Numbers().visit(ast.parse(text, mode="eval")).body
    assert isinstance(found, ast.Call)
    return found


def _types(text: str) -> tuple[Type, ...]:
    """Read types that stand one behind another: ``(float32[2,?] int8[n]) int64``."""
    levels: list[list[Type]] = [[]]
    for mark in re.findall(r"[()]|[^\s()]+", text):
        if mark == "(":
            levels.append([])
        elif mark == ")":
            fields = levels.pop()
            levels[-1].append(TupleType(fields))
        else:
            dtype, _, sizes = mark.rstrip("]").partition("[")
            levels[-1].append(TensorType([_size(n) for n in sizes.split(",") if n], dtype))
    return tuple(levels[0])


def _size(text: str) -> int | Any | SizeVar:
    if text == "?":
        return Any()
    return SizeVar(text) if text.isidentifier() else int(text)
