"""What analyses of loops say of small programs.

The cases are in ``tests/cases/loops/analyses.txt``: an analysis, a program, and what is said, a
line for each dependence, access out of range or violation.
"""

from __future__ import annotations

from collections.abc import Callable

from relayish import tir
from relayish.tir.analysis import dependences, find_out_of_bounds, is_parallel
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases

PROGRAMS = read_cases(CASES / "loops" / "analyses.txt")


def show_dependences(root: tir.IrNode) -> list[str]:
    """Return kind, distance and direction of each dependence, and whether it is for certain."""
    return [
        f"{dep.kind.value} {dep.distance} {' '.join(map(str, dep.direction))}"
        f"{'' if dep.is_exact else ', perhaps'}"
        for dep in dependences(root)
    ]


def show_out_of_bounds(root: tir.IrNode) -> list[str]:
    """Return in which interval each index lies that is out of range."""
    return [
        f"{'always' if each.is_definite else 'perhaps'} {each.interval.low} to {each.interval.high}"
        for each in find_out_of_bounds(root)
    ]


SHOW: dict[str, Callable[[tir.IrNode], list[str]]] = {
    "dependences": show_dependences,
    "is_parallel": lambda loop: [str(is_parallel(loop))],
    "find_out_of_bounds": show_out_of_bounds,
    "verify": lambda root: [each.message for each in tir.verify(root)],
}


@each("name", PROGRAMS)
def test_analysis_says(name: str) -> None:
    analysis, program, said = PROGRAMS[name]
    assert sorted(SHOW[analysis](tir.parse(program))) == said.splitlines()
