"""Evaluators of kinds that other packages declare."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import DuplicateNameError, EvaluationError, UnknownKindError
from relayish.interpreter import (
    EVALUATORS,
    MATCHERS,
    Apply,
    Capture,
    Closure,
    Run,
    create_executor,
    evaluate,
)
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import field
from relayish.ir.fields.roles import Atom, Role, Runs
from relayish.ir.nodes.node import Node, declared_temporarily, node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.adt import Clause, Match, Pattern, PatternVar
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.language import RELAY
from relayish.ir.relay.module import IRModule
from relayish.op import get_op
from tests.support import while_loop
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.while_loop import While

DECLARED = declared_temporarily()

with DECLARED:

    @node("unregistered")
    class Unregistered(Expr):
        value: Expr | None = None

    @node("choose", effect=Effect.NONE)
    class Choose(Expr):
        index: Expr
        branches: tuple[Expr, ...] = field(scope=Runs.ONE_OF)
        otherwise: Expr | None = field(default=None, scope=Runs.ONE_OF)

    @node("fold", effect=Effect.NONE)
    class Fold(Expr):
        function: Expr
        items: tuple[Expr, ...]

    @node("delayed", effect=Effect.NONE)
    class Delayed(Expr):
        params: tuple[Var, ...] = field(binder=True)
        body: Expr = field(scope=Runs.DEFERRED)

    @node("letrec", effect=Effect.NONE)
    class LetRec(Expr):
        var: Var = field(binder=True)
        value: Expr = field(recursive=True)
        body: Expr = field(scope=Runs.ONCE)

    @node("equations", effect=Effect.NONE)
    class Equations(Expr):
        vars: tuple[Var, ...] = field(binder=True)
        values: tuple[Expr, ...] = field(recursive=True)
        body: Expr = field(scope=Runs.ONCE)

    @node("note", effect=Effect.STATE)
    class Note(Expr):
        value: Expr
        label: str = ""

    @node("word", atom=Atom.LITERAL)
    class Word(Expr):
        text: str

    @node("setting", atom=Atom.NAME)
    class Setting(Expr):
        name: str

    @node("number_of_turns", atom=Atom.VARIABLE)
    class Counter(Expr):
        name: str = field(hint=True)

    @node("count", effect=Effect.NONE)
    class Count(Expr):
        counter: Counter = field(binder=True)
        times: Expr
        body: Expr = field(scope=Runs.REPEATEDLY)

    @node("block", effect=Effect.NONE)
    class Block(Expr):
        statements: tuple[Expr, ...] = field(scope=Runs.ONCE, block=True)

    @node("define", effect=Effect.NONE)
    class Define(Expr):
        variables: tuple[Var, ...] = field(binder=True, declares=True)
        value: Expr

    class Statement(Node, language=RELAY):
        __slots__ = ()
        visit_name = "statement"

    @node("emit", effect=Effect.STATE)
    class Emit(Statement):
        value: Expr

    @node("program", effect=Effect.STATE)
    class Program(Expr):
        body: tuple[Statement, ...] = field(scope=Runs.ONCE, block=True)

    class Arm(Node, language=RELAY, held_as=Role.PART):
        __slots__ = ()
        visit_name = "arm_family"

    @node("arm")
    class GuardedArm(Arm):
        guard: Expr
        var: Var = field(binder=True)
        body: Expr = field(scope=Runs.ONE_OF)

    @node("select", effect=Effect.NONE)
    class Select(Expr):
        data: Expr
        arms: tuple[Arm, ...]

    @node("pattern_at")
    class PatternAt(Pattern):
        var: Var = field(binder=True)
        inner: Pattern

    @node("pattern_less")
    class PatternLess(Pattern):
        limit: int


_kinds = known_in_tests(while_loop.DECLARED, DECLARED)


NOTES = []


@pytest.fixture
def notes():
    NOTES.clear()
    return NOTES


def evaluate_while(loop, value):
    while (yield Run(loop.cond, {loop.var: value})):
        value = yield Run(loop.body, {loop.var: value})
    return value


with while_loop.DECLARED, DECLARED:
    EVALUATORS.register(While, evaluate_while)


@EVALUATORS.register(Choose)
def evaluate_choose(choice, index):
    if index < len(choice.branches):
        return (yield Run(int(index)))
    return (yield Run(choice.otherwise))


@EVALUATORS.register(Fold)
def evaluate_fold(_fold, function, *items):
    value = items[0]
    for item in items[1:]:
        value = yield Apply(function, (value, item))
    return value


@EVALUATORS.register(Delayed)
def evaluate_delayed(delayed):
    return (yield Capture(delayed.body))


@EVALUATORS.register(LetRec)
def evaluate_letrec(let):
    value = 0
    for _ in range(3):
        value = yield Run(let.value, {let.var: value})
    return (yield Run(let.body, {let.var: value}))


@EVALUATORS.register(Equations)
def evaluate_equations(system):
    values = [0] * len(system.vars)
    for _ in range(2):
        known = dict(zip(system.vars, values, strict=True))
        values = []
        for value in system.values:
            values.append((yield Run(value, known)))
    return (yield Run(system.body, dict(zip(system.vars, values, strict=True))))


@EVALUATORS.register(Note)
def evaluate_note(note, value):
    NOTES.append((note.label, value))
    return value


@EVALUATORS.register(Word)
def evaluate_word(word):
    return word.text


@EVALUATORS.register(Setting)
def evaluate_setting(setting):
    return {"level": 3}[setting.name]


@EVALUATORS.register(Count)
def evaluate_count(count, times):
    value = 0
    for turn in range(int(times)):
        value = yield Run(count.body, {count.counter: turn})
    return value


@EVALUATORS.register(Block)
def evaluate_block(block):
    values = yield Run(block.statements)
    return values[-1]


@EVALUATORS.register(Define)
def evaluate_define(_define, value):
    return value


@EVALUATORS.register(Emit)
def evaluate_emit(_emit, value):
    NOTES.append(("emit", value))
    return ()


@EVALUATORS.register(Program)
def evaluate_program(program):
    return len((yield Run(0)))


@EVALUATORS.register(Select)
def evaluate_select(select, data, *guards):
    for arm, guard in zip(select.arms, guards, strict=True):
        if guard == data:
            return (yield Run(arm.body, {arm.var: data}))
    return 0


@MATCHERS.register(PatternAt)
def match_at(pattern, value):
    return ((pattern.var, value), (pattern.inner, value))


@MATCHERS.register(PatternLess)
def match_less(pattern, value):
    return () if value < pattern.limit else None


def const(value):
    return Constant(value)


def call(name, *args):
    return Call(get_op(name), args)


def doubling(limit, init=None):
    x = Var("x")
    start = const(1) if init is None else init
    return While(x, start, call("less", x, const(limit)), call("add", x, x))


# scopes and what is shared


def test_scope_is_run_with_each_value_of_its_variable():
    assert evaluate(doubling(100)) == 128


def test_scope_that_is_not_run_is_not_evaluated(notes):
    x = Var("x")
    loop = While(x, const(1), const(False), Note(x))
    assert evaluate(loop) == 1
    assert notes == []


def test_node_shared_by_scopes_and_free_of_their_variable_is_computed_once(notes):
    x, shared = Var("x"), Note(const(9), "shared")
    loop = While(x, const(1), call("less", x, shared), call("add", x, shared))
    assert evaluate(Tuple((loop, shared))) == (10, 9)
    assert notes == [("shared", 9)]


def test_node_in_a_scope_is_computed_each_time_the_scope_runs(notes):
    x = Var("x")
    loop = While(x, const(1), call("less", x, const(5)), call("add", Note(x), const(2)))
    assert evaluate(loop) == 5
    assert [value for _, value in notes] == [1, 3]


def test_node_shared_within_a_scope_is_computed_once_each_time(notes):
    x = Var("x")
    noted = Note(x)
    loop = While(x, const(1), call("less", x, const(5)), call("add", noted, noted))
    assert evaluate(loop) == 8
    assert [value for _, value in notes] == [1, 2, 4]


def test_scopes_share_nothing_that_depends_on_their_variable(notes):
    x = Var("x")
    noted = Note(call("add", x, const(1)))
    loop = While(x, const(1), call("less", noted, const(4)), noted)
    assert evaluate(loop) == 3
    assert [value for _, value in notes] == [2, 2, 3, 3, 4]


def test_closure_made_in_a_scope_keeps_the_value_of_that_turn():
    x, y = Var("x"), Var("y")
    made = RefCreate(Function((), const(0)))
    keep = Let(y, RefWrite(made, Function((), x)), call("add", x, const(1)))
    body = If(call("equal", x, const(2)), keep, call("add", x, const(1)))
    loop = While(x, const(1), call("less", x, const(5)), body)
    z = Var("z")
    assert evaluate(Let(z, loop, Tuple((z, Call(RefRead(made), ()))))) == (5, 2)


def test_loop_within_a_loop_sees_the_variables_of_both():
    x, y = Var("x"), Var("y")
    inner = While(y, x, call("less", y, const(50)), call("add", y, x))
    loop = While(x, const(1), call("less", x, const(1000)), call("add", x, inner))
    value = 1
    while value < 1000:
        turn = value
        while turn < 50:
            turn += value
        value += turn
    assert evaluate(loop) == value


def test_function_is_called_from_a_scope_and_calls_back():
    f, n = GlobalVar("f"), Var("n")
    x = Var("x")
    less = call("subtract", n, const(1))
    again = While(x, n, call("less", const(0), x), call("subtract", x, const(2)))
    body = If(call("less", n, const(1)), again, call("add", Call(f, (less,)), again))
    mod = IRModule({"f": Function((n,), body)})
    assert evaluate(Call(f, (const(5),)), mod) == -3


def test_branches_of_a_tuple_are_scopes_of_their_own(notes):
    branches = tuple(Note(const(number)) for number in range(3))
    assert evaluate(Choose(const(1), branches)) == 1
    assert notes == [("", 1)]


def test_optional_scope_is_run_where_it_is_there():
    assert evaluate(Choose(const(7), (const(0),), const(8))) == 8


def test_the_same_node_may_be_the_root_of_several_scopes():
    x, y, z = Var("x"), Var("y"), Var("z")
    arms = (GuardedArm(const(1), x, z), GuardedArm(const(2), y, z))
    assert evaluate(Let(z, const(5), Select(const(2), arms))) == 5


def test_operands_and_scopes_of_parts_are_those_of_the_node():
    x, y = Var("x"), Var("y")
    arms = (GuardedArm(const(1), x, const(10)), GuardedArm(const(2), y, call("add", y, y)))
    assert evaluate(Select(const(2), arms)) == 4
    assert evaluate(Select(const(3), arms)) == 0


def test_operand_that_sees_what_is_bound_is_asked_for():
    x = Var("x")
    let = LetRec(x, call("add", x, const(2)), call("multiply", x, const(10)))
    assert evaluate(let) == 60


def test_what_operand_and_scope_that_see_what_is_bound_share_is_evaluated_by_each():
    x = Var("x")
    shared = call("add", x, const(2))
    let = LetRec(x, call("multiply", shared, const(2)), call("subtract", shared, const(1)))
    assert evaluate(let) == 29
    assert evaluate(LetRec(x, shared, shared)) == 8


def test_what_operands_that_see_what_is_bound_share_is_evaluated_by_each():
    x, y = Var("x"), Var("y")
    shared = If(call("less", x, y), call("add", x, const(1)), call("add", y, const(2)))
    system = Equations((x, y), (shared, call("add", shared, x)), call("subtract", y, shared))
    assert evaluate(system) == 1


def test_statements_run_in_order_and_a_block_is_the_tuple_of_their_values(notes):
    block = Block((Note(const(1)), Note(const(2)), const(3)))
    assert evaluate(block) == 3
    assert [value for _, value in notes] == [1, 2]


def test_statement_gives_the_variable_it_declares_its_value():
    x = Var("x")
    assert evaluate(Block((Define((x,), const(4)), call("add", x, x)))) == 8


def test_statement_gives_several_variables_the_fields_of_its_value():
    x, y = Var("x"), Var("y")
    pair = Tuple((const(4), const(3)))
    assert evaluate(Block((Define((x, y), pair), call("subtract", x, y)))) == 1


def test_declared_variable_is_known_in_scopes_of_later_statements():
    x, y = Var("x"), Var("y")
    loop = While(y, x, call("less", y, const(20)), call("add", y, x))
    assert evaluate(Block((Define((x,), const(3)), loop))) == 21


def test_statements_of_another_family_are_evaluated(notes):
    shared = call("add", const(1), const(2))
    assert evaluate(Program((Emit(shared), Emit(shared)))) == 2
    assert notes == [("emit", 3), ("emit", 3)]


# functions


def test_function_is_applied_to_values():
    x, y = Var("x"), Var("y")
    items = (const(10), const(3), const(2))
    assert evaluate(Fold(Function((x, y), call("subtract", x, y)), items)) == 5
    assert evaluate(Fold(get_op("subtract"), items)) == 5


def test_captured_scope_is_a_function_of_its_variables():
    x, y = Var("x"), Var("y")
    value = evaluate(Delayed((x, y), call("subtract", x, y)))
    assert isinstance(value, Closure)
    assert value(7, y=2) == 5


def test_captured_scope_may_be_called_by_the_program():
    x, f = Var("x"), Var("f")
    twice = Call(f, (Call(f, (const(3),)),))
    assert evaluate(Let(f, Delayed((x,), call("multiply", x, x)), twice)) == 81


def test_wrong_number_of_arguments_to_a_captured_scope_is_told():
    x = Var("x")
    with pytest.raises(EvaluationError, match=r"takes 1 arguments \(x\); found 0"):
        evaluate(Call(Delayed((x,), x), ()))


# atoms and patterns


def test_atoms_of_other_packages_have_values():
    assert evaluate(Tuple((Word("yes"), Setting("level")))) == ("yes", 3)


def test_variables_of_other_kinds_are_bound():
    i = Counter("i")
    assert evaluate(Count(i, const(4), call("multiply", i, i))) == 9


def test_patterns_of_other_packages_match():
    x = Var("x")
    clauses = (Clause(PatternAt(x, PatternLess(3)), call("add", x, x)), Clause(PatternVar(x), x))
    assert evaluate(Match(const(2), clauses)) == 4
    assert evaluate(Match(const(5), clauses)) == 5


# errors


def test_kind_without_an_evaluator_is_named_with_the_function_to_call():
    span = Span("f.relay", 3, 3, 4, 9)
    advice = r"evaluation knows no Unregistered; call relay.interpreter.EVALUATORS"
    with pytest.raises(UnknownKindError, match=advice) as caught:
        evaluate(call("add", const(1), Unregistered(span=span)))
    assert caught.value.__notes__ == ["while evaluating unregistered(None) at f.relay:3:4"]


def test_kind_without_an_evaluator_does_no_harm_where_it_is_not_reached():
    x = Unregistered(const(1))
    assert evaluate(If(const(True), const(2), Tuple((x, x)))) == 2


def test_atom_and_pattern_without_an_evaluator_are_named():
    with declared_temporarily():

        @node("unknown_name", atom=Atom.NAME)
        class UnknownName(Expr):
            name: str

        @node("unknown_pattern")
        class UnknownPattern(Pattern):
            name: str

        with pytest.raises(UnknownKindError, match=r"EVALUATORS\.register\(UnknownName, ...\)"):
            evaluate(Tuple((UnknownName("x"),)))
        match = Match(const(1), (Clause(UnknownPattern("p"), const(2)),))
        with pytest.raises(UnknownKindError, match=r"MATCHERS\.register\(UnknownPattern, ...\)"):
            evaluate(match)


def test_evaluator_registered_later_is_used():
    with declared_temporarily():

        @node("late")
        class Late(Expr):
            """A kind that nobody knows at first."""

        with pytest.raises(UnknownKindError):
            evaluate(Late())
        EVALUATORS.register(Late, lambda _: 4)
        assert evaluate(Late()) == 4
        EVALUATORS.register(Late, lambda _: 5, replace=True)
        assert evaluate(Late()) == 5


def test_second_evaluator_of_a_kind_is_refused():
    with pytest.raises(DuplicateNameError, match="evaluation knows While already"):
        EVALUATORS.register(While, lambda loop, value: value)


def test_evaluators_of_relay_kinds_are_fixed():
    with pytest.raises(DuplicateNameError, match="Relay's If cannot be replaced"):
        EVALUATORS.register(If, lambda *_: 1, replace=True)


def test_evaluator_of_a_family_serves_its_kinds():
    with declared_temporarily():

        class Family(Expr):
            __slots__ = ()
            visit_name = "family"

        @node("member")
        class Member(Family):
            """A kind of the family."""

        EVALUATORS.register(Family, lambda member: type(member).__name__)
        assert evaluate(Member()) == "Member"


def faulty(evaluator):
    """Return a node whose kind has this evaluator, with a variable, an operand and a scope."""

    @node("faulty")
    class Faulty(Expr):
        var: Var = field(binder=True)
        value: Expr
        body: Expr = field(scope=Runs.ONCE)

    EVALUATORS.register(Faulty, evaluator)
    x = Var("x")
    return Faulty(x, const(1), x, span=Span("f.relay", 1, 1, 2, 3))


def without_values(node, _):
    yield Run(node.body)


def unknown_scope(node, _):
    yield Run(node.value)


def unknown_position(_node, _):
    yield Run(1)


def nonsense(_node, _):
    yield "body"


def failing(_node, _):
    raise KeyError("lost")


def failing_later(node, value):
    yield Run(node.body, {node.var: value})
    raise KeyError("lost")


def no_value(_node, _):
    return object()


@pytest.mark.parametrize(
    ("evaluator", "message"),
    [
        (without_values, "ran a scope with values for none; expected .*: %x"),
        (unknown_scope, "asked for the scope Constant.* one of its 1 scopes"),
        (unknown_position, "asked for the scope 1; expected one of its 1 scopes"),
        (nonsense, "yielded 'body'; expected Run, Capture or Apply"),
        (failing, "the evaluator of Faulty failed: KeyError: 'lost'"),
        (failing_later, "the evaluator of Faulty failed: KeyError: 'lost'"),
        (no_value, "the evaluator of Faulty failed: TypeError"),
        (lambda: 1, "the evaluator of Faulty failed: TypeError"),
    ],
)
def test_fault_of_an_evaluator_is_told_with_its_place(evaluator, message):
    with declared_temporarily(), pytest.raises(EvaluationError, match=message) as caught:
        evaluate(faulty(evaluator))
    assert caught.value.__notes__[0].endswith("at f.relay:1:2")


def test_error_in_a_scope_names_the_node_that_ran_it():
    x = Var("x")
    loop = While(x, const(1), const(True), TupleGetItem(x, 0), span=Span("f.relay", 5, 5, 1, 2))
    with pytest.raises(EvaluationError, match="there is no field") as caught:
        evaluate(loop)
    assert any(
        "reached from while_loop(" in note and "5:1" in note for note in caught.value.__notes__
    )


def test_scope_is_no_condition_that_is_no_truth_value():
    x = Var("x")
    loop = While(x, const(1), const(np.zeros(3)), x)
    with pytest.raises(EvaluationError, match="the evaluator of While failed: ValueError"):
        evaluate(loop)


def test_loop_without_end_is_stopped():
    x = Var("x")
    with pytest.raises(EvaluationError, match="more than 50 calls"):
        evaluate(While(x, const(1), const(True), x), max_calls=50)


def test_scopes_under_way_are_counted():
    with pytest.raises(EvaluationError, match="more than 20 calls under way"):
        evaluate(nested_in_bodies(40), max_depth=20)


# executors


def test_graph_executor_runs_evaluators_of_operands(notes):
    x = Var("x")
    noted = Note(call("add", x, x), "sum")
    planned = create_executor("graph").evaluate(Function((x,), Tuple((noted, Word("w"), noted))))
    assert planned(np.int32(4)) == (8, "w", 8)
    assert notes == [("sum", 8)]


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (doubling(3), "While is met, which needs more than values of operands"),
        (Fold(get_op("add"), (const(1),)), "Fold is met, which needs more"),
        (If(const(True), const(1), const(2)), "If is met, of a kind that graph form does not have"),
    ],
)
def test_graph_executor_refuses_kinds_with_scopes(expr, message):
    with pytest.raises(EvaluationError, match=message):
        create_executor("graph").evaluate(Function((), expr))


def test_graph_executor_names_kinds_without_an_evaluator():
    with pytest.raises(UnknownKindError, match="EVALUATORS") as caught:
        create_executor("graph").evaluate(Function((), Unregistered()))
    assert caught.value.__notes__ == ["while planning unregistered(None)"]


def test_graph_executor_tells_of_failing_evaluators():
    with declared_temporarily():

        @node("broken")
        class Broken(Expr):
            value: Expr

        EVALUATORS.register(Broken, failing)
        x = Var("x")
        planned = create_executor("graph").evaluate(Function((x,), Broken(x)))
        with pytest.raises(EvaluationError, match="the evaluator of Broken failed") as caught:
            planned(1)
    assert "while evaluating broken(%x)" in caught.value.__notes__[0]


# depth


def nested_in_inits(depth):
    expr = const(1)
    for _ in range(depth):
        x = Var("x")
        expr = While(x, expr, call("less", x, const(2)), call("add", x, x))
    return expr


def nested_in_bodies(depth):
    expr = const(5)
    for _ in range(depth):
        x = Var("x")
        expr = While(x, const(1), call("less", x, const(2)), expr)
    return expr


def nested_in_conditions(depth):
    expr = const(1)
    for _ in range(depth):
        x = Var("x")
        expr = While(x, const(1), call("less", call("add", x, expr), const(0)), const(2))
    return expr


def nested_in_parts(depth):
    expr = const(1)
    for _ in range(depth):
        expr = Select(const(1), (GuardedArm(const(1), Var("x"), expr),))
    return expr


def nested_with_outer_variable(depth):
    y = Var("y")
    expr = y
    for _ in range(depth):
        x = Var("x")
        expr = While(x, const(1), call("less", x, y), expr)
    return Let(y, const(5), expr)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("nested", "value"),
    [
        (nested_in_inits, 2),
        (nested_in_bodies, 5),
        (nested_in_conditions, 1),
        (nested_in_parts, 1),
        (nested_with_outer_variable, 5),
    ],
)
def test_scopes_nest_to_any_depth(nested, value):
    assert evaluate(nested(DEPTH)) == value
