"""Handles of a schedule: loops, blocks and sampled numbers, which follow what becomes of them."""

from __future__ import annotations

from typing import ClassVar

from relayish.ir.kinds.one_line import one_line
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.schedule.state import Ref


class Handle:
    """Stands for something of a schedule; two are equal if they stand for the same.

    Attributes:
        origin: The number of the step that made it, and its number among the results of that.
    """

    __slots__ = ("origin", "ref")

    what: ClassVar[str]

    def __init__(self, ref: Ref, origin: tuple[int, int]) -> None:
        self.ref = ref
        self.origin = origin

    def __eq__(self, other: object) -> bool:
        """Whether both stand for one loop, or one block."""
        return isinstance(other, Handle) and self.ref is other.ref

    def __hash__(self) -> int:
        """A hash of what it stands for."""
        return hash(self.ref)

    def __repr__(self) -> str:
        """What it stands for now."""
        if self.ref.gone:
            return f"<{self.what}, gone: {self.ref.gone}>"
        return f"<{self.what} {one_line(self.ref.stmt)}>"


class LoopRV(Handle):
    """A loop of a schedule.

    Source:
        TVM ``LoopRV``.
    """

    __slots__ = ()
    what = "loop"

    @property
    def stmt(self) -> For:
        """The loop as it is now.

        Raises:
            ScheduleError: If it is gone: in which step it went.
        """
        found = self.ref.current()
        assert isinstance(found, For)
        return found


class BlockRV(Handle):
    """A schedule block of a schedule, with the values of its variables.

    Source:
        TVM ``BlockRV``.
    """

    __slots__ = ()
    what = "block"

    @property
    def stmt(self) -> ScheduleBlockRealize:
        """The block as it is now, and what it is given.

        Raises:
            ScheduleError: If it is gone: in which step it went.
        """
        found = self.ref.current()
        assert isinstance(found, ScheduleBlockRealize)
        return found

    @property
    def name(self) -> str:
        """Its name."""
        return self.stmt.schedule_block.name


class ExprRV(int):
    """A number that was sampled, which later steps take as it is.

    Attributes:
        origin: As of handles.

    Source:
        TVM ``ExprRV``.
    """

    origin: tuple[int, int]

    @classmethod
    def made(cls, value: int, origin: tuple[int, int]) -> ExprRV:
        """Return ``value`` as the result of a step."""
        found = cls(value)
        found.origin = origin
        return found
