"""Call graphs, flow graphs, dominators and patterns in pictures."""

from __future__ import annotations

import relayish as relay
from relayish import tir
from relayish.analysis import CallGraph, post_dominators
from relayish.dataflow import analyse, build_flow_graph
from relayish.dataflow.analyses import find_dominators, find_post_dominators
from relayish.dataflow_pattern import DFPattern, is_constant, is_op, is_var, wildcard
from relayish.draw.diagram import BoxKind, Diagram
from relayish.draw.drawing import draw

MODULE = """\
#[version = "0.0.5"]
def @twice(%x: int32) -> int32 { @next(@next(%x)) }
def @next(%x: int32) -> int32 { %x + 1 }
def @odd(%x: int32) -> int32 { @odd(%x) }
def @main(%x: int32) -> int32 { @twice(%x) }
"""
BRANCH = "fn (%a: int32, %c: bool) { if (%c) { %a + 1 } else { %a - 1 } }"


def arrows(diagram: Diagram) -> list[tuple[str, str, str]]:
    titles = [box.title for box in diagram.boxes]
    return [(titles[e.source], titles[e.target], e.label) for e in diagram.edges]


def test_call_graph_tells_who_refers_to_whom_how_often() -> None:
    diagram = draw(CallGraph(relay.parse(MODULE))).diagram
    assert sorted(arrows(diagram)) == [
        ("@main", "@twice", ""),
        ("@odd", "@odd", ""),
        ("@twice", "@next", "2 times"),
    ]


def test_call_graph_tells_attributes_and_names_that_nobody_defines() -> None:
    func = relay.Function([], relay.Call(relay.GlobalVar("gone"), []))
    mod = relay.IRModule({"main": func.with_fields(attrs={"Compiler": "dnn"})})
    diagram = draw(CallGraph(mod)).diagram
    assert arrows(diagram) == [("@main", "@gone", "")]
    assert "Compiler = dnn" in diagram.boxes[0].lines
    assert diagram.boxes[1].lines == ("not defined here",)


def test_flow_graph_tells_which_branch_leads_where() -> None:
    diagram = draw(build_flow_graph(relay.parse_expr(BRANCH))).diagram
    assert [box.title for box in diagram.boxes] == [
        "0: entry", "1: enter", "2: evaluate", "3: evaluate", "4: leave", "5: exit",
    ]  # fmt: skip
    assert ("1: enter", "2: evaluate", "true branch") in arrows(diagram)
    assert ("1: enter", "3: evaluate", "false branch") in arrows(diagram)


def test_result_of_an_analysis_is_told_on_both_sides_of_points() -> None:
    diagram = draw(analyse(relay.parse_expr(BRANCH), "liveness")).diagram
    [entering] = [box for box in diagram.boxes if box.title == "1: enter"]
    assert entering.lines[-2:] == ("before: {%a, %c}", "after: {%a}")


def test_procedures_of_a_module_are_boxes_under_their_names() -> None:
    diagram = draw(build_flow_graph(relay.parse(MODULE))).diagram
    holders = [box.key for box in diagram.boxes if box.kind is BoxKind.FUNCTION]
    assert sorted(holders) == ["@main", "@next", "@odd", "@twice"]


def test_dominators_are_above_what_they_dominate() -> None:
    graph = build_flow_graph(relay.parse_expr(BRANCH))
    down = {(source, target) for source, target, _ in arrows(draw(find_dominators(graph)).diagram)}
    assert {("1: enter", "2: evaluate"), ("1: enter", "4: leave")} <= down
    assert ("2: evaluate", "4: leave") not in down
    up = {(a, b) for a, b, _ in arrows(draw(find_post_dominators(graph)).diagram)}
    assert {("4: leave", "3: evaluate"), ("4: leave", "1: enter")} <= up


def test_post_dominators_of_expressions_are_a_tree() -> None:
    shared = relay.var("x", "int32")
    join = relay.add(relay.abs(shared), relay.negative(shared))
    diagram = draw(post_dominators(join)).diagram
    assert ("add(%0, %1)", "%x", "") in arrows(diagram)
    assert len(diagram.edges) == len(diagram.boxes) - 1


def shown(pattern: DFPattern) -> list[str]:
    return [box.title for box in draw(pattern).diagram.boxes]


def test_pattern_shows_operators_alternatives_and_shared_parts() -> None:
    either = is_op("nn.relu")(wildcard()) | is_constant()
    assert shown(is_op("add")(either, either)) == [
        "*", "nn.relu", "constant", "or", "add", "matches",
    ]  # fmt: skip


def test_recursive_pattern_leads_back_to_itself() -> None:
    tower = wildcard()
    tower.redirect_to(is_op("nn.relu")(tower) | is_var())
    assert ("*", "nn.relu", "") in arrows(draw(tower).diagram)


def test_demands_of_a_pattern_are_told() -> None:
    diagram = draw(wildcard().has_shape((1, 2)).has_dtype("int8")).diagram
    assert [box.lines for box in diagram.boxes[1:3]] == [("shape = (1, 2)",), ("dtype = 'int8'",)]


def test_call_graph_has_calls_of_loops_by_name() -> None:
    calls = {"f": ("g", "g"), "g": ("h",)}
    functions = [
        tir.LoweredFunc(name, (), tir.Block(tuple([tir.Call("void", each) for each in called])))
        for name, called in calls.items()
    ]
    mod = tir.to_ir_module(tir.Module("m", functions=tuple(functions)))
    assert arrows(draw(CallGraph(mod)).diagram) == [("@f", "@g", "2 times")]
