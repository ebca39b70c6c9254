"""Reductions, lifetimes, names, calls and bounds that break a rule, beside twins that keep it."""

from __future__ import annotations

from relayish import tir
from relayish.tir import (
    Alloc,
    Block,
    Buffer,
    Call,
    Free,
    IfThenElse,
    Reduce,
    ReduceType,
    Store,
    const,
)
from tests.support.tir_cases import (
    A_BUFFER,
    B_NAMED_A,
    CALL,
    FEW,
    HELPER,
    INTEGERS,
    ONE,
    TEMP,
    A,
    B,
    I,
    K,
    R,
    S,
    T,
    V,
    X,
    case,
    func,
    inside,
    loop,
    realize,
)


@case(
    "reduce",
    "Reduce begins with 0 of type int32 and combines it with x of type float32; both must "
    "have one type: cast the first",
)
def reduction_from_another_type():
    return (Reduce(ReduceType.SUM, const(0), X, ()), Reduce(ReduceType.SUM, const(0.0), X, ()))


@case(
    "reduce",
    "Reduce of kind all combines i of type int32; expected truth values: compare the number with 0",
)
def all_of_numbers():
    return (Reduce(ReduceType.ALL, const(1), I, ()), Reduce(ReduceType.ALL, const(True), I < 1, ()))


@case(
    "reduce",
    "Reduce of kind sum combines (i < 1) of type bool; expected numbers: use the kinds all "
    "and any for truth values",
)
def sum_of_truth_values():
    return (
        Reduce(ReduceType.SUM, const(False), I < 1, ()),
        Reduce(ReduceType.ANY, const(False), I < 1, ()),
    )


@case(
    "reduce",
    "Reduce runs over k, which has no bounds; give the axis both: tir.Var(name, "
    "lower_bound=..., upper_bound=...)",
)
def axis_without_bounds():
    return (
        Reduce(ReduceType.SUM, const(0.0), A[K], (K,)),
        Reduce(ReduceType.SUM, const(0.0), A[R], (R,)),
    )


@case(
    "reduce",
    "Reduce runs over r, which schedule block 'B' binds; there it does one step of the "
    "block: leave the axis out of reduce_axis",
)
def axis_of_the_schedule_block():
    return (
        inside(
            realize((I,), (R,), Store(A, Reduce(ReduceType.SUM, A[0], A[R], (R,)), (const(0),)))
        ),
        inside(realize((I,), (R,), Store(A, Reduce(ReduceType.SUM, A[0], A[R]), (const(0),)))),
    )


@case(
    "lifetime",
    "T[0] = 1.0 uses _T, which is not allocated there; allocate it before, in this block or "
    "one around",
)
def use_after_the_block_of_the_allocation():
    return (
        func(Block((Alloc(TEMP),)), Store(T, ONE, (const(0),)), temps=(TEMP,)),
        func(Block((Alloc(TEMP), Store(T, ONE, (const(0),)))), temps=(TEMP,)),
    )


@case(
    "lifetime",
    "T[0] = 1.0 uses _T, which is not allocated there; allocate it before, in this block or "
    "one around",
)
def use_after_the_body_of_the_allocation():
    return (
        func(Alloc(TEMP, body=Block()), Store(T, ONE, (const(0),)), temps=(TEMP,)),
        func(Alloc(TEMP, body=Store(T, ONE, (const(0),))), temps=(TEMP,)),
    )


@case("lifetime", "T[0] uses _T after free(_T); free it later")
def use_after_free():
    return (
        func(Alloc(TEMP), Free(TEMP), Store(A, T[0], (const(0),)), temps=(TEMP,)),
        func(Alloc(TEMP), Store(A, T[0], (const(0),)), Free(TEMP), temps=(TEMP,)),
    )


@case(
    "lifetime",
    "alloc(_T) allocates _T, which is allocated already; free it before, or allocate it once",
)
def allocation_twice():
    return (
        func(Alloc(TEMP), Alloc(TEMP), temps=(TEMP,)),
        func(Alloc(TEMP), Free(TEMP), Alloc(TEMP), temps=(TEMP,)),
    )


