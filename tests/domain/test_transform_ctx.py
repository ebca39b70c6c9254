"""Transformations put statements around others, and leave what does not change as it is."""

from __future__ import annotations

from typing import Any

import pytest

import relayish as relay
from relayish import core, tir
from relayish.domain import (
    REMOVED,
    AnalyzeCtx,
    BlockNullHandler,
    DefaultHandler,
    Handler,
    InstrumentCtx,
    NullHandler,
    TransformCtx,
    Visitor,
)
from relayish.errors import DispatchError, FieldError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node

X = core.Var("x")
Y = relay.var("y")
T = tir.Tensor("A", (9,), "int32", tir.Buffer("_A", (9,), "int32"))
ALL = tuple(map(DefaultHandler, ("relay", "nn", "core", "tir")))


def mark(name: str) -> core.Pragma:
    return core.Pragma(name)


def store(value: int) -> core.St:
    return core.St(X, core.const(value))


def spell(block: Any) -> Any:
    """Return the statements of a block of core, marks by their names."""
    if isinstance(block, core.Block):
        return [spell(stmt) for stmt in block.stmts]
    if isinstance(block, core.Pragma):
        return block.name
    if isinstance(block, core.St):
        return block.value.value
    if isinstance(block, core.If):
        return ("if", spell(block.then_block), spell(block.else_block))
    return type(block).__name__


def run(handler: type[Handler], program: Node, context: type[TransformCtx] = TransformCtx) -> Any:
    ctx = context()
    served = handler()
    others = [each for each in ALL if each.domain.name != served.domain.name]
    made = Visitor(ctx, served, *others).visit(program)
    assert ctx.parents == ()
    with pytest.raises(DispatchError, match="nothing is being visited"):
        ctx.prepend(core.Pragma("left over"))
    assert Visitor(ctx, *ALL).visit(program) is program
    return made


class Around(DefaultHandler, domain="core"):
    """Puts marks around stores."""

    def handle_st(self, visitor: Any, node: core.St) -> Any:
        number = node.value.value
        visitor.context.append(mark(f"a{number}"))
        visitor.context.prepend([mark(f"p{number}"), mark(f"q{number}")])
        visitor.context.append([mark(f"b{number}")])
        return visitor.visit_by_default(node)


class AroundIf(Around):
    def handle_if(self, visitor: Any, node: core.If) -> Any:
        visitor.context.append(mark("after"))
        made = visitor.visit_by_default(node)
        visitor.context.prepend(mark("before"))
        visitor.context.append(mark("last"))
        return made


@pytest.mark.parametrize("context", [TransformCtx, InstrumentCtx])
def test_statements_are_put_in_the_order_of_calls(context: type[TransformCtx]) -> None:
    made = run(Around, core.Block([store(1), store(2)]), context)
    assert spell(made) == ["p1", "q1", 1, "a1", "b1", "p2", "q2", 2, "a2", "b2"]


def test_what_is_appended_before_a_nested_block_is_visited_comes_after_the_statement() -> None:
    inner = core.If(core.const(True), core.Block([store(1)]), core.Block([store(2)]))
    made = run(AroundIf, core.Block([inner, store(3)]))
    branches = ["p1", "q1", 1, "a1", "b1"], ["p2", "q2", 2, "a2", "b2"]
    assert spell(made) == [
        "before", ("if", *branches), "after", "last", "p3", "q3", 3, "a3", "b3",
    ]  # fmt: skip


def test_statements_go_into_the_innermost_block_at_several_levels() -> None:
    program = core.Block([store(1)])
    for _ in range(3):
        program = core.Block([core.If(core.const(True), program)])
    made = run(AroundIf, program)
    expected: Any = ["p1", "q1", 1, "a1", "b1"]
    for _ in range(3):
        expected = ["before", ("if", expected, []), "after", "last"]
    assert spell(made) == expected


def test_shared_statement_that_puts_others_is_handled_in_each_place() -> None:
    shared = store(1)
    made = run(Around, core.Block([shared, shared]))
    assert spell(made) == ["p1", "q1", 1, "a1", "b1"] * 2


def test_shared_statement_that_is_replaced_by_several_is_so_in_each_place() -> None:
    class Twice(DefaultHandler, domain="tir"):
        def handle_store(self, visitor: Any, node: tir.Store) -> Any:
            return [node, node]

    shared = tir.Store(T, tir.const(1), (tir.const(0),))
    loop = tir.For(tir.Var("i"), 0, 4, shared)
    made = run(Twice, tir.Block([shared, loop, shared]))
    assert [type(stmt).__name__ for stmt in made.stmts] == ["Store"] * 2 + ["For"] + ["Store"] * 2
    assert made.stmts[2].body.stmts == (shared, shared)


