"""Definite initialisation of variables and memory."""

from __future__ import annotations

from typing import Any

from relayish.dataflow import solve
from relayish.dataflow.analyses import DefiniteInitialisation, uninitialised_uses
from relayish.ir.relay.expr import Function, If, Let, Tuple, Var
from tests.support import loop_kinds, loop_languages
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

_kinds = known_in_tests(loop_languages.DECLARED, loop_kinds.DECLARED)


def uninitialised(program: Any) -> list[tuple[str, Any]]:
    [found] = solve([DefiniteInitialisation()], program)
    return [(var.name, point.node) for var, point in uninitialised_uses(found)]


def test_variables_of_relay_are_initialised_where_they_are_known():
    x, y, c = Var("x"), Var("y"), Var("c")
    func = Function((c, x), Let(y, If(c, x, x), Tuple((y, Function((), Tuple((x, y)))))))
    assert uninitialised(func) == []


def test_declaration_without_operands_declared_outside_gives_no_value():
    lang = loop_languages
    p, q = lang.Sym("p"), lang.Sym("q")
    load = lang.Ld(p)
    declared = lang.Block((lang.Declare(p, lang.IntConst(1)), lang.St(q, load)))
    assert uninitialised(declared) == []


@each("seed", seeds(15))
def test_what_runs_without_error_is_reported_at_most_for_paths_that_it_does_not_take(seed):
    """Random functions are sound, so what is reported is in loops, branches, or after these."""
    func = random_func(seed)
    [found] = solve([DefiniteInitialisation()], func)
    straight = set(found.graph.blocks[0])
    assert not [point for _, point in uninitialised_uses(found) if point.number in straight]
