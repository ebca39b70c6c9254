"""Contexts tell where a visit is, give names to values, count, instrument and evaluate."""

from __future__ import annotations

from typing import Any

import pytest

import relayish as relay
from relayish import core, tir
from relayish.core.interpreter import EvaluateExpr, FoldCtx
from relayish.domain import (
    UNKNOWN,
    AnalyzeCtx,
    Count,
    DefaultHandler,
    EvalCtx,
    FlattenCtx,
    InstrumentCtx,
    NullHandler,
    OpStatsCtx,
    TransformCtx,
    Visitor,
)
from relayish.domain.eval_ctx import Unknown
from relayish.errors import DispatchError, EvaluationError, FieldIndexError, OptionError
from relayish.interpreter import EvaluateExpr as EvaluateRelay
from relayish.ir.kinds.trip_count import trip_count
from relayish.tir.interpreter import EvaluateExpr as EvaluateLoops
from tests.support.each import each
from tests.support.work import lines_run

X, Y = core.Var("x"), core.Var("y")
A = tir.Tensor("A", (9,), "int32", tir.Buffer("_A", (9,), "int32"))
I = tir.Var("i")  # noqa: E741 - an index
CORE, TIR = DefaultHandler("core"), DefaultHandler("tir")
RELAY = (DefaultHandler("relay"), DefaultHandler("nn"))


def nest(levels: int) -> core.Block:
    block = core.Block([core.St(X, core.const(1))])
    for _ in range(levels):
        block = core.Block([core.DoLoop(Y, core.const(0), Y < 3, Y + 1, block)])
    return block


# Where a visit is


@each("levels", [0, 1, 3])
@each(
    "context",
    [AnalyzeCtx, TransformCtx, InstrumentCtx, lambda: FlattenCtx(lambda _: False), OpStatsCtx],
)
def test_loop_level_is_that_of_the_nest_in_every_context(context: Any, levels: int) -> None:
    seen = []

    class See(DefaultHandler, domain="core"):
        def handle_st(self, visitor: Any, node: core.St) -> Any:
            ctx = visitor.context
            loops = [ctx.parent_loop(i) for i in range(levels + 1)]
            seen.append((ctx.loop_level, ctx.indent, loops, ctx.parent_stmt(), ctx.parent_block()))
            return node if isinstance(ctx, TransformCtx) else None

    program = nest(levels)
    Visitor(context(), See).visit(program)
    blocks, loops = [program], []
    for _ in range(levels):
        loops.insert(0, blocks[-1].stmts[0])
        blocks.append(loops[0].body)
    expected = (levels, levels + 1, [*loops, None], blocks[-1].stmts[0], blocks[-1])
    assert seen == [expected]


@pytest.mark.parametrize("context", [AnalyzeCtx, TransformCtx])
def test_chain_of_lets_is_one_block(context: type[AnalyzeCtx]) -> None:
    seen = []

    class See(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor: Any, node: relay.Call) -> Any:
            ctx = visitor.context
            seen.append((ctx.indent, type(ctx.parent_block()).__name__))
            return node if isinstance(ctx, TransformCtx) else None

    block: relay.Expr = relay.nn.relu(relay.var("z"))
    for name in "cba":
        block = relay.Let(relay.var(name), relay.nn.relu(relay.var("z")), block)
    Visitor(context(), RELAY[0], See).visit(block)
    assert seen == [(1, "Let")] * 4


def test_initial_value_of_a_loop_is_not_in_it() -> None:
    seen = []

    class See(DefaultHandler, domain="core"):
        def handle_mul(self, visitor: Any, node: Any) -> None:
            seen.append(visitor.context.loop_level)

    loop = core.DoLoop(X, core.Ld(Y) * 2, core.Ld(X) * 3 < 9, core.Ld(X) * 4, core.Block())
    Visitor(AnalyzeCtx(), See).visit(loop)
    assert seen == [0, 1, 1]


@pytest.mark.parametrize("ask", ["parent", "parent_loop"])
def test_negative_places_are_refused(ask: str) -> None:
    with pytest.raises(IndexError, match="expected 0"):
        getattr(AnalyzeCtx(), ask)(-1)


