"""Evaluation of programs of several domains: calls across languages, and handlers as evaluators.

Where an interpreter keeps a table of what nodes are worth, methods of the handlers of packages are
entered there, so that one handler serves all languages in which its operators stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relayish._support import hooks
from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.handler import Handler
from relayish.errors import EvaluationError
from relayish.ir.kinds.callables import CALLABLES, Callee
from relayish.ir.kinds.one_line import describe, one_line
from relayish.ir.modules.module import AnyModule, check_module
from relayish.ir.nodes.node import Node


def callable_of(mod: AnyModule, name: str) -> Callee:
    """Return the function ``name`` of a module as a function of values, whatever its language.

    Raises:
        FieldError: If ``mod`` is no module.
        UnknownNameError: If the module has none of that name.
        UnknownKindError: If its language does not say what calling it does.
    """
    check_module(mod, "a function is called")
    definition = mod[name]
    hooks.load_handlers("evaluate")
    return CALLABLES[type(definition)].make(definition, name, mod)


def run(mod: AnyModule, *args: object, name: str = "main") -> Any:  # Any: as Callee
    """Return the value of the function ``name`` of a module of any domains.

    Each function runs as its language says, and may call those of others.

    Args:
        mod: The module.
        args: Numbers and numpy arrays; they stay as they are.
        name: Which function.

    Raises:
        EvaluationError: If it does not come to its end.

    Example:
        >>> from relayish.ir.relay.expr import Function, Tuple, Var
        >>> from relayish.ir.relay.module import IRModule
        >>> x, y = Var("x"), Var("y")
        >>> run(IRModule({"main": Function((x, y), Tuple((y, x)))}), 1, 2)
        (np.int32(2), np.int32(1))
    """
    return callable_of(mod, name)(*args)


class HandlerEvaluator:
    """What a method of a handler evaluates, as a function of the node and values of its operands.

    The method is given a visitor that knows these values, and no others. What nodes evaluate in
    scopes, a method asks for as the interpreter of their language wants it: as a generator that
    yields, such as ``Run``.
    """

    def __init__(self, handler: type[Handler], method: str) -> None:
        self.method: Callable[[Any, Any], Any] = getattr(handler(), method)

    def __call__(self, node: Node, operands: Sequence[Node], values: Sequence[object]) -> Any:
        # Any: as Callee
        return self.method(_Values(dict(zip(operands, values, strict=True))), node)


class _Values:
    """A visitor that knows the values of the operands of the node that is evaluated."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[Node, object]) -> None:
        self._values = values

    @property
    def context(self) -> AnalyzeCtx:
        """A context that knows of nothing around."""
        return AnalyzeCtx()

    def visit(self, node: Node) -> Any:  # Any: as Callee
        """Return the value of an operand.

        Raises:
            EvaluationError: If it is none.
        """
        if node in self._values:
            return self._values[node]
        raise EvaluationError(
            f"a handler asks for the value of {describe(node)} ({one_line(node)}), which is no "
            f"operand of the node it evaluates; ask for scopes by a generator that yields Run, and "
            f"leave what is deeper to the handlers of the operands"
        )

    def forget(self) -> None:
        """Do nothing: there is nothing but what is given."""