@case("lifetime", "free(_T) frees _T after free(_T); drop one")
def free_twice():
    return (
        func(Alloc(TEMP), Free(TEMP), Free(TEMP), temps=(TEMP,)),
        func(Alloc(TEMP), Free(TEMP), temps=(TEMP,)),
    )


@case("lifetime", "free(_T) frees _T, which is not allocated there; drop it")
def free_before_allocation():
    return (
        func(Free(TEMP), Alloc(TEMP), temps=(TEMP,)),
        func(Alloc(TEMP), Free(TEMP), temps=(TEMP,)),
    )


@case(
    "lifetime",
    "alloc(_A) names _A, which is given, not allocated; only temporary buffers are allocated "
    "and freed",
)
def allocation_of_an_argument():
    return (func(Alloc(A_BUFFER)), func(Alloc(TEMP), temps=(TEMP,)))


@case(
    "name",
    "two tensors are called 'A': one of shape and buffer (16) and _A, another of (4, 8) and "
    "_B; rename one, all its uses at once",
)
def two_tensors_of_one_name():
    return (func(Store(A, B_NAMED_A[0, 0], (const(0),))), func(Store(A, B[0, 0], (const(0),))))


@case("name", "two buffers of module 'm' are called '_T'; rename one")
def two_buffers_of_one_name():
    return (
        tir.Module("m", buffers=(TEMP, Buffer("_T", (8,)))),
        tir.Module("m", buffers=(TEMP, A_BUFFER)),
    )


@case(
    "call",
    "helpr(1, _A) calls 'helpr', which the module does not define; did you mean helper?; "
    "define it, or call a function of the runtime as EXTERN",
)
def call_of_an_unknown_function():
    return (
        tir.Module("m", functions=(func(CALL.with_fields(name="helpr")), HELPER)),
        tir.Module("m", functions=(func(CALL), HELPER)),
    )


@case("call", "helper(1) gives 'helper' 1 arguments, and it takes 2; give it one for each")
def call_with_too_few_arguments():
    return (
        tir.Module("m", functions=(func(CALL.with_fields(write_args=())), HELPER)),
        tir.Module("m", functions=(func(CALL), HELPER)),
    )


@case(
    "call",
    "helper(1.0, _A) gives 1.0 of type float32 for count of type int32; both must have one "
    "type: cast the first",
)
def call_with_another_type():
    return (
        tir.Module("m", functions=(func(CALL.with_fields(read_args=(ONE,))), HELPER)),
        tir.Module("m", functions=(func(CALL), HELPER)),
    )


@case(
    "call",
    "helper(1, 2) gives 2 of type int32 for _out, which is memory; give a tensor or a buffer",
)
def call_with_a_number_for_memory():
    return (
        tir.Module(
            "m",
            functions=(
                func(CALL.with_fields(write_args=(), read_args=(const(1), const(2)))),
                HELPER,
            ),
        ),
        tir.Module("m", functions=(func(CALL), HELPER)),
    )


@case(
    "call",
    "helper(1, _I) gives memory of type int32 for _out, which holds elements of type "
    "float32; give memory of this type",
)
def call_with_memory_of_another_type():
    return (
        tir.Module(
            "m",
            functions=(func(CALL.with_fields(write_args=(INTEGERS,)), args=(INTEGERS,)), HELPER),
        ),
        tir.Module("m", functions=(func(CALL), HELPER)),
    )


@case("call", "exp(x, x) reads 2 arguments, and 'exp' reads 1; give it as many")
def extern_with_too_many_arguments():
    return (Call("float32", "exp", (X, X)), Call("float32", "exp", (X,)))


@case("call", "exp(i) gives 'exp' arguments of type int32, which it does not take; cast them")
def extern_of_integers():
    return (Call("float32", "exp", (I,)), Call("float32", "exp", (X,)))


