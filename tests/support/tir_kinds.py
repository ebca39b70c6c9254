"""One node of each kind of the loop IR, and the same with each of its fields changed."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, Flag
from typing import Any

from relayish import tir
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.field import Field
from relayish.ir.nodes.node import Node
from relayish.tir.ir.target import HOST_TARGET, NVGPU_TARGET

KINDS: tuple[type[Any], ...] = tuple(
    kind for kind in tir.TIR.kinds.values() if kind.__module__.startswith("relayish.tir.ir.")
)
"""All kinds of the loop IR, without those that packages declare."""

CINN_KINDS = (
    *(tir.IntImm, tir.UIntImm, tir.FloatImm, tir.StringImm),
    *(tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.Min, tir.Max),
    *(tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE, tir.And, tir.Or, tir.Minus, tir.Not),
    *(tir.FracOp, tir.Sum, tir.Product, tir.Cast, tir.Let, tir.Call, tir.Var, tir.Reduce),
    *(tir.Select, tir.Load, tir.Store, tir.Alloc, tir.Free, tir.IfThenElse, tir.For, tir.PolyFor),
    *(tir.Ramp, tir.Broadcast, tir.Block, tir.ScheduleBlock, tir.ScheduleBlockRealize),
    *(tir.Module, tir.LoweredFunc, tir.PrimitiveNode, tir.Buffer, tir.BufferRange, tir.Tensor),
)
"""CINN's kinds of nodes but for ``IntrinsicOp``, which is a family here."""

INTRINSICS = (
    *(tir.BufferGetDataHandle, tir.BufferGetDataConstHandle, tir.PodValueToX, tir.BufferCreate),
    *(tir.GetAddr, tir.ArgsConstruct, tir.BuiltinIntrin),
)

OPERATIONS = (
    *(tir.PlaceholderOp, tir.ComputeOp, tir.CallOp, tir.PrecedingViewOp, tir.BufferShareOp),
)


def examples() -> dict[type[Any], Any]:
    """Return a node of each kind, all of whose fields say something."""
    i, j, k = tir.Var("i"), tir.Var("j"), tir.reduce_axis("k", 8)
    x, flag = tir.Var("x", "float32"), tir.Var("flag", "bool")
    A, B = tir.placeholder("A", (16,)), tir.placeholder("B", (16,))
    assert A.buffer is not None
    load, at = A[i], tir.Var("at", "int32")
    call = tir.Call("float32", "exp", (load,), (B,), attrs={"vectorizable": False})
    store = tir.Store(B, load, (i,))
    iter_var = tir.Var("i0", "int32", tir.const(0), tir.const(16))
    part = tir.buffer_range(A, (0, 16))
    block = tir.ScheduleBlock(
        (iter_var,), (part,), (tir.buffer_range(B, (0, 16)),), "B",
        tir.Store(B, A[iter_var], (iter_var,)), {"auto_unroll_max_step": 32},
    )  # fmt: skip
    func = tir.LoweredFunc(
        "f", (A.buffer, B.buffer, i), tir.Block((store,)), (tir.Buffer("_T", (16,)),),
        (tir.ArgumentIO.INPUT, tir.ArgumentIO.OUTPUT, tir.ArgumentIO.INPUT),
    )  # fmt: skip
    buffer = tir.Buffer("_C", (16, 8), "float32", (8, 1), j, 4, "shared", HOST_TARGET, 64)
    vectors = (tir.VectorizeInfo(0, 16), tir.BindInfo(tir.ForType.GPU_BLOCK, 0))
    step = tir.Store(B, A[at], (at,))
    made: list[Any] = [
        tir.const(7), tir.const(7, "uint8"), tir.const(2.5), tir.StringImm("text"),
        *[kind(i, j) for kind in (tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.Min, tir.Max)],
        *[kind(i, j) for kind in (tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE, tir.FracOp)],
        tir.And(flag, i < j), tir.Or(flag, i < j), tir.Minus(i), tir.Not(flag),
        tir.Sum((i, j, i)), tir.Product((i, j, i)), tir.Cast("float32", i),
        tir.Let(tir.Var("n"), i), call, tir.Var("v", "int32", i, j, tag="axis"),
        tir.reduce_sum(A[k], [k]), tir.Select(flag, i, j), load, store,
        tir.Alloc(buffer, (16, 8), flag, store), tir.Free(buffer),
        tir.IfThenElse(flag, tir.Block((store,)), tir.Block()),
        tir.For(at, 2, 16, tir.Block((step,)), tir.ForType.VECTORIZED, tir.DeviceAPI.HOST, *vectors,
                tir.LLVMForLoopMeta()),
        tir.PolyFor(at, i, at < 16, at + 1, tir.Block((step,)), tir.ForType.PARALLEL,
                    tir.DeviceAPI.HOST, *vectors),
        tir.Ramp(i, 1, 4), tir.Broadcast(x, 4), tir.Block((store,)), block,
        tir.ScheduleBlockRealize((i,), block), func,
        tir.Module("m", HOST_TARGET, (buffer,), (func,), (tir.Module("inner"),)),
        tir.primitive("conv", [[A], [i, j]], {"pad": 1}, "float32"), tir.ArgumentGroup((i, j)),
        buffer, part,
        tir.Tensor("D", (16,), "float32", A.buffer, tir.PlaceholderOp((16,)), (i,), (k,), (16,),
                   (i,)),
        tir.BufferGetDataHandle(buffer), tir.BufferGetDataConstHandle(buffer),
        tir.PodValueToX(tir.Var("p", "cinn_pod_value_t*"), "float32"), tir.BufferCreate(buffer),
        tir.GetAddr(load), tir.ArgsConstruct(tir.Var("args", "cinn_pod_value_t*"), (i, j)),
        tir.BuiltinIntrin("sqrtf", (x,), "float32", 3, 1),
        tir.PlaceholderOp((16,), "int8", name="A", tag="input", attrs={"layout": "NCHW"}),
        tir.ComputeOp((i,), (16,), (A[i],), (k,), name="B"), tir.CallOp(call, (B,), 0, name="C"),
        tir.PrecedingViewOp(A, 1, name="D"), tir.BufferShareOp(name="E"),
    ]  # fmt: skip
    return {type(each): each for each in made}


