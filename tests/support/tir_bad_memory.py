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
    case,
    func,
)


@case(
    "literal", "the literal 128 is out of range of int8, which is -128 to 127; give it a wider type"
)
def integer_literal_out_of_range():
    return (IntImm(128, "int8"), IntImm(127, "int8"))


@case(
    "literal",
    "IntImm 1 is of type uint8; expected a signed integer type without lanes: use "
    "tir.const(1, type)",
)
def integer_literal_of_an_unsigned_type():
    return (IntImm(1, "uint8"), UIntImm(1, "uint8"))


@case(
    "literal",
    "FloatImm 1.0 is of type int32; expected a floating-point type without lanes: use "
    "tir.const(1.0, type)",
)
def float_literal_of_an_integer_type():
    return (tir.FloatImm(1.0, "int32"), tir.FloatImm(1.0, "float16"))


@case("index", "an index of tensor A is s of type int8; expected int32 or int64: cast it")
def index_of_bytes():
    return (A[Var("s", "int8")], A[Var("s", "int64")])


@case("index", "B[i] has 1 index, and tensor B has 2 dimensions; give each dimension an index")
def index_that_lacks():
    return (B[I], B[I, J])


@case("index", "x[i] has indices, and x of type float32 is a scalar; drop them")
def index_of_a_scalar():
    return (Load(X, (I,)), Load(X, (const(0),)))


@case("index", "indices of tensor B have 2 and 4 lanes; all vectors among them must have as many")
def indices_of_different_lanes():
    return (
        B[Ramp(I, const(1), 2), Ramp(J, const(1), 4)],
        B[Ramp(I, const(1), 4), Ramp(J, const(1), 4)],
    )


@case(
    "index",
    "tensor D holds vectors of type float32<4> and is indexed by vectors; index it by scalars",
)
def vectors_of_vectors():
    return (VECTORS[Ramp(I, const(1), 4)], VECTORS[I])


@case("memory", "%0[] accesses (i + j) of type int32 (Add); expected a tensor or a scalar variable")
def load_from_a_sum():
    return (Load(I + J, ()), Load(I, ()))


@case(
    "memory",
    "a value is stored to tensor inline, which is inline: it has no buffer; give it one, or "
    "store to another tensor",
)
def store_to_an_inline_tensor():
    return (Store(INLINE, ONE, (I,)), Store(A, ONE, (I,)))


@case(
    "memory",
    "tensor C has elements of type int32, and buffer _A of type float32; let both have one type",
)
def tensor_of_another_type():
    return (Tensor("C", (16,), "int32", A_BUFFER), Tensor("C", (16,), "float32", A_BUFFER))


@case(
    "memory",
    "buffer _S has 1 stride, and tensor C 2 dimensions; a view has a dimension for each stride",
)
def tensor_of_other_strides():
    return (Tensor("C", (4, 4), "float32", STRIDED), Tensor("C", (4,), "float32", STRIDED))


@case(
    "memory",
    "tensor C of shape (5,) reaches 9 elements far, and buffer _S of shape (4,) has 7; make "
    "the buffer larger, or the tensor smaller",
)
def tensor_beyond_its_strides():
    return (Tensor("C", (5,), "float32", STRIDED), Tensor("C", (4,), "float32", STRIDED))


@case("memory", "tensor C looks at x of type float32 (Var); expected a Buffer")
def tensor_on_a_variable():
    return (Tensor("C", (16,), "float32", X), Tensor("C", (16,), "float32", A_BUFFER))


@case("memory", "a dimension of buffer _C is -1; a size is 0 or more")
def dimension_below_zero():
    return (Buffer("_C", (const(-1),)), Buffer("_C", (const(0),)))


@case("memory", "a dimension of buffer _C is x of type float32; expected int32 or int64: cast it")
def dimension_of_floats():
    return (Buffer("_C", (X,)), Buffer("_C", (N,)))


@case("memory", "buffer _C holds elements of type string; expected a type that memory holds")
def buffer_of_strings():
    return (Buffer("_C", (4,), "string"), Buffer("_C", (4,), "bool"))


@case("memory", "buffer _C has 2 dimensions and 1 stride; give each dimension one, or none")
def strides_of_other_dimensions():
    return (
        Buffer("_C", (4, 4), strides=(const(1),)),
        Buffer("_C", (4, 4), strides=(const(4), const(1))),
    )


