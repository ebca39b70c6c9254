"""Out-of-bounds analysis: accesses that leave their tensor whenever they are made, or perhaps.

It follows the flow of control: what is never run is not reported, and in a branch, a loop or after
either, variables are known to be what the conditions passed on the way allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from relayish.dataflow.graph import Action, FlowGraph, Procedure, build_flow_graph
from relayish.dataflow.lattice.interval import Interval
from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.dataflow.solver.solve import solve
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.scopes.scoping import PROGRAM, has_scopes, operands
from relayish.tir.analysis.facts.prove import can_prove
from relayish.tir.analysis.facts.scopes import statements_with_contexts
from relayish.tir.analysis.flow.environments import Environment
from relayish.tir.analysis.flow.index_intervals import IndexIntervals, Values
from relayish.tir.analysis.regions.elements import Elements, Part, Place
from relayish.tir.analysis.regions.regions import index_ends
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.intrinsic import GetAddr
from relayish.tir.ir.operators import GE, LT, And, Cast, Expr, const
from relayish.tir.ir.tensor import Load, Store, Tensor
from relayish.tir.substitution import substitute


class OutOfBounds(NamedTuple):
    """An access that may be out of range in one dimension, or always is where it is made.

    Attributes:
        access: The load or store.
        dimension: The dimension of its tensor.
        expr: The index in that dimension.
        interval: Where the index lies, or an element of it that is out of range, of a vector.
        size: Where the size of the dimension lies.
        is_definite: Whether it is out of range each time it is made; else that is not known.
        span: Where the access comes from, or the statement that makes it, if that is known.
    """

    access: Load | Store
    dimension: int
    expr: Expr
    interval: Interval
    size: Interval
    is_definite: bool
    span: Span | None

    def __str__(self) -> str:
        place = "" if self.span is None else f"{self.span}: "
        tensor = self.access.tensor
        assert isinstance(tensor, Tensor)
        return (
            f"{place}{one_line(self.access)} {'is' if self.is_definite else 'may be'} out of "
            f"range: index {one_line(self.expr)} of dimension {self.dimension} is "
            f"{_spell(self.interval)}, and tensor {tensor.name} has {_spell(self.size)} there"
        )


def find_out_of_bounds(root: IrNode) -> tuple[OutOfBounds, ...]:
    """Return the accesses that leave their tensor for certain, and those that may, for all we know.

    Args:
        root: A function, or a statement, whose variables that are bound outside may be anything of
            their types.

    Returns:
        In order of the program, once for each dimension of each access that is reached, then those
        by which elements of inline tensors are computed. An access that stands in several places is
        reported for all of these together. What follows an access
        that is out of range for certain is reported as if that were not.

    Complexity:
        That of :class:`IndexIntervals`, once more for what computes an element, and one proof for
        each access that it cannot tell.

    Example:
        >>> from relayish import tir
        >>> A = tir.Tensor("A", (8,), "float32", tir.Buffer("_A", (8,)))
        >>> i, n = tir.Var("i"), tir.Var("n")
        >>> store = tir.Store(A, tir.const(1.0), (i,))
        >>> print(*find_out_of_bounds(tir.For(i, 0, n, store)))
        A[i] = 1.0 may be out of range: index i of dimension 0 is 0 to 2147483646, and tensor A \
