"""What holds of every program, shown on random ones: hundreds here, thousands in the soak."""

from __future__ import annotations

import functools

import pytest

from relayish.analysis import free_vars, well_formed
from relayish.functor import ExprMutator, ExprVisitor, MixedModeMutator, expand_a_normal_form
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal, structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.expr import Call, Constant, Expr, Function, If, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes import eliminate_dead_code, fold_constant
from relayish.text import astext, parse
from tests.support.random_exprs import random_arguments, random_function, random_module, same_value
from tests.support.seeds import seeds

BATCH = 50
SEEDS = seeds(150)
BATCHES = [SEEDS[start : start + BATCH] for start in range(0, len(SEEDS), BATCH)]
SIZE = 60

batches = pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: f"{batch.start}+")


@functools.cache
def made(seed: int) -> Function:
    """Return the program of a seed, which all tests share: none changes it."""
    return random_function(seed, SIZE)


class Recursive(ExprVisitor):
    """Collects variables and constants, lets visited in the plain recursive way."""

    def __init__(self) -> None:
        self.trace: list[Expr] = []

    def visit_let(self, let: Let) -> None:
        self.visit(let.var)
        self.visit(let.value)
        self.visit(let.body)

    def visit_var(self, var: Var) -> None:
        self.trace.append(var)

    def visit_constant(self, const: Constant) -> None:
        self.trace.append(const)


class Loop(Recursive):
    """The same, a chain of lets as a loop."""

    def visit_let(self, let: Let) -> None:
        expr: Expr = let
        while isinstance(expr, Let):
            self.visit(expr.var)
            self.visit(expr.value)
            expr = expr.body
        self.visit(expr)


class Expanded(Recursive):
    """The same, through ``expand_a_normal_form``."""

    def visit_let(self, let: Let) -> None:
        def pre_visit(binding: Let) -> None:
            self.visit(binding.var)
            self.visit(binding.value)

        def post_visit(binding: Let) -> None:
            self.visit(binding.body)
            self.visit_counter[binding] += 1

        expand_a_normal_form(let, pre_visit, post_visit)


class Doubler(ExprMutator):
    """Changes one kind of leaf, to see what becomes of sharing."""

    def visit_constant(self, const: Constant) -> Expr:
        return Constant(const.data)


@batches
def test_identity_mutators_return_the_same_object(batch: range) -> None:
    for seed in batch:
        func = made(seed)
        assert ExprMutator().visit(func) is func
        assert MixedModeMutator().visit(func) is func


@batches
def test_mutator_preserves_sharing(batch: range) -> None:
    for seed in batch:
        func = made(seed)
        image = Doubler().visit(func)
        assert len(EXPRESSIONS.post_order(image)) == len(EXPRESSIONS.post_order(func))
        assert_structural_equal(image, func)


@batches
def test_recursive_loop_and_expanded_visitors_agree(batch: range) -> None:
    for seed in batch:
        func = made(seed)
        traces = []
        for kind in (Recursive, Loop, Expanded):
            visitor = kind()
            visitor.visit(func)
            traces.append(visitor.trace)
        assert traces[0] == traces[1] == traces[2]


@batches
def test_printed_module_parses_to_an_equal_one(batch: range) -> None:
    for seed in batch:
        mod = random_module(seed, SIZE)
        text = astext(mod)
        again = parse(text)
        assert_structural_equal(again, mod)
        assert structural_hash(again) == structural_hash(mod)
        assert astext(again) == text


@batches
def test_folding_and_dead_code_elimination_preserve_value_and_form(batch: range) -> None:
    for seed in batch:
        func = made(seed)
        args = random_arguments(func, seed)
        expected = evaluate(func, args=args)
        for change in (fold_constant, eliminate_dead_code):
            image = change(func)
            assert same_value(evaluate(image, args=args), expected)
            assert well_formed(image)
            assert free_vars(image) == free_vars(func)
            assert change(image) is image


@batches
def test_alpha_renamed_copy_is_equal_and_hashes_alike(batch: range) -> None:
    class Renamer(ExprMutator):
        def visit_var(self, var: Var) -> Expr:
            return Var("renamed", var.type_annotation)

    for seed in batch:
        func = made(seed)
        image = Renamer().visit(func)
        assert structural_equal(image, func)
        assert structural_hash(image) == structural_hash(func)


def test_the_programs_have_every_kind_of_node() -> None:
    kinds = {type(node) for seed in SEEDS for node in EXPRESSIONS.post_order(made(seed))}
    assert {Call, Let, If, Function, Var, Constant} <= kinds
    assert len(kinds) >= 14
