"""Loops, schedule blocks and scopes that break a rule, beside twins that keep it."""

from __future__ import annotations

from relayish import tir
from relayish.tir import (
    Block,
    BufferRange,
    Call,
    Cast,
    ForType,
    Let,
    LoweredFunc,
    PolyFor,
    ScheduleBlock,
    Store,
    Var,
    const,
)
from tests.support.tir_cases import (
    A_BUFFER,
    B_BUFFER,
    LANES,
    ONE,
    SIZED,
    SIZED_BUFFER,
    TEMP,
    THREAD,
    A,
    B,
    I,
    J,
    K,
    N,
    T,
    V,
    W,
    X,
    bound,
    cases,
    func,
    inside,
    loop,
    part,
    realize,
)

cases("structure", {
    "poly for over a statement": (
        "the body of poly_for (i, 0, %0, 1) is A[i] = 1.0; expected a Block: write Block((body,))",
        func(PolyFor(I, 0, I < 4, 1, Store(A, ONE, (I,)))),
        func(PolyFor(I, 0, I < 4, 1, Block((Store(A, ONE, (I,)),))))),
    "schedule block without values": (
        ("schedule block 'B' stands in a Block without values for its variables; put it into a "
         "ScheduleBlockRealize"),
        Block((ScheduleBlock((), (), (), "B", Block()),)), Block((realize((), (), Block()),))),
    "inputs and outputs of some arguments": (
        ("function 'f' has 2 arguments, and args_io says how 1 are used; say it of each, or of "
         "none"),
        func().with_fields(args_io=(tir.ArgumentIO.INPUT,)),
        func().with_fields(args_io=(tir.ArgumentIO.INPUT, tir.ArgumentIO.OUTPUT))),
    "grid of nothing": (
        "function 'f' runs on the grid (0, 1, 1) of blocks (1, 1, 1); expected sizes of 1 or more",
        func().with_fields(cuda_axis_info=tir.CudaAxisInfo((0, 1, 1))),
        func().with_fields(cuda_axis_info=tir.CudaAxisInfo((2, 1, 1)))),
})  # fmt: skip


cases("schedule block", {
    "value that lacks": (
        "schedule block 'B' has 2 variables and is given 1 values; give each variable one",
        inside(realize((I,), (V, W), Block())), inside(realize((I, I), (V, W), Block()))),
    "value of another type": (
        ("variable v of type int32 of schedule block 'B' is given int64(i) of type int64; both "
         "must have one type: cast the value"),
        inside(realize((Cast("int64", I),), (V,), Block())), inside(realize((I,), (V,), Block()))),
    "variable of floats": (
        "variable v of type int8 of schedule block 'B' counts; expected int32 or int64",
        inside(realize((Cast("int8", I),), (Var("v", "int8"),), Block())),
        inside(realize((I,), (V,), Block()))),
    "value from memory": (
        ("variable v of schedule block 'B' is given int32(%0), where %0 is A[i], which is not "
         "affine in the loop variables: A[i] reads memory; expected a sum of these, each "
         "multiplied by what does not vary"),
        inside(realize((Cast("int32", A[I]),), (V,), Block())),
        inside(realize((I,), (V,), Block()))),
    "value that is a minimum": (
        ("variable v of schedule block 'B' is given cinn_min(i, 4), which is not affine in the "
         "loop variables: cinn_min(i, 4) is no sum or product; expected a sum of these, each "
         "multiplied by what does not vary"),
        inside(realize((tir.Min(I, const(4)),), (V,), Block())),
        func(loop(realize((tir.Min(N, const(4)) + I,), (V,), Block())), args=(N,))),
})  # fmt: skip


cases("region", {
    "write that is not declared": (
        ("schedule block 'B' writes _A in A[v] = 1.0, which write_buffers does not say; add it, "
         "or say nothing"),
        inside(realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(B_BUFFER, (0, 1), (0, 1)),))),
        inside(realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(A_BUFFER, (0, 16)),)))),
    "write beyond what is declared": (
        ("schedule block 'B' writes A[v] = 1.0, whose index v leaves dimension 0 of what "
         "write_buffers says of _A: 0 to 15; make that larger, or say nothing"),
        inside(realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(A_BUFFER, (0, 15)),))),
        inside(realize((I,), (V,), Store(A, ONE, (V,)), writes=(part(A_BUFFER, (0, 16)),)))),
    "regions in another order": (
        ("read_buffers of schedule block 'B' names _B, _A, which the block reads in the order _A, "
         "_B; name them in this order"),
        inside(
            realize(
                (I,), (V,), Store(A, A[V] + B[0, 0], (V,)), reads=(part(B_BUFFER), part(A_BUFFER))
            )
        ),
        inside(
            realize(
                (I,), (V,), Store(A, A[V] + B[0, 0], (V,)), reads=(part(A_BUFFER), part(B_BUFFER))
            )
        )),
    "region of a tensor": (
        "a region is a part of A of type float32 (Tensor); expected a Buffer",
        BufferRange(A), BufferRange(A_BUFFER)),
})  # fmt: skip


