from __future__ import annotations

import subprocess
import sys

import pytest

import relayish.passes.relay.functions.lambda_lift as module
from relayish.analysis import infer_type
from relayish.analysis.carried_types import stale_types
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import NAMES
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TensorType
from relayish.text import astext
from relayish.transform import get_pass
from tests.support.deep import call_chain, if_true, let_body
from tests.support.depth import DEPTH
from tests.support.typed_text import HEADER, program

INT = TensorType((), "int32")
add = intern_op("add")
lift = get_pass("LambdaLift")


def functions_inside(func: Expr) -> int:
    return sum(type(node) is Function for node in EXPRESSIONS.post_order(func)) - 1


def test_untouched_functions_and_the_module_given_stay():
    mod = infer_type(
        program("""
            def @plain(%x: int32) -> int32 { add(%x, 1) }
            def @main(%x: int32) -> int32 { (fn (%a: int32) -> int32 { @plain(%a) })(%x) }
        """)
    )
    before = dict(mod.functions)
    out = lift(mod)
    assert mod.functions == before
    assert out["plain"] is mod["plain"]


def test_what_is_lifted_carries_the_types_it_has():
    mod = infer_type(
        program("""
            def @main(%x: int32, %c: bool) -> fn (int32) -> int32 {
              let %f = fn (%n: int32) -> int32 { if (%c) { %n } else { %f(add(%n, %x)) } };
              let %g = fn (%y: int32) -> int32 { %f(add(%y, 1)) };
              %g
            }
        """)
    )
    out = module.lambda_lift(mod)
    assert len(out) == 3
    nodes = [node for func in out.functions.values() for node in EXPRESSIONS.post_order(func)]
    assert all(type(node) in NAMES or node.checked_type is not None for node in nodes)
    assert not list(stale_types(out, infer_type(out, fresh=True)))


def test_captured_operators_get_the_type_they_are_used_with():
    """No annotation says the type of an operator, so it is inferred, not handed on."""
    mod = infer_type(program("def @main(%x: int32) -> int32 { let %f = add; %f(%x, %x) }"))
    let = mod["main"].body
    inner = Call(Function((), let.body), ())
    out = lift(IRModule({"main": mod["main"].with_fields(body=let.with_fields(body=inner))}))
    (closure,) = [func for name, func in out.functions.items() if name.name_hint != "main"]
    assert structural_equal(closure.params[0].type_annotation, FuncType((INT, INT), INT))


def test_a_function_lifted_before_is_found_again():
    text = "def @main(%x: int32) -> int32 { (fn (%a: int32) -> int32 { add(%a, 1) })(%x) }"
    once = lift(program(text))
    again = lift(once.with_function("main", program(text)["main"]))
    assert [name.name_hint for name in again] == [name.name_hint for name in once]


def test_raf_defect_a_name_that_is_taken_gets_a_number():
    """There, two functions that hash alike are a fatal error."""
    mod = program("def @main(%x: int32) -> int32 { (fn (%a: int32) -> int32 { add(%a, 1) })(%x) }")
    (taken,) = [name for name in lift(mod) if name.name_hint != "main"]
    x = Var("x", INT)
    out = lift(mod.with_function(taken.name_hint, Function((x,), x)))
    assert [name.name_hint for name in out] == [
        taken.name_hint,
        f"{taken.name_hint}_1",
        "main",
    ]
    assert evaluate(out["main"], out, (1,)) == 2


def test_raf_defect_functions_that_hash_alike_get_names_of_their_own(monkeypatch):
    monkeypatch.setattr(module, "structural_hash", lambda _: 7)
    mod = program("""
        def @main(%x: int32) -> int32 {
          let %f = fn (%a: int32) -> int32 { add(%a, 1) };
          let %g = fn (%a: int32) -> int32 { add(%a, 2) };
          let %h = fn (%a: int32) -> int32 { add(%a, 1) };
          add(%f(%x), add(%g(%x), %h(%x)))
        }
    """)
    out = lift(mod)
    assert [name.name_hint for name in out] == ["lifted_name7", "lifted_name7_1", "main"]
    assert evaluate(out["main"], out, (1,)) == 7


@pytest.mark.slow("two processes that import passes")
def test_names_are_the_same_in_every_process():
    script = f"""
from relayish.text import parse
from relayish.transform import get_pass
mod = parse({HEADER + "def @main(%x: int32) { fn () { fn (%y: int32) { add(%x, %y) } } }"!r})
print([name.name_hint for name in get_pass("LambdaLift")(mod)])
"""
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


@pytest.mark.deep
@pytest.mark.parametrize("nest", [call_chain, let_body])
def test_deep_functions_are_lifted_from(nest):
    x, y = Var("x", INT), Var("y", INT)
    leaf = Call(Function((y,), Call(add, (x, y))), (x,))
    out = lift(IRModule({"main": Function((x,), nest(DEPTH, leaf))}))
    assert len(out) == 2
    assert functions_inside(out["main"]) == 0


@pytest.mark.deep
def test_deep_functions_are_lifted():
    x = Var("x", INT)
    condition = Var("c", TensorType((), "bool"))
    func = Function((x,), if_true(min(DEPTH, 25_000), x))
    out = lift(IRModule({"main": Function((condition,), func)}))
    assert len(out) == 2


def test_functions_deep_inside_functions_are_lifted():
    x = Var("x", INT)
    expr: Expr = x
    for _ in range(2000):
        expr = Function((Var("p", INT),), expr)
    out = lift(IRModule({"main": Function((x,), expr)}))
    assert len(out) == 2001
    assert all(functions_inside(out[name]) == (name.name_hint != "main") for name in out)


def test_a_chain_of_functions_is_lifted():
    x = Var("x", INT)
    names = [Var(f"f{index}") for index in range(2000)]
    expr: Expr = Call(names[-1], (x,))
    for index in reversed(range(2000)):
        p = Var("p", INT)
        body = Call(names[index - 1], (p,)) if index else Call(add, (p, Constant(1)))
        expr = Let(names[index], Function((p,), body), expr)
    out = lift(IRModule({"main": Function((x,), expr)}))
    assert len(out) == 3  # all that call another capture it, and are one
    assert "Closure" in astext(out)
