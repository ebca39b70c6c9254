"""Calls of one operator on the same data, with what follows each of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call
from relayish.op.declaration.properties import OpPattern, pattern
from relayish.passes.relay.combine_parallel.combiner import Branch, Combiner
from relayish.passes.relay.combine_parallel.places import Places

_MAPS: Final = (OpPattern.ELEMWISE, OpPattern.BROADCAST)


def find_groups(order: Sequence[Node], combiner: Combiner, at_least: int) -> list[list[Branch]]:
    """Return the branches that might be combined, group by group, as they occur.

    Branches of a group begin with calls on the same data, of the same key, at places where they can
    be computed together. They have the same number of calls; those of each level can be combined.

    Args:
        order: All nodes of a program, children before parents.
        combiner: What is known of the operator.
        at_least: How many branches a group has, 2 at least.

    Complexity:
        Linear in nodes, but for the depth of scopes, of which it takes the logarithm.
    """
    roots = [node for node in order if type(node) is Call and node.op is combiner.op]
    if len(roots) < at_least:
        return []
    places, evaluation = Places(order), EvaluationOrder()
    groups: dict[Hashable, list[Branch]] = {}
    for root in roots:
        key = combiner.key(root)
        if key is not None and not evaluation.order_dependent(root.args[1:]):
            whole = (root.args[0], places.of(root), key)
            groups.setdefault(whole, []).append(_branch(root, places, evaluation))
    large = [group for group in groups.values() if len(group) >= max(at_least, 2)]
    return _without_overlap([_cut(group, _levels(group, combiner, places)) for group in large])


def _cut(group: Sequence[Branch], levels: int) -> list[Branch]:
    return [branch[:levels] for branch in group]


def _without_overlap(groups: Sequence[list[Branch]]) -> list[list[Branch]]:
    """Leave a sum of calls of two groups to the first one."""
    claimed: set[Node] = set()
    found = []
    for group in groups:
        levels = range(len(group[0]))
        free = [level for level in levels if not any(b[level] in claimed for b in group)]
        own = _cut(group, next((n for n, level in enumerate(free) if n != level), len(free)))
        claimed.update(call for branch in own for call in branch)
        found.append(own)
    return found


def _branch(root: Call, places: Places, evaluation: EvaluationOrder) -> Branch:
    """Return ``root`` with the elementwise calls behind it, as far as each has one consumer.

    What else these are given is computed where the first branch is, so it may not act.
    """
    branch = [root]
    while True:
        follower = places.consumers.get(branch[-1])
        if type(follower) is not Call or pattern.get(follower.op) not in _MAPS:
            return tuple(branch)
        if evaluation.order_dependent([arg for arg in follower.args if arg is not branch[-1]]):
            return tuple(branch)
        branch.append(follower)


def _levels(group: Sequence[Branch], combiner: Combiner, places: Places) -> int:
    """Return how many calls of each branch can be combined."""
    least = min(map(len, group))
    for level in range(1, least):
        first = group[0][level]
        place = place_of_data(group[0], level)
        alike = all(
            branch[level].op is first.op
            and branch[level].attrs == first.attrs
            and len(branch[level].args) == len(first.args)
            and branch[level].args[place] is branch[level - 1]
            and places.of(branch[level]) == places.of(first)
            for branch in group
        )
        if not alike or not combiner.follows(group, level, place):
            return level
    return least


def place_of_data(branch: Branch, level: int) -> int:
    """Return which argument of the call at ``level`` is the call before it."""
    return next(i for i, arg in enumerate(branch[level].args) if arg is branch[level - 1])
