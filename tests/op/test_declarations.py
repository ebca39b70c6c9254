"""The declarations against what was recorded of Relay's own."""

from __future__ import annotations

import ast
import json
import re
import typing

import numpy as np
import pytest

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.conversion import String
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.op import call_op, get_op, list_ops
from relayish.op.declaration import properties, registry
from relayish.op.types.fields import check_optional_dtype
from relayish.passes.relay.fold.fold_constant import fold_constant
from tests.support.each import each
from tests.support.shared_data import shared_path


@pytest.fixture(scope="module")
def recorded():
    return json.loads(shared_path("reference/relay_ops.json").read_text())


@pytest.fixture(scope="module")
def recorded_attrs():
    found = json.loads(shared_path("reference/relay_attrs.json").read_text())
    # The recording took a class without fields and the next one for a single class.
    layout, kernel_size = found["relay.attrs.SparseTransposeAttrs"]["fields"]
    fields = [layout | {"ctype": "std::string"}, kernel_size | {"ctype": "Array<IndexExpr>"}]
    found["relay.attrs.SparseTransposeAttrs"] = {"fields": []}
    found["relay.attrs.SparseConv2DAttrs"] = {"fields": fields}
    axis = {"name": "axis", "ctype": "int", "default": "-1", "required": False}
    found["relay.qnn.attrs.SimulatedQuantizeAttrs"] = {"fields": [axis]}
    return found


CLAIMED_TWICE = {"qnn.simulated_quantize": "relay.qnn.attrs.SimulatedQuantizeAttrs"}
"""Attributes whose key in Relay is that of another class, and the one they have here."""


@each("name", list_ops("relay"))
def test_operator_agrees_with_relay(name, recorded):
    op, known = get_op(name), recorded[name]
    count = known["num_inputs"]
    assert properties.num_inputs.get(op) == count
    assert properties.arguments.get(op) == tuple(a[0] for a in known["args"] or ())[:count]
    assert properties.pattern.get(op) == known.get("TOpPattern", properties.OpPattern.OPAQUE)
    assert properties.stateful.get(op, default=False) == bool(known.get("TOpIsStateful"))
    marks_only = bool(known.get("TNonComputational"))
    assert properties.non_computational.get(op, default=False) == marks_only
    declared = properties.attrs_type.get(op)
    if known["attrs_type_key"] == "DictAttrs":
        assert declared is None
    elif known["attrs_type_key"]:
        assert declared.type_key == CLAIMED_TWICE.get(name, known["attrs_type_key"])
        assert op not in properties.attrs_in_metadata
    else:
        assert (declared is not None) == (op in properties.attrs_in_metadata)


DECLARED_CLASSES = sorted(
    {
        properties.attrs_type.get(get_op(n))
        for n in list_ops("relay")
        if properties.attrs_type.get(get_op(n)) is not None
    },
    key=lambda cls: cls.type_key,
)


@each("cls", DECLARED_CLASSES)
def test_attributes_agree_with_relay(cls, recorded_attrs):
    fields = recorded_attrs[cls.type_key]["fields"]
    assert cls.field_names == tuple(f["name"] for f in fields)
    assert set(cls.defaults) == {f["name"] for f in fields if not f["required"]}
    hints = typing.get_type_hints(cls, include_extras=True)
    for field in fields:
        if not field["required"]:
            found = cls.defaults[field["name"]]
            assert repr(found) == repr(meaning(field["default"], field["ctype"]))
        assert kind(hints[field["name"]]) in KINDS[field["ctype"]], field


def meaning(text, ctype):
    """Return the Python value of a default written in C++."""
    if text.startswith("NullValue"):
        return None
    if text.startswith("DataType::"):
        return {"DataType::Float(32, 1)": "float32", "DataType::Int(32)": "int32"}[text]
    if text.startswith(("VirtualDevice", "Map")):
        return VirtualDevice() if text.startswith("V") else DictAttrs()
    text = re.sub(r"static_cast<float>|(?<=\d)f\b", "", text)
    text = {"true": "True", "false": "False", "Bool(false)": "False"}.get(text, text)
    text = re.sub(r"^(Integer|Bool)\((.*)\)$", r"\2", text)
    if text.startswith("Array"):
        items = re.sub(r"^Array<.*>\(?\{(.*)\}\)?$", r"\1", text).strip().rstrip(",")
        return ast.literal_eval(f"({items},)") if items else ()
    value = ast.literal_eval(text)
    return {"double": float, "bool": bool}.get(ctype, lambda v: v)(value)