# Names of values


def test_operand_before_what_is_moved_is_moved_where_they_interfere() -> None:
    f, g = (tir.Call("int32", name, (I,)) for name in "fg")
    made = Visitor(FlattenCtx(lambda e: e is g), TIR).visit(
        tir.Block([tir.Store(A, f + (g * 2) + tir.Load(A, (I,)), (I,))])
    )
    first, second, store = made.stmts
    assert (first.body, second.body) == (f, g)
    assert isinstance(store.value.b, tir.Load)


def test_loads_are_moved_before_calls_and_not_before_loads() -> None:
    load, other = tir.Load(A, (I,)), tir.Load(A, (I + 1,))
    call = tir.Call("int32", "f", (I,))

    def count(later: tir.Expr) -> int:
        ctx = FlattenCtx(lambda e: e is later)
        return len(Visitor(ctx, TIR).visit(tir.Block([tir.Store(A, load + later, (I,))])).stmts)

    assert (count(call), count(other)) == (3, 2)


def test_condition_of_a_loop_is_left_and_that_of_a_branch_is_named() -> None:
    product = core.Ld(X) * 2
    loop = core.WhileDo(product < 9, core.Block())
    branch = core.If(product < 9, core.Block())
    func = core.FuncEntry([X], (), (), core.Block([loop, branch]))
    made = Visitor(FlattenCtx(lambda e: isinstance(e, core.Mul)), CORE).visit(func)
    kept, named, other = made.body.stmts
    assert kept is loop
    assert named.value is product
    assert other.condition.a.preg is made.pregs[0]


def test_what_a_statement_holds_stays() -> None:
    block = core.Block([core.St(X, core.Ld(X) * 2)])
    ctx = FlattenCtx(lambda e: isinstance(e, core.Mul))
    assert Visitor(ctx, CORE).visit(block) is block
    assert ctx.declared == []


def test_what_no_function_declares_is_told() -> None:
    ctx = FlattenCtx(lambda e: isinstance(e, core.Mul))
    made = Visitor(ctx, CORE).visit(core.Block([core.St(X, core.Ld(X) * 2 + 1)]))
    assert ctx.declared == [made.stmts[0].preg]


def test_what_other_scopes_use_as_well_is_left() -> None:
    z = relay.var("z")
    shared = relay.nn.relu(z)
    branches = relay.If(relay.var("c"), relay.tanh(shared), relay.erf(shared))
    made = Visitor(FlattenCtx(lambda e: e is shared), *RELAY).visit(branches)
    assert made is branches


def test_operand_of_a_graph_that_is_used_twice_has_one_name() -> None:
    z = relay.var("z")
    shared = relay.nn.relu(z)
    program = relay.Function([z], relay.add(relay.tanh(shared), relay.erf(shared)))
    made = Visitor(FlattenCtx(lambda e: e is shared), *RELAY).visit(program)
    assert made.body.value is shared
    assert made.body.body.args[0].args == made.body.body.args[1].args == (made.body.var,)


def test_graph_without_a_function_becomes_a_block() -> None:
    z = relay.var("z")
    relu = relay.nn.relu(z)
    made = Visitor(FlattenCtx(lambda e: e is relu), *RELAY).visit(relay.tanh(relu))
    assert made.value is relu
    assert made.body.args == (made.var,)


def test_part_that_can_have_no_name_is_refused_where_order_counts() -> None:
    group = tir.ArgumentGroup([tir.Call("int32", "f", (I,))])
    later = tir.Call("int32", "g", (I,))
    stmt = tir.PrimitiveNode("reduce_max", (group, tir.ArgumentGroup([later + 1])))
    with pytest.raises(DispatchError, match="can have no name in this place"):
        Visitor(FlattenCtx(lambda e: e is later), TIR).visit(tir.Block([stmt]))


def flatten_all(*stmts: core.Stmt) -> list[str]:
    made = Visitor(FlattenCtx(lambda _: True), CORE, TIR).visit(core.Block(stmts))
    return str(made).splitlines()[1:-1]


def double(value: core.Expr, times: int) -> core.Expr:
    for _ in range(times):
        value = core.Add(value, value)
    return value


