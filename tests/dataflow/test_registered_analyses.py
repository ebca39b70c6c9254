"""What holds of every registered analysis, on random programs of all languages."""

from __future__ import annotations

from functools import cache

import pytest

from relayish import tir
from relayish.dataflow import Solution, analyse, annotated_text, forget_results, list_analyses
from relayish.dataflow.registry import analysis_entry
from relayish.errors import AnalysisError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.modules.module import AnyModule
from relayish.text import parse
from tests.support.core_programs import random_core_program
from tests.support.each import each
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import random_func

SEEDS = seeds(5)
REFUSALS = (" is a sparse analysis", " analyses programs of ")
NAMES = [n for n in list_analyses() if analysis_entry(n).claimant.startswith("relayish.")]


@cache
def programs(language: str) -> list[AnyModule]:
    if language == "relay":
        return [random_module(seed, 40) for seed in SEEDS]
    if language == "core":
        return [random_core_program(seed) for seed in SEEDS]
    drawn = [(random_func if seed % 2 else random_counters)(seed) for seed in SEEDS]
    return [tir.to_ir_module(tir.Module("random", functions=(func,))) for func in drawn]


@cache
def results(name: str, language: str) -> list[Solution]:
    """Return what an analysis finds, of the programs it can be asked about."""
    found = []
    for mod in programs(language):
        try:
            found.append(analyse(mod, name))
        except AnalysisError as error:
            if not any(said in str(error) for said in REFUSALS):
                raise
    return found


def test_there_are_analyses():
    assert {"Liveness", "Intervals", "ReachingDefinitions"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_analysis_takes_programs_of_some_language(name):
    assert any(results(name, language) for language in ("relay", "tir", "core"))


@pytest.mark.parametrize("name", NAMES)
def test_annotated_text_of_relay_parses_back(name):
    for solution in results(name, "relay"):
        assert structural_equal(parse(annotated_text(solution)), solution.graph.root)


@pytest.mark.parametrize("name", NAMES)
def test_annotated_text_of_loops_parses_back(name):
    for solution in results(name, "tir"):
        [func] = solution.graph.root.functions.values()
        assert structural_equal(tir.parse(annotated_text(solution)), func)


@pytest.mark.parametrize("name", NAMES)
@each("language", ["relay", "tir", "core"])
def test_what_is_found_again_is_the_same(name, language):
    for first in results(name, language):
        forget_results()
        again = analyse(first.graph.root, name)
        assert again is not first
        assert first.first_difference(again) is None


@each("name", NAMES)
def test_the_class_is_documented_with_one_line(name):
    entry = analysis_entry(name)
    assert 10 < len(entry.description) < 120
    assert entry.description.endswith(".")
