"""Loops, logs and streams do in Relay's programs what their declarations say."""

from __future__ import annotations

import pickle

import pytest
from while_loops import Log, SignAnalysis, StreamType, While, logged

import relayish as relay
from relayish.dataflow import get_analysis, solve
from relayish.dataflow.lattice.signs import Sign
from relayish.errors import AnalysisError
from relayish.transform import InferType, Sequential


@pytest.fixture
def doubling() -> relay.Function:
    """The first power of two that is no smaller than the argument, each step logged."""
    i, n = relay.var("i", "int32"), relay.var("n", "int32")
    loop = While(i, relay.const(1), relay.less(i, n), Log(relay.add(i, i), "doubled"))
    return relay.Function([n], loop)


def test_loop_is_evaluated_and_each_round_is_noted(doubling: relay.Function) -> None:
    with logged() as notes:
        assert relay.evaluate(doubling)(20) == 32
    assert [int(value) for _, value in notes] == [2, 4, 8, 16, 32]


def test_loop_has_the_type_of_its_variable(doubling: relay.Function) -> None:
    mod = InferType()(relay.IRModule.from_expr(doubling))
    assert str(mod["main"].checked_type) == "fn (int32) -> int32"


def test_loop_is_read_back_from_text_and_from_a_pickle(doubling: relay.Function) -> None:
    mod = relay.IRModule.from_expr(doubling)
    assert relay.structural_equal(relay.parse(relay.astext(mod)), mod)
    assert relay.structural_equal(pickle.loads(pickle.dumps(doubling)), doubling)


def test_loop_that_never_runs_is_dropped() -> None:
    i, n = relay.var("i", "int32"), relay.var("n", "int32")
    never = While(i, n, relay.less(relay.const(2), relay.const(1)), relay.add(i, i))
    mod = relay.IRModule.from_expr(relay.Function([n], never))
    out = Sequential(["FoldConstant", "DropDeadLoops"])(mod)
    assert relay.structural_equal(out["main"], relay.Function([n], n))


def test_stream_is_a_type_of_variables() -> None:
    stream = relay.var("s", StreamType(relay.scalar_type("int32")))
    mod = InferType()(relay.IRModule({"main": relay.Function([stream], stream)}))
    assert relay.structural_equal(relay.parse(relay.astext(mod)), mod)


def test_sign_of_a_loop_is_found_through_its_rounds(doubling: relay.Function) -> None:
    [signs] = solve([SignAnalysis()], doubling)
    assert signs.value(doubling.body) is Sign.POSITIVE


def test_sign_of_an_operator_that_nobody_told_of_may_be_any() -> None:
    i, n = relay.var("i", "int32"), relay.var("n", "int32")
    loop = While(i, relay.const(1), relay.less(i, n), relay.abs(i))
    [signs] = solve([SignAnalysis()], relay.Function([n], loop))
    assert signs.value(loop) is Sign.ANY


def test_operator_that_nobody_told_of_is_refused_where_analysis_is_strict() -> None:
    i, n = relay.var("i", "int32"), relay.var("n", "int32")
    loop = While(i, relay.const(1), relay.less(i, n), relay.abs(i))
    with pytest.raises(AnalysisError) as caught:
        solve([SignAnalysis(strict=True)], relay.Function([n], loop))
    assert str(caught.value) == (
        "SignAnalysis has no transfer for abs, in abs(%i); call "
        "relayish.dataflow.TRANSFERS.register(SignAnalysis, ..., rule), or leave out strict=True, "
        "and its value may be any"
    )


def test_analysis_of_the_package_is_found_by_its_name() -> None:
    assert type(get_analysis("sign_analysis")) is SignAnalysis


def test_variable_that_a_loop_uses_is_live_where_a_round_ends(doubling: relay.Function) -> None:
    [live] = solve([get_analysis("liveness")], doubling)
    loop = doubling.body
    assert isinstance(loop, While)
    [n] = doubling.params
    assert set(live.after(loop.body)) == {n}
    assert set(live.before(loop.cond)) == {n, loop.var}
