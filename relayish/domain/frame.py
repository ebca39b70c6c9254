"""Frames: the block that a transformation is making, and the statement in it that it is at."""

from __future__ import annotations

from collections.abc import Collection

from relayish.domain.removed import REMOVED
from relayish.ir.node import Node


class Frame:
    """A statement being processed: what its block holds so far, and what comes after it."""

    __slots__ = (
        "after",
        "awaited",
        "base",
        "depth",
        "kinds",
        "last",
        "new",
        "reach",
        "statement",
        "taken",
    )

    def __init__(self, kinds: Collection[type[Node]], reach: int | None, base: int) -> None:
        self.base = base  # how many parents there are around the block
        self.kinds = kinds  # what may stand in the block
        self.new: list[Node] = []  # the statements of the new block
        self.after: list[Node] = []  # what was appended, to come after the statement
        self.last: list[Node] = []  # what comes right before the value of the block
        self.awaited: Node | None = None  # what the statement holds as the rest of the block
        self.taken: list[Node] = []  # rests that handlers visited, kept in the memo for this
        self.statement: Node | None = None
        self.depth = 0  # where the statement stands among the parents
        self.reach = reach  # how far below it one may prepend; None: anywhere that is run once

    def begin(self, statement: Node, depth: int) -> None:
        """Go on to the next statement."""
        self.statement, self.depth = statement, depth

    def end(self, image: object) -> None:
        """Put the image of the statement into the block, and what was appended behind it."""
        if isinstance(image, list):
            self.new += image
        elif image is not REMOVED:
            self.new.append(image)  # type: ignore[arg-type]
        if self.after:
            self.new += self.after
            self.after = []
