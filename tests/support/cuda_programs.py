"""Programs for devices, written by hand: what threads share, wait for, and leave to the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relayish import tir
from relayish.tir import Expr, LoweredFunc, MemoryType, Stmt, Tensor

SYNC = tir.call_intrinsic("cuda_sync_threads", (), "void")
SHARED, LOCAL = MemoryType.GPU_SHARED, MemoryType.GPU_LOCAL
NO_VECTORS = tir.LLVMForLoopMeta(vectorization=False)
T = 4
"""How wide tiles are."""


def memory(
    name: str, shape: Sequence[object], kind: MemoryType = MemoryType.AUTO, dtype: str = "float32"
) -> Tensor:
    made = tir.placeholder(name, shape, dtype)
    return made.with_fields(buffer=made.buffer.with_fields(memory_type=kind))


def put(target: Tensor, value: object, *indices: object) -> Stmt:
    return tir.store(target, value, indices)


def bound(axis: str, extent: object, body: Callable[[Expr], object], name: str = "") -> tir.For:
    """A loop that is bound: ``axis`` is ``bx``, ``ty`` and so on."""
    kind = {"b": "blockIdx", "t": "threadIdx"}[axis[0]]
    return tir.for_(name or axis, extent, body, thread=f"{kind}.{axis[1]}")


def tile(body: Callable[[Expr, Expr], object]) -> tir.For:
    return bound("ty", T, lambda ty: bound("tx", T, lambda tx: body(ty, tx)))


def func(name: str, args: Sequence[object], body: object, *temps: Tensor) -> LoweredFunc:
    return LoweredFunc(name, args, tir.as_block(body), tuple([each.buffer for each in temps]))


def matmul(n: int = 3 * T) -> LoweredFunc:
    """Tiles of both factors are shared, the sum is local to a thread, which unrolls its loop."""
    a, b, c = [memory(name, (n, n)) for name in "ABC"]
    left, right, acc = memory("L", (T, T), SHARED), memory("R", (T, T), SHARED), memory(
        "acc", (T, T), LOCAL
    )  # fmt: skip
    body = bound("by", n // T, lambda by: bound("bx", n // T, lambda bx: [
        tile(lambda ty, tx: put(acc, 0.0, ty, tx)),
        tir.for_("ko", n // T, lambda ko: [
            tile(lambda ty, tx: [
                put(left, a[by * T + ty, ko * T + tx], ty, tx),
                put(right, b[ko * T + ty, bx * T + tx], ty, tx),
            ]),
            SYNC,
            tile(lambda ty, tx: tir.for_("ki", T, lambda ki: put(
                acc, acc[ty, tx] + left[ty, ki] * right[ki, tx], ty, tx,
            ), for_type=tir.ForType.UNROLLED, metadata=NO_VECTORS)),
            SYNC,
        ]),
        tile(lambda ty, tx: put(c, acc[ty, tx], by * T + ty, bx * T + tx)),
    ]))  # fmt: skip
    return func("matmul", (a, b, c), body, left, right, acc)


def tree_sum(n: int = 16) -> LoweredFunc:
    """Each row is summed by ever fewer threads, of which the first stores the sum."""
    a, out, part = memory("A", (3, n)), memory("out", (3,)), memory("part", (n,), SHARED)

    def body(row: Expr) -> list[Stmt]:
        made: list[Stmt] = [bound("tx", n, lambda tx: put(part, a[row, tx], tx)), SYNC]
        width = n // 2
        while width:
            made += [_halved(part, width), SYNC]
            width //= 2
        return [*made, put(out, part[0], row)]

    return func("tree_sum", (a, out), bound("bx", 3, body), part)


def _halved(part: Tensor, width: int) -> Stmt:
    return bound("tx", width, lambda tx: put(part, part[tx] + part[tx + width], tx))


def stencil(rows: int = 7, columns: int = 9) -> LoweredFunc:
    """Blocks reach beyond the edge, where guards are."""
    a, out = memory("A", (rows, columns)), memory("out", (rows, columns))

    def element(by: Expr, bx: Expr, ty: Expr, tx: Expr) -> Stmt:
        i, j = by * T + ty, bx * T + tx
        near = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
        inside = tir.logic_and(
            tir.logic_and(i > 0, i < rows - 1), tir.logic_and(j > 0, j < columns - 1)
        )
        return tir.if_then_else(inside, put(out, near - a[i, j] * 4.0, i, j))

    body = bound("by", -(-rows // T), lambda by: bound("bx", -(-columns // T), lambda bx: tile(
        lambda ty, tx: element(by, bx, ty, tx)
    )))  # fmt: skip
    return func("stencil", (a, out), body)


def symbolic() -> LoweredFunc:
    """An argument says how many blocks there are; the last one is not full."""
    n = tir.Var("n", "int32", tir.const(0), tir.const(1000))
    a, out = memory("A", (n,), dtype="int32"), memory("out", (n,), dtype="int32")
    body = bound("bx", (n + 7) / 8, lambda bx: bound("tx", 8, lambda tx: tir.if_then_else(
        bx * 8 + tx < n, put(out, a[bx * 8 + tx] * 3, bx * 8 + tx)
    )))  # fmt: skip
    return func("symbolic", (n, a, out), body)


def symbolic_threads() -> LoweredFunc:
    """An argument says how many threads a block has; none is less than the first one."""
    n = tir.Var("n", "int32", tir.const(0), tir.const(2000))
    a, out = memory("A", (n,), dtype="int32"), memory("out", (n,), dtype="int32")
    return func("symbolic_threads", (n, a, out), bound("tx", n, lambda tx: put(out, a[tx], tx)))


def by_first(n: int = 5) -> LoweredFunc:
    """What stands outside of loops over threads is stored by the first of them."""
    a, out, part = memory("A", (4, n)), memory("out", (4,)), memory("part", (n,), SHARED)
    body = bound("bx", 4, lambda row: [
        bound("tx", n, lambda tx: put(part, a[row, tx] * 2.0, tx)),
        SYNC,
        put(out, 0.0, row),
        tir.for_("k", n, lambda k: put(out, out[row] + part[k], row)),
    ])  # fmt: skip
    return func("by_first", (a, out), body, part)


def jacobi(n: int = 10) -> LoweredFunc:
    """The host launches two kernels in each turn of a loop, with memory between them."""
    a, turns, step = memory("A", (n,)), tir.Var("turns"), memory("step", (n,))
    body = tir.for_("turn", turns, [
        bound("bx", n - 2, lambda i: put(step, (a[i] + a[i + 2]) * 0.5, i + 1)),
        bound("tx", n - 2, lambda i: put(a, step[i + 1], i + 1)),
    ])  # fmt: skip
    return func("jacobi", (turns, a), body, step)


def private(n: int = 6) -> LoweredFunc:
    """Each thread has an array of its own, of which it is not known that all is stored to."""
    a, out = memory("A", (n,), dtype="int32"), memory("out", (n,), dtype="int32")
    own = memory("own", (8,), LOCAL, "int32")
    body = bound("tx", n, lambda tx: [
        put(own, a[tx], (a[tx] % 8 + 8) % 8),
        put(out, own[(a[tx] % 8 + 8) % 8] + 1, tx),
    ])  # fmt: skip
    return func("private", (a, out), body, own)


def unset(n: int = 6) -> LoweredFunc:
    """A thread reads what another one, of another block, stored to its copy of shared memory."""
    out, part = memory("out", (n,), dtype="int32"), memory("part", (n,), SHARED, "int32")
    body = bound("bx", n, lambda bx: [put(part, bx, bx), SYNC, put(out, part[(bx + 1) % n], bx)])
    return func("unset", (out,), body, part)


def scalars(n: int = 6) -> LoweredFunc:
    """Threads declare scalars, and a block does for all of its threads."""
    a, out = memory("A", (n,), dtype="int32"), memory("out", (n,), dtype="int32")
    base, total = tir.Var("base"), tir.Var("total")
    body = bound("bx", 2, lambda bx: [
        tir.Let(base, bx * 3 + 1),
        bound("tx", 3, lambda tx: [
            tir.Let(total, tir.const(0)),
            tir.for_("k", 4, lambda k: tir.Store(total, total + a[bx * 3 + tx] * k)),
            put(out, total + base, bx * 3 + tx),
        ]),
    ])  # fmt: skip
    return func("scalars", (a, out), body)


def dividing(n: int = 6) -> LoweredFunc:
    """A check of a thread may fail."""
    a, out = memory("A", (n,), dtype="int32"), memory("out", (n,), dtype="int32")
    return func(
        "dividing", (a, out), bound("tx", n, lambda tx: put(out, tir.const(12) / a[tx], tx))
    )


def narrow(n: int = 6) -> LoweredFunc:
    """Elements are packed, integers wrap around."""
    h, i = memory("H", (n,), dtype="float16"), memory("I", (n,), dtype="int8")
    body = bound("tz", n, lambda tz: [put(h, h[tz] * h[tz], tz), put(i, i[tz] * i[tz], tz)])
    return func("narrow", (h, i), body)


def offset(n: int = 6) -> LoweredFunc:
    """Loops begin elsewhere, and run different numbers of times."""
    a, out = memory("A", (n + 2,)), memory("out", (n + 2,))
    body = bound("bx", 1, [
        tir.for_("i", n, lambda i: put(out, a[i], i), min=2, thread="threadIdx.x"),
        tir.for_("i", 2, lambda i: put(out, a[i + 1], i), thread="threadIdx.x"),
        SYNC,
        tir.for_("i", 3, lambda i: put(out, out[i + 1] + 1.0, i + 1), thread="threadIdx.x", min=1),
    ])  # fmt: skip
    return func("offset", (a, out), body)


def deciding(n: int = 6) -> LoweredFunc:
    """The host reads memory of the device to know what to launch, and how often."""
    a, turns = memory("A", (n,)), memory("turns", (2,), dtype="int32")
    double = bound("tx", n, lambda tx: put(a, a[tx] + a[tx], tx))
    halve = bound("tx", n, lambda tx: put(a, a[tx] * 0.5, tx))
    body = tir.for_("turn", turns[0] % 4, [tir.if_then_else(turns[1] > 0, [double], [halve])])
    return func("deciding", (a, turns), body)


def calling() -> tir.Module:
    """The host calls a function that launches a kernel."""
    n = 5
    a, out = memory("A", (n,)), memory("out", (n,))
    twice = func("twice", (a, out), bound("tx", n, lambda tx: put(out, a[tx] + a[tx], tx)))
    x, between, y = memory("X", (n,)), memory("between", (n,)), memory("Y", (n,))
    calls = [
        tir.Call("void", "twice", (one,), (other,), tir.CallType.CINN)
        for one, other in ((x, between), (between, y))
    ]
    return tir.Module("m", functions=(twice, func("four", (x, y), calls, between)))


ALL: tuple[Callable[[], LoweredFunc], ...] = (
    *(matmul, tree_sum, stencil, symbolic, by_first, jacobi, private),
    *(unset, scalars, dividing, narrow, offset, deciding),
)
