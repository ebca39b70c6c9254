"""Reuse of values: what computes them stores them, what would compute them again loads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

from relayish.dataflow.analyses import ValueNumbers
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import has_scopes
from relayish.passes.loops.cleanup.redundant import Web
from relayish.passes.loops.simplify.candidates import roots_of
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Block, Let
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.attribute import VALUES


def reuse(func: LoweredFunc, webs: Sequence[Web]) -> LoweredFunc:
    """Return ``func`` with a variable for each web.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return _Reuse(webs).rewrite(func)


class _Reuse:
    def __init__(self, webs: Sequence[Web]) -> None:
        self._numbers = ValueNumbers()
        self._vars: dict[Node, dict[Node, Var]] = {}  # by statement, by representative
        self._sources: set[tuple[Node, Node]] = set()
        self._declared: dict[Node, list[Web]] = {}
        for web in webs:
            number = self._numbers.number(web.number)
            assert number is not None
            for stmt in web.sources | web.uses:
                self._vars.setdefault(stmt, {})[number] = web.var
            self._sources.update([(stmt, number) for stmt in web.sources])
            self._declared.setdefault(web.block, []).append(web)

    def rewrite(self, func: LoweredFunc) -> LoweredFunc:
        images: dict[Node, Any] = {}  # Any: statements
        before: dict[Node, list[Store]] = {}
        for stmt in STATEMENTS.post_order(func.body):
            if isinstance(stmt, Block):
                images[stmt] = self._block(stmt, images, before)
                continue
            own: dict[Node, Any] = {}  # Any: expressions
            if stmt in self._vars:
                own = self._expressions(stmt, before)
            for child in STATEMENTS.children(stmt):
                own[child] = self._alone(child, images[child], before)
            images[stmt] = VALUES.rebuild[type(stmt)](stmt, own.get)
        return func.with_fields(body=self._alone(func.body, images[func.body], before))

    def _alone(self, stmt: Node, image: Any, before: Mapping[Node, list[Store]]) -> Any:
        """Return the image of a statement that stands in no block, with what comes before it."""
        stores = before.get(stmt)
        return image if not stores else Block((*stores, image))

    def _block(
        self, block: Block, images: Mapping[Node, Any], before: Mapping[Node, list[Store]]
    ) -> Block:
        stmts: list[Any] = [Let(web.var) for web in self._declared.get(block, ())]
        for stmt in block.stmts:
            stmts += before.get(stmt, ())
            stmts.append(images[stmt])
        if len(stmts) == len(block.stmts) and all(map(is_, stmts, block.stmts)):
            return block
        return block.with_fields(stmts=tuple(stmts))

    def _expressions(self, stmt: Node, before: dict[Node, list[Store]]) -> dict[Node, Any]:
        """Return what becomes of the operands of a statement; note what stands before it."""
        held = self._vars[stmt]
        images: dict[Node, Any] = {}
        stored: set[Node] = set()
        order = VALUES.post_order(roots_of(stmt), lambda node: not has_scopes(type(node)))
        for node in order:
            rebuild = VALUES.rebuild[type(node)]
            if VALUES.push[type(node)] is None or has_scopes(type(node)):
                continue
            number = self._numbers.number(node)
            var = None if number is None else held.get(number)
            if var is None or number is None:
                images[node] = rebuild(node, images.get)
                continue
            if (stmt, number) in self._sources and number not in stored:
                stored.add(number)
                before.setdefault(stmt, []).append(Store(var, rebuild(node, images.get)))
            images[node] = var
        return images