@pytest.mark.parametrize("times", [1, 12, 100])
def test_shared_expression_of_a_tree_is_flattened_once(times: int) -> None:
    assert len(flatten_all(core.St(X, double(core.Ld(X), times)))) == times + 1


def test_what_holds_a_temporary_is_made_once_though_it_has_no_name() -> None:
    leaf = core.Ld(X)
    made = Visitor(FlattenCtx(lambda e: e is leaf), CORE).visit(
        core.Block([core.St(X, double(leaf, 100))])
    )
    binding, store = made.stmts
    assert binding.value is leaf
    assert store.value.a is store.value.b


def test_temporary_of_what_reads_serves_one_statement_and_one_block() -> None:
    value = core.Bnot(core.Ld(X))
    negated = core.Bnot(value)
    assert flatten_all(core.St(X, negated), core.St(Y, core.Bnot(negated))) == [
        "  stp(%t1, ld(%x))",
        "  stp(%t2, bnot(ldp(%t1)))",
        "  st(%x, bnot(ldp(%t2)))",
        "  stp(%t3, ld(%x))",
        "  stp(%t4, bnot(ldp(%t3)))",
        "  stp(%t5, bnot(ldp(%t4)))",
        "  st(%y, bnot(ldp(%t5)))",
    ]


def test_temporary_of_what_reads_nothing_serves_the_block() -> None:
    value = core.Bnot(core.Add(core.const(1), core.const(2)))
    inner = core.If(core.Ld(X) < 1, core.Block([core.St(X, core.Bnot(value))]))
    assert flatten_all(core.St(X, core.Bnot(value)), core.St(Y, core.Bnot(value)), inner) == [
        "  stp(%t1, add(1, 2))",
        "  stp(%t2, bnot(ldp(%t1)))",
        "  st(%x, bnot(ldp(%t2)))",
        "  st(%y, bnot(ldp(%t2)))",
        "  stp(%t3, ld(%x))",
        "  if(lt(ldp(%t3), 1)) {",
        "    stp(%t4, add(1, 2))",
        "    stp(%t5, bnot(ldp(%t4)))",
        "    st(%x, bnot(ldp(%t5)))",
        "  }",
    ]


def test_temporary_of_what_reads_does_not_outlive_a_call_that_may_write() -> None:
    read = A[tir.const(0)]
    called = tir.Call("int32", "f", ())
    made = Visitor(FlattenCtx(lambda e: e is not called), TIR).visit(
        tir.Block([tir.Store(A, (read + 1) * called * (read + 1) * (read + 2), (tir.const(1),))])
    )
    loads = [s for s in made.stmts if isinstance(getattr(s, "body", None), tir.Load)]
    assert len(loads) == 2


def test_occurrences_of_an_expression_are_flattened_one_by_one_where_that_is_asked() -> None:
    value = core.Bnot(core.Ld(X))
    block = core.Block([core.St(X, core.Add(value, value))])
    made = Visitor(FlattenCtx(lambda _: True), CORE, occurrences=True).visit(block)
    assert len(made.stmts) == 5


def test_what_handlers_put_before_a_statement_is_put_there_for_each_place() -> None:
    class Mark(DefaultHandler, domain="core"):
        def handle_ld(self, visitor: Any, node: core.Ld) -> Any:
            visitor.context.prepend(core.Pragma("loaded"))
            return node

    value = core.Bnot(core.Ld(X))
    block = core.Block([core.St(X, core.Add(value, value))])
    made = Visitor(FlattenCtx(lambda _: True), Mark).visit(block)
    assert [s.visit_name for s in made.stmts].count("pragma") == 2


@pytest.mark.parametrize("ask", [AnalyzeCtx.parent, AnalyzeCtx.parent_loop])
@pytest.mark.parametrize("index", [-1, "a", None])
def test_parents_go_by_numbers_from_zero(ask: Any, index: Any) -> None:
    with pytest.raises(FieldIndexError, match="expected 0, "):
        ask(AnalyzeCtx(), index)


