"""Sparse conditional constant propagation folds more than FoldConstant, and keeps what acts."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.analysis.on_device import ON_DEVICE
from relayish.interpreter import evaluate, same_value
from relayish.ir.equality.structural_equal import assert_structural_equal, structural_equal
from relayish.ir.nodes.node import ATOMS
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.declaration.registry import get_op
from relayish.passes import fold_constant
from relayish.passes.relay.fold.sparse_conditional_constant_propagation import propagate_constants
from relayish.text import parse_expr
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.random_exprs import random_arguments, random_function, random_module
from tests.support.seeds import seeds

SEEDS = seeds(25)
PARAMS = "%a: int32, %c: bool, %r: ref(int32), %f: fn (int32) -> int32"


def function_of(text: str) -> Expr:
    return parse_expr(f'#[version = "0.0.5"]\nfn ({PARAMS}) {{ {text} }}')


def test_branches_that_are_never_taken_go() -> None:
    program = function_of("let %x = 1; let %y = if (equal(%x, 1)) { 2 } else { 3 }; %y")
    assert_structural_equal(propagate_constants(program), function_of("2"))


def test_condition_that_acts_is_kept_before_the_branch_taken() -> None:
    program = function_of("if ({ let %u = ref_write(%r, 1); True }) { %a } else { 3 }")
    expected = function_of("let %d = { let %u = ref_write(%r, 1); True }; %a")
    assert_structural_equal(propagate_constants(program), expected)


def test_branch_whose_effects_are_shared_stays() -> None:
    acts = Call(Var("f"), (Constant(1),))
    program = Let(Var("u"), If(Constant(True), Constant(1), acts), If(Var("c"), acts, Constant(2)))
    assert propagate_constants(program) is program


def test_device_of_a_constant_stays() -> None:
    x, placed = Var("x"), Call(ON_DEVICE, (Constant(2),))
    found = propagate_constants(Function((), Let(x, placed, x)))
    assert_structural_equal(found, Function((), placed))


def test_primitive_function_is_left_alone() -> None:
    x = Var("x")
    kernel = Function((x,), get_op("add")(Constant(1), Constant(1))).with_attr("Primitive", 1)
    assert propagate_constants(Function((), kernel)).body is kernel


def test_constants_follow_calls_when_asked_to() -> None:
    text = """let %g = fn (%y: int32) {
                if (%c) { %g(if (equal(%y, 1)) { 1 } else { %a }) } else { add(%y, 1) }
              };
              %g(1)"""
    expected = "let %g = fn (%y: int32) { if (%c) { %g(1) } else { 2 } }; %g(1)"
    program = function_of(text)
    assert_structural_equal(
        propagate_constants(program, interprocedural=True), function_of(expected)
    )
    assert propagate_constants(program) is program


def test_random_programs_evaluate_to_the_same_bits() -> None:
    for seed in SEEDS:
        mod = random_module(seed, 60)
        out = get_pass("SparseConditionalConstantPropagation")(mod)
        args = random_arguments(mod["main"], seed)
        found = evaluate(out["main"], out, args)
        assert same_value(found, evaluate(mod["main"], mod, args)), seed


def test_random_programs_keep_their_types() -> None:
    for seed in SEEDS[::3]:
        typed = infer_type(random_module(seed, 60))
        out = infer_type(get_pass("SparseConditionalConstantPropagation")(typed))
        assert structural_equal(out["main"].checked_type, typed["main"].checked_type), seed


def count_computed(function: Expr) -> int:
    return sum(type(node) not in ATOMS for node in EXPRESSIONS.post_order(function))


def test_all_that_is_folded_is_propagated_in_random_programs() -> None:
    for seed in SEEDS:
        function = random_function(seed, 60)
        out = propagate_constants(function)
        assert fold_constant(out) is out, seed
        assert count_computed(out) <= count_computed(fold_constant(function)), seed


@pytest.mark.deep
def test_branches_in_branches_are_decided() -> None:
    a, equal = Var("a"), get_op("equal")
    program: Expr = a
    for number in range(min(DEPTH, 20_000)):
        program = If(equal(Constant(number), Constant(number)), program, Var("b"))
    assert propagate_constants(program) is a


@pytest.mark.deep
def test_branches_in_conditions_are_decided() -> None:
    program: Expr = Constant(True)
    for _ in range(min(DEPTH, 20_000)):
        program = If(program, Constant(True), Var("b"))
    found = propagate_constants(program)
    assert type(found) is Constant
    assert found.data == np.bool_(True)
