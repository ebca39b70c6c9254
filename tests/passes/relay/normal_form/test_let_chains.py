"""Chains of lets: aliases inlined, names made canonical, chains cut, joined and sliced."""

from __future__ import annotations

import pytest

from relayish.analysis import free_vars, well_formed
from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError, UnknownNameError, WellFormedError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    Let,
    RefRead,
    RefWrite,
    Tuple,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.passes.relay.cleanup.inline_let import inline_let
from relayish.passes.relay.cleanup.rename_vars import rename_vars
from relayish.passes.relay.functions.partition_anf import partition_anf
from relayish.passes.relay.normal_form.let_chains import expr_append, extract_binding
from relayish.text import parse_expr
from relayish.transform import ExprAppend, ExtractBinding, Substitute
from tests.support.deep import DEEP_NESTS, let_body
from tests.support.depth import DEPTH

ADD = intern_op("add")


def _func(body: str) -> Expr:
    return parse_expr(f"fn (%x: int32, %y: int32) {{ {body} }}")


@pytest.mark.parametrize(
    "body", ["let %t = (negative(%x), %y); %t.0", "let %a = negative(%x); %a", "(%x, %y).0"]
)
def test_inline_let_leaves(body: str) -> None:
    func = _func(body)
    assert inline_let(func) is func


def test_a_variable_that_shares_memory_keeps_its_let() -> None:
    x, a, b = Var("x"), Var("a"), Var("b")
    sharing = Var("s", may_share=b)
    program = Function((x,), Let(a, Tuple((x,)), Let(b, a, Let(sharing, a, sharing))))
    image = inline_let(program).body
    assert image.var is a
    assert image.body.var.may_share is a
    assert image.body.body is image.body.var


# RenameVars


def test_free_variables_take_the_names_they_are_given() -> None:
    x, y, z = Var("x"), Var("y"), Var("z")
    image = rename_vars(Let(x, y, Tuple((x, y))), {"y": z})
    assert image.var.name_hint == "a1"
    assert image.body.fields == (image.var, z)


def test_a_free_variable_without_name_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="%yy has no entry in named; did you mean y"):
        rename_vars(Var("yy"), {"y": Var("z")})


def test_a_variable_that_is_bound_twice_is_refused() -> None:
    x = Var("x")
    with pytest.raises(WellFormedError, match="%x is bound twice"):
        rename_vars(Let(x, Constant(1), Let(x, Constant(2), x)))


def test_patterns_and_functions_are_renamed_in_order() -> None:
    func = _func("match ((%x, %y)) { (%p, %q) => { fn (%z: int32) { (%p, %q, %z) } } }")
    names = [var.name_hint for var in rename_vars(func).body.clauses[0].rhs.body.fields]
    assert names == ["a3", "a4", "a5"]


# ExprAppend


@pytest.mark.parametrize(
    "tail",
    [
        lambda var: var,
        lambda var: Call(ADD, (var, var)),
        lambda var: Tuple((var,)),
        lambda var: Constant(1),
        lambda var: Function((), var),
    ],
)
def test_raf_defect_what_is_appended_is_kept_whatever_the_tail(tail) -> None:
    x, y = Var("x"), Var("y")
    first = Let(x, Constant(2), tail(x))
    assert evaluate(expr_append(first, Let(y, x, y))) == 2
    assert evaluate(expr_append(tail(Constant(2)), Constant(3))) == 3


def test_a_tail_that_acts_is_evaluated_before_what_is_appended() -> None:
    ref = Var("r")
    program = Let(ref, parse_expr("ref(1)"), RefWrite(ref, Constant(2)))
    assert evaluate(ExprAppend(program, RefRead(ref))) == 2


@pytest.mark.deep
def test_appending_to_a_long_chain() -> None:
    assert evaluate(expr_append(let_body(DEPTH), Constant(1))) == 1


# ExtractBinding


def test_bindings_are_put_in_an_order_in_which_each_is_bound_before_it_is_used() -> None:
    a, b, c, free = (Var(name) for name in "abcf")
    chain = ExtractBinding(
        a, bindings={a: Tuple((b, c)), b: Tuple((c, free)), c: Constant(1), Var("d"): free}
    )
    assert (chain.var, chain.body.var, chain.body.body.var) == (c, b, a)
    assert free_vars(chain) == (free,)


