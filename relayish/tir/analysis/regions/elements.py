"""Elements of inline tensors: where they are computed, and what is known of the axes there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from relayish.dataflow.graph import FlowGraph, build_flow_graph
from relayish.dataflow.lattice.interval import Interval
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.scopes.scoping import PROGRAM, collect_variables
from relayish.tir.analysis.flow.environments import NOTHING_KNOWN, Environment
from relayish.tir.analysis.flow.index_intervals import Values
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.operation import ComputeOp
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Load, Tensor, Var
from relayish.tir.substitution import substitute


class Place(NamedTuple):
    """A point of a program, and where that comes from, if it is known."""

    number: int
    span: Span | None


class Part(NamedTuple):
    """A program, or what computes an element of an inline tensor somewhere in it.

    Attributes:
        graph: The flow graph of the part.
        start: What is known where it begins.
        around: What is known of the variables of the program there.
        indices: What its axes stand for, said by variables of the program; ``None``: not known.
        at: Where the element is computed; ``None`` for the program itself.
    """

    graph: FlowGraph
    start: Environment
    around: Environment
    indices: Mapping[Var, Expr] | None
    at: Place | None


class Elements:
    """The parts that a program consists of: itself, then the elements that were added.

    An element is a part of its own wherever it is computed, but of a great many of them those of
    one tensor are taken together.
    """

    def __init__(self, graph: FlowGraph) -> None:
        self._pending = [Part(graph, NOTHING_KNOWN, NOTHING_KNOWN, {}, None)]
        self._graphs: dict[Node, FlowGraph] = {}
        self._known: set[tuple[object, ...]] = set()

    def __iter__(self) -> Iterator[Part]:
        at = 0
        while at < len(self._pending):
            yield self._pending[at]
            at += 1

    def add(self, access: Node, values: Values, part: Part) -> None:
        """Note that ``part`` makes an access, which may be one to an inline tensor.

        Args:
            access: A load, or something else.
            values: Where expressions lie there.
            part: The part, with the place that the access is at, and what is known there.
        """
        body = body_of_element(access)
        if body is None:
            return
        assert isinstance(access, Load)
        ranges = _ranges(access, values)
        if ranges is None:
            return
        indices = _said_by_program(dict(zip(ranges, access.indices, strict=True)), part)
        around, key = part.around, (body, *ranges.values(), part.at)
        if len(self._known) >= _MOST_ELEMENTS:
            ranges = {axis: type_range(axis.type) for axis in ranges}
            indices, around, key = None, NOTHING_KNOWN, (body,)
        if key in self._known:
            return
        self._known.add(key)
        start = around
        for axis, found in ranges.items():
            covers = found.covers(type_range(axis.type))
            start = start.discard(axis) if covers else start.set(axis, found)
        if body not in self._graphs:
            self._graphs[body] = build_flow_graph(body)
        self._pending.append(Part(self._graphs[body], start, around, indices, part.at))


_MOST_ELEMENTS: Final = 1_000
"""How many elements are looked at one by one: of what they are computed of may be exponential."""


def body_of_element(access: Node) -> Expr | None:
    """Return what computes the element that ``access`` loads; ``None`` if it is in memory."""
    tensor = access.tensor if isinstance(access, Load) else None
    if not isinstance(tensor, Tensor) or tensor.buffer is not None:
        return None
    made = tensor.operation
    assert isinstance(access, Load)
    if not isinstance(made, ComputeOp) or len(made.body) != 1:
        return None
    same = len(made.axis) == len(access.indices) == len(tensor.shape)
    return made.body[0] if same else None


def _ranges(load: Load, values: Values) -> dict[Var, Interval] | None:
    """Return where the axes of an element lie, if it is in range; ``None`` if it never is."""
    tensor = load.tensor
    assert isinstance(tensor, Tensor)
    assert isinstance(tensor.operation, ComputeOp)
    found: dict[Var, Interval] = {}
    for axis, index, size in zip(tensor.operation.axis, load.indices, tensor.shape, strict=True):
        known = type_range(axis.type)
        if index.type.is_integer and size.type.is_integer:
            inside, room = values.interval(index), values.interval(size)
            known = Interval(max(inside.low, 0), min(inside.high, room.high - 1))
        if known.low > known.high:
            return None
        found[axis] = known
    return found


def _said_by_program(indices: Mapping[Var, Expr], part: Part) -> Mapping[Var, Expr] | None:
    """Return ``indices`` with those of ``part`` in the place of its axes, unless axes recur."""
    if part.indices is None:
        return None
    images = {axis: substitute(index, part.indices) for axis, index in indices.items()}
    occurring, _ = collect_variables(tuple(images.values()), PROGRAM)
    return images if images.keys().isdisjoint(occurring) else None
