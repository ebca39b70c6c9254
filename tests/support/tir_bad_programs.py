"""Programs that break one rule of the loop IR each, beside twins that keep it.

A case is a function that returns both; :data:`CASES` has the messages that the first one gets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from relayish import tir
from relayish.tir import (
    Add,
    Alloc,
    And,
    Block,
    Broadcast,
    Buffer,
    BufferRange,
    Call,
    CallType,
    Cast,
    For,
    ForType,
    Free,
    IfThenElse,
    IntImm,
    Let,
    Load,
    LoweredFunc,
    PolyFor,
    Ramp,
    Reduce,
    ReduceType,
    ScheduleBlock,
    ScheduleBlockRealize,
    Select,
    Store,
    Tensor,
    UIntImm,
    Var,
    const,
)


class Case(NamedTuple):
    """A bad program and a good one.

    Attributes:
        rule: What the bad one breaks.
        messages: What is said of the bad one, all of it.
        make: Returns both.
    """

    rule: str
    messages: tuple[str, ...]
    make: Callable[[], tuple[Any, Any]]  # Any: nodes and modules


CASES: Final[dict[str, Case]] = {}


def case(rule: str, *messages: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Put a function into :data:`CASES`."""

    def enter(make: Callable[[], Any]) -> Callable[[], Any]:
        CASES[make.__name__] = Case(rule, messages, make)
        return make

    return enter


A_BUFFER, B_BUFFER = Buffer("_A", (16,)), Buffer("_B", (4, 8))
A, B = Tensor("A", (16,), "float32", A_BUFFER), Tensor("B", (4, 8), "float32", B_BUFFER)
TEMP = Buffer("_T", (16,))
T = Tensor("T", (16,), "float32", TEMP)
I, J, K, N, X = Var("i"), Var("j"), Var("k"), Var("n"), Var("x", "float32")
V, W = Var("v"), Var("w")
ONE = const(1.0)


def func(*stmts: Any, args: Any = (A_BUFFER, B_BUFFER), temps: Any = ()) -> LoweredFunc:
    """Return a function of some statements."""
    return LoweredFunc("f", args, Block(stmts), temps)


def loop(*stmts: Any, var: Var = I, first: Any = 0, extent: Any = 16, **info: Any) -> For:
    """Return a loop over some statements."""
    return For(var, first, extent, Block(stmts), **info)


def realize(values: Any, variables: Any, body: Any, reads: Any = (), writes: Any = ()) -> Any:
    """Return a schedule block with values for its variables."""
    block = ScheduleBlock(variables, reads, writes, "B", body)
    return ScheduleBlockRealize(values, block)


def part(buffer: Buffer, *bounds: Any) -> BufferRange:
    """Return a part of a buffer."""
    return BufferRange(
        buffer,
        [Var("r", "int32", const_of(low), const_of(high)) for low, high in bounds],
    )


def const_of(value: Any) -> Any:
    """Return an expression as it is, a number as a literal."""
    return const(value) if isinstance(value, int) else value


def inside(stmt: Any) -> LoweredFunc:
    """Return a function that runs a statement over i, 0 to 15."""
    return func(loop(stmt))


R = Var("r", "int32", const(0), const(16))
S = Var("s", "int32", const(0), const(4))
FEW = Var("n", "int32", const(0), const(100))
VECTORS = Tensor("D", (4,), "float32<4>", Buffer("_D", (4,), "float32<4>"))
INLINE = tir.compute((16,), lambda i: A[i] + 1, "inline", inline=True)
STRIDED = Buffer("_S", (4,), strides=(const(2),))
B_NAMED_A = Tensor("A", (4, 8), "float32", B_BUFFER)
LANES = tir.VectorizeInfo(0, 4)
THREAD = tir.BindInfo(ForType.GPU_THREAD, 0)
INTEGERS = Buffer("_I", (16,), "int32")
POD = Var("args", "cinn_pod_value_t*")
COUNT, OUT = Var("count"), Buffer("_out", (16,))
HELPER = LoweredFunc("helper", (COUNT, OUT), Block())
CALL = Call("void", "helper", (const(1),), (A_BUFFER,), CallType.CINN)


def bound(stmt: Any, var: Var, axis: int) -> For:
    """Return a loop that threads run along an axis."""
    info = tir.BindInfo(ForType.GPU_THREAD, axis)
    return loop(stmt, var=var, for_type=ForType.GPU_THREAD, bind_info=info)


@case(
    "literal",
    "the literal 128 is out of range of int8, which is -128 to 127; give it a wider type",
)
def integer_literal_out_of_range():
    return IntImm(128, "int8"), IntImm(127, "int8")


@case(
    "literal",
    "IntImm 1 is of type uint8; expected a signed integer type without lanes: use "
    "tir.const(1, type)",
)
def integer_literal_of_an_unsigned_type():
    return IntImm(1, "uint8"), UIntImm(1, "uint8")


@case(
    "literal",
    "UIntImm 1 is of type int8; expected an unsigned integer type without lanes: use "
    "tir.const(1, type)",
)
def unsigned_literal_of_a_signed_type():
    return UIntImm(1, "int8"), IntImm(1, "int8")


@case(
    "literal",
    "the literal 2 is out of range of bool, which is 0 to 1; give it a wider type",
)
def truth_value_of_two():
    return UIntImm(2), UIntImm(1)


@case(
    "literal",
    "IntImm 1 is of type int32<4>; expected a signed integer type without lanes: use "
    "tir.const(1, type)",
)
def vector_literal():
    return IntImm(1, "int32<4>"), const(1, "int32<4>")


@case(
    "literal",
    "FloatImm 1.0 is of type int32; expected a floating-point type without lanes: use "
    "tir.const(1.0, type)",
)
def float_literal_of_an_integer_type():
    return tir.FloatImm(1.0, "int32"), tir.FloatImm(1.0, "float16")


@case(
    "type",
    "Add is given i of type int32 and x of type float32; both must have one type: cast one, "
    "or broadcast it",
)
def sum_of_different_types():
    return Add(I, X), Add(I, J)


@case(
    "type",
    "Add is given i of type int32 and l of type int64; both must have one type: cast one, or "
    "broadcast it",
)
def sum_of_different_widths():
    return Add(I, Var("l", "int64")), Add(Cast("int64", I), Var("l", "int64"))


