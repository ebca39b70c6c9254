from __future__ import annotations

import asyncio
import contextlib
import copy
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from relayish.errors import ConfigError, FrozenNodeError, PassError
from relayish.ir.relay.module import IRModule
from relayish.transform import (
    DiffInstrument,
    InferType,
    PassContext,
    PassCountInstrument,
    PassInfo,
    PassInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    ProgressInstrument,
    VerifyInstrument,
)
from tests.support.each import each
from tests.support.guard import HANGS


def test_default_context_has_level_two() -> None:
    ctx = PassContext.current()
    assert (ctx.opt_level, ctx.required_pass, ctx.disabled_pass) == (2, (), ())
    assert ctx.instruments == ()
    assert PassContext.current() is ctx


def test_contexts_nest_also_in_themselves_and_inherit_nothing() -> None:
    with PassContext(opt_level=3, disabled_pass=["FuseOps"]) as outer:
        with PassContext() as inner:
            assert PassContext.current() is inner
            assert (inner.opt_level, inner.disabled_pass) == (2, ())
        with outer:
            assert PassContext.current() is outer
        assert PassContext.current() is outer
    assert PassContext.current() not in (outer, inner)


def test_context_is_left_when_its_body_raises() -> None:
    ctx = PassContext()
    with pytest.raises(KeyError), ctx:
        raise KeyError
    assert PassContext.current() is not ctx


def test_other_threads_see_the_default() -> None:
    with PassContext(opt_level=0), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: PassContext.current().opt_level).result() == 2