def test_statement_without_a_block_gets_one() -> None:
    class First(DefaultHandler, domain="tir"):
        def handle_store(self, visitor: Any, node: tir.Store) -> Any:
            visitor.context.prepend(tir.Store(T, tir.const(2), (tir.const(0),)))
            return node

    shared = tir.Store(T, tir.const(1), (tir.const(0),))
    made = run(First, tir.For(tir.Var("i"), 0, 4, shared))
    assert [stmt.value.value for stmt in made.body.stmts] == [2, 1]


@pytest.mark.parametrize("returned", [REMOVED, []])
def test_statement_that_is_removed_is_left_out(returned: object) -> None:
    class Drop(DefaultHandler, domain="core"):
        def handle_st(self, visitor: Any, node: core.St) -> Any:
            return returned if node.value.value == 2 else node

    assert spell(run(Drop, core.Block([store(1), store(2), store(3)]))) == [1, 3]


def test_statement_of_a_branch_without_a_block_is_removed() -> None:
    class Drop(DefaultHandler, domain="tir"):
        def handle_store(self, visitor: Any, node: tir.Store) -> Any:
            return REMOVED

    branch = tir.IfThenElse(tir.const(True), tir.Store(T, tir.const(1), (tir.const(0),)))
    assert run(Drop, branch).true_case.stmts == ()


def test_operand_emits_before_its_statement_in_a_tree() -> None:
    class Hoist(DefaultHandler, domain="core"):
        def handle_mul(self, visitor: Any, node: Any) -> Any:
            visitor.context.prepend(mark("product"))
            return visitor.visit_by_default(node)

    product = core.Ld(X) * 2
    program = core.Block([core.St(X, product + product), core.If(product < 3, core.Block())])
    made = run(Hoist, program)
    assert [type(s).__name__ for s in made.stmts] == ["Pragma", "Pragma", "St", "Pragma", "If"]


@pytest.mark.parametrize("what", ["prepend", "append"])
def test_nothing_is_put_around_for_what_runs_repeatedly(what: str) -> None:
    class Hoist(DefaultHandler, domain="core"):
        def handle_mul(self, visitor: Any, node: Any) -> Any:
            getattr(visitor.context, what)(mark("product"))
            return node

    loop = core.WhileDo(core.Ld(X) * 2 < 9, core.Block([store(1)]))
    with pytest.raises(DispatchError, match="evaluated in a scope of"):
        run(Hoist, core.Block([loop]))


def test_parts_are_no_statements() -> None:
    class First(DefaultHandler, domain="tir"):
        def handle_schedule_block(self, visitor: Any, node: Any) -> Any:
            visitor.context.prepend(tir.Store(T, tir.const(2), (tir.const(0),)))
            return visitor.visit_by_default(node)

    i = tir.Var("i")
    inner = tir.ScheduleBlock((i,), (), (), "A", tir.Store(T, i, (i,)))
    made = run(First, tir.Block([tir.ScheduleBlockRealize((tir.const(1),), inner)]))
    assert [type(stmt).__name__ for stmt in made.stmts] == ["Store", "ScheduleBlockRealize"]


def test_what_is_put_is_a_statement() -> None:
    class Wrong(DefaultHandler, domain="core"):
        def handle_st(self, visitor: Any, node: core.St) -> Any:
            visitor.context.prepend(core.const(1))

    with pytest.raises(DispatchError, match=r"prepend is given .*expected a statement"):
        run(Wrong, core.Block([store(1)]))


def test_what_a_handler_returns_is_a_statement() -> None:
    class Wrong(DefaultHandler, domain="core"):
        def handle_st(self, visitor: Any, node: core.St) -> Any:
            return node.value

    with pytest.raises(DispatchError, match="expected a statement such as that one"):
        run(Wrong, core.Block([store(1)]))


@pytest.mark.parametrize("returned", [REMOVED, [], 3, None])
def test_operand_is_replaced_by_one_node(returned: object) -> None:
    class Wrong(DefaultHandler, domain="core"):
        def handle_intconst(self, visitor: Any, node: Any) -> Any:
            return returned

    with pytest.raises(DispatchError):
        run(Wrong, core.Block([store(1)]))


