"""Passes before a gradient is taken, and after: the gradients stay the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import GradientError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.passes.relay.gradient.gradient import gradient
from relayish.transform import PassContext
from tests.support.languages_of_passes import RELAY_PASSES
from tests.support.random_smooth import Programs
from tests.support.seeds import seeds
from tests.support.standing import OTHER_VALUE, REFUSES, TOLERANCE, close, made_for

PROGRAMS = seeds(8)
SIZE = 4
TINY = 1e-9
"""Sums in another order differ by this much, of the larger of them and one; they are doubles."""

NOT_DIFFERENTIABLE: dict[str, str] = {
    "AnnotateTarget": "the marks of regions for other compilers have no gradient",
    "FastMath": "approximations such as fast_tanh have none",
    "LowerToLoops": "functions of loops have none",
    "O4": "FastMath is among its passes",
    "PlanDevices": "on_device around a reference has none",
}
"""Passes whose result has no gradient, with the reason."""

KEEPING = [name for name in RELAY_PASSES if name not in OTHER_VALUE and name not in REFUSES]


@cache
def program(seed: int) -> tuple[IRModule, IRModule, list[object], object]:
    """Return a program, its gradient, arguments, and what the gradient returns for them."""
    func = Programs(seed).function(SIZE)
    mod = infer_type(IRModule.from_expr(func))
    made = infer_type(IRModule.from_expr(gradient(func)))
    args: list[object] = list(np.random.default_rng(seed).uniform(-1, 1, 3))
    return mod, made, args, evaluate(made["main"], made, args)


def gradient_of(mod: IRModule) -> Function:
    return gradient(mod.get_global_var("main"), mod)


@pytest.mark.parametrize("name", KEEPING)
def test_gradients_are_the_same_when_the_pass_runs_before_or_after(name: str) -> None:
    tolerance = max(TINY, TOLERANCE.get(name, 0.0))
    with PassContext(opt_level=4):
        for seed in PROGRAMS:
            mod, made, args, expected = program(seed)
            pass_ = made_for(name, mod)[0]
            out = pass_(mod)
            if out is not mod and name not in NOT_DIFFERENTIABLE:
                found = evaluate(gradient_of(out), out, args)
                assert close(found, expected, tolerance), f"before, program {seed}"
            image = pass_(made)
            if image is not made:
                found = evaluate(image["main"], image, args)
                assert close(found, expected, tolerance), f"after, program {seed}"


@pytest.mark.parametrize("name", sorted(NOT_DIFFERENTIABLE))
def test_results_that_have_no_gradient_are_refused(name: str) -> None:
    refused = 0
    with PassContext(opt_level=4):
        for seed in PROGRAMS:
            mod = program(seed)[0]
            try:
                gradient_of(made_for(name, mod)[0](mod))
            except GradientError:
                refused += 1
    assert refused
