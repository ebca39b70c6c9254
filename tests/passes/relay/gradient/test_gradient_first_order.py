"""The pass FirstOrderGradient."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import GradientError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import scalar_type
from relayish.transform import get_pass
from tests.support.typed_text import program


def test_a_call_of_a_global_function_is_not_first_order():
    mod = program("""
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
