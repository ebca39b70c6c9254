"""Rooflines: what functions can reach on a machine, and what is known of this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish import tir
from relayish.errors import EvaluationError
from relayish.tir import machine as machine_module
from relayish.tir.machine import known_machine
from tests.support.tir_small import function, loop, memory

MACHINE = tir.Machine(flops=1e11, exact_flops=5e10, bandwidth=1e10)
I, N = tir.Var("i"), tir.Var("n")  # noqa: E741


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test knows what was measured here."""
    monkeypatch.setenv("RELAYISH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def scaled(count: int = 1000, times: int = 1) -> tir.LoweredFunc:
    """A function that multiplies each element so many times."""
    a, b = memory("A", count, dtype="float32"), memory("B", count, dtype="float32")
    value: tir.Expr = a[I]
    for _ in range(times):
        value = value * 2.0
    return function([a, b], loop(I, 0, count, tir.Store(b, value, (I,))))


def two_nests() -> tir.LoweredFunc:
    a, b = memory("A", 1000, dtype="float32"), memory("B", 1000, dtype="float32")
    first = loop(I, 0, 1000, tir.Store(b, a[I] * 2.0, (I,)))
    j = tir.Var("j")
    guarded = tir.IfThenElse(b[j] < 1.0, tir.Store(a, b[j] + 1.0, (j,)))
    return function([a, b], first, loop(j, 0, 1000, guarded))


def test_limit_is_memory_below_the_ridge_and_arithmetic_above() -> None:
    few, many = tir.roofline(scaled(), machine=MACHINE), tir.roofline(scaled(times=100))
    [below], [above] = few.points, many.points
    assert MACHINE.ridge == 10
    assert (below.intensity, below.is_bound_by_memory(MACHINE)) == (0.125, True)
    assert (above.intensity, above.is_bound_by_memory(MACHINE)) == (12.5, False)
    assert below.least_seconds(MACHINE) == 8000 / 1e10
    assert above.least_seconds(MACHINE) == 100_000 / 1e11
    assert [MACHINE.attainable(each.intensity) for each in (below, above)] == [0.125e10, 1e11]


def test_table_tells_nests_and_what_was_reached() -> None:
    assert str(tir.roofline(two_nests(), 1e-6, MACHINE)) == (
        "NAME      FLOPS    BYTES  FLOPS/BYTE  LIMIT    AT LEAST  MEASURED        REACHED\n"
        "f       <=3,000  <=8,000       0.375  memory  0.0008 ms  0.001 ms  3 Gflop/s 80%\n"
        "i (_B)    1,000    8,000       0.125  memory  0.0008 ms\n"
        "j (_A)  <=2,000  <=8,000        0.25  memory  0.0008 ms\n"
        "machine: 100 Gflop/s (50 exactly rounded), 10 GB/s; ridge at 10 flops/byte"
    )


def test_table_without_a_machine_says_how_one_is_measured() -> None:
    lines = str(tir.roofline(scaled())).splitlines()
    assert lines[-1] == "no machine is known: tir.measure_machine() measures this one, once"


def test_sizes_have_to_be_known() -> None:
    a = tir.Buffer("_A", (N,))
    view = tir.Tensor("A", (N,), "float32", a)
    body = loop(I, 0, N, tir.Store(view, view[I] * 2.0, (I,)))
    func = tir.LoweredFunc("f", (N, a), tir.Block((body,)))
    with pytest.raises(EvaluationError, match="the count n hangs on n; expected numbers"):
        tir.roofline(func, machine=MACHINE)
    [point] = tir.roofline(func, machine=MACHINE, sizes={"n": 10}).points
    assert (point.flops, point.bytes, point.is_exact) == (10, 40, True)


def test_function_without_arithmetic_has_points_at_zero() -> None:
    a = memory("A", 8)
    [point] = tir.roofline(function([a], tir.Store(a, a[0], (tir.const(1),)))).points
    assert (point.flops, point.intensity) == (0, 0.0)


def test_machine_is_measured_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[bool] = []

    def measure(_func: tir.LoweredFunc, *_args: object, exact: bool = True) -> float:
        runs.append(exact)
        return 0.5 if exact else 0.25

    monkeypatch.setattr(machine_module, "measure_time", measure)
    assert known_machine() is None
    monkeypatch.setattr(machine_module, "_LARGE", 1024)
    first = tir.measure_machine()
    flops = 2048 * 2000 * 8 * 2
    assert first == tir.Machine(flops * 4, flops * 2, 3 * 4 * 1024 * 2)
    assert (tir.measure_machine(), known_machine(), len(runs)) == (first, first, 3)
    tir.measure_machine(again=True)
    assert runs == [False, True, True] * 2
    assert tir.roofline(scaled()).machine == first


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"flops": 1}', '{"flops": 0, "exact_flops": 1, "bandwidth": 1}'],
)
def test_numbers_that_are_damaged_are_none(folder: Path, text: str) -> None:
    folder.mkdir()
    machine_module._place().write_text(text, encoding="utf-8")
    assert known_machine() is None


def test_kernels_do_what_is_counted_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    polynomials, numbers = machine_module._polynomials()
    work = tir.analysis.count_work(polynomials)
    assert (int(work.flops), int(work.bytes)) == (2048 * 2000 * 16, 2048 * 4)
    assert len(polynomials.args) == len(numbers)
    assert not tir.verify(polynomials)
    monkeypatch.setattr(machine_module, "_LARGE", 1024)
    sums, _ = machine_module._sums_of_arrays()
    assert (int(tir.analysis.count_work(sums).bytes), tir.verify(sums)) == (3 * 4 * 1024, ())


def test_time_of_a_function_is_that_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_module, "_ENOUGH", 0.0)
    assert tir.measure_time(scaled()) > 0


def test_time_of_a_function_with_sizes_needs_arguments() -> None:
    func = tir.LoweredFunc("f", (N,), tir.Block(()))
    with pytest.raises(EvaluationError, match="the argument n is no buffer of a shape that is k"):
        tir.measure_time(func)
