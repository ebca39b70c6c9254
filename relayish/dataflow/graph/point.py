"""Program points: what happens at each, the edges between them, the procedures they are in."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node


class Action(Enum):
    """What happens at a program point."""

    ENTRY = "entry"  # a procedure is entered, with its parameters
    EVALUATE = "evaluate"  # a node without scopes is evaluated, a statement is run
    ENTER = "enter"  # a node with scopes is entered: its operands are known
    BIND = "bind"  # variables come into scope
    LOOP = "loop"  # another iteration begins, or the loop is left: its header
    YIELD = "yield"  # a scope gives an atom, or what was computed outside of it
    LEAVE = "leave"  # the scopes of a node are done, branches merge: its value is known
    EXIT = "exit"  # a procedure is left


class Point(NamedTuple):
    """A program point: one occurrence of a node, and what happens there.

    Attributes:
        number: Its place in reverse post-order, by which graph and results know it.
        node: The node that is evaluated, entered or left; of ``ENTRY`` and ``EXIT``, the function,
            or whatever was analysed.
        action: What happens.
        binders: The variables that come into scope, in order.
    """

    number: int
    node: Node
    action: Action
    binders: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return f"{self.action.value} {one_line(self.node)}"


class Branch(NamedTuple):
    """Which of its scopes a node chooses.

    Attributes:
        node: What chooses: a branching, a loop.
        case: The scope, by its place among :func:`~relayish.ir.scopes.scoping.scopes` of the node;
            ``None``: none of them, as where a loop ends.
    """

    node: Node
    case: int | None


class Edge(NamedTuple):
    """From one program point to the next.

    Attributes:
        source: The number of the point that control leaves.
        target: The number of the point it goes to.
        branch: The choice that leads there; ``None`` where there is none to make.
    """

    source: int
    target: int
    branch: Branch | None = None


class Procedure(NamedTuple):
    """A piece of program that is called, or analysed, on its own: the body of a function.

    Attributes:
        number: Its place among the procedures of the graph.
        node: The function; of the outermost one, whatever is analysed.
        scope: Which scope of the node it is; ``None``: the node itself is evaluated.
        parent: The procedure in which the function is made; ``None`` for one that is analysed.
        entry: The number of its first point. All of its points follow it,
        exit: up to the number of the last one.
    """

    number: int
    node: Node
    scope: int | None
    parent: int | None
    entry: int
    exit: int