@case(
    "type",
    "Mul is given operands of type bool; expected numbers: use And, Or, Not or NE of truth "
    "values, or cast them",
)
def product_of_truth_values():
    return tir.Mul(I < J, J < I), And(I < J, J < I)


@case("type", "Mod is given operands of type string; expected numbers")
def remainder_of_strings():
    return tir.Mod(tir.StringImm("a"), tir.StringImm("b")), tir.Mod(I, J)


@case(
    "type",
    "LT is given Ramp(i, 1, 4) of type int32<4> and i of type int32; both must have one "
    "type: cast one, or broadcast it",
)
def comparison_of_different_lanes():
    return tir.LT(Ramp(I, const(1), 4), I), tir.LT(Ramp(I, const(1), 4), Broadcast(I, 4))


@case(
    "type",
    "EQ is given operands of type cinn_buffer_t*; expected numbers or truth values",
)
def comparison_of_addresses():
    return tir.EQ(A_BUFFER, B_BUFFER), tir.EQ(I, J)


@case(
    "type",
    "And is given operands of type int32; expected truth values: compare the number with 0",
)
def conjunction_of_numbers():
    return And(I, J), And(I < 1, J < 1)


@case(
    "type",
    "And is given (i < 1) of type bool and Broadcast(%0, 4) of type bool<4>; both must have "
    "one type: cast one, or broadcast it",
)
def conjunction_of_different_lanes():
    return And(I < 1, Broadcast(J < 1, 4)), And(Broadcast(I < 1, 4), Broadcast(J < 1, 4))


@case(
    "type",
    "Not is given operands of type int32; expected truth values: compare the number with 0",
)
def negation_of_a_number():
    return tir.Not(I), tir.Not(I < 1)


@case(
    "type",
    "Minus is given operands of type bool; expected numbers: use And, Or, Not or NE of truth "
    "values, or cast them",
)
def minus_of_a_truth_value():
    return tir.Minus(I < 1), tir.Minus(I)


@case(
    "type",
    "Sum has no operands; it needs one or more: write its identity as a literal",
)
def sum_of_nothing():
    return tir.Sum(()), tir.Sum((I,))


@case(
    "type",
    "Sum is given i of type int32 and x of type float32; all operands must have one type: "
    "cast one, or broadcast it",
)
def sum_of_many_types():
    return tir.Sum((I, J, X)), tir.Sum((I, J, K))


@case(
    "type",
    "Product is given operands of type bool; expected numbers: use And, Or, Not or NE of "
    "truth values, or cast them",
)
def product_of_many_truth_values():
    return tir.Product((I < 1, J < 1)), tir.Product((I, J))


@case(
    "type",
    "'a' of type string is cast to int32; numbers can be cast to numbers, and addresses to "
    "addresses",
)
def cast_of_a_string():
    return Cast("int32", tir.StringImm("a")), Cast("int32", X)


@case(
    "type",
    "i of type int32 is cast to void; numbers can be cast to numbers, and addresses to addresses",
)
def cast_to_nothing():
    return Cast("void", I), Cast("bool", I)


@case(
    "type",
    "i of type int32 is cast to float32<4>; a cast keeps the number of lanes: broadcast a "
    "scalar with Broadcast",
)
def cast_that_changes_lanes():
    return Cast("float32<4>", I), Cast("float32<4>", Broadcast(I, 4))


@case(
    "type",
    "Select is given i of type int32 and x of type float32; both must have one type: cast "
    "one, or broadcast it",
)
def select_between_types():
    return Select(I < 1, I, X), Select(I < 1, I, J)


@case(
    "type",
    "the condition of Select is i of type int32; expected a truth value: compare the number with 0",
)
def select_by_a_number():
    return Select(I, I, J), Select(I < 1, I, J)


@case(
    "type",
    "the condition of Select has 2 lanes, and the values have 4; expected one truth value, "
    "or one for each lane",
)
def select_by_other_lanes():
    return Select(Broadcast(I < 1, 2), Broadcast(I, 4), Broadcast(J, 4)), Select(
        Broadcast(I < 1, 4), Broadcast(I, 4), Broadcast(J, 4)
    )


@case(
    "type",
    "Ramp begins with Broadcast(i, 4) of type int32<4>; expected a scalar number",
)
def ramp_from_a_vector():
    return Ramp(Broadcast(I, 4), const(1), 4), Ramp(I, const(1), 4)


@case(
    "type",
    "Ramp begins with i of type int32 and steps by 1 of type int64; both must have one type: "
    "cast the step",
)
def ramp_with_another_step():
    return Ramp(I, const(1, "int64"), 4), Ramp(Cast("int64", I), const(1, "int64"), 4)


@case("type", "Ramp has 0 lanes; a vector has one or more")
def ramp_without_lanes():
    return Ramp(I, const(1), 0), Ramp(I, const(1), 2)


@case(
    "type",
    "Broadcast repeats Broadcast(i, 2) of type int32<2>; expected a scalar number or truth value",
)
def broadcast_of_a_vector():
    return Broadcast(Broadcast(I, 2), 4), Broadcast(I, 4)


@case(
    "type",
    "the lower bound of b of type int64 is 0 of type int32; both must have one type: cast "
    "the bound",
)
def bound_of_another_type():
    return Var("b", "int64", const(0)), Var("b", "int64", const(0, "int64"))


@case(
    "reduce",
    "Reduce begins with 0 of type int32 and combines it with x of type float32; both must "
    "have one type: cast the first",
)
def reduction_from_another_type():
    return Reduce(ReduceType.SUM, const(0), X, ()), Reduce(ReduceType.SUM, const(0.0), X, ())


@case(
    "reduce",
    "Reduce of kind all combines i of type int32; expected truth values: compare the number with 0",
)
def all_of_numbers():
    return Reduce(ReduceType.ALL, const(1), I, ()), Reduce(ReduceType.ALL, const(True), I < 1, ())


@case(
    "reduce",
    "Reduce of kind sum combines (i < 1) of type bool; expected numbers: use the kinds all "
    "and any for truth values",
)
def sum_of_truth_values():
    return Reduce(ReduceType.SUM, const(False), I < 1, ()), Reduce(
        ReduceType.ANY, const(False), I < 1, ()
    )