@pytest.mark.parametrize("flag", ["a", None])
def test_traces_go_by_numbers(flag: Any) -> None:
    ctx = AnalyzeCtx()
    for ask in (ctx.is_trace, ctx.trace):
        with pytest.raises(OptionError, match="a flag of a trace is a number"):
            ask(flag)
    for write in (ctx.trace_cmd, ctx.trace_obj):
        with pytest.raises(OptionError, match="a flag of a trace is a number"):
            write(flag, print)


# Counts


def count(program: Any, name: str, *handlers: Any, **options: Any) -> Count:
    found = Visitor(OpStatsCtx(**options), *(handlers or (CORE, TIR, *RELAY))).visit(program)
    domain, _, operator = name.partition(".")
    counted: Count = found[domain, operator]
    return counted


def test_literal_trip_counts_multiply_and_others_are_estimated() -> None:
    body = tir.Store(A, I * 2, (I,))
    known = tir.For(I, 0, 3, tir.For(tir.Var("j"), 0, 4, body))
    unknown = tir.For(I, 0, 3, tir.For(tir.Var("j"), 0, tir.Var("n"), body))
    assert count(known, "tir.mul") == Count(1, 12, 12)
    assert count(unknown, "tir.mul") == Count(1, 3, 30)


def test_statement_of_a_tree_counts_wherever_it_stands_and_a_graph_node_once() -> None:
    store = core.St(X, core.const(1))
    assert count(core.Block([store, store]), "core.st").static == 2
    shared = relay.nn.relu(relay.var("z"))
    assert count(relay.add(shared, shared), "nn.relu").static == 1


def test_doublings_are_counted_at_once() -> None:
    value: core.Expr = core.Ld(X)
    for _ in range(100):
        value = core.Add(value, value)
    assert count(value, "core.add") == Count(*[2**100 - 1] * 3)


def test_calls_multiply_what_they_call() -> None:
    callee = core.FuncEntry([X], (), (), core.Block([core.St(X, core.const(1))] * 2))
    name = core.Global("f", callee.type)
    call = core.DoLoop(Y, core.const(0), Y < 5, Y + 1, core.Block([core.Call(name)]))

    def called(node: Any) -> Any:
        return callee if isinstance(node, core.Call) else None

    assert count(call, "core.st", callee=called) == Count(0, 10, 10)
    assert count(call, "core.call", callee=called) == Count(1, 5, 5)


def test_function_that_calls_itself_is_counted_once() -> None:
    name = core.Global("f", "() -> void")
    func = core.FuncEntry((), (), (), core.Block([core.Call(name)]))
    assert count(func, "core.call", callee=lambda n: func if n.visit_name == "call" else None) == (
        Count(1, 2, 2)
    )


def test_what_a_handler_leaves_is_not_counted() -> None:
    program = relay.add(relay.nn.relu(relay.var("z")), relay.var("z"))
    found = Visitor(OpStatsCtx(), RELAY[0], NullHandler("nn")).visit(program)
    assert set(found) == {("relay", "add"), ("relay", "var")}


@each(
    ("start", "test", "step", "expected"),
    [
        (0, lambda i: i < 10, 3, 4),
        (0, lambda i: i < 9, 3, 3),
        (0, lambda i: i <= 9, 3, 4),
        (5, lambda i: i < 5, 1, 0),
        (5, lambda i: i <= 5, 1, 1),
        (9, lambda i: i > 0, -3, 3),
        (9, lambda i: i >= 0, -3, 4),
        (9, lambda i: i >= 10, -3, 0),
        (0, lambda i: i < 10, -1, None),
        (0, lambda i: i < 10, 0, None),
        (0, lambda i: i > -10, 1, None),
        (0, lambda i: core.Ld(Y) < 10, 1, None),
        (0, lambda i: i < core.Ld(Y), 1, None),
    ],
)
def test_trip_count_is_how_often_the_body_runs(
    start: int, test: Any, step: int, expected: int | None
) -> None:
    loop = core.DoLoop(X, core.const(start), test(core.Ld(X)), X + step, core.Block())
    assert trip_count(loop) == expected


def step_loop(body: core.Block, variable: core.Symbol = Y) -> core.DoLoop:
    step = core.Ld(variable)
    return core.DoLoop(variable, core.const(0), step < 5, step + 1, body)


