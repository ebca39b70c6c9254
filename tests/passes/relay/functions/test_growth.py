"""What passes that lift do for each node of what they take and give."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import scalar_type
from relayish.passes.relay.functions.full_inline import full_inline
from relayish.passes.relay.functions.lambda_lift import lambda_lift
from relayish.passes.relay.functions.lift_branch_body import lift_branch_body
from tests.support.deep_programs import nest
from tests.support.work import calls_made

ADD = intern_op("add")
INT, BOOL = scalar_type("int32"), scalar_type("bool")


def functions_that_capture_all(levels: int) -> IRModule:
    """``fn (a) { fn (b) { fn (c) { (a, b, c) } } }`` and so on."""
    params = [Var("y", INT) for _ in range(levels)]
    body: Expr = Tuple(tuple(params))
    for param in reversed(params):
        body = Function((param,), body)
    return infer_type(IRModule({"main": body}))


def branches_that_capture_all(levels: int) -> IRModule:
    """``if (c) { a + if (c) { b + .. } else { b } } else { a }``."""
    cond, params = Var("c", BOOL), [Var("y", INT) for _ in range(levels)]
    body: Expr = Constant(0)
    for param in reversed(params):
        body = If(cond, Call(ADD, (param, body)), param)
    return infer_type(IRModule({"main": Function((cond, *params), body)}))


def size(mod: IRModule) -> int:
    nodes = [node for func in mod.functions.values() for node in EXPRESSIONS.post_order(func)]
    return sum(1 + len(EXPRESSIONS.children(node)) for node in nodes)


@pytest.mark.parametrize(
    ("lift", "make"),
    [
        (lambda_lift, functions_that_capture_all),
        (lift_branch_body, branches_that_capture_all),
    ],
)
def test_lifting_what_captures_all_is_linear_in_what_comes_out(
    lift: Callable[[IRModule], IRModule], make: Callable[[int], IRModule]
) -> None:
    """Every level takes what all around it bind: the result grows with the square."""
    each = []
    for levels in (25, 100):
        mod, out = make(levels), list[IRModule]()
        calls = calls_made(lambda mod=mod, out=out: out.append(lift(mod)))
        each.append(calls / (size(mod) + size(out[0])))
    assert size(out[0]) > 20 * size(mod)
    assert each[1] < 1.1 * each[0]


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (lambda_lift, "function_nest"),
        (full_inline, "function_nest"),
        (lift_branch_body, "if_true"),
        (lift_branch_body, "if_cond"),
    ],
)
def test_a_level_of_a_deep_nest_costs_what_one_of_a_small_one_does(
    run: Callable[[IRModule], IRModule], kind: str
) -> None:
    first, small, large = [infer_type(nest(kind, levels)) for levels in (20, 100, 400)]
    run(first)  # what is loaded on first use; what is known of a program is kept
    assert calls_made(lambda: run(large)) < 4.4 * calls_made(lambda: run(small))