@case(
    "reduce",
    "Reduce runs over k, which has no bounds; give the axis both: tir.Var(name, "
    "lower_bound=..., upper_bound=...)",
)
def axis_without_bounds():
    return Reduce(ReduceType.SUM, const(0.0), A[K], (K,)), Reduce(
        ReduceType.SUM, const(0.0), A[R], (R,)
    )


@case(
    "reduce",
    "Reduce runs over r, which schedule block 'B' binds; there it does one step of the "
    "block: leave the axis out of reduce_axis",
)
def axis_of_the_schedule_block():
    return inside(
        realize((I,), (R,), Store(A, Reduce(ReduceType.SUM, A[0], A[R], (R,)), (const(0),)))
    ), inside(realize((I,), (R,), Store(A, Reduce(ReduceType.SUM, A[0], A[R]), (const(0),))))


@case(
    "type",
    "Let declares k of type int32 with the value 1.0 of type float32; both must have one "
    "type: cast the value",
)
def declaration_with_another_type():
    return Let(K, ONE), Let(X, ONE)


@case(
    "type",
    "Let declares u of type void; expected a type that has values",
)
def declaration_of_nothing():
    return Let(Var("u", "void")), Let(Var("u", "float32"))


@case(
    "type",
    "the condition of IfThenElse is i of type int32; expected one truth value: compare the "
    "number with 0",
)
def branch_on_a_number():
    return IfThenElse(I, Block()), IfThenElse(I < 1, Block())


@case(
    "type",
    "the condition of IfThenElse is Broadcast(%0, 4) of type bool<4>; expected one truth "
    "value: compare the number with 0",
)
def branch_on_a_vector():
    return IfThenElse(Broadcast(I < 1, 4), Block()), IfThenElse(I < 1, Block())


@case("type", "For counts with x of type float32; expected int32 or int64")
def loop_of_floats():
    return For(X, const(0.0), const(1.0), Block()), For(I, 0, 1, Block())


@case(
    "type",
    "min of For is 0 of type int64, and its variable is i of type int32; both must have one "
    "type: cast the first",
)
def loop_from_another_type():
    return For(I, const(0, "int64"), const(4), Block()), For(I, 0, 4, Block())


@case(
    "type",
    "extent of For is 4 of type int64, and its variable is i of type int32; both must have "
    "one type: cast the first",
)
def loop_of_another_length():
    return For(I, 0, const(4, "int64"), Block()), For(I, 0, 4, Block())


@case(
    "type",
    "the condition of PolyFor is i of type int32; expected one truth value: compare the "
    "number with 0",
)
def poly_for_while_a_number():
    return PolyFor(I, 0, I, 1, Block()), PolyFor(I, 0, I < 4, 1, Block())


@case(
    "type",
    "inc of PolyFor is 1 of type int64, and its variable is i of type int32; both must have "
    "one type: cast the first",
)
def poly_for_by_another_type():
    return PolyFor(I, 0, I < 4, const(1, "int64"), Block()), PolyFor(I, 0, I < 4, 1, Block())


@case(
    "structure",
    "the body of for (i, 0, 16) is A[i] = 1.0; expected a Block: write Block((body,))",
)
def loop_over_a_statement():
    return func(For(I, 0, 16, Store(A, ONE, (I,)))), func(loop(Store(A, ONE, (I,))))


@case(
    "structure",
    "the body of poly_for (i, 0, %0, 1) is A[i] = 1.0; expected a Block: write Block((body,))",
)
def poly_for_over_a_statement():
    return func(PolyFor(I, 0, I < 4, 1, Store(A, ONE, (I,)))), func(
        PolyFor(I, 0, I < 4, 1, Block((Store(A, ONE, (I,)),)))
    )


@case(
    "structure",
    "schedule block 'B' stands in a Block without values for its variables; put it into a "
    "ScheduleBlockRealize",
)
def schedule_block_without_values():
    return Block((ScheduleBlock((), (), (), "B", Block()),)), Block((realize((), (), Block()),))


@case(
    "structure",
    "function 'f' has 2 arguments, and args_io says how 1 are used; say it of each, or of none",
)
def inputs_and_outputs_of_some_arguments():
    return func().with_fields(args_io=(tir.ArgumentIO.INPUT,)), func().with_fields(
        args_io=(tir.ArgumentIO.INPUT, tir.ArgumentIO.OUTPUT)
    )


@case(
    "structure",
    "function 'f' runs on the grid (0, 1, 1) of blocks (1, 1, 1); expected sizes of 1 or more",
)
def grid_of_nothing():
    return func().with_fields(cuda_axis_info=tir.CudaAxisInfo((0, 1, 1))), func().with_fields(
        cuda_axis_info=tir.CudaAxisInfo((2, 1, 1))
    )


@case(
    "index",
    "an index of tensor A is x of type float32; expected int32 or int64: cast it",
)
def index_of_floats():
    return A[X], A[I]


@case(
    "index",
    "an index of tensor A is s of type int8; expected int32 or int64: cast it",
)
def index_of_bytes():
    return A[Var("s", "int8")], A[Var("s", "int64")]


@case(
    "index",
    "B[i] has 1 index, and tensor B has 2 dimensions; give each dimension an index",
)
def index_that_lacks():
    return B[I], B[I, J]


@case(
    "index",
    "A[i, j] = 1.0 has 2 indices, and tensor A has 1 dimension; give each dimension an index",
)
def index_too_many():
    return Store(A, ONE, (I, J)), Store(B, ONE, (I, J))


@case(
    "index",
    "x[i] has indices, and x of type float32 is a scalar; drop them",
)
def index_of_a_scalar():
    return Load(X, (I,)), Load(X, (const(0),))


@case(
    "index",
    "indices of tensor B have 2 and 4 lanes; all vectors among them must have as many",
)
def indices_of_different_lanes():
    return B[Ramp(I, const(1), 2), Ramp(J, const(1), 4)], B[
        Ramp(I, const(1), 4), Ramp(J, const(1), 4)
    ]


@case(
    "index",
    "tensor D holds vectors of type float32<4> and is indexed by vectors; index it by scalars",
)
def vectors_of_vectors():
    return VECTORS[Ramp(I, const(1), 4)], VECTORS[I]


