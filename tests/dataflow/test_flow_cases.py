"""Flow analyses of small programs: what they say before and after each line.

The cases are in ``tests/cases/dataflow``: an analysis, with the names of what is live at the end,
and the program with what is known as comments, which are skipped where it is read. In ``uses.txt``
a line tells of each use, or of each that may have no value.
"""

from __future__ import annotations

from relayish import tir
from relayish.dataflow import analyse, solve
from relayish.dataflow.analyses import (
    DefiniteInitialisation,
    Liveness,
    find_use_def_chains,
    uninitialised_uses,
)
from relayish.dataflow.annotated import annotated_text
from relayish.text import parse_expr
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases

LOOPS, RELAY, USES = [
    read_cases(CASES / "dataflow" / f"{name}.txt") for name in ("loops", "relay", "uses")
]


@each("name", LOOPS)
def test_analysis_of_loops_says(name: str) -> None:
    head, text = LOOPS[name]
    analysis, *names = head.split()
    program = tir.parse(text)
    live = tir.collect_ir_nodes(program, lambda n: isinstance(n, tir.Var) and n.name in names)
    made = Liveness.with_live_out(live) if names else analysis
    assert annotated_text(analyse(program, made)) == text


@each("name", RELAY)
def test_analysis_of_relay_says(name: str) -> None:
    analysis, text = RELAY[name]
    assert annotated_text(analyse(parse_expr(text), analysis)) == text


def show_definitions(root: tir.IrNode) -> list[str]:
    """Return which nodes may have defined what a node uses; its value at the entry is one."""
    chains = find_use_def_chains(root)
    heads = [str(node).partition("\n")[0] for node in chains.graph.nodes]
    return [
        f"{heads[point]} uses {used.name} of "
        + "; ".join([heads[at] if at else "entry" for at in chains.definitions(point, used)])
        for point in range(len(heads))
        for used in chains.used_at(point)
    ]


def show_uninitialised(root: tir.IrNode) -> list[str]:
    """Return which variables may have no value where they are used."""
    [found] = solve([DefiniteInitialisation()], root)
    return [f"{var.name} in {point.node}" for var, point in uninitialised_uses(found)]


SHOW = {"find_use_def_chains": show_definitions, "uninitialised_uses": show_uninitialised}


@each("name", USES)
def test_analysis_says_of_uses(name: str) -> None:
    analysis, program, said = USES[name]
    assert sorted(SHOW[analysis](tir.parse(program))) == said.splitlines()
