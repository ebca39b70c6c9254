"""What follows from declarations alone agrees, whatever was declared."""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

from relayish.analysis import check_well_formed
from relayish.functor import ExprMutator, ExprRewriter, ExprVisitor, post_order_rewrite
from relayish.functor.mutator import Mutator
from relayish.functor.visitor import Visitor
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import VARIABLES, declared_temporarily
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.renaming import rename_bound
from relayish.ir.scopes.replacing import with_evaluated
from relayish.ir.scopes.scoping import (
    PROGRAM,
    evaluated,
    free_variables,
    operands,
    scope_roots,
    scopes,
)
from relayish.text import astext, parse_expr, parse_node
from tests.support.each import each
from tests.support.random_kinds import RandomKinds, random_program
from tests.support.seeds import seeds

DECLARATIONS = [(seed, own_language) for seed in seeds(12) for own_language in (False, True)]
PROGRAMS = 5

Case = tuple[RandomKinds, Any]  # Any: a program of any family


@functools.cache
def made(seed: int, own_language: bool) -> tuple[declared_temporarily, list[Case]]:
    """Return what was declared, and programs of it: all tests share them, none changes them."""
    declared = declared_temporarily()
    with declared:
        kinds = RandomKinds(seed, own_language=own_language)
        programs = [random_program(kinds, (seed, number)) for number in range(PROGRAMS)]
        return declared, [(kinds, program) for program in programs]


def for_each_declaration(test: Callable[[list[Case]], None]) -> Any:  # Any: what each returns
    """Run a test for the programs of each declaration, while this is known."""

    def run(declaration: tuple[int, bool]) -> None:
        declared, cases = made(*declaration)
        with declared:
            cases[0][0].put_where_pickle_looks()
            test(cases)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return each("declaration", DECLARATIONS)(run)


@for_each_declaration
def test_program_is_well_formed_and_closed(cases: list[Case]) -> None:
    for _, program in cases:
        check_well_formed(program)
        assert free_variables(program) == ()


@for_each_declaration
def test_text_reads_back(cases: list[Case]) -> None:
    for kinds, program in cases:
        text = astext(program)
        again = parse_node(text) if kinds.is_own else parse_expr(text)
        assert structural_equal(again, program)
        assert structural_hash(again) == structural_hash(program)
        assert astext(again) == text


@for_each_declaration
def test_copies_are_equal(cases: list[Case]) -> None:
    for _, program in cases:
        for again in (
            pickle.loads(pickle.dumps(program)),
            copy.deepcopy(program),
            rename_bound(program),
        ):
            check_well_formed(again)
            assert structural_equal(again, program)
            assert structural_hash(again) == structural_hash(program)


@for_each_declaration
def test_scopes_opened_are_those_that_are_told(cases: list[Case]) -> None:
    for _, program in cases:
        found = Scopes(program)
        for node in PROGRAM.post_order(program):
            if node in found.opened:
                assert len(found.opened[node]) == len(scopes(node))
            elif node in found.scope and node.held_as_ is Role.OPERAND:
                assert not scopes(node)


@for_each_declaration
def test_what_a_node_evaluates_is_all_it_holds(cases: list[Case]) -> None:
    for _, program in cases:
        for node in PROGRAM.post_order(program):
            if node.held_as_ is not Role.OPERAND:
                continue
            held = {child for child in PROGRAM.children(node) if child.held_as_ is Role.OPERAND}
            assert {child for child in held if type(child) not in VARIABLES} <= {*evaluated(node)}
            assert with_evaluated(node, operands(node), scope_roots(node)) is node


@for_each_declaration
def test_visitor_meets_each_node_once(cases: list[Case]) -> None:
    for kinds, program in cases:
        met: list[Any] = []
        base: type[Any] = Visitor if kinds.is_own else ExprVisitor

        class Meeting(base):  # type: ignore[misc]  # chosen above
            family = kinds.root

            def visit_node(self, node: Any) -> None:
                met.append(node)  # noqa: B023 - called at once
                self.visit_children(node)

        Meeting().visit(program)
        assert len(met) == len(set(met))
        assert set(met) == set(PROGRAM.post_order(program))


@for_each_declaration
def test_mutator_changes_what_it_is_to_and_no_more(cases: list[Case]) -> None:
    for kinds, program in cases:
        base: type[Any] = Mutator if kinds.is_own else ExprMutator

        class Same(base):  # type: ignore[misc]  # chosen above
            family = kinds.root

        class Next(Same):
            def visit_randomlit(self, literal: Any) -> Any:
                return kinds.literal(literal.value + 1)  # noqa: B023 - called at once

        assert Same().visit(program) is program
        image = Next().visit(program)
        changes = any(type(node) is kinds.literal for node in PROGRAM.post_order(program))
        assert (image is not program) == changes
        assert structural_equal(image, program) != changes
        check_well_formed(image)
        if kinds.is_own:
            continue

        class Rewriter(ExprRewriter):
            def rewrite_randomlit(self, pre: Any, _post: Any) -> Any:
                return kinds.literal(pre.value + 1)  # noqa: B023 - called at once

        assert structural_equal(post_order_rewrite(program, Rewriter()), image)
