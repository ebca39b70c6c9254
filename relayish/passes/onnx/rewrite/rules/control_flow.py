"""Control flow that is decided before the program runs."""

from __future__ import annotations

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple
from relayish.onnx.calls import ABSENT, captures_of, count_outputs, graphs_of, inputs_of
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import input_of


@rule("If")
def inline_if(call: Call, graph: Rewriter) -> Expr | None:
    """Take the branch that a known condition leads to."""
    condition = graph.value_of(call.args[0])
    if condition is None or condition.size != 1:
        return None
    branch = graphs_of(call)["then_branch" if condition.reshape(-1)[0] else "else_branch"]
    if type(branch) is not Function or len(branch.params) != len(captures_of(call)):
        return None
    return graph.inline(branch, captures_of(call))


@rule("Loop")
def inline_loop(call: Call, graph: Rewriter) -> Expr | None:
    """Drop a loop that does not run, and spell out one that runs once."""
    body = graphs_of(call)["body"]
    if type(body) is not Function:
        return None
    count = _trip_count(call, graph)
    if count == 0:
        return _state_before(call)
    return _run_once(call, graph, body) if count == 1 else None


def _trip_count(call: Call, graph: Rewriter) -> int | None:
    """Return how often a loop runs, if that is known and at most 1."""
    limit, condition = input_of(call, 0), input_of(call, 1)
    held = None if condition is None else graph.value_of(condition)
    if held is not None and not held.reshape(-1)[0]:
        return 0
    value = None if limit is None else graph.value_of(limit)
    count = None if value is None else int(value.reshape(-1)[0])
    if count is not None and count <= 0:
        return 0
    return count if count == 1 and (condition is None or held is not None) else None


def _state_before(call: Call) -> Expr | None:
    """Return what a loop gives that does not run; ``None`` if it collects what it computes."""
    state = inputs_of(call)[2:]
    if len(state) != count_outputs(call.attrs):
        return None
    return state[0] if len(state) == 1 else Tuple(state)


def _run_once(call: Call, graph: Rewriter, body: Function) -> Expr | None:
    """Return what a loop gives that runs once."""
    state = inputs_of(call)[2:]
    wanted = count_outputs(call.attrs)
    if ABSENT in state or len(_results_of(body)) != wanted + 1:
        return None
    first = graph.emit_constant("iteration", np.zeros((), np.int64))
    holds = graph.emit_constant("condition", np.ones((), np.bool_))
    found = graph.inline(body, [first, holds, *state, *captures_of(call)])
    results = found.fields if type(found) is Tuple else (found,)
    collected = [_unsqueeze(call, graph, each) for each in results[1 + len(state) :]]
    kept = [*results[1 : 1 + len(state)], *collected]
    return kept[0] if wanted == 1 else Tuple(kept)


def _results_of(body: Function) -> tuple[Expr, ...]:
    tail: Expr = body.body
    while type(tail) is Let:
        tail = tail.body
    return tail.fields if type(tail) is Tuple else (tail,)


def _unsqueeze(call: Call, graph: Rewriter, value: Expr) -> Expr:
    """Return what a loop collects in one round: the value, with a dimension in front."""
    if graph.function_opset and graph.function_opset < 13:
        return graph.emit("collected", graph.call("Unsqueeze", [value], {"axes": (0,)}, like=call))
    axes = Constant(np.zeros(1, np.int64))
    return graph.emit("collected", graph.call("Unsqueeze", [value, axes], like=call))


RULES = (inline_if, inline_loop)
