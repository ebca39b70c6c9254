"""Literals, tensors, buffers, indices and operations that do not fit, beside twins that do."""

from __future__ import annotations

from relayish import tir
from relayish.tir import (
    Alloc,
    Buffer,
    Call,
    Free,
    IntImm,
    Load,
    Ramp,
    Store,
    Tensor,
    UIntImm,
    Var,
    const,
)
from tests.support.tir_cases import (
    A_BUFFER,
    INLINE,
    ONE,
    STRIDED,
    TEMP,
    VECTORS,
    A,
    B,
    I,
    J,
    N,
    X,
    cases,
    func,
)

cases("literal", {
    "integer literal out of range": (
        "the literal 128 is out of range of int8, which is -128 to 127; give it a wider type",
        IntImm(128, "int8"), IntImm(127, "int8")),
    "integer literal of an unsigned type": (
        ("IntImm 1 is of type uint8; expected a signed integer type without lanes: use "
         "tir.const(1, type)"),
        IntImm(1, "uint8"), UIntImm(1, "uint8")),
    "float literal of an integer type": (
        ("FloatImm 1.0 is of type int32; expected a floating-point type without lanes: use "
         "tir.const(1.0, type)"),
        tir.FloatImm(1.0, "int32"), tir.FloatImm(1.0, "float16")),
})  # fmt: skip


cases("index", {
    "index of bytes": (
        "an index of tensor A is s of type int8; expected int32 or int64: cast it",
        A[Var("s", "int8")], A[Var("s", "int64")]),
    "index that lacks": (
        "B[i] has 1 index, and tensor B has 2 dimensions; give each dimension an index",
        B[I], B[I, J]),
    "index of a scalar": (
        "x[i] has indices, and x of type float32 is a scalar; drop them",
        Load(X, (I,)), Load(X, (const(0),))),
    "indices of different lanes": (
        "indices of tensor B have 2 and 4 lanes; all vectors among them must have as many",
        B[Ramp(I, const(1), 2), Ramp(J, const(1), 4)],
        B[Ramp(I, const(1), 4), Ramp(J, const(1), 4)]),
    "vectors of vectors": (
        "tensor D holds vectors of type float32<4> and is indexed by vectors; index it by scalars",
        VECTORS[Ramp(I, const(1), 4)], VECTORS[I]),
})  # fmt: skip


