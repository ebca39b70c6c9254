"""Points-to sets: what was found, by expression and by creation site."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from relayish._support.graph import reachable
from relayish.ir.nodes.node import Node


class Unknown(Enum):
    """The type of :data:`UNKNOWN`."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN
"""Stands for what is made outside of the program, and for all that became known there."""

Site: TypeAlias = Node | Unknown
"""A creation site: the node that creates a thing, each time it is evaluated."""


class FunctionSite(NamedTuple):
    """A function that some node creates.

    Attributes:
        node: The creation site.
        parameters: The variables that stand for arguments, in order.
        result: What is evaluated last in its body, if anything; a call returns its value.
        case: Its body, by place among the scopes of the node.
    """

    node: Node
    parameters: tuple[Node, ...]
    result: Node | None
    case: int


class Call(NamedTuple):
    """What a call calls, with what."""

    node: Node
    arguments: tuple[Node, ...]
    callees: tuple[FunctionSite, ...]
    is_unknown: bool
    """Whether it may call something else, which is not known."""


class Leaks(NamedTuple):
    """Where values may leave the program, but for calls of what is not known, and results.

    Attributes:
        given_away: For each node that gives values to somebody unknown, these.
        stored: For each node that puts values into others: pairs of the latter and the former.
    """

    given_away: Mapping[Node, Sequence[Node]]
    stored: Mapping[Node, Sequence[tuple[Node, Node]]]


class PointsTo:
    """What points-to analysis found; never changed.

    Attributes:
        calls: What each call calls, but for calls of operators that are known.
        leaks: Where values may leave the program.
        escaped: The things that may become known outside of the program: what is returned by, or
            given to, somebody who is not known, and all that is reached from there.
        reached: All nodes of what was looked at.
    """

    __slots__ = (
        "_functions",
        "_parts",
        "_root",
        "_sets",
        "calls",
        "escaped",
        "leaks",
        "reached",
    )

    def __init__(
        self,
        sets: Mapping[Hashable, frozenset[Site]],
        root: Mapping[Node, Node],
        parts: Mapping[Node, Mapping[Hashable, frozenset[Site]]],
        functions: Mapping[Node, Sequence[FunctionSite]],
        calls: Mapping[Node, Call],
        leaks: Leaks,
        escaped: frozenset[Node],
        reached: AbstractSet[Node],
    ) -> None:
        self._sets = sets
        self._root = root
        self._parts = parts
        self._functions = functions
        self.calls = calls
        self.leaks = leaks
        self.escaped = escaped
        self.reached = reached

    def of(self, expr: Node) -> frozenset[Site]:
        """Return where the value of ``expr`` may have been created.

        Values without identity, such as tensors, are created nowhere. With :data:`UNKNOWN` among
        them, the value may be anything that is made outside, or that escaped.
        """
        return self._sets.get(self._root.get(expr, expr), _NOWHERE)

    def functions_of(self, expr: Node) -> tuple[FunctionSite, ...]:
        """Return which functions of the program the value of ``expr`` may be, if it is known."""
        return tuple([function for site in self.of(expr) for function in self.functions_at(site)])

    def functions_at(self, site: Site) -> Sequence[FunctionSite]:
        """Return the functions that ``site`` creates: none for another thing than a function."""
        return () if site is UNKNOWN else self._functions.get(site, ())

    @property
    def function_sites(self) -> Collection[Node]:
        """All creation sites of functions."""
        return self._functions.keys()

    @property
    def sites(self) -> tuple[Node, ...]:
        """All creation sites of things that have parts: tuples, data, references; by first use."""
        return tuple(self._parts)

    def parts(self, site: Site) -> Mapping[Hashable, frozenset[Site]]:
        """Return what the parts of the things that ``site`` creates may be, by key."""
        return _NO_PARTS if site is UNKNOWN else self._parts.get(site, _NO_PARTS)

    def may_alias(self, one: Node, other: Node) -> bool:
        """Return whether the values of two expressions may be one thing, with an identity.

        Two things of one creation site are not told apart.
        """
        left, right = self.of(one), self.of(other)
        if not left.isdisjoint(right):
            return True
        return self._is_met(left, right) or self._is_met(right, left)

    def _is_met(self, left: frozenset[Site], right: frozenset[Site]) -> bool:
        return UNKNOWN in left and not self.escaped.isdisjoint(right)

    def reachable(
        self,
        sites: Iterable[Site],
        captured: Callable[[Node], Iterable[Node]] = lambda _: (),
    ) -> frozenset[Site]:
        """Return ``sites`` and all that may be parts of them, and of these, and so on.

        Args:
            sites: Where to start.
            captured: Which variables from outside a function uses: what they stand for is reached
                by way of the function; by default none.

        Complexity:
            Linear in what is reached, and its parts.
        """

        def held(site: Site) -> list[Site]:
            found = [inner for part in self.parts(site).values() for inner in part]
            if site is not UNKNOWN and site in self._functions:
                for variable in captured(site):
                    found += self.of(variable)
            return found

        return frozenset(reachable(sites, held))

    def __repr__(self) -> str:
        return (
            f"<PointsTo: {len(self._parts)} creation sites of things with parts, "
            f"{len(self._functions)} of functions, {len(self.calls)} calls>"
        )


_NOWHERE: Final[frozenset[Site]] = frozenset()
_NO_PARTS: Final[Mapping[Hashable, frozenset[Site]]] = {}
