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
    cases,
    func,
    inside,
    loop,
    realize,
)

FAR = tir.compute((16,), lambda i: A[i + 15], "far", inline=True)

cases("reduce", {
    "reduction from another type": (
        ("Reduce begins with 0 of type int32 and combines it with x of type float32; both must "
         "have one type: cast the first"),
        Reduce(ReduceType.SUM, const(0), X, ()), Reduce(ReduceType.SUM, const(0.0), X, ())),
    "all of numbers": (
        ("Reduce of kind all combines i of type int32; expected truth values: compare the number "
         "with 0"),
        Reduce(ReduceType.ALL, const(1), I, ()), Reduce(ReduceType.ALL, const(True), I < 1, ())),
    "sum of truth values": (
        ("Reduce of kind sum combines (i < 1) of type bool; expected numbers: use the kinds all "
         "and any for truth values"),
        Reduce(ReduceType.SUM, const(False), I < 1, ()),
        Reduce(ReduceType.ANY, const(False), I < 1, ())),
    "axis without bounds": (
        ("Reduce runs over k, which has no bounds; give the axis both: tir.Var(name, "
         "lower_bound=..., upper_bound=...)"),
        Reduce(ReduceType.SUM, const(0.0), A[K], (K,)),
        Reduce(ReduceType.SUM, const(0.0), A[R], (R,))),
    "axis of the schedule block": (
        ("Reduce runs over r, which schedule block 'B' binds; there it does one step of the "
         "block: leave the axis out of reduce_axis"),
        inside(
            realize((I,), (R,), Store(A, Reduce(ReduceType.SUM, A[0], A[R], (R,)), (const(0),)))
        ),
        inside(realize((I,), (R,), Store(A, Reduce(ReduceType.SUM, A[0], A[R]), (const(0),))))),
})  # fmt: skip


cases("lifetime", {
    "use after the block of the allocation": (
        ("T[0] = 1.0 uses _T, which is not allocated there; allocate it before, in this block or "
         "one around"),
        func(Block((Alloc(TEMP),)), Store(T, ONE, (const(0),)), temps=(TEMP,)),
        func(Block((Alloc(TEMP), Store(T, ONE, (const(0),)))), temps=(TEMP,))),
    "use after the body of the allocation": (
        ("T[0] = 1.0 uses _T, which is not allocated there; allocate it before, in this block or "
         "one around"),
        func(Alloc(TEMP, body=Block()), Store(T, ONE, (const(0),)), temps=(TEMP,)),
        func(Alloc(TEMP, body=Store(T, ONE, (const(0),))), temps=(TEMP,))),
    "use after free": (
        "T[0] uses _T after free(_T); free it later",
        func(Alloc(TEMP), Free(TEMP), Store(A, T[0], (const(0),)), temps=(TEMP,)),
        func(Alloc(TEMP), Store(A, T[0], (const(0),)), Free(TEMP), temps=(TEMP,))),
    "allocation twice": (
        "alloc(_T) allocates _T, which is allocated already; free it before, or allocate it once",
        func(Alloc(TEMP), Alloc(TEMP), temps=(TEMP,)),
        func(Alloc(TEMP), Free(TEMP), Alloc(TEMP), temps=(TEMP,))),
    "free twice": (
        "free(_T) frees _T after free(_T); drop one",
        func(Alloc(TEMP), Free(TEMP), Free(TEMP), temps=(TEMP,)),
        func(Alloc(TEMP), Free(TEMP), temps=(TEMP,))),
    "free before allocation": (
        "free(_T) frees _T, which is not allocated there; drop it",
        func(Free(TEMP), Alloc(TEMP), temps=(TEMP,)), func(Alloc(TEMP), Free(TEMP), temps=(TEMP,))),
    "allocation of an argument": (
        ("alloc(_A) names _A, which is given, not allocated; only temporary buffers are allocated "
         "and freed"),
        func(Alloc(A_BUFFER)), func(Alloc(TEMP), temps=(TEMP,))),
})  # fmt: skip


cases("name", {
    "two tensors of one name": (
        ("two tensors are called 'A': one of shape and buffer (16) and _A, another of (4, 8) and "
         "_B; rename one, all its uses at once"),
        func(Store(A, B_NAMED_A[0, 0], (const(0),))), func(Store(A, B[0, 0], (const(0),)))),
    "two buffers of one name": (
        "two buffers of module 'm' are called '_T'; rename one",
        tir.Module("m", buffers=(TEMP, Buffer("_T", (8,)))),
        tir.Module("m", buffers=(TEMP, A_BUFFER))),
})  # fmt: skip


