"""Loops as recursive functions: ``while_loop`` and ``foreach``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relayish.errors import BuilderError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relayish.op import add, less, shape_of, take

Cond = Callable[..., Expr]
"""Of the loop variables: whether there is another turn, a scalar ``bool``."""
Body = Callable[..., Sequence[Expr]]
"""Of the loop variables: what they are in the next turn."""


def while_loop(cond: Cond, loop_vars: Sequence[Var], loop_bodies: Body) -> Let:
    """Return a function that repeats ``loop_bodies`` as long as ``cond`` holds.

    Args:
        cond: Called once with fresh variables, to build the condition.
        loop_vars: Variables whose names and annotations those of the loop take.
        loop_bodies: Called once with the same fresh variables; returns as many expressions.

    Returns:
        ``let %while_loop = fn (...) {...}; %while_loop``: called with the first values, it returns
        the tuple of the last ones.

    Raises:
        BuilderError: If ``loop_bodies`` returns another number of expressions.

    Source:
        Relay ``loops.while_loop``.

    Example:
        >>> from relayish.interpreter import evaluate
        >>> from relayish.ir.relay.build import var
        >>> i, total = var("i", "int32"), var("total", "int32")
        >>> loop = while_loop(
        ...     lambda i, total: less(i, const(5)),
        ...     [i, total],
        ...     lambda i, total: (add(i, const(1)), add(total, i)),
        ... )
        >>> evaluate(loop(const(0), const(0)))
        (np.int32(5), np.int32(10))
    """
    fresh = [Var(var.name_hint, var.type_annotation) for var in loop_vars]
    loop = Var("while_loop")
    after = tuple(loop_bodies(*fresh))
    if len(after) != len(fresh):
        raise BuilderError(
            f"a loop over {len(fresh)} variables gives {len(fresh)} values for the next turn; "
            f"found {len(after)}"
        )
    body = If(cond(*fresh), loop(*after), Tuple(tuple(fresh)))
    return Let(loop, Function(tuple(fresh), body), loop)


def foreach(iterator: Expr, init: Expr, body: Callable[[Expr, Expr], Expr]) -> Expr:
    """Return ``init`` after ``body(x, state)`` for each ``x`` along the first axis of a tensor.

    Args:
        iterator: The tensor.
        init: The first state; its type is that of each state.
        body: Called once with variables, to build the next state.

    Source:
        Relay ``loops.foreach``.

    Example:
        >>> from relayish.interpreter import evaluate
        >>> evaluate(foreach(const([1, 2, 3]), const(0), lambda x, state: add(x, state)))
        np.int32(6)
    """
    index, state = Var("i"), Var("state")
    first = const(0)
    count = take(shape_of(iterator, dtype="int32"), first, axis=0)
    loop = while_loop(
        lambda i, _: less(i, count),
        [index, state],
        lambda i, st: (add(i, const(1)), body(take(iterator, i, axis=0), st)),
    )
    return TupleGetItem(loop(first, init), 1)
