"""Subscript equations: when two accesses touch one element, by their indices or their offsets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from relayish.dataflow.lattice.interval import Interval
from relayish.tir.analysis.dependence.accesses import Access
from relayish.tir.analysis.dependence.iterations import Instance, Iterations
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.integer_system import Row
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Tensor


def equate_elements(
    iterations: Iterations, source: tuple[Access, Instance], sink: tuple[Access, Instance]
) -> None:
    """Demand that two accesses of one buffer, or of anything, touch one element.

    Views of one layout are compared index by index, others by offsets in the buffer. Where neither
    can be told, nothing is demanded, and ``iterations`` are not exact.
    """
    first, second = source[0], sink[0]
    if first.location is None or second.location is None:
        iterations.is_exact = False
        return
    if first.indices is None or second.indices is None:
        return
    a, b = first.tensor, second.tensor
    assert a is not None
    assert b is not None
    if len(first.indices) != len(a.shape) or len(second.indices) != len(b.shape):
        iterations.is_exact = False
        return
    one, other = _indices(*source), _indices(*sink)
    if _have_one_layout(a, b, iterations.context):
        iterations.equations += [x.plus(y, -1) for x, y in zip(one, other, strict=True)]
        return
    strides, others = _strides(a, iterations.context), _strides(b, iterations.context)
    if strides is None or others is None:
        iterations.is_exact = False
        return
    iterations.equations.append(_dot(one, strides).plus(_dot(other, others), -1))


class Summary(NamedTuple):
    """What an index always is: equal to ``rest`` modulo ``step``, and within limits."""

    rest: int
    step: int
    limits: Interval


def summarize(access: Access, context: Context) -> list[Summary]:
    """Return what is known of each index of an access to an element, whatever the iteration."""
    iterations = Iterations(context)
    found = _indices(access, Instance(iterations, access.place))
    return [
        Summary(each.constant, math.gcd(*each.terms.values()), iterations.interval(each))
        for each in found
    ]


def depends_on_outside(access: Access, context: Context) -> bool:
    """Return whether variables that are bound outside decide which element an access is of."""
    iterations = Iterations(context)
    instance = Instance(iterations, access.place)
    iterations.symbols.clear()
    if access.indices is not None:
        _indices(access, instance)
    return bool(iterations.symbols)


def never_meet(
    a: Access, b: Access, first: Sequence[Summary], second: Sequence[Summary], context: Context
) -> bool:
    """Return whether summaries tell that two accesses of one buffer touch no element in common.

    That is the test by greatest common divisors, and by limits.
    """
    assert a.tensor is not None
    assert b.tensor is not None
    if len(first) != len(second) or len(first) != len(a.tensor.shape):
        return False
    for one, other in zip(first, second, strict=True):
        step = math.gcd(one.step, other.step)
        apart = one.rest - other.rest
        differ = apart % step != 0 if step else apart != 0
        if differ or one.limits.meet(other.limits) is None:
            return _have_one_layout(a.tensor, b.tensor, context)
    return False


def _indices(access: Access, instance: Instance) -> list[Row]:
    assert access.indices is not None
    instance.set_lanes(max([index.type.lanes for index in access.indices], default=1))
    return [instance.translate(index, access.place) for index in access.indices]


def _have_one_layout(a: Tensor, b: Tensor, context: Context) -> bool:
    """Return whether equal indices, and no others, are equal elements of both."""
    if len(a.shape) != len(b.shape):
        return False
    if isinstance(a.buffer, Buffer) and a.buffer.strides:
        return _have_injective_strides(a, b, context)
    if a is b:
        return True
    number = context.numbers.number
    return all(number(x) is number(y) for x, y in zip(a.shape[1:], b.shape[1:], strict=True))


def _have_injective_strides(a: Tensor, b: Tensor, context: Context) -> bool:
    """Return whether the strides of two views are such that each index has an offset of its own."""
    shape, other = _constants(a.shape, context), _constants(b.shape, context)
    strides = _strides(a, context)
    if shape is None or other is None or strides is None:
        return False
    sizes = [max(each) for each in zip(shape, other, strict=True)]
    reach = 0
    for stride, size in sorted(zip(map(abs, strides), sizes, strict=True)):
        if size > 1 and stride <= reach:
            return False
        reach += stride * max(size - 1, 0)
    return True


def _strides(tensor: Tensor, context: Context) -> Sequence[int] | None:
    """Return the distances of neighbours in each dimension, where they are known."""
    if isinstance(tensor.buffer, Buffer) and tensor.buffer.strides:
        found = _constants(tensor.buffer.strides, context)
        return found if found is not None and len(found) == len(tensor.shape) else None
    inner = _constants(tensor.shape[1:], context)
    if inner is None:
        return None
    return [math.prod(inner[axis:]) for axis in range(len(tensor.shape))]


def _constants(exprs: Sequence[Expr], context: Context) -> list[int] | None:
    """Return the values of ``exprs``, if they are all constants."""
    found: list[int] = []
    for expr in exprs:
        if not expr.type.is_integer:
            return None
        form = linear_form(expr, context)
        if not form.is_constant:
            return None
        found.append(form.constant)
    return found


def _dot(indices: Sequence[Row], strides: Sequence[int]) -> Row:
    found: Row = Affine(0, {})
    for index, stride in zip(indices, strides, strict=True):
        found = found.plus(index, stride)
    return found
