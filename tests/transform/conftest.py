from __future__ import annotations

from collections.abc import Iterator

import pytest

from relayish.ir.relay.expr import Constant, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.transform.registry import REGISTRY


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


@pytest.fixture
def registry() -> Iterator[None]:
    """Whatever a test registers is forgotten after it."""
    REGISTRY.entries()  # what is registered on demand must not come and go with a test
    held = dict(REGISTRY._entries)
    yield
    REGISTRY._entries.clear()
    REGISTRY._entries.update(held)
