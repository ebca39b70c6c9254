"""Programs in which languages and packages are mixed: written, read, visited, verified and run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import relayish as relay
from relayish.domain import (
    AnalyzeCtx,
    DefaultHandler,
    FlattenCtx,
    InstrumentCtx,
    OpStatsCtx,
    TransformCtx,
    Visitor,
    run,
    verify,
)
from relayish.interpreter import same_value
from relayish.ir.domains.domain import list_domains
from relayish.ir.kinds.opcode import domain_of
from relayish.ir.relay.expr import Call
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.mixed_programs import COMPLEX, DECLARED, random_mixed_module
from tests.support.random_exprs import random_arguments
from tests.support.seeds import seeds
from tests.support.stored import read_back

SEEDS = seeds(5)

with DECLARED:
    from complex_numbers import Repeat

_kinds = known_in_tests(DECLARED)

TRANSFORMATIONS = {
    "TransformCtx": TransformCtx,
    "InstrumentCtx": InstrumentCtx,
    "FlattenCtx": lambda: FlattenCtx(lambda _: False),
}


@lru_cache(maxsize=50)
def program(seed: int) -> IRModule:
    return random_mixed_module(seed)


def arguments(mod: IRModule, seed: int) -> tuple[Any, ...]:
    return random_arguments(mod["r_main"], seed)  # type: ignore[arg-type]  # Relay's


def test_programs_hold_what_they_are_made_for() -> None:
    held = [list(PROGRAM.post_order(program(seed).nodes())) for seed in SEEDS]
    domains = {domain_of(node).name for nodes in held for node in nodes}
    assert {"relay", "tir", "core", COMPLEX[0]} <= domains
    called = [
        type(program(seed)[node.op.name_hint]).__name__
        for seed, nodes in zip(SEEDS, held, strict=True)
        for node in nodes
        if isinstance(node, Call) and isinstance(node.op, relay.GlobalVar)
    ]
    assert {"FuncEntry", "LoweredFunc"} <= set(called)
    assert any(isinstance(node, Repeat) for nodes in held for node in nodes)


@each("seed", SEEDS)
def test_mixed_program_is_accepted_by_the_verifier(seed: int) -> None:
    assert verify(program(seed)) == ()


@each("seed", SEEDS)
def test_mixed_program_is_read_as_it_was_printed(seed: int) -> None:
    text = relay.b2a(program(seed))
    read = relay.a2b(text)
    assert relay.structural_equal(read, program(seed))
    assert relay.b2a(read) == text


@each("seed", SEEDS)
def test_mixed_program_comes_back_from_binary_form(seed: int) -> None:
    read_back(program(seed))


@each("seed", SEEDS)
@each("context", TRANSFORMATIONS)
def test_default_transformation_of_mixed_program_is_the_same_object(
    seed: int, context: str
) -> None:
    visitor = Visitor(
        TRANSFORMATIONS[context](), *[DefaultHandler(domain.name) for domain in list_domains()]
    )
    for definition in program(seed).functions.values():
        assert visitor.visit(definition) is definition


@each("seed", SEEDS)
def test_default_analysis_of_mixed_program_visits_each_node_once(seed: int) -> None:
    class Count(AnalyzeCtx):
        nodes = 0

        def handle_node(self, visitor: Any, node: Any) -> Any:
            self.nodes += 1
            return super().handle_node(visitor, node)

    handlers = [DefaultHandler(domain.name) for domain in list_domains()]
    for definition in program(seed).functions.values():
        ctx = Count()
        Visitor(ctx, *handlers).visit(definition)
        assert ctx.nodes > 0
        assert ctx.parent(0) is None
        counts = Visitor(OpStatsCtx(), *handlers).visit(definition)
        assert sum(count.static for count in counts.values()) >= len(counts)


@each("seed", SEEDS)
def test_simplified_mixed_program_has_the_same_value(seed: int) -> None:
    mod, args = program(seed), arguments(program(seed), seed)
    simplified = relay.transform.Sequential(["SimplifyDomains"])(mod)
    assert verify(simplified) == ()
    assert same_value(run(mod, *args, name="r_main"), run(simplified, *args, name="r_main"))


@each("seed", SEEDS)
def test_lowered_mixed_program_has_no_complex_numbers(seed: int) -> None:
    lowered = relay.transform.Sequential(["LowerComplex"])(program(seed))
    assert verify(lowered) == ()
    nodes = PROGRAM.post_order(lowered.nodes())
    assert COMPLEX[0] not in {domain_of(node).name for node in nodes}
