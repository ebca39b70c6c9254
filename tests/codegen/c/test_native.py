"""Compiled functions: what they are called with, what they share, and whose threads run on."""

import threading

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.c import build
from relayish.errors import CodegenError, TypeConfusionError, UnknownNameError
from tests.support.each import each
from tests.support.tir_small import function, loop, memory

K, N = tir.Var("i"), tir.Var("n")
A, B = memory("A", 2, 3), memory("B", 6)
GELU = tir.Call("int32", "gelu", (N,))


def copy():
    """A function that stores the elements of A to B, backwards."""
    loaded = A[K / 3, K % 3]
    return function([A, B], loop(K, 0, 6, tir.Store(B, loaded, (5 - K,))))


def test_arrays_are_changed_in_place_without_a_copy():
    given, found = np.arange(6, dtype="int32").reshape(2, 3), np.zeros(6, "int32")
    build(copy())(given, found)
    assert found.tolist() == [5, 4, 3, 2, 1, 0]
    assert given.ravel().tolist() == [0, 1, 2, 3, 4, 5]


def test_arguments_are_given_as_the_interpreter_takes_them():
    run = build(copy())
    given = np.arange(6, dtype="int32").reshape(2, 3)
    for make in (
        lambda out: run(given, out),
        lambda out: run([given, out]),
        lambda out: run({"A": given, "B": out}),
        lambda out: run({A: given, B.buffer: out}),
        lambda out: run(given.ravel(), out),
        lambda out: run(np.asfortranarray(given), out),
    ):
        found = np.zeros(6, "int32")
        make(found)
        assert found.tolist() == [5, 4, 3, 2, 1, 0]


def test_what_has_no_place_in_memory_of_its_own_is_copied_back():
    spread = np.full(12, -1, "int32")
    build(copy())(np.arange(6, dtype="int32").reshape(2, 3), spread[::2])
    assert spread.tolist() == [5, -1, 4, -1, 3, -1, 2, -1, 1, -1, 0, -1]


@each(
    "args",
    [
        (np.zeros((2, 3), "int64"), np.zeros(6, "int32")),
        (np.zeros((3, 2), "int32"), np.zeros(6, "int32")),
        (np.zeros((2, 3), "int32"),),
        (np.zeros((2, 3), "int32"), [0] * 6),
        ({"A": np.zeros((2, 3), "int32")},),
    ],
)
def test_arguments_that_do_not_fit_are_refused_as_by_the_interpreter(args):
    errors = []
    for run in (build(copy()), lambda *given: tir.run(copy(), *given)):
        with pytest.raises(TypeConfusionError) as found:
            run(*args)
        errors.append(str(found.value))
    assert errors[1].startswith(errors[0])


def test_memory_that_overlaps_is_refused_where_it_is_stored_to():
    shared = np.arange(12, dtype="int32")
    with pytest.raises(TypeConfusionError, match="overlaps"):
        build(copy())(shared[:6].reshape(2, 3), shared[5:11])
    build(copy())(shared[:6].reshape(2, 3), shared[6:])
    assert shared[6:].tolist() == [5, 4, 3, 2, 1, 0]
    read = tir.LoweredFunc("f", (A.buffer, memory("A2", 2, 3).buffer, B.buffer), copy().body)
    build(read)(shared[:6].reshape(2, 3), shared[:6].reshape(2, 3), np.zeros(6, "int32"))


def test_what_is_read_only_is_read_but_not_stored_to():
    given, found = np.arange(6, dtype="int32").reshape(2, 3), np.zeros(6, "int32")
    given.flags.writeable = False
    build(copy())(given, found)
    found.flags.writeable = False
    with pytest.raises(TypeConfusionError, match="read-only"):
        build(copy())(given, found)


def module():
    """A function that calls one of a submodule, which keeps a count in memory they share."""
    count = memory("count", 1)
    step = tir.Store(count, count[0] + N, (tir.const(0),))
    inner = tir.LoweredFunc("step", (N,), tir.Block((step,)))
    start = tir.Store(count, tir.const(0), (tir.const(0),))
    calls = [tir.Call("void", "step", (tir.const(each),), (), tir.CallType.CINN) for each in (3, 4)]
    shown = tir.Store(B, count[0], (tir.const(2),))
    outer = tir.LoweredFunc("total", (B.buffer,), tir.Block((start, *calls, shown)))
    helper = tir.LoweredFunc("step", (N,), tir.Block((step,)))
    sub = tir.Module("inside", functions=(inner,))
    return tir.Module(
        "m", buffers=(count.buffer,), functions=(outer, helper), submodules=(sub,)
    ), count


