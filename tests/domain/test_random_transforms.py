"""Transformations of random programs, beside a slow one that knows nothing of contexts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import relayish as relay
from relayish import core, tir
from relayish.core.interpreter import run as run_core
from relayish.domain import REMOVED, DefaultHandler, FlattenCtx, TransformCtx, Visitor, verify
from relayish.errors import DispatchError
from relayish.interpreter import evaluate, same_value
from relayish.ir.domains.domain import list_domains
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.roles import CHILD_ROLES, Role
from relayish.ir.nodes.node import Node
from relayish.ir.relay.module import IRModule
from relayish.transform import ToANormalForm
from tests.support.core_programs import core_arguments, random_core_program
from tests.support.random_exprs import random_arguments, random_function
from tests.support.seeds import SOAK, seeds
from tests.support.tir_programs import random_func, same_result

SEEDS = seeds(4)


class Plan(NamedTuple):
    """What becomes of a statement."""

    before: list[Node]
    stays: bool
    after: list[Node]


def normal_form(seed: int) -> relay.Function:
    mod = ToANormalForm()(relay.IRModule({"main": random_function(seed, 30)}))
    found: relay.Function = mod["main"]
    return found


def programs_of(language: str, seed: int) -> list[Node]:
    if language == "graph":
        return [random_function(seed)]
    if language == "relay":
        return [normal_form(seed)]
    if language == "tir":
        return [random_func(seed)]
    return [f for f in random_core_program(seed).functions.values() if hasattr(f, "body")]


def below(root: Node) -> Iterator[Node]:
    """Yield all nodes of a program, once each."""
    seen: set[Node] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        for declared in node.fields_:
            held = getattr(node, declared.name)
            if declared.role in CHILD_ROLES and declared.is_evaluated:
                pending += [
                    c for c in (held if isinstance(held, tuple) else (held,)) if isinstance(c, Node)
                ]


def make_statement(like: Node, number: int) -> Node:
    """Return a statement that does nothing and can be told from others."""
    if isinstance(like, relay.Let):
        var = relay.var(f"new{number}")
        return relay.Let(var, relay.const(number), var)
    if like.language_ is tir.Store.language_:
        return tir.Let(tir.Var(f"new{number}"), tir.const(number))
    return core.Pragma("new", number)


KINDS: dict[str, tuple[type[Node], ...]] = {
    "relay": (relay.Let,),
    "tir": (tir.Store, tir.For, tir.IfThenElse),
    "core": (core.St, core.Stp, core.If, core.DoLoop, core.Call),
}


def draw_plans(root: Node, language: str, seed: int) -> dict[Node, Plan]:
    chance = random.Random(f"{language} {seed}")
    plans: dict[Node, Plan] = {}
    for node in below(root):
        if isinstance(node, KINDS[language]) and chance.random() < 0.7:
            before = [make_statement(node, len(plans) * 9 + i) for i in range(chance.randrange(3))]
            after = [
                make_statement(node, len(plans) * 9 + 4 + i) for i in range(chance.randrange(3))
            ]
            plans[node] = Plan(before, chance.random() < 0.7, after)
    return plans


class Slow:
    """Transforms by plain recursion."""

    def __init__(self, plans: dict[Node, Plan]) -> None:
        self.plans = plans
        self.memo: dict[Node, Node] = {}

    def image(self, node: Node) -> Any:
        if node in self.memo:
            return self.memo[node]
        if isinstance(node, relay.Let):
            made: Any = self.image(node.body)
            for new in reversed(self.statements(node)):
                made = new.with_fields(body=made)
        else:
            made = self.rebuilt(node)
        if not node.language_.is_tree:
            self.memo[node] = made
        return made

    def rebuilt(self, node: Node, but: str = "") -> Any:
        changes: dict[str, object] = {}
        for f in node.fields_:
            held = getattr(node, f.name)
            if f.role not in CHILD_ROLES or not f.is_evaluated or held is None or f.name == but:
                continue
            if f.block:
                changes[f.name] = [new for stmt in held for new in self.statements(stmt)]
            elif isinstance(held, tuple):
                changes[f.name] = [self.image(c) if isinstance(c, Node) else c for c in held]
            elif f.role is Role.SCOPE and held in self.plans and held.language_.is_tree:
                news = self.statements(held)
                changes[f.name] = news[0] if len(news) == 1 else tir.Block(news)
            else:
                changes[f.name] = self.image(held)
        return node.with_fields(**changes)

    def statements(self, stmt: Node) -> list[Any]:
        plan = self.plans.get(stmt, Plan([], True, []))
        but = "body" if isinstance(stmt, relay.Let) else ""
        kept = [self.rebuilt(stmt, but)] if plan.stays else []
        return [*plan.before, *kept, *plan.after]


class Planned(DefaultHandler):
    """Does what the plans say, in the order of AIR's calls."""

    def __init__(self, domain: str, plans: dict[Node, Plan]) -> None:
        super().__init__(domain)
        self.plans = plans

    def any_operator(self, visitor: Any, node: Any) -> Any:
        plan = self.plans.get(node)
        if plan is None:
            return visitor.visit_by_default(node)
        for new in plan.before:
            visitor.context.prepend(new)
        visitor.context.append(plan.after)
        return visitor.visit_by_default(node) if plan.stays else REMOVED


