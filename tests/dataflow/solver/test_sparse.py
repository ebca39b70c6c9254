"""Sparse analyses: values of nodes, joined over the paths that control takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import (
    REFINEMENTS,
    TRANSFERS,
    UNREACHABLE,
    Executable,
    ForwardDataFlow,
    SparseAnalysis,
    build_flow_graph,
    solve,
)
from relayish.dataflow.lattice import BOTTOM, TOP, Booleans, Flat
from relayish.errors import AnalysisError
from tests.support.depth import DEPTH
from tests.support.each import each


class Parity(SparseAnalysis[object]):
    """Whether integers are even."""

    values = Flat()
    operators = (relay.Op,)

    def literal(self, node: relay.Node) -> object:
        assert isinstance(node, relay.Constant)
        return "even" if int(node.data) % 2 == 0 else "odd"

    def truth(self, value: object) -> bool | None:
        return value if isinstance(value, bool) else None

    def of_truth(self, truth: bool) -> object:
        return truth


@TRANSFERS.register(Parity, relay.get_op("add"))
def _add(_: relay.Call, a: object, b: object) -> object:
    if TOP in (a, b):
        return TOP
    return "even" if a == b else "odd"


@TRANSFERS.register(Parity, relay.get_op("multiply"))
def _multiply(_: relay.Call, a: object, b: object) -> object:
    if "even" in (a, b):
        return "even"
    return TOP if TOP in (a, b) else "odd"


@TRANSFERS.register(Parity, relay.get_op("equal"))
def _equal(_: relay.Call, a: object, b: object) -> object:
    return False if {a, b} == {"even", "odd"} else TOP


@REFINEMENTS.register(Parity, relay.get_op("equal"))
def _from_equal(
    call: relay.Call, truth: bool, a: object, b: object
) -> Iterator[tuple[relay.Node, object]]:
    if truth:
        yield call.args[0], b
        yield call.args[1], a


def parse(text: str) -> relay.Expr:
    """Return an expression in which ``%a``, ``%c`` and ``%r`` are free."""
    return relay.parse_expr(f'#[version = "0.0.5"]\nfn (%a, %c, %r) {{ {text} }}').body


def value_of(text: str) -> object:
    program = parse(text)
    [parity] = solve([Parity()], program)
    return parity.value(program)


VALUES = {
    "literal": ("let %x = 3; %x", "odd"),
    "transfer of an operator": ("add(3, 5)", "even"),
    "operand of which nothing is known": ("multiply(%a, 2)", "even"),
    "free variable": ("add(%a, 2)", TOP),
    "chain of variables": ("let %x = 3; let %y = %x; let %z = %y; %z", "odd"),
    "arms that agree": ("if (%c) { 3 } else { 5 }", "odd"),
    "arms that differ": ("if (%c) { 3 } else { 4 }", TOP),
    "arm that is never taken": ("if (equal(3, 4)) { 3 } else { 4 }", "even"),
    "variable in a decided branch": ("let %x = 2; if (equal(%x, 1)) { 1 } else { %x }", "even"),
    "what a condition says": ("if (equal(%a, 3)) { add(%a, 1) } else { 2 }", "even"),
    "what a condition says by name": (
        "let %c = equal(%a, 3); if (%c) { add(%a, 1) } else { 2 }",
        "even",
    ),
    "what the other branch says": ("if (equal(%a, 3)) { 1 } else { %a }", TOP),
    "what a condition said, behind its branch": (
        "let %u = if (equal(%a, 3)) { 1 } else { 1 }; %a",
        TOP,
    ),
    "what a condition around says": (
        "if (equal(%a, 3)) { if (%c) { %a } else { 5 } } else { 7 }",
        "odd",
    ),
    "operator without transfer": ("subtract(3, 1)", TOP),
    "reference": ("ref_read(ref(3))", TOP),
    "call of a function": ("let %f = fn (%x) { 3 }; %f(1)", TOP),
    "pattern that binds all": ("match (3) { %x => %x }", "odd"),
}


@each(("text", "value"), VALUES.values())
def test_value_is_what_all_paths_give(text: str, value: object) -> None:
    assert value_of(text) == value


def test_value_is_bottom_where_control_never_comes() -> None:
    arm = relay.op.add(relay.const(1), relay.const(1))
    cond = relay.op.equal(relay.const(1), relay.const(2))
    [parity] = solve([Parity()], relay.If(cond, arm, relay.const(3)))
    assert parity.value(arm) is BOTTOM


def test_value_at_a_point_is_what_branches_around_it_say() -> None:
    a = relay.var("a")
    arm = relay.op.add(a, a)
    program = relay.If(relay.op.equal(a, relay.const(3)), arm, relay.const(3))
    [parity] = solve([Parity()], program)
    [point] = parity.graph.occurrences(arm)
    assert (parity.value(a), parity.value(a, point)) == (TOP, "odd")


def test_values_stay_what_they_are_for_further_analyses() -> None:
    parity = Parity()
    [first] = solve([parity], relay.op.add(relay.const(1), relay.const(1)))
    solve([parity], relay.const(1))
    assert set(first.values.values()) == {"odd", "even"}


def test_values_make_other_analyses_conditional() -> None:
    class Seen(ForwardDataFlow[bool]):
        lattice = Booleans()

        def visit_call(self, call: relay.Call, state: bool) -> bool:
            return state or call.op is relay.get_op("subtract")

    x = relay.const(1)
    program = relay.If(relay.op.equal(x, relay.const(2)), relay.op.subtract(x, x), x)
    executable, _, seen = solve([Executable(), Parity(), Seen()], program)
    assert not seen.exit
    assert len([p for p in executable.graph.points if not executable.is_reached(p)]) == 1


def test_other_analyses_make_values_conditional() -> None:
    class NotTrue(ForwardDataFlow[bool]):
        lattice = Booleans()

        def assume(self, condition: relay.Node, truth: bool, state: bool) -> object:
            return UNREACHABLE if truth else state

    program = relay.If(relay.var("c"), relay.const(1), relay.const(2))
    _, parity, _ = solve([Executable(), Parity(), NotTrue()], program)
    assert parity.value(program) == "even"


def test_recursion_keeps_what_all_calls_hand_over() -> None:
    text = """let %f = fn (%x) { if (%c) { %f(if (equal(%x, 2)) { 2 } else { 1 }) } else { %x } };
              %f(3)"""
    program = parse(text)
    [parity] = solve([Parity()], program, interprocedural=True)
    assert parity.value(program) == "odd"


def test_recursion_forgets_what_calls_do_not_agree_on() -> None:
    text = "let %f = fn (%x) { if (%c) { %f(add(%x, 1)) } else { %x } }; %f(3)"
    program = parse(text)
    [parity] = solve([Parity()], program, interprocedural=True)
    assert parity.value(program) is TOP


def test_function_that_escapes_may_be_handed_anything() -> None:
    text = "let %f = fn (%x) { %x }; (%f, %f(3))"
    program = parse(text)
    [parity] = solve([Parity()], program, interprocedural=True)
    assert parity.value(program.value.params[0]) is TOP


def test_blocks_are_visited_once_without_loops() -> None:
    program = relay.const(1)
    for _ in range(40):
        program = relay.If(relay.var("c"), relay.op.add(program, relay.const(2)), program)
    [parity] = solve([Parity()], program)
    assert parity.visits == len(parity.graph)


@pytest.mark.deep
def test_branches_in_branches_take_one_visit_each() -> None:
    a = program = relay.var("a")
    for number in range(DEPTH):
        cond = relay.op.equal(a, relay.const(2 * number))
        program = relay.If(cond, relay.op.multiply(a, a), program)
    [parity] = solve([Parity()], program)
    assert parity.visits == len(parity.graph)
    assert parity.value(program) is TOP


@pytest.mark.deep
def test_lets_in_values_are_as_deep_as_they_like() -> None:
    program = relay.const(1)
    for _ in range(DEPTH):
        x = relay.var("x")
        program = relay.Let(x, relay.If(relay.var("c"), program, program), x)
    [parity] = solve([Parity()], program)
    assert parity.value(program) == "odd"


def test_strict_analysis_refuses_an_operator_without_transfer() -> None:
    with pytest.raises(AnalysisError, match=r"Parity has no transfer for subtract.*TRANSFERS"):
        solve([Parity(strict=True)], parse("subtract(3, 1)"))


def test_strict_analysis_takes_operators_with_transfers() -> None:
    program = parse("let %x = (add(3, 1), 2); %x.0")
    [parity] = solve([Parity(strict=True)], program)
    assert parity.value(program) is TOP


def test_operator_of_another_package_brings_its_transfer() -> None:
    with relay.declared_temporarily():
        twice = relay.register_op("twice", arguments=("data",))
        TRANSFERS.register(Parity, twice, lambda _call, _data: "even")
        program = relay.Call(twice, [relay.var("a")])
        [parity] = solve([Parity(strict=True)], program)
        assert parity.value(program) == "even"


def test_transfer_of_a_kind_serves_its_nodes() -> None:
    with relay.declared_temporarily():
        TRANSFERS.register(Parity, relay.RefRead, lambda _read, _ref: "odd")
        assert value_of("ref_read(%r)") == "odd"


def test_transfers_serve_analyses_that_extend_theirs() -> None:
    class Further(Parity):
        pass

    program = relay.op.add(relay.const(1), relay.const(1))
    [parity] = solve([Further()], program)
    assert parity.value(program) == "even"


def test_second_transfer_of_an_operator_is_refused() -> None:
    with pytest.raises(relay.DuplicateNameError, match="has its transfer of add already"):
        TRANSFERS.register(Parity, relay.get_op("add"), lambda _call, _a, _b: TOP)


def test_transfer_of_what_is_no_operator_is_refused() -> None:
    with pytest.raises(relay.DeclarationError, match="expected a class of nodes, or the node"):
        TRANSFERS.register(Parity, relay.var("x"), lambda _: TOP)


def test_language_whose_variables_change_is_refused() -> None:
    x = tir.Var("x", "int32")
    with pytest.raises(AnalysisError, match=r"Parity is a sparse analysis.*may change"):
        solve([Parity()], tir.Store(x, x, ()))


def test_values_are_those_of_nodes_at_the_same_points_when_a_solution_moves() -> None:
    text = "let %x = add(1, 2); if (equal(%a, 3)) { %x } else { 3 }"
    one, other = parse(text), parse(text)
    [parity] = solve([Parity()], one)
    moved = parity.rebind(build_flow_graph(other))
    assert moved.value(other.var) == "odd"
    assert moved.value(other) == parity.value(one)


def test_solutions_differ_where_values_do() -> None:
    [one] = solve([Parity()], parse("let %x = add(1, 2); %x"))
    [same] = solve([Parity()], parse("let %x = add(3, 4); %x"))
    [other] = solve([Parity()], parse("let %x = add(2, 2); %x"))
    assert one.first_difference(same) is None
    difference = one.first_difference(other)
    assert difference is not None
    assert type(difference.node) is relay.Call