@case(
    "memory",
    "_A[i] accesses _A of type cinn_buffer_t* (Buffer); expected a tensor or a scalar "
    "variable: access a tensor on the buffer",
)
def load_from_a_buffer():
    return Load(A_BUFFER, (I,)), Load(A, (I,))


@case(
    "memory",
    "%0[] accesses (i + j) of type int32 (Add); expected a tensor or a scalar variable",
)
def load_from_a_sum():
    return Load(I + J, ()), Load(I, ())


@case(
    "type",
    "i of type int32 is stored to tensor A, where values of type float32 are; cast the value",
)
def store_of_another_type():
    return Store(A, I, (I,)), Store(A, Cast("float32", I), (I,))


@case(
    "type",
    "1.0 of type float32 is stored to tensor A, where values of type float32<4> are; "
    "broadcast the value",
)
def store_of_a_scalar_to_many():
    return Store(A, ONE, (Ramp(I, const(1), 4),)), Store(
        A, Broadcast(ONE, 4), (Ramp(I, const(1), 4),)
    )


@case(
    "type",
    "i of type int32 is stored to x, where values of type float32 are; cast the value",
)
def assignment_of_another_type():
    return Store(X, I), Store(X, ONE)


@case(
    "memory",
    "a value is stored to tensor inline, which is inline: it has no buffer; give it one, or "
    "store to another tensor",
)
def store_to_an_inline_tensor():
    return Store(INLINE, ONE, (I,)), Store(A, ONE, (I,))


@case(
    "memory",
    "tensor C has elements of type int32, and buffer _A of type float32; let both have one type",
)
def tensor_of_another_type():
    return Tensor("C", (16,), "int32", A_BUFFER), Tensor("C", (16,), "float32", A_BUFFER)


@case(
    "memory",
    "tensor C of shape (17,) reaches 17 elements far, and buffer _A of shape (16,) has 16; "
    "make the buffer larger, or the tensor smaller",
)
def tensor_beyond_its_buffer():
    return Tensor("C", (17,), "float32", A_BUFFER), Tensor("C", (4, 4), "float32", A_BUFFER)


@case(
    "memory",
    "buffer _S has 1 stride, and tensor C 2 dimensions; a view has a dimension for each stride",
)
def tensor_of_other_strides():
    return Tensor("C", (4, 4), "float32", STRIDED), Tensor("C", (4,), "float32", STRIDED)


@case(
    "memory",
    "tensor C of shape (5,) reaches 9 elements far, and buffer _S of shape (4,) has 7; make "
    "the buffer larger, or the tensor smaller",
)
def tensor_beyond_its_strides():
    return Tensor("C", (5,), "float32", STRIDED), Tensor("C", (4,), "float32", STRIDED)


@case(
    "memory",
    "tensor C looks at x of type float32 (Var); expected a Buffer",
)
def tensor_on_a_variable():
    return Tensor("C", (16,), "float32", X), Tensor("C", (16,), "float32", A_BUFFER)


@case("memory", "a dimension of buffer _C is -1; a size is 0 or more")
def dimension_below_zero():
    return Buffer("_C", (const(-1),)), Buffer("_C", (const(0),))


@case(
    "memory",
    "a dimension of buffer _C is x of type float32; expected int32 or int64: cast it",
)
def dimension_of_floats():
    return Buffer("_C", (X,)), Buffer("_C", (N,))


@case(
    "memory",
    "buffer _C holds elements of type string; expected a type that memory holds",
)
def buffer_of_strings():
    return Buffer("_C", (4,), "string"), Buffer("_C", (4,), "bool")


@case(
    "memory",
    "buffer _C has 2 dimensions and 1 stride; give each dimension one, or none",
)
def strides_of_other_dimensions():
    return Buffer("_C", (4, 4), strides=(const(1),)), Buffer(
        "_C", (4, 4), strides=(const(4), const(1))
    )


@case(
    "memory",
    "a stride of buffer _C is x of type float32; expected int32 or int64",
)
def stride_of_floats():
    return Buffer("_C", (4,), strides=(X,)), Buffer("_C", (4,), strides=(N,))


@case(
    "memory",
    "the offset of buffer _C is 6, which is no multiple of its offset factor 4; correct one",
)
def offset_between_multiples():
    return Buffer("_C", (4,), elem_offset=const(6), offset_factor=4), Buffer(
        "_C", (4,), elem_offset=const(8), offset_factor=4
    )


@case(
    "memory",
    "buffer _C has the offset factor 0 and the alignment -1; expected numbers that are not "
    "negative",
)
def alignment_below_zero():
    return Buffer("_C", (4,), data_alignment=-1), Buffer("_C", (4,), data_alignment=64)


@case(
    "memory",
    "Alloc gives buffer _T the shape (8,), and it has the shape (16,); give the same, or none",
)
def allocation_of_another_shape():
    return func(Alloc(TEMP, (const(8),)), temps=(TEMP,)), func(
        Alloc(TEMP, (const(16),)), temps=(TEMP,)
    )


@case(
    "memory",
    "Alloc gives buffer _T 2 extents, and it has 1 dimension; give each dimension one, or none",
)
def allocation_of_more_dimensions():
    return func(Alloc(TEMP, (const(4), const(4))), temps=(TEMP,)), func(Alloc(TEMP), temps=(TEMP,))


@case("memory", "Alloc is given x of type float32 (Var); expected a Buffer")
def allocation_of_a_variable():
    return Alloc(X), Alloc(TEMP)


@case(
    "type",
    "the condition of Alloc is i of type int32; expected one truth value: compare the number "
    "with 0",
)
def allocation_under_a_number():
    return Alloc(TEMP, condition=I), Alloc(TEMP, condition=I < 1)


@case("memory", "Free is given x of type float32 (Var); expected a Buffer")
def free_of_a_variable():
    return Free(X), Free(TEMP)


@case(
    "schedule block",
    "schedule block 'B' has 2 variables and is given 1 values; give each variable one",
)
def value_that_lacks():
    return inside(realize((I,), (V, W), Block())), inside(realize((I, I), (V, W), Block()))


@case(
    "schedule block",
    "variable v of type int32 of schedule block 'B' is given int64(i) of type int64; both "
    "must have one type: cast the value",
)
def value_of_another_type():
    return inside(realize((Cast("int64", I),), (V,), Block())), inside(realize((I,), (V,), Block()))


