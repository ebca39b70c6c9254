"""A barrier is no access, so it changes nothing of serial order, and no pass takes it away."""

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.c import to_c
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import get_pass
from relayish.tir.externs import is_barrier
from tests.support.each import each
from tests.support.languages_of_passes import OTHER_PASSES, language_of

A, B, S = [tir.placeholder(name, (16,), "int32") for name in "ABS"]
BARRIER = tir.call_intrinsic("cuda_sync_threads", (), "void")


def reversing() -> tir.LoweredFunc:
    body = [
        tir.for_("t", 16, lambda t: tir.store(S, A[t], t), thread="threadIdx.x"),
        BARRIER,
        tir.for_("t", 16, lambda t: tir.store(B, S[15 - t], t), thread="threadIdx.x"),
    ]
    return tir.LoweredFunc("f", (A, B), tir.as_block(body), (S.buffer,))


def test_a_barrier_keeps_the_rules():
    assert tir.verify(reversing()) == ()


@pytest.mark.parametrize("mode", ["plain", "vectorised"])
def test_a_barrier_does_nothing_in_serial_order(mode):
    given, found = np.arange(16, dtype="int32"), np.zeros(16, "int32")
    tir.run(reversing(), given, found, mode=mode)
    assert found.tolist() == given[::-1].tolist()


def test_a_barrier_is_read_as_it_is_written():
    assert tir.ir_equal(tir.parse(tir.astext(reversing())), reversing())


def test_a_barrier_is_nothing_in_c():
    assert "sync" not in to_c(reversing()).text


def test_a_loop_around_a_barrier_is_parallel():
    loop = tir.for_("t", 16, lambda t: [tir.store(B, A[t], t), BARRIER])
    assert tir.analysis.parallel_loops(loop) == {loop}


@pytest.mark.parametrize("found", [3, 0])
def test_a_barrier_is_given_nothing(found):
    call = tir.call_intrinsic("cuda_sync_threads", (1,) * found, "void")
    wrong = tir.verify(tir.LoweredFunc("f", (), tir.as_block(call)))
    assert len(wrong) == bool(found)


@each("name", [name for name in OTHER_PASSES if language_of(name) == "loops"])
def test_no_pass_takes_a_barrier_away(name):
    made = get_pass(name)(relay.IRModule({"f": reversing()}))["f"]
    assert any(map(is_barrier, PROGRAM.pre_order(made.body)))
