"""Constants of Relay: known values, as evaluation finds them."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.dataflow import Executable, solve
from relayish.dataflow.lattice import BOTTOM, TOP, check_laws
from relayish.interpreter import evaluate
from relayish.interpreter.constants import (
    MAX_FIELDS,
    ConstantLattice,
    Constants,
    Fields,
    abstract,
    concrete,
    describes,
)
from relayish.text import parse_expr
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_arguments, random_module
from tests.support.seeds import seeds

SEEDS = seeds(60)


def program_of(text: str, params: str = "%a: int32, %c: bool, %x: float32") -> relay.Expr:
    return parse_expr(f'#[version = "0.0.5"]\nfn ({params}) {{ {text} }}')


def value_of(text: str, **options: bool) -> object:
    program = program_of(text)
    [constants] = solve([Constants(**options)], program)
    return concrete(constants.value(program.body))


KNOWN = {
    "branch that is taken": ("let %y = 1; if (equal(%y, 1)) { 2 } else { 3 }", 2),
    "both branches": ("if (%c) { add(1, 1) } else { 2 }", 2),
    "both branches, by way of variables": (
        "let %y = if (%c) { 4 } else { let %z = 2; add(%z, 2) }; multiply(%y, 2)",
        8,
    ),
    "branch on what a branch decided": (
        "let %y = if (%c) { 1 } else { 1 }; if (equal(%y, 1)) { 5 } else { %a }",
        5,
    ),
    "equality": ("if (equal(%a, 3)) { add(%a, 1) } else { 4 }", 4),
    "equality the other way around": ("if (equal(3, %a)) { add(%a, 1) } else { 4 }", 4),
    "inequality": ("if (not_equal(%a, 3)) { 4 } else { add(%a, 1) }", 4),
    "negation": ("if (logical_not(equal(%a, 3))) { 4 } else { add(%a, 1) }", 4),
    "conjunction": ("if (logical_and(%c, equal(%a, 3))) { add(%a, 1) } else { 4 }", 4),
    "disjunction": ("if (logical_or(%c, not_equal(%a, 3))) { 4 } else { add(%a, 1) }", 4),
    "condition itself": (
        "if (%c) { if (%c) { 1 } else { 2 } } else { if (%c) { 2 } else { 1 } }",
        1,
    ),
    "truth value that is compared": (
        "if (equal(%c, True)) { if (%c) { 1 } else { 2 } } else { 1 }",
        1,
    ),
    "field of a tuple": ("let %t = (%a, 2); let %u = %t; %u.1", 2),
    "field of tuples that differ elsewhere": (
        "let %t = if (%c) { (%a, 2) } else { (1, 2) }; %t.1",
        2,
    ),
    "field that a pattern binds": ("match ((%a, 2)) { (%u, %v) => %v }", 2),
    "what acts besides": ("let %r = ref(0); let %y = { let %u = ref_write(%r, 1); 2 }; %y", 2),
    "float that is not zero": ("if (equal(%x, 2f)) { multiply(%x, 2f) } else { 4f }", 4.0),
    "call of a closure": (
        "let %f = fn (%y: int32) { add(%y, 1) }; add(%f(1), %f(1))",
        4,
    ),
    "recursion that keeps its argument": (
        """let %f = fn (%y: int32) {
             if (%c) { %f(if (equal(%y, 1)) { 1 } else { 2 }) } else { %y }
           };
           %f(1)""",
        1,
    ),
}


@each(("text", "value"), KNOWN.values())
def test_value_is_known_of(text: str, value: float) -> None:
    assert value_of(text, interprocedural=True) == value


UNKNOWN = {
    "parameter": "%a",
    "branches that differ": "if (%c) { 1 } else { 2 }",
    "float that may be a zero of either sign": "if (equal(%x, 0f)) { %x } else { 0f }",
    "reference": "let %r = ref(1); ref_read(%r)",
    "random number": "ones(shape=[2])",
    "division by zero": "divide(1, 0)",
    "calls that hand over different values": ("let %f = fn (%y: int32) { %y }; add(%f(1), %f(2))"),
    "projection of what is unknown": "let %t = if (%c) { (1, 2) } else { (1, 3) }; %t.1",
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_value_is_not_known_of(text: str) -> None:
    assert value_of(text, interprocedural=True) is None


def test_unreachable_branch_is_not_executable_beside_constants() -> None:
    program = program_of("let %y = 1; if (equal(%y, 1)) { 2 } else { 3 }")
    executable, constants = solve([Executable(), Constants()], program)
    missed = [p.node for p in executable.graph.points if not executable.is_reached(p)]
    assert [node.data for node in missed] == [3]
    assert missed == [p.node for p in constants.graph.points if not constants.is_reached(p)]


def test_branch_that_is_never_taken_has_no_values() -> None:
    program = program_of("if (equal(1, 1)) { 2 } else { add(%a, 1) }")
    [constants] = solve([Constants()], program)
    assert constants.value(program.body.false_branch) is BOTTOM


LATTICE_SAMPLES = (
    BOTTOM,
    TOP,
    np.int32(1),
    np.int32(2),
    np.int64(1),
    np.float32(0.0),
    np.float32(-0.0),
    np.float32("nan"),
    np.bool_(True),
    np.arange(3),
    np.arange(3) + 1,
    "text",
    abstract((np.int32(1), np.int32(2))),
    abstract((np.int32(1), np.int32(3))),
    abstract((np.int32(1), (np.int32(3), "text"))),
    abstract((np.int32(1),)),
    abstract(()),
    Fields((np.int32(1), TOP), 3),
    Fields((TOP, TOP), 3),
)


def test_constants_are_a_lattice() -> None:
    check_laws(ConstantLattice(), LATTICE_SAMPLES)


def test_tuple_of_very_many_leaves_is_unknown() -> None:
    assert abstract((np.int32(1),) * MAX_FIELDS) is TOP


@pytest.mark.deep
def test_tuples_in_tuples_are_known_to_some_depth() -> None:
    nest = relay.Tuple(())
    for _ in range(DEPTH):
        nest = relay.Tuple((nest,))
    [constants] = solve([Constants()], nest)
    found = constants.value(nest)
    assert isinstance(found, Fields)
    assert concrete(found) is None
    assert found.leaves <= MAX_FIELDS


@pytest.mark.deep
def test_chain_of_constants_takes_one_visit_a_point() -> None:
    variables = [relay.var(f"v{number}") for number in range(DEPTH)]
    body: relay.Expr = variables[-1]
    for number in reversed(range(DEPTH)):
        value = relay.op.add(variables[number - 1], relay.const(1)) if number else relay.const(1)
        body = relay.Let(variables[number], value, body)
    [constants] = solve([Constants()], body)
    assert constants.value(body) == DEPTH
    assert constants.visits == len(constants.graph)


def test_shared_nodes_are_evaluated_once() -> None:
    node: relay.Expr = relay.const(1)
    for _ in range(100):
        node = relay.op.add(node, node)
    [constants] = solve([Constants()], node)
    assert constants.visits == 100 + 2


def test_overflow_and_division_are_silent() -> None:
    assert value_of("if (%c) { 1 } else { add(2147483647, 1) }") is None
    assert value_of("divide(1f, 0f)") == np.inf


def test_evaluation_finds_what_is_known_in_random_programs() -> None:
    known = 0
    for seed in SEEDS:
        mod = random_module(seed)
        function = mod["main"]
        [constants] = solve([Constants()], function)
        value = constants.value(function.body)
        found = evaluate(function, mod, random_arguments(function, seed))
        assert describes(value, found), seed
        known += value is not TOP
    assert known
