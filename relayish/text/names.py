"""Unique names for variables in text."""

from __future__ import annotations


class Names:
    """Gives out names, each once: ``x``, ``x1``, ``x2``."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, hint: str) -> str:
        """Return ``hint`` or, when that is taken, the next free name made from it."""
        name = hint
        count = self._next.get(hint, 0)
        while name in self._taken:
            count += 1
            name = f"{hint}{count}"
        self._next[hint] = count
        self._taken.add(name)
        return name

    def release(self, name: str) -> None:
        """Give out ``name`` again, since what has it is not spoken of any more."""
        self._taken.discard(name)

    def reserve(self, name: str) -> None:
        """Never give out ``name``."""
        self._taken.add(name)