cases("scope", {
    "declaration after its use": (
        ("A[0] = x uses x before float32 x = 1.0 declares it; declare it before, in this block or "
         "one around"),
        func(Store(A, X, (const(0),)), Let(X, ONE)), func(Let(X, ONE), Store(A, X, (const(0),)))),
    "declaration in another block": (
        ("A[0] = x uses x outside the scope of its binder, float32 x = 1.0; use it only in there, "
         "or bind it further out"),
        func(Block((Let(X, ONE),)), Store(A, X, (const(0),))),
        func(Block((Let(X, ONE), Store(A, X, (const(0),)))))),
    "buffer that nothing binds": (
        "T uses _T, which nothing binds; bind it, or make it a parameter",
        func(Store(T, ONE, (const(0),))), func(Store(T, ONE, (const(0),)), temps=(TEMP,))),
    "argument given twice": (
        ("variable n is bound twice: by function f (n, n) and by function f (n, n); a variable is "
         "bound once, use a new Var for the second"),
        LoweredFunc("f", (N, N), Block()), LoweredFunc("f", (N, K), Block())),
    "assignment to a variable of a block": (
        ("a value is assigned to v, an index of a schedule block, which ScheduleBlock(B) binds; "
         "declare a variable with Let and assign to that"),
        inside(realize((I,), (V,), Store(V, const(1)))),
        inside(realize((I,), (V,), Block((Let(K, V), Store(K, const(1))))))),
    "assignment to an argument": (
        ("a value is assigned to n, an argument, which function f (n) binds; declare a variable "
         "with Let and assign to that"),
        func(Store(N, const(1)), args=(N,)), func(Let(K, N), Store(K, const(1)), args=(N,))),
    "shape of an unknown size": (
        "the layout of buffer _Z mentions n, which nothing binds; bind it, or make it a parameter",
        func(Store(SIZED, ONE, (const(0),)), temps=(SIZED_BUFFER,)),
        func(Store(SIZED, ONE, (const(0),)), args=(N,), temps=(SIZED_BUFFER,))),
    "inline tensor of an unknown variable": (
        ("the computation of tensor inline uses x, which nothing binds; make it an axis, or bind "
         "it around"),
        func(Store(A, tir.compute((4,), lambda i: X, "inline", inline=True)[0], (const(0),))),
        func(
            Store(A, tir.compute((4,), lambda i: X, "inline", inline=True)[0], (const(0),)),
            args=(A_BUFFER, X),
        )),
    "address of a loop variable": (
        ("an address, by which it may be changed, is taken of i, what a loop counts with, which "
         "for (i, 0, 16) binds; declare a variable with Let and take that one's"),
        inside(Call("void", "fetch", (tir.GetAddr(I),))),
        inside(Block((Let(K, I), Call("void", "fetch", (tir.GetAddr(K),)))))),
})  # fmt: skip


cases("loop kind", {
    "threads and blocks": (
        "the loop over i is GPU_THREAD and GPU_BLOCK; these exclude one another",
        loop(for_type=ForType.GPU_THREAD | ForType.GPU_BLOCK, bind_info=THREAD),
        loop(for_type=ForType.GPU_THREAD, bind_info=THREAD)),
    "vectorised by nothing": (
        ("the loop over i is vectorised with VectorizeInfo(level=-1, factor=-1); expected a level "
         "of 0 or more and a factor of 1 or more: give vectorize_info"),
        loop(for_type=ForType.VECTORIZED), loop(for_type=ForType.VECTORIZED, vectorize_info=LANES)),
    "lanes of a serial loop": (
        ("the loop over i is given VectorizeInfo(level=0, factor=4), but is not vectorised; add "
         "the flag VECTORIZED, or drop it"),
        loop(vectorize_info=LANES), loop()),
    "bound to a fourth axis": (
        ("the loop over i is bound with BindInfo(for_type=<ForType.GPU_THREAD: 8>, offset=3, "
         "device=None), which names no axis; give bind_info GPU_THREAD or GPU_BLOCK and an offset "
         "of 0 to 2"),
        loop(for_type=ForType.GPU_THREAD, bind_info=tir.BindInfo(ForType.GPU_THREAD, 3)),
        loop(for_type=ForType.GPU_THREAD, bind_info=tir.BindInfo(ForType.GPU_THREAD, 2))),
    "axis of a serial loop": (
        ("the loop over i is given BindInfo(for_type=<ForType.GPU_THREAD: 8>, offset=0, "
         "device=None), but is not bound; add the flag GPU_THREAD or GPU_BLOCK, or drop it"),
        loop(bind_info=THREAD), loop()),
    "thread bound to a block": (
        "the loop over i is GPU_BLOCK, but bound to threadIdx.x; let both name one device",
        loop(for_type=ForType.GPU_BLOCK, bind_info=THREAD),
        loop(for_type=ForType.GPU_THREAD, bind_info=THREAD)),
    "one axis twice in a nest": (
        "for (j, 0, 16) is bound to threadIdx.x, as a loop around it is; bind it to another axis",
        func(bound(loop(bound(Block(), J, 0), var=K), I, 0)),
        func(bound(loop(bound(Block(), J, 1), var=K), I, 0))),
})  # fmt: skip
