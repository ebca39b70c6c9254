from __future__ import annotations

import pytest

from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_arguments, random_module
from tests.support.seeds import seeds
from tests.support.standing import check
from tests.support.typed_text import program

LEVELS = min(DEPTH, 50_000)
INT = TensorType((), "int32")
add = intern_op("add")
flatten = get_pass("FlattenClosure")
lift = get_pass("LambdaLift")
CLOSURE = """
    def @c(%y: int32, Closure=1) -> fn (int32) -> int32 { fn (%x: int32) -> int32 { add(%x, %y) } }
"""


@each("seed", seeds(20))
def test_flattening_what_was_lifted_keeps_the_value(seed):
    mod = random_module(seed, 60)
    args = random_arguments(mod["main"], seed)
    check(flatten, lift(mod), lambda given: evaluate(given["main"], given, args))


def test_the_module_given_and_untouched_functions_stay():
    mod = program(CLOSURE + "def @f(%x: int32) { %x } def @main(%x: int32) { @f(@c(1)(%x)) }")
    before = dict(mod.functions)
    out = flatten(mod)
    assert mod.functions == before
    assert out["f"] is mod["f"]


@pytest.mark.deep
def test_raf_defect_long_chains_of_lets_are_flattened():
    """There, lets are visited recursively."""
    c, x, y = GlobalVar("c"), Var("x", INT), Var("y", INT)
    inner = Function((x,), Call(add, (x, y)))
    closure = program(CLOSURE)["c"].with_fields(params=(y,), body=inner)
    z = Var("z", INT)
    names = [Var(f"f{index}") for index in range(LEVELS)]
    expr: Expr = Constant(0)
    for name in reversed(names):
        expr = Let(Var("r"), Call(name, (z,)), expr)
        expr = Let(name, Call(c, (z,)), expr)
    out = flatten(IRModule({c: closure, "main": Function((z,), expr)}))
    body = out["main"].body
    count = 0
    while type(body) is Let:
        assert body.value.op is c
        body = body.body
        count += 1
    assert count == LEVELS
