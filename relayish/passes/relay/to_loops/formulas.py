"""Methods of handlers, made of formulas and rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from relayish.domain.dispatch import Dispatch
from relayish.errors import EvaluationError
from relayish.ir.relay.expr import Call
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import Elements, Index, broadcast, converted
from relayish.tir.builders.expr import reduce_axis
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.operators import Expr, const

Method: TypeAlias = Callable[[Any, Dispatch, Call], Any]
"""``method(handler, visitor, call)``: the elements of a call, or of each field of its result."""

Rule: TypeAlias = Callable[[Any, Site], Any]
"""``rule(handler, site)``: the same."""


def computes(rule: Rule) -> Method:
    """Make a rule the method of a handler: it is told the elements of the arguments."""

    def method(handler: Any, visitor: Dispatch, call: Call) -> Any:  # Any: as above
        site = Site(visitor, call)
        try:
            return rule(handler, site)
        except EvaluationError as error:  # numpy computes it no more than loops do
            raise site.refuse(str(error)) from error

    method.__doc__ = rule.__doc__
    return method


def elementwise(formula: Callable[..., Expr]) -> Method:
    """Return the method of an operator that computes an element of those at its place.

    Args:
        formula: The element, of those of the arguments, which are broadcast.
    """

    @computes
    def method(_: Any, site: Site) -> Elements:  # Any: a handler
        return pointwise(site, formula)

    return method


def pointwise(site: Site, formula: Callable[..., Expr]) -> Elements:
    """Return what a formula makes of the elements of the arguments at each place."""
    shape, dtype = site.shape, site.result.dtype
    data = [broadcast(each, shape) for each in site.args]

    def at(index: Index) -> Expr:
        return converted(formula(*[each.at(index) for each in data]), dtype)

    return Elements(shape, dtype, at)


def reduced(
    site: Site,
    kind: ReduceType,
    init: Expr,
    shape: Sequence[int],
    sizes: Sequence[int],
    body: Callable[[Index, Index], Expr],
) -> Elements:
    """Return elements each of which combines many.

    Args:
        site: The call.
        kind: By what they are combined.
        init: What that begins with.
        shape: The sizes of the result.
        sizes: The sizes of what is gone through for each element, in order, the last one fastest.
        body: What is combined: at an index of the result, and one of these.
    """
    axes = tuple([reduce_axis(f"r{at}", size) for at, size in enumerate(sizes)])

    def at(index: Index) -> Expr:
        return Reduce(kind, init, body(index, axes), axes) if axes else body(index, ())

    if not axes:
        return Elements(tuple(shape), str(init.type), at)
    return site.context.store(tuple(shape), at, site.hint)


def literal(value: Any, dtype: str) -> Expr:  # Any: a number, or numpy's scalar
    """Return a number of an element type."""
    return const(bool(value)) if dtype == "bool" else const(value, dtype)


def zero(dtype: str) -> Expr:
    """Return the number 0 of an element type."""
    return literal(0, dtype)
