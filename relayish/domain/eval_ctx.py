"""The context of an evaluation while compiling: values of variables, and what is not known."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from relayish.domain.analyze_ctx import AnalyzeCtx
from relayish.domain.dispatch import Dispatch
from relayish.errors import EvaluationError, UnsupportedError
from relayish.functor.vtable import default_handler
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node


class Unknown(Enum):
    """The class of :data:`UNKNOWN`, its one member."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return self.name


UNKNOWN: Final = Unknown.UNKNOWN
"""The value of an expression that is not known while compiling."""


class EvalCtx(AnalyzeCtx):
    """The context of a visit that evaluates while compiling: each handler returns a value.

    What is not known is an ``EvaluationError``, as what fails is; :meth:`value_of` gives
    :data:`UNKNOWN` for both. By default no value is known. ``relayish.core.interpreter`` has a
    context of core's own for the handlers that evaluate it; those of the loop IR and of Relay are
    ``relayish.tir.interpreter.EvaluateExpr`` and ``relayish.interpreter.EvaluateExpr``.

    Args:
        values: The environment: values of variables.

    Source:
        AIR ``EVAL_CTX``.

    Example:
        >>> from relayish import tir
        >>> from relayish.domain import Visitor
        >>> from relayish.tir.interpreter import EvaluateExpr
        >>> x, y = tir.Var("x"), tir.Var("y")
        >>> ctx = EvalCtx({x: 3})
        >>> visitor = Visitor(ctx, EvaluateExpr)
        >>> ctx.value_of(visitor, x * 2 + 1), ctx.value_of(visitor, x + y)
        (np.int32(7), UNKNOWN)
    """

    values: dict[Node, Any]  # Any: of all languages

    def __init__(self, values: Mapping[Any, Any] | None = None, **_options: object) -> None:
        # Any: as above
        self.values = dict(values or {})

    def value_of(self, visitor: Dispatch, expr: Node) -> Any:  # Any: as above
        """Return the value of ``expr``, or :data:`UNKNOWN` where there is none while compiling."""
        try:
            return visitor.visit(expr)
        except (EvaluationError, UnsupportedError, MemoryError):
            return UNKNOWN

    def load(self, variable: Node, held: object = None) -> Any:  # noqa: ARG002 - Any: as above
        """Return the value of a variable.

        Raises:
            EvaluationError: If the environment has none.
        """
        if variable not in self.values:
            self.refuse(variable)
        return self.values[variable]

    def refuse(self, node: Node) -> Any:  # Any: stands where a value is returned
        """Say that the value of ``node`` is not known.

        Raises:
            EvaluationError: Always.
        """
        raise EvaluationError(
            f"the value of {one_line(node)} is not known while compiling; give it in the "
            f"environment, or evaluate where the program runs"
        )

    @default_handler
    def handle_node(self, visitor: Dispatch, node: Node) -> Any:  # noqa: ARG002 - Any: as above
        """Say that the value of ``node`` is not known: nothing says what it is."""
        return self.refuse(node)

    def keep(self, node: Node) -> Any:  # Any: as above
        """Say that the value of ``node`` is not known: nobody looks at it."""
        return self.refuse(node)

    def _is_called(self, kind: type[Node]) -> bool:  # noqa: ARG002 - as in the base
        """Return that default handling takes a call: it looks no further."""
        return True