@case(
    "schedule block",
    "variable v of type int8 of schedule block 'B' counts; expected int32 or int64",
)
def variable_of_floats():
    return inside(realize((Cast("int8", I),), (Var("v", "int8"),), Block())), inside(
        realize((I,), (V,), Block())
    )


@case(
    "schedule block",
    "variable v of schedule block 'B' is given (i * j), which is not affine in the loop "
    "variables: (i * j) multiplies two that vary; expected a sum of these, each multiplied "
    "by what does not vary",
)
def value_that_is_a_product_of_loops():
    return func(loop(loop(realize((I * J,), (V,), Block()), var=J))), func(
        loop(loop(realize((I * 4 + J / 2 % 3,), (V,), Block()), var=J))
    )


@case(
    "schedule block",
    "variable v of schedule block 'B' is given (4 / %0), where %0 is (i + 1), which is not "
    "affine in the loop variables: (4 / %0) divides by what varies; expected a sum of these, "
    "each multiplied by what does not vary",
)
def value_that_divides_by_a_loop():
    return inside(realize((4 / (I + 1),), (V,), Block())), func(
        loop(realize(((I + 1) / N,), (V,), Block())), args=(N,)
    )


@case(
    "schedule block",
    "variable v of schedule block 'B' is given int32(%0), where %0 is A[i], which is not "
    "affine in the loop variables: A[i] reads memory; expected a sum of these, each "
    "multiplied by what does not vary",
)
def value_from_memory():
    return inside(realize((Cast("int32", A[I]),), (V,), Block())), inside(
        realize((I,), (V,), Block())
    )


@case(
    "schedule block",
    "variable v of schedule block 'B' is given cinn_min(i, 4), which is not affine in the "
    "loop variables: cinn_min(i, 4) is no sum or product; expected a sum of these, each "
    "multiplied by what does not vary",
)
def value_that_is_a_minimum():
    return inside(realize((tir.Min(I, const(4)),), (V,), Block())), func(
        loop(realize((tir.Min(N, const(4)) + I,), (V,), Block())), args=(N,)
    )


@case(
    "region",
    "schedule block 'B' reads _B in B[0, 0], which read_buffers does not say; add it, or say "
    "nothing",
)
def read_that_is_not_declared():
    return inside(
        realize((I,), (V,), Store(A, A[V] + B[0, 0], (V,)), reads=(part(A_BUFFER, (V, V + 1)),))
    ), inside(
        realize(
            (I,),
            (V,),
            Store(A, A[V] + B[0, 0], (V,)),
            reads=(part(A_BUFFER, (V, V + 1)), part(B_BUFFER, (0, 1), (0, 1))),
        )
    )


@case(
    "region",
    "schedule block 'B' writes _A in A[v] = 1.0, which write_buffers does not say; add it, "
    "or say nothing",
)
def write_that_is_not_declared():
    return inside(
        realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(B_BUFFER, (0, 1), (0, 1)),))
    ), inside(realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(A_BUFFER, (0, 16)),)))


@case(
    "region",
    "schedule block 'B' writes A[v] = 1.0, whose index v leaves dimension 0 of what "
    "write_buffers says of _A: 0 to 15; make that larger, or say nothing",
)
def write_beyond_what_is_declared():
    return inside(
        realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(A_BUFFER, (0, 15)),))
    ), inside(realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(A_BUFFER, (0, 16)),)))


@case(
    "region",
    "schedule block 'B' reads A[%0], whose index (v + 1) leaves dimension 0 of what "
    "read_buffers says of _A: v to (v + 1); make that larger, or say nothing",
)
def read_beside_what_is_declared():
    return inside(
        realize((I / 2,), (V,), Store(A, A[V + 1], (V,)), reads=(part(A_BUFFER, (V, V + 1)),))
    ), inside(
        realize((I / 2,), (V,), Store(A, A[V + 1], (V,)), reads=(part(A_BUFFER, (V + 1, V + 2)),))
    )


@case(
    "region",
    "read_buffers of schedule block 'B' names _B, _A, which the block reads in the order _A, "
    "_B; name them in this order",
)
def regions_in_another_order():
    return inside(
        realize((I,), (V,), Store(A, A[V] + B[0, 0], (V,)), reads=(part(B_BUFFER), part(A_BUFFER)))
    ), inside(
        realize((I,), (V,), Store(A, A[V] + B[0, 0], (V,)), reads=(part(A_BUFFER), part(B_BUFFER)))
    )


@case(
    "region",
    "a region is a part of A of type float32 (Tensor); expected a Buffer",
)
def region_of_a_tensor():
    return BufferRange(A), BufferRange(A_BUFFER)


@case(
    "scope",
    "A[i] = 1.0 uses i outside the scope of its binder, for (i, 0, 16); use it only in "
    "there, or bind it further out",
)
def loop_variable_after_its_loop():
    return func(loop(), Store(A, ONE, (I,))), func(loop(Store(A, ONE, (I,))))


@case(
    "scope",
    "A[0] = x uses x before float32 x = 1.0 declares it; declare it before, in this block or "
    "one around",
)
def declaration_after_its_use():
    return func(Store(A, X, (const(0),)), Let(X, ONE)), func(Let(X, ONE), Store(A, X, (const(0),)))


@case(
    "scope",
    "A[0] = x uses x outside the scope of its binder, float32 x = 1.0; use it only in there, "
    "or bind it further out",
)
def declaration_in_another_block():
    return func(Block((Let(X, ONE),)), Store(A, X, (const(0),))), func(
        Block((Let(X, ONE), Store(A, X, (const(0),))))
    )


@case(
    "scope",
    "A[0] = x uses x, which nothing binds; bind it, or make it a parameter",
)
def variable_that_nothing_binds():
    return func(Store(A, X, (const(0),))), func(Store(A, X, (const(0),)), args=(A_BUFFER, X))


@case(
    "scope",
    "T uses _T, which nothing binds; bind it, or make it a parameter",
)
def buffer_that_nothing_binds():
    return func(Store(T, ONE, (const(0),))), func(Store(T, ONE, (const(0),)), temps=(TEMP,))


@case(
    "scope",
    "variable i is bound twice: by for (i, 0, 16) and by for (i, 0, 16); a variable is bound "
    "once, use a new Var for the second",
)
def variable_of_two_loops():
    return func(loop(), loop()), func(loop(), loop(var=J))


