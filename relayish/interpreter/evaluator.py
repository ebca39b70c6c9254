"""Evaluators: what the value of a node of some kind is, by the values of its operands and scopes.

Relay's own kinds are compiled to instructions of their own; other packages say what theirs are
worth by :data:`EVALUATORS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import DuplicateNameError
from relayish.interpreter.value import Evaluated
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.kind_table import KindTable, MadeTable
from relayish.ir.nodes.node import Node

ScopeName: TypeAlias = Node | tuple[Node, ...] | int
"""Which scope of a node: what is evaluated in it, a node or the tuple of a block, or its position
among :func:`relayish.ir.scopes.scoping.scopes`.
"""


class Run:
    """Asks for the value of a scope of the node, or of an operand that sees what the node binds.

    Each time the scope is evaluated anew: what is shared in it is computed once. A block has the
    tuple of the values of its statements.

    Args:
        scope: Which scope.
        bindings: The values of the variables that the node binds there, all of them.
    """

    __slots__ = ("bindings", "scope")

    def __init__(
        self, scope: ScopeName, bindings: Mapping[Any, Evaluated] | None = None
    ) -> None:  # Any: variables of any family
        self.scope = scope
        self.bindings = {} if bindings is None else bindings


class Capture:
    """Asks for a scope of the node as a function of the variables it binds there, in their order.

    The value is a :class:`~relayish.interpreter.Closure`, which the program may call whenever it
    likes: the value of a kind with deferred scopes.
    """

    __slots__ = ("scope",)

    def __init__(self, scope: ScopeName) -> None:
        self.scope = scope


class Apply:
    """Asks for the value of a function, which is the value of an operand, on ``args``."""

    __slots__ = ("args", "function")

    def __init__(self, function: Evaluated, args: Sequence[Evaluated]) -> None:
        self.function = function
        self.args = args


Request: TypeAlias = Run | Capture | Apply
EvaluationSteps: TypeAlias = Generator[Request, Evaluated, Evaluated]
"""What an evaluator in steps is: it yields what it needs the value of, and returns a value."""

Evaluate: TypeAlias = Callable[..., Evaluated | EvaluationSteps]
"""``evaluate(node, *operands)``: the value of ``node``, or the steps towards it."""

MatchPattern: TypeAlias = Callable[[Any, Evaluated], Iterable[tuple[Node, Evaluated]] | None]
"""``match(pattern, value)``: patterns inside and variables with what they stand for, or ``None``.

Any: a pattern of the kind.
"""


class Evaluator(NamedTuple):
    """How nodes of a kind are evaluated.

    Attributes:
        evaluate: The function that was registered; ``None`` for kinds that are compiled.
        in_steps: Whether it is a generator function.
        enter: ``enter(compiler, node, tail)`` for kinds that are compiled; for atoms
            ``enter(compiler, node)``, which returns where the value stands.
        in_line: Whether what is evaluated in its scopes is compiled into the function around it.
    """

    evaluate: Evaluate | None
    in_steps: bool = False
    enter: Callable[..., Any] | None = None  # Any: cells of the compiler, above this file
    in_line: bool = False


def _make_evaluator(kind: type[Node], given: Evaluate | Evaluator) -> Evaluator:
    if isinstance(given, Evaluator):
        return given
    known = EVALUATORS.get(kind)
    if known is not None and known.enter is not None:
        raise DuplicateNameError(f"the evaluation of Relay's {kind.__name__} cannot be replaced")
    return Evaluator(given, inspect.isgeneratorfunction(given))


EVALUATORS: Final[MadeTable[Evaluator, Evaluate | Evaluator]] = MadeTable(
    "evaluation", "relay.interpreter.EVALUATORS", _make_evaluator, held_as=Role.OPERAND
)
"""What nodes of a kind are worth.

``evaluate(node, *operands)`` is given the values of the operands, in order of declaration, and
returns that of the node. For a kind with scopes it is a generator function: it yields
:class:`Run`, :class:`Apply` or :class:`Capture` and is sent the value asked for. Values are what
programs have: numpy scalars and arrays, tuples, closures, references. Operands that see what the
node binds in scopes are not given; they are asked for as scopes are. The variables that a statement
without scopes declares stand for its value, or for the fields of it."""

MATCHERS: Final[KindTable[MatchPattern]] = KindTable(
    "matching of patterns", "relay.interpreter.MATCHERS", held_as=Role.BINDER
)
"""What patterns of a kind match.

``match(pattern, value)`` returns ``None`` where ``value`` differs, else pairs: of the patterns
inside and of variables that the pattern binds itself, each with what it has to match or stands for.
"""
