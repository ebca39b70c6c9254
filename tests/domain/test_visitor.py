"""Visitors find handlers by domain and operator, and put statements into blocks."""

from __future__ import annotations

from typing import Any

import pytest

import relayish as relay
from relayish import core
from relayish.domain import (
    REMOVED,
    AnalyzeCtx,
    DefaultHandler,
    FlattenCtx,
    Handler,
    InvalidHandler,
    NullHandler,
    TransformCtx,
    Visitor,
)
from relayish.errors import DeclarationError, DispatchError, DuplicateNameError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING

X = relay.var("x", shape=(2,))
RELU = relay.nn.relu(X)  # also loads the operators
ALL = (DefaultHandler("relay"), DefaultHandler("nn"))


def lets(*names: str) -> tuple[relay.Expr, list[relay.Var]]:
    """Return ``let n1 = relu(x); let n2 = relu(n1); ...; last`` and the variables."""
    variables = [relay.var(name) for name in names]
    values = [relay.nn.relu(v) for v in (X, *variables)]
    body: relay.Expr = variables[-1]
    for var, value in zip(variables[::-1], values[-2::-1], strict=True):
        body = relay.Let(var, value, body)
    return body, variables


def names_of(block: relay.Expr) -> list[str]:
    found = []
    while isinstance(block, relay.Let):
        found.append(block.var.name_hint)
        block = block.body
    return found


class Around(DefaultHandler, domain="nn"):
    """Puts two lets before and two after each relu."""

    def handle_relu(self, visitor: Any, node: relay.Call) -> relay.Expr:
        for name in ("p1", "p2"):
            visitor.context.prepend(relay.Let(relay.var(name), X, X))
        for name in ("a1", "a2"):
            visitor.context.append(relay.Let(relay.var(name), X, X))
        return relay.tanh(visitor.visit(node.args[0]))


def test_prepend_and_append_keep_the_order_of_calls() -> None:
    block, _ = lets("s")
    made = Visitor(TransformCtx(), ALL[0], Around).visit(block)
    assert names_of(made) == ["p1", "p2", "s", "a1", "a2"]


def test_prepend_refuses_nodes_of_a_graph() -> None:
    program = relay.Function([X], relay.add(X, relay.nn.relu(X)))
    with pytest.raises(DispatchError, match="ToANormalForm"):
        Visitor(TransformCtx(), ALL[0], Around).visit(program)


def test_let_is_left_out_when_removed() -> None:
    class Drop(DefaultHandler, domain="relay"):
        def handle_let(self, visitor: Any, node: relay.Let) -> object:
            return REMOVED if node.var.name_hint == "b" else visitor.visit_by_default(node)

    block, _ = lets("a", "b", "c")
    assert names_of(Visitor(TransformCtx(), Drop, ALL[1]).visit(block)) == ["a", "c"]


def test_let_handler_may_visit_what_comes_after_it() -> None:
    class Natural(DefaultHandler, domain="relay"):
        def handle_let(self, visitor: Any, node: relay.Let) -> relay.Let:
            return node.with_fields(value=visitor.visit(node.value), body=visitor.visit(node.body))

    block, _ = lets("a", "b", "c")
    assert Visitor(TransformCtx(), Natural, ALL[1]).visit(block) is block
    made = Visitor(TransformCtx(), Natural, Around).visit(block)
    assert names_of(made) == [name for let in "abc" for name in ("p1", "p2", let, "a1", "a2")]


def test_default_transformation_returns_the_same_object() -> None:
    block, _ = lets("a", "b")
    program = relay.Function([X], relay.If(relay.const(True), block, relay.add(X, X)))
    assert Visitor(TransformCtx(), *ALL).visit(program) is program


def test_shared_node_is_handled_once_unless_occurrences_are_asked_for() -> None:
    class Count(DefaultHandler, domain="relay"):
        count = 0

        def handle_add(self, visitor: Any, node: relay.Call) -> object:
            self.count += 1
            return visitor.visit_by_default(node)

    e: relay.Expr = X
    for _ in range(10):
        e = relay.add(e, e)
    once, each = Count(), Count()
    Visitor(AnalyzeCtx(), once).visit(e)
    Visitor(AnalyzeCtx(), each, occurrences=True).visit(e)
    assert (once.count, each.count) == (10, 1023)


INT = core.as_type("int32")
V, W = core.Var("v", INT), core.Var("w", INT)


def twice(expr: core.Expr) -> core.Block:
    """A block in which one object stands twice, with a store between."""
    stores = [core.St(V, core.const(1)), core.St(W, expr), core.St(V, core.const(2))]
    return core.Block([*stores, core.St(W, expr)])


class Literals(TransformCtx):
    def __init__(self) -> None:
        self.known: dict[object, core.Expr] = {}


class Propagate(DefaultHandler, domain="core"):
    def handle_st(self, visitor: Any, node: core.St) -> core.St:
        value = visitor.visit(node.value)
        visitor.context.known[node.symbol] = value
        return node.with_fields(value=value)

    def handle_ld(self, visitor: Any, node: core.Ld) -> core.Expr:
        return visitor.context.known.get(node.symbol, node)


@pytest.mark.parametrize(("occurrences", "second"), [(None, 2), (True, 2), (False, 1)])
def test_constants_are_not_propagated_across_a_store(occurrences: bool | None, second: int) -> None:
    visitor = Visitor(Literals(), Propagate, occurrences=occurrences)
    made = visitor.visit(twice(core.Ld(V) + 10))
    assert structural_equal(made.stmts[1].value, core.const(1) + 10)
    assert structural_equal(made.stmts[3].value, core.const(second) + 10)


