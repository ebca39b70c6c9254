"""Explanations of matches: where a pattern matches, or where the nearest match ends, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from relayish.ir.kinds.one_line import nested_line, one_line_at
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span

MOST_SHOWN: Final = 6
"""So many places are shown at most."""
_LONGEST: Final = 80


class Mismatch(NamedTuple):
    """A part of a pattern and what it met.

    Attributes:
        path: Where that is, by fields from the root of the match on: ``"args[0].args[1]"``; ``""``
            for the root itself.
        pattern: The part of the pattern.
        node: What it met.
        expected: What it expects, as text.
        found: What it found, as text.
    """

    path: str
    pattern: Node
    node: Any  # Any: a node of whatever language
    expected: str
    found: str

    def __str__(self) -> str:
        where = self.path or "the root"
        return f"at {where}: expected {self.expected}; found {self.found}"


class Part(NamedTuple):
    """A part of a pattern that matches a node, where the pattern does not even begin to match.

    Attributes:
        pattern: The part.
        node: The node.
        user: The first of what uses that, if anything does.
    """

    pattern: Node
    node: Any  # Any: nodes of whatever language
    user: Any | None


@dataclass(frozen=True, eq=False)
class Explanation:
    """Where a pattern matches, or why it does not; true if it matches anywhere.

    Attributes:
        pattern: The pattern.
        matched: The first expression that matches, users before what they use; ``None`` if there
            is none.
        matches_root: Whether the whole expression matches.
        nearest: The expression of which most parts of the pattern hold, where none matches, or the
            whole one, where another does; ``None`` where the whole one matches.
        mismatches: Where it does not match, the nearest first; others are those of other arms of
            alternatives, some if there are many.
        held: How many parts of the pattern had matched in ``nearest`` where it ends, not counting
            wildcards and alternatives.
        part: Where none had, the first part of the pattern that matches anything by itself.
    """

    pattern: Node
    matched: Any | None  # Any: a node of whatever language
    matches_root: bool
    nearest: Any | None  # Any: as above
    mismatches: tuple[Mismatch, ...]
    held: int
    part: Part | None = None

    def __bool__(self) -> bool:
        return self.matched is not None

    def __str__(self) -> str:
        """Return a few lines: what matches, or the nearest match, and what is wrong with it."""
        if self.matches_root:
            return f"{short(self.pattern)} matches the root: {_show(self.matched)}"
        if self.matched is None:
            held = counted(self.held, "part") if self.held else "no part"
            first = f"{short(self.pattern)} does not match"
            lines = [first, f"nearest: {_show(self.nearest)}, of which {held} had matched"]
        else:
            first = f"{short(self.pattern)} matches: {_show(self.matched)}"
            lines = [first, f"but not the root: {_show(self.nearest)}"]
        shown = self.mismatches[:MOST_SHOWN]
        lines += [f"  {'or ' if number else ''}{each}" for number, each in enumerate(shown)]
        if len(self.mismatches) > len(shown):
            lines.append("  or by other alternatives")
        if self.part is not None:
            part, node, user = self.part
            used = "" if user is None else f", used by {one_line_at(user)}"
            lines.append(f"  though its part {short(part)} matches {_show(node)}{used}")
        return "\n".join(lines)


def _show(node: Node | None) -> str:
    assert node is not None
    return nested_line(node, lambda _: None, most=12) + at_span(node)


def short(pattern: Node) -> str:
    """Return a pattern as text of bounded length."""
    text = str(pattern)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def counted(number: int, what: str) -> str:
    """Return ``"1 operand"``, ``"2 operands"``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
