"""Visitors of handlers go as deep as programs do, by every predefined handler and context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import relayish as relay
from relayish import core
from relayish.core.interpreter import EvaluateExpr, FoldCtx
from relayish.domain import (
    AnalyzeCtx,
    BlockInvalidHandler,
    BlockNullHandler,
    DefaultHandler,
    EvalCtx,
    FlattenCtx,
    Handler,
    InstrumentCtx,
    InvalidHandler,
    NullHandler,
    OpStatsCtx,
    TransformCtx,
    Visitor,
)
from relayish.errors import DispatchError
from relayish.ir.node import Node
from tests.support import tir_deep
from tests.support.depth import DEPTH

LEVELS = DEPTH
FEW = min(DEPTH, 20_000)
"""Where a level costs much: each puts statements into a block, or gives a value a name."""


def relay_nest(levels: int) -> Node:
    e: relay.Expr = relay.var("x")
    for _ in range(levels):
        e = relay.tanh(e)
    return e


def relay_chain(levels: int) -> Node:
    x = relay.var("x")
    variables = [relay.var("v") for _ in range(levels)]
    e: relay.Expr = x
    for var in variables:
        e = relay.Let(var, relay.tanh(x), e)
    return e


def relay_branches(levels: int) -> Node:
    e: relay.Expr = relay.var("x")
    condition = relay.var("c")
    for _ in range(levels):
        e = relay.If(condition, e, e)
    return e


def core_blocks(levels: int) -> Node:
    x = core.Var("x")
    block = core.Block([core.St(x, core.const(1))])
    for _ in range(levels):
        block = core.Block([core.St(x, core.const(1)), block])
    return block


def core_loops(levels: int) -> Node:
    x = core.Var("x")
    block = core.Block([core.St(x, core.const(1))])
    for _ in range(levels):
        block = core.Block([core.DoLoop(x, core.const(0), x < 3, x + 1, block)])
    return block


def core_sum(levels: int) -> Node:
    x = core.Var("x")
    value: core.Expr = core.Ld(x)
    for _ in range(levels):
        value = value + 1
    return core.Block([core.St(x, value)])


PROGRAMS: dict[str, Callable[[int], Node]] = {
    "relay nest": relay_nest,
    "relay chain": relay_chain,
    "relay branches": relay_branches,
    "core blocks": core_blocks,
    "core loops": core_loops,
    "core sum": core_sum,
    "tir loops": tir_deep.loop_nest,
    "tir blocks": tir_deep.block_nest,
    "tir sum": tir_deep.add_chain,
}

LANGUAGES = ("relay", "core", "tir")


class Rebuild:
    """Handlers that go on by hand, in each domain."""

    def any_operator(self, visitor: Any, node: Any) -> Any:
        return visitor.visit_by_default(node)


class RelayByHand(Rebuild, Handler, domain="relay"): ...


class CoreByHand(Rebuild, Handler, domain="core"): ...


class TirByHand(Rebuild, Handler, domain="tir"): ...


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("context", [AnalyzeCtx, TransformCtx])
def test_default_handling_is_as_deep_as_programs(name: str, context: type[AnalyzeCtx]) -> None:
    program = PROGRAMS[name](LEVELS if name.startswith("relay") else FEW)
    found = Visitor(context(), *map(DefaultHandler, LANGUAGES)).visit(program)
    assert found is (program if context is TransformCtx else None)


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("context", [AnalyzeCtx, InstrumentCtx])
def test_handlers_that_go_on_are_as_deep_as_programs(name: str, context: type[AnalyzeCtx]) -> None:
    program = PROGRAMS[name](FEW)
    found = Visitor(context(), RelayByHand, CoreByHand, TirByHand).visit(program)
    assert found is (None if context is AnalyzeCtx else program)


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
def test_statistics_are_as_deep_as_programs(name: str) -> None:
    found = Visitor(OpStatsCtx(), *map(DefaultHandler, LANGUAGES)).visit(PROGRAMS[name](FEW))
    assert max(count.static for count in found.values()) >= FEW


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
def test_flattening_nothing_is_as_deep_as_programs(name: str) -> None:
    program = PROGRAMS[name](FEW)
    ctx = FlattenCtx(lambda _: False)
    assert Visitor(ctx, *map(DefaultHandler, LANGUAGES)).visit(program) is program


@pytest.mark.deep
@pytest.mark.parametrize("name", ["relay nest", "relay branches", "core sum", "tir sum"])
def test_flattening_everything_is_as_deep_as_programs(name: str) -> None:
    ctx = FlattenCtx(lambda _: True)
    Visitor(ctx, *map(DefaultHandler, LANGUAGES)).visit(PROGRAMS[name](FEW))
    assert ctx.parents == ()


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("handler", [NullHandler, BlockNullHandler])
def test_handlers_of_nothing_leave_deep_programs(name: str, handler: type[Handler]) -> None:
    program = PROGRAMS[name](LEVELS)
    assert Visitor(TransformCtx(), *map(handler, LANGUAGES)).visit(program) is program


@pytest.mark.deep
@pytest.mark.parametrize("handler", [InvalidHandler, BlockInvalidHandler])
def test_refusals_of_deep_programs_say_where(handler: type[Handler]) -> None:
    program = core_blocks(LEVELS)
    with pytest.raises(DispatchError, match="unexpected"):
        Visitor(AnalyzeCtx(), handler("core")).visit(program)


@pytest.mark.deep
def test_evaluation_is_as_deep_as_expressions() -> None:
    x = core.Var("x")
    value: core.Expr = core.Ld(x)
    for _ in range(FEW):
        value = value + 1
    ctx = FoldCtx({x: 1})
    assert ctx.value_of(Visitor(ctx, EvaluateExpr), value) == FEW + 1
    assert isinstance(ctx, EvalCtx)
