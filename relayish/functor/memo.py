"""The memo of a functor: it lasts for one visit, but for what was put in by hand.

While a visit goes on its results stand in a dictionary. When it is over they can be read in a
:class:`Finished` view of that, in which what is put in by hand is noted: it counts for the next
visit, as does what was put in before the first. What a visit itself found out does not.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any, NoReturn

from relayish.errors import UnvisitedNodeError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node


class Memo(dict[Node, Any]):  # Any: results, of the type each functor declares
    """Results by node, of functors that have handlers: these may look for what is not there.

    The library's own loops run faster on a plain ``dict``.
    """

    __slots__ = ()

    def __missing__(self, node: object) -> NoReturn:
        shown = one_line(node) if isinstance(node, Node) else repr(node)
        raise UnvisitedNodeError(
            f"memo_map holds nothing for {shown}: it was not visited, or what handles it has not "
            f"said what takes its place; visit it with self.visit(), and let the post_visit of "
            f"expand_a_normal_form return the image of its node or put it into memo_map"
        )


Table = MutableMapping[Node, Any]  # Any: as above


class Finished(Table):
    """The results or counts of a visit that is over; what is put in counts for the next."""

    __slots__ = ("_given", "_results", "_table")

    def __init__(
        self, results: Table, table: dict[Node, Any], given: dict[Node, Any]
    ) -> None:  # Any: as above
        """Show ``results``; ``table`` is that of each visit, which began with ``given``."""
        self._results = results
        self._table = table
        self._given = given

    def __getitem__(self, node: Node) -> Any:  # Any: as above
        return self._results[node]

    def __setitem__(self, node: Node, value: object) -> None:
        self._results[node] = self._given[node] = value

    def __delitem__(self, node: Node) -> None:
        del self._results[node]
        self._given.pop(node, None)

    def __contains__(self, node: object) -> bool:
        return node in self._results

    def __iter__(self) -> Iterator[Node]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def get(self, node: Node, default: Any = None) -> Any:  # Any: as above
        """Return the value of a node, ``default`` if it has none."""
        return self._results.get(node, default)

    def setdefault(self, node: Node, default: Any = None) -> Any:  # Any: as above
        """Put ``default`` in unless something was put in by hand; return what was."""
        if node not in self._given:
            self[node] = default
        return self._given[node]

    def clear(self) -> None:
        """Take everything out."""
        self._results.clear()
        self._given.clear()

    def copy(self) -> dict[Node, Any]:  # Any: as above
        """Return a dictionary of all that is there."""
        return dict(self._results)

    def __repr__(self) -> str:
        return repr(self._results)


def begin(
    known: Table, empty: dict[Node, Any]
) -> tuple[dict[Node, Any], dict[Node, Any]]:  # Any: as above
    """Return the table of a visit, and a copy of what it begins with: what was put in by hand.

    Args:
        known: What there is: the table before the first visit, what the last one left, or what
            somebody put in the place of these.
        empty: A table, for what is no dictionary.

    Complexity:
        Linear in what was put in by hand, and in what is forgotten.
    """
    if isinstance(known, dict):
        return known, dict(known)
    table, given = empty, dict(known)
    if isinstance(known, Finished):
        table, given = known._table, known._given  # noqa: SLF001 - a class of this file
        table.clear()
    table.update(given)
    return table, given


def given_by_hand(known: Table) -> dict[Node, Any]:  # Any: as above
    """Return what was put into the table ``known`` by hand; all of it before the first visit."""
    return dict(known._given if isinstance(known, Finished) else known)  # noqa: SLF001 - as above
