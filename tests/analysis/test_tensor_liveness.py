"""Liveness of tensors in the situations in which RAF's analysis was tested, beside truths by hand.

Of each call a truth names the tensors that live before it: parameters that are used later, and what
earlier calls made, by the variable a let binds the call to, with the field where it has several.
"""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import analyse_liveness, infer_type, plan_memory
from relayish.passes.relay.memory.validate_inplace_update import validate_inplace_update

TENSOR = "Tensor[(5, 5), float32]"


def parse(text: str) -> relay.Function:
    func = infer_type(relay.parse_expr(f'#[version = "0.0.5"]\n{text}'))
    assert isinstance(func, relay.Function)
    return func


def function(params: str, body: str) -> relay.Function:
    """Return a function of tensors, called as ``params`` says."""
    return parse(f"fn ({', '.join(f'%{name}: {TENSOR}' for name in params.split())}) {{ {body} }}")


def live(func: relay.Function) -> dict[str, str]:
    """Return the tensors that live before each call that a let binds, and at the end."""
    found, plan = analyse_liveness(func), plan_memory(func)
    names: dict[relay.Expr, str] = {}
    needed: dict[relay.Expr, frozenset[object]] = {}
    before: frozenset[object] = frozenset(func.params)
    let: relay.Expr = func.body
    while isinstance(let, relay.Let):
        names[let.value], needed[let.value] = let.var.name_hint, before
        before = found.needed_after(let.var)
        let = let.body

    def show(at: int, params: frozenset[object]) -> str:
        shown = [p.name_hint for p in func.params if p in params]
        for tensor in plan.tensors:
            if 0 <= tensor.born < at <= tensor.dies:
                several = isinstance(relay.type_of(tensor.expr), relay.TupleType)
                shown.append(names[tensor.expr] + (f".{tensor.field}" if several else ""))
        return " ".join(sorted(shown))

    steps = {names[step]: show(at, needed[step]) for at, step in enumerate(plan.steps)}
    return {**steps, "end": show(len(plan.steps), frozenset())}


def test_chain_of_operators():
    body = (
        "let %a1 = add(%p0, %p0); let %a2 = add(%a1, %p1); let %a3 = add(%a2, %p2);"
        "let %a4 = add(%a3, %a1); let %a5 = add(%a4, %p3); %a5"
    )
    assert live(function("p0 p1 p2 p3", body)) == {
        "a1": "p0 p1 p2 p3",
        "a2": "a1 p1 p2 p3",
        "a3": "a1 a2 p2 p3",
        "a4": "a1 a3 p3",
        "a5": "a4 p3",
        "end": "a5",
    }


def test_results_that_nobody_uses_die_at_once():
    body = (
        "let %a = nn.relu(%x); let %r = nn.batch_norm(%a, %g, %b, %m, %v);"
        "let %y = %r.0; let %c = nn.relu(%y); let %d = nn.relu(%c); %d"
    )
    params = [f"%{name}: Tensor[(5), float32]" for name in "gbmv"]
    func = parse(f"fn (%x: {TENSOR}, {', '.join(params)}) {{ {body} }}")
    assert live(func) == {
        "a": "b g m v x",
        "r": "a b g m v",
        "c": "r.0",
        "d": "c",
        "end": "d",
    }


def test_fields_of_a_tuple_that_is_given():
    body = "let %x = %t.0; let %y = %t.1; let %a = add(%x, %y); %a"
    found = live(parse(f"fn (%t: ({TENSOR}, {TENSOR})) {{ {body} }}"))
    assert found == {"a": "t", "end": "a"}


def test_tuple_that_is_used_whole_after_a_field_of_it():
    body = "let %x = %t.0; let %a = add(%x, %x); let %c = concatenate(%t);let %r = (%a, %c); %r"
    found = live(parse(f"fn (%t: ({TENSOR}, {TENSOR})) {{ {body} }}"))
    assert found == {"a": "t", "c": "a t", "end": "a c"}


def test_variable_bound_to_another_one():
    body = "let %a = nn.relu(%p); let %b = %a; let %c = nn.relu(%b); %c"
    assert live(function("p", body)) == {"a": "p", "c": "a", "end": "c"}


def test_constant_in_a_tuple():
    body = "let %a = nn.relu(%p); let %t = (%p, %a, 1f); let %c = %t.2; %c"
    assert live(function("p", body)) == {"a": "p", "end": ""}


def test_reshape():
    body = "let %a = nn.relu(%x); let %b = reshape(%a, newshape=[25]); let %c = nn.relu(%b); %c"
    assert live(function("x", body)) == {"a": "x", "b": "a", "c": "a", "end": "c"}


