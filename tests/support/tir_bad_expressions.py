"""Operators, statements and values of wrong types, beside twins that are right."""

from __future__ import annotations

from relayish import tir
from relayish.tir import (
    Add,
    Alloc,
    And,
    Block,
    Broadcast,
    Cast,
    For,
    IfThenElse,
    Let,
    PolyFor,
    Ramp,
    Select,
    Store,
    Var,
    const,
)
from tests.support.tir_cases import A_BUFFER, B_BUFFER, ONE, POD, TEMP, A, I, J, K, X, cases

cases("type", {
    "sum of different widths": (
        ("Add is given i of type int32 and l of type int64; both must have one type: cast one, or "
         "broadcast it"),
        Add(I, Var("l", "int64")), Add(Cast("int64", I), Var("l", "int64"))),
    "remainder of strings": (
        "Mod is given operands of type string; expected numbers",
        tir.Mod(tir.StringImm("a"), tir.StringImm("b")), tir.Mod(I, J)),
    "comparison of addresses": (
        "EQ is given operands of type cinn_buffer_t*; expected numbers or truth values",
        tir.EQ(A_BUFFER, B_BUFFER), tir.EQ(I, J)),
    "conjunction of numbers": (
        "And is given operands of type int32; expected truth values: compare the number with 0",
        And(I, J), And(I < 1, J < 1)),
    "negation of a number": (
        "Not is given operands of type int32; expected truth values: compare the number with 0",
        tir.Not(I), tir.Not(I < 1)),
    "minus of a truth value": (
        ("Minus is given operands of type bool; expected numbers: use And, Or, Not or NE of truth "
         "values, or cast them"),
        tir.Minus(I < 1), tir.Minus(I)),
    "sum of nothing": (
        "Sum has no operands; it needs one or more: write its identity as a literal",
        tir.Sum(()), tir.Sum((I,))),
    "sum of many types": (
        ("Sum is given i of type int32 and x of type float32; all operands must have one type: "
         "cast one, or broadcast it"),
        tir.Sum((I, J, X)), tir.Sum((I, J, K))),
    "product of many truth values": (
        ("Product is given operands of type bool; expected numbers: use And, Or, Not or NE of "
         "truth values, or cast them"),
        tir.Product((I < 1, J < 1)), tir.Product((I, J))),
    "cast of a string": (
        ("'a' of type string is cast to int32; numbers can be cast to numbers, and addresses to "
         "addresses"),
        Cast("int32", tir.StringImm("a")), Cast("int32", X)),
    "cast that changes lanes": (
        ("i of type int32 is cast to float32<4>; a cast keeps the number of lanes: broadcast a "
         "scalar with Broadcast"),
        Cast("float32<4>", I), Cast("float32<4>", Broadcast(I, 4))),
    "select between types": (
        ("Select is given i of type int32 and x of type float32; both must have one type: cast "
         "one, or broadcast it"),
        Select(I < 1, I, X), Select(I < 1, I, J)),
    "select by a number": (
        ("the condition of Select is i of type int32; expected a truth value: compare the number "
         "with 0"),
        Select(I, I, J), Select(I < 1, I, J)),
    "select by other lanes": (
        ("the condition of Select has 2 lanes, and the values have 4; expected one truth value, "
         "or one for each lane"),
        Select(Broadcast(I < 1, 2), Broadcast(I, 4), Broadcast(J, 4)),
        Select(Broadcast(I < 1, 4), Broadcast(I, 4), Broadcast(J, 4))),
    "ramp from a vector": (
        "Ramp begins with Broadcast(i, 4) of type int32<4>; expected a scalar number",
        Ramp(Broadcast(I, 4), const(1), 4), Ramp(I, const(1), 4)),
    "ramp with another step": (
        ("Ramp begins with i of type int32 and steps by 1 of type int64; both must have one type: "
         "cast the step"),
        Ramp(I, const(1, "int64"), 4), Ramp(Cast("int64", I), const(1, "int64"), 4)),
    "ramp without lanes": (
        "Ramp has 0 lanes; a vector has one or more",
        Ramp(I, const(1), 0), Ramp(I, const(1), 2)),
    "broadcast of a vector": (
        ("Broadcast repeats Broadcast(i, 2) of type int32<2>; expected a scalar number or truth "
         "value"),
        Broadcast(Broadcast(I, 2), 4), Broadcast(I, 4)),
    "bound of another type": (
        ("the lower bound of b of type int64 is 0 of type int32; both must have one type: cast "
         "the bound"),
        Var("b", "int64", const(0)), Var("b", "int64", const(0, "int64"))),
    "declaration with another type": (
        ("Let declares k of type int32 with the value 1.0 of type float32; both must have one "
         "type: cast the value"),
        Let(K, ONE), Let(X, ONE)),
    "declaration of nothing": (
        "Let declares u of type void; expected a type that has values",
        Let(Var("u", "void")), Let(Var("u", "float32"))),
    "branch on a number": (
        ("the condition of IfThenElse is i of type int32; expected one truth value: compare the "
         "number with 0"),
        IfThenElse(I, Block()), IfThenElse(I < 1, Block())),
    "loop of floats": (
        "For counts with x of type float32; expected int32 or int64",
        For(X, const(0.0), const(1.0), Block()), For(I, 0, 1, Block())),
    "poly for by another type": (
        ("inc of PolyFor is 1 of type int64, and its variable is i of type int32; both must have "
         "one type: cast the first"),
        PolyFor(I, 0, I < 4, const(1, "int64"), Block()), PolyFor(I, 0, I < 4, 1, Block())),
    "store of a scalar to many": (
        ("1.0 of type float32 is stored to tensor A, where values of type float32<4> are; "
         "broadcast the value"),
        Store(A, ONE, (Ramp(I, const(1), 4),)),
        Store(A, Broadcast(ONE, 4), (Ramp(I, const(1), 4),))),
    "allocation under a number": (
        ("the condition of Alloc is i of type int32; expected one truth value: compare the number "
         "with 0"),
        Alloc(TEMP, condition=I), Alloc(TEMP, condition=I < 1)),
    "data of a number": (
        ("BufferGetDataHandle is given i of type int32; expected a Buffer, or an address of type "
         "cinn_buffer_t*"),
        tir.BufferGetDataHandle(I), tir.BufferGetDataHandle(A_BUFFER)),
    "value of a number": (
        "PodValueToX is given i of type int32; expected an address of type cinn_pod_value_t*",
        tir.PodValueToX(I, "int32"), tir.PodValueToX(POD, "int32")),
    "value of an odd type": (
        ("PodValueToX makes a value of type int8; expected one of float32, float64, int32, int64, "
         "void*, cinn_buffer_t*"),
        tir.PodValueToX(POD, "int8"), tir.PodValueToX(POD, "float64")),
    "address of an address of an address": (
        ("GetAddr takes the address of pp of type float32**; a type has two levels of pointers at "
         "most"),
        tir.GetAddr(Var("pp", "float32**")), tir.GetAddr(Var("p", "float32*"))),
    "arguments packed into a number": (
        "ArgsConstruct packs into i of type int32; expected an array of cinn_pod_value_t",
        tir.ArgsConstruct(I, (X,)), tir.ArgsConstruct(POD, (X,))),
    "intrinsic of a string": (
        "the intrinsic 'exp' is given 'a' of type string; expected numbers",
        tir.BuiltinIntrin("exp", (tir.StringImm("a"),), "float32"),
        tir.BuiltinIntrin("exp", (X,), "float32")),
})  # fmt: skip
