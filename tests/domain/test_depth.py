"""Visitors of handlers go as deep as programs do, by every predefined handler and context."""

from __future__ import annotations

from functools import cache

import pytest

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
    SimplifyCtx,
    TransformCtx,
    VerifyCtx,
    Visitor,
    assemble,
    verify,
)
from relayish.errors import DispatchError
from relayish.ir.nodes.node import Node
from tests.support.deep_domains import LANGUAGES, PROGRAMS, by_hand
from tests.support.depth import DEPTH
from tests.support.each import each

LEVELS = DEPTH
FEW = min(DEPTH // 2, 20_000)
"""Where a level costs much: each is several nodes, puts statements into a block, or names one."""


@cache
def deep_program(name: str, levels: int) -> Node:
    """Return a program by its name, made once."""
    return PROGRAMS[name](levels)


@pytest.mark.deep
@each("name", PROGRAMS)
@pytest.mark.parametrize("context", [AnalyzeCtx, TransformCtx])
def test_default_handling_is_as_deep_as_programs(name: str, context: type[AnalyzeCtx]) -> None:
    program = deep_program(name, LEVELS if name.startswith("relay") else FEW)
    found = Visitor(context(), *map(DefaultHandler, LANGUAGES)).visit(program)
    assert found is (program if context is TransformCtx else None)


@pytest.mark.deep
@each("name", PROGRAMS)
@pytest.mark.parametrize(
    ("context", "base"),
    [(AnalyzeCtx, Handler), (InstrumentCtx, NullHandler), (TransformCtx, InvalidHandler)],
)
def test_handlers_that_go_on_are_as_deep_as_programs(
    name: str, context: type[AnalyzeCtx], base: type[Handler]
) -> None:
    program = deep_program(name, FEW)
    found = Visitor(context(), *by_hand(base)).visit(program)
    assert found is (None if context is AnalyzeCtx else program)


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
def test_statistics_are_as_deep_as_programs(name: str) -> None:
    found = Visitor(OpStatsCtx(), *map(DefaultHandler, LANGUAGES)).visit(deep_program(name, FEW))
    assert max(count.dynamic for count in found.values()) >= FEW


@pytest.mark.deep
@pytest.mark.parametrize("name", ["relay nest", "core loops", "tir loops", "tir branches"])
def test_verification_is_as_deep_as_programs(name: str) -> None:
    program = deep_program(name, FEW)
    assert verify(program) == ()
    assert Visitor(VerifyCtx(), *map(DefaultHandler, LANGUAGES)).visit(program) is None


@pytest.mark.deep
@pytest.mark.parametrize("name", ["relay nest", "core loops", "tir loops", "tir branches"])
def test_simplification_is_as_deep_as_programs(name: str) -> None:
    ctx = SimplifyCtx()
    assert assemble("simplify", ctx).visit(deep_program(name, FEW)) is not None
    assert ctx.parents == ()


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
def test_flattening_nothing_is_as_deep_as_programs(name: str) -> None:
    program = deep_program(name, FEW)
    ctx = FlattenCtx(lambda _: False)
    assert Visitor(ctx, *map(DefaultHandler, LANGUAGES)).visit(program) is program


@pytest.mark.deep
@pytest.mark.parametrize("name", ["relay nest", "relay branches", "core sum", "tir sum"])
def test_flattening_everything_is_as_deep_as_programs(name: str) -> None:
    ctx = FlattenCtx(lambda _: True)
    Visitor(ctx, *map(DefaultHandler, LANGUAGES)).visit(deep_program(name, FEW))
    assert ctx.parents == ()


@pytest.mark.deep
@each("name", PROGRAMS)
@pytest.mark.parametrize("handler", [NullHandler, BlockNullHandler])
def test_handlers_of_nothing_leave_deep_programs(name: str, handler: type[Handler]) -> None:
    program = deep_program(name, LEVELS)
    assert Visitor(TransformCtx(), *map(handler, LANGUAGES)).visit(program) is program


@pytest.mark.deep
@pytest.mark.parametrize("handler", [InvalidHandler, BlockInvalidHandler])
def test_refusals_of_deep_programs_say_where(handler: type[Handler]) -> None:
    program = deep_program("core blocks", LEVELS)
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
