"""What type checkers see of default handlers is what the engine makes."""

from __future__ import annotations

import ast

import pytest

from relayish import tir
from relayish.functor import ExprMutator, ExprRewriter, ExprVisitor
from relayish.stubs import handlers
from tools.stubs import PACKAGE

RELAY, LOOPS = [PACKAGE / each.path for each in (handlers.RELAY, handlers.LOOPS)]
SERVED_BY = {
    RELAY: {
        "VisitorHandlers": ExprVisitor,
        "MutatorHandlers": ExprMutator,
        "RewriterHandlers": ExprRewriter,
    },
    LOOPS: {
        "VisitorHandlers": tir.IRVisitor,
        "MutatorHandlers": tir.IRMutator,
        "ExprMutatorHandlers": tir.ExprMutator,
        "StmtMutatorHandlers": tir.StmtMutator,
        "RewriterHandlers": tir.IRRewriter,
    },
}


@pytest.mark.parametrize("stub", [RELAY, LOOPS], ids=["relay", "tir"])
def test_every_handler_of_the_stub_is_there_while_a_program_runs(stub):
    declared = [
        (SERVED_BY[stub][found.name], method.name)
        for found in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(found, ast.ClassDef)
        for method in found.body
        if isinstance(method, ast.FunctionDef)
    ]
    assert len(declared) > 60
    assert [name for owner, name in declared if not callable(getattr(owner, name, None))] == []
