"""What wrong passes leave behind is found by the verifier, before and after type inference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

import pytest

from relayish.analysis import infer_type
from relayish.errors import CheckError
from relayish.ir.relay.module import IRModule
from relayish.transform import PassContext, VerifyInstrument, create_module_pass
from tests.support.corruptions import CORRUPTIONS, corrupted
from tests.support.each import each
from tests.support.foreign_kinds import ForeignKinds, random_foreign_module, register_types
from tests.support.random_exprs import random_module
from tests.support.seeds import SOAK, seeds

SEEDS = seeds(4)
ONE_IN = 50
"""At least one program of so many has what a corruption is about."""

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


def wrong_ones(
    make: Callable[[int, str], IRModule], name: str, form: str, programs: range
) -> Iterator[tuple[int, IRModule]]:
    """Yield the programs that have something to corrupt, corrupted, with their seeds."""
    keeps = form == "keeping types"
    for seed in programs:
        wrong = corrupted(make(seed, form), name, seed, keeps_types=keeps)
        if wrong is not None:
            yield seed, wrong


def check_found(
    make: Callable[[int, str], IRModule], name: str, form: str, *, has_none: bool
) -> None:
    has_none |= form == "untyped" and name in NEED_TYPES
    programs = SEEDS if has_none else range(SOAK, SOAK + ONE_IN * len(SEEDS))
    wrong = list(islice(wrong_ones(make, name, form, programs), len(SEEDS)))
    assert has_none or len(wrong) == len(SEEDS)
    assert [seed for seed, mod in wrong if not is_found(mod)] == []


@pytest.mark.parametrize("form", ["untyped", "typed", "keeping types"])
@each("name", CORRUPTIONS)
def test_corruption_is_found_by_the_verifier(name: str, form: str) -> None:
    check_found(module, name, form, has_none=False)


@pytest.mark.parametrize("form", ["untyped", "typed", "keeping types"])
@each("name", CORRUPTIONS)
def test_corruption_among_kinds_of_another_package_is_found(name: str, form: str) -> None:
    with KINDS.declared():
        check_found(foreign_module, name, form, has_none=name in OF_TYPES_AND_ATTRIBUTES)


@pytest.mark.parametrize("form", ["untyped", "typed"])
def test_sound_program_passes_the_verifier(form: str) -> None:
    sound = range(SOAK, SOAK + 4 * len(SEEDS))
    assert not any(is_found(module(seed, form)) for seed in sound)
    with KINDS.declared():
        assert not any(is_found(foreign_module(seed, form)) for seed in sound)