has 8 there
        >>> print(*find_out_of_bounds(tir.For(i, 0, n, tir.IfThenElse(i < 8, store))))
        <BLANKLINE>
        >>> print(*find_out_of_bounds(tir.For(i, 0, 99, tir.IfThenElse(i >= 8, store))))
        A[i] = 1.0 is out of range: index i of dimension 0 is 8 to 98, and tensor A has 8 there
    """
    contexts = _Contexts(root, build_flow_graph(root))
    elements = Elements(contexts.graph)
    found: dict[tuple[Node, int], OutOfBounds | None] = {}
    for part in elements:
        analysis = _Within(part.start)
        [solution] = solve([analysis], part.graph)
        for number in range(len(part.graph)):
            accesses = list(_accesses_at(part.graph, number))
            state = solution.before(number) if accesses else UNREACHABLE
            if state is UNREACHABLE:
                continue
            at, around = part.at, part.around
            if at is None:
                span = getattr(part.graph.nodes[number], "span", None)
                at, around = Place(number, span), state
            values = analysis.values(_roots_at(part.graph, number), state)
            for access in accesses:
                elements.add(access, values, part._replace(at=at, around=around))
                for dimension, each in _check(access, values, access.span or at.span):
                    proven = each is None or (
                        not each.is_definite and contexts.prove(part, at, each)
                    )
                    known, key = None if proven else each, (access, dimension)
                    found[key] = _joined(found[key], known) if key in found else known
    return tuple([each for each in found.values() if each is not None])


class _Within(IndexIntervals):
    """Intervals where something is known at first."""

    def __init__(self, start: Environment) -> None:
        super().__init__()
        self._start = start

    def boundary(self, procedure: Procedure) -> Environment:  # noqa: ARG002
        """Return what is known at first."""
        return self._start


def reached_accesses(root: IrNode) -> frozenset[Load | Store]:
    """Return the accesses to tensors that are not known to be never made.

    Complexity:
        That of :class:`IndexIntervals`.
    """
    graph = build_flow_graph(root)
    [solution] = solve([IndexIntervals()], graph)
    numbers = [number for number in range(len(graph)) if solution.is_reached(number)]
    return frozenset([each for number in numbers for each in _accesses_at(graph, number)])


def _joined(a: OutOfBounds | None, b: OutOfBounds | None) -> OutOfBounds | None:
    """Return what is said of an access by two of its places; ``None``: that it is in range."""
    if a is None or b is None:
        either = b if a is None else a
        return None if either is None else either._replace(is_definite=False)
    return a._replace(
        interval=a.interval.hull(b.interval),
        size=a.size.hull(b.size),
        is_definite=a.is_definite and b.is_definite,
    )


def _accesses_at(graph: FlowGraph, number: int) -> Iterator[Load | Store]:
    """Yield the accesses to tensors that are made at a point, those in expressions included."""
    seen: set[Node] = set()
    pending = list(_roots_at(graph, number)[::-1])
    while pending:
        each = pending.pop()
        if each in seen or isinstance(each, GetAddr):
            continue
        seen.add(each)
        if isinstance(each, (Load, Store)) and _is_checked(each):
            yield each
        if not has_scopes(type(each)):  # what has scopes has points of its own
            pending += PROGRAM.children(each)[::-1]


def _roots_at(graph: FlowGraph, number: int) -> tuple[Node, ...]:
    """Return what is evaluated at a point, the node itself if it is all of that."""
    node = graph.nodes[number]
    match graph.actions[number]:
        case Action.EVALUATE if not has_scopes(type(node)):
            return (node,)
        case Action.EVALUATE | Action.ENTER:
            return operands(node)
    return ()


def _is_checked(access: Load | Store) -> bool:
    tensor = access.tensor
    return isinstance(tensor, Tensor) and len(tensor.shape) == len(access.indices)


def _check(
    access: Load | Store, values: Values, span: Span | None
) -> Iterator[tuple[int, OutOfBounds | None]]:
    """Yield each dimension with what an access may do there; ``None``: it is in range."""
    tensor = access.tensor
    assert isinstance(tensor, Tensor)
    for dimension, (index, size) in enumerate(zip(access.indices, tensor.shape, strict=True)):
        if not (index.type.is_integer and size.type.is_integer):
            continue
        room = values.interval(size)
        worst: OutOfBounds | None = None
        for end in index_ends(index) or (index,):
            found = values.interval(end)
            if found.low >= 0 and found.high < room.low:
                continue
            outside = found.high < 0 or found.low >= room.high
            is_definite = outside and (end is not index or index.type.lanes == 1)
            if worst is None or is_definite:
                worst = OutOfBounds(access, dimension, index, found, room, is_definite, span)
        yield dimension, worst


class _Contexts:
    """What else is known at statements: sums of variables that nothing assigns to."""

    def __init__(self, root: IrNode, graph: FlowGraph) -> None:
        self._root = root
        self.graph = graph
        self._found: dict[int, Context] | None = None

    def prove(self, part: Part, at: Place, access: OutOfBounds) -> bool:
        """Return whether an index is in range at a place, by what is known of sums."""
        context = self._at_points.get(at.number)
        index, size = access.expr, access.access.tensor.shape[access.dimension]
        if part.indices is None:
            return False
        if part.indices:
            index, size = (substitute(each, part.indices) for each in (index, size))
        if context is None or index.type.lanes > 1:
            return False
        if index.type.bits != size.type.bits:
            wide = max(index.type, size.type, key=lambda ty: ty.bits)
            index, size = (
                each if each.type == wide else Cast(wide, each) for each in (index, size)
            )
        inside = And(GE(index, const(0, index.type)), LT(index, size))
        return can_prove(inside, context) is True

    @property
    def _at_points(self) -> dict[int, Context]:
        """By point at which a statement begins, what is known there."""
        if self._found is None:
            self._found = {}
            met: dict[Node, int] = {}
            for stmt, context in statements_with_contexts(self._root):
                occurrences = self.graph.occurrences(stmt)
                at = met[stmt] = met.get(stmt, -1) + 1
                if at < len(occurrences):
                    self._found[self.graph.start(occurrences[at])] = context
        return self._found


def _spell(found: Interval) -> str:
    return str(found.low) if found.is_point else f"{found.low} to {found.high}"