def test_every_way_to_look_around_is_noticed() -> None:
    class Counted(AnalyzeCtx):
        count = 0

    enclosing: list[Node] = []

    class ByContext(DefaultHandler, domain="core"):
        def handle_ld(self, visitor: Any, node: core.Ld) -> None:
            visitor.context.count += 1

    class Itself(DefaultHandler, domain="core"):
        count = 0

        def handle_ld(self, visitor: Any, node: core.Ld) -> None:
            self.count += 1

    class Enclosed(DefaultHandler, domain="core"):
        def handle_ld(self, visitor: Any, node: core.Ld) -> None:
            enclosing.append(node)

    class Global(DefaultHandler, domain="core"):
        def handle_ld(self, visitor: Any, node: core.Ld) -> None:
            SEEN.append(node)

    class Within(DefaultHandler, domain="core"):
        def handle_ld(self, visitor: Any, node: core.Ld) -> None:
            list(map(lambda _: self.note(), [node]))  # noqa: C417 - a function within

        def __init__(self) -> None:
            super().__init__()
            self.count = 0

        def note(self) -> None:
            self.count += 1

    shared = core.Ld(V)
    program = twice(shared + shared)
    ctx, itself, within = Counted(), Itself(), Within()
    SEEN.clear()
    for handler in (ByContext, itself, Enclosed, Global, within):
        Visitor(ctx, handler).visit(program)
    assert (ctx.count, itself.count, len(enclosing), len(SEEN), within.count) == (4, 4, 4, 4, 4)


SEEN: list[Node] = []


def test_what_nobody_looks_at_is_handled_once_however_often_it_stands() -> None:
    class Zero(DefaultHandler, domain="core"):
        def handle_ld(self, visitor: Any, node: core.Ld) -> core.Expr:
            return core.Zero(INT)

        def handle_add(self, visitor: Any, node: core.Add) -> core.Expr:
            return visitor.visit_by_default(node)

    deep: core.Expr = core.Ld(V)
    for _ in range(60):
        deep = deep + deep
    made = Visitor(TransformCtx(), Zero).visit(core.St(W, deep))
    assert len(EVERYTHING.post_order(made)) == 63
    Visitor(AnalyzeCtx(), Zero).visit(core.St(W, deep))
    Visitor(AnalyzeCtx(), DefaultHandler("core")).visit(core.St(W, deep))


def test_parents_are_those_of_the_first_occurrence() -> None:
    seen = []

    class See(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor: Any, node: relay.Call) -> None:
            seen.append([type(parent).__name__ for parent in visitor.context.parents])

    shared = relay.nn.relu(X)
    ctx = AnalyzeCtx()
    Visitor(ctx, ALL[0], See).visit(relay.Tuple([relay.add(shared, shared), shared]))
    assert seen == [["Tuple", "Call", "Call"]]
    assert ctx.parents == ()


def test_parents_are_empty_after_an_exception() -> None:
    ctx = AnalyzeCtx()
    with pytest.raises(DispatchError, match="unexpected 'relu' of domain 'nn'"):
        Visitor(ctx, ALL[0], InvalidHandler("nn")).visit(relay.add(X, relay.nn.relu(X)))
    assert ctx.parents == ()


def test_null_handler_does_not_descend() -> None:
    program = relay.nn.relu(relay.erf(X))
    assert Visitor(TransformCtx(), NullHandler("nn")).visit(program) is program


def test_domain_without_a_handler_is_refused_by_default() -> None:
    with pytest.raises(DispatchError, match=r"no handler serves the domain 'nn' of 'relu'"):
        Visitor(AnalyzeCtx(), ALL[0]).visit(relay.nn.relu(X))


def test_domain_without_a_handler_is_walked_where_the_context_says_so() -> None:
    class Walk(AnalyzeCtx):
        def handle_unknown_domain(self, visitor: Any, node: Any) -> object:
            return self.handle_node(visitor, node)

    assert Visitor(Walk(), ALL[0]).visit(relay.nn.relu(X)) is None


def test_two_handlers_of_one_domain_are_refused() -> None:
    with pytest.raises(DuplicateNameError, match="two handlers serve the domain 'nn'"):
        Visitor(AnalyzeCtx(), NullHandler("nn"), DefaultHandler("nn"))


def test_misspelt_handler_is_refused_when_it_is_defined() -> None:
    with pytest.raises(DeclarationError, match="handle_rleu names no operator of domain 'nn'"):

        class Wrong(Handler, domain="nn"):
            def handle_rleu(self, visitor: Any, node: Any) -> None: ...


def test_misspelt_handler_is_refused_when_it_is_made_for_a_domain() -> None:
    class Wrong(DefaultHandler):
        def handle_rleu(self, visitor: Any, node: Any) -> None: ...

    with pytest.raises(DeclarationError, match="handle_rleu names no operator of domain 'nn'"):
        Wrong("nn")


def test_flattening_names_a_shared_operand_once() -> None:
    shared = relay.nn.relu(relay.nn.relu(X))
    program = relay.Function([X], relay.add(shared, shared))
    ctx = FlattenCtx(lambda expr: isinstance(expr, relay.Call))
    made = Visitor(ctx, *ALL).visit(program).body
    assert names_of(made) == ["t1", "t2"]
    last = made.body.body
    assert last.args == (made.body.var, made.body.var)


def test_operator_without_a_case_names_the_method() -> None:
    class Few(Handler, domain="nn"):
        def handle_relu(self, visitor: Any, node: Any) -> None: ...

    with pytest.raises(DispatchError, match=r"define handle_softmax\(visitor, node\)"):
        Visitor(AnalyzeCtx(), Few).visit(relay.nn.softmax(X))