# Programs that allocate by themselves: storages, tensors in these, operators that are invoked


class Allocating:
    """Builds programs that allocate by themselves."""

    def __init__(self, *params: str) -> None:
        self.params = tuple(relay.var(name, shape=(5, 5)) for name in params)
        self.lets: list[tuple[relay.Var, relay.Expr]] = []

    def bind(self, name: str, value: relay.Expr) -> relay.Var:
        self.lets.append((relay.Var(name), value))
        return self.lets[-1][0]

    def allocate(self, number: int) -> relay.Var:
        numbers = [relay.const(n, "int64") for n in (100, 5, 64)]
        storage = self.bind(
            f"s{number}", relay.Call(relay.get_op("memory.alloc_storage"), tuple(numbers))
        )
        offset, shape = relay.const(0, "int64"), relay.const([5, 5], "int64")
        made = relay.Call(relay.get_op("memory.alloc_tensor"), (storage, offset, shape))
        return self.bind(f"t{number}", made)

    def invoke(
        self, number: int, func: relay.Expr, inputs: tuple[relay.Expr, ...], out: relay.Var
    ) -> None:
        ins, outs = (
            self.bind(f"i{number}", relay.Tuple(inputs)),
            self.bind(f"o{number}", relay.Tuple((out,))),
        )
        called = relay.Call(relay.get_op("vm.invoke_tvm_op"), (func, ins, outs))
        self.bind(f"u{number}", called)

    def needed(self, result: relay.Expr) -> dict[str, str]:
        """Return the names of what is needed after each let."""
        for var, value in reversed(self.lets):
            result = relay.Let(var, value, result)
        found = analyse_liveness(relay.Function(self.params, result))
        return {
            var.name_hint: " ".join(sorted(v.name_hint for v in found.needed_after(var)))
            for var, _ in self.lets
        }


def kernel() -> relay.Function:
    p, q = relay.var("p", shape=(5, 5)), relay.var("q", shape=(5, 5))
    made = relay.Function((p, q), relay.nn.relu(relay.add(p, q)))
    return made.with_fields(attrs=relay.ir.attributes.dictionary.DictAttrs({"Primitive": 1}))


def test_operator_that_is_invoked_with_tensors_made_before():
    program = Allocating("x", "y")
    x, y = program.params
    out = program.allocate(0)
    add = program.bind("add", relay.get_op("add"))
    program.invoke(0, add, (x, y), out)
    again = program.bind("a", out)
    assert program.needed(again) == {
        "s0": "s0 x y",
        "t0": "s0 t0 x y",
        "add": "add s0 t0 x y",
        "i0": "add i0 s0 t0 x y",
        "o0": "add i0 o0 s0 t0 x y",
        "u0": "s0 t0",
        "a": "a s0 t0",
    }


def test_chain_of_operators_that_are_invoked():
    program = Allocating("x", "y")
    x, y = program.params
    add = relay.get_op("add")
    first = program.allocate(0)
    program.invoke(0, add, (x, x), first)
    second = program.allocate(1)
    program.invoke(1, add, (first, y), second)
    assert program.needed(second) == {
        "s0": "s0 x y",
        "t0": "s0 t0 x y",
        "i0": "i0 s0 t0 x y",
        "o0": "i0 o0 s0 t0 x y",
        "u0": "s0 t0 y",
        "s1": "s0 s1 t0 y",
        "t1": "s0 s1 t0 t1 y",
        "i1": "i1 s0 s1 t0 t1 y",
        "o1": "i1 o1 s0 s1 t0 t1 y",
        "u1": "s1 t1",
    }


def test_fused_operators_are_one():
    fused = f"fn (%q0: {TENSOR}, %q1: {TENSOR}, Primitive=1) {{ nn.relu(multiply(%q0, %q1)) }}"
    body = f"let %a = nn.dense(%x, %y, units=5); let %f = {fused}; let %b = %f(%a, %z); %b"
    assert live(function("x y z", body)) == {"a": "x y z", "b": "a z", "end": "b"}


def test_fused_operators_that_are_invoked():
    program = Allocating("x", "y")
    x, y = program.params
    out = program.allocate(0)
    fused = program.bind("f", kernel())
    program.invoke(0, fused, (x, y), out)
    assert program.needed(out) == {
        "s0": "s0 x y",
        "t0": "s0 t0 x y",
        "f": "f s0 t0 x y",
        "i0": "f i0 s0 t0 x y",
        "o0": "f i0 o0 s0 t0 x y",
        "u0": "s0 t0",
    }


