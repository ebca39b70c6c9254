"""Expressions, types, patterns and sizes in the metadata section as TVM writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import (
    Clause,
    Constructor,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    PrimOp,
    RefType,
    SizeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)
from relayish.text import astext, parse_expr
from relayish.text.ndarray import encode_array

PLAIN = {"index", "complete", "kind"}
BARE = {"GlobalVar", "TupleType", "FuncType", "TypeCall", "TypeVar", "GlobalTypeVar"}


class Section:
    """Nodes by number, each once, as TVM's JSON has them."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = [{"type_key": ""}, {"type_key": "Map"}]  # Any: JSON
        self.arrays: list[str] = []
        self.numbers: dict[int, int] = {}
        self.kept: list[object] = []

    def number(self, thing: object) -> int:
        if thing is None:
            return 0
        if id(thing) not in self.numbers:
            self.kept.append(thing)
            made = self.describe(thing)
            self.numbers[id(thing)] = len(self.nodes)
            self.nodes.append(made)
        return self.numbers[id(thing)]

    def refer(self, *things: object) -> str:
        return str(self.number(*things))

    def describe(self, thing: Any) -> dict[str, Any]:  # Any: as above, and a value of any kind
        if isinstance(thing, str):
            return {"type_key": "runtime.String", "repr_str": thing}
        if isinstance(thing, int):
            fields = {"dtype": "int32", "span": "0", "value": str(thing)}
            return {"type_key": "IntImm", "attrs": fields}
        if isinstance(thing, tuple):
            return {"type_key": "Array", "data": [self.number(item) for item in thing]}
        if isinstance(thing, DictAttrs):
            held = {"type_key": "Map", "keys": [*thing.keys()], "data": []}
            held["data"] = [self.number(value) for _, value in thing.items()]
            self.nodes.append(held)
            return {"type_key": "DictAttrs", "attrs": {"__dict__": str(len(self.nodes) - 1)}}
        if isinstance(thing, Op):
            return {"type_key": "Op", "repr_str": thing.name}
        assert isinstance(thing, Node)
        return self.describe_node(thing)

    def describe_node(self, thing: Any) -> dict[str, Any]:  # Any: as above
        around = {"span": "0", "_checked_type_": "0", "virtual_device_": "0"}
        if isinstance(thing, Constant):
            self.arrays.append(encode_array(thing.data)[0])
            fields = {"data": str(len(self.arrays) - 1)}
            return {"type_key": "relay.Constant", "attrs": {**around, **fields}}
        if isinstance(thing, Var):
            name = {"type_key": "relay.Id", "attrs": {"name_hint": self.refer(thing.name_hint)}}
            self.nodes.append(name)
            fields = {"vid": str(len(self.nodes) - 1)}
            fields["type_annotation"] = self.refer(thing.type_annotation)
            return {"type_key": "relay.Var", "attrs": {**around, **fields}}
        if isinstance(thing, TensorType):
            fields = {"dtype": thing.dtype, "shape": self.refer(thing.shape), "span": "0"}
            return {"type_key": "relay.TensorType", "attrs": fields}
        names = [f.name for f in thing.fields_ if f.compared and f.name != "virtual_device"]
        fields = {}
        for name in names:
            value = getattr(thing, name)
            fields[name] = str(int(value)) if name in PLAIN else self.refer(value)
        if isinstance(thing, Constructor):
            fields["tag"] = "-1"
        key = type(thing).__name__
        return {"type_key": key if key in BARE else f"relay.{key}", "attrs": {**around, **fields}}

    def text(self, program: str, **entries: object) -> str:
        keys, data = [], []
        for key, entry in entries.items():
            number = self.number(entry)
            self.nodes.append({"type_key": "Array", "data": [number]})
            keys.append(key)
            data.append(len(self.nodes) - 1)
        self.nodes[1].update(keys=keys, data=data)
        section = {"root": 1, "nodes": self.nodes, "b64ndarrays": self.arrays}
        return f"{program}\n#[metadata]\n{json.dumps(section)}"


