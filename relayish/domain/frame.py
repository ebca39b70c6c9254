"""Frames: the block that a transformation is making, and the statement in it that it is at."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from relayish.domain.removed import REMOVED
from relayish.ir.domains.property import Property
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind

_LABELLED: Final = ByKind(lambda kind: Property.LABEL in kind.properties_)


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
        "reading",
        "statement",
        "steady",
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
        self.steady: dict[Node, Node] | None = None  # images that hold throughout the block
        self.reading: dict[Node, Node] | None = None  # images that hold until something is written
        self.reach = reach  # how far below it one may prepend; None: anywhere that is run once

    def begin(self, statement: Node, depth: int) -> None:
        """Go on to the next statement."""
        self.statement, self.depth, self.reading = statement, depth, None
        if self.steady is not None and _LABELLED[type(statement)]:
            self.steady = None  # control may come here that did not pass what stands before

    def end(self, image: object) -> None:
        """Put the image of the statement into the block, and what was appended behind it."""
        if isinstance(image, list):
            self.new += image
        elif image is not REMOVED:
            self.new.append(image)  # type: ignore[arg-type]
        if self.after:
            self.new += self.after
            self.after = []
