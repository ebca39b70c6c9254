"""Annotated regions: what stands between marks where values enter and leave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relayish._support.graph import find_root
from relayish.errors import AnalysisError
from relayish.ir.kinds.one_line import describe, quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Call, Expr, Function, Op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import bound_by, operands, scope_roots
from relayish.op.runtime.annotation import CompilerAttrs


class AnnotatedRegion:
    """A piece of a program between marks; made by :class:`AnnotatedRegionSet`.

    Attributes:
        id: Its number; regions are numbered as they are come upon, from the result backwards.
        target: The compiler that the marks name.
        args: The marks where values enter.
        nodes: What belongs to it, marks included.
        rets: The marks where values leave.
    """

    __slots__ = ("args", "id", "nodes", "rets", "target")

    def __init__(self, number: int, target: str) -> None:
        self.id = number
        self.target = target
        self.args: list[Call] = []
        self.nodes: set[Expr] = set()
        self.rets: list[Call] = []

    def __repr__(self) -> str:
        counts = f"{len(self.args)} args, {len(self.nodes)} nodes, {len(self.rets)} rets"
        return f"AnnotatedRegion({self.id}, {self.target!r}: {counts})"


class AnnotatedRegionSet:
    """The regions of an expression that marks enclose, as ``AnnotateTarget`` puts them.

    Everything that goes into what is in a region is in it as well, up to the marks where values
    enter; ``len`` tells how many there are, and iteration gives them.

    Args:
        expr: Any expression.
        region_begin_op: The operator that marks where a value enters.
        region_end_op: The operator that marks where one leaves.

    Raises:
        AnalysisError: If a value enters and belongs to nothing, or two compilers share a region.

    Complexity:
        Nearly linear in distinct nodes and edges; no recursion.

    Source:
        Relay ``AnnotatedRegionSet``.

    Example:
        >>> from relayish import annotation, exp, get_op, var
        >>> x = var("x")
        >>> entered = annotation.compiler_begin(x, "other")
        >>> left = annotation.compiler_end(exp(entered), "other")
        >>> begin, end = get_op("annotation.compiler_begin"), get_op("annotation.compiler_end")
        >>> regions = AnnotatedRegionSet(Function((x,), left), begin, end)
        >>> len(regions), regions.get_region(left)
        (1, AnnotatedRegion(0, 'other': 1 args, 3 nodes, 1 rets))
        >>> regions.get_region(x) is None
        True
    """

    def __init__(self, expr: Expr, region_begin_op: Op, region_end_op: Op) -> None:
        root: object = expr  # still to be checked
        if not isinstance(root, Expr):
            raise AnalysisError(
                f"regions are those of an expression; found {root!r} ({type(root).__name__})"
            )
        self._begin, self._end = region_begin_op, region_end_op
        self._parent: list[int] = []
        self._targets: list[str] = []
        self._number: dict[Node, int] = {}
        order = EXPRESSIONS.post_order(expr)
        for node in reversed(order):  # what uses a node comes before it
            if isinstance(node, Expr):
                self._visit(node)
        self._regions: dict[int, AnnotatedRegion] = {}
        self._collect(order)

    def _visit(self, node: Expr) -> None:
        mark = self._mark(node)
        if mark is self._end:
            assert isinstance(node, Call)
            (value,) = node.args
            target = node.attrs.compiler  # type: ignore[union-attr]  # it has CompilerAttrs
            number = self._root(value)
            if number is None:
                number = self._open(target)
                self._join(value, number)
            self._check_target(node, number, target)
            self._join(node, number)
            return
        number = self._root(node)
        if mark is self._begin:
            if number is None:
                raise AnalysisError(
                    f"{describe(node)} lets a value enter, and nothing that uses it leaves by "
                    f"{self._end.name}; put that mark around the result of the region"
                )
        elif number is not None:
            for held in _held(node):
                self._join(held, number)

    def _mark(self, node: Node) -> Op | None:
        """Return the operator of a mark; ``None`` for all else."""
        if type(node) is not Call or not isinstance(node.attrs, CompilerAttrs):
            return None
        return node.op if node.op is self._begin or node.op is self._end else None

    def _open(self, target: str) -> int:
        self._parent.append(len(self._parent))
        self._targets.append(target)
        return len(self._parent) - 1

    def _root(self, node: Node) -> int | None:
        number = self._number.get(node)
        return None if number is None else find_root(self._parent, number)

    def _join(self, node: Node, number: int) -> None:
        held, number = self._root(node), find_root(self._parent, number)
        if held is None:
            self._number[node] = number
        elif held != number:
            self._check_target(node, number, self._targets[held])
            self._parent[held] = number

    def _check_target(self, node: Node, number: int, target: str) -> None:
        known = self._targets[number]
        if known != target:
            raise AnalysisError(
                f"{quote(node)} belongs to regions of {known!r} and of {target!r}; let values "
                f"leave one and enter the other by marks"
            )

    def _collect(self, order: Sequence[Node]) -> None:
        found = self._regions
        for node in reversed(order):
            root = self._root(node)
            if root is None or not isinstance(node, Expr):
                continue
            region = found.get(root)
            if region is None:
                region = found[root] = AnnotatedRegion(len(found), self._targets[root])
            region.nodes.add(node)
            mark = self._mark(node)
            if mark is not None:
                assert isinstance(node, Call)
                (region.args if mark is self._begin else region.rets).append(node)
        for region in found.values():
            inside = [begin for begin in region.args if begin.args[0] in region.nodes]
            if inside:  # what left one of several regions that are one now, and entered another
                gone = {*inside, *(begin.args[0] for begin in inside)}
                region.args = [mark for mark in region.args if mark not in gone]
                region.rets = [mark for mark in region.rets if mark not in gone]

    @property
    def regions(self) -> tuple[AnnotatedRegion, ...]:
        """The regions, by number."""
        return tuple(self._regions.values())

    def get_region(self, expr: Expr) -> AnnotatedRegion | None:
        """Return the region that ``expr`` belongs to, or ``None``; nearly constant time."""
        root = self._root(expr)
        return None if root is None else self._regions[root]

    def __len__(self) -> int:
        return len(self._regions)

    def __iter__(self) -> Iterator[AnnotatedRegion]:
        return iter(self._regions.values())


def _held(node: Expr) -> Sequence[Node]:
    """Return what belongs to the region of ``node`` because it goes into it."""
    match node:
        case Call():
            return node.args
        case Function():
            return node.params
        case Match():
            return (node.data,)
        case _:
            return [*bound_by(node), *operands(node), *scope_roots(node)]
