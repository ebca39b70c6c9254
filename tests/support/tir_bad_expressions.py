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
from tests.support.tir_cases import A_BUFFER, B_BUFFER, ONE, POD, TEMP, A, I, J, K, X, case


@case(
    "type",
    "Add is given i of type int32 and l of type int64; both must have one type: cast one, or "
    "broadcast it",
)
def sum_of_different_widths():
    return (Add(I, Var("l", "int64")), Add(Cast("int64", I), Var("l", "int64")))


@case("type", "Mod is given operands of type string; expected numbers")
def remainder_of_strings():
    return (tir.Mod(tir.StringImm("a"), tir.StringImm("b")), tir.Mod(I, J))


@case("type", "EQ is given operands of type cinn_buffer_t*; expected numbers or truth values")
def comparison_of_addresses():
    return (tir.EQ(A_BUFFER, B_BUFFER), tir.EQ(I, J))


@case(
    "type", "And is given operands of type int32; expected truth values: compare the number with 0"
)
def conjunction_of_numbers():
    return (And(I, J), And(I < 1, J < 1))


@case(
    "type", "Not is given operands of type int32; expected truth values: compare the number with 0"
)
def negation_of_a_number():
    return (tir.Not(I), tir.Not(I < 1))


@case(
    "type",
    "Minus is given operands of type bool; expected numbers: use And, Or, Not or NE of truth "
    "values, or cast them",
)
def minus_of_a_truth_value():
    return (tir.Minus(I < 1), tir.Minus(I))


@case("type", "Sum has no operands; it needs one or more: write its identity as a literal")
def sum_of_nothing():
    return (tir.Sum(()), tir.Sum((I,)))


@case(
    "type",
    "Sum is given i of type int32 and x of type float32; all operands must have one type: "
    "cast one, or broadcast it",
)
def sum_of_many_types():
    return (tir.Sum((I, J, X)), tir.Sum((I, J, K)))


@case(
    "type",
    "Product is given operands of type bool; expected numbers: use And, Or, Not or NE of "
    "truth values, or cast them",
)
def product_of_many_truth_values():
    return (tir.Product((I < 1, J < 1)), tir.Product((I, J)))


@case(
    "type",
    "'a' of type string is cast to int32; numbers can be cast to numbers, and addresses to "
    "addresses",
)
def cast_of_a_string():
    return (Cast("int32", tir.StringImm("a")), Cast("int32", X))


@case(
    "type",
    "i of type int32 is cast to float32<4>; a cast keeps the number of lanes: broadcast a "
    "scalar with Broadcast",
)
def cast_that_changes_lanes():
    return (Cast("float32<4>", I), Cast("float32<4>", Broadcast(I, 4)))


@case(
    "type",
    "Select is given i of type int32 and x of type float32; both must have one type: cast "
    "one, or broadcast it",
)
def select_between_types():
    return (Select(I < 1, I, X), Select(I < 1, I, J))


@case(
    "type",
    "the condition of Select is i of type int32; expected a truth value: compare the number with 0",
)
def select_by_a_number():
    return (Select(I, I, J), Select(I < 1, I, J))


@case(
    "type",
    "the condition of Select has 2 lanes, and the values have 4; expected one truth value, "
    "or one for each lane",
)
def select_by_other_lanes():
    return (
        Select(Broadcast(I < 1, 2), Broadcast(I, 4), Broadcast(J, 4)),
        Select(Broadcast(I < 1, 4), Broadcast(I, 4), Broadcast(J, 4)),
    )


@case("type", "Ramp begins with Broadcast(i, 4) of type int32<4>; expected a scalar number")
def ramp_from_a_vector():
    return (Ramp(Broadcast(I, 4), const(1), 4), Ramp(I, const(1), 4))


@case(
    "type",
    "Ramp begins with i of type int32 and steps by 1 of type int64; both must have one type: "
    "cast the step",
)
def ramp_with_another_step():
    return (Ramp(I, const(1, "int64"), 4), Ramp(Cast("int64", I), const(1, "int64"), 4))