@case(
    "scope",
    "variable n is bound twice: by function f (n, n) and by function f (n, n); a variable is "
    "bound once, use a new Var for the second",
)
def argument_given_twice():
    return LoweredFunc("f", (N, N), Block()), LoweredFunc("f", (N, K), Block())


@case(
    "scope",
    "a value is assigned to i, what a loop counts with, which for (i, 0, 16) binds; declare "
    "a variable with Let and assign to that",
)
def assignment_to_a_loop_variable():
    return inside(Store(I, const(1))), inside(Block((Let(K, I), Store(K, const(1)))))


@case(
    "scope",
    "a value is assigned to v, an index of a schedule block, which ScheduleBlock(B) binds; "
    "declare a variable with Let and assign to that",
)
def assignment_to_a_variable_of_a_block():
    return inside(realize((I,), (V,), Store(V, const(1)))), inside(
        realize((I,), (V,), Block((Let(K, V), Store(K, const(1)))))
    )


@case(
    "scope",
    "a value is assigned to n, an argument, which function f (n) binds; declare a variable "
    "with Let and assign to that",
)
def assignment_to_an_argument():
    return func(Store(N, const(1)), args=(N,)), func(Let(K, N), Store(K, const(1)), args=(N,))


@case(
    "lifetime",
    "T[0] = 1.0 uses _T, which is not allocated there; allocate it before, in this block or "
    "one around",
)
def use_before_allocation():
    return func(Store(T, ONE, (const(0),)), Alloc(TEMP), temps=(TEMP,)), func(
        Alloc(TEMP), Store(T, ONE, (const(0),)), temps=(TEMP,)
    )


@case(
    "lifetime",
    "T[0] = 1.0 uses _T, which is not allocated there; allocate it before, in this block or "
    "one around",
)
def use_after_the_block_of_the_allocation():
    return func(Block((Alloc(TEMP),)), Store(T, ONE, (const(0),)), temps=(TEMP,)), func(
        Block((Alloc(TEMP), Store(T, ONE, (const(0),)))), temps=(TEMP,)
    )


@case(
    "lifetime",
    "T[0] = 1.0 uses _T, which is not allocated there; allocate it before, in this block or "
    "one around",
)
def use_after_the_body_of_the_allocation():
    return func(Alloc(TEMP, body=Block()), Store(T, ONE, (const(0),)), temps=(TEMP,)), func(
        Alloc(TEMP, body=Store(T, ONE, (const(0),))), temps=(TEMP,)
    )


@case("lifetime", "T[0] uses _T after free(_T); free it later")
def use_after_free():
    return func(Alloc(TEMP), Free(TEMP), Store(A, T[0], (const(0),)), temps=(TEMP,)), func(
        Alloc(TEMP), Store(A, T[0], (const(0),)), Free(TEMP), temps=(TEMP,)
    )


@case(
    "lifetime",
    "alloc(_T) allocates _T, which is allocated already; free it before, or allocate it once",
)
def allocation_twice():
    return func(Alloc(TEMP), Alloc(TEMP), temps=(TEMP,)), func(
        Alloc(TEMP), Free(TEMP), Alloc(TEMP), temps=(TEMP,)
    )


@case("lifetime", "free(_T) frees _T after free(_T); drop one")
def free_twice():
    return func(Alloc(TEMP), Free(TEMP), Free(TEMP), temps=(TEMP,)), func(
        Alloc(TEMP), Free(TEMP), temps=(TEMP,)
    )


@case("lifetime", "free(_T) frees _T, which is not allocated there; drop it")
def free_before_allocation():
    return func(Free(TEMP), Alloc(TEMP), temps=(TEMP,)), func(
        Alloc(TEMP), Free(TEMP), temps=(TEMP,)
    )


@case(
    "lifetime",
    "alloc(_A) names _A, which is given, not allocated; only temporary buffers are allocated "
    "and freed",
)
def allocation_of_an_argument():
    return func(Alloc(A_BUFFER)), func(Alloc(TEMP), temps=(TEMP,))


@case(
    "name",
    "two tensors are called 'A': one of shape and buffer (16) and _A, another of (4, 8) and "
    "_B; rename one, all its uses at once",
)
def two_tensors_of_one_name():
    return func(Store(A, B_NAMED_A[0, 0], (const(0),))), func(Store(A, B[0, 0], (const(0),)))


@case("name", "two functions of module 'm' are called 'f'; rename one")
def two_functions_of_one_name():
    return tir.Module("m", functions=(func(), func())), tir.Module(
        "m", functions=(func(), func().with_fields(name="g"))
    )


@case("name", "two buffers of module 'm' are called '_T'; rename one")
def two_buffers_of_one_name():
    return tir.Module("m", buffers=(TEMP, Buffer("_T", (8,)))), tir.Module(
        "m", buffers=(TEMP, A_BUFFER)
    )


@case(
    "loop kind",
    "the loop over i is UNROLLED and VECTORIZED; these exclude one another",
)
def unrolled_and_vectorised():
    return loop(for_type=ForType.UNROLLED | ForType.VECTORIZED, vectorize_info=LANES), loop(
        for_type=ForType.PARALLEL | ForType.VECTORIZED, vectorize_info=LANES
    )


@case(
    "loop kind",
    "the loop over i is GPU_THREAD and GPU_BLOCK; these exclude one another",
)
def threads_and_blocks():
    return loop(for_type=ForType.GPU_THREAD | ForType.GPU_BLOCK, bind_info=THREAD), loop(
        for_type=ForType.GPU_THREAD, bind_info=THREAD
    )


@case(
    "loop kind",
    "the loop over i is vectorised with VectorizeInfo(level=-1, factor=-1); expected a level "
    "of 0 or more and a factor of 1 or more: give vectorize_info",
)
def vectorised_by_nothing():
    return loop(for_type=ForType.VECTORIZED), loop(
        for_type=ForType.VECTORIZED, vectorize_info=LANES
    )


@case(
    "loop kind",
    "the loop over i is given VectorizeInfo(level=0, factor=4), but is not vectorised; add "
    "the flag VECTORIZED, or drop it",
)
def lanes_of_a_serial_loop():
    return loop(vectorize_info=LANES), loop()


