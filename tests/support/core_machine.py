"""Core programs that are watched as they run: what variables hold wherever a statement begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from relayish import core
from relayish.core.interpreter import Evaluate, Interpreter
from relayish.core.ir.symbol import Preg, Symbol, Var
from relayish.errors import EvaluationError
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.module import IRModule
from tests.support.core_programs import core_arguments

Observe = Callable[[Any, dict[Symbol, Any]], None]  # Any: a statement; its scalars and their values


def scalars_of(mod: IRModule) -> list[Symbol]:
    """Return the variables that are numbers: those of functions, and each global once by name."""
    shared = {
        name.name_hint: core.Global(name.name_hint, each.type)
        for name, each in mod.functions.items()
        if isinstance(each, core.GlobalVariable) and each.type.is_scalar
    }
    nodes = EVERYTHING.post_order(list(mod.functions.values()))
    own = {node for node in nodes if isinstance(node, (Var, Preg)) and node.type.is_scalar}
    return [*shared.values(), *own]


def watch(mod: IRModule, seed: object, observe: Observe, scalars: Iterable[Symbol]) -> None:
    """Run ``main``; ``observe(statement, values)`` before each store, call and return."""

    class Watching(Evaluate):
        @staticmethod
        def look(visitor: Any, node: Any) -> None:
            held = {}
            for symbol in scalars:
                try:
                    held[symbol] = visitor.context.load(symbol, symbol.type)
                except EvaluationError:  # it holds nothing yet
                    continue
            observe(node, held)

        def handle_st(self, visitor, node):
            self.look(visitor, node)
            super().handle_st(visitor, node)

        def handle_stp(self, visitor, node):
            self.look(visitor, node)
            super().handle_stp(visitor, node)

        def handle_call(self, visitor, node):
            self.look(visitor, node)
            super().handle_call(visitor, node)

        def handle_retv(self, visitor, node):
            self.look(visitor, node)
            return super().handle_retv(visitor, node)

    Interpreter(mod, Watching).call("main", *core_arguments(seed))
