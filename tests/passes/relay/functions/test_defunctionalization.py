from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis import infer_type
from relayish.interpreter import evaluate
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import FuncType, TensorType
from relayish.prelude import Prelude
from relayish.text import astext, parse
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.typed_text import HEADER, program

LEVELS = min(DEPTH, 20_000)
INT = TensorType((), "int32")
add = intern_op("add")
defunctionalize = get_pass("Defunctionalization")


def is_first_order(mod: IRModule) -> bool:
    """Return whether no function stands inside another, and no type of functions anywhere."""
    nodes = [n for f in mod.functions.values() for n in EVERYTHING.post_order(f) if n is not f]
    inputs = [t for d in mod.type_definitions.values() for c in d.constructors for t in c.inputs]
    parts = [part for ty in inputs for part in EVERYTHING.post_order(ty)]
    return not any(type(node) in (Function, FuncType) for node in [*nodes, *parts])


def check(text: str, *args: object) -> IRModule:
    """Return what becomes of a program, which computes what it did and is of first order."""
    mod = program(text)
    out = defunctionalize(mod)
    assert is_first_order(out)
    assert not any(func.type_params for func in out.functions.values())
    before = evaluate(mod["main"], mod, args)
    assert str(evaluate(out["main"], out, args)) == str(before)
    assert defunctionalize(out) is out
    assert infer_type(parse(astext(out)), fresh=True)
    return out


def test_types_of_functions_are_told_apart_by_structure():
    state = f"({', '.join(['Tensor[(2, 3), float32]'] * 16)})"  # the text of which shares parts
    out = check(
        f"""
        def @apply[A](%f: fn (A) -> A, %x: A) -> A {{ %f(%x) }}
        def @main(%x: {state}) -> {state} {{ @apply(fn (%t: {state}) -> {state} {{ %t }}, %x) }}
        """,
        tuple([np.full((2, 3), n, "float32") for n in range(16)]),
    )
    assert len(out.type_definitions) == 1


def test_the_prelude_is_defunctionalized_as_far_as_it_is_used():
    prelude = Prelude(IRModule())
    mod = parse(
        HEADER
        + """
        def @main(%x: int32) -> int32 {
          @foldl(fn (%a: int32, %b: int32) -> int32 { add(%a, %b) }, 0,
            @map(fn (%n: int32) -> int32 { multiply(%n, %x) }, @rev(Cons(1, Cons(2, Nil)))))
        }
        """,
        init_module=prelude.mod,
    )
    out = defunctionalize(mod)
    assert is_first_order(out)
    assert evaluate(out["main"], out, (3,)) == 9


def test_the_module_given_stays():
    mod = program("""
        def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
        def @main(%x: int32) -> int32 { @twice(fn (%a: int32) -> int32 { add(%a, %x) }, 1) }
    """)
    before = dict(mod.functions)
    defunctionalize(mod)
    assert mod.functions == before
    assert not mod.type_definitions


@pytest.mark.deep
def test_long_chains_of_lets_are_defunctionalized():
    f, x = Var("f"), Var("x", INT)
    names = [Var(f"y{index}") for index in range(LEVELS)]
    expr: Expr = names[-1]
    for index in reversed(range(LEVELS)):
        expr = Let(names[index], Call(f, (names[index - 1] if index else x,)), expr)
    n, apply = Var("n", INT), GlobalVar("apply")
    func = Function((n,), Call(add, (n, Constant(1))))
    g, z = Var("g", FuncType((INT,), INT)), Var("z", INT)
    functions = {
        apply: Function((g, z), Call(g, (z,)), INT),
        "main": Function((x,), Let(f, func, Call(apply, (f, expr))), INT),
    }
    out = defunctionalize(IRModule(functions))
    assert is_first_order(out)
