"""Counts of work: what is exact, what is a bound, and what is said by sizes."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import EvaluationError
from relayish.tir.analysis import Work, count_work
from tests.support.depth import DEPTH
from tests.support.tir_small import loop, memory

I, J, K, N, M, V = [tir.Var(name) for name in "ijknmv"]  # noqa: E741
A, B = memory("A", 64, dtype="float32"), memory("B", 64, dtype="float32")
P, Q = memory("P", 66, 66, dtype="float32"), memory("Q", 64, 64, dtype="float32")
ONE = tir.const(1.0)


def stores(work: Work) -> str:
    return str(work.operations.stores)


def touched(work: Work) -> dict[str, str]:
    return {each.buffer.name: str(each.elements) for each in work.footprints}


def test_operations_are_told_by_kind_and_type() -> None:
    value = tir.math.exp(A[I * 2] * 2.0 + 1.0)
    work = count_work(loop(I, 0, 10, tir.Store(B, value, (I,))))
    told = {name: int(count) for name, count in work.operations.floats.items()}
    assert told == {"mul": 10, "add": 10, "exp": 10}
    assert {name: int(count) for name, count in work.operations.integers.items()} == {"mul": 10}
    assert int(work.flops) == 30


def test_conversions_and_choices_are_no_flops() -> None:
    value = tir.Select(I < 3, tir.Cast("float32", I), ONE)
    work = count_work(loop(I, 0, 10, tir.Store(B, value, (I,))))
    assert (str(work.flops), str(work.operations.floats["cast"])) == ("0", "10")


def test_sums_of_many_are_one_addition_less() -> None:
    value = tir.Sum((A[I], A[I + 1], A[I + 2]))
    assert str(count_work(loop(I, 0, 10, tir.Store(B, value, (I,)))).flops) == "20"


def test_expression_in_two_places_of_a_statement_counts_once() -> None:
    shared = A[I] + 1.0
    work = count_work(loop(I, 0, 10, tir.Store(B, shared * shared, (I,))))
    assert (str(work.operations.loads), str(work.flops)) == ("10", "20")


def test_vectors_count_by_lanes() -> None:
    index = tir.Ramp(I * 8, tir.const(1), 8)
    work = count_work(loop(I, 0, 8, tir.Store(B, A[index] + tir.Broadcast(ONE, 8), (index,))))
    assert (str(work.flops), stores(work), touched(work)["_B"]) == ("64", "64", "64")
    assert [each.lanes for each in work.accesses] == [8, 8]
    assert int(work.operations.load_bytes) == 256


def test_reduction_is_a_loop_of_its_own() -> None:
    axis = tir.reduce_axis("k", 20, 4)
    total = tir.Reduce(tir.ReduceType.SUM, tir.const(0.0), A[axis], (axis,))
    work = count_work(loop(I, 0, 10, tir.Store(B, total, (I,))))
    assert [(each.name, each.kind, str(each.iterations)) for each in work.loops] == [
        ("i", "serial", "10"),
        ("k", "reduce", "160"),
    ]
    assert (str(work.flops), touched(work)) == ("160", {"_A": "16", "_B": "10"})


def test_axes_of_a_reduction_are_loops_in_their_order() -> None:
    outer, inner = tir.reduce_axis("k", 5, 2), tir.reduce_axis("m", 8)
    total = tir.Reduce(tir.ReduceType.SUM, tir.const(0.0), Q[outer, inner], (outer, inner))
    work = count_work(tir.Store(B, total, (tir.const(0),)))
    assert [(each.name, str(each.iterations)) for each in work.loops] == [("k", "3"), ("m", "24")]
    assert str(work.operations.loads) == "24"


def test_kinds_of_loops_are_told() -> None:
    inner = loop(J, 0, 8, tir.Store(Q, ONE, (I, J)), lanes=8)
    work = count_work(loop(I, 0, 4, inner, kind="PARALLEL"))
    assert [each.kind for each in work.loops] == ["parallel", "vectorize[8]"]
    assert [each.name for each in work.loops_of_kind("vectorize")] == ["j"]


def test_guard_of_a_split_is_counted_out() -> None:
    index = I * 4 + J
    guarded = tir.IfThenElse(index < 10, tir.Store(B, A[index], (index,)))
    work = count_work(loop(I, 0, 3, loop(J, 0, 4, guarded)))
    assert (stores(work), touched(work)) == ("10", {"_A": "10", "_B": "10"})
    assert [str(each.elements) for each in work.loops[1].footprints] == ["<=4", "<=4"]


def test_guard_of_a_large_split_is_counted_out_without_looking_at_each_point() -> None:
    index = (I * 64 + J) * 64 + K
    guarded = tir.IfThenElse(index < 9_999_999, tir.Store(B, ONE, (K,)))
    work = count_work(loop(I, 0, 1 << 18, loop(J, 0, 64, loop(K, 0, 64, guarded))))
    assert stores(work) == "9999999"


def test_otherwise_is_what_remains() -> None:
    branch = tir.IfThenElse(
        (I >= 2) & (I < 5), tir.Store(B, ONE, (I,)), tir.Store(A, A[I] + 1.0, (I,))
    )
    work = count_work(loop(I, 0, 10, branch))
    assert (stores(work), str(work.operations.loads)) == ("10", "7")


def test_either_of_two_conditions_is_counted() -> None:
    either = tir.IfThenElse((I < 2) | (I >= 7), tir.Store(B, ONE, (I,)))
    assert stores(count_work(loop(I, 0, 10, either))) == "5"


def test_condition_that_always_holds_leaves_all_exact() -> None:
    always = tir.IfThenElse(I + J < 100, tir.Store(Q, ONE, (I, J)))
    work = count_work(loop(I, 0, 10, loop(J, 0, 10, always)))
    assert (stores(work), touched(work)) == ("100", {"_Q": "100"})


def test_condition_of_memory_gives_a_bound() -> None:
    either = tir.IfThenElse(A[I] < ONE, tir.Store(B, ONE, (I,)))
    work = count_work(loop(I, 0, 10, either))
    assert (stores(work), touched(work)) == ("<=10", {"_A": "10", "_B": "<=10"})


def test_triangle_is_counted() -> None:
    work = count_work(loop(I, 0, 1000, loop(J, 0, I + 1, tir.Store(B, ONE, (tir.const(0),)))))
    assert stores(work) == "500500"
    assert str(work.loops[1].extent) == "<=1000"


def test_loop_without_iterations_does_nothing() -> None:
    work = count_work(loop(I, 0, 10, loop(J, 0, -3, tir.Store(Q, ONE, (I, J)))))
    assert (stores(work), touched(work)) == ("0", {})


def test_fused_indices_are_as_exact_as_those_they_were() -> None:
    work = count_work(loop(I, 0, 48, tir.Store(Q, P[I / 6, I % 6], (I / 6, I % 6))))
    assert touched(work) == {"_P": "48", "_Q": "48"}


def test_indices_of_one_counter_in_two_dimensions_make_a_bound() -> None:
    work = count_work(loop(I, 0, 16, tir.Store(Q, ONE, (I, I / 4))))
    assert touched(work) == {"_Q": "<=64"}


def test_remainder_of_what_may_be_negative_takes_values_of_both_signs() -> None:
    work = count_work(loop(I, 0, 8, tir.Store(B, ONE, ((I - 4) % 4 + 10,))))
    assert touched(work) == {"_B": "<=7"}


def test_guard_of_a_quotient_is_counted_out() -> None:
    guarded = tir.IfThenElse(I / 6 < 3, tir.Store(B, ONE, (I,)))
    assert stores(count_work(loop(I, 0, 48, guarded))) == "18"


def test_fused_index_of_one_buffer_moves_by_one() -> None:
    fused = memory("F", 8, 6)
    work = count_work(loop(I, 0, 48, tir.Store(fused, tir.const(1), (I / 6, I % 6))))
    assert [each.stride for each in work.accesses] == [1]


def test_strides_are_told_of_all_loops_that_a_place_hangs_on() -> None:
    inner = loop(K, 0, 4, loop(V, 0, 8, tir.Store(Q, A[J], (I * 4 + K, J * 8 + V))))
    nest = loop(I, 0, 16, loop(J, 0, 8, inner))
    read, written = count_work(nest).accesses
    loops = {each.loop: each.name for each in count_work(nest).loops}
    named = [{loops[at]: stride for at, stride in each.strides.items()} for each in (read, written)]
    assert named == [{"j": 1, "v": 0}, {"i": 256, "j": 8, "k": 64, "v": 1}]
    assert written.stride == 1


def test_strides_of_several_axes_of_one_reduction_are_not_told_but_of_the_last() -> None:
    r, s = tir.reduce_axis("r", 4), tir.reduce_axis("s", 5)
    total = tir.reduce_sum(P[r, s], [r, s])
    (read, _) = count_work(loop(I, 0, 8, tir.Store(A, total, (I,)))).accesses
    assert list(read.strides.values()) == [1]


def test_window_is_told_once() -> None:
    value = P[I, J] + P[I, J + 1] + P[I, J + 2]
    work = count_work(loop(I, 0, 64, loop(J, 0, 64, tir.Store(Q, value, (I, J)))))
    assert touched(work) == {"_P": str(64 * 66), "_Q": str(64 * 64)}


def test_corners_that_nothing_touches_make_a_bound() -> None:
    value = P[I, J + 1] + P[I + 2, J + 1] + P[I + 1, J] + P[I + 1, J + 2]
    work = count_work(loop(I, 0, 64, loop(J, 0, 64, tir.Store(Q, value, (I, J)))))
    assert touched(work)["_P"] == f"<={66 * 66}"


def test_elements_with_gaps_are_not_those_between() -> None:
    assert touched(count_work(loop(I, 0, 10, tir.Store(A, ONE, (I * 3,))))) == {"_A": "10"}


def test_tile_is_what_one_run_of_its_loops_touches() -> None:
    inner = loop(K, 0, 4, loop(V, 0, 8, tir.Store(Q, ONE, (I * 4 + K, J * 8 + V))))
    work = count_work(loop(I, 0, 16, loop(J, 0, 8, inner)))
    sizes = {each.name: str(each.footprints[0].elements) for each in work.loops}
    assert sizes == {"i": "4096", "j": "256", "k": "32", "v": "8"}


def test_view_of_one_dimension_is_exact() -> None:
    flat = tir.Buffer("_F", (4096,))
    view = tir.Tensor("F", (64, 64), "float32", flat)
    work = count_work(loop(I, 0, 64, loop(J, 0, 32, tir.Store(view, ONE, (I, J)))))
    assert touched(work) == {"_F": "2048"}


def test_unknown_index_may_be_any_of_its_dimension() -> None:
    work = count_work(loop(I, 0, 10, tir.Store(B, ONE, (tir.Cast("int32", A[I]),))))
    assert touched(work) == {"_A": "10", "_B": "<=10"}


def test_elements_at_what_memory_says_are_told_apart_between_statements() -> None:
    at = memory("At", 4)
    first, second = [tir.Store(B, ONE, (at[0],)) for _ in range(2)]
    work = count_work(tir.Block((first, tir.Store(at, tir.const(5), (tir.const(0),)), second)))
    assert touched(work) == {"_At": "1", "_B": "<=2"}


def test_reuse_is_told_by_the_bytes_in_between() -> None:
    value = A[J] + B[I]
    work = count_work(loop(I, 0, 8, loop(J, 0, 16, tir.Store(Q, value, (I, J)))))
    told = {
        each.buffer.name: (each.stride, each.reuse_loop, each.reuse_bytes and int(each.reuse_bytes))
        for each in work.accesses
    }
    outer, inner = work.loops
    assert told == {
        "_A": (1, outer.loop, 4 * (16 + 1 + 16)),
        "_B": (0, inner.loop, 4 * 3),
        "_Q": (1, None, None),
    }


def test_sizes_are_named_until_they_are_known() -> None:
    buffers = [tir.Buffer(name, (N, M)) for name in ("_X", "_Y")]
    x, y = [tir.Tensor(buffer.name[1:], (N, M), "float32", buffer) for buffer in buffers]
    body = loop(I, 0, N, loop(J, 0, M, tir.Store(y, x[I, J] * 2.0, (I, J))))
    func = tir.LoweredFunc("f", (N, M, *buffers), tir.Block((body,)))
    work = count_work(func)
    assert (str(work.flops), str(work.bytes)) == ("m*n", "8*m*n")
    assert [each.stride for each in work.accesses] == [1, 1]
    with pytest.raises(EvaluationError, match="hangs on m, n; expected numbers"):
        int(work.flops)
    rows = loop(J, 0, M, loop(I, 0, N, tir.Store(y, x[I, J], (I, J))))
    assert [each.stride for each in count_work(rows).accesses] == [None, None]
    assert [each.stride for each in count_work(rows, {"m": 7}).accesses] == [7, 7]
    known = count_work(func, {"n": 10, M: 7})
    assert (str(known.flops), str(known.bytes)) == ("70", "560")


def test_loop_that_goes_on_while_something_holds_is_counted_or_named() -> None:
    store = tir.Store(B, ONE, (I,))
    known = tir.PolyFor(I, tir.const(0), I < 10, tir.const(3), tir.Block((store,)))
    assert stores(count_work(known)) == "4"
    down = tir.PolyFor(I, tir.const(9), I > 2, tir.const(-2), tir.Block((store,)))
    assert stores(count_work(down)) == "4"
    unknown = tir.PolyFor(I, tir.const(0), A[I] < ONE, tir.const(1), tir.Block((store,)))
    assert stores(count_work(unknown)) == "<=(trips of i)"


def test_memory_of_a_loop_that_perhaps_runs_never_is_perhaps_not_touched() -> None:
    store = tir.Store(B, ONE, (tir.const(0),))
    for limit, told in ((10, {"_B": "1"}), (0, {})):
        known = tir.PolyFor(
            I, tir.const(5), tir.LT(I, tir.const(limit)), tir.const(1), tir.Block((store,))
        )
        assert touched(count_work(known)) == told
        assert stores(count_work(known)) == str(5 * len(told))
    unknown = tir.PolyFor(I, tir.const(0), A[I] < ONE, tir.const(1), tir.Block((store,)))
    assert touched(count_work(unknown)) == {"_A": "<=64", "_B": "<=1"}


def test_call_of_which_nothing_is_known_is_said() -> None:
    call = tir.Call("void", "mystery", (A,), (B,))
    work = count_work(loop(I, 0, 3, call))
    assert str(work).splitlines()[-1] == "not counted: what is done by mystery (3 times)"
    assert touched(work) == {"_A": "<=64", "_B": "<=64"}


def test_table_is_printed() -> None:
    guarded = tir.IfThenElse(A[I] < ONE, tir.Store(Q, A[I] + 1.0, (I, J)))
    work = count_work(loop(I, 0, 64, loop(J, 0, 32, guarded), kind="PARALLEL"))
    assert str(work) == (
        "LOOP  KIND      EXTENT  ITERATIONS    FLOPS    LOADS   STORES  BYTES TOUCHED\n"
        "i     parallel      64          64  <=4,096  <=4,096  <=2,048        <=8,448\n"
        "  j   serial        32       2,048  <=4,096  <=4,096  <=2,048          <=132\n"
        "      function                      <=4,096  <=4,096  <=2,048        <=8,448"
    )


def test_intensity_is_flops_for_each_byte_that_is_touched() -> None:
    work = count_work(loop(I, 0, 64, tir.Store(B, A[I] * 2.0 + 1.0, (I,))))
    assert work.intensity == 128 / 512
    assert int(work.accessed_bytes) == 512


def test_statement_that_stands_twice_counts_twice() -> None:
    store = tir.Store(B, ONE, (I,))
    assert stores(count_work(loop(I, 0, 5, store, store))) == "10"


@pytest.mark.deep
def test_deep_nests_are_counted() -> None:
    body: tir.Stmt = tir.Store(B, ONE, (I,))
    for _ in range(DEPTH):
        body = tir.For(tir.Var("j"), 0, 2, tir.Block((tir.IfThenElse(I < 7, body),)))
    work = count_work(loop(I, 0, 10, body))
    assert int(work.operations.stores) == 7 * 2**DEPTH