@pytest.mark.parametrize("returned", [REMOVED, []])
def test_node_of_a_graph_is_not_removed(returned: object) -> None:
    class Wrong(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor: Any, node: Any) -> Any:
            return returned

    with pytest.raises(DispatchError, match="ToANormalForm"):
        run(Wrong, relay.tanh(relay.nn.relu(Y)))


def test_nothing_is_appended_to_the_value_of_a_block() -> None:
    class After(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor: Any, node: Any) -> Any:
            visitor.context.append(relay.Let(relay.var("a"), Y, Y))
            return node

    with pytest.raises(DispatchError, match="is the value of its block"):
        run(After, relay.Let(relay.var("b"), Y, relay.nn.relu(Y)))


class Before(DefaultHandler, domain="nn"):
    """Puts a let before each relu."""

    def handle_relu(self, visitor: Any, node: relay.Call) -> Any:
        visitor.context.prepend(relay.Let(relay.var("p"), Y, Y))
        return node


class ByHand(DefaultHandler, domain="relay"):
    """Visits what comes after a let by hand, before its value."""

    def handle_let(self, visitor: Any, node: relay.Let) -> Any:
        body = visitor.visit(node.body)
        return node.with_fields(value=visitor.visit(node.value), body=body)


def names(block: Any) -> list[str]:
    found = []
    while isinstance(block, relay.Let):
        found.append(block.var.name_hint)
        block = block.body
    return found


@pytest.mark.parametrize("occurrences", [False, True])
def test_statement_of_the_value_of_a_block_comes_last_whoever_visits_it(
    occurrences: bool,
) -> None:
    block = relay.Let(relay.var("a"), Y, relay.nn.relu(Y))
    for handler in (DefaultHandler("relay"), ByHand):
        made = Visitor(TransformCtx(), handler, Before, occurrences=occurrences).visit(block)
        assert names(made) == ["a", "p"]


@pytest.mark.parametrize("occurrences", [False, True])
def test_rest_that_is_visited_by_hand_is_handled_once(occurrences: bool) -> None:
    handled = []

    class Note(ByHand):
        def handle_let(self, visitor: Any, node: relay.Let) -> Any:
            handled.append(node.var.name_hint)
            return super().handle_let(visitor, node)

    block: relay.Expr = relay.nn.relu(Y)
    for name in "edcba":
        block = relay.Let(relay.var(name), relay.nn.relu(Y), block)
    made = Visitor(TransformCtx(), Note, Before, occurrences=occurrences).visit(block)
    assert handled == list("abcde")
    assert names(made) == [each for name in "abcde" for each in ("p", name)] + ["p"]


def test_branches_share_the_rest_of_a_block() -> None:
    rest = relay.Let(relay.var("c"), relay.nn.relu(Y), relay.nn.relu(Y))
    one, two = (relay.Let(relay.var(name), relay.nn.relu(Y), rest) for name in "ab")
    made = run(Before, relay.If(relay.var("t"), one, two))
    assert names(made.true_branch) == ["p", "a", "p", "c", "p"]
    assert names(made.false_branch) == ["p", "b", "p", "c", "p"]
    assert made.true_branch.body.body is made.false_branch.body.body


def test_statement_with_another_rest_is_refused() -> None:
    class Wrong(DefaultHandler, domain="relay"):
        def handle_let(self, visitor: Any, node: relay.Let) -> Any:
            return node.with_fields(body=relay.const(1))

    with pytest.raises(DispatchError, match="with another body"):
        run(Wrong, relay.Let(relay.var("a"), Y, Y))


@pytest.mark.parametrize("handler", [NullHandler, BlockNullHandler])
def test_handler_of_nothing_leaves_what_a_statement_holds(handler: type[Handler]) -> None:
    handled = []

    class Note(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor: Any, node: Any) -> Any:
            handled.append(node)
            return node

    block = relay.Let(relay.var("a"), relay.nn.relu(Y), relay.nn.relu(Y))
    assert Visitor(TransformCtx(), handler("relay"), Note).visit(block) is block
    assert len(handled) == (2 if handler is BlockNullHandler else 0)


def test_error_that_a_handler_catches_leaves_the_block_as_it_was() -> None:
    class Fails(DefaultHandler, domain="core"):
        def handle_mul(self, visitor: Any, node: Any) -> Any:
            raise DispatchError("no product")

        def handle_st(self, visitor: Any, node: core.St) -> Any:
            visitor.context.prepend(mark("tried"))
            depth = len(visitor.context.parents)
            try:
                return visitor.visit_by_default(node)
            except DispatchError:
                assert len(visitor.context.parents) == depth
                return node

    inner = core.If(core.const(True), core.Block([core.St(X, core.Ld(X) * 2)]))
    made = run(Fails, core.Block([inner, store(1)]))
    assert [type(stmt).__name__ for stmt in made.stmts] == ["If", "Pragma", "St"]