X, Y = var("x", shape=(2, 3)), var("y", "bool")
ONE = Constant(1)
A = TypeVar("A")
LIST = GlobalTypeVar("List")
CONS = Constructor("Cons", (A, TypeCall(LIST, (A,))), LIST)
EXPRESSIONS: dict[str, Expr] = {
    "global": GlobalVar("main"),
    "tuple": Tuple((X, ONE, Tuple(()))),
    "projection": TupleGetItem(Tuple((X, ONE)), 5),
    "call": Call(Op("add"), (X, X)),
    "let": Let(X, ONE, Tuple((X, X))),
    "if": If(Y, ONE, X),
    "references": RefWrite(RefCreate(X), RefRead(Y)),
    "function": Function((X, Y), X, X.type_annotation, (A,), DictAttrs({"Primitive": 1, "n": "a"})),
    "match": Match(
        X,
        (
            Clause(PatternConstructor(CONS, (PatternVar(Y), PatternWildcard())), Y),
            Clause(PatternTuple((PatternWildcard(),)), ONE),
        ),
        complete=False,
    ),
}
TYPES: dict[str, Type] = {
    "tuple": TupleType((TensorType((2,)), TupleType(()))),
    "function": FuncType((A, RefType(A)), TensorType(()), (A,)),
    "applied": TypeCall(LIST, (TensorType((5, 6), "int8"),)),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expression_in_the_metadata_is_read(name: str) -> None:
    expr = EXPRESSIONS[name]
    text = Section().text("(meta[key][0], 1)", key=expr)
    found = parse_expr(text)
    assert isinstance(found, Tuple)
    assert_structural_equal(found.fields[0], expr, map_free_vars=True)


@pytest.mark.parametrize("name", TYPES)
def test_type_in_the_metadata_is_read(name: str) -> None:
    func = parse_expr(Section().text("fn (%x: meta[key][0]) { %x }", key=TYPES[name]))
    assert isinstance(func, Function)
    assert_structural_equal(func.params[0].type_annotation, TYPES[name], map_free_vars=True)


def test_variable_in_the_metadata_is_one_wherever_it_stands() -> None:
    found = parse_expr(Section().text("meta[key][0]", key=EXPRESSIONS["let"]))
    assert isinstance(found, Let)
    assert isinstance(found.body, Tuple)
    assert found.body.fields == (found.var, found.var)


def test_attributes_that_are_a_dictionary_are_read() -> None:
    given = DictAttrs({"a": (1, 5), "b": "6"})
    call = parse_expr(Section().text("nn.relu(1f, meta[key][0])", key=given))
    assert isinstance(call, Call)
    assert call.attrs == given


def test_mapping_whose_keys_are_no_strings_is_read_as_pairs() -> None:
    section = Section()
    data = [section.number(item) for item in (X, 1, Y, 2)]
    section.nodes.append({"type_key": "Map", "data": data})
    section.nodes.append({"type_key": "Array", "data": [len(section.nodes) - 1]})
    section.nodes[1].update(keys=["Map"], data=[len(section.nodes) - 1])
    document = {"root": 1, "nodes": section.nodes, "b64ndarrays": []}
    text = f"fn (%x, params=meta[Map][0]) {{ %x }}\n#[metadata]\n{json.dumps(document)}"
    func = parse_expr(text)
    assert isinstance(func, Function)
    assert func.attrs is not None
    ((first, one), (second, two)) = func.attrs["params"]  # type: ignore[misc]  # pairs
    assert (first.name_hint, one, second.name_hint, two) == ("x", 1, "y", 2)


N = SizeVar("n")
SIZES = {
    "comparison": PrimOp("tir.LT", (N, 5), "bool"),
    "choice": PrimOp("tir.Select", (PrimOp("tir.EQ", (N, 0), "bool"), 1, N)),
    "negation": PrimOp("tir.Not", (PrimOp("tir.And", (N, N), "bool"),), "bool"),
    "quotient": PrimOp("tir.FloorDiv", (PrimOp("tir.Add", (N, 7)), 8)),
    "cast": PrimOp("tir.Cast", (N,), "int64"),
    "named as a variable is": PrimOp("tir.SizeVar", (N,)),
    "named as a constant is": PrimOp("relay.Constant", (N,)),
}


@pytest.mark.parametrize("name", SIZES)
def test_operation_on_sizes_is_written_as_tvm_writes_it(name: str) -> None:
    size = SIZES[name]
    x = var("x", shape=(N, size))
    text = astext(Function((x,), x))
    again = parse_expr(text)
    assert_structural_equal(again, Function((x,), x))
    if " is" not in name:
        assert f'{{"type_key": "{size.name}", "attrs":' in text
        assert "relayish" not in text
        assert '"dtype": "int64", "span": "0", "value"' not in text
