"""Which passes run: every combination, against rules written down here a second time.

The expectations are a table of words, not code of the library turned round: for each way in which a
pass is reached, what decides whether it runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    Pass,
    PassContext,
    PassInstrument,
    Sequential,
    create_module_pass,
    register_pass,
)

pytestmark = pytest.mark.usefixtures("declarations")

LEVELS = (0, 1, 2, 3)

REACHED = {
    "called directly": "always runs",
    "in a sequential": "by the context",
    "in a sequential in a sequential": "by the context",
    "in a sequential inside a pass": "by the context",
    "called by a pass of a sequential": "always runs",
    "required by a pass": "always runs",
    "required by what is required": "always runs",
    "required by a sequential in a sequential": "always runs",
    "required by a pass called directly": "never runs",
    "required by a pass that is disabled": "never runs",
    "required by a pass above the level": "never runs",
}
"""What decides whether the pass Probe runs, by the way in which it is reached."""

BY_THE_CONTEXT = {
    # (disabled, required): what the levels have to say
    (False, False): "the level of the context is at least that of the pass",
    (False, True): "whatever the levels",
    (True, False): "never",
    (True, True): "never",
}

ENOUGH = {
    # the level of the pass: the levels of contexts that run it
    0: {0, 1, 2, 3},
    1: {1, 2, 3},
    2: {2, 3},
    3: {3},
}


def expected(way: str, pass_level: int, level: int, *, required: bool, disabled: bool) -> bool:
    if REACHED[way] != "by the context":
        return REACHED[way] == "always runs"
    verdict = BY_THE_CONTEXT[disabled, required]
    if verdict == "the level of the context is at least that of the pass":
        return level in ENOUGH[pass_level]
    return verdict == "whatever the levels"


def keep(name: str, level: int = 0, required: tuple[str, ...] = ()) -> Pass:
    return create_module_pass(lambda m, _c: m, level, name, required)


def reach(way: str, probe: Pass) -> Pass:
    """Return what, when called, reaches the probe, which is registered, in this way."""
    needs = keep("Needs", required=("Probe",))
    ways: dict[str, Callable[[], Pass]] = {
        "called directly": lambda: probe,
        "in a sequential": lambda: Sequential([probe]),
        "in a sequential in a sequential": lambda: Sequential([Sequential([probe])]),
        "in a sequential inside a pass": lambda: create_module_pass(
            lambda m, _c: Sequential([probe])(m), 0, "Outer"
        ),
        "called by a pass of a sequential": lambda: Sequential(
            [create_module_pass(lambda m, _c: probe(m), 0, "Outer")]
        ),
        "required by a pass": lambda: Sequential([needs]),
        "required by what is required": lambda: Sequential(
            [keep("Top", required=(register_pass()(needs).info.name,))]
        ),
        "required by a sequential in a sequential": lambda: Sequential(
            [Sequential([], name="Inner", required=("Probe",))]
        ),
        "required by a pass called directly": lambda: needs,
        "required by a pass that is disabled": lambda: Sequential(
            [keep("Disabled", required=("Probe",))]
        ),
        "required by a pass above the level": lambda: Sequential(
            [keep("High", level=9, required=("Probe",))]
        ),
    }
    return ways[way]()


@pytest.mark.parametrize("way", REACHED)
@pytest.mark.parametrize("pass_level", LEVELS)
def test_pass_runs_as_the_table_says(way: str, pass_level: int, mod: IRModule) -> None:
    ran: list[str] = []
    probe = create_module_pass(lambda m, _c: ran.append("Probe") or m, pass_level, "Probe")
    reached = reach(way, register_pass()(probe))
    for level, required, disabled in itertools.product(LEVELS, (False, True), (False, True)):
        ran.clear()
        names = ["Probe"]
        with PassContext(
            level,
            required_pass=names if required else None,
            disabled_pass=[
                *(names if disabled else []),
                *(["Disabled"] if way.endswith("is disabled") else []),
            ],
        ):
            assert reached(mod) is mod
        cell = expected(way, pass_level, level, required=required, disabled=disabled)
        assert ran == (names if cell else []), (level, required, disabled)


@pytest.mark.parametrize("way", REACHED)
@pytest.mark.parametrize("required", [False, True])
def test_instrument_keeps_any_pass_from_running_but_one_in_required_pass(
    way: str, required: bool, mod: IRModule
) -> None:
    ran: list[str] = []
    probe = create_module_pass(lambda m, _c: ran.append("Probe") or m, 0, "Probe")
    reached = reach(way, register_pass()(probe))

    class NoProbe(PassInstrument):
        def should_run(self, mod, info):
            return info.name != "Probe"

    names = ["Probe"] if required else None
    disabled = ["Disabled"] if way.endswith("is disabled") else []
    with PassContext(instruments=[NoProbe()], required_pass=names, disabled_pass=disabled):
        reached(mod)
    assert ran == (["Probe"] if required and REACHED[way] != "never runs" else [])


# what a pass can see of the program


def test_module_pass_that_writes_functions_one_by_one_still_has_the_old_siblings() -> None:
    """It keeps the module it was given, and every module it made on the way."""
    mod = IRModule({name: Function((), const(1)) for name in ("a", "b", "main")})
    seen: list[bool] = []

    def transform(given: IRModule, _ctx: PassContext) -> IRModule:
        out = given
        for key in given.get_global_vars():
            out = out.with_function(key, Function((), const(2)))
            seen.append(all(given[name] is mod[name] for name in ("a", "b", "main")))
        return out

    out = create_module_pass(transform, 0, "Rewrite")(mod)
    assert seen == [True, True, True]
    assert [out[name].body.data for name in ("a", "b", "main")] == [2, 2, 2]
    assert [mod[name].body.data for name in ("a", "b", "main")] == [1, 1, 1]


def test_disabled_pass_that_is_required_runs_before_who_requires_it_only(mod: IRModule) -> None:
    ran: list[str] = []

    def noting(name: str, required: tuple[str, ...] = ()) -> Pass:
        return create_module_pass(lambda m, _c: ran.append(name) or m, 0, name, required)

    register_pass()(noting("Dep"))
    pipeline = Sequential([noting("Dep"), noting("A", ("Dep",)), noting("Dep"), noting("B")])
    with PassContext(disabled_pass=["Dep"]):
        pipeline(mod)
    assert ran == ["Dep", "A", "B"]
