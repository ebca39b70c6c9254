"""Gradients of random programs, against finite differences and between the two modes."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis import well_formed
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Function, TupleGetItem, Var
from relayish.passes.relay.gradient.gradient import gradient
from tests.support.random_smooth import SCALAR, Programs
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

SEEDS = st.integers(0, 10**6)
THOROUGH = quickly(20)


def differences(function, values, eps=1e-5):
    slopes = []
    for at in range(len(values)):
        sides = []
        for step in (eps, -eps):
            moved = [v + step if i == at else v for i, v in enumerate(values)]
            sides.append(function(*map(np.float64, moved)))
        slopes.append((sides[0] - sides[1]) / (2 * eps))
    return slopes


@THOROUGH
@given(seed=SEEDS)
def test_the_gradient_of_a_program_is_that_of_finite_differences(seed):
    func = Programs(seed).function()
    made = gradient(func)
    assert well_formed(made)
    values = np.random.default_rng(seed).uniform(-1, 1, 3)
    original = evaluate(func)
    result, grads = evaluate(infer_type(made), args=list(values))
    assert result == original(*values)
    np.testing.assert_allclose(grads, differences(original, values), rtol=1e-4, atol=1e-6)


@THOROUGH
@given(seed=SEEDS)
def test_both_modes_agree_on_first_order_programs(seed):
    func = Programs(seed, first_order=True).function(20)
    values = np.random.default_rng(seed).uniform(-1, 1, 3)
    one, other = (
        evaluate(infer_type(gradient(func, mode=mode)), args=list(values))
        for mode in ("first_order", "higher_order")
    )
    assert one[0] == other[0]
    np.testing.assert_allclose(one[1], other[1], rtol=1e-12, atol=1e-15)


@quickly(8)
@given(seed=SEEDS)
def test_gradients_can_be_differentiated_again(seed):
    func = Programs(seed).function(5)
    first = gradient(func)
    params = tuple(Var(name, SCALAR) for name in "abc")
    slope = Function(params, TupleGetItem(TupleGetItem(Call(first, params), 1), 0))
    values = np.random.default_rng(seed).uniform(-1, 1, 3)
    _, grads = evaluate(infer_type(gradient(slope)), args=list(values))
    np.testing.assert_allclose(grads, differences(evaluate(slope), values), rtol=1e-4, atol=1e-6)
