"""What a device cannot run is refused by name, with what to do: races, barriers, memory, loops."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.codegen.cuda import races, to_cuda
from relayish.errors import CodegenError
from tests.support.cuda_programs import LOCAL, SHARED, SYNC, bound, func, memory, put

N = 8
A, B, S = memory("A", (N,)), memory("B", (N,)), memory("S", (N,), SHARED)
L = memory("L", (N,), LOCAL)


def taken(*body, temps=(S, L), args=(A, B)):
    return to_cuda(func("f", args, list(body), *temps)).text


def refused(*body, temps=(S, L), args=(A, B)):
    """Return why a function is refused."""
    with pytest.raises(CodegenError) as error:
        taken(*body, temps=temps, args=args)
    return str(error.value)


def threads(body, extent=N):
    return bound("tx", extent, body)


def block(*stmts):
    return bound("bx", 1, list(stmts))


LOAD = threads(lambda t: put(S, A[t], t))
USE = threads(lambda t: put(B, S[N - 1 - t], t))


class TestRaces:
    def test_what_another_thread_stored_is_behind_a_barrier(self):
        assert "schedule.sync_threads to put a barrier between them" in refused(block(LOAD, USE))
        assert "__syncthreads();" in taken(block(LOAD, SYNC, USE))

    def test_what_the_thread_itself_stored_needs_none(self):
        own = threads(lambda t: put(B, S[t] + 1.0, t))
        assert "__syncthreads" not in taken(block(LOAD, own))

    def test_memory_of_all_is_no_different(self):
        store = threads(lambda t: put(B, A[t], t))
        use = threads(lambda t: put(A, B[N - 1 - t], t))
        assert "to put a barrier between them" in refused(block(store, use))
        assert taken(block(store, SYNC, use))

    def test_elements_far_apart_need_none(self):
        left = threads(lambda t: put(S, A[t], t), N // 2)
        other = memory("other", (N,))
        right = threads(lambda t: put(S, other[t], t + N // 2), N // 2)
        assert taken(block(left, right), args=(A, other))

    def test_a_turn_of_a_loop_waits_for_the_one_before(self):
        def turn(*stmts):
            return block(tir.for_("k", 3, list(stmts)))

        assert "in the loop over k, behind the first" in refused(turn(LOAD, SYNC, USE))
        assert "to put a barrier between them" in refused(turn(LOAD, USE, SYNC))
        assert taken(turn(LOAD, SYNC, USE, SYNC))
        assert taken(turn(SYNC, LOAD, SYNC, USE))

    def test_a_barrier_that_may_not_be_reached_is_none(self):
        n = tir.Var("n")
        between = tir.for_("k", n, [SYNC])
        assert "sync_threads" in refused(block(LOAD, between, USE), args=(n, A, B))
        branch = tir.if_then_else(tir.EQ(n, tir.const(0)), [SYNC])
        assert "sync_threads" in refused(block(LOAD, branch, USE), args=(n, A, B))
        assert taken(block(LOAD, tir.for_("k", 1, [SYNC]), USE))

    def test_a_loop_over_threads_carries_nothing(self):
        found = refused(block(threads(lambda t: put(B, B[(t + 1) % N], t))))
        assert "in another iteration of the loop over tx, which is bound to threadIdx.x" in found

    def test_a_barrier_inside_does_not_help_a_loop_that_carries_something(self):
        found = refused(block(threads(lambda t: [put(S, A[t], t), SYNC, put(B, S[N - 1 - t], t)])))
        assert "which is bound to threadIdx.x" in found

    def test_blocks_do_not_wait_for_each_other(self):
        found = refused(bound("bx", N, lambda b: [put(B, A[b], 0)]))
        assert "which is bound to blockIdx.x; bind another loop" in found

    def test_blocks_have_shared_memory_of_their_own(self):
        assert taken(bound("bx", N, lambda b: [put(S, A[b], 0), put(B, S[0], b)]))

    def test_all_threads_read_what_one_stored_behind_a_barrier(self):
        first = put(S, 1.0, 0)
        use = threads(lambda t: put(B, S[0], t))
        assert "barrier between them" in refused(block(first, use))
        assert taken(block(first, SYNC, use))

    def test_a_condition_is_read_by_all_threads(self):
        store = threads(lambda t: put(B, A[t], t))
        branch = tir.if_then_else(S[0] > 0.0, put(S, 0.0, 0))
        assert "barrier between them" in refused(block(put(S, 1.0, 0), SYNC, store, branch))

    def test_the_first_thread_alone_needs_no_barrier(self):
        rest = [put(B, S[0], 0), put(B, B[0] + S[1], 0)]
        text = taken(block(LOAD, SYNC, *rest))
        assert text.count("if (threadIdx.x == 0)") == 2
        assert text.count("__syncthreads") == 1

    @pytest.mark.parametrize(("blocks", "count"), [(1, 1), (2, 1), (1, 2)])
    def test_what_one_thread_runs_is_asked_nothing(self, monkeypatch, blocks, count):
        asked = []
        monkeypatch.setattr(races, "dependences", lambda *given: asked.append(given) or ())
        carries = tir.for_("i", N - 1, lambda i: put(A, A[i], i + 1))
        taken(bound("bx", blocks, threads(lambda _: carries, count)))
        assert bool(asked) == (blocks * count > 1)

    def test_a_scalar_of_a_block_is_not_stored_to_by_threads(self):
        total = tir.Var("total", "float32")
        let = tir.Let(total, tir.const(0.0, "float32"))
        inside = threads(lambda t: tir.Store(total, A[t]))
        found = refused(block(let, inside))
        assert "declared outside of a loop that is bound to threadIdx.x" in found

    def test_a_scalar_of_the_host_is_not_stored_to_by_threads(self):
        total = tir.Var("total", "float32")
        let = tir.Let(total, tir.const(0.0, "float32"))
        inside = threads(lambda t: [tir.Store(total, A[t]), put(B, 1.0, t)])
        assert "is declared outside of a loop that is" in refused(let, block(inside))


class TestBarriers:
    def test_all_threads_of_a_block_come_by(self):
        inside = threads(lambda t: [put(B, A[t], t), SYNC])
        assert "__syncthreads" in taken(block(inside))
        few = threads(lambda t: [put(S, A[t], t), SYNC], N // 2)
        found = refused(block(few, inside))
        assert "some threads of a block may run while others do not" in found

    @pytest.mark.parametrize("condition", [lambda t: t < 3, lambda _: A[0] > 0.0])
    def test_no_branch_of_some_threads_is_around_one(self, condition):
        body = threads(lambda t: [tir.if_then_else(condition(t), [SYNC]), put(B, A[t], t)])
        assert "and these would wait for ever" in refused(block(body))

    def test_no_loop_that_runs_differently_is_around_one(self):
        body = threads(lambda t: [tir.for_("k", t, [SYNC])])
        assert "and these would wait for ever" in refused(block(body))

    def test_no_scalar_of_a_thread_decides_of_one(self):
        x = tir.Var("x")
        body = threads(lambda t: [tir.Let(x, t + 1), tir.if_then_else(x > 2, [SYNC])])
        assert "and these would wait for ever" in refused(block(body))

    def test_a_branch_of_all_threads_may_be(self):
        body = bound("bx", 2, lambda b: [tir.if_then_else(b > 0, [LOAD, SYNC])])
        assert "__syncthreads" in taken(body)


class TestLoops:
    def test_a_store_outside_of_bound_loops(self):
        loop = tir.for_("i", N, lambda i: put(B, A[i], i))
        assert "call schedule.bind(loop, 'blockIdx.x')" in refused(loop)

    def test_blocks_are_outermost(self):
        loop = threads(lambda _: bound("bx", 2, lambda b: put(B, 1.0, b)))
        assert "call schedule.reorder" in refused(loop)

    def test_an_axis_is_bound_once(self):
        inner = tir.for_("u", 2, lambda u: put(B, A[u], u), thread="threadIdx.x")
        assert "is bound to threadIdx.x, as a loop around it is" in refused(
            block(threads(lambda _: inner))
        )

    def test_a_block_has_1024_threads(self):
        big = memory("big", (4096,))
        found = refused(bound("tx", 1025, lambda t: put(big, 1.0, t)), args=(big,))
        assert "1025 iterations of the loop over tx are bound to threadIdx.x" in found
        body = bound("ty", 64, lambda y: bound("tx", 64, lambda x: put(big, 1.0, y * 64 + x)))
        assert "run 4096 iterations, and a block has 1024" in refused(body, args=(big,))

    def test_how_often_a_bound_loop_runs_is_known_before(self):
        lengths = memory("lengths", (N,), dtype="int32")
        rows = memory("rows", (N, N))
        body = bound("bx", N, lambda b: bound("tx", lengths[b], lambda t: put(rows, 1.0, b, t)))
        found = refused(body, args=(lengths, rows))
        assert "nobody knows before a kernel is run how often the loop over tx runs" in found

    def test_one_that_runs_more_often_the_later_it_is_has_a_guard(self):
        full = memory("full", (N, N))
        body = bound("bx", N, lambda b: bound("tx", b + 1, lambda t: put(full, 1.0, b, t)))
        text = taken(body, args=(full,))
        assert "if ((int64_t)threadIdx.x < bx + 1)" in text
        assert "dim3(8, 1, 1), dim3(8, 1, 1)" in text

    def test_a_loop_that_ends_when_it_ends_is_not_bound(self):
        i = tir.Var("i")
        body = tir.as_block(put(B, A[i], i))
        kind, info = tir.ForType.GPU_THREAD, LOAD.bind_info
        loop = tir.PolyFor(i, 0, i < N, 1, body, kind, bind_info=info)
        assert "make it a For" in refused(block(loop))


class TestMemory:
    def test_local_memory_is_each_threads_own(self):
        one, two = threads(lambda t: put(L, A[t], 0)), threads(lambda t: put(B, L[0], t))
        found = refused(block(one, two))
        assert "is local to a thread, and is accessed in several loops" in found

    def test_local_memory_by_the_thread_is_one_element(self):
        one, two = threads(lambda t: put(L, A[t], t)), threads(lambda t: put(B, L[t], t))
        assert "float L[1];" in taken(block(one, two))

    def test_local_memory_of_another_thread_is_refused(self):
        one, two = threads(lambda t: put(L, A[t], t)), threads(lambda t: put(B, L[N - 1 - t], t))
        assert "is local to a thread" in refused(block(one, two))

    def test_a_block_has_48_kilobytes(self):
        big = memory("big", (12289,), SHARED)
        found = refused(block(threads(lambda t: put(big, A[t], t))), temps=(big,))
        assert "share 49156 bytes (_big), and devices have 49152" in found

    def test_sizes_of_shared_memory_are_known(self):
        n = tir.Var("n")
        open_ = memory("open", (n,), SHARED)
        loop = block(threads(lambda t: put(open_, A[t], t)))
        assert "a size that arguments tell" in refused(loop, temps=(open_,), args=(n, A))

    def test_a_kernel_asks_for_no_memory(self):
        every = memory("every", (N,))
        body = block(tir.Alloc(every.buffer), LOAD)
        assert "stands in a kernel, which asks for no memory" in refused(body, temps=(every, S))

    def test_memory_of_a_block_is_there_all_the_time(self):
        assert "__shared__ float S[8];" in taken(block(tir.Alloc(S.buffer), LOAD, SYNC, USE))

    def test_what_it_held_before_is_not_read(self):
        some = threads(lambda t: put(S, A[t], t), N // 2)
        found = refused(block(tir.Alloc(S.buffer), some, SYNC, USE))
        assert "is allocated in a kernel, and nobody knows" in found

    def test_a_turn_waits_for_memory_that_is_allocated_anew(self):
        turn = [tir.Alloc(S.buffer), LOAD, SYNC, USE]
        assert "in the loop over k" in refused(block(tir.for_("k", 3, turn)))
        assert taken(block(tir.for_("k", 3, [*turn, SYNC])))


class TestCalls:
    def test_a_function_that_nobody_knows(self):
        call = tir.call_extern("nobody", (A[0],))
        found = refused(block(threads(lambda t: put(B, call, t))))
        assert "nothing says how C computes the extern function 'nobody'" in found

    def test_a_function_of_the_module_in_a_kernel(self):
        inner = func("g", (A,), block(threads(lambda t: put(A, 1.0, t))))
        call = tir.Call("void", "g", (), (A,), tir.CallType.CINN)
        outer = func("f", (A,), block(threads(lambda _: [call])))
        with pytest.raises(CodegenError, match="calls a function of the module in a kernel"):
            to_cuda(tir.Module("m", functions=(inner, outer)))

    def test_mathematics_is_spelt_as_in_c(self):
        body = block(threads(lambda t: put(B, tir.math.exp(A[t]), t)))
        assert "B[tx] = expf(x);" in taken(body)


def test_names_of_cpp_and_of_cuda_are_left_alone():
    given = memory("class", (N,))
    body = bound("tx", N, lambda t: put(given, 1.0, t), name="threadIdx")
    text = to_cuda(func("new", (given,), body)).text
    assert "int32_t new_1(float *restrict class_1)" in text
    assert "const int32_t threadIdx_1 = (int32_t)threadIdx.x;" in text
