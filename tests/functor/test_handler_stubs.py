"""What type checkers see of default handlers is what the engine makes."""

from __future__ import annotations

import ast

from relayish.functor import ExprMutator, ExprRewriter, ExprVisitor
from tools.handler_stubs import STUB

SERVED_BY = {
    "VisitorHandlers": ExprVisitor,
    "MutatorHandlers": ExprMutator,
    "RewriterHandlers": ExprRewriter,
}


def test_every_handler_of_the_stub_is_there_while_a_program_runs():
    declared = [
        (SERVED_BY[found.name], method.name)
        for found in ast.parse(STUB.read_text(encoding="utf-8")).body
        if isinstance(found, ast.ClassDef)
        for method in found.body
        if isinstance(method, ast.FunctionDef)
    ]
    assert len(declared) > 60
    assert [name for owner, name in declared if not callable(getattr(owner, name, None))] == []
