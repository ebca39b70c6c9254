"""How the cyclic garbage collector runs while passes do."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from relayish._support.collector import RARE, is_frozen
from relayish.binary import from_binary, to_binary
from relayish.ir.relay.module import IRModule
from relayish.transform import Pass, PassContext, create_module_pass, list_configs

RARELY = {"relayish.rare_gc": True}
FROZEN = {"relayish.freeze_input": True}
USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def _as_usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    assert not is_frozen()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def looking(seen: list[tuple[object, bool]]) -> Pass:
    """Return a pass that notes how the collector runs."""

    def look(mod: IRModule, _ctx: PassContext) -> IRModule:
        seen.append((gc.get_threshold(), is_frozen()))
        return mod

    return create_module_pass(look, 0, "Look")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, (USUAL, False)),
        (RARELY, (RARE, False)),
        (FROZEN, (USUAL, True)),
        ({**RARELY, **FROZEN}, (RARE, True)),
    ],
)
def test_collector_runs_as_the_context_says_and_as_before_afterwards(mod, config, expected):
    seen: list[tuple[object, bool]] = []
    with PassContext(config=config):
        looking(seen)(mod)
        looking(seen)(mod)
        assert (gc.get_threshold(), is_frozen()) == (USUAL, False)
    assert seen == [expected, expected]


@pytest.mark.parametrize("off", [True, False])
@pytest.mark.parametrize("on_before", [True, False])
def test_collector_is_off_during_passes_only_when_asked(mod, off, on_before):
    seen = []
    inner = create_module_pass(lambda m, _c: seen.append(gc.isenabled()) or m, 1, "Inner")
    outer = create_module_pass(lambda m, _c: inner(m), 1, "Outer")
    was_enabled = gc.isenabled()
    (gc.enable if on_before else gc.disable)()
    try:
        with PassContext(config={"relayish.disable_gc": off}):
            outer(mod)
            assert gc.isenabled() == on_before
    finally:
        (gc.enable if was_enabled else gc.disable)()
    assert seen == [on_before and not off]


def test_collector_runs_as_before_when_a_pass_fails(mod):
    def fail(_mod: IRModule, _ctx: PassContext) -> IRModule:
        raise ZeroDivisionError

    was_enabled = gc.isenabled()
    config = {**RARELY, **FROZEN, "relayish.disable_gc": True}
    with PassContext(config=config), pytest.raises(ZeroDivisionError):
        create_module_pass(fail, 0, "Fail")(mod)
    assert (gc.get_threshold(), is_frozen(), gc.isenabled()) == (USUAL, False, was_enabled)


def test_pass_inside_another_leaves_the_collector_to_it(mod):
    seen: list[tuple[object, bool]] = []
    look = looking(seen)
    outer = create_module_pass(lambda m, _c: look(look(m)), 0, "Outer")
    with PassContext(config={**RARELY, **FROZEN}):
        outer(mod)
    assert seen == [(RARE, True)] * 2
    assert (gc.get_threshold(), is_frozen()) == (USUAL, False)


def test_inner_context_without_options_leaves_the_collector_to_the_outer(mod):
    seen: list[tuple[object, bool]] = []

    def inner(given: IRModule, _ctx: PassContext) -> IRModule:
        with PassContext():
            return looking(seen)(given)

    with PassContext(config=RARELY):
        create_module_pass(inner, 0, "Outer")(mod)
    assert seen == [(RARE, False)]


@pytest.mark.parametrize("thresholds", [(0, 10, 10), (60_000, 5, 5), RARE])
def test_thresholds_that_are_no_lower_stay(mod, thresholds):
    gc.set_threshold(*thresholds)
    seen: list[tuple[object, bool]] = []
    with PassContext(config=RARELY):
        looking(seen)(mod)
    assert seen == [(thresholds, False)]
    assert gc.get_threshold() == thresholds


def test_thresholds_that_a_pass_sets_stay(mod):
    def choose(given: IRModule, _ctx: PassContext) -> IRModule:
        gc.set_threshold(123, 4, 5)
        return given

    with PassContext(config=RARELY):
        create_module_pass(choose, 0, "Choose")(mod)
    assert gc.get_threshold() == (123, 4, 5)


def test_what_was_frozen_before_stays_frozen(mod):
    gc.freeze()
    frozen = gc.get_freeze_count()
    with PassContext(config=FROZEN):
        looking([])(mod)
    assert gc.get_freeze_count() == pytest.approx(frozen, rel=0.01)  # what is freed is gone


def test_frozen_objects_are_counted_once_for_all_blocks_inside(mod, monkeypatch):
    count, asked = gc.get_freeze_count, []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: asked.append(1) or count())
    inner = create_module_pass(lambda m, _c: from_binary(to_binary(m)), 0, "Inner")

    def work(given: IRModule, _ctx: PassContext) -> IRModule:
        for _ in range(20):
            with PassContext(config=FROZEN):
                given = inner(given)
        return given

    with PassContext(config=FROZEN):
        create_module_pass(work, 0, "Outer")(mod)
    assert len(asked) == 1


def test_options_of_the_collector_are_off_if_nobody_sets_them():
    configs = list_configs()
    assert not any(configs[name]["default"] for name in {**RARELY, **FROZEN})
