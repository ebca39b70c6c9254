"""Which occurrence a functor is visiting: for functors that keep something for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from relayish.dataflow.occurrence import Occurrence
from relayish.functor.functor import Functor, no_node
from relayish.ir.node import Node
from relayish.ir.traversal import EVERYTHING

N = TypeVar("N", bound=Node)
R = TypeVar("R")

_ONCE_EACH: Final[Mapping[Node, int]] = {}


class Evaluation:
    """One evaluation of what stands at an occurrence, while its handler is at work.

    Attributes:
        occurrence: What is evaluated.
        met: How often the handler has visited each child that stands at several places.
        fixpoints: How many fixpoints the handler has asked for.
        is_entered: Whether its visit has begun; a visit that only passes it on has not.
    """

    __slots__ = ("fixpoints", "is_entered", "met", "occurrence")

    def __init__(self, occurrence: Occurrence) -> None:
        self.occurrence = occurrence
        self.met: dict[Node, int] | None = None
        self.fixpoints = 0
        self.is_entered = False


class TrackingFunctor(Functor[N, R]):
    """Knows at each visit the occurrence that it visits; a base of functors, not one to visit with.

    A visit of a node that stands at several places in its parent is the next of them, and after the
    last the first again: so a loop that visits its body repeatedly visits one occurrence.
    """

    _evaluation: Evaluation | None = None
    _places: dict[Node, Mapping[Node, int]]

    def _begin_visit(
        self, work: Callable[..., Any], subject: object, args: tuple[object, ...]
    ) -> Any:  # Any: as the functor's
        self._evaluation = None
        self._places = {}
        try:
            return super()._begin_visit(work, subject, args)
        finally:
            self._evaluation = None

    def _enter(self, node: Any) -> Evaluation:  # Any: a node, if handlers are right
        """Return a new evaluation of ``node``, which the evaluation that goes on visits."""
        if not isinstance(node, Node):
            raise no_node(type(self), type(node))
        around = self._evaluation
        if around is None:
            return Evaluation(Occurrence(node))
        places = self._places_in(around.occurrence.node)
        count = places.get(node) if places else None
        if count is None:
            return Evaluation(Occurrence(node, around.occurrence))
        met = around.met
        if met is None:
            met = around.met = {}
        number = met.get(node, 0)
        met[node] = number + 1
        return Evaluation(Occurrence(node, around.occurrence, number % count))

    def _places_in(self, node: Node) -> Mapping[Node, int]:
        """Return, for each child that stands at several places in ``node``, at how many."""
        found = self._places.get(node)
        if found is None:
            children = EVERYTHING.children(node)
            found = _ONCE_EACH
            if len(children) > 1 and len(set(children)) < len(children):
                found = {c: count for c, count in Counter(children).items() if count > 1}
            self._places[node] = found
        return found
