"""The example of TVM's request for data-flow analysis, and what is live around its statements."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.ir.nodes.node import Node

A, B, C, X = [tir.Var(name) for name in "abcx"]
ONE, TWO = tir.const(1), tir.const(2)


def block(*stmts: tir.Stmt) -> tir.Block:
    return tir.Block(stmts)


# Block1{ a = b; Block2{ If(iszero b) then x=1 else x=2; c = x+2 } }

COPY = tir.Store(A, B)
THEN, ELSE = tir.Store(X, ONE), tir.Store(X, TWO)
BRANCH = tir.IfThenElse(tir.EQ(B, tir.const(0)), THEN, ELSE)
SUM = tir.Store(C, X + 2)
BLOCK2 = block(BRANCH, SUM)
BLOCK1 = block(COPY, BLOCK2)

NOTHING: frozenset[Node] = frozenset()
LIVE_AROUND = (
    (BLOCK1, {B}, NOTHING),
    (COPY, {B}, {B}),
    (BLOCK2, {B}, NOTHING),
    (BRANCH, {B}, {X}),
    (THEN, NOTHING, {X}),
    (ELSE, NOTHING, {X}),
    (SUM, {X}, NOTHING),
)
"""Statements, with what is live before and after each where nothing is at the end."""

around_statements = pytest.mark.parametrize(
    ("node", "before", "after"),
    LIVE_AROUND,
    ids=["block1", "a = b", "block2", "if", "x = 1", "x = 2", "c = x + 2"],
)
