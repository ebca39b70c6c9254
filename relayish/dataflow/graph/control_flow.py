"""Control flow of kinds: in which order nodes run their scopes, and on which condition.

Roles say how often a scope runs. What they leave open, a kind may say: what a loop computes before
each iteration, and what holds in a branch. A kind that says nothing gets what holds whatever it
means: scopes that run repeatedly may run in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.ir.fields.field import Shape
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.getters import scope_fields
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import has_parts, scopes


class TestedLoop(NamedTuple):
    """A loop that computes something before each iteration to find out whether there is one.

    Attributes:
        test: The scope that is computed, by its place among the scopes of the node.
        body: The scopes that an iteration runs behind it, in order.
        before: Those that it runs ahead of it, as a loop does that tests at its end.
    """

    test: int
    body: tuple[int, ...]
    before: tuple[int, ...] = ()

    @property
    def first(self) -> int:
        """The first scope of an iteration, which control enters where the test holds."""
        return (self.body or self.before)[0]


class Condition(NamedTuple):
    """What holds where a branch is taken: the value of ``expr`` is ``truth``."""

    expr: Node
    truth: bool


# Any: a node of one kind
ConditionOf: TypeAlias = Callable[[Any, int | None], Condition | None]
"""``condition(node, case)``: what holds where ``node`` chooses that scope; ``None``: not said."""


class ControlFlow(NamedTuple):
    """How nodes of a kind run their scopes.

    Attributes:
        loop: What an iteration consists of; ``None``: scopes that run repeatedly run in any order.
        condition: What holds in each branch.
        leaves: Whether control leaves the function behind a node, as a return does.
    """

    loop: TestedLoop | None = None
    condition: ConditionOf | None = None
    leaves: bool = False


CONTROL_FLOW: Final[KindTable[ControlFlow]] = KindTable(
    "the flow graph",
    "relayish.dataflow.CONTROL_FLOW",
    {Node: ControlFlow()},
)
"""By kind: in which order nodes run their scopes, and on which condition."""


def condition_of(node: Node, case: int | None) -> Condition | None:
    """Return what holds where ``node`` chooses a scope; ``None`` where its kind does not say."""
    tell = CONTROL_FLOW[type(node)].condition
    return None if tell is None else tell(node, case)


def has_control_flow(node: Node) -> bool:
    """Return whether ``node`` has scopes that run when it is evaluated, unlike functions."""
    known = MAY_HAVE_CONTROL_FLOW[type(node)]
    if known is not None:
        return bool(known)
    return any(scope.runs is not Runs.DEFERRED for scope in scopes(node))


def is_let(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` evaluate operands where they bind variables."""
    found: bool = _IS_LET[kind]
    return found


def defers(kind: type[Node]) -> bool:
    """Return whether nodes of class ``kind`` have scopes that run later, as functions have."""
    found: bool = _DEFERS[kind]
    return found


def may_skip(node: Node, cases: int) -> bool:
    """Return whether ``node``, which chooses one of some scopes, may choose none of them.

    It may where there could be another one, as where an ``if`` has no ``else``.
    """
    optional, is_alone = _CHOICES[type(node)]
    return (cases == 1 and is_alone) or any(getattr(node, name) is None for name in optional)


def _may_have_control_flow(kind: type[Node]) -> bool | None:
    """Return whether nodes of a kind have scopes that run; ``None`` where some have."""
    running = [f for f in scope_fields(kind).scopes if f.runs is not Runs.DEFERRED]
    if any(f.shape is Shape.ONE or f.block for f in running):
        return True
    return None if running or has_parts(kind) else False


def _is_let(kind: type[Node]) -> bool:
    fields = scope_fields(kind)
    return not fields.outside and not fields.parts and bool(fields.recursive)


def _defers(kind: type[Node]) -> bool:
    return any(field.runs is Runs.DEFERRED for field in scope_fields(kind).scopes)


def _choices_of_kind(kind: type[Node]) -> tuple[tuple[str, ...], bool]:
    """Return which scopes nodes of a kind may lack, and whether they have but one to choose."""
    own = [f for f in kind.fields_ if f.runs is Runs.ONE_OF]
    optional = tuple([f.name for f in own if f.shape is Shape.OPTIONAL])
    return optional, len(own) == 1 and not own[0].holds_many


MAY_HAVE_CONTROL_FLOW: Final = ByKind(_may_have_control_flow)
"""By kind, whether nodes have scopes that run when they are evaluated; ``None``: some have."""
_IS_LET: Final = ByKind(_is_let)
_DEFERS: Final = ByKind(_defers)
_CHOICES: Final = ByKind(_choices_of_kind)
