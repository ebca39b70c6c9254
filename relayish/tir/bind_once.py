"""Binding once: programs in which each variable has one binder, by new variables for the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from relayish._support.trampoline import Rule, run
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.scopes.renaming import make_fresh_variable
from relayish.ir.scopes.replacing import with_evaluated
from relayish.ir.scopes.scoping import bound_by, operands, parts, scope_roots
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Let
from relayish.tir.ir.tensor import Var
from relayish.tir.substitution import LOOPS


def bind_once(func: LoweredFunc) -> LoweredFunc:
    """Return ``func`` with a new variable for each binder of one but the first.

    A loop, or a reduction, that stands in several places is one binder. What makes of one node
    different ones in different places leaves several.

    Returns:
        ``func`` itself when its variables are bound once.

    Complexity:
        Linear in the number of distinct nodes, for those with a variable that is bound repeatedly
        in each scope of one that they occur in; no recursion.
    """
    order = LOOPS.post_order(func)
    bound: set[Node] = set()
    repeated: set[Node] = set()
    for node in order:
        own = bound_by(node)
        repeated.update(bound.intersection(own))
        bound.update(own)
    if not repeated:
        return func
    return cast("LoweredFunc", run(_Binder(order, repeated).image(func)))


class _Binder:
    """Gives variables that are bound repeatedly an image in each scope but the first.

    Args:
        order: All nodes, children before parents.
        repeated: The variables.
    """

    def __init__(self, order: list[Node], repeated: set[Node]) -> None:
        self._repeated = repeated
        self._concerned = set(repeated)  # these, and what they occur in; all else stays
        for node in order:
            if any(child in self._concerned for child in LOOPS.children(node)):
                self._concerned.add(node)
        self._taken: set[Node] = set()
        self._images: dict[Node, Node] = {}  # of variables, in the scope at hand
        self._outer: list[tuple[Node, Node]] = []  # what they were in the scopes around it
        self._memo: dict[Node, Node] = {}  # of all else in it

    def image(self, node: Node) -> Rule:
        """Return what becomes of ``node`` in the scope at hand."""
        if type(node) in VARIABLES:
            return self._images.get(node, node)
        known = self._memo.get(node) if node in self._concerned else node
        return (yield self._rename(node)) if known is None else known

    def _rename(self, node: Node) -> Rule:
        memo, entered = self._memo, len(self._outer)
        outside = []
        for operand in operands(node):
            outside.append((yield from self.image(operand)))  # noqa: PERF401 - none yields
        variables: dict[Node, Node] = {}
        for each in (node, *parts(node)):
            for variable in bound_by(each):
                if variable in self._concerned:
                    variables[variable] = yield from self._bind(variable)
        if variables:
            self._enter(variables)
        inside = []
        for root in scope_roots(node):
            inside.append((yield from self.image(root)))  # noqa: PERF401
        image = with_evaluated(node, outside, inside, variables)
        if not isinstance(node, Let):  # the variable of a let is known to the end of the block
            self._leave(entered)
            self._memo = memo
        memo[node] = image
        return image

    def _bind(self, variable: Node) -> Rule:
        """Return what is bound instead of ``variable``."""
        image = variable
        if isinstance(variable, Var):
            bounds: dict[str, Any] = {}  # Any: fields of a variable
            for name in ("lower_bound", "upper_bound"):
                bound = getattr(variable, name)
                if bound is not None:
                    bounds[name] = yield from self.image(bound)
            image = variable.with_fields(**bounds)
        if variable in self._taken and image is variable:
            image = make_fresh_variable(variable)
        self._taken.add(variable)
        return image

    def _enter(self, variables: Mapping[Node, Node]) -> None:
        self._outer += [(variable, self._images.get(variable, variable)) for variable in variables]
        self._images.update(variables)
        self._memo = {}

    def _leave(self, entered: int) -> None:
        while len(self._outer) > entered:
            variable, image = self._outer.pop()
            self._images[variable] = image
