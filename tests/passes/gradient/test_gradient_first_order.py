"""The pass FirstOrderGradient."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import GradientError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import scalar_type
from relayish.ir.structural_equal import assert_structural_equal
from relayish.text import parse
from relayish.transform import get_pass

HEADER = '#[version = "0.0.5"]\n'


def module(text):
    return parse(HEADER + text)


def test_each_function_returns_its_result_and_its_gradients():
    mod = module("""
    def @main(%x: float64) -> float64 { multiply(%x, tanh(%x)) }
    """)
    expected = module("""
    def @main(%x: float64) -> (float64, (float64,)) {
      let %a = tanh(%x);
      let %b = multiply(%x, %a);
      let %one = ones_like(%b);
      let %c = multiply(%one, %a);
      let %d = collapse_sum_like(%c, %x);
      let %e = multiply(%one, %x);
      let %f = collapse_sum_like(%e, %a);
      let %g = multiply(%a, %a);
      let %h = subtract(1f64, %g);
      let %i = multiply(%f, %h);
      let %j = add(%d, %i);
      (%b, (%j,))
    }
    """)
    found = infer_type(get_pass("FirstOrderGradient")(mod))
    assert_structural_equal(found, infer_type(expected))
    assert get_pass("FirstOrderGradient").info.opt_level == 0


def test_functions_are_differentiated_each_by_itself():
    mod = module("""
    def @double(%x: float64) -> float64 { add(%x, %x) }
    def @square(%x: float64) -> float64 { multiply(%x, %x) }
    """)
    found = get_pass("FirstOrderGradient")(mod)
    assert evaluate(found["double"], args=[np.float64(3)]) == (6, (2,))
    assert evaluate(found["square"], args=[np.float64(3)]) == (9, (6,))


def test_functions_that_cannot_or_must_not_change_are_left_alone():
    mod = infer_type(
        module("""
    def @same[A](%x: A) -> A { %x }
    def @other(%x: float64, Compiler="c") -> float64 { floor(%x) }
    """)
    )
    assert get_pass("FirstOrderGradient")(mod) is mod


def test_what_cannot_be_differentiated_is_said_with_the_name_of_the_function():
    mod = module("def @odd(%x: float64) -> float64 { if (less(%x, 0f64)) { %x } else { %x } }")
    with pytest.raises(GradientError, match="nothing for a first-order gradient") as raised:
        get_pass("FirstOrderGradient")(mod)
    assert "in function @odd" in raised.value.__notes__


def test_a_call_of_a_global_function_is_not_first_order():
    mod = module("""
    def @f(%x: float64) -> float64 { %x }
    def @main(%x: float64) -> float64 { @f(%x) }
    """)
    with pytest.raises(GradientError, match="@f at from_string:3:9 is nothing for"):
        get_pass("FirstOrderGradient")(mod)


def test_functions_called_where_they_stand_may_nest_deep():
    ty = scalar_type("float64")
    inner = Var("x", ty)
    body: Expr = Call(intern_op("multiply"), (inner, inner))
    for _ in range(5_000):
        outer = Var("x", ty)
        body, inner = Call(Function((inner,), body, ty), (outer,)), outer
    out = get_pass("FirstOrderGradient")(IRModule({"main": Function((inner,), body, ty)}))
    value, (gradient,) = evaluate(out["main"], out, [np.float64(3)])
    assert (value, gradient) == (9, 6)
