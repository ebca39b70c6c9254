"""Liveness of tensors in the situations in which RAF's analysis was tested, beside truths by hand.

Of each call a truth names the tensors that live before it: parameters that are used later, and what
earlier calls made, by the variable a let binds the call to, with the field where it has several.
"""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.analysis import analyse_liveness, infer_type, plan_memory
from relayish.passes.relay.memory.validate_inplace_update import validate_inplace_update
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

TENSOR = "Tensor[(5, 5), float32]"


def parse(text: str) -> relay.Function:
    func = infer_type(relay.parse_expr(HEADER + text))
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


def needed(func: relay.Function) -> dict[str, str]:
    """Return the names of what is needed after each let."""
    found, after = analyse_liveness(func), {}
    let: relay.Expr = func.body
    while isinstance(let, relay.Let):
        names = sorted(var.name_hint for var in found.needed_after(let.var))
        after[let.var.name_hint] = " ".join(names)
        let = let.body
    return after


PROGRAMS = read_cases(CASES / "liveness.txt")
"""Functions, what is needed after each let, and the tensors that live before each call."""


@each("name", PROGRAMS)
def test_what_is_needed_and_lives_is_told(name: str) -> None:
    text, after, *before = PROGRAMS[name]
    func = relay.parse_expr(HEADER + text, allow_unknown_ops=True)
    assert isinstance(func, relay.Function)
    assert "\n".join(f"{k}: {v}".rstrip() for k, v in needed(func).items()) == after
    for tensors in before:
        found = live(parse(text))
        assert "\n".join(f"{k}: {v}".rstrip() for k, v in found.items()) == tensors


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
