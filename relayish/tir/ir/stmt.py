"""Statements: loops, branches, blocks, and what memory lives how long."""

from __future__ import annotations

from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import field, node
from relayish.tir.ir import flags
from relayish.tir.ir.family import ExprNode, Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import BufferRange, Var


@node("let", effect=Effect.NONE, graph_node=False)
class Let(Stmt, ExprNode):
    """Declare ``symbol`` for the rest of the block, with ``body`` as its first value if given."""

    symbol: Var = field(binder=True, declares=True)
    body: Expr | None = None


@node("alloc", effect=Effect.STATE, graph_node=False)
class Alloc(Stmt, ExprNode):
    """Give ``destination``, a buffer of the function, its memory.

    It lives while ``body`` runs, if there is one, else until it is freed, or the block ends.

    Attributes:
        extents: The size of each dimension; none: that of the buffer.
        condition: Where it does not hold, nothing is allocated; ``None``: it always holds.
    """

    destination: Expr = field(access=Access.WRITE)
    extents: tuple[Expr, ...] = ()
    condition: Expr | None = None
    body: Stmt | None = field(default=None, scope=Runs.ONCE)


@node("free", effect=Effect.STATE, graph_node=False)
class Free(Stmt, ExprNode):
    """Give back the memory of ``destination``, which nothing may use from then on."""

    destination: Expr = field(access=Access.WRITE)


@node("if_then_else", effect=Effect.NONE, graph_node=False)
class IfThenElse(Stmt, ExprNode):
    """Run ``true_case`` where ``condition`` holds, else ``false_case``, if there is one."""

    condition: Expr
    true_case: Stmt = field(scope=Runs.ONE_OF)
    false_case: Stmt | None = field(default=None, scope=Runs.ONE_OF)


def _as_loop_type(given: object) -> flags.ForType:
    if not isinstance(given, flags.ForType):
        raise FieldError(f"a loop is of a ForType, such as ForType.SERIAL; found {given!r}")
    return given


@node("for", effect=Effect.NONE, graph_node=False)
class For(Stmt, ExprNode):
    """Run ``body`` for ``loop_var`` from ``min`` on, ``extent`` times.

    The loop covers ``[min, min + extent)``: ``extent`` is a length, as its name says, and none or
    less is no iteration.

    Attributes:
        for_type: How iterations may be run; serially one after the other by default.
        vectorize_info: How it is vectorised, with the flag ``VECTORIZED``.
        bind_info: The index of the device that runs it, with ``GPU_BLOCK`` or ``GPU_THREAD``.
    """

    loop_var: Var = field(binder=True)
    min: Expr
    extent: Expr
    body: Stmt = field(scope=Runs.REPEATEDLY)
    for_type: flags.ForType = field(default=flags.ForType.SERIAL, convert=_as_loop_type)
    device_api: flags.DeviceAPI = flags.DeviceAPI.UNK
    vectorize_info: flags.VectorizeInfo = flags.NO_VECTORIZE
    bind_info: flags.BindInfo = flags.NO_BIND
    metadata: flags.LLVMForLoopMeta | None = None


@node("poly_for", effect=Effect.NONE, graph_node=False)
class PolyFor(Stmt, ExprNode):
    """Run ``body`` for ``iterator`` from ``init`` on while ``condition`` holds, by ``inc``.

    ``condition`` and ``inc`` are computed anew each time, before and after ``body``.
    """

    iterator: Var = field(binder=True)
    init: Expr
    condition: Expr = field(scope=Runs.REPEATEDLY)
    inc: Expr = field(scope=Runs.REPEATEDLY)
    body: Stmt = field(scope=Runs.REPEATEDLY)
    for_type: flags.ForType = field(default=flags.ForType.SERIAL, convert=_as_loop_type)
    device_api: flags.DeviceAPI = flags.DeviceAPI.UNK
    vectorize_info: flags.VectorizeInfo = flags.NO_VECTORIZE
    bind_info: flags.BindInfo = flags.NO_BIND


@node("block", effect=Effect.NONE, graph_node=False)
class Block(Stmt, ExprNode):
    """Statements, which run one after the other."""

    stmts: tuple[Stmt, ...] = field(default=(), scope=Runs.ONCE, block=True)


@node("schedule_block", effect=Effect.NONE, graph_node=False)
class ScheduleBlock(Stmt, ExprNode):
    """The unit of scheduling: ``body`` over ``iter_vars``, to which a realize gives values.

    Attributes:
        read_buffers: The parts of buffers that it reads, in order of the tree; none: not said.
        write_buffers: Those it writes.
        name: By which schedules find it; mostly that of the tensor it computes.
        attrs: Hints for later transformations.
    """

    iter_vars: tuple[Var, ...] = field(binder=True)
    read_buffers: tuple[BufferRange, ...] = field(scope=Runs.ONCE)
    write_buffers: tuple[BufferRange, ...] = field(scope=Runs.ONCE)
    name: str
    body: Stmt = field(scope=Runs.ONCE)
    attrs: DictAttrs | None = None


@node("schedule_block_realize", effect=Effect.NONE, graph_node=False)
class ScheduleBlockRealize(Stmt, ExprNode):
    """Run a schedule block with ``iter_values``, affine in the loop variables, as its variables."""

    iter_values: tuple[Expr, ...]
    schedule_block: ScheduleBlock = field(part=True)
