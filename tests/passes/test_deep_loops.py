"""Passes over loops on programs as deep and as wide as one likes."""

from __future__ import annotations

import functools

import pytest

from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support.tir_deep import DEEP, LEVELS, WIDE
from tests.support.tir_programs import same_result

CHEAP = (
    "ConvertSSA",
    "CopyPropagation",
    "FlattenBuffer",
    "IfFusion",
    "LowerIntrin",
    "RemoveNestedBlock",
    "RemoveScheduleBlock",
    "RenameTensors",
    "StorageRewrite",
    "TransformPolyForToFor",
    "UnrollLoop",
    "VectorizeLoops",
)
COSTLY = (
    "BoundsCheckElimination",
    "DeadStoreElimination",
    "GlobalCommonSubexprElimTIR",
    "LoopInvariantCodeMotion",
)
"""Those that solve a dataflow problem. What simplifies is in loops/simplify/test_depth.py."""
SIMPLIFYING = (
    "EliminateInvariantLoop",
    "EntailLoopCondition",
    "IfFold",
    "LongLong2Int",
    "RearrangeLoadInstruction",
)
"""Rules for the walk that all simplifications are, whose depth is tried in loops/simplify."""
PROGRAMS = {**DEEP, **WIDE}

kinds = pytest.mark.parametrize("kind", PROGRAMS)


@functools.cache
def module(kind: str, levels: int) -> IRModule:
    return IRModule({"f": PROGRAMS[kind](levels)})


def goes_through(name: str, kind: str) -> None:
    deep = module(kind, LEVELS)
    once = get_pass(name)(deep)
    assert once is deep or get_pass(name)(once) is once, name


@pytest.mark.parametrize("name", [*CHEAP, *COSTLY, *SIMPLIFYING])
def test_pass_keeps_what_nests_do(name):
    for kind in PROGRAMS:
        small = module(kind, 20)
        assert same_result(small["f"], get_pass(name)(small)["f"]), kind


@pytest.mark.deep
@kinds
def test_passes_go_as_deep_as_the_program(kind):
    for name in CHEAP:
        goes_through(name, kind)


@pytest.mark.deep
@kinds
@pytest.mark.parametrize("name", COSTLY)
def test_analysis_goes_as_deep_as_the_program(kind, name):
    goes_through(name, kind)
