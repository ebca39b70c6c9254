from __future__ import annotations

import re
import threading

import pytest

from relayish import transform
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.instruments.timing import PassProfile
from tests.support.guard import HANGS

P = transform.create_module_pass(lambda m, _c: m, 1, "P")
BAD = transform.create_module_pass(lambda _m, _c: None, 1, "Bad")


def names(profiles: list[PassProfile]) -> list[object]:
    return [(p.name, names(p.children)) if p.children else p.name for p in profiles]


def test_profiles_nest_as_the_passes_do(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        transform.Sequential([P, transform.Sequential([P], name="inner")], name="outer")(mod)
        P(mod)
        assert names(timing.profiles) == [("outer", ["P", ("inner", ["P"])]), "P"]


def test_total_is_at_least_that_of_the_passes_inside(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        transform.Sequential([P, P])(mod)
        (outer,) = timing.profiles
        assert outer.duration == outer.own + sum(c.duration for c in outer.children)
        assert outer.own > 0


def test_rendered_lines_are_indented_by_nesting(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        transform.Sequential([P], name="S")(mod)
        shown = timing.render()
    line = r"{}: \d+us \[\d+us\] \(\d+\.\d\d%; \d+\.\d\d%\)\n"
    assert re.fullmatch(line.format("S") + "\t" + line.format("P"), shown)
    assert "S: " in shown
    assert "(100.00%; 100.00%)" in shown


def test_times_are_there_when_the_context_was_left(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        P(mod)
    assert timing.render().startswith("P: ")
    assert names(timing.profiles) == ["P"]


def test_times_begin_anew_when_a_context_is_entered(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        P(mod)
    before = timing.profiles
    with transform.PassContext(instruments=[timing]):
        assert timing.render() == ""
    assert names(before) == ["P"]


def test_shares_of_nothing_are_zero() -> None:
    timing = transform.PassTimingInstrument()
    timing.profiles.append(PassProfile("P"))
    assert timing.render() == "P: 0us [0us] (0.00%; 0.00%)\n"


def test_failed_pass_is_closed_where_it_failed(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        with pytest.raises(Exception, match="Bad"):
            transform.Sequential([P, BAD], name="S")(mod)
        P(mod)
        assert names(timing.profiles) == [("S", ["P", "Bad"]), "P"]


def test_pass_left_open_by_a_failing_hook_is_closed_with_the_one_around_it(mod: IRModule) -> None:
    class Fail(transform.PassInstrument):
        def run_before_pass(self, mod: IRModule, info: transform.PassInfo) -> None:
            if info.name == "P":
                raise RuntimeError

    timing = transform.PassTimingInstrument()
    with transform.PassContext(instruments=[timing, Fail()]):
        with pytest.raises(RuntimeError):
            transform.Sequential([P], name="S")(mod)
        transform.create_module_pass(lambda m, _c: m, 1, "Q")(mod)
        assert names(timing.profiles) == [("S", ["P"]), "Q"]


def test_closing_with_nothing_open_is_harmless(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    timing.run_after_pass(mod, P.info)
    assert timing.profiles == []


def test_each_thread_has_its_own_nesting(mod: IRModule) -> None:
    timing = transform.PassTimingInstrument()
    together = threading.Barrier(2)

    def wait(given: IRModule, _ctx: transform.PassContext) -> IRModule:
        together.wait(timeout=HANGS)
        return given

    done = []

    def work() -> None:
        with transform.PassContext(instruments=[timing]) as ctx:
            transform.create_module_pass(wait, 1, "Wait")(mod)
            together.wait(timeout=HANGS)
            done.append(names(list(timing.profiles)))
            together.wait(timeout=HANGS)
            del ctx

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [["Wait", "Wait"]] * 2
