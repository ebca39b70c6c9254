"""States as text, for people: sets, maps, intervals, by the names that things have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any, Final

import numpy as np

from relayish._support.hash_trie import EMPTY, size_change
from relayish._support.hash_trie import Node as Trie
from relayish.dataflow.lattice import (
    UNIVERSE,
    CofiniteSet,
    Everywhere,
    Interval,
    PersistentMap,
    PersistentSet,
)
from relayish.ir.kinds.one_line import nested_line
from relayish.ir.nodes.node import Node

MOST_SHOWN: Final = 8
"""How many elements of a state are shown; of the others the number is."""
MOST_SORTED: Final = 64
"""States with more elements than this are told by their number alone."""
_LONGEST: Final = 40
_NUMBERS: Final = re.compile(r"(\d+)")

NameOf = Callable[[Node], str | None]


def state_text(state: object, name_of: NameOf) -> str:
    """Return a state on one line, for people: sets, maps and intervals as mathematics has them.

    Elements are in order of their text; where there are many, the first are shown, and how many
    there are besides.

    Args:
        state: The state of any lattice.
        name_of: The name of a variable where the text stands; ``None`` if it has none there.

    Example:
        >>> from relayish.dataflow.lattice import PersistentMap, PersistentSet
        >>> names = lambda node: None
        >>> state_text(PersistentSet("ba"), names), state_text(UNIVERSE.discard("a"), names)
        ("{'a', 'b'}", "all but {'a'}")
        >>> state_text(PersistentMap({"x": 3, "y": Interval(0, 15)}), names)
        "{'x': 3, 'y': [0, 15]}"
        >>> state_text(PersistentSet(range(20)), names)
        '{0, 1, 2, 3, 4, 5, 6, 7, 12 more}'
    """
    return StateText().of(state, name_of)


class StateText:
    """Shows states one after the other, as :func:`state_text` does each.

    Complexity:
        For a state, as much as it differs from the one before, and that of a bounded number of
        elements.
    """

    def __init__(self) -> None:
        self._counted: Trie = EMPTY
        self._count = 0

    def of(self, state: object, name_of: NameOf) -> str:
        """Return a state on one line."""
        if isinstance(state, Node):
            return nested_line(state, name_of)
        if isinstance(state, Interval):
            return _interval(state)
        if isinstance(state, CofiniteSet):
            return "all" if state is UNIVERSE else f"all but {self.of(state.excluded, name_of)}"
        if isinstance(state, Everywhere):
            return f"all: {self.of(state.value, name_of)}"
        if isinstance(state, AbstractSet):
            return self._braces(state, state, lambda each: self.of(each, name_of))
        if isinstance(state, Mapping):
            return self._braces(
                state,
                state.items(),
                lambda item: f"{self.of(item[0], name_of)}: {self.of(item[1], name_of)}",
            )
        if type(state) is tuple:
            return f"({', '.join([self.of(each, name_of) for each in state])})"
        shown = str(state) if isinstance(state, np.generic) else " ".join(repr(state).split())
        return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 3]}..."

    def _braces(
        self,
        state: Collection[Any],  # Any: elements of any type
        items: Iterable[Any],
        spell: Callable[[Any], str],
    ) -> str:
        first = list(islice(items, MOST_SORTED + 1))
        if len(first) > MOST_SORTED:
            return f"{{{self._size(state)} elements}}"
        shown = sorted([spell(item) for item in first], key=_by_name)
        more = len(shown) - MOST_SHOWN
        if more > 0:
            shown[MOST_SHOWN:] = [f"{more} more"]
        return f"{{{', '.join(shown)}}}"

    def _size(self, state: Collection[Any]) -> int:
        """Return how many elements a state has; persistent ones are compared with the last."""
        if not isinstance(state, PersistentSet | PersistentMap):
            return len(state)
        self._count += size_change(self._counted, state.root)
        self._counted = state.root
        return self._count


def _by_name(shown: str) -> list[tuple[int, int, str]]:
    """Return the key that puts ``x2`` before ``x10``."""
    return [
        (0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part)
        for part in _NUMBERS.split(shown)
        if part
    ]


def _interval(interval: Interval) -> str:
    low = f"[{interval.low}" if interval.low > float("-inf") else "(-inf"
    high = f"{interval.high}]" if interval.high < float("inf") else "inf)"
    return f"{low}, {high}"