STORE = core.St(X, core.const(1))


@pytest.mark.parametrize(
    "written",
    [
        core.St(Y, core.const(0)),
        core.If(core.Ld(X) < 1, core.Block([core.St(Y, core.const(0))])),
        step_loop(core.Block()),
        core.St(core.Var("p", "int32*"), core.Lda(Y)),
        core.Call(core.Global("f", "() -> void"), (core.Lda(Y),)),
    ],
    ids=["store", "branch", "inner loop", "address", "call"],
)
def test_loop_whose_body_may_write_its_variable_runs_an_unknown_number_of_times(
    written: core.Stmt,
) -> None:
    block = core.Block([step_loop(core.Block([STORE, core.Pragma("here"), written]))])
    assert count(block, "core.pragma") == Count(1, 1, 10)


@pytest.mark.parametrize(
    "harmless",
    [
        core.St(X, Y + 1),
        step_loop(core.Block(), core.Var("z")),
        core.If(core.Ld(Y) < 1, core.Block([core.St(X, core.const(0))])),
    ],
)
def test_loop_whose_body_reads_its_variable_runs_as_its_bounds_say(harmless: core.Stmt) -> None:
    block = core.Block([step_loop(core.Block([harmless, core.Pragma("here")]))])
    assert count(block, "core.pragma") == Count(1, 5, 5)


def test_loops_one_after_the_other_over_one_variable_run_as_their_bounds_say() -> None:
    body = core.Block([core.Pragma("here")])
    outside = core.St(Y, core.const(7))
    block = core.Block([outside, step_loop(body), step_loop(body), outside])
    assert count(block, "core.pragma") == Count(2, 10, 10)


def test_loop_over_what_the_module_defines_runs_an_unknown_number_of_times() -> None:
    block = core.Block([step_loop(core.Block([core.Pragma("here")]), core.Global("g", "int32"))])
    assert count(block, "core.pragma") == Count(1, 1, 10)


def test_loops_of_what_is_called_are_asked_about_there() -> None:
    name = core.Global("f", "() -> void")
    body = core.Block([core.Pragma("here")])
    inner = core.FuncEntry((), [Y], (), core.Block([step_loop(body)]))
    outer = core.Block([core.St(Y, core.const(0)), step_loop(core.Block([core.Call(name)]))])

    def called(node: Any) -> Any:
        return inner if isinstance(node, core.Call) else None

    assert count(outer, "core.pragma", callee=called) == Count(0, 25, 25)


# Instrumentation


def test_handler_that_returns_nothing_keeps_what_is_put_below() -> None:
    class Mark(DefaultHandler, domain="core"):
        def handle_st(self, visitor: Any, node: core.St) -> None:
            visitor.context.append(core.Pragma("stored"))

        def handle_if(self, visitor: Any, node: core.If) -> None:
            visitor.context.prepend(core.Pragma("branch"))

    branch = core.If(core.const(True), core.Block([core.St(X, core.const(1))]))
    made = Visitor(InstrumentCtx(), Mark).visit(core.Block([branch]))
    assert made.stmts[0].name == "branch"
    assert [type(stmt).__name__ for stmt in made.stmts[1].then_block.stmts] == ["St", "Pragma"]


def test_lets_are_instrumented() -> None:
    class Mark(DefaultHandler, domain="relay"):
        def handle_let(self, visitor: Any, node: relay.Let) -> None:
            visitor.context.append(relay.Let(relay.var("m"), relay.const(1), node.var))

    z = relay.var("z")
    made = Visitor(InstrumentCtx(), Mark, RELAY[1]).visit(relay.Let(z, relay.const(2), z))
    assert made.body.var.name_hint == "m"
    assert made.body.body is z


# Evaluation


def test_core_is_evaluated_where_variables_are_known() -> None:
    ctx = FoldCtx({X: 5})
    visitor = Visitor(ctx, EvaluateExpr)
    assert ctx.value_of(visitor, (X << 2) + 1) == 21
    assert ctx.value_of(visitor, core.Ld(X) < core.Ld(Y)) is UNKNOWN
    assert ctx.value_of(visitor, core.Lda(X)) is UNKNOWN
    assert ctx.value_of(visitor, core.Ild(core.Lda(X))) is UNKNOWN
    assert ctx.value_of(visitor, core.Ld(X) / 0) is UNKNOWN
    assert ctx.parents == ()


