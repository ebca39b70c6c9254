"""What programs that break a rule of the loop IR, and their twins, are made of.

A case is a function that returns a bad program and a good one; :data:`CASES` has the messages that
the first one gets.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from relayish import tir
from relayish.tir import (
    Block,
    Buffer,
    BufferRange,
    Call,
    CallType,
    For,
    ForType,
    LoweredFunc,
    ScheduleBlock,
    ScheduleBlockRealize,
    Tensor,
    Var,
    const,
)


class Case(NamedTuple):
    """A bad program and a good one.

    Attributes:
        rule: What the bad one breaks.
        messages: What is said of the bad one, all of it.
        bad: Any: a node or a module, as its twin.
        good: The same, but for what is wrong.
    """

    rule: str
    messages: tuple[str, ...]
    bad: Any
    good: Any


CASES: Final[dict[str, Case]] = {}


def cases(
    rule: str,
    entered: dict[str, tuple[str | tuple[str, ...], Any, Any]],  # Any: nodes and modules
) -> None:
    """Put programs that break a rule, each with what is said of it and a good twin, into CASES."""
    for name, (said, bad, good) in entered.items():
        assert name not in CASES, name
        messages = (said,) if isinstance(said, str) else said
        CASES[name] = Case(rule, messages, bad, good)


A_BUFFER, B_BUFFER = Buffer("_A", (16,)), Buffer("_B", (4, 8))
A, B = Tensor("A", (16,), "float32", A_BUFFER), Tensor("B", (4, 8), "float32", B_BUFFER)
TEMP = Buffer("_T", (16,))
T = Tensor("T", (16,), "float32", TEMP)
I, J, K, N, X = Var("i"), Var("j"), Var("k"), Var("n"), Var("x", "float32")  # noqa: E741
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
SIZED_BUFFER = Buffer("_Z", (16,), strides=(N,))
SIZED = Tensor("Z", (16,), "float32", SIZED_BUFFER)
TO_N = Var("to_n", "int32", const(0), N)
FEW = Var("n", "int32", const(1), const(100))
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