def test_a_slice_of_a_chain_has_what_the_variable_needs() -> None:
    func = _func("let %a = negative(%x); let %b = negative(%y); let %c = negative(%a); %b")
    c = func.body.body.body.var
    chain = extract_binding(c, bindings=func.body)
    assert (chain.var.name_hint, chain.body.var, chain.body.body) == ("a", c, c)
    ignoring = extract_binding(c, [chain.var], bindings=func.body)
    assert (ignoring.var, ignoring.body) == (c, c)


def test_a_value_may_name_its_own_variable_and_no_circle_is_bound() -> None:
    f, g = Var("f"), Var("g")
    recursive = Function((), Call(f, ()))
    assert extract_binding(f, bindings={f: recursive}).value is recursive
    with pytest.raises(PassError, match="the value of %g needs %f, and the other way round"):
        extract_binding(f, bindings={f: Function((), Call(g, ())), g: Function((), Call(f, ()))})


def test_what_is_not_bound_is_refused() -> None:
    x = Var("x")
    with pytest.raises(UnknownNameError, match="%x is not among the bindings"):
        extract_binding(x, [x], bindings={x: Constant(1)})


@pytest.mark.deep
def test_slicing_a_long_chain() -> None:
    chain = let_body(DEPTH)
    tail = chain
    while isinstance(tail, Let):
        tail = tail.body
    assert well_formed(extract_binding(tail, bindings=chain))


# Substitute


def test_substitute_goes_by_rafs_name_too() -> None:
    x, y = Var("x"), Var("y")
    assert Substitute(Tuple((x,)), {x: y}).fields == (y,)


# PartitionANF


def _lets(expr: Expr) -> list[Let]:
    found = []
    while isinstance(expr, Let):
        found.append(expr)
        expr = expr.body
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_parts_are_no_longer_than_asked_for_and_keep_the_value(size: int) -> None:
    func = parse_expr(
        "fn () { let %r = ref(1); let %a = ref_read(%r); let %w = ref_write(%r, add(%a, 2)); "
        "let %b = ref_read(%r); let %f = fn (%n: int32) -> int32 { if (less(%n, 1)) { %a } else "
        "{ %f(subtract(%n, 1)) } }; let %id = fn [t](%v: t) -> t { %v }; "
        "let %c = (%id(%b), %id(True)); (%a, %b, %f(3), %c) }"
    )
    image = partition_anf(func, size)
    mod = infer_type(IRModule.from_expr(image))
    assert well_formed(image)
    assert evaluate(Call(mod["main"], ())) == evaluate(Call(func, ()))
    parts = [let.value for let in _lets(image.body) if let.var.name_hint.startswith("partition_")]
    assert all(len(_lets(part.body)) <= size + 1 for part in parts)  # and one for the results
    assert bool(parts) == (1 < size < 50)


def test_a_short_chain_is_left_alone() -> None:
    func = _func("add(%x, add(%y, 1))")
    assert partition_anf(func, 3) is func


def test_parts_have_at_least_one_let() -> None:
    with pytest.raises(PassError, match="at least 1; found 0"):
        partition_anf(_func("%x"), 0)


def test_memory_that_is_shared_across_parts_is_that_of_a_parameter() -> None:
    x = Var("x")
    a = Var("a")
    b, c, d = Var("b", may_share=a), Var("c"), Var("d")
    body = Let(a, Tuple((x,)), Let(c, a, Let(b, Tuple((x, c)), Let(d, b, d))))
    parameter = Var("x", parse_expr("fn (%x: int32) { %x }").params[0].type_annotation)
    func = Function((parameter,), Let(x, parameter, body))
    second = _lets(partition_anf(func, 3).body)[-2].value
    shared = second.body.var.may_share
    assert shared in second.params


@pytest.mark.deep
@pytest.mark.parametrize("verb", [inline_let, rename_vars])
@pytest.mark.parametrize("nest", DEEP_NESTS)
def test_deep_nests(verb, nest: str) -> None:
    image = verb(DEEP_NESTS[nest](min(DEPTH, 20_000)))
    assert verb(image) is image
