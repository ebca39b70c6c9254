from __future__ import annotations

import io

import pytest

from relayish.errors import PassError
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    Pass,
    PassContext,
    PassInstrument,
    Progress,
    ProgressInstrument,
    Sequential,
    create_module_pass,
    register_pass,
)
from tests.support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("declarations")


def keep(name: str, level: int = 0, required: tuple[str, ...] = ()) -> Pass:
    return create_module_pass(lambda m, _c: m, level, name, required)


def seen(pipeline: Pass, mod: IRModule, *others: PassInstrument, **given: object) -> list[str]:
    shown: list[str] = []
    progress = ProgressInstrument(pipeline, callback=lambda p: shown.append(str(p)))
    with PassContext(instruments=[*others, progress], **given):
        pipeline(mod)
    return shown


def test_passes_are_counted_of_all_that_will_run(mod: IRModule) -> None:
    pipeline = Sequential([keep("A"), keep("B"), keep("A")])
    assert seen(pipeline, mod) == ["[1/3] A", "[2/3] B", "[3/3] A"]


def test_disabled_passes_and_those_above_the_level_are_not_counted(mod: IRModule) -> None:
    pipeline = Sequential([keep("A"), keep("High", 3), keep("B"), keep("C")])
    assert seen(pipeline, mod, disabled_pass=["B"]) == ["[1/2] A", "[2/2] C"]
    assert seen(pipeline, mod, opt_level=3, disabled_pass=["B"])[1] == "[2/3] High"


def test_requirements_and_passes_of_inner_sequentials_are_counted(mod: IRModule) -> None:
    register_pass()(keep("First"))
    register_pass()(keep("Second", required=("First",)))
    inner = Sequential([keep("A"), Sequential([keep("B", required=("Second",))])], name="Inner")
    assert seen(Sequential([inner, keep("C")]), mod) == [
        *("[1/5] A", "[2/5] First", "[3/5] Second", "[4/5] B", "[5/5] C")
    ]


def test_factories_are_told_from_one_run_to_the_next(mod: IRModule) -> None:
    @register_pass(opt_level=0)
    def Made() -> Pass:
        return keep("whatever")

    pipeline = Sequential([keep("A", required=("Made",)), keep("B", required=("Made",))])
    assert seen(pipeline, mod) == ["[1/4] Made", "[2/4] A", "[3/4] Made", "[4/4] B"]


def test_passes_inside_a_pass_are_not_counted(mod: IRModule) -> None:
    later = keep("B")
    outer = create_module_pass(lambda m, _c: later(m), 0, "Outer")
    assert seen(Sequential([outer, keep("A"), later]), mod) == [
        *("[1/3] Outer", "[2/3] A", "[3/3] B")
    ]


def test_skipped_passes_are_passed_over(mod: IRModule) -> None:
    class NoB(PassInstrument):
        def should_run(self, mod, info):
            return info.name != "B"

    pipeline = Sequential([keep("A"), keep("B"), keep("C")])
    assert seen(pipeline, mod, NoB()) == ["[1/3] A", "[3/3] C"]


def test_pass_alone_is_one_of_one(mod: IRModule) -> None:
    assert seen(keep("A"), mod) == ["[1/1] A"]


def test_without_a_pipeline_passes_are_counted_as_they_begin(mod: IRModule) -> None:
    shown: list[Progress] = []
    with PassContext(instruments=[ProgressInstrument(callback=shown.append)]):
        Sequential([keep("A")], name="S")(mod)
    assert list(map(str, shown)) == ["[1] S", "[2] A"]
    assert shown[1] == (2, 0, "A")


def test_line_is_written_over_and_cleared_on_a_terminal(mod: IRModule) -> None:
    terminal = Terminal()
    pipeline = Sequential([keep("A"), keep("B")])
    with PassContext(instruments=[ProgressInstrument(pipeline, stream=terminal)]):
        pipeline(mod)
    assert terminal.getvalue() == "\r\x1b[K[1/2] A\r\x1b[K[2/2] B\r\x1b[K"


def test_nothing_is_written_to_what_is_no_terminal(mod: IRModule) -> None:
    file = io.StringIO()
    pipeline = Sequential([keep("A")])
    with PassContext(instruments=[ProgressInstrument(pipeline, stream=file)]):
        pipeline(mod)
    assert file.getvalue() == ""


def test_line_is_cleared_when_a_pass_fails(mod: IRModule) -> None:
    terminal = Terminal()
    pipeline = Sequential([create_module_pass(lambda _m, _c: None, 0, "Bad"), keep("B")])
    with (
        pytest.raises(PassError),
        PassContext(instruments=[ProgressInstrument(pipeline, stream=terminal)]),
    ):
        pipeline(mod)
    assert terminal.getvalue() == "\r\x1b[K[1/2] Bad\r\x1b[K"


def test_instrument_serves_again_in_another_context(mod: IRModule) -> None:
    shown: list[str] = []
    pipeline = Sequential([keep("A"), keep("High", 3)])
    progress = ProgressInstrument(pipeline, callback=lambda p: shown.append(str(p)))
    for level in (2, 3):
        with PassContext(level, instruments=[progress]):
            pipeline(mod)
    assert shown == ["[1/1] A", "[1/2] A", "[2/2] High"]


def test_counting_goes_on_after_a_hook_of_another_instrument_failed(mod: IRModule) -> None:
    """Its pass has begun for one instrument and never ends."""

    class Fails(PassInstrument):
        def run_before_pass(self, mod, info):
            if info.name == "Trip":
                raise RuntimeError("trip")

    shown: list[str] = []
    pipeline = Sequential([keep("Trip"), keep("A")])
    progress = ProgressInstrument(pipeline, callback=lambda p: shown.append(str(p)))
    with PassContext(instruments=[progress, Fails()]):
        with pytest.raises(RuntimeError, match="trip"):
            pipeline(mod)
        keep("A")(mod)
    assert shown == ["[1/2] Trip", "[2/2] A"]
    with PassContext(instruments=[progress]):
        pipeline(mod)
    assert shown[2:] == ["[1/2] Trip", "[2/2] A"]


def test_plan_is_what_runs(mod: IRModule) -> None:
    ran: list[str] = []

    class Note(PassInstrument):
        def run_before_pass(self, mod, info):
            ran.append(info.name)

    register_pass()(keep("First"))
    inner = Sequential([keep("B"), keep("High", 3)], opt_level=1, name="Inner", required=("First",))
    pipeline = Sequential([keep("A", required=("First",)), inner], name="S")
    for level in range(4):
        ran.clear()
        with PassContext(level, instruments=[Note()]) as ctx:
            pipeline(mod)
        planned = [pass_.info.name for pass_ in pipeline.plan(ctx)]
        assert planned == [name for name in ran if name not in ("S", "Inner")]
