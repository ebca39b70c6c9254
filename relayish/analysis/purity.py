"""Purity: whether all that counts of evaluating, or calling, an expression is its value.

Impure are reading and writing references, operators with state, and calls of functions that are not
known. Creating a reference is pure, and so is failing, or not ending. What exactly an impure
expression may do is told by :mod:`relayish.analysis.effects`, on which this stands.
"""

from __future__ import annotations

from typing import NamedTuple, Unpack

from relayish.analysis.effects import Effect, Effects, Precision
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule


class Purity(NamedTuple):
    """Whether evaluating an expression is pure, and whether calling what it evaluates to is.

    Source:
        Relay ``Purity`` of its dead code elimination.
    """

    pure_eval: bool
    pure_call: bool


def purity_of(
    expr: Expr,
    mod: IRModule | None = None,
    **precision: Unpack[Precision],
) -> Purity:
    """Return the purity of ``expr``.

    Args:
        expr: Any expression.
        mod: Where the functions are that it calls by global name; without it they are not known.
        precision: As of :func:`~relayish.analysis.effects.analyse_effects`.

    Complexity:
        Linear in distinct nodes, of ``expr`` and of the functions of ``mod`` it may call; no
        recursion. To ask about many expressions of one program, ask
        :func:`~relayish.analysis.effects.analyse_effects` once.

    Example:
        >>> from relayish.ir.relay.expr import Function, RefRead, Var
        >>> r = Var("r")
        >>> purity_of(Function((r,), RefRead(r)))
        Purity(pure_eval=True, pure_call=False)
    """
    effects = Effects(expr, mod, **precision)
    return Purity(effects.of(expr) == Effect.NONE, effects.of_call(expr) == Effect.NONE)


def is_pure(
    expr: Expr,
    mod: IRModule | None = None,
    **precision: Unpack[Precision],
) -> bool:
    """Return whether evaluating ``expr`` is pure; see :func:`purity_of`.

    Example:
        >>> from relayish.ir.relay.expr import RefCreate, RefRead, Var
        >>> x = Var("x")
        >>> is_pure(RefCreate(x)), is_pure(RefRead(x))
        (True, False)
    """
    return purity_of(expr, mod, **precision).pure_eval
