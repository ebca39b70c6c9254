"""A program rebuilt with groups of calls combined."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.combine_parallel.branches import find_groups, place_of_data
from relayish.passes.relay.combine_parallel.combiner import Branch, Combiner
from relayish.passes.relay.combine_parallel.order import cut_circles


def combine_parallel(expr: Expr, combiner: Combiner, at_least: int) -> Expr:
    """Return ``expr`` with parallel calls of an operator, and what follows them, combined.

    Args:
        expr: An expression whose types were inferred.
        combiner: What is known of the operator.
        at_least: How many branches it takes.

    Returns:
        ``expr`` itself when there were not so many.

    Complexity:
        Linear in the number of distinct nodes, but for the logarithm of the depth of scopes.
    """
    order = EXPRESSIONS.post_order(expr)
    groups = find_groups(order, combiner, at_least)
    groups = cut_circles(order, groups) if groups else []
    return _Rebuilder(groups, combiner).rebuild(expr) if groups else expr


class _Rebuilder:
    """Rebuilds nodes, children first; the results of a group when all it needs is there."""

    def __init__(self, groups: Sequence[list[Branch]], combiner: Combiner) -> None:
        self._combiner = combiner
        self._group_of = {branch[-1]: group for group in groups for branch in group}
        self._needs: dict[int, list[Expr]] = {id(group): _needs(group) for group in groups}
        self._images: dict[Node, Expr] = {}

    def rebuild(self, root: Expr) -> Expr:
        """Return what becomes of ``root``."""
        for node in EXPRESSIONS.order_after(root, self._list_prerequisites):
            self._finish(node)
        return self._images[root]

    def _list_prerequisites(self, node: Node) -> Sequence[Node] | None:
        """Return what a group needs before the first of its last calls; the others wait for it."""
        group = self._group_of.get(node)  # type: ignore[call-overload]  # any node may be asked
        return None if group is None else self._needs.pop(id(group), ())

    def _finish(self, node: Node) -> None:
        images = self._images
        group = self._group_of.get(node)  # type: ignore[call-overload]  # as above
        if group is None:
            images[node] = EXPRESSIONS.rebuild[type(node)](node, images.get)
        elif node not in images:
            results = zip(group, self._combine(group), strict=True)
            images.update({branch[-1]: result for branch, result in results})

    def _combine(self, group: Sequence[Branch]) -> list[Expr]:
        combiner, image = self._combiner, self._images.__getitem__
        data = combiner.combine_roots([branch[0] for branch in group], image)
        for level in range(1, len(group[0])):
            place = place_of_data(group[0], level)
            data = combiner.combine_level(group, level, place, data, image)
        return combiner.results(data, group)


def _needs(group: Sequence[Branch]) -> list[Expr]:
    """Return the arguments of the calls of a group that are none of the group's."""
    own = {call for branch in group for call in branch}
    calls = [call for branch in group for call in branch]
    return [arg for call in calls for arg in call.args if arg not in own]
