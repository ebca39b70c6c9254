from __future__ import annotations

import pytest

from relayish.ir.relay.expr import Constant, Function, Var
from relayish.ir.relay.module import IRModule


@pytest.fixture
def mod() -> IRModule:
    """Three functions, in order of name: a, b, main; each returns its own parameter."""
    functions = {}
    for name in ("a", "b", "main"):
        x = Var("x")
        functions[name] = Function((x,), x)
    return IRModule(functions)


@pytest.fixture
def one_function() -> IRModule:
    return IRModule({"main": Function((), Constant(1))})
