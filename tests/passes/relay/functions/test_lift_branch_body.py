from __future__ import annotations

import inspect

import pytest

from relayish.analysis import infer_type
from relayish.analysis.carried_types import stale_types
from relayish.ir.nodes.node import NAMES
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import RefType, TensorType
from relayish.passes.relay.functions.lift_branch_body import lift_branch_body
from relayish.transform import get_pass
from tests.support.deep import if_false, if_true
from tests.support.depth import DEPTH
from tests.support.standing import check_random
from tests.support.typed_text import program

INT = TensorType((), "int32")
BOOL = TensorType((), "bool")
add = intern_op("add")
lift = get_pass("LiftBranchBody")


def test_type_variables_are_searched_for_only_where_there_are_some(monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(inspect.getmodule(lift_branch_body), "free_type_vars", refuse)
    plain = program("def @main(%c: bool) -> int32 { if (%c) { 1 } else { 2 } }")
    assert len(lift_branch_body(infer_type(plain))) == 3


def test_the_module_given_and_untouched_functions_stay():
    mod = infer_type(
        program("""
        def @f(%x: int32) -> int32 { %x }
        def @main(%c: bool) -> int32 { if (%c) { @f(1) } else { 2 } }
        """)
    )
    before = dict(mod.functions)
    out = lift(mod)
    assert mod.functions == before
    assert out["f"] is mod["f"]


def test_what_is_lifted_carries_the_types_it_has():
    mod = infer_type(
        program("""
        def @main(%c: bool, %x: int32) -> int32 {
          let %r = ref(%x);
          if (%c) {
            let %y = ref_write(%r, 1);
            if (%c) { (fn (%z: int32) -> int32 { add(%z, %x) })(%x) } else { ref_read(%r) }
          } else { %x }
        }
        """)
    )
    out = lift_branch_body(mod)
    assert len(out) == 5
    nodes = [node for func in out.functions.values() for node in EXPRESSIONS.post_order(func)]
    assert all(type(node) in NAMES or node.checked_type is not None for node in nodes)
    assert not list(stale_types(out, infer_type(out, fresh=True)))


def ifs(func: Expr) -> list[If]:
    return [node for node in EXPRESSIONS.post_order(func) if type(node) is If]


@pytest.mark.parametrize("nest", [if_true, if_false])
def test_deeply_nested_branches_are_lifted_each(nest):
    x = Var("x", INT)
    out = lift(IRModule({"main": Function((x,), nest(1000, x))}))
    assert len(out) == 2001
    assert all(len(ifs(out[name])) <= 1 for name in out)


@pytest.mark.deep
def test_raf_defect_long_chains_of_lets_are_lifted_from():
    """There, lets are visited recursively."""
    c, x = Var("c", BOOL), Var("x", INT)
    names = [Var(f"x{index}") for index in range(DEPTH)]
    expr: Expr = names[-1]
    for index in reversed(range(DEPTH)):
        before = names[index - 1] if index else x
        value = If(c, before, x) if index == DEPTH - 1 else Call(add, (before, before))
        expr = Let(names[index], value, expr)
    inner = If(c, expr, Constant(1))
    out = lift(IRModule({"main": Function((c, x), inner)}))
    assert len(out) == 5


CELL, C, N = Var("cell", RefType(INT)), Var("c", BOOL), Var("n", INT)


@pytest.mark.parametrize(("name", "seed"), [("LiftBranchBody", 84), ("LambdaLift", 22)])
def test_effects_are_bound_where_something_is_lifted_and_nowhere_else(name: str, seed: int) -> None:
    """A second application finds nothing to lift, and binds nothing either."""
    check_random(name, seed)
