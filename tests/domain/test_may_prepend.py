"""``may_prepend`` tells where statements can be put before the node that is being handled."""

from __future__ import annotations

from typing import Any

import relayish as relay
from relayish.domain import DefaultHandler, TransformCtx, Visitor
from relayish.tir.ir.stmt import Block


def asked(program: relay.Expr, kind: type) -> list[bool]:
    """Return the answers at each relu of ``program``, for statements of ``kind``."""
    found: list[bool] = []

    class Ask(DefaultHandler, domain="nn"):
        def handle_relu(self, visitor: Any, node: relay.Call) -> Any:
            found.append(visitor.context.may_prepend(kind))
            return visitor.visit_by_default(node)

    Visitor(TransformCtx(), DefaultHandler("relay"), Ask).visit(program)
    return found


def test_values_and_results_of_blocks_take_statements_before_them() -> None:
    x, y = relay.var("x"), relay.var("y")
    block = relay.Let(y, relay.nn.relu(x), relay.nn.relu(y))
    assert asked(block, relay.Let) == [True, True]


def test_operands_and_graphs_take_none() -> None:
    x, y = relay.var("x"), relay.var("y")
    block = relay.Let(y, relay.exp(relay.nn.relu(x)), y)
    assert asked(block, relay.Let) == [False]
    assert asked(relay.exp(relay.nn.relu(x)), relay.Let) == [False]


def test_statements_of_another_language_cannot_stand_in_a_block() -> None:
    x, y = relay.var("x"), relay.var("y")
    assert asked(relay.Let(y, relay.nn.relu(x), y), Block) == [False]