# What lets share memory, branches, names


@pytest.mark.parametrize("needed_later", [False, True])
def test_variable_shares_memory_with_what_is_not_needed_later(needed_later):
    x, a = relay.var("x", shape=(5, 5)), relay.Var("a")
    b = relay.Var("b", may_share=a)
    used = relay.add(a, b) if needed_later else relay.nn.relu(b)
    func = infer_type(
        relay.Function(
            (x,), relay.Let(a, relay.nn.relu(x), relay.Let(b, relay.nn.softmax(a), used))
        )
    )
    assert isinstance(func, relay.Function)
    inner = validate_inplace_update(func).body.body
    assert (inner.var.may_share is None) == needed_later
    plan = plan_memory(func)
    first, second = plan.steps[:2]
    assert (plan.storage_of(first) is plan.storage_of(second)) != needed_later


def test_branches_need_what_either_uses_and_what_comes_after_them():
    body = (
        "let %a = exp(%x); let %b = exp(%y); let %d = exp(%x);"
        "let %c = if (%k) { let %e = exp(%a); %e } else { %b }; let %f = add(%c, %d); %f"
    )
    func = parse(f"fn (%x: {TENSOR}, %y: {TENSOR}, %k: bool) {{ {body} }}")
    found = analyse_liveness(func)
    lets = {}
    let = func.body
    while isinstance(let, relay.Let):
        lets[let.var.name_hint] = let
        let = let.body
    inside = lets["c"].value.true_branch
    assert isinstance(lets["c"].value, relay.If)
    names = {v.name_hint for v in found.needed_after(lets["d"].var)}
    assert names == {"a", "b", "d", "k"}
    # what comes after knows of the value of the branch only that it may be either
    assert {v.name_hint for v in found.needed_after(inside.var)} == {"b", "d", "e"}
    assert {v.name_hint for v in found.needed_after(lets["c"].var)} == {"b", "c", "d"}


def test_variables_of_one_name_are_told_apart():
    x, outer, inner = relay.var("x", shape=(5, 5)), relay.Var("a"), relay.Var("a")
    c = relay.var("c", "bool")
    arm = relay.Let(inner, relay.exp(x), relay.nn.relu(inner))
    rest, b = relay.Var("r"), relay.Var("b")
    body = relay.Let(
        outer,
        relay.exp(x),
        relay.Let(b, relay.If(c, arm, x), relay.Let(rest, relay.add(outer, b), rest)),
    )
    found = analyse_liveness(relay.Function((x, c), body))
    assert found.is_needed_after(outer, inner)
    assert not found.is_needed_after(inner, b)
    assert found.is_needed_after(outer, b)


def test_nothing_is_written_where_a_variable_is_that_is_bound_later():
    func = function("x", "let %a = exp(%x); let %b = exp(%a); let %c = exp(%b); %c")
    found, (a, b) = analyse_liveness(func), (func.body.var, func.body.body.var)
    assert found.may_overwrite(b, a)
    assert not found.may_overwrite(a, b)


@pytest.mark.parametrize("called", ["bound", "alias", "global", "unknown", "harmless", "tensors"])
def test_what_a_function_may_store_is_needed_ever_after(called):
    x, a, b, p = (relay.var(name, shape=(5, 5)) for name in "xabp")
    g, h, r, u, q = (relay.Var(name) for name in "ghruq")
    store = relay.Function((p, q), relay.RefWrite(q, p))
    lets: list[tuple[relay.Var, relay.Expr]] = [(r, relay.RefCreate(x)), (a, relay.exp(x))]
    match called:
        case "bound":
            lets += [(g, store), (u, relay.Call(g, (a, r)))]
        case "alias":
            lets += [(g, store), (h, g), (u, relay.Call(h, (a, r)))]
        case "global":
            lets += [(u, relay.Call(relay.GlobalVar("store"), (a, r)))]
        case "unknown":
            lets += [(u, relay.Call(g, (a, r)))]
        case "harmless":
            lets += [(g, relay.Function((p,), relay.exp(p))), (u, relay.Call(g, (a,)))]
        case "tensors":
            lets += [(u, relay.Call(relay.GlobalVar("f"), (a, x)))]
    result: relay.Expr = relay.Let(b, relay.exp(x), relay.RefRead(r))
    for var, value in reversed(lets):
        result = relay.Let(var, value, result)
    found = analyse_liveness(relay.Function((x, g) if called == "unknown" else (x,), result))
    assert found.may_overwrite(b, a) == (called in ("harmless", "tensors"))
