"""Mutations of programs of mixed domains: each is refused by the rule it breaks, with its reason.

There is one for each rule of each language, of all languages, and of the package of complex
numbers: those of Relay and of the loop IR change a random program; what breaks a rule of core is
put into one.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Any

import pytest

import relayish as relay
from relayish import core
from relayish.domain import verify
from relayish.domain.verifier import Rule
from relayish.ir.relay.module import IRModule
from relayish.ir.verification.rules import Violation
from tests.core.test_verifier import FUNCTIONS, NAMES, PIECES
from tests.support.corruptions import CORRUPTIONS as RELAY_CORRUPTIONS
from tests.support.corruptions import corrupted as corrupted_relay
from tests.support.declared import known_in_tests
from tests.support.mixed_programs import DECLARED, random_mixed_module
from tests.support.seeds import many, seeds
from tests.support.tir_corruptions import CORRUPTIONS as LOOP_CORRUPTIONS
from tests.support.tir_corruptions import corrupted as corrupted_loops
from tests.support.tir_programs import random_func

FIRST = seeds(1)[0]
EXAMPLES = many(1)
EACH = many(6, soak=1)  # of the mutations

with DECLARED:
    from complex_numbers import NUMBER, Repeat, make, mul, norm

    X, Z = relay.var("x", "float32"), relay.var("z")
    COMPLEX = {
        "complex: fewer than no steps": (
            norm(Repeat(Z, make(X, X), -1, mul(Z, Z))),
            Rule.HANDLER,
            "expected 0 or more",
        ),
        "complex: another type of step": (
            Repeat(Z, make(X, X), 2, norm(Z)),
            Rule.TYPE,
            "body of repeat",
        ),
        "complex: a real factor": (mul(X, X), Rule.TYPE, "argument 0 must be of type"),
        "complex: one part": (relay.Call(make(X, X).op, [X]), Rule.CHILDREN, "is declared with 2"),
        "complex: a variable outside of its loop": (
            relay.Tuple([Repeat(Z, make(X, X), 2, Z), Z]),
            Rule.SCOPE,
            "outside the scope",
        ),
        "complex: a real variable": (
            relay.Let(relay.var("n", NUMBER), X, X),
            Rule.TYPE,
            "expected node complex_number()",
        ),
    }

_kinds = known_in_tests(DECLARED)

UNBOUND, TWICE = "which nothing binds", "is bound twice"
OPEN = "mentions the type variable T"
REASONS = {
    "drop_let": (Rule.SCOPE, UNBOUND),
    "replace_params": (Rule.SCOPE, UNBOUND),
    "replace_uses": (Rule.SCOPE, UNBOUND),
    "bind_twice": (Rule.SCOPE, TWICE),
    "list_a_parameter_twice": (Rule.SCOPE, TWICE),
    "use_out_of_scope": (Rule.SCOPE, "outside the scope of its binder"),
    "use_in_its_own_value": (Rule.TYPE, "is not bound where it is used"),
    "take_a_local_of_another_function": (Rule.SCOPE, UNBOUND),
    "forget_a_pattern_variable": (Rule.SCOPE, UNBOUND),
    "bind_twice_in_a_pattern": (Rule.SCOPE, TWICE),
    "replace_what_is_bound": (Rule.SCOPE, UNBOUND),
    "drop_an_argument": (Rule.CHILDREN, "is declared with"),
    "drop_an_argument_of_a_function": (Rule.TYPE, "arguments; expected"),
    "add_a_parameter": (Rule.TYPE, "arguments; expected"),
    "swap_parameters": (Rule.TYPE, "expected"),
    "call_a_number": (Rule.TYPE, "which is no function"),
    "change_an_operand": (Rule.TYPE, "uint16"),
    "lose_the_attributes": (Rule.TYPE, "the call has no attributes"),
    "remove_a_definition": (Rule.SYMBOL, "the module defines no @"),
    "call_an_unknown_function": (Rule.SYMBOL, "defines no @nowhere"),
    "remove_a_type_definition": (Rule.TYPE, "is not defined in the module"),
    "copy_a_constructor": (Rule.TYPE, "is no constructor of the module's"),
    "call_an_undeclared_operator": (Rule.OPERATOR, "has no operator 'nowhere'"),
    "change_an_annotation": (Rule.TYPE, "uint16"),
    "change_a_result_type": (Rule.TYPE, "result of the function"),
    "carry_a_stale_type": (Rule.TYPE, "carries the type"),
    "keep_the_type_of_what_changed": (Rule.TYPE, "carries the type"),
    "leave_a_type_variable_unbound": (Rule.SCOPE, OPEN),
    "leave_a_type_variable_unbound_inside": (Rule.SCOPE, OPEN),
    "use_a_type_variable_out_of_scope": (Rule.SCOPE, OPEN),
    "give_a_type_too_many_arguments": (Rule.TYPE, "its definition has 1 parameters"),
    "name_a_type_that_is_not_defined": (Rule.TYPE, "type Nowhere is not defined"),
    "give_wrong_type_arguments": (Rule.TYPE, "argument 0 of RandomCons"),
    "give_too_many_type_arguments": (Rule.TYPE, "is given 3 type arguments"),
    "mention_an_undefined_type_in_a_definition": (Rule.TYPE, "field of More"),
    "mention_an_unbound_variable_in_a_definition": (Rule.SCOPE, "constructor More mentions"),
    "project_too_far": (Rule.TYPE, "has no field 99"),
    "test_what_is_no_bool": (Rule.TYPE, "condition of if: expected bool"),
    "return_different_types": (Rule.TYPE, "branches of if have different types"),
    "drop_a_clause": (Rule.TYPE, "no clause of match covers"),
    "drop_a_pattern": (Rule.TYPE, "patterns in it"),
    "read_what_is_no_reference": (Rule.TYPE, "a reference is needed"),
    "write_another_type": (Rule.TYPE, "value written to the reference"),
}


@lru_cache(maxsize=8)
def program(seed: int) -> IRModule:
    return relay.transform.InferType()(random_mixed_module(seed, 20))


def require(found: tuple[Violation, ...], rule: Enum, said: str) -> None:
    assert any(each.rule is rule and said in each.message for each in found), found


def test_reason_is_known_of_every_mutation_of_relay() -> None:
    assert set(REASONS) == set(RELAY_CORRUPTIONS)


@pytest.mark.parametrize("name", sorted(REASONS)[::EACH])
def test_mutation_of_relay_is_refused(name: str) -> None:
    tried = 0
    for seed in seeds(60):
        wrong = corrupted_relay(program(seed), name, seed)
        if wrong is None:
            continue
        require(verify(wrong), *REASONS[name])
        tried += 1
        if tried == EXAMPLES:
            return
    assert tried


@pytest.mark.parametrize("name", sorted(LOOP_CORRUPTIONS)[::EACH])
def test_mutation_of_loops_is_refused(name: str) -> None:
    tried = 0
    for seed in seeds(60):
        wrong = corrupted_loops(random_func(seed, size=16), name, seed)
        if wrong is None:
            continue
        found = verify(program(FIRST + seed % 3).with_function("t_main", wrong))
        assert LOOP_CORRUPTIONS[name][0] in {each.rule for each in found}
        assert {each.definition for each in found} == {"t_main"}
        tried += 1
        if tried == EXAMPLES:
            return
    assert tried


@pytest.mark.parametrize("name", [*PIECES, *FUNCTIONS][::EACH])
def test_mutation_of_core_is_refused(name: str) -> None:
    piece, rule, said = {**PIECES, **FUNCTIONS}[name]
    require(verify(planted(program(FIRST), piece)), rule, said)


@pytest.mark.parametrize("name", list(NAMES)[::EACH])
def test_mutation_of_names_in_core_is_refused(name: str) -> None:
    piece, rule, said = NAMES[name]
    mod = program(FIRST).with_functions(
        {
            "g": core.GlobalVariable("int32"),
            "k": core.GlobalVariable("int32", core.const(1), is_const=True),
            "point": core.StructDef((("x", "int32"), ("y", "int64"))),
        }
    )
    require(verify(planted(mod, piece)), rule, said)


@pytest.mark.parametrize("name", COMPLEX)
def test_mutation_of_complex_numbers_is_refused(name: str) -> None:
    body, rule, said = COMPLEX[name]
    mod = program(FIRST).with_function("r_wrong", relay.Function([X], body))
    found = verify(mod)
    require(found, rule, said)
    assert {each.definition for each in found} == {"r_wrong"}


def planted(mod: IRModule, piece: Any) -> IRModule:
    """Return a module that has a definition of core, or one that holds a piece of core."""
    if not isinstance(piece, (core.Expr, core.Stmt)):
        return mod.with_function("c_wrong", piece)
    stmt = piece if isinstance(piece, core.Stmt) else core.If(piece, core.Block())
    return mod.with_function("c_wrong", core.FuncEntry(body=core.Block((stmt,))))