cases("call", {
    "call of an unknown function": (
        ("helpr(1, _A) calls 'helpr', which the module does not define; did you mean helper?; "
         "define it, or call a function of the runtime as EXTERN"),
        tir.Module("m", functions=(func(CALL.with_fields(name="helpr")), HELPER)),
        tir.Module("m", functions=(func(CALL), HELPER))),
    "call with too few arguments": (
        "helper(1) gives 'helper' 1 arguments, and it takes 2; give it one for each",
        tir.Module("m", functions=(func(CALL.with_fields(write_args=())), HELPER)),
        tir.Module("m", functions=(func(CALL), HELPER))),
    "call with another type": (
        ("helper(1.0, _A) gives 1.0 of type float32 for count of type int32; both must have one "
         "type: cast the first"),
        tir.Module("m", functions=(func(CALL.with_fields(read_args=(ONE,))), HELPER)),
        tir.Module("m", functions=(func(CALL), HELPER))),
    "call with a number for memory": (
        "helper(1, 2) gives 2 of type int32 for _out, which is memory; give a tensor or a buffer",
        tir.Module(
            "m",
            functions=(
                func(CALL.with_fields(write_args=(), read_args=(const(1), const(2)))),
                HELPER,
            ),
        ),
        tir.Module("m", functions=(func(CALL), HELPER))),
    "call with memory of another type": (
        ("helper(1, _I) gives memory of type int32 for _out, which holds elements of type "
         "float32; give memory of this type"),
        tir.Module(
            "m",
            functions=(func(CALL.with_fields(write_args=(INTEGERS,)), args=(INTEGERS,)), HELPER),
        ),
        tir.Module("m", functions=(func(CALL), HELPER))),
    "extern with too many arguments": (
        "exp(x, x) reads 2 arguments, and 'exp' reads 1; give it as many",
        Call("float32", "exp", (X, X)), Call("float32", "exp", (X,))),
    "extern of integers": (
        "exp(i) gives 'exp' arguments of type int32, which it does not take; cast them",
        Call("float32", "exp", (I,)), Call("float32", "exp", (X,))),
    "extern of another result": (
        ("exp(x) is said to be of type float64, and 'exp' gives float32; say that, and cast the "
         "value"),
        Call("float64", "exp", (X,)), Call("float32", "exp", (X,))),
    "call that writes a number": (
        ("the call of 'f' writes to 1 of type int32 (IntImm); expected a tensor, a buffer, a "
         "variable or an address"),
        Call("void", "f", (), (const(1),)), Call("void", "f", (), (A,))),
    "call of a result below zero": (
        "the call of 'f' takes result -2; expected 0 or more, or -1 for the only one",
        Call("float32", "f", value_index=-2), Call("float32", "f", value_index=1)),
    "primitive that nobody knows": (
        ("nobody said what the primitive 'launch_rocket' stands for; call "
         "tir.PRIMITIVES.register('launch_rocket', rule)"),
        tir.PrimitiveNode("launch_rocket"), Block()),
    "intrinsic of too few arguments": (
        "the intrinsic 'exp' is told apart by 2 arguments, and has 1; expected 0 to 1",
        tir.BuiltinIntrin("exp", (X,), "float32", arg_nums=2),
        tir.BuiltinIntrin("exp", (X,), "float32", arg_nums=1)),
})  # fmt: skip


cases("bounds", {
    "index below zero": (
        ("A[%0] = 1.0 is out of range: index (i - 1) of dimension 0 becomes -1, and tensor A has "
         "16 there; correct or clamp the index, or guard the access with IfThenElse"),
        inside(Store(A, ONE, (I - 1,))), inside(IfThenElse(I > 0, Store(A, ONE, (I - 1,))))),
    "loop one too long": (
        ("A[i] = 1.0 is out of range: index i of dimension 0 becomes 16, and tensor A has 16 "
         "there; correct or clamp the index, or guard the access with IfThenElse"),
        func(loop(Store(A, ONE, (I,)), extent=17)), func(loop(Store(A, ONE, (I,)), extent=16))),
    "axis of a reduction": (
        ("A[%0] is out of range: index (i + s) of dimension 0 becomes 18, and tensor A has 16 "
         "there; correct or clamp the index, or guard the access with IfThenElse"),
        inside(Store(A, Reduce(ReduceType.SUM, ONE, A[I + S], (S,)), (I,))),
        inside(Store(A, Reduce(ReduceType.SUM, ONE, A[S], (S,)), (I,)))),
    "element by a schedule block": (
        ("A[v] = 1.0 is out of range: index v of dimension 0 becomes 30, and tensor A has 16 "
         "there; correct or clamp the index, or guard the access with IfThenElse"),
        inside(realize((I * 2,), (V,), Store(A, ONE, (V,)))),
        inside(realize((I / 2,), (V,), Store(A, ONE, (V,))))),
    "always out of range in a loop of some length": (
        ("A[%0] = 1.0 is out of range: index (i + 16) of dimension 0 is 16 to 114, and tensor A "
         "has 16 there; correct or clamp the index, or guard the access with IfThenElse"),
        func(loop(Store(A, ONE, (I + 16,)), extent=FEW), args=(A_BUFFER, FEW)),
        func(loop(Store(A, ONE, (I,)), extent=FEW), args=(A_BUFFER, FEW))),
    "element of an inline tensor": (
        ("A[%0] is out of range: index (i + 15) of dimension 0 is 16 to 18, and tensor A has 16 "
         "there; correct the index, or what is computed of it"),
        func(loop(Store(A, FAR[I + 1], (I,)), extent=3)),
        func(loop(Store(A, FAR[I], (I,)), extent=3))),
})  # fmt: skip
