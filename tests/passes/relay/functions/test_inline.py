from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import CallGraph, count_nodes, infer_type, well_formed
from relayish.interpreter import evaluate
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.op import intern_op
from relayish.ir.scopes import renaming
from relayish.transform import get_pass
from tests.support.deep import call_chain, let_body
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_arguments, random_module
from tests.support.seeds import seeds
from tests.support.standing import check
from tests.support.typed_text import program

add = intern_op("add")
inline = get_pass("Inline")


def marked(mod: relay.IRModule) -> relay.IRModule:
    """Return ``mod`` with every function but main asking to be inlined."""
    attrs = DictAttrs({"Inline": 1})
    return mod.with_functions(
        {
            name: func.with_fields(attrs=attrs)
            for name, func in mod.functions.items()
            if name.name_hint != "main"
        }
    )


@each("seed", seeds(25))
def test_inlining_all_functions_of_a_random_program_keeps_its_value(seed):
    mod = marked(random_module(seed, 60))
    args = random_arguments(mod["main"], seed)
    out = check(inline, mod, lambda program: evaluate(program["main"], program, args))
    assert check(inline, infer_type(mod), None) is not None
    used = {entry.name for entry in CallGraph(mod) if entry.ref_count}
    assert {name.name_hint for name in out} == {name.name_hint for name in mod} - used


def test_functions_that_share_their_variables_are_inlined_into_one_another():
    x, y = relay.Var("x"), relay.Var("y")
    f = relay.GlobalVar("f")
    attrs = DictAttrs({"Inline": 1})
    inner = relay.Function((x,), relay.Let(y, relay.Call(add, (x, x)), y), attrs=attrs)
    main = relay.Function((x,), relay.Let(y, relay.Call(f, (x,)), relay.Tuple((y, f))))
    out = inline(relay.IRModule({f: inner, "main": main}))
    assert well_formed(out)


def test_an_effect_happens_though_the_parameter_is_not_used():
    r, n, u = relay.Var("r"), relay.Var("n"), relay.Var("u")
    f = relay.GlobalVar("f")
    func = relay.Function((u,), relay.Constant(1), attrs=DictAttrs({"Inline": 1}))
    write = program("def @g(%r: ref(int32)) -> () { ref_write(%r, 5) }")["g"]
    call = relay.Call(f, (relay.Call(write, (r,)),))
    main = relay.Function(
        (), relay.Let(r, relay.RefCreate(relay.Constant(0)), relay.Let(n, call, relay.RefRead(r)))
    )
    out = inline(relay.IRModule({f: func, "main": main}))
    assert evaluate(out["main"], out, ()) == 5


def test_the_module_given_is_left_as_it_was_and_untouched_functions_stay():
    mod = program("""
        def @main(%x: int32) -> int32 { @f(%x) }
        def @f(%x: int32, Inline=1) -> int32 { %x }
        def @other(%x: int32) -> int32 { %x }
    """)
    before = dict(mod.functions)
    out = inline(mod)
    assert mod.functions == before
    assert out["other"] is mod["other"]


def test_a_call_with_too_many_arguments_is_refused():
    f, x = relay.GlobalVar("f"), relay.Var("x")
    func = relay.Function((), relay.Constant(1), attrs=DictAttrs({"Inline": 1}))
    with pytest.raises(relay.PassError, match="1 arguments to a function of 0 parameters"):
        inline(relay.IRModule({f: func, "main": relay.Function((x,), relay.Call(f, (x,)))}))


@pytest.mark.deep
@pytest.mark.parametrize("nest", [call_chain, let_body])
def test_deep_bodies_and_deep_callers_are_inlined(nest):
    f, x = relay.GlobalVar("f"), relay.Var("x")
    func = relay.Function((x,), nest(DEPTH, x), attrs=DictAttrs({"Inline": 1}))
    y = relay.Var("y")
    out = inline(
        relay.IRModule({f: func, "main": relay.Function((y,), nest(DEPTH, relay.Call(f, (y,))))})
    )
    assert len(out) == 1
    assert count_nodes(out["main"]) > 2 * DEPTH


def test_a_long_chain_of_functions_is_inlined():
    attrs = DictAttrs({"Inline": 1})
    names = [relay.GlobalVar(f"f{index}") for index in range(1000)]
    functions: dict[relay.GlobalVar | str, relay.Function] = {}
    for index, name in enumerate(names):
        x = relay.Var("x")
        body = relay.Call(names[index + 1], (x,)) if index < 999 else relay.Call(add, (x, x))
        functions[name] = relay.Function((x,), body, attrs=attrs)
    x = relay.Var("x")
    functions["main"] = relay.Function((x,), relay.Call(names[0], (x,)))
    out = inline(relay.IRModule(functions))
    assert len(out) == 1
    assert out["main"].body.op is add


def test_sharing_of_a_body_is_kept():
    f, x, y = relay.GlobalVar("f"), relay.Var("x"), relay.Var("y")
    body = x
    for _ in range(100):
        body = relay.Call(add, (body, body))
    func = relay.Function((x,), body, attrs=DictAttrs({"Inline": 1}))
    out = inline(relay.IRModule({f: func, "main": relay.Function((y,), relay.Call(f, (y,)))}))
    assert count_nodes(out["main"]) == 100 + 3


def test_a_chain_of_functions_is_copied_once(monkeypatch):
    """What is inlined into a function is not copied again when that is inlined itself."""
    copied = []
    fresh = renaming.make_fresh_variable
    monkeypatch.setattr(
        renaming, "make_fresh_variable", lambda var: copied.append(var) or fresh(var)
    )
    functions = 40
    definitions = {"main": "@f0(%x)", f"f{functions - 1}": "let %y = negative(%x); %y"}
    for index in range(functions - 1):
        definitions[f"f{index}"] = f"let %y = @f{index + 1}(%x); %y"
    text = "".join(
        f"def @{name}(%x: int32{'' if name == 'main' else ', Inline=1'}) -> int32 {{ {body} }}"
        for name, body in definitions.items()
    )
    assert len(inline(program(text))) == 1
    assert len(copied) == functions


@pytest.mark.deep
def test_many_functions_are_inlined_into_one_another():
    body: dict[relay.GlobalVar | str, relay.Function] = {}
    param = relay.Var("x", relay.scalar_type("int32"))
    callee = relay.GlobalVar("last")
    attrs = DictAttrs({"Inline": 1})
    body[callee] = relay.Function((param,), param, relay.scalar_type("int32"), attrs=attrs)
    for index in range(min(DEPTH, 20_000)):
        caller, param = relay.GlobalVar(f"f{index}"), relay.Var("x", relay.scalar_type("int32"))
        call = relay.Call(add, (relay.Call(callee, (param,)), relay.Constant(1)))
        body[caller] = relay.Function((param,), call, relay.scalar_type("int32"), attrs=attrs)
        callee = caller
    param = relay.Var("x", relay.scalar_type("int32"))
    body["main"] = relay.Function(
        (param,), relay.Call(callee, (param,)), relay.scalar_type("int32")
    )
    out = inline(relay.IRModule(body))
    assert len(out) == 1
    assert count_nodes(out["main"]) > min(DEPTH, 20_000)
