"""Measurements: whatever a candidate does, it is told, and ends nothing."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import pytest

from relayish import tir
from relayish._support.this_machine import processor_name
from relayish.codegen.c.toolchain import Toolchain, find_toolchain
from relayish.errors import CodegenError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.tir.schedule.defaults.constant_memory import CONSTANT
from relayish.tir.schedule.defaults.contractions import contractions
from relayish.tuning import measuring
from relayish.tuning.measuring import Limits, Trial, Verdict, measure
from relayish.tuning.trial_process import Answer, Request, answer
from tests.support.tuning import scaled

QUICK = Limits(seconds=0, limit=20)

SOURCE = """
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
int32_t add(float *a, int32_t *b) { a[1] += 1; b[0] = 7; return 0; }
int32_t fails(float *a) { return 3; }
int32_t aborts(float *a) { abort(); }
int32_t leaves(float *a) { exit(5); }
int32_t loops(volatile float *a) { for (;;) a[0] += 1; }
int32_t stops(float *a) { raise(SIGSEGV); return 0; }
int32_t none(float *a) { a[0] = 0.0f / (a[0] - a[0]); return 0; }
int32_t same(float *a) { a[0] = -(0.0f / (a[0] - a[0])); return 0; }
int32_t told(float *a, void *marks, int32_t left) { return marks == 0 && left == 9 ? 0 : 1; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A shared object of functions that do what candidates may do."""
    folder = tmp_path_factory.mktemp("library")
    source, made = folder / "source.c", folder / "made.so"
    source.write_text(SOURCE)
    find_toolchain(("-O0",)).compile(source, made)
    return str(made)


def request(library: str, function: str, limit: float = 20, **more: object) -> Request:
    asked: Request = {
        "library": library,
        "function": function,
        "buffers": [("float32", 8)],
        "behind": [],
        "seed": 1,
        "seconds": None,
        "enough": 1e9,
        "limit": limit,
    }
    return {**asked, **more}  # type: ignore[typeddict-item]  # fields of it


def test_the_digest_is_of_all_memory_behind_the_first_run(library: str) -> None:
    two = {"buffers": [("float32", 8), ("int32", 2)], "seconds": 0.0}
    found = answer(request(library, "add", **two))
    assert found["status"] == 0
    assert len(found["seconds"]) >= 3
    assert all(0 < each < 1 for each in found["seconds"])
    assert answer(request(library, "add", **two))["digest"] == found["digest"]
    assert answer(request(library, "add", **two, seed=2))["digest"] != found["digest"]
    more = {"buffers": [("float32", 8), ("int32", 3)]}
    assert answer(request(library, "add", **more))["digest"] != found["digest"]


def test_what_took_more_than_enough_is_not_run_again(library: str) -> None:
    found = answer(
        request(library, "add", buffers=[("float32", 8), ("int32", 2)], seconds=0.0, enough=0)
    )
    assert len(found["seconds"]) == 1


def test_what_is_no_number_is_the_same_whatever_its_bits_are(library: str) -> None:
    assert answer(request(library, "none")) == answer(request(library, "same"))


def test_a_function_is_given_what_it_asks_for_behind_its_memory(library: str) -> None:
    assert answer(request(library, "told", behind=[None, 9]))["status"] == 0


@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16", "bool", "uint8", "int64"])
def test_memory_of_any_type_is_drawn(library: str, dtype: str) -> None:
    found = answer(request(library, "fails", buffers=[(dtype, 5)]))
    assert (found["status"], found["seconds"]) == (3, [])


@pytest.mark.parametrize(
    ("function", "verdict", "told"),
    [
        ("aborts", Verdict.CRASH, "its process was ended by SIGABRT"),
        ("leaves", Verdict.CRASH, "its process ended with exit code 5"),
        ("stops", Verdict.CRASH, "its process was ended by SIGSEGV"),
        ("missing", Verdict.CRASH, "exit code 1: AttributeError"),
    ],
)
def test_what_ends_its_process_is_told(
    library: str, function: str, verdict: Verdict, told: str
) -> None:
    with pytest.raises(measuring._FailedError, match=told) as caught:
        measuring._ask(request(library, function))
    assert caught.value.verdict is verdict


def test_what_does_not_end_is_ended(library: str) -> None:
    with pytest.raises(measuring._FailedError, match=r"more than 0\.4 s") as caught:
        measuring._ask(request(library, "loops", 0.4))
    assert caught.value.verdict is Verdict.TIMEOUT


@pytest.mark.slow("compiles four functions")
def test_a_candidate_is_timed_if_it_computes_the_same_and_not_else() -> None:
    reference = pickle.dumps(scaled(64))
    schedule = tir.Schedule(scaled(64))
    schedule.split(schedule.get_loops("B")[0], [8, 8])
    found = measure(Trial(schedule.func, reference, QUICK))
    assert found.verdict is Verdict.RIGHT
    assert 0 < found.seconds < 1
    assert found.machine == processor_name() != ""
    A = tir.placeholder("A", (64,))
    other = tir.lower("scaled", [A, tir.compute((64,), lambda i: A[i] * 4, "B")])
    found = measure(Trial(other, reference, QUICK))
    assert (found.verdict, found.seconds) == (Verdict.WRONG, math.inf)
    assert "something else than the function it is made of" in found.reason


def test_what_is_compiled_as_it_is_need_not_compute_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, ...]] = []

    def compile_nothing(self: Toolchain, source: Path, target: Path) -> None:
        asked.append(self.flags)
        assert self.longest == 7
        raise CodegenError("enough")

    monkeypatch.setattr(Toolchain, "compile", compile_nothing)
    found = measure(Trial(scaled(8), None, Limits(exact=False, limit=7)))
    assert (found.verdict, found.reason) == (Verdict.REFUSED, "enough")
    assert len(asked) == 1
    assert "-fassociative-math" in asked[0]


def test_a_function_of_unknown_size_is_refused() -> None:
    n = tir.Var("n")
    A = tir.placeholder("A", (n,))
    B = tir.compute((n,), lambda i: A[i] * 2, "B")
    func = tir.lower("f", [A, B], scalar_args=[n])
    found = measure(Trial(func, None, QUICK))
    assert found.verdict is Verdict.REFUSED
    assert "argument 'n' is a number that nobody tells" in found.reason
    with pytest.raises(CodegenError, match="'f' cannot be measured: argument 'n'"):
        measure(Trial(func, pickle.dumps(func), QUICK))


def test_what_is_computed_of_constants_alone_is_compared_but_not_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[tuple[str, ...]] = []

    def noted(func: tir.LoweredFunc, *rest: object) -> Answer:
        ran.append(tuple([each.name for each in func.args]))
        return run(func, *rest)  # type: ignore[arg-type]  # as they are

    run = measuring._run
    monkeypatch.setattr(measuring, "_run", noted)
    measuring._expected.cache_clear()
    func = product_of_constants()
    schedule = tir.Schedule(func)
    contractions(schedule, rows=8, lanes=8)
    found = measure(Trial(schedule.func, pickle.dumps(func), QUICK))
    assert found.verdict is Verdict.RIGHT
    whole = ("_A", "_B", "_C")
    assert ran == [whole, whole, ("_A", "_B_heap_temp_buffer", "_C")]


def product_of_constants() -> tir.LoweredFunc:
    A, B, k = tir.placeholder("A", (8, 4)), tir.placeholder("B", (8, 4)), tir.reduce_axis("k", 4)
    C = tir.compute((8, 8), lambda i, j: tir.reduce_sum(A[i, k] * B[j, k], [k]), "C")
    func = tir.lower("f", [A, B, C])
    return func.with_fields(attrs=DictAttrs({CONSTANT: (1,)}))