def test_functions_of_a_module_call_one_another_and_share_memory():
    program, count = module()
    compiled = build(program)
    assert set(compiled.functions) == {"total", "step", "inside.step"}
    found, kept = np.zeros(6, "int32"), np.array([40], "int32")
    compiled["total"](found)
    assert found[2] == 7
    compiled["inside.step"]({N: np.int32(2), count: kept})
    assert kept.tolist() == [42]
    with pytest.raises(relay.errors.UninitialisedReadError):
        compiled["step"](np.int32(1))


def test_a_name_that_no_function_has_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean total"):
        build(module()[0])["totel"]


def test_memory_that_is_passed_on_has_the_size_of_the_parameter():
    small = memory("small", 4)
    inner = tir.LoweredFunc("inner", (N, tir.Buffer("_P", (N,), "int32")), tir.Block(()))
    call = tir.Call("void", "inner", (N, small), (), tir.CallType.CINN)
    outer = tir.LoweredFunc("outer", (N, small.buffer), tir.Block((call,)))
    compiled = build(tir.Module("m", functions=(outer, inner)))
    compiled["outer"](np.int32(4), np.zeros(4, "int32"))
    with pytest.raises(TypeConfusionError, match="buffer _P is given memory of another size"):
        compiled["outer"](np.int32(5), np.zeros(4, "int32"))


def test_other_threads_run_while_a_function_does():
    big = memory("big", 1)
    inner = tir.Store(big, big[0] * 5 + 1, (tir.const(0),))
    j = tir.Var("j")
    nest = loop(K, 0, N, loop(j, 0, 1000, inner))
    run = build(function([big], nest, scalars=(N,)))
    done = threading.Event()

    def work():
        run(np.int32(200_000), np.zeros(1, "int32"))
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    turns = 0
    while not done.is_set() and turns < 100:
        turns += 1
    worker.join()
    assert turns == 100


@each(
    ("program", "why"),
    [
        (function([memory("F", 4, dtype="float128")]), "no elements of type float128"),
        (
            function([B], tir.Store(B, GELU, (tir.const(0),)), scalars=(N,)),
            "gelu",
        ),
        (tir.LoweredFunc("f", (tir.Var("v", "int32x4"),), tir.Block(())), "argument v is a vector"),
        (tir.Module("empty"), "no function of the loop IR"),
    ],
)
def test_what_c_cannot_say_is_refused_with_the_reason(program, why):
    with pytest.raises(relay.errors.RelayishError, match=why):
        build(program)


def test_nests_that_no_compiler_takes_are_refused_and_deep_sums_are_not():
    body = tir.Block((tir.Store(B, tir.const(1), (tir.const(0),)),))
    for at in range(1000):
        body = tir.Block((tir.For(tir.Var(f"i{at}"), tir.const(0), tir.const(1), body),))
    with pytest.raises(CodegenError, match="200 blocks stand in one another around for"):
        build(tir.LoweredFunc("f", (B.buffer,), body))
    total = B[0]
    for at in range(150):
        total = tir.Select(B[1] < total, total * 3 + at, B[2])
    func = function([B], tir.Store(B, total, (tir.const(5),)))
    given = np.arange(6, dtype="int32") * 77
    expected = given.copy()
    tir.run(func, expected)
    build(func)(given)
    assert given.tolist() == expected.tolist()


def test_shared_expressions_are_computed_once():
    total = B[0]
    for _ in range(60):
        total = total + total
    given = np.array([1, 0, 0, 0, 0, 0], "int32")
    func = build(function([B], tir.Store(B, total, (tir.const(1),))))
    func(given)
    assert func.text.count("B[0]") == 1
    assert given[1] == 0


def test_sums_may_be_added_otherwise_where_that_is_asked_for():
    a, b = memory("A", 512, dtype="float32"), memory("B", 1, dtype="float32")
    i = tir.Var("i")
    func = function([a, b], loop(i, 0, 512, tir.store(b, b[0] + a[i] * a[i], 0)))
    given = np.random.default_rng(1).random(512, "float32")
    found = []
    for exact in (True, False):
        total = np.zeros(1, "float32")
        tir.build(func, exact=exact)(given, total)
        found.append(total[0])
    wanted = np.zeros(1, "float32")
    tir.run(func, given, wanted)
    assert found[0] == wanted[0]
    assert np.isclose(found[1], wanted[0], rtol=1e-5)