@each(
    "expr",
    [
        core.Lda(X),
        core.Zero("struct p"),
        core.Ild(core.Lda(X)),
        core.Ldf(X, "a", "int32"),
        core.Ldpf(core.Preg("struct p"), "a", "int32"),
        core.Ldo(X, 0, "int32"),
        core.Ldca(core.Constant("text")),
        core.element(core.Idname(core.Var("y", "int32[3]")), 1),
    ],
)
@each("context", [EvalCtx, FoldCtx])
def test_memory_of_core_is_not_known_while_compiling(context: Any, expr: core.Expr) -> None:
    ctx = context()
    visitor = Visitor(ctx, EvaluateExpr)
    with pytest.raises(EvaluationError, match="while compiling"):
        visitor.visit(expr)
    assert ctx.value_of(visitor, expr) is UNKNOWN


def test_loops_are_evaluated_where_variables_are_known() -> None:
    ctx = EvalCtx({I: 5})
    visitor = Visitor(ctx, EvaluateLoops)
    assert ctx.value_of(visitor, tir.Select(I < 6, I * 2, tir.const(0))) == 10
    assert ctx.value_of(visitor, tir.Load(A, (I,))) is UNKNOWN
    assert ctx.value_of(visitor, I + tir.Var("n")) is UNKNOWN
    assert ctx.value_of(visitor, tir.Call("int32", "f", (I,))) is UNKNOWN


def test_relay_is_evaluated_by_the_interpreter() -> None:
    z = relay.var("z")
    ctx = EvalCtx({z: -2.0})
    visitor = Visitor(ctx, EvaluateRelay("relay"), EvaluateRelay("nn"))
    assert ctx.value_of(visitor, relay.nn.relu(z) + relay.const(1.0)) == 1.0
    assert ctx.value_of(visitor, relay.var("w")) is UNKNOWN


def test_what_is_unknown_says_which_node_it_is() -> None:
    ctx = EvalCtx()
    with pytest.raises(EvaluationError, match="is not known while compiling"):
        Visitor(ctx, CORE).visit(core.Ld(X))
    assert repr(UNKNOWN) == "UNKNOWN"
    assert isinstance(UNKNOWN, Unknown)


class Surrounded(DefaultHandler, domain="core"):
    """Notes what is around each call."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, int, object]] = []

    def handle_if(self, visitor: Any, node: core.If) -> Any:
        context = visitor.context
        self.found.append((context.loop_level, context.indent, context.parent_loop(1)))
        return visitor.visit_by_default(node)


def test_what_surrounds_a_node_is_looked_at_once() -> None:
    def work(levels: int) -> int:
        stmt: Any = core.Block(())
        for _ in range(levels):
            inner = core.If(core.const(True), stmt, core.Block(()))
            loop = core.WhileDo(core.const(False), core.Block((inner,)))
            stmt = core.Block((loop,))
        handler = Surrounded()
        lines = lines_run(lambda: Visitor(AnalyzeCtx(), handler).visit(stmt))
        assert [level for level, _, _ in handler.found] == [*range(1, levels + 1)]
        assert [indent for _, indent, _ in handler.found] == [*range(2, 2 * levels + 1, 2)]
        assert [around is None for _, _, around in handler.found] == [True] + [False] * (levels - 1)
        return lines

    assert work(40) < 2.5 * work(20)


def test_node_in_two_places_is_surrounded_by_what_is_there() -> None:
    shared = core.If(core.const(True), core.Block(()), core.Block(()))
    held = core.Block((shared,))
    loop = core.WhileDo(core.const(False), held)
    branch = core.If(core.const(True), held, core.Block(()))
    handler = Surrounded()
    Visitor(AnalyzeCtx(), handler).visit(core.Block((loop, branch, loop)))
    assert [level for level, _, _ in handler.found] == [1, 0, 0, 1]