@case(
    "loop kind",
    "the loop over i is bound with BindInfo(for_type=<ForType.DEFAULT: 64>, offset=-1, "
    "device=None), which names no axis; give bind_info GPU_THREAD or GPU_BLOCK and an offset "
    "of 0 to 2",
)
def bound_to_nothing():
    return loop(for_type=ForType.GPU_THREAD), loop(for_type=ForType.GPU_THREAD, bind_info=THREAD)


@case(
    "loop kind",
    "the loop over i is bound with BindInfo(for_type=<ForType.GPU_THREAD: 8>, offset=3, "
    "device=None), which names no axis; give bind_info GPU_THREAD or GPU_BLOCK and an offset "
    "of 0 to 2",
)
def bound_to_a_fourth_axis():
    return loop(for_type=ForType.GPU_THREAD, bind_info=tir.BindInfo(ForType.GPU_THREAD, 3)), loop(
        for_type=ForType.GPU_THREAD, bind_info=tir.BindInfo(ForType.GPU_THREAD, 2)
    )


@case(
    "loop kind",
    "the loop over i is given BindInfo(for_type=<ForType.GPU_THREAD: 8>, offset=0, "
    "device=None), but is not bound; add the flag GPU_THREAD or GPU_BLOCK, or drop it",
)
def axis_of_a_serial_loop():
    return loop(bind_info=THREAD), loop()


@case(
    "loop kind",
    "the loop over i is GPU_BLOCK, but bound to threadIdx.x; let both name one device",
)
def thread_bound_to_a_block():
    return loop(for_type=ForType.GPU_BLOCK, bind_info=THREAD), loop(
        for_type=ForType.GPU_THREAD, bind_info=THREAD
    )


@case(
    "loop kind",
    "for (j, 0, 16) is bound to threadIdx.x, as a loop around it is; bind it to another axis",
)
def one_axis_twice_in_a_nest():
    return func(bound(loop(bound(Block(), J, 0), var=K), I, 0)), func(
        bound(loop(bound(Block(), J, 1), var=K), I, 0)
    )


@case(
    "call",
    "helpr(1, _A) calls 'helpr', which the module does not define; did you mean helper?; "
    "define it, or call a function of the runtime as EXTERN",
)
def call_of_an_unknown_function():
    return tir.Module("m", functions=(func(CALL.with_fields(name="helpr")), HELPER)), tir.Module(
        "m", functions=(func(CALL), HELPER)
    )


@case(
    "call",
    "helper(1) gives 'helper' 1 arguments, and it takes 2; give it one for each",
)
def call_with_too_few_arguments():
    return tir.Module("m", functions=(func(CALL.with_fields(write_args=())), HELPER)), tir.Module(
        "m", functions=(func(CALL), HELPER)
    )


@case(
    "call",
    "helper(1.0, _A) gives 1.0 of type float32 for count of type int32; both must have one "
    "type: cast the first",
)
def call_with_another_type():
    return tir.Module(
        "m", functions=(func(CALL.with_fields(read_args=(ONE,))), HELPER)
    ), tir.Module("m", functions=(func(CALL), HELPER))


@case(
    "call",
    "helper(1, 2) gives 2 of type int32 for _out, which is memory; give a tensor or a buffer",
)
def call_with_a_number_for_memory():
    return tir.Module(
        "m",
        functions=(func(CALL.with_fields(write_args=(), read_args=(const(1), const(2)))), HELPER),
    ), tir.Module("m", functions=(func(CALL), HELPER))


@case(
    "call",
    "helper(1, _I) gives memory of type int32 for _out, which holds elements of type "
    "float32; give memory of this type",
)
def call_with_memory_of_another_type():
    return tir.Module(
        "m", functions=(func(CALL.with_fields(write_args=(INTEGERS,)), args=(INTEGERS,)), HELPER)
    ), tir.Module("m", functions=(func(CALL), HELPER))


@case(
    "call",
    "exp(x, x) reads 2 arguments, and 'exp' reads 1; give it as many",
)
def extern_with_too_many_arguments():
    return Call("float32", "exp", (X, X)), Call("float32", "exp", (X,))


@case(
    "call",
    "exp(i) gives 'exp' arguments of type int32, which it does not take; cast them",
)
def extern_of_integers():
    return Call("float32", "exp", (I,)), Call("float32", "exp", (X,))


@case(
    "call",
    "exp(x) is said to be of type float64, and 'exp' gives float32; say that, and cast the value",
)
def extern_of_another_result():
    return Call("float64", "exp", (X,)), Call("float32", "exp", (X,))


@case(
    "call",
    "the call of 'f' writes to 1 of type int32 (IntImm); expected a tensor, a buffer, a "
    "variable or an address",
)
def call_that_writes_a_number():
    return Call("void", "f", (), (const(1),)), Call("void", "f", (), (A,))


@case(
    "call",
    "the call of 'f' takes result -2; expected 0 or more, or -1 for the only one",
)
def call_of_a_result_below_zero():
    return Call("float32", "f", value_index=-2), Call("float32", "f", value_index=1)


@case(
    "call",
    "nobody said what the primitive 'launch_rocket' stands for; call "
    "tir.register_primitive('launch_rocket', rule)",
)
def primitive_that_nobody_knows():
    return tir.PrimitiveNode("launch_rocket"), Block()


@case(
    "type",
    "BufferGetDataHandle is given i of type int32; expected a Buffer, or an address of type "
    "cinn_buffer_t*",
)
def data_of_a_number():
    return tir.BufferGetDataHandle(I), tir.BufferGetDataHandle(A_BUFFER)


@case(
    "type",
    "PodValueToX is given i of type int32; expected an address of type cinn_pod_value_t*",
)
def value_of_a_number():
    return tir.PodValueToX(I, "int32"), tir.PodValueToX(POD, "int32")


@case(
    "type",
    "PodValueToX makes a value of type int8; expected one of float32, float64, int32, int64, "
    "void*, cinn_buffer_t*",
)
def value_of_an_odd_type():
    return tir.PodValueToX(POD, "int8"), tir.PodValueToX(POD, "float64")


@case(
    "memory",
    "GetAddr takes the address of (i + 1) (Add), which is not stored; expected a Load, a "
    "variable, a tensor or a buffer",
)
def address_of_a_sum():
    return tir.GetAddr(I + 1), tir.GetAddr(A[I])