@case("type", "Ramp has 0 lanes; a vector has one or more")
def ramp_without_lanes():
    return (Ramp(I, const(1), 0), Ramp(I, const(1), 2))


@case(
    "type",
    "Broadcast repeats Broadcast(i, 2) of type int32<2>; expected a scalar number or truth value",
)
def broadcast_of_a_vector():
    return (Broadcast(Broadcast(I, 2), 4), Broadcast(I, 4))


@case(
    "type",
    "the lower bound of b of type int64 is 0 of type int32; both must have one type: cast "
    "the bound",
)
def bound_of_another_type():
    return (Var("b", "int64", const(0)), Var("b", "int64", const(0, "int64")))


@case(
    "type",
    "Let declares k of type int32 with the value 1.0 of type float32; both must have one "
    "type: cast the value",
)
def declaration_with_another_type():
    return (Let(K, ONE), Let(X, ONE))


@case("type", "Let declares u of type void; expected a type that has values")
def declaration_of_nothing():
    return (Let(Var("u", "void")), Let(Var("u", "float32")))


@case(
    "type",
    "the condition of IfThenElse is i of type int32; expected one truth value: compare the "
    "number with 0",
)
def branch_on_a_number():
    return (IfThenElse(I, Block()), IfThenElse(I < 1, Block()))


@case("type", "For counts with x of type float32; expected int32 or int64")
def loop_of_floats():
    return (For(X, const(0.0), const(1.0), Block()), For(I, 0, 1, Block()))


@case(
    "type",
    "inc of PolyFor is 1 of type int64, and its variable is i of type int32; both must have "
    "one type: cast the first",
)
def poly_for_by_another_type():
    return (PolyFor(I, 0, I < 4, const(1, "int64"), Block()), PolyFor(I, 0, I < 4, 1, Block()))


@case(
    "type",
    "1.0 of type float32 is stored to tensor A, where values of type float32<4> are; "
    "broadcast the value",
)
def store_of_a_scalar_to_many():
    return (
        Store(A, ONE, (Ramp(I, const(1), 4),)),
        Store(A, Broadcast(ONE, 4), (Ramp(I, const(1), 4),)),
    )


@case(
    "type",
    "the condition of Alloc is i of type int32; expected one truth value: compare the number "
    "with 0",
)
def allocation_under_a_number():
    return (Alloc(TEMP, condition=I), Alloc(TEMP, condition=I < 1))


@case(
    "type",
    "BufferGetDataHandle is given i of type int32; expected a Buffer, or an address of type "
    "cinn_buffer_t*",
)
def data_of_a_number():
    return (tir.BufferGetDataHandle(I), tir.BufferGetDataHandle(A_BUFFER))


@case("type", "PodValueToX is given i of type int32; expected an address of type cinn_pod_value_t*")
def value_of_a_number():
    return (tir.PodValueToX(I, "int32"), tir.PodValueToX(POD, "int32"))


@case(
    "type",
    "PodValueToX makes a value of type int8; expected one of float32, float64, int32, int64, "
    "void*, cinn_buffer_t*",
)
def value_of_an_odd_type():
    return (tir.PodValueToX(POD, "int8"), tir.PodValueToX(POD, "float64"))


@case(
    "type",
    "GetAddr takes the address of pp of type float32**; a type has two levels of pointers at most",
)
def address_of_an_address_of_an_address():
    return (tir.GetAddr(Var("pp", "float32**")), tir.GetAddr(Var("p", "float32*")))


@case("type", "ArgsConstruct packs into i of type int32; expected an array of cinn_pod_value_t")
def arguments_packed_into_a_number():
    return (tir.ArgsConstruct(I, (X,)), tir.ArgsConstruct(POD, (X,)))


@case("type", "the intrinsic 'exp' is given 'a' of type string; expected numbers")
def intrinsic_of_a_string():
    return (
        tir.BuiltinIntrin("exp", (tir.StringImm("a"),), "float32"),
        tir.BuiltinIntrin("exp", (X,), "float32"),
    )
