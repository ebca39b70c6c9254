"""Nests of three languages, as deep as one likes, and handlers that go down them by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import relayish as relay
from relayish import core
from relayish.domain import Handler
from relayish.ir.nodes.node import Node
from tests.support import tir_deep

LANGUAGES: Final = ("relay", "core", "tir")


def relay_nest(levels: int) -> Node:
    """Return ``tanh(tanh(...))``."""
    e: relay.Expr = relay.var("x")
    for _ in range(levels):
        e = relay.tanh(e)
    return e


def relay_chain(levels: int) -> Node:
    """Return ``let %v = tanh(%x); let %v = tanh(%x); ...``."""
    x = relay.var("x")
    variables = [relay.var("v") for _ in range(levels)]
    e: relay.Expr = x
    for var in variables:
        e = relay.Let(var, relay.tanh(x), e)
    return e


def relay_branches(levels: int) -> Node:
    """Return ``if (%c) { e } else { e }``, whose branches are one node."""
    e: relay.Expr = relay.var("x")
    condition = relay.var("c")
    for _ in range(levels):
        e = relay.If(condition, e, e)
    return e


def core_blocks(levels: int) -> Node:
    """Return ``{ { ... { st(%x, 1) } ... st(%x, 1) } st(%x, 1) }``."""
    x = core.Var("x")
    block = core.Block([core.St(x, core.const(1))])
    for _ in range(levels):
        block = core.Block([block, core.St(x, core.const(1))])
    return block


def core_loops(levels: int) -> Node:
    """Return loops one in the other, each of one iteration over a variable of its own."""
    block = core.Block([core.St(core.Var("x"), core.const(1))])
    for _ in range(levels):
        i = core.Var("i")
        block = core.Block([core.DoLoop(i, core.const(0), i < 1, i + 1, block)])
    return block


def core_branches(levels: int) -> Node:
    """Return ``if (%x < 7) { if ... } else {}``."""
    x = core.Var("x")
    block = core.Block([core.St(x, core.const(1))])
    for _ in range(levels):
        block = core.Block([core.If(x < 7, block, core.Block())])
    return block


def core_sum(levels: int) -> Node:
    """Return ``{ st(%x, %x + 1 + 1 + ...) }``."""
    x = core.Var("x")
    value: core.Expr = core.Ld(x)
    for _ in range(levels):
        value = value + 1
    return core.Block([core.St(x, value)])


PROGRAMS: Final[dict[str, Callable[[int], Node]]] = {
    "relay nest": relay_nest,
    "relay chain": relay_chain,
    "relay branches": relay_branches,
    "core blocks": core_blocks,
    "core loops": core_loops,
    "core branches": core_branches,
    "core sum": core_sum,
    "tir loops": tir_deep.loop_nest,
    "tir blocks": tir_deep.block_nest,
    "tir branches": tir_deep.branch_nest,
    "tir sum": tir_deep.add_chain,
}
"""Programs by name: each is right by all rules of its language, and no longer than deep."""


def by_hand(base: type[Handler]) -> list[Handler]:
    """Return handlers derived from ``base`` that go on with what they have methods for by hand.

    They have methods for all that stands in :data:`PROGRAMS`.
    """

    def go_on(_handler: Handler, visitor: Any, node: Any) -> Any:
        return visitor.visit_by_default(node)

    names = {
        "relay": ("tanh", "let", "if", "var"),
        "core": ("expr", "stmt", "symbol"),
        "tir": ("expr", "stmt", "lowered_func", "buffer", "tensor"),
    }
    return [
        type(f"{domain.title()}ByHand", (base,), {f"handle_{name}": go_on for name in own})(domain)
        for domain, own in names.items()
    ]