def kind(hint):
    """Return the name of an annotation without ``None``."""
    if typing.get_origin(hint) is typing.Annotated:
        inner = typing.get_args(hint)[0]
        if hint == String:
            return "String"
        return inner.__name__ if inner in (int, bool) else "dtype"
    members = [a for a in typing.get_args(hint) if a is not type(None)]
    if typing.get_origin(hint) is tuple:
        return f"tuple of {kind(typing.get_args(hint)[0])}"
    if not members:
        return hint.__name__
    return " or ".join(kind(m) for m in members)


KINDS = {
    "int": {"int"},
    "int32_t": {"int"},
    "Integer": {"int"},
    "Optional<Integer>": {"int"},
    "bool": {"bool"},
    "Bool": {"bool"},
    "double": {"float"},
    "Optional<FloatImm>": {"float"},
    "std::string": {"str"},
    "String": {"String"},
    "tvm::String": {"String"},
    "DataType": {"dtype"},
    "IndexExpr": {"int or PrimExpr"},
    "Array<IndexExpr>": {"tuple of int or PrimExpr", "tuple of float"},
    "Array<PrimExpr>": {"tuple of int or PrimExpr"},
    "Array<Integer>": {"tuple of int"},
    "Optional<Array<Integer>>": {"tuple of int"},
    "Array<FloatImm>": {"tuple of float"},
    "Array<Array<IndexExpr>>": {"tuple of tuple of int or PrimExpr"},
    "Array<Array<Integer>>": {"tuple of tuple of int"},
    "Expr": {"Expr"},
    "Constant": {"Constant"},
    "VirtualDevice": {"VirtualDevice"},
    "Map<String, ObjectRef>": {"DictAttrs"},
    "ObjectRef": {"int or tuple of int"},
    "EnvFunc": {"object"},
    "tir::IndexMap": {"object"},
}


@each("cls", DECLARED_CLASSES)
def test_defaults_satisfy_the_checks_of_their_fields(cls):
    required = [n for n in cls.field_names if n not in cls.defaults]
    if not required:
        assert isinstance(cls(), Attrs)
        return
    with pytest.raises(TypeError, match="missing"):
        cls()


def test_operators_of_the_recorded_programs_are_declared(recorded):
    pattern = re.compile(r"(?<![\w@%.])([A-Za-z_][\w.]*)\(")
    unknown = set()
    for path in shared_path("programs").glob("*.relay"):
        for name in pattern.findall(path.read_text().split("#[metadata]")[0]):
            if name in recorded and not registry.is_registered(name):
                unknown.add(name)
    assert unknown == set()


def test_optional_type_is_none_where_relay_says_void():
    assert [check_optional_dtype(n) for n in (None, "", "void", "int8")] == [None] * 3 + ["int8"]


def test_random_operators_are_marked_and_evaluated_when_a_program_runs():
    drawing = {n for n in list_ops("relay") if get_op(n) in properties.random}
    assert drawing == {n for n in list_ops("relay") if n.startswith("random.")}
    assert not [n for n in drawing if get_op(n) not in properties.evaluate]


def test_stateful_and_non_computational_operators_are_evaluated_only_when_a_program_runs():
    x = Constant(np.ones((2, 3), np.float32))
    valued = set()
    for name in list_ops("relay"):
        op = get_op(name)
        marked = op in properties.stateful or op in properties.non_computational
        if marked and op in properties.evaluate and op not in properties.quantized:
            call = call_op(name, x)
            assert fold_constant(call) is call
            valued.add(name)
    valued_marks = {"memory.kill", "nn.dropout", "on_device"}
    assert valued == valued_marks  # those of qnn are folded when asked for
