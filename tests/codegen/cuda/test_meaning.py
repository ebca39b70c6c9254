"""Kernels leave the bits of the interpreter, in whichever order threads run."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from relayish import tir
from relayish.codegen.cuda import build_on_cpu
from tests.support import cuda_programs as programs
from tests.support.compiled_loops import same_outcome
from tests.support.cuda_loops import in_order
from tests.support.tir_programs import arguments, outcome

both = pytest.mark.parametrize("order", [1, -1])


@functools.cache
def compiled():
    made = [make() for make in (*programs.ALL, programs.symbolic_threads)]
    funcs = (*made, *programs.calling().functions)
    return build_on_cpu(tir.Module("m", functions=funcs))


def run(name, *given, order=1):
    """Return what is expected, and what is found."""
    function = compiled()[name]
    expected = outcome(function.func, given, mode="plain")
    return expected, in_order(function, given, order)


def numbers(*shape, dtype="float32"):
    made = np.random.default_rng(7).integers(-50, 50, shape)
    return (made / 7).astype(dtype) if dtype.startswith("float") else made.astype(dtype)


@both
@pytest.mark.parametrize("make", programs.ALL, ids=lambda make: make.__name__)
def test_a_program_means_what_it_means_in_serial_order(make, order):
    func = compiled()[make.__name__].func
    for seed in range(2):
        given = arguments(func, seed)
        expected = outcome(func, given, mode="plain")
        found = in_order(compiled()[make.__name__], given, order)
        if make is programs.unset:
            assert found == "UninitialisedReadError"
        else:
            assert same_outcome(expected, found), (expected, found)


def test_kernels_tell_what_is_unrolled():
    lines = compiled()["matmul"].text.splitlines()
    assert [line for line in lines if line.startswith("#pragma")] == ["#pragma unroll 4"]


@both
def test_tiles_of_factors_are_shared(order):
    n = 12
    expected, found = run("matmul", numbers(n, n), numbers(n, n), numbers(n, n), order=order)
    assert found[2].tobytes() == expected[2].tobytes()
    assert np.allclose(found[2], found[0] @ found[1], rtol=1e-4)


@both
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 100])
def test_the_last_block_need_not_be_full(n, order):
    given = numbers(n, dtype="int32")
    _, found = run("symbolic", n, given, np.zeros_like(given), order=order)
    assert found[2].tolist() == (given * 3).tolist()


@pytest.mark.parametrize("n", [0, 1, 1024])
def test_arguments_say_how_many_threads_there_are(n):
    given = numbers(n, dtype="int32")
    assert run("symbolic_threads", n, given, np.zeros_like(given))[1][2].tolist() == given.tolist()


def test_more_threads_than_a_block_has_are_an_error():
    given = numbers(1025, dtype="int32")
    assert run("symbolic_threads", 1025, given, given)[1] == "EvaluationError"


@both
def test_a_fault_in_a_thread_ends_the_function(order):
    given = np.array([1, 2, 0, 4, 0, 6], "int32")
    expected, found = run("dividing", given, np.zeros(6, "int32"), order=order)
    assert found == expected == "DivisionByZeroError"


def test_a_function_runs_again_after_a_fault():
    run("dividing", np.zeros(6, "int32"), np.zeros(6, "int32"))
    found = run("dividing", np.full(6, 5, "int32"), np.zeros(6, "int32"))[1]
    assert found[1].tolist() == [2] * 6


def test_the_host_calls_functions_that_launch_kernels():
    given = numbers(5)
    _, found = run("four", given, np.zeros(5, "float32"))
    assert found[1].tolist() == (given * 4).tolist()
