"""Notes about lines: what a writer is told to put before and behind what it writes, as comments."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias

from relayish._support.printable import escape, escape_lines
from relayish.ir.nodes.node import Node


class LineKind(Enum):
    """What a line of text says."""

    VALUE = "value"  # a node is evaluated, a statement is run
    BINDING = "binding"  # the same, and a node binds variables to it
    RESULT = "result"  # what a block gives


class Place(NamedTuple):
    """Lines of a text about one thing.

    Attributes:
        kind: What they say.
        node: What is evaluated, what binds, or what a block gives.
        owner: The node whose block gives that; ``None`` for what stands alone.
        case: Which of its blocks.
        again: How often what is evaluated has been written before.
    """

    kind: LineKind
    node: Node
    owner: Node | None = None
    case: int = 0
    again: int = 0


NameOf: TypeAlias = Callable[[Node], str | None]
"""How a text refers to a node; ``None`` if it has no name there."""


class LineNotes(Protocol):
    """What is to be said about lines of a text."""

    def before(self, place: Place, name_of: NameOf) -> str:
        """Return what is to stand before lines, ``""`` for nothing."""

    def after(self, place: Place, name_of: NameOf) -> str:
        """Return what is to stand behind lines, ``""`` for nothing."""


def before_comment(text: str) -> str:
    """Return the comment that stands before lines."""
    return f"// before: {_one_line(text)}"


def after_comment(text: str) -> str:
    """Return the comment that stands behind lines."""
    return f"// after: {_one_line(text)}"


def comment_behind(text: str) -> str:
    """Return the comment that stands behind a node on its line, ``""`` for an empty one."""
    return f" /* {escape_lines(text).replace('*/', '* /')} */" if text else ""


def _one_line(text: str) -> str:
    return escape(" ".join(text.split()))