def changes(node: Node) -> Iterator[tuple[Field, Node]]:
    """Yield each field of ``node`` that holds something, and the node with another value there."""
    pool = [*examples().values(), tir.Var("other", "int64"), tir.Buffer("_other", (3,), "int8")]
    pool += [each.with_fields(name="other") for each in pool if hasattr(each, "name")]
    for declared in type(node).fields_:
        if declared.name == "span":
            continue
        for other in other_values(declared, getattr(node, declared.name), pool):
            try:
                changed = node.with_fields(**{declared.name: other})
            except (TypeError, ValueError):
                continue
            yield declared, changed
            break
        else:
            raise AssertionError(f"no other value for {type(node).__name__}.{declared.name}")


def other_values(declared: Field, value: object, pool: list[Any]) -> Iterator[object]:
    """Yield values that differ from ``value`` and may stand in the field."""
    if declared.kind is not None:
        if declared.holds_many:
            assert isinstance(value, tuple)
            yield from ((*value, other) for other in pool if isinstance(other, declared.kind))
        for other in pool:
            if isinstance(other, declared.kind) and not structural_equal(other, value, True):
                yield other
    elif isinstance(value, tir.Type):
        yield tir.as_type("uint16" if value.element != "uint16" else "int16")
    elif isinstance(value, (Flag, Enum)):
        yield next(other for other in type(value) if other is not value)
    elif value is None or isinstance(value, tir.LLVMForLoopMeta):
        yield from (
            tir.LLVMForLoopMeta(vectorization=False), tir.CudaAxisInfo((2, 1, 1)), {"more": 1}
        )  # fmt: skip
    elif isinstance(value, tir.Target):
        yield NVGPU_TARGET
    elif isinstance(value, (tir.VectorizeInfo, tir.BindInfo)):
        yield value._replace(**{value._fields[1]: 1})
    elif isinstance(value, tuple):
        yield (*value, tir.ArgumentIO.UNKNOWN)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value + 1
    elif isinstance(value, str):
        yield value + "x"
    elif isinstance(value, DictAttrs):
        yield {**dict(value.items()), "more": 1}
