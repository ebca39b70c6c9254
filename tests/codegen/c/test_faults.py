"""Checks in compiled loops: each fault ends in the error of the interpreter, and says where."""

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.c import build, load_module, network_of, ship, to_c
from relayish.errors import RelayishError
from tests.support.each import each
from tests.support.tir_small import function, loop, memory

A, F = memory("A", 4), memory("F", 4, dtype="float32")
K, N = tir.Var("i"), tir.Var("n")
X, T = tir.Var("x"), memory("T", 4)
R = tir.Var("r", "int32", tir.const(0), tir.const(3), is_reduce_axis=True)


def store(value, index=0, tensor=A):
    return tir.Store(tensor, value, (index if isinstance(index, tir.Expr) else tir.const(index),))


def call(name, *args):
    return tir.Call("int32", name, args)


def with_temporary(*stmts):
    return tir.LoweredFunc("f", (N, A.buffer), tir.Block(stmts), (T.buffer,))


FAULTS = {
    "index below": function([A], store(1, N), scalars=(N,)),
    "index beyond": function([A], loop(K, 0, 3, store(K, K * 2)), scalars=(N,)),
    "read beyond": function([A], store(A[N]), scalars=(N,)),
    "lane beyond": function(
        [A],
        tir.Store(A, tir.Broadcast(tir.const(1), 4), (tir.Ramp(N, tir.const(1), 4),)),
        scalars=(N,),
    ),
    "division": function([A], store(tir.Div(A[0], N + 7)), scalars=(N,)),
    "division by a number that is 0": function(
        [A], store(tir.Div(A[0], tir.const(0))), scalars=(N,)
    ),
    "remainder": function([A], store(tir.Mod(A[0], N + 7)), scalars=(N,)),
    "fraction of zero": function([A], store(tir.FracOp(A[0], N + 7)), scalars=(N,)),
    "fraction with a rest": function([A], store(tir.FracOp(A[1], N + 9)), scalars=(N,)),
    "both arms are evaluated": function(
        [A], store(tir.Select(N < 0, A[0], tir.Div(A[0], N + 7))), scalars=(N,)
    ),
    "cast": function([A, F], store(tir.Cast("int32", F[0])), scalars=(N,)),
    "cast of no number": function([A, F], store(tir.Cast("int32", F[1])), scalars=(N,)),
    "cast to an unsigned": function(
        [A, F], store(tir.Cast("int32", tir.Cast("uint8", F[2]))), scalars=(N,)
    ),
    "shift": function([A], store(call("left_shift", A[0], N)), scalars=(N,)),
    "power": function([A], store(call("pow", A[0], N)), scalars=(N,)),
    "reduction": function(
        [A], store(tir.Reduce(tir.ReduceType.DIV, tir.const(9), A[R], (R,))), scalars=(N,)
    ),
    "unwritten memory": with_temporary(store(1, 0, T), store(T[N + 8])),
    "unset variable": function(
        [A],
        tir.Let(X),
        tir.IfThenElse(N > 0, tir.Block((tir.Store(X, tir.const(1), ()),))),
        store(X),
        scalars=(N,),
    ),
    "freed memory": with_temporary(
        tir.Alloc(T.buffer),
        store(1, 0, T),
        tir.IfThenElse(N < 0, tir.Block((tir.Free(T.buffer),))),
        store(T[0]),
    ),
    "memory that was not had": with_temporary(
        tir.Alloc(T.buffer, (), N > 0), store(1, 0, T), store(T[0])
    ),
    "memory freed twice": with_temporary(
        tir.Alloc(T.buffer),
        tir.IfThenElse(N < 0, tir.Block((tir.Free(T.buffer),))),
        tir.Free(T.buffer),
    ),
}


def outcome(run, func):
    """The kind of error and its message, and what was left."""
    arrays = {
        A.buffer: np.array([0, 3, 5, 7], "int32"),
        F.buffer: np.array([3e9, np.nan, -1.0, 0.5], "float32"),
        N: np.int32(-7),
    }
    given = [arrays[arg] for arg in func.args]
    try:
        run(*given)
    except RelayishError as error:
        return type(error).__name__, str(error), arrays[A.buffer].tolist()
    return "", "", arrays[A.buffer].tolist()


