"""Builders of statements, which take numbers, names and functions where nodes are meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from relayish.errors import FieldError
from relayish.ir.kinds.one_line import show_found
from relayish.tir.builders.expr import as_attrs
from relayish.tir.ir.expr import ArgumentGroup, PrimitiveNode
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import NO_BIND, NO_VECTORIZE, BindInfo, ForType, VectorizeInfo
from relayish.tir.ir.operators import Expr, Operand, as_expr
from relayish.tir.ir.stmt import Block, For, IfThenElse, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, BufferRange, Store, Tensor, Var
from relayish.tir.ir.type import VOID, TypeLike, as_type

Body: TypeAlias = Stmt | Iterable[Stmt]
"""A statement, or several that run one after the other."""

BodyOf: TypeAlias = Body | Callable[..., Body]
"""A body, or a function from variables to it."""


def block(*stmts: Stmt) -> Block:
    """Return the block of ``stmts``, which run one after the other."""
    return Block(stmts)


def as_block(body: Body) -> Block:
    """Return ``body`` as a block, itself if it is one."""
    if isinstance(body, Block):
        return body
    return Block((body,) if isinstance(body, Stmt) else tuple(body))


def store(tensor: Expr, value: Operand, indices: Operand | Sequence[Operand] = ()) -> Store:
    """Return the statement that puts ``value`` at ``indices`` of ``tensor``.

    A number takes the type of an element. Without indices, ``tensor`` is a scalar variable.
    """
    given = indices if isinstance(indices, Sequence) else (indices,)
    at = tuple([as_expr(index) for index in given])
    lanes = max([index.type.lanes for index in at], default=1)
    return Store(tensor, as_expr(value, tensor.type.with_lanes(lanes)), at)


def for_(
    loop_var: Var | str,
    extent: Operand,
    body: BodyOf,
    *,
    min: Operand = 0,  # noqa: A002 - as the field is called
    for_type: ForType = ForType.SERIAL,
    factor: int | None = None,
    thread: str | None = None,
    **fields: Any,  # Any: those of For
) -> For:
    """Return the loop that runs ``body`` ``extent`` times, its variable counting from ``min``.

    Args:
        loop_var: The variable, or the name of a new one, of the type of the bounds.
        extent: How often.
        body: Statements, or a function from the variable to them.
        min: The first value of the variable.
        for_type: How iterations may be run.
        factor: Vectorises the loop: the number of lanes.
        thread: Binds the loop to an index of the device: ``"blockIdx.x"``, ``"threadIdx.z"``.
        **fields: Further fields of ``For``.

    Example:
        >>> from relayish.tir.builders.tensor import placeholder
        >>> A = placeholder("A", (16,))
        >>> loop = for_("i", 16, lambda i: store(A, 0, i))
        >>> loop.body.stmts[0].indices == (loop.loop_var,)
        True
    """
    typed = next((e.type for e in (loop_var, extent, min) if isinstance(e, Expr)), None)
    low, count = as_expr(min, typed), as_expr(extent, typed)
    index = loop_var if isinstance(loop_var, Var) else Var(loop_var, count.type)
    vectorize_info, bind_info = NO_VECTORIZE, NO_BIND
    if factor is not None:
        for_type |= ForType.VECTORIZED
        vectorize_info = VectorizeInfo(0, factor)
    if thread is not None:
        bind_info = bind_info_of(thread)
        for_type |= bind_info.for_type
    given = {"vectorize_info": vectorize_info, "bind_info": bind_info, **fields}
    return For(index, low, count, _body_of(body, (index,)), for_type, **given)


def bind_info_of(thread: str) -> BindInfo:
    """Return the index of the device called ``thread``: ``blockIdx.x``, ``threadIdx.z``.

    Raises:
        FieldError: If there is none of this name.
    """
    kind, dot, axis = thread.partition(".")
    kinds = {"blockIdx": ForType.GPU_BLOCK, "threadIdx": ForType.GPU_THREAD}
    if not dot or kind not in kinds or axis not in ("x", "y", "z"):
        raise FieldError(
            f"{thread!r} is no index of a device; expected blockIdx or threadIdx with .x, .y or .z"
        )
    return BindInfo(kinds[kind], "xyz".index(axis))


def if_then_else(condition: Operand, true_case: Body, false_case: Body | None = None) -> IfThenElse:
    """Return the statement that runs ``true_case`` where ``condition`` holds, else the other."""
    other = None if false_case is None else as_block(false_case)
    return IfThenElse(as_expr(condition), as_block(true_case), other)


def schedule_block(
    name: str,
    binds: Mapping[Var, Operand] | Sequence[tuple[Var | str, Operand]],
    body: BodyOf,
    reads: Sequence[BufferRange] = (),
    writes: Sequence[BufferRange] = (),
    attrs: Mapping[str, object] | None = None,
) -> ScheduleBlockRealize:
    """Return a schedule block with the values of its variables.

    Args:
        name: By which schedules find it.
        binds: Each variable, or the name of a new one, and its value.
        body: A statement, or a function from the variables to one.
        reads: The parts of buffers that it reads, in order of the tree; none: not said.
        writes: Those it writes.
        attrs: Hints for later transformations.

    Example:
        >>> from relayish.tir.builders.tensor import placeholder
        >>> A, i = placeholder("A", (16,)), Var("i")
        >>> made = schedule_block("A", [("i0", i)], lambda i0: store(A, 0, i0))
        >>> made.iter_values == (i,), made.schedule_block.iter_vars[0].name
        (True, 'i0')
    """
    pairs = list(binds.items()) if isinstance(binds, Mapping) else list(binds)
    values = tuple([as_expr(value) for _, value in pairs])
    iter_vars = tuple(
        [
            known if isinstance(known, Var) else Var(known, value.type)
            for (known, _), value in zip(pairs, values, strict=True)
        ]
    )
    found = body(*iter_vars) if callable(body) else body
    stmt = found if isinstance(found, Stmt) else as_block(found)
    made = ScheduleBlock(iter_vars, tuple(reads), tuple(writes), name, stmt, as_attrs(attrs))
    return ScheduleBlockRealize(values, made)


def buffer_range(buffer: Buffer | Tensor, *ranges: Var | tuple[Operand, Operand]) -> BufferRange:
    """Return a part of ``buffer``: in each dimension ``(lower, upper)``, or a variable with bounds.

    Example:
        >>> part = buffer_range(Buffer("_A", (16, 16)), (0, 4), (0, 16))
        >>> [str(r.upper_bound.value) for r in part.ranges]
        ['4', '16']
    """
    held = buffer.buffer if isinstance(buffer, Tensor) else buffer
    if not isinstance(held, Expr):
        raise FieldError(f"tensor {buffer.name} is inline; it has no buffer to take a part of")
    variables = [
        given if isinstance(given, Var) else _bounded(f"i{at}", *given)
        for at, given in enumerate(ranges)
    ]
    return BufferRange(held, tuple(variables))


def primitive(
    name: str,
    groups: Iterable[Iterable[Operand]] = (),
    attrs: Mapping[str, object] | None = None,
    dtype: TypeLike = VOID,
) -> PrimitiveNode:
    """Return the coarse operator called ``name``, with its arguments in groups.

    Example:
        >>> made = primitive("conv2d", [[Var("x")], [1, 1]], {"pad": 0})
        >>> [len(group.values) for group in made.arguments]
        [1, 2]
    """
    grouped = tuple([ArgumentGroup(tuple([as_expr(e) for e in group])) for group in groups])
    return PrimitiveNode(name, grouped, as_attrs(attrs), as_type(dtype))


def _bounded(name: str, lower: Operand, upper: Operand) -> Var:
    high = as_expr(upper)
    return Var(name, high.type, as_expr(lower, high.type), high)


def _body_of(body: BodyOf, variables: tuple[Var, ...]) -> Block:
    found = body(*variables) if callable(body) else body
    if not isinstance(found, (Stmt, Iterable)):
        raise FieldError(
            f"the body of the loop over {variables[0].name!r} is {show_found(found)}; expected a "
            f"statement, several, or a function from the variable to them"
        )
    return as_block(found)