def test_one_context_object_serves_many_threads_at_once() -> None:
    ctx = PassContext(opt_level=1)
    together = threading.Barrier(4)
    seen = []

    def work(level: int) -> None:
        with ctx:
            together.wait(timeout=HANGS)
            with PassContext(opt_level=level):
                together.wait(timeout=HANGS)
                seen.append(PassContext.current().opt_level == level)
            seen.append(PassContext.current() is ctx)

    threads = [threading.Thread(target=work, args=(level,)) for level in range(10, 14)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 8


def test_tasks_interleave_without_seeing_each_other() -> None:
    shared = PassContext(opt_level=1)

    async def work(level: int) -> list[int]:
        seen = [PassContext.current().opt_level]
        with PassContext(opt_level=level), shared, PassContext(opt_level=level):
            for _ in range(5):
                await asyncio.sleep(0)
                seen.append(PassContext.current().opt_level)
        seen.append(PassContext.current().opt_level)
        return seen

    async def main() -> list[list[int]]:
        with PassContext(opt_level=9):
            return await asyncio.gather(*(work(level) for level in (10, 11, 12)))

    assert asyncio.run(main()) == [[9, *[level] * 5, 9] for level in (10, 11, 12)]


def test_leaving_out_of_order_is_an_error() -> None:
    outer, inner = PassContext(), PassContext()
    with outer:
        with inner:
            with pytest.raises(PassError, match="reverse order of entering"):
                outer.__exit__(None, None, None)
            assert PassContext.current() is inner
        assert PassContext.current() is outer


def test_leaving_what_was_never_entered_is_an_error() -> None:
    with pytest.raises(PassError, match="not the current one"):
        PassContext().__exit__(None, None, None)


def test_context_is_immutable() -> None:
    with pytest.raises(FrozenNodeError, match=r"cannot assign PassContext\.opt_level"):
        PassContext().opt_level = 3


@each(
    ("given", "message"),
    [
        *[({"opt_level": bad}, "must be a whole number") for bad in (-1, True, 1.5, "2", None)],
        *[
            ({what: bad}, f"{what} must {message}")
            for what in ("required_pass", "disabled_pass")
            for bad, message in (
                ("Fold", r"be a sequence.*write \('Fold',\)"),
                ([3], "hold names"),
                (3, "be a sequence.*; found 3"),
            )
        ],
        ({"instruments": 3}, "instruments must be a sequence.*; found 3"),
        ({"instruments": [PassInstrument]}, r"must be instances .*; call it, to make one"),
        ({"instruments": [object()]}, "decorate its class with @pass_instrument"),
        ({"config": ["relayish.disable_gc"]}, "config must be a mapping"),
    ],
)  # fmt: skip
def test_context_refuses_what_does_not_fit(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PassContext(**given)


@pytest.mark.parametrize("name", ["Fold", "relayish.pass_.Fold"])
def test_names_are_short_or_global(name: str) -> None:
    info = PassInfo("Fold", 5)
    assert not PassContext(disabled_pass=[name], opt_level=9).pass_enabled(info)
    assert PassContext(required_pass=[name]).pass_enabled(info)
    assert PassContext(required_pass=["Fold"]).is_required(name)


@each("level", [0, 1, 2, 3])
@each("pass_level", [0, 1, 2, 3])
@each("required", [True, False])
@each("disabled", [True, False])
def test_pass_enabled_follows_the_truth_table(
    level: int, pass_level: int, required: bool, disabled: bool
) -> None:
    info = PassInfo("P", pass_level)
    ctx = PassContext(level, ["P"] if required else (), ["P"] if disabled else ())
    expected = not disabled and (required or level >= pass_level)
    assert ctx.pass_enabled(info) is expected


class Log(PassInstrument):
    def __init__(self, name: str, log: list[str], fail: str = "") -> None:
        self.name, self.log, self.fail = name, log, fail

    def note(self, hook: str) -> None:
        self.log.append(f"{hook} {self.name}")
        if hook == self.fail:
            raise RuntimeError(f"{hook} {self.name}")

    def enter_pass_ctx(self) -> None:
        self.note("enter")

    def exit_pass_ctx(self) -> None:
        self.note("exit")


@pytest.mark.parametrize(
    ("fails", "told"),
    [
        ("", "enter 1, enter 2, enter 3, body, exit 1, exit 2, exit 3"),
        ("enter 3", "enter 1, enter 2, enter 3, exit 2, exit 1"),
        ("exit 2", "enter 1, enter 2, enter 3, body, exit 1, exit 2"),
    ],
)
def test_instruments_enter_and_exit_in_order_until_one_fails(fails: str, told: str) -> None:
    log: list[str] = []
    made = [Log(n, log, fails[:-2] if fails.endswith(n) else "") for n in "123"]
    before = PassContext.current()
    raised = pytest.raises(RuntimeError, match=fails) if fails else contextlib.nullcontext()
    with raised, PassContext(instruments=made):
        log.append("body")
    assert log == told.split(", ")
    assert PassContext.current() is before


def test_failing_exit_keeps_the_error_of_the_body_as_context() -> None:
    with (
        pytest.raises(RuntimeError, match="exit 1") as info,
        PassContext(instruments=[Log("1", [], "exit")]),
    ):
        raise KeyError("body")
    assert isinstance(info.value.__context__, KeyError)


def test_override_exits_the_old_and_enters_the_new_until_the_context_is_left() -> None:
    log: list[str] = []
    first, new = Log("1", log), Log("2", log)
    ctx = PassContext(instruments=[first])
    with ctx:
        ctx.override_instruments([new])
        with PassContext():
            assert ctx.instruments == (new,)  # told from inside
        assert log == ["enter 1", "exit 1", "enter 2"]
        ctx.override_instruments(None)
        assert ctx.instruments == ()
    assert log[3:] == ["exit 2"]
    assert ctx.instruments == (first,)


def test_override_that_fails_leaves_no_instruments() -> None:
    log: list[str] = []
    with PassContext(instruments=[Log("1", log)]) as ctx:
        with pytest.raises(RuntimeError, match="enter 3"):
            ctx.override_instruments([Log("2", log), Log("3", log, "enter")])
        assert ctx.instruments == ()
    assert log == ["enter 1", "exit 1", "enter 2", "enter 3", "exit 2"]


def test_override_outside_every_context_serves_the_default_of_this_thread() -> None:
    def work() -> tuple[int, int]:
        log: list[str] = []
        ctx = PassContext.current()
        ctx.override_instruments([Log("1", log)])
        with PassContext():
            inner = len(PassContext.current().instruments)
        return inner, len(PassContext.current().instruments)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result() == (0, 1)
    assert PassContext.current().instruments == ()


def test_override_of_another_context_is_an_error() -> None:
    with PassContext() as outer, PassContext(), pytest.raises(PassError, match="current pass"):
        outer.override_instruments([])


COPIED: tuple[Callable[[Any], Any], ...] = (
    copy.deepcopy,
    lambda ctx: pickle.loads(pickle.dumps(ctx)),
)


class Kept(PassInstrument):
    """An instrument with a state of its own."""

    def __init__(self, *seen: str) -> None:
        self.seen = [*seen]


def test_context_is_copied_and_goes_to_other_processes() -> None:
    ctx = PassContext(3, ["FuseOps"], ["Inline"], [Kept("a")], {"relayish.disable_gc": True})
    assert copy.copy(ctx) is ctx
    for other in [copied(ctx) for copied in COPIED]:
        assert repr(other).partition("instruments")[0] == repr(ctx).partition("instruments")[0]
        assert other.config == ctx.config
        [kept] = other.instruments
        assert (type(kept), kept.seen) == (Kept, ["a"])
        assert kept is not ctx.instruments[0]


def test_instrument_that_cannot_leave_is_left_out_of_a_pickle_and_told() -> None:
    ctx = PassContext(instruments=[Kept("a"), Log("b", [])])
    ctx.instruments[1].stream = threading.Lock()
    with pytest.warns(RuntimeWarning, match="pickled without the instrument .*Log.*lock"):
        data = pickle.dumps(ctx)
    assert [type(each) for each in pickle.loads(data).instruments] == [Kept]


@each(
    "kind",
    [
        DiffInstrument, PassCountInstrument, PassTimingInstrument, PrintAfterAll,
        ProgressInstrument, VerifyInstrument,
    ],
)  # fmt: skip
def test_instruments_are_copied_with_the_context_that_has_them(kind: type[PassInstrument]) -> None:
    ctx = PassContext(instruments=[kind()])
    for other in [copied(ctx) for copied in COPIED]:
        assert [type(each) for each in other.instruments] == [kind]
        with other:
            assert not InferType()(IRModule()).functions


def test_repr_shows_every_setting() -> None:
    shown = repr(PassContext(3, ["FuseOps"], ["Inline"], config={"relayish.disable_gc": True}))
    for part in ("opt_level=3", "('FuseOps',)", "('Inline',)", "'relayish.disable_gc': True"):
        assert part in shown


class Derived(PassContext):
    """A context with something of its own."""

    def __init__(self, note: str) -> None:
        super().__init__(3)
        object.__setattr__(self, "note", note)


class Holding(PassInstrument):
    """Holds the context that it is in, or another."""

    held: PassContext | None = None


@each("copied", COPIED)
def test_contexts_are_copied_whole_and_with_instruments_that_hold_them(
    copied: Callable[[Any], Any],
) -> None:
    other = copied(Derived("mine"))
    assert (type(other), other.note, other.opt_level) == (Derived, "mine", 3)
    holding = Holding()
    holding.held = PassContext(1, instruments=[holding])
    other = copied(holding.held)
    assert other.instruments[0].held is other
    assert other is not holding.held


def test_contexts_within_instruments_are_not_pickled_twice_as_often_each() -> None:
    asked = []

    class Asked(Holding):
        def __reduce__(self) -> Any:
            asked.append(self)
            return Holding, (), {"held": self.held}

    ctx = PassContext()
    for _ in range(20):
        outer = Asked()
        outer.held = ctx
        ctx = PassContext(instruments=[outer])
    pickle.dumps(ctx)
    assert len(asked) == 20 * 21 // 2 + 20  # once each level that holds it, and to be written


def test_contexts_are_entered_and_left_however_many_there_are() -> None:
    contexts = [PassContext(number % 4) for number in range(20_000)]
    for ctx in contexts:
        ctx.__enter__()
    assert PassContext.current() is contexts[-1]
    for ctx in reversed(contexts):
        assert PassContext.current() is ctx
        ctx.__exit__(None, None, None)
