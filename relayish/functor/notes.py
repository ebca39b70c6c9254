"""Notes on errors: at which node of the program, and where in its text, a handler failed.

Nothing is kept for this while a program is walked. An error that leaves a visit carries its frames,
and the innermost of the engine's says which node was being handled.
"""

from __future__ import annotations

from types import FrameType
from typing import Any, Final, NamedTuple

from relayish.errors import add_note, notes_of
from relayish.ir.kinds.one_line import one_line, quote
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span
from relayish.ir.nodes.untyped import add_hint

_LOOPS: Final = frozenset({"_walk", "_mutate", "mutate_all"})
"""Methods of functors whose local ``node`` is the node being handled."""

_VISITS: Final = frozenset({"visit", "mutate_children", "visit_children"})
"""Methods of functors whose argument is."""

_BEGINNINGS: Final = ("while visiting ", "while rewriting ")


class Failure(NamedTuple):
    """What was being handled when an error came up, and by which functor."""

    functor: Any
    node: Node


def is_noted(error: BaseException) -> bool:
    """Return whether a note of ``error`` names a node already."""
    return any(isinstance(n, str) and n.startswith(_BEGINNINGS) for n in notes_of(error))


def note_visit(error: BaseException, node: Node, more: str = "") -> None:
    """Say on ``error`` that it came up while ``node`` was visited."""
    add_hint(error)
    add_note(error, f"while visiting {quote(node)}{more}")


def note_rewrite(error: BaseException, node: Node, origin: Node, by: str) -> None:
    """Say on ``error``, unless it names a node already, that ``by`` failed on ``node``.

    Args:
        error: What was raised.
        node: What was to be rewritten.
        origin: What it was in the program before anything below it was rewritten.
        by: What rewrites.
    """
    if not is_noted(error):
        add_hint(error)
        place = at_span(node) or at_span(origin)
        shown = one_line(node) + place if place else quote(node)
        add_note(error, f"while rewriting {shown} by {by}")


def find_failure(error: BaseException, functors: type) -> Failure | None:
    """Return the innermost node that one of ``functors`` was handling when ``error`` came up.

    Complexity:
        Linear in the number of frames that the error has passed.
    """
    frames: list[FrameType] = []
    entry = error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_name in _METHODS:
            frames.append(entry.tb_frame)
        entry = entry.tb_next
    while frames:
        frame = frames.pop()
        functor = frame.f_locals.get("self")
        if not isinstance(functor, functors):
            continue
        code = frame.f_code
        node = frame.f_locals.get("node" if code.co_name in _LOOPS else code.co_varnames[1])
        if isinstance(node, Node):
            return Failure(functor, node)
    return None


_METHODS: Final = _LOOPS | _VISITS
