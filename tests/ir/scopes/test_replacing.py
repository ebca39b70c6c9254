"""Operands and scopes by place: others in their place, and how often they are evaluated."""

from __future__ import annotations

import pytest

from relayish.ir.relay.adt import Clause, Match, PatternTuple, PatternVar
from relayish.ir.relay.expr import Call, Function, If, Let, Tuple, Var
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.replacing import rebuild_fields, with_evaluated
from relayish.ir.scopes.scoping import operands, scopes, split_by_run_count
from tests.support.declared import known_in_tests
from tests.support.foreign_kinds import ForeignKinds

KINDS = ForeignKinds()
x, y, z = Var("x"), Var("y"), Var("z")


def roots(node):
    return [root for scope in scopes(node) for root in scope.roots]


with KINDS.declared():
    NODES = {
        "call": Call(x, (y, y)),
        "if": If(x, y, y),
        "let": Let(x, y, z),
        "match": Match(x, (Clause(PatternVar(y), z), Clause(PatternTuple((PatternVar(z),)), x))),
        "function": Function((x,), y),
        "optional operand": KINDS.opaque(1, (x, x), y),
        "optional operand that is not there": KINDS.opaque(1, (x, x)),
        "parts": KINDS.switch(x, (KINDS.case(y, z), KINDS.case(z, x))),
        "loop": KINDS.while_(1, x, y, z, z),
        "block": KINDS.do(x, y, (z, z, x)),
    }


_kinds = known_in_tests(KINDS.declared())


@pytest.mark.parametrize("name", NODES)
def test_with_evaluated_returns_the_node_itself_where_nothing_changes(name):
    node = NODES[name]
    assert with_evaluated(node, operands(node), roots(node)) is node


@pytest.mark.parametrize("name", NODES)
def test_with_evaluated_puts_each_node_in_its_own_place(name):
    node = NODES[name]
    given = [Var("operand") for _ in operands(node)]
    inner = [Var("root") for _ in roots(node)]
    image = with_evaluated(node, given, inner)
    assert (list(operands(image)), roots(image)) == (given, inner)


def test_with_evaluated_renames_what_the_node_binds():
    image = with_evaluated(Let(x, y, z), (y,), (z,), {x: z})
    assert (image.var, image.value, image.body) == (z, y, z)


def test_rebuild_fields_changes_a_part_that_stands_twice_at_each_place():
    case = KINDS.case(y, z)
    given = iter([Var("first"), Var("second")])
    image = rebuild_fields(
        KINDS.switch(x, (case, case)),
        lambda _, declared, held: next(given) if declared.runs else held,
    )
    assert [scope.name_hint for scope in roots(image)] == ["first", "second"]


def test_with_evaluated_renames_what_parts_bind():
    node, other = NODES["parts"], Var("other")
    image = with_evaluated(node, operands(node), roots(node), {y: other})
    assert [case.var for case in image.cases] == [other, z]


def test_with_evaluated_renames_what_patterns_bind():
    node, other = NODES["match"], Var("other")
    image = with_evaluated(node, operands(node), roots(node), {z: other})
    assert image.clauses[1].lhs.patterns[0].var is other


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("function", ((), (y,))),
        ("loop", ((y,), (z, z))),
        ("parts", ((x, z, x), ())),
        ("match", ((x, z, x), ())),
    ],
)
def test_splitting_by_run_count_tells_what_is_evaluated_any_number_of_times(name, expected):
    node = NODES[name]
    assert split_by_run_count(type(node))(node) == expected


@pytest.mark.parametrize("name", ["call", "if", "let", "block", "optional operand"])
def test_splitting_by_run_count_is_none_where_nothing_is_evaluated_twice(name):
    assert split_by_run_count(type(NODES[name])) is None


def test_what_condition_and_body_of_a_loop_share_belongs_to_the_scope_around_both():
    shared = Tuple((x,))
    loop = KINDS.pure_while(x, y, Tuple((shared,)), Tuple((shared,)))
    found = Scopes(loop)
    assert found.scope[shared] in found.shared


def test_each_statement_of_a_block_has_a_room_of_its_own():
    first, second = Tuple((x,)), Tuple((y,))
    found = Scopes(KINDS.do(x, y, (first, second)))
    (scopes_of_statements,) = found.statement_scopes.values()
    assert (found.scope[first], found.scope[second]) == scopes_of_statements


def test_flat_kinds_open_no_scopes_for_what_runs_once():
    let, block = Let(x, y, Tuple((x,))), KINDS.do(z, y, (Tuple((z,)),))
    found = Scopes(Tuple((let, block)), flat=(Let,))
    assert found.scope[let.body] == found.scope[let]
    assert found.scope[block.statements[0]] != found.scope[block]
