"""What gradients cost: each node once, however deep and however shared."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op
from relayish.analysis import count_nodes
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Function, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.op import get_op
from relayish.passes.relay.gradient.gradient import MODES, gradient
from tests.support.deep import call_chain
from tests.support.depth import DEPTH

SCALAR = TensorType((), "float64")


def count_of(name, expr):
    """Return how many calls of an operator there are."""
    calls = [node for node in EXPRESSIONS.post_order(expr) if isinstance(node, Call)]
    return sum(call.op is get_op(name) for call in calls)


def test_shared_nodes_are_differentiated_once():
    x = Var("x", SCALAR)
    y = x
    for _ in range(60):
        y = y + y
    for mode in MODES:
        assert evaluate(gradient(Function((x,), y), mode=mode), args=[np.float64(1)]) == (
            2.0**60,
            (2.0**60,),
        )


def test_the_size_of_a_gradient_grows_with_that_of_the_program():
    def size(levels, mode):
        x = Var("x", SCALAR)
        y = x
        for _ in range(levels):
            y = op.tanh(y * x)
        return count_nodes(gradient(Function((x,), y), mode=mode))

    for mode in MODES:
        one, two, four = (size(levels, mode) for levels in (50, 100, 200))
        assert four - two == 2 * (two - one)


@pytest.mark.deep
def test_long_chains_of_calls_are_differentiated():
    x = Var("x", TensorType((), "int32"))
    made = gradient(Function((x,), call_chain(DEPTH, x)), mode="first_order")
    assert count_of("add", made) == DEPTH
    for mode in MODES:
        func = Function((x,), call_chain(min(DEPTH, 10_000), x))
        assert evaluate(gradient(func, mode=mode), args=[1]) == (min(DEPTH, 10_000) + 1, (1,))


@pytest.mark.deep
def test_long_chains_of_lets_are_differentiated():
    x = Var("x", SCALAR)
    variables = [Var(f"v{i}") for i in range(DEPTH)]
    body = variables[-1]
    for at in reversed(range(DEPTH)):
        body = Let(variables[at], op.copy(variables[at - 1] if at else x), body)
    assert count_of("copy", gradient(Function((x,), body))) == DEPTH