@case("memory", "a stride of buffer _C is x of type float32; expected int32 or int64")
def stride_of_floats():
    return (Buffer("_C", (4,), strides=(X,)), Buffer("_C", (4,), strides=(N,)))


@case(
    "memory",
    "the offset of buffer _C is 6, which is no multiple of its offset factor 4; correct one",
)
def offset_between_multiples():
    return (
        Buffer("_C", (4,), elem_offset=const(6), offset_factor=4),
        Buffer("_C", (4,), elem_offset=const(8), offset_factor=4),
    )


@case(
    "memory",
    "buffer _C has the offset factor 0 and the alignment -1; expected numbers that are not "
    "negative",
)
def alignment_below_zero():
    return (Buffer("_C", (4,), data_alignment=-1), Buffer("_C", (4,), data_alignment=64))


@case(
    "memory",
    "Alloc gives buffer _T the shape (8,), and it has the shape (16,); give the same, or none",
)
def allocation_of_another_shape():
    return (
        func(Alloc(TEMP, (const(8),)), temps=(TEMP,)),
        func(Alloc(TEMP, (const(16),)), temps=(TEMP,)),
    )


@case(
    "memory",
    "Alloc gives buffer _T 2 extents, and it has 1 dimension; give each dimension one, or none",
)
def allocation_of_more_dimensions():
    return (
        func(Alloc(TEMP, (const(4), const(4))), temps=(TEMP,)),
        func(Alloc(TEMP), temps=(TEMP,)),
    )


@case("memory", "Alloc is given x of type float32 (Var); expected a Buffer")
def allocation_of_a_variable():
    return (Alloc(X), Alloc(TEMP))


@case("memory", "Free is given x of type float32 (Var); expected a Buffer")
def free_of_a_variable():
    return (Free(X), Free(TEMP))


@case(
    "memory",
    "GetAddr takes the address of (i + 1) (Add), which is not stored; expected a Load, a "
    "variable, a tensor or a buffer",
)
def address_of_a_sum():
    return (tir.GetAddr(I + 1), tir.GetAddr(A[I]))


@case("operation", "ComputeOp 'c' has 0 axes and 1 dimensions; give each dimension one")
def computation_without_axes():
    return (
        tir.ComputeOp((), (const(4),), (ONE,), name="c"),
        tir.ComputeOp((I,), (const(4),), (ONE,), name="c"),
    )


@case("operation", "ComputeOp 'c' computes nothing; give it a body for each result")
def computation_of_nothing():
    return (
        tir.ComputeOp((I,), (const(4),), (), name="c"),
        tir.ComputeOp((I,), (const(4),), (ONE,), name="c"),
    )


@case(
    "operation",
    "a dimension of PlaceholderOp 'p' is x of type float32; expected int32 or int64: cast it",
)
def input_of_half_a_dimension():
    return (tir.PlaceholderOp((X,), name="p"), tir.PlaceholderOp((N,), name="p"))


@case("operation", "CallOp 'c' takes result -2; expected 0 or more, or -1 for the only one")
def result_below_zero():
    return (
        tir.CallOp(Call("void", "f"), value_slot=-2, name="c"),
        tir.CallOp(Call("void", "f"), value_slot=1, name="c"),
    )


@case(
    "operation",
    "PrecedingViewOp 'v' views tensor A by its axes up to 2, and it has 1; expected 0 to 1",
)
def view_by_too_many_axes():
    return (tir.PrecedingViewOp(A, 2, name="v"), tir.PrecedingViewOp(B, 2, name="v"))


@case(
    "operation",
    "tensor C has 2 dimensions, and axis says 1; give each dimension one, or leave it out",
)
def axes_of_other_dimensions():
    return (Tensor("C", (4, 4), axis=(I,)), Tensor("C", (4, 4), axis=(I, J)))


@case(
    "memory",
    "C[i] loads from tensor C, which has neither a buffer nor an operation; give it one of them",
)
def load_of_what_nothing_computes():
    return (Load(Tensor("C", (4,)), (I,)), Load(INLINE, (I,)))


@case(
    "operation",
    "tensor inline has elements of type int32, and is computed as (%0 + 1.0) of type "
    "float32; cast what is computed",
)
def inline_tensor_of_another_type():
    return (INLINE.with_fields(dtype="int32"), INLINE)


@case(
    "operation",
    "tensor inline has 2 dimensions, and its computation 1 axis; give each dimension one",
)
def inline_tensor_of_other_dimensions():
    return (INLINE.with_fields(shape=(const(4), const(4)), axis=(), domain=()), INLINE)
