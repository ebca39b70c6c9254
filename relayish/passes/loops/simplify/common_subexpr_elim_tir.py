"""Common-subexpression elimination: compute once what statements compute twice.

Before::

    A[((4 * i) + j)] = (B[((4 * i) + j)] * x)
    C[i] = (B[((4 * i) + j)] * x)

After::

    int32 cse = ((4 * i) + j)
    float32 cse_0 = (B[cse] * x)
    A[cse] = cse_0
    C[i] = cse_0
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any

from relayish._support.collector import pause_collection
from relayish._support.trampoline import Rule as Steps
from relayish._support.trampoline import run
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import has_scopes
from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.candidates import is_worth_it, roots_of
from relayish.passes.loops.simplify.positions import NEVER, Positions
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.analysis.values.value_numbers import ValueNumbers
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Block, For, Let, PolyFor
from relayish.tir.ir.tensor import Load, Tensor, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.attribute import VALUES


@register_pass("CommonSubexprElimTIR", opt_level=2, idempotent=True)
def eliminate_common_subexpr_tir(func: LoweredFunc) -> LoweredFunc:
    """Common-subexpression elimination: compute once what statements compute twice.

    What one statement of a block computes, and it or a later one again, in whatever is nested in
    that, is declared before the first. Nothing is evaluated that was not, or more often: no
    expression leaves a loop or a branch. What reads memory is computed anew where something was
    stored there in between, or may have been. Calls of functions that do nothing but give a value
    count. Left alone are bounds of loops, values of variables of schedule blocks, which stay
    affine, reductions, and vectors.

    Returns:
        ``func`` itself when nothing is computed twice.

    Complexity:
        Linear in the number of statements and distinct nodes, times a logarithm; no recursion.
    """
    with pause_collection():  # many small objects live until the walk is over
        return _eliminate(func)


def _eliminate(func: LoweredFunc) -> LoweredFunc:
    numbers = ValueNumbers()
    positions = Positions(func.body, numbers)
    count = _Walk(positions, numbers, frozenset())
    run(count.statement(func.body))
    wanted = frozenset(at for at, found in enumerate(count.candidates) if found.uses > 1)
    if not wanted:
        return func
    replace = _Walk(positions, numbers, wanted)
    return sort_regions(func.with_fields(body=run(replace.statement(func.body))))


class _Candidate:
    """An expression that a statement computes, and later ones may compute again.

    Attributes:
        dies_at: From which position on it may have another value.
        depth: In how many loops the statement stands.
        uses: How often it is computed.
        var: What holds its value, if it is declared.
    """

    __slots__ = ("depth", "dies_at", "uses", "var")

    def __init__(self, dies_at: int, depth: int, var: Var | None) -> None:
        self.dies_at = dies_at
        self.depth = depth
        self.uses = 1
        self.var = var


class _Walk:
    """A walk over statements in order, which counts what is computed again, or declares it."""

    def __init__(self, positions: Positions, numbers: ValueNumbers, wanted: frozenset[int]) -> None:
        self.positions = positions
        self.numbers = numbers
        self.wanted = wanted
        self.candidates: list[_Candidate] = []
        self.available: dict[Expr, _Candidate] = {}
        self.loops: list[int] = []  # where those around end

    # Statements

    def statement(self, stmt: Node) -> Steps:
        """Return the steps that make of a statement outside of a block what it becomes."""
        if isinstance(stmt, Block):
            return self._block(stmt)
        return self._inside(stmt, {})

    def _block(self, block: Block) -> Steps:
        out: list[Any] = []  # Any: statements
        declared: list[Expr] = []
        for stmt in block.stmts:
            if stmt in self.positions.repeated:
                out.append(stmt)
                continue
            images, lets = self._expressions(stmt, declared)
            out += lets
            if STATEMENTS.push[type(stmt)] is None:
                image = VALUES.rebuild[type(stmt)](stmt, images.get)
            else:
                image = yield self._inside(stmt, images)
            out.append(image)
        for number in declared:
            self.available.pop(number, None)
        same = len(out) == len(block.stmts) and all(map(is_, out, block.stmts))
        return block if same else block.with_fields(stmts=tuple(out))

    def _inside(self, stmt: Node, images: dict[Node, Any]) -> Steps:  # Any: their images
        """Go through the statements in one, the expressions of which have ``images``."""
        if isinstance(stmt, Block):
            return (yield self._block(stmt))
        repeats = isinstance(stmt, (For, PolyFor))
        if repeats:
            self.loops.append(self.positions.end[stmt])
        for inner in STATEMENTS.children(stmt):
            if inner not in self.positions.repeated:
                images[inner] = yield self.statement(inner)
        if repeats:
            self.loops.pop()
        return VALUES.rebuild[type(stmt)](stmt, images.get)

    # Expressions

    def _expressions(
        self, stmt: Node, declared: list[Expr]
    ) -> tuple[dict[Node, Any], list[Let]]:  # Any: the image of each expression
        """Return what becomes of the operands of a statement, and what has to stand before it."""
        roots = roots_of(stmt)
        if not roots or any(self.numbers.is_impure(root) for root in roots):
            return {}, []
        position = self.positions.start[stmt]
        fresh: dict[Expr, _Candidate] = {}
        dies: dict[Node, int] = {}
        order = VALUES.post_order(roots, lambda node: self._may_enter(node, position))
        for node in order:
            if self._available(node, position) is None:
                dies[node] = self._dies_at(node, position, dies)
        self._count(roots, position, dies, declared, fresh)
        return self._replace(order, fresh) if self.wanted else ({}, [])

    def _may_enter(self, node: Node, position: int) -> bool:
        return not has_scopes(type(node)) and self._available(node, position) is None

    def _available(self, node: Any, position: int) -> _Candidate | None:  # Any: an expression
        """Return the candidate that holds the value which ``node`` has at a position."""
        if VALUES.push[type(node)] is None:
            return None
        found = self.available.get(self.numbers.number(node))
        if found is None:
            return None
        crosses = len(self.loops) > found.depth
        needed = self.loops[found.depth] if crosses else position
        return found if found.dies_at >= needed else None

    def _dies_at(self, node: Node, position: int, dies: dict[Node, int]) -> int:
        """Return the position from which on ``node`` may have another value, if not for ever."""
        found = NEVER
        if isinstance(node, Var):
            found = self.positions.next_write(node, position)
        elif isinstance(node, Load):
            place = node.tensor.buffer if isinstance(node.tensor, Tensor) else node.tensor
            found = self.positions.next_write(place, position)
        for child in VALUES.children(node):
            known = dies.get(child)
            if known is None:
                candidate = self._available(child, position)
                known = position if candidate is None else candidate.dies_at
            found = min(found, known)
        return found

    def _count(
        self,
        roots: Sequence[Node],
        position: int,
        dies: dict[Node, int],
        declared: list[Expr],
        fresh: dict[Expr, _Candidate],
    ) -> None:
        """Note what is computed for the first time, and what is computed again."""
        pending = list(roots[::-1])
        seen: set[Node] = set()
        while pending:
            node: Any = pending.pop()  # Any: an expression
            candidate = self._available(node, position)
            if candidate is not None:
                candidate.uses += 1
                continue
            if node in seen:
                continue
            seen.add(node)
            if is_worth_it(node):
                number = self.numbers.number(node)
                at = len(self.candidates)
                var = Var("cse", node.type) if at in self.wanted else None
                made = _Candidate(dies[node], len(self.loops), var)
                self.candidates.append(made)
                self.available[number] = fresh[number] = made
                declared.append(number)
            if not has_scopes(type(node)):
                pending += VALUES.children(node)[::-1]

    def _replace(
        self, order: Sequence[Node], fresh: dict[Expr, _Candidate]
    ) -> tuple[dict[Node, Any], list[Let]]:  # Any: the image of each expression
        images: dict[Node, Any] = {}
        lets: list[Let] = []
        done: set[Expr] = set()
        for node in order:
            rebuild = VALUES.rebuild[type(node)]
            if VALUES.push[type(node)] is None or not isinstance(node, Expr):
                continue
            number = self.numbers.number(node)
            candidate = self.available.get(number)
            var = None if candidate is None else candidate.var
            if number in fresh and number not in done and var is not None:
                lets.append(Let(var, rebuild(node, images.get)))
                done.add(number)
            images[node] = rebuild(node, images.get) if var is None else var
        return images, lets
