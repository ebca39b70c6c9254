"""Ranks that are left when those are ruled out for which the program could not go on.

Models that were traced ask for the rank of what an ``If`` gave, to decide on the next ``If``. Where
only one of the ranks that the branches give is taken by what follows, it is the rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, Var
from relayish.onnx.calls import captures_of, count_outputs, graphs_of
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import axes_of

Ranks: TypeAlias = frozenset[int] | None
"""The ranks that a value may have; ``None`` if nothing is known of them."""

_DEEPEST: Final = 5
"""How many calls are followed, to either side."""
_WIDEST: Final = 4
"""How many uses of one value are looked at."""
_SAME: Final = frozenset(
    {"Identity", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "Cast", "Neg", "Abs", "Sqrt", "Exp"}
)
"""Operators whose result has the rank of their input."""
_RECURRENT: Final = frozenset({"LSTM", "GRU", "RNN"})
_SHIFTS: Final = {"Unsqueeze": 1, "Squeeze": -1}


@rule("Size")
def fold_feasible_rank(call: Call, graph: Rewriter) -> Expr | None:
    """``Size(Shape(x))``, the rank of ``x``, where what follows takes one rank only."""
    inner = graph.producer(call.args[0], "Shape")
    if inner is None or dict(inner.attrs.items() if inner.attrs is not None else ()):
        return None
    data = inner.args[0]
    given = find_ranks(graph, data, {}, {}, _DEEPEST)
    if given is None or type(data) is not Var:
        return None
    taken = _find_taken(graph, data, given, _DEEPEST)
    if len(taken) != 1:
        return None
    return Constant(np.asarray(next(iter(taken)), np.int64), span=call.span)


def find_ranks(
    graph: Rewriter,
    expr: Expr,
    inside: Mapping[Expr, Expr],
    assumed: Mapping[Expr, frozenset[int]],
    depth: int,
) -> Ranks:
    """Return the ranks that an expression may have.

    Args:
        graph: The function.
        expr: A variable of it, or of a graph in it.
        inside: What variables of that graph are bound to, captured ones included.
        assumed: Ranks of variables that are taken for granted.
        depth: How many calls to follow.
    """
    while type(expr) is Var and expr not in assumed and expr in inside:
        expr = inside[expr]
    if expr in assumed:
        return assumed[expr]
    if type(expr) is Var:
        rank = graph.rank_of(expr)
        if rank is not None:
            return frozenset({rank})
        expr = graph.definition(expr)
    name = graph.operator(expr)
    if type(expr) is not Call or name is None or not depth:
        return None
    if name in _SAME:
        return find_ranks(graph, expr.args[0], inside, assumed, depth - 1)
    if name in _SHIFTS:
        axes = _count_axes(graph, expr, inside)
        before = find_ranks(graph, expr.args[0], inside, assumed, depth - 1)
        if axes is None or before is None:
            return None
        return frozenset([rank + axes for rank in before if rank + axes >= 0])
    if name == "If" and count_outputs(expr.attrs) == 1 and not inside:
        return _join([_ranks_of_branch(graph, expr, b, assumed, depth) for b in _branches(expr)])
    return None


def _count_axes(graph: Rewriter, call: Call, inside: Mapping[Expr, Expr]) -> int | None:
    """Return by how many dimensions the result of ``Squeeze`` or ``Unsqueeze`` has more."""
    args = list(call.args)
    for place in range(1, len(args)):
        while args[place] in inside:
            args[place] = inside[args[place]]
    axes = axes_of(graph, call.with_fields(args=tuple(args)))
    return _SHIFTS[graph.operator(call) or ""] * len(axes) if axes else None


def _branches(call: Call) -> list[Function]:
    return [each for each in graphs_of(call).values() if type(each) is Function]


def _ranks_of_branch(
    graph: Rewriter,
    call: Call,
    branch: Function,
    assumed: Mapping[Expr, frozenset[int]],
    depth: int,
) -> Ranks:
    """Return the ranks that the result of a branch may have."""
    inside: dict[Expr, Expr] = dict(zip(branch.params, captures_of(call), strict=False))
    tail: Expr = branch.body
    while type(tail) is Let:
        inside[tail.var] = tail.value
        tail = tail.body
    return None if type(tail) is Tuple else find_ranks(graph, tail, inside, assumed, depth - 1)


def _join(ranks: list[Ranks]) -> Ranks:
    known = [each for each in ranks if each is not None]
    return frozenset().union(*known) if len(known) == len(ranks) else None


def _find_taken(graph: Rewriter, var: Var, ranks: frozenset[int], depth: int) -> frozenset[int]:
    """Return those of ``ranks`` with which all uses of a variable can go on."""
    uses = graph.uses_of(var)
    if not depth or len(uses) > _WIDEST:
        return ranks
    for user, value in uses:
        if type(value) is Call and user is not None:
            ranks = frozenset(
                [rank for rank in ranks if _is_taken(graph, user, value, var, rank, depth)]
            )
    return ranks


def _is_taken(graph: Rewriter, user: Var, call: Call, var: Var, rank: int, depth: int) -> bool:
    """Return whether a call can go on with a variable of a rank."""
    name = graph.operator(call) or ""
    if name in _RECURRENT:
        return call.args[0] is not var or rank == 3
    if name not in _SAME and name not in _SHIFTS and name != "If":
        return True
    found = find_ranks(graph, call, {}, {var: frozenset({rank})}, _DEEPEST)
    return found is None or bool(_find_taken(graph, user, found, depth - 1))


RULES = (fold_feasible_rank,)
