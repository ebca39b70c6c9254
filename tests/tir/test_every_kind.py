"""Each kind of node, in a program: verified, printed, parsed and run, or refused with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from relayish import tir
from relayish.errors import RelayishError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import declared_temporarily
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.tir.interpreter import run
from tests.support.each import each
from tests.support.tir_kinds import KINDS

N = 8
A = np.arange(N, dtype="int32") - 3
F = np.arange(N, dtype="float32") / 2 - 1


@dataclass
class Program:
    """A program that uses a kind, what it is given, and what it makes of that.

    ``expected`` is what stands in the last argument afterwards, or a pattern of the error.
    """

    kind: type[Any]
    func: tir.LoweredFunc | tir.Module
    args: tuple[Any, ...]
    expected: Any


PROGRAMS: list[Program] = []


def values(kind: type[Any], fn: Callable[..., Any], expected: Any, given: Any = A) -> None:
    """Add the program that stores ``fn(x, i)`` for each element ``x`` of what is given."""
    source = tir.placeholder("A", (N,), str(given.dtype))
    target = tir.compute((N,), lambda i: fn(source[i], i), "B")
    out = np.zeros(N, target.type.numpy)
    PROGRAMS.append(Program(kind, tir.lower("f", [source, target]), (given, out), expected))


def statements(
    kind: type[Any], build: Callable[[tir.IRBuilder, tir.Tensor, tir.Tensor], Any], expected: Any
) -> None:
    """Add the program that ``build`` makes of a builder and two tensors of integers."""
    source, target = [tir.placeholder(name, (N,), "int32") for name in "AB"]
    builder = tir.IRBuilder()
    temp_bufs = build(builder, source, target) or ()
    func = builder.function("f", [source, target], temp_bufs)
    PROGRAMS.append(Program(kind, func, (A, np.zeros(N, "int32")), expected))


# Expressions


def truncated(a: Any, b: int) -> Any:
    return np.trunc(a / b).astype("int32")


values(tir.IntImm, lambda x, i: tir.const(7), np.full(N, 7))
values(tir.UIntImm, lambda x, i: tir.const(7, "uint8"), np.full(N, 7))
values(tir.FloatImm, lambda x, i: tir.const(0.5), np.full(N, 0.5))
values(tir.Add, lambda x, i: x + 3, A + 3)
values(tir.Sub, lambda x, i: x - 3, A - 3)
values(tir.Mul, lambda x, i: x * 3, A * 3)
values(tir.Div, lambda x, i: x / 2, truncated(A, 2))
values(tir.Mod, lambda x, i: x % 2, A - 2 * truncated(A, 2))
values(tir.Min, lambda x, i: tir.minimum(x, 1), np.minimum(A, 1))
values(tir.Max, lambda x, i: tir.maximum(x, 1), np.maximum(A, 1))
values(tir.FracOp, lambda x, i: tir.FracOp(x * 6, tir.const(3)), A * 2)
values(tir.FracOp, lambda x, i: tir.FracOp(x, tir.const(2)), "is no multiple of 2")
values(tir.EQ, lambda x, i: tir.equal(x, 1), A == 1)
values(tir.NE, lambda x, i: tir.not_equal(x, 1), A != 1)
values(tir.LT, lambda x, i: x < 1, A < 1)
values(tir.LE, lambda x, i: x <= 1, A <= 1)
values(tir.GT, lambda x, i: x > 1, A > 1)
values(tir.GE, lambda x, i: x >= 1, A >= 1)
values(tir.And, lambda x, i: (x > 1) & (i < 6), (A > 1) & (np.arange(N) < 6))
values(tir.Or, lambda x, i: (x > 1) | (i < 2), (A > 1) | (np.arange(N) < 2))
values(tir.Not, lambda x, i: ~(x > 1), A <= 1)
values(tir.Minus, lambda x, i: -x, -A)
values(tir.Sum, lambda x, i: tir.Sum((x, i, x)), 2 * A + np.arange(N))
values(tir.Product, lambda x, i: tir.Product((x, i, x)), A * A * np.arange(N))
values(tir.Cast, lambda x, i: tir.Cast("int32", x), np.trunc(F).astype("int32"), F)
values(tir.Select, lambda x, i: tir.select(x > 0, x, 9), np.where(A > 0, A, 9))
values(tir.Var, lambda x, i: i, np.arange(N))
values(tir.Load, lambda x, i: x, A)
values(tir.Tensor, lambda x, i: x, A)
values(tir.Buffer, lambda x, i: x, A)
values(tir.LoweredFunc, lambda x, i: x, A)
values(tir.Store, lambda x, i: x, A)
values(tir.ScheduleBlock, lambda x, i: x, A)
values(tir.ScheduleBlockRealize, lambda x, i: x, A)
values(tir.Call, lambda x, i: tir.math.sqrt(x * x), np.abs(F), F)
values(tir.Call, lambda x, i: tir.call_extern("nobody_knows", [x]), "nobody_knows")
values(tir.BuiltinIntrin, lambda x, i: tir.BuiltinIntrin("fabsf", (x,), "float32"), np.abs(F), F)
values(tir.PrimitiveNode, lambda x, i: tir.primitive("twice", [[x]], None, "int32"), 2 * A)
values(tir.ArgumentGroup, lambda x, i: tir.primitive("twice", [[x]], None, "int32"), 2 * A)

K = tir.reduce_axis("k", 4)
values(tir.Reduce, lambda x, i: tir.reduce_sum(K * x, [K]) + 0, 6 * A)


def vectors(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
    with builder.for_("i", 2) as i:
        at = tir.Ramp(i * 4, 1, 4)
        builder.store(target, source[at] + tir.Broadcast(i, 4), at)


for vector in (tir.Ramp, tir.Broadcast):
    statements(vector, vectors, A + np.arange(N) // 4)


# Statements


def lets(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
    total = builder.let("total", 0)
    with builder.for_("i", N) as i:
        builder.store(total, total + source[i])
        builder.store(target, total, i)


def allocations(
    builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor
) -> tuple[tir.Buffer, ...]:
    buffer = tir.Buffer("_T", (N,), "int32")
    temporary = tir.Tensor("T", (N,), "int32", buffer)
    builder.alloc(buffer)
    with builder.for_("i", N) as i:
        builder.store(temporary, source[i] * 2, i)
    with builder.for_("j", N) as j:
        builder.store(target, temporary[j] + 1, j)
    builder.free(buffer)
    return (buffer,)


def branches(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
    with builder.for_("i", N) as i:
        with builder.if_(source[i] < 0):
            builder.store(target, 0, i)
        with builder.else_():
            builder.store(target, source[i], i)


def late_loop(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
    with builder.for_("i", 3, min=2) as i:
        builder.store(target, source[i], i)


def poly_loop(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
    with builder.poly_for("i", 1, lambda i: i < N, 3) as i:
        builder.store(target, source[i], i)


def blocks(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
    first, second = tir.store(target, source[1], 0), tir.store(target, target[0] + 1, 1)
    builder.add(tir.block(first, tir.block(), tir.block(second)))


def regions(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
    with builder.for_("i", N) as i:
        made = tir.schedule_block(
            "B", [("v", i)], lambda v: tir.store(target, source[v], v), *[
                [tir.buffer_range(tensor, (i, i + 1))] for tensor in (source, target)
            ],
        )  # fmt: skip
        builder.add(made)


IN_REACH = np.where((np.arange(N) >= 2) & (np.arange(N) < 5), A, 0)
statements(tir.Let, lets, np.cumsum(A))
statements(tir.Alloc, allocations, 2 * A + 1)
statements(tir.Free, allocations, 2 * A + 1)
statements(tir.IfThenElse, branches, np.maximum(A, 0))
statements(tir.For, late_loop, IN_REACH)
statements(tir.PolyFor, poly_loop, np.where(np.arange(N) % 3 == 1, A, 0))
statements(tir.Block, blocks, np.array([A[1], A[1] + 1, *[0] * 6]))


def shared_memory() -> None:
    source, target = [tir.placeholder(name, (N,), "int32") for name in "AB"]
    buffer = tir.Buffer("_S", (N,), "int32")
    shared = tir.Tensor("S", (N,), "int32", buffer)
    fill_all = tir.for_("i", N, lambda i: tir.store(shared, source[i], i))
    fill = tir.LoweredFunc("fill", (source.buffer,), tir.block(fill_all))
    call = tir.Call("void", "fill", (source,), (), tir.CallType.CINN)
    copy = tir.for_("i", N, lambda i: tir.store(target, shared[i] * 3, i))
    main = tir.LoweredFunc("main", (source.buffer, target.buffer), tir.block(call, copy))
    module = tir.Module("m", buffers=(buffer,), functions=(main, fill))
    PROGRAMS.append(Program(tir.Module, module, (A, np.zeros(N, "int32")), 3 * A))


shared_memory()


# Operations: tensors say where they come from, and look at the memory of that


def view(kind: type[Any], operation: Callable[[tir.Tensor], Any], *, buffer: bool = True) -> None:
    source, target = [tir.placeholder(name, (N,), "int32") for name in "AB"]
    memory = source.buffer if buffer else None
    tensor = tir.Tensor("T", (N,), "int32", memory, operation(source))
    builder = tir.IRBuilder()
    with builder.for_("i", N) as i:
        builder.store(target, tensor[i], i)
    func = builder.function("f", [source, target])
    PROGRAMS.append(Program(kind, func, (A, np.zeros(N, "int32")), A if buffer else 5 * A))


I = tir.var("i")  # noqa: E741
OPERATIONS: dict[type[Any], Callable[[tir.Tensor], Any]] = {
    tir.PlaceholderOp: lambda _: tir.PlaceholderOp((N,), "int32"),
    tir.CallOp: lambda _: tir.CallOp(tir.Call("void", "g")),
    tir.PrecedingViewOp: tir.PrecedingViewOp,
    tir.BufferShareOp: lambda _: tir.BufferShareOp(),
}
for kind_of_operation, operation in OPERATIONS.items():
    view(kind_of_operation, operation)
view(tir.ComputeOp, lambda source: tir.ComputeOp((I,), (N,), (source[I] * 5,)), buffer=False)


# Intrinsics: what only compiled functions ask of the runtime is refused


def intrinsics(kind: type[Any], make: Callable[[tir.Tensor], Any], expected: Any) -> None:
    def build(builder: tir.IRBuilder, source: tir.Tensor, target: tir.Tensor) -> None:
        builder.add(make(source))
        builder.store(target, source[0], 0)

    statements(kind, build, expected)


FIRST = np.array([A[0], *[0] * 7])
intrinsics(tir.BufferCreate, lambda source: tir.BufferCreate(source.buffer), FIRST)
intrinsics(tir.GetAddr, lambda source: tir.GetAddr(source[0]), "address|GetAddr|get_addr")
intrinsics(
    tir.BufferGetDataHandle, lambda source: tir.BufferGetDataHandle(source.buffer), "address|handle"
)
intrinsics(
    tir.BufferGetDataConstHandle,
    lambda source: tir.BufferGetDataConstHandle(source.buffer),
    "address|handle",
)


def packed(kind: type[Any], build: Callable[[tir.Var], Any]) -> None:
    source = tir.placeholder("A", (N,), "int32")
    pointer = tir.var("args", "cinn_pod_value_t*")
    body = tir.block(tir.Let(pointer), build(pointer), tir.store(source, 1, 0))
    func = tir.LoweredFunc("f", (source.buffer,), body)
    PROGRAMS.append(Program(kind, func, (A.copy(),), "pod|packed|args|pointer|address"))


packed(tir.ArgsConstruct, lambda pointer: tir.ArgsConstruct(pointer, (tir.const(1),)))
packed(tir.PodValueToX, lambda pointer: tir.Let(tir.var("n"), tir.PodValueToX(pointer, "int32")))

# What has no value by itself stands in something that is run
statements(tir.BufferRange, regions, A)
statements(
    tir.StringImm,
    lambda builder, *_: builder.call(tir.Call("void", "nobody_prints", (tir.StringImm("text"),))),
    "nobody_prints",
)


@pytest.fixture(autouse=True)
def _coarse_operators() -> Iterator[None]:
    with declared_temporarily():
        tir.PRIMITIVES.register("twice", lambda node: node.arguments[0].values[0] * 2)
        yield


def test_every_kind_is_tried():
    assert {program.kind for program in PROGRAMS} == set(KINDS)


every_program = each("program", PROGRAMS)


@pytest.mark.parametrize("kind", OPERATIONS)
def test_inline_tensor_that_nothing_computes_is_refused(kind):
    source, target = [tir.placeholder(name, (N,), "int32") for name in "AB"]
    inline = tir.Tensor("T", (N,), "int32", operation=OPERATIONS[kind](source))
    body = tir.block(tir.store(target, inline[0], 0))
    func = tir.LoweredFunc("f", (source.buffer, target.buffer), body)
    reason = f"tensor T has no buffer, and comes from a {kind.__name__}; expected a buffer"
    with pytest.raises(RelayishError, match=reason):
        run(func, A.copy(), np.zeros(N, "int32"))


def test_coarse_operator_that_nobody_registered_is_refused():
    target = tir.placeholder("B", (1,), "int32")
    func = tir.LoweredFunc(
        "f", (target.buffer,), tir.block(tir.store(target, tir.primitive("odd", dtype="int32"), 0))
    )
    advice = r"tir.PRIMITIVES\.register\('odd', rule\)"
    with pytest.raises(RelayishError, match=advice):
        run(func, np.zeros(1, "int32"))
    with pytest.raises(RelayishError, match=advice):
        tir.check(func)


@every_program
def test_kind_is_verified(program):
    assert [str(found) for found in tir.verify(program.func)] == []


@every_program
def test_kind_is_printed_and_parsed(program):
    text = tir.astext(program.func)
    again = tir.parse(text)
    assert structural_equal(again, program.func)
    assert tir.astext(again) == text


@every_program
def test_kind_is_there_and_a_mutator_leaves_it(program):
    class Identity(tir.IRMutator):
        def visit_ir_node(self, node):
            return super().visit_ir_node(node)

    assert Identity().visit(program.func) is program.func
    assert any(type(node) is program.kind for node in EVERYTHING.post_order(program.func)) or (
        program.kind in (tir.PlaceholderOp, tir.ComputeOp)
    )


@every_program
@pytest.mark.parametrize("mode", ["plain", "vectorised"])
def test_kind_is_run_or_refused_with_the_reason(program, mode):
    *given, out = [arg.copy() for arg in program.args]
    name = program.func.functions[0].name if isinstance(program.func, tir.Module) else None
    if isinstance(program.expected, str):
        with pytest.raises(RelayishError, match=program.expected):
            run(program.func, *given, out, mode=mode, name=name)
        return
    run(program.func, *given, out, mode=mode, name=name)
    assert np.array_equal(out, program.expected.astype(out.dtype))
