"""Fresh names: each is given once."""

from __future__ import annotations

from collections.abc import Iterable


class UniqueNames:
    """Gives names that nobody has: ``i``, then ``i_0``, ``i_1``.

    Args:
        taken: Names that somebody has.

    Complexity:
        Constant for each name, unless names that are taken look like those that are given.

    Example:
        >>> names = UniqueNames(["A"])
        >>> [names.take("i"), names.take("i"), names.take("A")]
        ['i', 'i_0', 'A_0']
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Return ``name`` if nobody has it, else that with a number."""
        found = name
        while found in self._taken:
            number = self._next.get(name, 0)
            self._next[name] = number + 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found