def test_what_failed_is_handled_again() -> None:
    class Fails(DefaultHandler, domain="nn"):
        count = 0

        def handle_relu(self, visitor: Any, node: Any) -> Any:
            self.count += 1
            raise DispatchError("no relu")

    class Twice(DefaultHandler, domain="relay"):
        def handle_if(self, visitor: Any, node: Any) -> Any:
            for _ in range(2):
                with pytest.raises(DispatchError, match="no relu"):
                    visitor.visit(node.true_branch)

    handler = Fails()
    program = relay.If(Y, relay.tanh(relay.tanh(relay.nn.relu(Y))), Y)
    ctx = AnalyzeCtx()
    Visitor(ctx, Twice, handler).visit(program)
    assert (handler.count, ctx.parents) == (2, ())


def test_two_visitors_share_a_context() -> None:
    ctx = TransformCtx()
    inner = Visitor(ctx, Around)

    class Outer(DefaultHandler, domain="core"):
        def handle_if(self, visitor: Any, node: core.If) -> Any:
            visitor.context.prepend(mark("before"))
            return node.with_fields(then_block=inner.visit(node.then_block))

    program = core.Block([core.If(core.const(True), core.Block([store(1)])), store(2)])
    made = Visitor(ctx, Outer).visit(program)
    assert spell(made) == ["before", ("if", ["p1", "q1", 1, "a1", "b1"], []), 2]


def test_clone_binds_variables_of_its_own() -> None:
    class Unroll(DefaultHandler, domain="tir"):
        def handle_for(self, visitor: Any, node: tir.For) -> Any:
            return [node, visitor.context.clone(node)]

    i = tir.Var("i")
    loop = tir.For(i, 0, 4, tir.Store(T, i, (i,)))
    first, second = run(Unroll, tir.Block([loop])).stmts
    assert first is loop
    assert second.loop_var is not i
    assert structural_equal(first, second)


def test_field_that_takes_one_kind_is_checked() -> None:
    class Wrong(DefaultHandler, domain="relay"):
        def handle_var(self, visitor: Any, node: Any) -> Any:
            return relay.const(1)

    with pytest.raises((FieldError, DispatchError)):
        run(Wrong, relay.Let(relay.var("a"), Y, Y))


@pytest.mark.parametrize("kind", [core.Pragma, core.Intconst])
def test_context_tells_where_it_may_prepend(kind: type[Node]) -> None:
    told = []

    class Ask(DefaultHandler, domain="core"):
        def any_operator(self, visitor: Any, node: Any) -> Any:
            if isinstance(node, core.Mul):
                told.append(visitor.context.may_prepend(kind))
            return visitor.visit_by_default(node)

    product = core.Ld(X) * 2
    loop = core.WhileDo(product < 9, core.Block())
    run(Ask, core.Block([core.St(X, product), loop]))
    Visitor(TransformCtx(), Ask).visit(product)
    is_statement = kind is core.Pragma
    assert told[0] is is_statement
    assert not any(told[1:])


def test_context_tells_that_it_may_prepend_for_the_value_of_a_let_alone() -> None:
    told = []

    class Ask(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor: Any, node: Any) -> Any:
            told.append(visitor.context.may_prepend(relay.Let))
            return node

    program = relay.Let(relay.var("a"), relay.nn.relu(Y), relay.tanh(relay.nn.relu(Y)))
    run(Ask, program)
    assert told == [True, False]


def test_names_of_contexts_of_users_are_free_but_for_those_that_are_documented() -> None:
    class Own(TransformCtx):
        def __init__(self) -> None:
            self.emitted = self.take = self.complete = self.leave_out = "mine"
            self.is_called = self.step_for = self.reenters = self.image_of = "mine"

    class Twice(DefaultHandler, domain="core"):
        def handle_st(self, visitor: Any, store: core.St) -> Any:
            visitor.context.prepend(core.Pragma("before"))
            return [store, store]

    before = core.Block([store(1)])
    after = Visitor(Own(), Twice).visit(before)
    assert [type(each).__name__ for each in after.stmts] == ["Pragma", "St", "St"]
