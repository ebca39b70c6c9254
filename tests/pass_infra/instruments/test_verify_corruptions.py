"""What wrong passes leave behind is found by the verifier, before and after type inference."""

from __future__ import annotations

from functools import cache

import pytest

from relayish.analysis import infer_type
from relayish.errors import CheckError
from relayish.ir.relay.module import IRModule
from relayish.transform import PassContext, VerifyInstrument, create_module_pass
from tests.support.corruptions import CORRUPTIONS, corrupted
from tests.support.foreign_kinds import ForeignKinds, random_foreign_module, register_types
from tests.support.random_exprs import random_module

SEEDS = range(24)
NEED_TYPES = {"carry_a_stale_type", "keep_the_type_of_what_changed"}
"""Corruptions of what carries types."""
OF_TYPES_AND_ATTRIBUTES = {
    "bind_twice_in_a_pattern",
    "copy_a_constructor",
    "drop_a_pattern",
    "give_a_type_too_many_arguments",
    "give_too_many_type_arguments",
    "give_wrong_type_arguments",
    "lose_the_attributes",
    "mention_an_unbound_variable_in_a_definition",
    "mention_an_undefined_type_in_a_definition",
    "remove_a_type_definition",
}
"""Corruptions of what the programs of other packages do not have."""

KINDS = ForeignKinds()
with KINDS.declared():
    register_types(KINDS)


@cache
def module(seed: int, form: str) -> IRModule:
    mod = random_module(seed, 40)
    return mod if form == "untyped" else infer_type(mod)


@cache
def foreign_module(seed: int, form: str) -> IRModule:
    mod = random_foreign_module(KINDS, seed, 40)
    return mod if form == "untyped" else infer_type(mod)


def is_found(wrong: IRModule) -> bool:
    leave = create_module_pass(lambda _mod, _ctx: wrong, 0, "Leave")
    try:
        with PassContext(instruments=[VerifyInstrument()]):
            leave(IRModule())
    except CheckError as error:
        return error.pass_name == "Leave"
    return False


def test_there_are_many_kinds_of_corruptions() -> None:
    assert len(CORRUPTIONS) >= 30


@pytest.mark.parametrize("form", ["untyped", "typed", "keeping types"])
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruption_is_found_by_the_verifier(name: str, form: str) -> None:
    keeps = form == "keeping types"
    made = {seed: corrupted(module(seed, form), name, seed, keeps_types=keeps) for seed in SEEDS}
    wrong = {seed: mod for seed, mod in made.items() if mod is not None}
    assert len(wrong) >= 3 or (form == "untyped" and name in NEED_TYPES)
    assert [seed for seed, mod in wrong.items() if not is_found(mod)] == []


@pytest.mark.parametrize("form", ["untyped", "typed", "keeping types"])
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruption_among_kinds_of_another_package_is_found(name: str, form: str) -> None:
    keeps, applied = form == "keeping types", 0
    with KINDS.declared():
        for seed in SEEDS:
            wrong = corrupted(foreign_module(seed, form), name, seed, keeps_types=keeps)
            applied += wrong is not None
            assert wrong is None or is_found(wrong), f"seed {seed}"
    assert applied or name in OF_TYPES_AND_ATTRIBUTES or (form == "untyped" and name in NEED_TYPES)


@pytest.mark.parametrize("form", ["untyped", "typed"])
def test_sound_program_passes_the_verifier(form: str) -> None:
    assert not any(is_found(module(seed, form)) for seed in SEEDS)
    with KINDS.declared():
        assert not any(is_found(foreign_module(seed, form)) for seed in SEEDS)
