"""Instruments that come while a pass is running, and passes whose end is never told."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from relayish import transform
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.instruments.running import RunningPasses

KEEP = transform.create_module_pass(lambda m, _c: m, 0, "Keep")
COPY = transform.create_module_pass(lambda m, _c: IRModule(m.functions), 0, "Copy")
A, B, C = (transform.PassInfo(name, 0) for name in "ABC")


def instruments(directory: Path) -> list[transform.PassInstrument]:
    out = io.StringIO()
    return [
        transform.DiffInstrument(file=out),
        transform.DumpInstrument(directory),
        transform.ImmutableModuleInstrument(),
        transform.PassCountInstrument(),
        transform.PrintAfterAll(only_changed=True, file=out),
        transform.ProgressInstrument(KEEP, stream=out),
        transform.VerifyInstrument(["well_formed"]),
    ]


@pytest.mark.parametrize("number", range(7))
def test_instrument_that_comes_while_a_pass_runs_bears_its_end(
    one_function: IRModule, tmp_path: Path, number: int
) -> None:
    instrument = instruments(tmp_path)[number]
    put = transform.create_module_pass(
        lambda m, c: c.override_instruments([instrument]) or m, 0, "Put"
    )
    with transform.PassContext() as ctx:
        out = transform.Sequential([put, KEEP, COPY])(one_function)
        assert ctx.instruments == (instrument,)
    assert list(out.functions.values()) == list(one_function.functions.values())


@pytest.mark.parametrize("number", range(7))
def test_instrument_serves_again_after_another_failed_in_the_middle(
    one_function: IRModule, tmp_path: Path, number: int
) -> None:
    class Fails(transform.PassInstrument):
        def run_before_pass(self, mod, info):
            if info.name == "Copy":
                raise RuntimeError("trip")

    instrument = instruments(tmp_path)[number]
    with transform.PassContext(instruments=[instrument, Fails()]):
        for _ in range(2):
            with pytest.raises(RuntimeError, match="trip"):
                transform.Sequential([KEEP, COPY])(one_function)
            assert KEEP(one_function) is one_function
    with transform.PassContext(instruments=[instrument]):
        assert transform.Sequential([KEEP])(one_function) is one_function


def test_passes_end_in_the_reverse_order_of_beginning() -> None:
    running, mod = RunningPasses(), IRModule()
    outer, inner = running.begin(mod, A), running.begin(mod, B)
    assert running.depth == 2
    assert running.end(B, mod) is inner
    assert running.end(A, mod) is outer
    assert running.depth == 0
    assert outer.is_pure_composition(mod)
    assert not inner.is_pure_composition(mod)


def test_pass_that_never_ended_is_forgotten_with_the_one_around_it() -> None:
    running, mod = RunningPasses(), IRModule()
    outer = running.begin(mod, A)
    running.begin(mod, B)
    assert running.end(A, mod) is outer
    assert running.depth == 0


def test_end_of_a_pass_that_never_began_leaves_the_others() -> None:
    running, mod = RunningPasses(), IRModule()
    outer = running.begin(mod, A)
    assert running.end(C, mod) is None
    assert running.end(A, mod) is outer


def test_pass_composes_only_if_nothing_happens_between_the_passes_inside() -> None:
    first, second, third = IRModule(), IRModule(), IRModule()
    for given, expected in ((second, True), (third, False)):
        running = RunningPasses()
        outer = running.begin(first, A)
        running.begin(first, B)
        running.end(B, second)
        running.begin(given, C)
        running.end(C, third)
        assert outer.is_pure_composition(third) is expected
