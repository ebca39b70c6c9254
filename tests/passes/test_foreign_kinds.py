"""No pass drops, moves or repeats what kinds of other packages do, nor fails without saying why."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from relayish.analysis import well_formed
from relayish.errors import PassError, UnknownKindError
from relayish.ir.relay.module import IRModule
from relayish.text import astext
from relayish.transform import BindParams, Pass, PassContext
from tests.support.each import each
from tests.support.effect_trace import Run, example_argument, run
from tests.support.foreign_kinds import ForeignKinds, random_foreign_module, register_types
from tests.support.languages_of_passes import OTHER_PASSES, RELAY_PASSES, check_given_back
from tests.support.seeds import seeds
from tests.support.standing import OTHER_VALUE, REFUSES, made_for

SEEDS = seeds(50)
UNREGISTERED, TYPED = ForeignKinds(), ForeignKinds()
register_types(TYPED)


@lru_cache(maxsize=2)
def programs(kinds: ForeignKinds) -> list[tuple[IRModule, Run]]:
    mods = [random_foreign_module(kinds, seed) for seed in SEEDS]
    return [(mod, run(mod)) for mod in mods]


def passes(name: str, mod: IRModule) -> list[tuple[Pass, tuple[Any, ...]]]:
    """Return the passes of that name, with what the parameters of the result are given."""
    params = mod["main"].params
    args = tuple(example_argument(param, at) for at, param in enumerate(params))
    if name != "BindParams":
        return [(pass_, args) for pass_ in made_for(name, mod)]
    names = [param.name_hint for param in params]
    bound = {
        param.name_hint: arg
        for param, arg in zip(params, args, strict=True)
        if names.count(param.name_hint) == 1 and not isinstance(arg, tuple)
    }
    left = [arg for own, arg in zip(names, args, strict=True) if own not in bound]
    return [(BindParams(bound), tuple(left))]


def says_what_to_do(error: Exception) -> bool:
    """Return whether a refusal names a foreign kind, and what could be done about it."""
    if isinstance(error, UnknownKindError):
        return "; call " in str(error) or "; define " in str(error)
    names = [kind.__name__ for kind in vars(TYPED).values() if isinstance(kind, type)]
    return isinstance(error, PassError) and any(name in str(error) for name in names)


@pytest.mark.parametrize("name", RELAY_PASSES)
def test_pass_keeps_what_unregistered_kinds_do_or_says_what_to_register(name: str) -> None:
    check_all(name, UNREGISTERED)


@pytest.mark.parametrize("name", RELAY_PASSES)
def test_pass_keeps_what_kinds_with_type_rules_do_or_says_what_to_register(name: str) -> None:
    check_all(name, TYPED)


@each("name", OTHER_PASSES)
def test_pass_of_another_language_gives_programs_back(name: str) -> None:
    for kinds in (UNREGISTERED, TYPED):
        with kinds.declared():
            check_given_back(name, (mod for mod, _ in programs(kinds)))


def check_all(name: str, kinds: ForeignKinds) -> None:
    with kinds.declared(), PassContext(opt_level=4):
        for seed, (mod, before) in enumerate(programs(kinds)):
            for pass_, args in passes(name, mod):
                check(pass_, mod, args, before, f"{name} on program {seed}")


def check(pass_: Pass, mod: IRModule, args: tuple[Any, ...], before: Run, where: str) -> None:
    name = pass_.info.name
    try:
        out = pass_(mod)
    except Exception as error:
        if isinstance(error, REFUSES.get(name, ())) or says_what_to_do(error):
            return
        error.add_note(where)
        raise
    if out is mod and name != "BindParams":
        return
    for func in out.functions.values():
        assert well_formed(func), f"{where} is not well-formed\n{astext(out)}"
    if name in OTHER_VALUE and name != "BindParams":
        return
    assert run(out, args) == before, f"{where} does something else"
