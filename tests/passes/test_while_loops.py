"""Every registered pass on random programs with loops: right, or refused by name."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from relayish.analysis import well_formed
from relayish.analysis.infer_type import infer_type
from relayish.errors import GradientError, PassError, UnknownKindError
from relayish.interpreter import ConstructorValue, evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.text import astext, parse
from relayish.transform import Pass, PassContext, list_passes
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.languages_of_passes import OTHER_PASSES, RELAY_PASSES, check_given_back
from tests.support.loop_programs import DECLARED, random_loop_module
from tests.support.random_exprs import random_arguments
from tests.support.seeds import seeds
from tests.support.standing import LARGEST, OTHER_VALUE, REFUSES, TOLERANCE, close, made_for, within

SEEDS = seeds(16, soak=400)

with DECLARED:
    from while_loops import Log, While, logged

    PASSES = RELAY_PASSES + tuple({*list_passes()} - {*RELAY_PASSES, *OTHER_PASSES})

_loops = known_in_tests(DECLARED)


@lru_cache(maxsize=1)
def programs() -> list[tuple[IRModule, tuple, object, list]]:
    made = []
    for seed in SEEDS:
        mod = random_loop_module(seed)
        args = random_arguments(mod["main"], seed)
        made.append((mod, args, *run(mod, args)))
    return made


def run(mod: IRModule, args: tuple) -> tuple[object, list]:
    with logged() as notes:
        value = evaluate(mod["main"], mod, args)
    return value, notes


def test_random_programs_hold_loops_and_logs():
    held = [
        {type(node) for func in mod.functions.values() for node in EXPRESSIONS.post_order(func)}
        for mod, *_ in programs()
    ]
    assert sum(While in kinds for kinds in held) > len(held) // 2
    assert sum(Log in kinds for kinds in held) > len(held) // 3
    assert sum(bool(notes) for *_, notes in programs()) > len(held) // 4


@pytest.mark.parametrize("name", PASSES)
def test_pass_keeps_value_and_log_or_says_what_to_register(name):
    with PassContext(opt_level=4):
        for seed, (mod, args, value, notes) in enumerate(programs()):
            for pass_ in made_for(name, mod):
                try:
                    check(pass_, mod, args, value, notes)
                except Exception as error:
                    error.add_note(f"{name} on program {seed}")
                    raise


@each("name", OTHER_PASSES)
def test_pass_of_another_language_gives_programs_back(name):
    check_given_back(name, (mod for mod, *_ in programs()))


def check(pass_: Pass, mod: IRModule, args: tuple, value: object, notes: list) -> None:
    name = pass_.info.name
    try:
        out = pass_(mod)
    except REFUSES.get(name, ()):
        return
    except (UnknownKindError, PassError, GradientError) as error:
        if says_what_to_register(str(error)):
            return
        raise
    if out is mod:
        return
    for func in out.functions.values():
        assert well_formed(func)
    infer_type(out, fresh=True)
    if name in OTHER_VALUE:
        return
    after, noted = run(out, args)
    tolerance, largest = TOLERANCE.get(name, 0.0), LARGEST.get(name)
    assert close(within(after, largest), within(value, largest), tolerance)
    assert [label for label, _ in noted] == [label for label, _ in notes]
    for (_, found), (_, wanted) in zip(noted, notes, strict=True):
        if tolerance and (not is_finite(wanted) or isinstance(wanted, np.bool_)):
            continue  # rounding differently may end in another infinity, or beyond a bound
        assert close(within(found, largest), within(wanted, largest), tolerance)


def is_finite(value: object) -> bool:
    """Return whether a value is of tensors of finite numbers; lists are not looked into."""
    if isinstance(value, tuple):
        return all(map(is_finite, value))
    return not isinstance(value, ConstructorValue) and bool(np.isfinite(value).all())


def says_what_to_register(said: str) -> bool:
    """Return whether a refusal names one of the kinds and a function of registration."""
    return ("While" in said or "Log" in said) and "register" in said


def test_program_with_loops_round_trips_through_text():
    for mod, *_ in programs():
        assert structural_equal(parse(astext(mod)), mod)


def test_loop_is_written_in_its_own_text_and_log_in_the_generic_form():
    text = "\n".join(astext(mod) for mod, *_ in programs()[:50])
    assert "while (%" in text
    assert "node log(value=" in text
    assert "node while_loop(" not in text


def test_typed_program_round_trips_through_text():
    for mod, *_ in programs()[:50]:
        typed = infer_type(mod)
        assert structural_equal(parse(astext(typed)), typed, map_free_vars=True)