@case(
    "call",
    "exp(x) is said to be of type float64, and 'exp' gives float32; say that, and cast the value",
)
def extern_of_another_result():
    return (Call("float64", "exp", (X,)), Call("float32", "exp", (X,)))


@case(
    "call",
    "the call of 'f' writes to 1 of type int32 (IntImm); expected a tensor, a buffer, a "
    "variable or an address",
)
def call_that_writes_a_number():
    return (Call("void", "f", (), (const(1),)), Call("void", "f", (), (A,)))


@case("call", "the call of 'f' takes result -2; expected 0 or more, or -1 for the only one")
def call_of_a_result_below_zero():
    return (Call("float32", "f", value_index=-2), Call("float32", "f", value_index=1))


@case(
    "call",
    "nobody said what the primitive 'launch_rocket' stands for; call "
    "tir.PRIMITIVES.register('launch_rocket', rule)",
)
def primitive_that_nobody_knows():
    return (tir.PrimitiveNode("launch_rocket"), Block())


@case("call", "the intrinsic 'exp' is told apart by 2 arguments, and has 1; expected 0 to 1")
def intrinsic_of_too_few_arguments():
    return (
        tir.BuiltinIntrin("exp", (X,), "float32", arg_nums=2),
        tir.BuiltinIntrin("exp", (X,), "float32", arg_nums=1),
    )


@case(
    "bounds",
    "A[%0] = 1.0 is out of range: index (i - 1) of dimension 0 becomes -1, and tensor A has "
    "16 there; correct or clamp the index, or guard the access with IfThenElse",
)
def index_below_zero():
    return (inside(Store(A, ONE, (I - 1,))), inside(IfThenElse(I > 0, Store(A, ONE, (I - 1,)))))


@case(
    "bounds",
    "A[i] = 1.0 is out of range: index i of dimension 0 becomes 16, and tensor A has 16 "
    "there; correct or clamp the index, or guard the access with IfThenElse",
)
def loop_one_too_long():
    return (func(loop(Store(A, ONE, (I,)), extent=17)), func(loop(Store(A, ONE, (I,)), extent=16)))


@case(
    "bounds",
    "A[%0] is out of range: index (i + 15) of dimension 0 is 16 to 18, and tensor A has 16 there; "
    "correct the index, or what is computed of it",
)
def element_of_an_inline_tensor():
    far = tir.compute((16,), lambda i: A[i + 15], "far", inline=True)
    return (
        func(loop(Store(A, far[I + 1], (I,)), extent=3)),
        func(loop(Store(A, far[I], (I,)), extent=3)),
    )


@case(
    "bounds",
    "A[%0] is out of range: index (i + s) of dimension 0 becomes 18, and tensor A has 16 "
    "there; correct or clamp the index, or guard the access with IfThenElse",
)
def axis_of_a_reduction():
    return (
        inside(Store(A, Reduce(ReduceType.SUM, ONE, A[I + S], (S,)), (I,))),
        inside(Store(A, Reduce(ReduceType.SUM, ONE, A[S], (S,)), (I,))),
    )


@case(
    "bounds",
    "A[v] = 1.0 is out of range: index v of dimension 0 becomes 30, and tensor A has 16 "
    "there; correct or clamp the index, or guard the access with IfThenElse",
)
def element_by_a_schedule_block():
    return (
        inside(realize((I * 2,), (V,), Store(A, ONE, (V,)))),
        inside(realize((I / 2,), (V,), Store(A, ONE, (V,)))),
    )


@case(
    "bounds",
    "A[%0] = 1.0 is out of range: index (i + 16) of dimension 0 is 16 to 114, and tensor A "
    "has 16 there; correct or clamp the index, or guard the access with IfThenElse",
)
def always_out_of_range_in_a_loop_of_some_length():
    return (
        func(loop(Store(A, ONE, (I + 16,)), extent=FEW), args=(A_BUFFER, FEW)),
        func(loop(Store(A, ONE, (I,)), extent=FEW), args=(A_BUFFER, FEW)),
    )
