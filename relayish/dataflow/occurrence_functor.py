"""Occurrences in functors: those that keep something for each know which they visit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple, TypeVar

from relayish.dataflow.occurrence import Occurrence
from relayish.functor.functor import Functor
from relayish.functor.misfits import no_node
from relayish.ir.nodes.node import ATOMS, GRAPH_NODES, Node
from relayish.ir.nodes.traversal import EVERYTHING, ByKind
from relayish.ir.scopes.scoping import has_scopes, scope_roots

N = TypeVar("N", bound=Node)
R = TypeVar("R")


class Evaluation:
    """One evaluation of what stands at an occurrence, while its handler is at work.

    Attributes:
        occurrence: What is evaluated.
        scope: Where what it uses is computed, where that may be used elsewhere too.
        met: How often the handler has visited each child that stands at several places.
        context: What it is visited with beside a state.
        fixpoints: How many fixpoints the handler has asked for.
        is_entered: Whether its visit has begun; a visit that only passes it on has not.
    """

    __slots__ = ("context", "fixpoints", "is_entered", "met", "occurrence", "scope")

    def __init__(self, occurrence: Occurrence, scope: Occurrence) -> None:
        self.occurrence = occurrence
        self.scope = scope
        self.met: dict[Node, int] | None = None
        self.context: tuple[object, ...] = ()
        self.fixpoints = 0
        self.is_entered = False


class _Children(NamedTuple):
    """What tells occurrences of the children of a node apart."""

    places: Mapping[Node, int]  # of each child that stands at several, at how many
    roots: AbstractSet[Node]  # those that are evaluated in scopes of their own


_PLAIN: Final = _Children({}, frozenset())

_SHARED: Final = ByKind(
    lambda kind: kind in GRAPH_NODES and kind not in ATOMS and not kind.language_.is_tree
)
"""Whether nodes of a kind are computed once in their scope, however many nodes use them."""


class OccurrenceFunctor(Functor[N, R]):
    """Knows at each visit the occurrence that it visits; a base of functors, not one to visit with.

    A visit of a node that stands at several places in its parent is the next of them, and after the
    last the first again: so a loop that visits its body repeatedly visits one occurrence.
    """

    _visiting: Evaluation | None = None
    _children: dict[Node, _Children]

    def _begin_visit(
        self, work: Callable[..., Any], subject: object, args: tuple[object, ...]
    ) -> Any:  # Any: as the functor's
        self._visiting = None
        self._children = {}
        try:
            return super()._begin_visit(work, subject, args)
        finally:
            self._visiting = None
            self._children = {}

    def _enter(self, node: Any) -> Evaluation:  # Any: a node, if handlers are right
        """Return a new evaluation of ``node``, which the evaluation that goes on visits."""
        if not isinstance(node, Node):
            raise no_node(type(self), self.family, type(node))
        around = self._visiting
        if around is None:
            root = Occurrence(node)
            return Evaluation(root, root)
        children = self._children_of(around.occurrence.node)
        if _SHARED[type(node)] and node not in children.roots:
            return Evaluation(Occurrence(node, around.scope), around.scope)
        count = children.places.get(node)
        number = 0
        if count is not None:
            met = around.met
            if met is None:
                met = around.met = {}
            number = met.get(node, 0)
            met[node] = number + 1
            number %= count
        found = Occurrence(node, around.occurrence, number)
        return Evaluation(found, found)

    def _children_of(self, node: Node) -> _Children:
        found = self._children.get(node)
        if found is None:
            children = EVERYTHING.children(node)
            roots = frozenset(scope_roots(node) if has_scopes(type(node)) else ())
            found = _PLAIN
            if roots or len(set(children)) < len(children):
                counted = Counter(children).items()
                found = _Children({c: count for c, count in counted if count > 1}, roots)
            self._children[node] = found
        return found