def all_domains() -> list[str]:
    return [domain.name for domain in list_domains() if domain.kinds or domain.operators]


@pytest.mark.parametrize("language", ["relay", "tir", "core"])
@pytest.mark.parametrize("occurrences", [False, True])
def test_random_transformations_are_those_of_plain_recursion(
    language: str, occurrences: bool
) -> None:
    for seed in SEEDS:
        for program in programs_of(language, seed):
            plans = draw_plans(program, language, seed)
            handlers = [Planned(domain, plans) for domain in all_domains()]
            ctx = TransformCtx()
            made = Visitor(ctx, *handlers, occurrences=occurrences).visit(program)
            assert structural_equal(made, Slow(plans).image(program)), (language, seed)
            assert ctx.parents == ()


@pytest.mark.parametrize("language", ["graph", "relay", "tir", "core"])
@pytest.mark.parametrize("by_hand", [False, True])
def test_default_transformation_of_random_programs_is_the_same_object(
    language: str, by_hand: bool
) -> None:
    for seed in SEEDS:
        for program in programs_of(language, seed):
            made = (
                [Planned(domain, {}) for domain in all_domains()]
                if by_hand
                else [DefaultHandler(domain) for domain in all_domains()]
            )
            assert Visitor(TransformCtx(), *made).visit(program) is program


def flattened(program: Node, seed: int) -> Any:
    chance = random.Random(seed)
    ctx = FlattenCtx(lambda _: chance.random() < 0.5)
    return Visitor(ctx, *map(DefaultHandler, all_domains())).visit(program)


@pytest.mark.parametrize("form", [random_function, normal_form])
def test_flattening_relay_keeps_what_random_programs_compute(form: Any) -> None:
    refused = 0
    for seed in SEEDS:
        program = form(seed)
        given = random_arguments(program, seed)
        try:
            made = flattened(program, seed)
        except DispatchError as error:  # a graph in which the order can be kept by no let
            assert "can have no name in this place" in str(error)  # noqa: PT017
            refused += 1
            continue
        assert same_value(evaluate(made, args=given), evaluate(program, args=given)), seed
    assert refused <= len(SEEDS) // 50 + bool(SOAK)


def test_flattening_loops_keeps_what_random_programs_compute() -> None:
    for seed in SEEDS:
        program = random_func(seed)
        assert same_result(program, flattened(program, seed)), seed


def test_flattening_core_keeps_what_random_programs_compute() -> None:
    for seed in SEEDS:
        mod = random_core_program(seed)
        made = mod.with_functions(
            {name: flattened(f, seed) for name, f in mod.functions.items() if hasattr(f, "body")}
        )
        given = core_arguments(seed)
        assert run_core(made, *given) == run_core(mod, *given), seed


def shared_core_program(seed: int) -> core.FuncEntry:
    """Return a function of core whose statements share expressions, what they read as well."""
    rng = random.Random(seed)
    variables = [core.Var(f"v{i}") for i in range(3)]
    counters: list[core.Var] = []
    pool: list[core.Expr] = [core.Ld(v) for v in variables]
    pool += [core.const(1), core.const(2)]
    for _ in range(12):
        op = rng.choice([core.Add, core.Sub, core.Mul])
        pool.append(op(rng.choice(pool), rng.choice(pool)))

    def block(levels: int) -> core.Block:
        return core.Block([statement(levels) for _ in range(rng.randint(1, 4))])

    def statement(levels: int) -> core.Stmt:
        form = rng.randint(0, 9) if levels else 0
        if form < 7:
            return core.St(rng.choice(variables), rng.choice(pool))
        if form < 9:
            test = core.Lt(rng.choice(pool), rng.choice(pool))
            return core.If(test, block(levels - 1), block(levels - 1))
        i = core.Var("i")
        counters.append(i)
        return core.DoLoop(i, core.const(0), i < 3, i + 1, block(levels - 1))

    whole = block(3)
    result: core.Expr = core.const(0)
    for variable in variables:
        result = result * 31 + variable
    body = core.Block([*whole.stmts, core.Retv(result)])
    return core.FuncEntry(variables, counters, (), body, "int32")


@pytest.mark.parametrize("chance", [0.6, 1.0])
def test_flattening_shared_core_keeps_what_random_programs_compute(chance: float) -> None:
    for seed in SEEDS:
        func = shared_core_program(seed)
        rng = random.Random(seed)
        chosen: dict[Node, bool] = {}
        ctx = FlattenCtx(lambda e, r=rng, c=chosen: c.setdefault(e, r.random() < chance))
        made = Visitor(ctx, DefaultHandler("core")).visit(func)
        assert verify(made) == ()
        found = [run_core(IRModule({"main": each}), 1, -5, 3) for each in (func, made)]
        assert found[0] == found[1], seed
