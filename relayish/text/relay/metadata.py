"""Metadata of Relay in TVM's format: constants, dimensions, attributes, operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import numpy as np

from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Call, Constant, Expr, Op, Var
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.op import op_of
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import (
    GlobalTypeVar,
    IncompleteType,
    PrimExpr,
    PrimOp,
    SizeVar,
    TensorType,
    TypeKind,
)
from relayish.ir.relay.virtual_device import VirtualDevice, show_device
from relayish.op.types.dimension import show_dimension
from relayish.text.metadata_reader import ARRAYS, BUILDERS, BY_CLASS, REFERENCES, Get, Json
from relayish.text.metadata_writer import READABLE, WRITERS, LongInt, Table

_BINARY: Final = (
    *("Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max"),
    *("EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or"),
)
_OPERANDS: Final[Mapping[str, tuple[str, ...]]] = {
    **{f"tir.{name}": ("a", "b") for name in _BINARY},
    "tir.Not": ("a",),
    "tir.Cast": ("value",),
    "tir.Select": ("condition", "true_value", "false_value"),
}
"""The operands of operations on sizes, by the name of the operation."""
_REFERENCES: Final[Mapping[str, tuple[str, ...]]] = {
    "relay.Constant": ("value",),
    "relay.Var": ("vid", "type_annotation", "_checked_type_"),
    "relay.Id": ("name_hint",),
    "relay.TensorType": ("shape",),
    "relay.Call": ("op", "args", "attrs"),
    "tir.SizeVar": ("name",),
    "tir.Var": ("name",),
    "tir.Call": ("op", "args"),
    **_OPERANDS,
    "tir.Any": (),
    "IncompleteType": (),
    "Target": ("kind", "tag", "keys", "host", "attrs", "features"),
    "TargetKind": ("name", "default_keys"),
}
REFERENCES.update(_REFERENCES)


def _build_var(node: Json, get: Get) -> Var:
    fields = node["attrs"]
    return Var(get(fields["vid"]), get(fields["type_annotation"]))


def _build_call(node: Json, get: Get) -> Call:
    fields = node["attrs"]
    return Call(get(fields["op"]), get(fields["args"]), get(fields["attrs"]))


def _build_size_var(node: Json, get: Get) -> SizeVar:
    fields = node["attrs"]
    is_size = node["type_key"] == "tir.SizeVar"
    return SizeVar(get(fields["name"]), fields["dtype"], is_size)


def _build_prim_op(node: Json, get: Get) -> PrimOp:
    fields = node["attrs"]
    if "args" in fields:
        op = get(fields["op"])
        args = tuple(map(_dimension, get(fields["args"])))
        return PrimOp(getattr(op, "name", str(op)), args, fields["dtype"])
    args = tuple(_dimension(get(fields[name])) for name in _OPERANDS[node["type_key"]])
    return PrimOp(node["type_key"], args, fields["dtype"])


def _dimension(value: Any) -> int | PrimExpr:  # Any: what the metadata holds; PrimOp checks it
    """Return what stands for an operand of a dimension; a float is an operator of that name."""
    if type(value) is float:
        return PrimOp(f"tir.FloatImm({value!r})", (), "float64")
    return cast("int | PrimExpr", value)


BUILDERS.update(
    {
        "TypeKind": lambda node, _: TypeKind(int(node["repr_str"])),
        "Op": lambda node, _: op_of(node["repr_str"]),
        "PrimType": lambda node, _: str(node["attrs"]["dtype"]),
        "SourceName": lambda node, _: str(node.get("repr_str", "")),
        "relay.Constant": lambda node, get: Constant(get(node["attrs"]["value"])),
        "relay.Id": lambda node, get: get(node["attrs"]["name_hint"]),
        "relay.Var": _build_var,
        "relay.Call": _build_call,
        "relay.TensorType": lambda node, get: TensorType(
            get(node["attrs"]["shape"]), node["attrs"]["dtype"]
        ),
        "tir.SizeVar": _build_size_var,
        "tir.Var": _build_size_var,
        "tir.Any": lambda _node, _get: AnyDim(),
        "IncompleteType": lambda node, _: IncompleteType(TypeKind(int(node["attrs"]["kind"]))),
        **{
            name: _build_prim_op
            for name in _REFERENCES
            if name.startswith("tir.") and name not in ("tir.Any", "tir.Var", "tir.SizeVar")
        },
    }
)
ARRAYS["relay.Constant"] = Constant

_HOME: Final = Expr.__module__.rpartition(".")[0]
BY_CLASS.update(
    {kind.__name__: kind for kind in RELAY.kinds.values() if kind.__module__.startswith(_HOME)}
)


def _write_constant(table: Table, constant: Constant) -> Json:
    value = constant.data
    if isinstance(value, (np.ndarray, np.generic)):
        fields = {"_checked_type_": "0", **table.array(value), "span": "0"}
        return {"type_key": "relay.Constant", "attrs": {**fields, "virtual_device_": "0"}}
    return {"type_key": "relay.Constant", "attrs": {"value": str(table.number(value))}}


def _write_size_var(table: Table, var: SizeVar) -> Json:
    kind = "tir.SizeVar" if var.nonnegative else "tir.Var"
    fields = {"dtype": var.dtype, "name": str(table.number(var.name)), "span": "0"}
    return {"type_key": kind, "attrs": fields}


def _write_prim_op(table: Table, op: PrimOp) -> Json:
    held = [op.dtype, *[getattr(arg, "dtype", "") for arg in op.args]]
    long = next((dtype for dtype in held if dtype not in ("", "bool")), "") == "int64"
    sized = [LongInt(arg) if long and type(arg) is int else arg for arg in op.args]
    args = [str(table.number(arg)) for arg in sized]
    fields = {"dtype": op.dtype, "span": "0"}
    names = _OPERANDS.get(op.name, ())
    if names and len(names) == len(args):
        return {"type_key": op.name, "attrs": {**dict(zip(names, args, strict=True)), **fields}}
    values = {f.name: getattr(op, f.name) for f in op.fields_}
    return table.references("relayish.PrimOp", values)


WRITERS.update(
    {
        TypeKind: lambda _, value: {"type_key": "TypeKind", "repr_str": str(int(value))},
        Op: lambda _, op: {"type_key": "Op", "repr_str": op.full_name},
        Constant: _write_constant,
        SizeVar: _write_size_var,
        PrimOp: _write_prim_op,
    }
)


_NAMES: Final[dict[type, Callable[[Any], str]]] = {  # Any: an object of the key's type
    Constructor: lambda constructor: str(constructor.name_hint),
    Op: lambda op: str(op.full_name),
    GlobalTypeVar: lambda var: str(var.name_hint),
    SizeVar: show_dimension,
    PrimOp: show_dimension,
    VirtualDevice: show_device,
}
READABLE.update(_NAMES)
