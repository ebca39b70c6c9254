"""Dominance: the paths through a program that dominator patterns ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final, Protocol

from relayish._support.dominators import Dominators
from relayish._support.graph import post_order, reachable
from relayish.dataflow_pattern.pattern import DFPattern, DominatorPattern
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes import scoping


class _Matches(Protocol):
    """What tells whether single expressions match a pattern, and how."""

    def match(self, expr: Expr) -> bool: ...

    def node_map(self) -> dict[DFPattern, tuple[Expr, ...]]: ...


class _Asked:
    """A pattern and what is known by now of the expressions that match it."""

    def __init__(self, matcher: _Matches) -> None:
        self.matcher = matcher
        self._known: dict[Expr, bool] = {}

    def __call__(self, expr: Expr) -> bool:
        known = self._known.get(expr)
        if known is None:
            known = self._known[expr] = self.matcher.match(expr)
        return known


_MOST_FITS: Final = 64
"""So many fits for a parent are tried, where the first is none."""


class _Nowhere:
    """What stands for the parent where the ways back lead to none, or to several."""


_NOWHERE = _Nowhere()


class Dominance:
    """An index of one program: which nodes all uses of a node lead through.

    Complexity:
        Making it takes ``n log n`` for ``n`` nodes; finding the parents of all children of a
        pattern looks at every node a bounded number of times. Where what fits as a parent fits
        on the path as well, it looks at the ways from a child once for each fit that it tries.
    """

    def __init__(self, root: Expr, matcher_of: Callable[[DFPattern], _Matches]) -> None:
        self._root = root
        self._matcher_of = matcher_of
        self._dominators: Dominators[Node] | None = None
        self._asked: dict[DFPattern, _Asked] = {}
        self._ambiguous: dict[DominatorPattern, bool] = {}
        self._parents: dict[tuple[DominatorPattern, Expr | None], dict[Expr, Expr | _Nowhere]] = {}

    def parent(self, pattern: DominatorPattern, child: Expr, wanted: Expr | None) -> Expr | None:
        """Return the expression to which all ways back from ``child`` lead, or ``None``.

        The first fit on each way is tried before those beyond fits that may be on the path.

        Args:
            pattern: Says what a parent is, and what may stand on the way to it.
            child: Where to start.
            wanted: The parent, where it is known already.
        """
        found = self._search(pattern, child, wanted)
        if not isinstance(found, _Nowhere) and self._dominates(child, found):
            return found
        if wanted is not None or not self._is_ambiguous(pattern):
            return None
        for other in self._beyond(pattern, child):
            if self._dominates(child, other) and self._search(pattern, child, other) is other:
                return other
        return None

    def _dominates(self, child: Expr, parent: Expr) -> bool:
        if self._dominators is None:
            order = [*self._order][::-1]
            self._dominators = Dominators(order, EXPRESSIONS.children)
        return self._dominators.dominates(child, parent)

    @cached_property
    def _order(self) -> dict[Node, int]:
        """Where each node stands among all, operands before what is computed from them."""
        nodes = EXPRESSIONS.post_order(self._root)
        return {node: place for place, node in enumerate(nodes)}

    def _is_before(self, node: Expr, wanted: Expr | None) -> bool:
        """Return whether no way back from ``node`` leads to ``wanted``, since it stands before."""
        return wanted is not None and self._order[node] < self._order[wanted]

    def _beyond(self, pattern: DominatorPattern, child: Expr) -> Iterator[Expr]:
        """Yield the fits for a parent behind one that is on the path, the nearest first."""
        matches_path, matches_parent = self._ask(pattern.path), self._ask(pattern.parent)

        def onward(expr: Expr) -> list[Expr]:
            return _operands(expr) if expr is child or matches_path(expr) else []

        def to_fits(expr: Expr) -> list[Expr]:
            return [] if expr is not child and matches_parent(expr) else onward(expr)

        nearest = [each for each in reachable([child], to_fits)[1:] if matches_parent(each)]
        starts = [way for each in nearest if matches_path(each) for way in _operands(each)]
        fits: list[Expr] = []

        def until_enough(expr: Expr) -> list[Expr]:
            if matches_parent(expr):
                fits.append(expr)
            return onward(expr) if len(fits) < _MOST_FITS else []

        reachable(starts, until_enough)
        yield from fits[:_MOST_FITS]

    def _is_ambiguous(self, pattern: DominatorPattern) -> bool:
        """Return whether anything in the program fits as a parent and on the path as well."""
        known = self._ambiguous.get(pattern)
        if known is None:
            fits, stands = self._ask(pattern.parent), self._ask(pattern.path)
            nodes = EXPRESSIONS.pre_order(self._root)
            known = any(isinstance(each, Expr) and fits(each) and stands(each) for each in nodes)
            self._ambiguous[pattern] = known
        return known

    def match_path(
        self, pattern: DominatorPattern, child: Expr, parent: Expr
    ) -> Iterator[dict[DFPattern, tuple[Expr, ...]]]:
        """Yield how each expression on the way from ``child`` to ``parent`` matches the path."""
        path = self._ask(pattern.path)

        def onward(expr: Expr) -> list[Expr]:
            operands = _operands(expr)
            return [] if parent in operands else operands

        for operand in reachable([child], onward)[1:]:
            path.matcher.match(operand)
            yield path.matcher.node_map()

    def tell_escape(self, pattern: DominatorPattern, child: Expr, wanted: Expr | None) -> str:
        """Return which way escapes, where there is no :meth:`parent` for ``child``.

        Complexity:
            Linear in the program.
        """
        found = self._search(pattern, child, wanted)
        known, matches_path = self._parents[pattern, wanted], self._ask(pattern.path)
        is_parent = self._is_parent(pattern, wanted)
        parents: list[Expr] = []
        astray: list[Expr] = []

        def onward(node: Expr) -> list[Expr]:
            operands = _operands(node)
            reached = [each for each in operands if is_parent(each)]
            others = [each for each in operands if not is_parent(each)]
            parents.extend(reached)
            if not reached:
                astray.extend([each for each in others if not matches_path(each)])
                astray.extend([] if operands or node is child else [node])
            return [each for each in others if matches_path(each)]

        between = reachable([child], onward)
        if not isinstance(found, _Nowhere):
            inside = {found, *[each for each in between[1:] if known.get(each) is found]}
            beside = EXPRESSIONS.post_order(self._root, lambda node: node is not child)
            for user in reversed(beside):
                out = [each for each in EXPRESSIONS.children(user) if each in inside]
                if out and user is not child and user not in inside:
                    return f"{one_line_at(out[0])} used by {one_line_at(user)}, too"
        if len({*parents}) > 1:
            return f"several: {one_line_at(parents[0])} and {one_line_at(parents[-1])}"
        if astray:
            return f"{one_line_at(astray[0])}, which is neither on the path nor at its beginning"
        return "no way to one"

    def _is_parent(self, pattern: DominatorPattern, wanted: Expr | None) -> Callable[[Expr], bool]:
        """Return what tells whether an expression is a parent, the one ``wanted`` where it is."""
        return self._ask(pattern.parent) if wanted is None else lambda expr: expr is wanted

    def _ask(self, pattern: DFPattern) -> _Asked:
        found = self._asked.get(pattern)
        if found is None:
            found = self._asked[pattern] = _Asked(self._matcher_of(pattern))
        return found

    def _search(
        self, pattern: DominatorPattern, child: Expr, wanted: Expr | None
    ) -> Expr | _Nowhere:
        known = self._parents.setdefault((pattern, wanted), {})
        matches_path = self._ask(pattern.path)
        is_parent = self._is_parent(pattern, wanted)

        def ways(node: Expr) -> list[Expr]:
            """Return the operands beyond which a parent may be, none where one leads astray."""
            operands = _operands(node)
            others = [operand for operand in operands if not is_parent(operand)]
            on_path = [operand for operand in others if matches_path(operand)]
            is_reached = len(others) < len(operands)
            return on_path if is_reached or len(on_path) == len(others) else []

        def onward(node: Expr) -> list[Expr]:
            return [] if node in known or self._is_before(node, wanted) else ways(node)

        for node in post_order([child], onward):
            if node in known:
                continue
            if self._is_before(node, wanted):
                known[node] = _NOWHERE
                continue
            parents = [operand for operand in _operands(node) if is_parent(operand)]
            beyond = [known[operand] for operand in ways(node)]
            if parents:  # what leads to no parent may be an operand beside it
                beyond = [parent for parent in beyond if parent is not _NOWHERE]
            reached = {*parents, *beyond}
            known[node] = reached.pop() if len(reached) == 1 else _NOWHERE
        return known[child]


def _operands(expr: Expr) -> list[Expr]:
    """Return what ``expr`` is computed from, the callee not included, and what it binds."""
    if type(expr) is Call:
        return list(expr.args)
    found = [*scoping.binders(expr), *scoping.operands(expr)]
    found += [root for scope in scoping.scopes(expr) for root in scope.roots]
    return [each for each in found if isinstance(each, Expr)]