@each("name", FAULTS)
def test_a_fault_is_the_error_of_the_interpreter_and_says_where(name):
    func = FAULTS[name]
    expected = outcome(lambda *args: tir.run(func, *args, mode="plain"), func)
    found = outcome(build(func), func)
    assert expected[0]
    assert (found[0], found[2]) == (expected[0], expected[2])
    place, _, values = expected[1].rsplit(", in ", 1)[1].partition(", with ")
    told = found[1].rsplit(", in ", 1)[1].partition(", with ")
    assert told[0] == place
    assert set(values.split(", ")) - {""} <= {*told[2].split(", "), "n = -7"}


def test_a_fault_tells_the_iteration_and_the_index():
    x, at = memory("X", 4, 6, dtype="float32"), memory("P", 4)
    picked = tir.compute((4,), lambda i: x[i, at[i]], "Y")
    func = tir.lower("pick", [x, at, picked])
    run, given = build(func), np.zeros((4, 6), "float32")
    with pytest.raises(RelayishError, match=r"X of shape .4, 6.*, with i = 2.*, index 1 = 7$"):
        run(given, np.array([0, 5, 7, 1], "int32"), np.zeros(4, "float32"))
    with pytest.raises(RelayishError, match=r"with i = 0, .*index 1 = -1$"):
        run(given, np.array([-1, 5, 7, 1], "int32"), np.zeros(4, "float32"))


def test_networks_tell_the_iteration_where_python_calls_them_and_not_where_c_does(tmp_path):
    x = relay.var("x", shape=(3, 4), dtype="int32")
    body = relay.floor_divide(relay.const(7), x)
    mod = relay.IRModule.from_expr(relay.Function([x], body))
    built, given = relay.build(mod), np.ones((3, 4), "int32")
    built.export_library(tmp_path / "net.so")
    given[2, 1] = 0
    for library in (built, load_module(tmp_path / "net.so")):
        graph = library["default"](None)
        with pytest.raises(RelayishError, match=r"divided by 0, in .*, with i = 2, j = 1$"):
            graph.run(x=given)
    files, _ = ship(network_of(mod)[0], "net")
    assert b"fault_" not in files["net.c"]


def test_an_argument_is_within_the_bounds_that_are_said_of_it():
    n = tir.Var("n", "int32", tir.const(1), tir.const(5))
    func = build(function([A], store(n), scalars=(n,)))
    array = np.zeros(4, "int32")
    func(np.int32(4), array)
    for wrong in (0, 5):
        with pytest.raises(RelayishError, match="argument n is out of the bounds"):
            func(np.int32(wrong), array)
    assert array[0] == 4


def checks(func):
    """How many checks the source of a function has."""
    return to_c(func).text.count("if (")


def test_what_is_proven_is_not_checked():
    B, C = memory("B", 8, 4), memory("C", 8)
    k = tir.reduce_axis("k", 4)
    total = tir.compute((8,), lambda i: tir.reduce_sum(B[i, k], [k]), "S")
    half = tir.compute((8,), lambda i: total[i] / 2, "H")
    assert checks(tir.lower("f", [B, total])) == 0
    assert checks(tir.lower("g", [B, half])) == 0
    inside = tir.IfThenElse((N >= 0) & (N < 8), tir.Block((store(1, N, C),)))
    assert checks(function([C], inside, scalars=(N,))) == 1  # the branch itself


def test_memory_that_is_filled_first_has_no_marks():
    part = with_temporary(loop(K, 0, 3, store(K, K, T)), store(T[2]))
    assert "T_held" not in to_c(part).text
    partly = with_temporary(loop(K, 0, 3, store(K, K, T)), store(T[3]))
    assert "T_held" in to_c(partly).text
    whole = with_temporary(loop(K, 0, 4, store(K, K, T)), store(T[3]))
    assert "T_held" not in to_c(whole).text
    late = with_temporary(store(T[0]), loop(K, 0, 4, store(K, K, T)))
    assert "T_held" in to_c(late).text
    itself = with_temporary(loop(K, 0, 4, store(T[K] + 1, K, T)))
    assert "T_held" in to_c(itself).text
