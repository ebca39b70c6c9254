"""Following: what statements have become that something else was put in the place of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from relayish.tir.ir.family import Stmt
from relayish.tir.ir.stmt import For, ScheduleBlockRealize


class Followed:
    """What the statements that were have become: loops by their variables, blocks by their names.

    Args:
        old: Those that were.
        images: What is said of some.
    """

    def __init__(self, old: Iterable[Stmt], images: Mapping[Stmt, Stmt]) -> None:
        self._known: dict[object, Stmt] = {image: stmt for stmt, image in images.items()}
        said = images.keys()
        for stmt in old:
            if stmt not in said:
                key = _key(stmt)
                if key is not None:
                    self._known.setdefault(key, stmt)

    def of(self, stmt: Stmt) -> Stmt | None:
        """Return what a statement was; ``None`` where it is new."""
        return self._known.get(stmt) or self._known.get(_key(stmt))


def _key(stmt: Stmt) -> object:
    """Return by what a statement is known again; ``None``: by nothing."""
    if isinstance(stmt, For):
        return stmt.loop_var
    if isinstance(stmt, ScheduleBlockRealize):
        return stmt.schedule_block.name
    return None
