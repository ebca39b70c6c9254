"""Abstract store: what is known of the content of references at one point of the program."""

from __future__ import annotations

from typing import TypeAlias

from relayish.passes.relay.fold.partial_eval.value import Cell, Value

Written: TypeAlias = "dict[Cell, Value | None]"


class Store:
    """Contents by reference, with a journal to take back what happened in a branch.

    Forgetting everything is one step: each entry says in which period it was made, and only those
    of the current one count.

    Complexity:
        Constant for each step; leaving a branch takes as long as there were writes in it.
    """

    def __init__(self) -> None:
        self._contents: dict[Cell, tuple[int, Value]] = {}
        self._journal: list[tuple[Cell, tuple[int, Value] | None]] = []
        self._period = 0
        self._periods = 0

    def get(self, cell: Cell) -> Value | None:
        """Return the content of ``cell`` where it is known."""
        found = self._contents.get(cell)
        return found[1] if found is not None and found[0] == self._period else None

    def set(self, cell: Cell, value: Value) -> None:
        """Note that ``value`` was put into ``cell``."""
        self._journal.append((cell, self._contents.get(cell)))
        self._contents[cell] = (self._period, value)

    def invalidate(self) -> None:
        """Forget all contents: something happened that may have written to any reference."""
        self._periods += 1
        self._period = self._periods

    def enter(self) -> tuple[int, int]:
        """Return a mark for :meth:`leave`, taken before a branch."""
        return len(self._journal), self._period

    def leave(self, mark: tuple[int, int]) -> Written | None:
        """Take back what happened since ``mark``; return what was written.

        Returns:
            The last content of each reference that was written, where it is known, or ``None`` if
            everything was forgotten in between.
        """
        length, period = mark
        forgotten = self._period != period
        written: Written = {}
        while len(self._journal) > length:
            cell, before = self._journal.pop()
            if not forgotten and cell not in written:
                written[cell] = self.get(cell)
            if before is None:
                del self._contents[cell]
            else:
                self._contents[cell] = before
        self._period = period
        return None if forgotten else written

    def join(self, branches: list[Written | None]) -> None:
        """Go on after one of several branches was taken, and nobody knows which.

        What is left is known where no branch wrote, or all put the same value.
        """
        known = [branch for branch in branches if branch is not None]
        if len(known) < len(branches):
            self.invalidate()
            return
        for cell in {cell for branch in known for cell in branch}:
            contents = {branch.get(cell, self.get(cell)) for branch in known}
            content = contents.pop()
            if contents or content is None:
                self._forget(cell)
            else:
                self.set(cell, content)

    def _forget(self, cell: Cell) -> None:
        """Forget one content; the entry stays, of a period that never was."""
        found = self._contents.get(cell)
        if found is not None:
            self._journal.append((cell, found))
            self._contents[cell] = (-1, found[1])
