"""Handlers serve kinds, families and operators, whenever these are declared."""

from __future__ import annotations

from typing import Any

import pytest

import relayish as relay
from relayish import core
from relayish.domain import (
    AnalyzeCtx,
    BlockInvalidHandler,
    BlockNullHandler,
    DefaultHandler,
    Handler,
    NullHandler,
    TransformCtx,
    Visitor,
)
from relayish.errors import DeclarationError, DispatchError, EndlessRecursionError
from relayish.ir.domains.domain import Domain
from relayish.ir.nodes.node import node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr
from relayish.op import get_op, register_op

X = relay.var("x")


def test_method_of_a_family_serves_kinds_without_one() -> None:
    class Mine(Handler, domain="core"):
        def handle_stmt(self, visitor: Any, node: Any) -> str:
            return "stmt"

        def handle_binary_op(self, visitor: Any, node: Any) -> str:
            return "binary"

        def handle_add(self, visitor: Any, node: Any) -> str:
            return "add"

    visitor = Visitor(AnalyzeCtx(), Mine)
    x = core.Ld(core.Var("x"))
    assert [visitor.visit(n) for n in (core.Ret(), x * x, x + x)] == ["stmt", "binary", "add"]


def test_kind_that_is_called_as_an_operator_has_a_method_of_its_own() -> None:
    with declared_temporarily():
        Domain("clashing").add("both")

        @node("both", domain="clashing")
        class Both(Expr): ...

        class Mine(Handler, domain="clashing"):
            def handle_kind_both(self, visitor: Any, node: Any) -> str:
                return "kind"

            def handle_expr(self, visitor: Any, node: Any) -> str:
                return "family"

        assert Visitor(AnalyzeCtx(), Mine).visit(Both()) == "kind"


def test_kinds_and_operators_that_are_declared_later_are_served() -> None:
    class Mine(DefaultHandler, domain="relay"):
        def any_operator(self, visitor: Any, node: Any) -> str:
            return type(node).__name__

    visitor = Visitor(AnalyzeCtx(), Mine)
    assert visitor.visit(X) == "Var"
    with declared_temporarily():

        @node("later_kind")
        class Later(Expr): ...

        register_op("later_operator", arguments=("data",))
        assert visitor.visit(Later()) == "Later"
        assert visitor.visit(Call(get_op("later_operator"), (X,))) == "Call"


def test_handler_serves_one_domain() -> None:
    class Mine(DefaultHandler, domain="nn"): ...

    with pytest.raises(DeclarationError, match="a handler serves one domain"):

        class Wrong(Mine, domain="relay"): ...

    with pytest.raises(DeclarationError, match="cannot be made for 'relay'"):
        Mine("relay")
    with pytest.raises(DeclarationError, match="serves no domain"):
        DefaultHandler()
    assert Mine("nn").domain is Mine().domain


def test_visitor_takes_contexts_and_handlers() -> None:
    given: Any = 3
    with pytest.raises(DeclarationError, match="as its context"):
        Visitor(given)
    with pytest.raises(DeclarationError, match="as a handler"):
        Visitor(AnalyzeCtx(), given)


@pytest.mark.parametrize("nested", [False, True])
def test_what_is_no_node_is_refused(nested: bool) -> None:
    class Mine(Handler, domain="relay"):
        def handle_tanh(self, visitor: Any, node: Any) -> Any:
            return visitor.visit([node.args[0]])

    visitor = Visitor(AnalyzeCtx(), Mine)
    with pytest.raises(DispatchError, match="got a list"):
        visitor.visit(relay.tanh(X) if nested else [X])


def test_handler_that_visits_its_own_node_is_stopped() -> None:
    class Mine(Handler, domain="relay"):
        def handle_var(self, visitor: Any, node: Any) -> Any:
            return visitor.visit(node)

    ctx = AnalyzeCtx()
    with pytest.raises(EndlessRecursionError):
        Visitor(ctx, Mine).visit(X)
    assert ctx.parents == ()


def test_visitor_without_handlers_asks_the_context() -> None:
    class Walk(TransformCtx):
        def handle_unknown_domain(self, visitor: Any, node: Any) -> Any:
            return self.handle_node(visitor, node)

    program = relay.tanh(relay.tanh(X))
    assert Visitor(Walk()).visit(program) is program


def test_context_that_overrides_default_handling_is_asked_for_every_node() -> None:
    seen = []

    class Count(AnalyzeCtx):
        def handle_node(self, visitor: Any, node: Any) -> Any:
            seen.append(type(node).__name__)
            return super().handle_node(visitor, node)

    Visitor(Count(), DefaultHandler("relay")).visit(relay.tanh(relay.tanh(X)))
    assert seen == ["Call", "Call", "Var"]


@pytest.mark.parametrize("handler", [NullHandler, BlockNullHandler])
def test_handlers_of_nothing_give_nothing_to_analyses(handler: type[Handler]) -> None:
    assert Visitor(AnalyzeCtx(), handler("core")).visit(core.Ret()) is None


def test_blocks_are_descended_by_handlers_that_say_so() -> None:
    seen = []

    class Mine(BlockInvalidHandler, domain="core"):
        def handle_ret(self, visitor: Any, node: Any) -> None:
            seen.append(visitor.context.parent(1))

    inner = core.Block([core.Ret()])
    Visitor(AnalyzeCtx(), Mine).visit(core.Block([inner]))
    assert seen == [inner]


def test_hundred_doublings_are_visited_at_once() -> None:
    e: relay.Expr = X
    for _ in range(100):
        e = relay.add(e, e)
    for context in (AnalyzeCtx(), TransformCtx()):
        for handler in (DefaultHandler("relay"), GoesOn):
            assert Visitor(context, handler).visit(e) in (None, e)


class GoesOn(Handler, domain="relay"):
    """Goes on by default from each operator."""

    def any_operator(self, visitor: Any, node: Any) -> Any:
        return visitor.visit_by_default(node)


@pytest.mark.parametrize("handler", [DefaultHandler, GoesOn])
@pytest.mark.parametrize("context", [AnalyzeCtx, TransformCtx])
def test_visitor_asks_for_each_kind_once_however_often_it_occurs(
    handler: type[Handler], context: type[AnalyzeCtx]
) -> None:
    asked: list[Any] = []

    class Count(handler, domain="relay"):  # type: ignore[misc, valid-type]
        def find(self, names: Any) -> Any:
            asked.append(names)
            return super().find(names)

    def count(size: int) -> int:
        asked.clear()
        e: relay.Expr = X
        for _ in range(size):
            e = relay.add(e, X)
        Visitor(context(), Count()).visit(e)
        return len(asked)

    assert count(1000) == count(2) > 0