@case(
    "type",
    "GetAddr takes the address of pp of type float32**; a type has two levels of pointers at most",
)
def address_of_an_address_of_an_address():
    return tir.GetAddr(Var("pp", "float32**")), tir.GetAddr(Var("p", "float32*"))


@case(
    "type",
    "ArgsConstruct packs into i of type int32; expected an array of cinn_pod_value_t",
)
def arguments_packed_into_a_number():
    return tir.ArgsConstruct(I, (X,)), tir.ArgsConstruct(POD, (X,))


@case(
    "call",
    "the intrinsic 'exp' is told apart by 2 arguments, and has 1; expected 0 to 1",
)
def intrinsic_of_too_few_arguments():
    return tir.BuiltinIntrin("exp", (X,), "float32", arg_nums=2), tir.BuiltinIntrin(
        "exp", (X,), "float32", arg_nums=1
    )


@case(
    "type",
    "the intrinsic 'exp' is given 'a' of type string; expected numbers",
)
def intrinsic_of_a_string():
    return tir.BuiltinIntrin("exp", (tir.StringImm("a"),), "float32"), tir.BuiltinIntrin(
        "exp", (X,), "float32"
    )


@case(
    "operation",
    "ComputeOp 'c' has 0 axes and 1 dimensions; give each dimension one",
)
def computation_without_axes():
    return tir.ComputeOp((), (const(4),), (ONE,), name="c"), tir.ComputeOp(
        (I,), (const(4),), (ONE,), name="c"
    )


@case(
    "operation",
    "ComputeOp 'c' computes nothing; give it a body for each result",
)
def computation_of_nothing():
    return tir.ComputeOp((I,), (const(4),), (), name="c"), tir.ComputeOp(
        (I,), (const(4),), (ONE,), name="c"
    )


@case(
    "operation",
    "a dimension of PlaceholderOp 'p' is x of type float32; expected int32 or int64: cast it",
)
def input_of_half_a_dimension():
    return tir.PlaceholderOp((X,), name="p"), tir.PlaceholderOp((N,), name="p")


@case(
    "operation",
    "CallOp 'c' takes result -2; expected 0 or more, or -1 for the only one",
)
def result_below_zero():
    return tir.CallOp(Call("void", "f"), value_slot=-2, name="c"), tir.CallOp(
        Call("void", "f"), value_slot=1, name="c"
    )


@case(
    "operation",
    "PrecedingViewOp 'v' views tensor A by its axes up to 2, and it has 1; expected 0 to 1",
)
def view_by_too_many_axes():
    return tir.PrecedingViewOp(A, 2, name="v"), tir.PrecedingViewOp(B, 2, name="v")


@case(
    "operation",
    "tensor C has 2 dimensions, and axis says 1; give each dimension one, or leave it out",
)
def axes_of_other_dimensions():
    return Tensor("C", (4, 4), axis=(I,)), Tensor("C", (4, 4), axis=(I, J))


@case(
    "bounds",
    "A[16] = 1.0 is out of range: index 16 of dimension 0 is 16, and tensor A has 16 there; "
    "correct the index, or guard the access with IfThenElse",
)
def literal_index_out_of_range():
    return func(Store(A, ONE, (const(16),))), func(Store(A, ONE, (const(15),)))


@case(
    "bounds",
    "A[%0] = 1.0 is out of range: index (i - 1) of dimension 0 becomes -1, and tensor A has "
    "16 there; correct the index, or guard the access with IfThenElse",
)
def index_below_zero():
    return inside(Store(A, ONE, (I - 1,))), inside(IfThenElse(I > 0, Store(A, ONE, (I - 1,))))


@case(
    "bounds",
    "A[i] = 1.0 is out of range: index i of dimension 0 becomes 16, and tensor A has 16 "
    "there; correct the index, or guard the access with IfThenElse",
)
def loop_one_too_long():
    return func(loop(Store(A, ONE, (I,)), extent=17)), func(loop(Store(A, ONE, (I,)), extent=16))


@case(
    "bounds",
    "A[%0] = 1.0 is out of range: index (%0 + 1) of dimension 0 becomes 16, and tensor A has "
    "16 there; correct the index, or guard the access with IfThenElse",
)
def two_loops_together():
    return func(loop(loop(Store(A, ONE, (I * 4 + J + 1,)), var=J, extent=4), extent=4)), func(
        loop(loop(Store(A, ONE, (I * 4 + J,)), var=J, extent=4), extent=4)
    )


@case(
    "bounds",
    "A[%0] = %1 is out of range: index Ramp(12, 1, 8) of dimension 0 is 19, and tensor A has "
    "16 there; correct the index, or guard the access with IfThenElse",
)
def element_of_a_vector():
    return func(Store(A, Broadcast(ONE, 8), (Ramp(const(12), const(1), 8),))), func(
        Store(A, Broadcast(ONE, 8), (Ramp(const(8), const(1), 8),))
    )


@case(
    "bounds",
    "A[%0] is out of range: index (i + s) of dimension 0 becomes 18, and tensor A has 16 "
    "there; correct the index, or guard the access with IfThenElse",
)
def axis_of_a_reduction():
    return inside(Store(A, Reduce(ReduceType.SUM, ONE, A[I + S], (S,)), (I,))), inside(
        Store(A, Reduce(ReduceType.SUM, ONE, A[S], (S,)), (I,))
    )


@case(
    "bounds",
    "A[v] = 1.0 is out of range: index v of dimension 0 becomes 30, and tensor A has 16 "
    "there; correct the index, or guard the access with IfThenElse",
)
def element_by_a_schedule_block():
    return inside(realize((I * 2,), (V,), Store(A, ONE, (V,)))), inside(
        realize((I / 2,), (V,), Store(A, ONE, (V,)))
    )


@case(
    "bounds",
    "A[%0] = 1.0 is out of range: index (i + 16) of dimension 0 is 16 to 114, and tensor A "
    "has 16 there; correct the index, or guard the access with IfThenElse",
)
def always_out_of_range_in_an_uncertain_loop():
    return func(loop(Store(A, ONE, (I + 16,)), extent=FEW), args=(A_BUFFER, FEW)), func(
        loop(Store(A, ONE, (I,)), extent=FEW), args=(A_BUFFER, FEW)
    )
