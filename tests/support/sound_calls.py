"""Calls of operators as tables tell them: a sound one of each, and what is said of ill-typed ones.

Behind the names of operators stand the types of arguments, tuples in brackets, and behind a bar
the attributes that have no default or another value. In other tables each call has an answer below
it, a line further in: what is wrong with it, its type, or its value. Where the types of arguments
are not known, ``_``, those that are inferred follow the type of the result behind ``<-``. A value
is its type, and its elements behind ``=``, in order: one for all of them, none for zeros, and
``..`` for 0, 1, 2 and so on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import Any as AnySize
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    SizeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
)
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.ir.values.dtype import numpy_dtype
from relayish.op import get_op, make_attrs
from relayish.op.types.dimension import show_dimension
from tests.support.text_cases import CASES

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


def typed_calls(file: str) -> Iterator[tuple[str, tuple[Type, ...], Attrs | None, str]]:
    """Yield the calls of a file: name, types of arguments, attributes, and what is said of them."""
    for name, call, answer in _answered(file):
        yield name, *_read(name, call), answer


def valued_calls(file: str) -> Iterator[tuple[str, tuple[object, ...], dict[str, object], str]]:
    """Yield the calls of a file: name, values of arguments, attributes, and the answer."""
    for name, call, answer in _answered(file):
        arguments, attributes = _parted(call)
        yield name, parse_values(arguments), attributes, answer


def _answered(file: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, call and answer of the calls of a file."""
    text = (CASES / file).read_text(encoding="utf-8")
    form = re.compile(r"^(\S.*):\n((?:^  \S.*\n    \S.*\n)+)", re.MULTILINE)
    others = form.sub("", text).strip()
    assert not others, f"these are no calls, each with its answer: {others[:80]!r}"
    for names, calls in form.findall(text):
        for call, answer in re.findall(r"  (.*)\n    (.*)\n", calls):
            for name in names.split(", "):
                yield name, call, answer


def _read(name: str, call: str) -> tuple[tuple[Type, ...], Attrs | None]:
    types, attributes = _parted(call)
    return _types(types), make_attrs(get_op(name), attributes)


def _parted(call: str) -> tuple[str, dict[str, object]]:
    """Return the arguments of a call, and its attributes by their names."""
    arguments, _, attributes = call.partition("|")
    keywords = _call(f"f({attributes})").keywords
    return arguments, {k.arg: ast.literal_eval(k.value) for k in keywords if k.arg}


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
    sizes: dict[str, SizeVar] = {}
    return _nested(text, lambda mark: _type(mark, sizes), TupleType)


def _nested(text: str, read: Callable[[str], Any], group: Callable[[Any], Any]) -> tuple[Any, ...]:
    levels: list[list[Any]] = [[]]
    for mark in re.findall(r"[()]|[^\s()]+", text):
        if mark == "(":
            levels.append([])
        elif mark == ")":
            fields = levels.pop()
            levels[-1].append(group(fields))
        else:
            levels[-1].append(read(mark))
    return tuple(levels[0])


def _type(mark: str, variables: dict[str, SizeVar]) -> Type:
    if mark == "_":
        return IncompleteType()
    dtype, _, sizes = mark.rstrip("]").partition("[")
    return TensorType([_size(n, variables) for n in sizes.split(",") if n], dtype)


def _size(text: str, variables: dict[str, SizeVar]) -> int | AnySize | SizeVar:
    if text == "?":
        return AnySize()
    return variables.setdefault(text, SizeVar(text)) if text.isidentifier() else int(text)


def show_type(ty: Type | None) -> str:
    """Return a type as the tables tell it, ``nothing`` where none is known yet."""
    if ty is None:
        return "nothing"
    if isinstance(ty, TupleType):
        return f"({' '.join(map(show_type, ty.fields))})"
    if not isinstance(ty, TensorType):
        return "_" if isinstance(ty, IncompleteType) else str(ty)
    return ty.dtype + (f"[{','.join(map(show_dimension, ty.shape))}]" if ty.shape else "")


def parse_values(text: str) -> tuple[Any, ...]:
    """Read values that stand one behind another: ``(float32[2]=1.5,nan int8) int64=3``."""
    return _nested(text, _value, tuple)


def _value(mark: str) -> np.ndarray | np.generic:
    told, _, elements = mark.partition("=")
    ty: Any = _type(told, {})  # of a tensor
    dtype = numpy_dtype(ty.dtype)
    number = {"b": "True".__eq__, "i": int, "u": int}.get(dtype.kind, float)
    if elements == "..":
        return np.arange(np.prod(ty.shape)).reshape(ty.shape).astype(dtype)
    numbers = np.array([number(n) for n in elements.split(",") if n] or [0], object)
    array = np.full(ty.shape, numbers[0]) if numbers.size == 1 else numbers.reshape(ty.shape)
    return array.astype(dtype)[()]
