"""Whether what is said of the values of a program of ONNX before it runs is true when it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relayish.frontend.onnx.session import OnnxSession
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Call, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimOp, SizeVar, TensorType, TupleType, Type
from relayish.onnx import info
from relayish.onnx.element_types import ELEMENT_TYPES, find_element_type
from relayish.onnx.propagation import Facts
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnknownType,
    UnrankedTensorType,
)


def main_of(mod: IRModule) -> Function:
    found = mod["main"]
    assert isinstance(found, Function)
    return found


def variables_of(func: Function) -> dict[str, Var]:
    """Return the parameters and the variables of a function by name, those of graphs aside."""
    found: dict[str, Var] = {param.name_hint: param for param in func.params}
    tail = func.body
    while type(tail) is Let:
        found[tail.var.name_hint] = tail.var
        tail = tail.body
    return found


def run_all(mod: IRModule, inputs: Sequence[Any]) -> dict[Var, Any]:  # Any: values of ONNX
    """Return the values of all variables of ``main`` that are no tuples, by variable."""
    func = main_of(mod)
    several = {
        let.var
        for let in _lets(func)
        if type(let.value) is Call and dict(let.value.attrs or {}).get("_outputs", 1) != 1
    }
    named = variables_of(func)
    wanted = [var for var in named.values() if var not in several]
    body: Expr = Tuple(wanted) if len(wanted) != 1 else wanted[0]
    for let in reversed(_lets(func)):
        body = Let(let.var, let.value, body)
    attrs = {n: v for n, v in (func.attrs or DictAttrs()).items() if n == info.DEFAULTS}
    attrs[info.OUTPUTS] = tuple([f"output{i}" for i in range(len(wanted))])
    whole = mod.with_function("main", Function(func.params, body, attrs=DictAttrs(attrs)))
    found = OnnxSession(whole).run(list(inputs))
    return dict(zip(wanted, found, strict=True))


def _lets(func: Function) -> list[Let]:
    found: list[Let] = []
    tail = func.body
    while type(tail) is Let:
        found.append(tail)
        tail = tail.body
    return found


def find_lies(facts: Facts, func: Function, values: Mapping[Var, Any]) -> list[str]:
    """Return what is said of values and is not so. Any: values of ONNX."""
    sizes: dict[SizeVar, int] = {}
    for param in func.params:
        ty, value = param.type_annotation, values.get(param)
        if isinstance(ty, TensorType) and isinstance(value, np.ndarray):
            named = zip(ty.shape, value.shape, strict=True)
            sizes.update({size: n for size, n in named if isinstance(size, SizeVar)})
    lies: list[str] = []
    for var, value in values.items():
        fact = facts.fact_of(var)
        name = f"%{var.name_hint}"
        if not holds(fact.type, value, sizes):
            lies.append(f"{name} is said to be {fact.type}; found {describe(value)}")
        if fact.value is not None and not _equal(fact.value, value):
            lies.append(f"{name} is said to be {fact.value}; found {value}")
        if fact.partial is not None and not _agrees(fact.partial, value, sizes):
            lies.append(f"{name} is said to have {fact.partial}; found {value}")
    return lies


def _equal(told: Any, value: Any) -> bool:  # Any: arrays of whatever element type
    if told.dtype != value.dtype or told.shape != value.shape:
        return False
    if told.dtype.kind == "V":  # of a few bits
        told, value = told.astype(np.float32), value.astype(np.float32)
    return bool(np.array_equal(told, value, equal_nan=told.dtype.kind in "fc"))


def _agrees(partial: Any, value: Any, sizes: Mapping[SizeVar, int]) -> bool:  # Any: as above
    if partial.shape != value.shape:
        return False
    pairs = zip(partial.elements, value.reshape(-1).tolist(), strict=True)
    return all(each is None or _size(each, sizes) in (None, found) for each, found in pairs)


def _size(size: object, sizes: Mapping[SizeVar, int]) -> int | None:
    """Return what a dimension is, ``None`` where nothing says it."""
    if isinstance(size, int):
        return size
    if isinstance(size, AnyDim):
        return None
    if isinstance(size, SizeVar):
        return sizes.get(size)
    assert isinstance(size, PrimOp)
    args = [_size(arg, sizes) for arg in size.args]
    if None in args:
        return None
    left, right = args
    assert left is not None
    assert right is not None
    match size.name:
        case "tir.Add":
            return left + right
        case "tir.Sub":
            return left - right
        case "tir.Mul":
            return left * right
        case "tir.FloorDiv":
            return left // right if right else None
        case "tir.FloorMod":
            return left % right if right else None
    raise AssertionError(size.name)


def holds(ty: Type, value: Any, sizes: Mapping[SizeVar, int]) -> bool:  # Any: a value of ONNX
    """Return whether a value is of a type."""
    match ty:
        case UnknownType() | SparseTensorType():
            return True
        case TensorType():
            if not isinstance(value, np.ndarray) or len(value.shape) != len(ty.shape):
                return False
            pairs = zip(ty.shape, value.shape, strict=True)
            same = all(_size(size, sizes) in (None, found) for size, found in pairs)
            return same and _element_type(value) == ty.dtype
        case UnrankedTensorType():
            return isinstance(value, np.ndarray) and _element_type(value) == ty.dtype
        case SequenceType():
            return isinstance(value, list) and all(holds(ty.element, v, sizes) for v in value)
        case OptionalType():
            return value is None or holds(ty.element, value, sizes)
        case MapType():
            return isinstance(value, dict)
        case TupleType():
            return value is None or isinstance(value, tuple)
    raise AssertionError(ty)


def _element_type(value: Any) -> str:  # Any: an array
    return ELEMENT_TYPES[find_element_type(value.dtype)]


def describe(value: Any) -> str:  # Any: a value of ONNX
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return repr(value)[:100]