cases("memory", {
    "load from a sum": (
        "%0[] accesses (i + j) of type int32 (Add); expected a tensor or a scalar variable",
        Load(I + J, ()), Load(I, ())),
    "store to an inline tensor": (
        ("a value is stored to tensor inline, which is inline: it has no buffer; give it one, or "
         "store to another tensor"),
        Store(INLINE, ONE, (I,)), Store(A, ONE, (I,))),
    "tensor of another type": (
        ("tensor C has elements of type int32, and buffer _A of type float32; let both have one "
         "type"),
        Tensor("C", (16,), "int32", A_BUFFER), Tensor("C", (16,), "float32", A_BUFFER)),
    "tensor of other strides": (
        ("buffer _S has 1 stride, and tensor C 2 dimensions; a view has a dimension for each "
         "stride"),
        Tensor("C", (4, 4), "float32", STRIDED), Tensor("C", (4,), "float32", STRIDED)),
    "tensor beyond its strides": (
        ("tensor C of shape (5,) reaches 9 elements far, and buffer _S of shape (4,) has 7; make "
         "the buffer larger, or the tensor smaller"),
        Tensor("C", (5,), "float32", STRIDED), Tensor("C", (4,), "float32", STRIDED)),
    "tensor on a variable": (
        "tensor C looks at x of type float32 (Var); expected a Buffer",
        Tensor("C", (16,), "float32", X), Tensor("C", (16,), "float32", A_BUFFER)),
    "dimension below zero": (
        "a dimension of buffer _C is -1; a size is 0 or more",
        Buffer("_C", (const(-1),)), Buffer("_C", (const(0),))),
    "dimension of floats": (
        "a dimension of buffer _C is x of type float32; expected int32 or int64: cast it",
        Buffer("_C", (X,)), Buffer("_C", (N,))),
    "buffer of strings": (
        "buffer _C holds elements of type string; expected a type that memory holds",
        Buffer("_C", (4,), "string"), Buffer("_C", (4,), "bool")),
    "strides of other dimensions": (
        "buffer _C has 2 dimensions and 1 stride; give each dimension one, or none",
        Buffer("_C", (4, 4), strides=(const(1),)),
        Buffer("_C", (4, 4), strides=(const(4), const(1)))),
    "stride of floats": (
        "a stride of buffer _C is x of type float32; expected int32 or int64",
        Buffer("_C", (4,), strides=(X,)), Buffer("_C", (4,), strides=(N,))),
    "offset between multiples": (
        "the offset of buffer _C is 6, which is no multiple of its offset factor 4; correct one",
        Buffer("_C", (4,), elem_offset=const(6), offset_factor=4),
        Buffer("_C", (4,), elem_offset=const(8), offset_factor=4)),
    "alignment below zero": (
        ("buffer _C has the offset factor 0 and the alignment -1; expected numbers that are not "
         "negative"),
        Buffer("_C", (4,), data_alignment=-1), Buffer("_C", (4,), data_alignment=64)),
    "allocation of another shape": (
        "Alloc gives buffer _T the shape (8,), and it has the shape (16,); give the same, or none",
        func(Alloc(TEMP, (const(8),)), temps=(TEMP,)),
        func(Alloc(TEMP, (const(16),)), temps=(TEMP,))),
    "allocation of more dimensions": (
        ("Alloc gives buffer _T 2 extents, and it has 1 dimension; give each dimension one, or "
         "none"),
        func(Alloc(TEMP, (const(4), const(4))), temps=(TEMP,)), func(Alloc(TEMP), temps=(TEMP,))),
    "allocation of a variable": (
        "Alloc is given x of type float32 (Var); expected a Buffer",
        Alloc(X), Alloc(TEMP)),
    "free of a variable": (
        "Free is given x of type float32 (Var); expected a Buffer",
        Free(X), Free(TEMP)),
    "address of a sum": (
        ("GetAddr takes the address of (i + 1) (Add), which is not stored; expected a Load, a "
         "variable, a tensor or a buffer"),
        tir.GetAddr(I + 1), tir.GetAddr(A[I])),
    "load of what nothing computes": (
        ("C[i] loads from tensor C, which has neither a buffer nor an operation; give it one of "
         "them"),
        Load(Tensor("C", (4,)), (I,)), Load(INLINE, (I,))),
})  # fmt: skip


cases("operation", {
    "computation without axes": (
        "ComputeOp 'c' has 0 axes and 1 dimensions; give each dimension one",
        tir.ComputeOp((), (const(4),), (ONE,), name="c"),
        tir.ComputeOp((I,), (const(4),), (ONE,), name="c")),
    "computation of nothing": (
        "ComputeOp 'c' computes nothing; give it a body for each result",
        tir.ComputeOp((I,), (const(4),), (), name="c"),
        tir.ComputeOp((I,), (const(4),), (ONE,), name="c")),
    "input of half a dimension": (
        "a dimension of PlaceholderOp 'p' is x of type float32; expected int32 or int64: cast it",
        tir.PlaceholderOp((X,), name="p"), tir.PlaceholderOp((N,), name="p")),
    "result below zero": (
        "CallOp 'c' takes result -2; expected 0 or more, or -1 for the only one",
        tir.CallOp(Call("void", "f"), value_slot=-2, name="c"),
        tir.CallOp(Call("void", "f"), value_slot=1, name="c")),
    "view by too many axes": (
        "PrecedingViewOp 'v' views tensor A by its axes up to 2, and it has 1; expected 0 to 1",
        tir.PrecedingViewOp(A, 2, name="v"), tir.PrecedingViewOp(B, 2, name="v")),
    "axes of other dimensions": (
        "tensor C has 2 dimensions, and axis says 1; give each dimension one, or leave it out",
        Tensor("C", (4, 4), axis=(I,)), Tensor("C", (4, 4), axis=(I, J))),
    "inline tensor of another type": (
        ("tensor inline has elements of type int32, and is computed as (%0 + 1.0) of type "
         "float32; cast what is computed"),
        INLINE.with_fields(dtype="int32"), INLINE),
    "inline tensor of other dimensions": (
        "tensor inline has 2 dimensions, and its computation 1 axis; give each dimension one",
        INLINE.with_fields(shape=(const(4), const(4)), axis=(), domain=()), INLINE),
})  # fmt: skip
