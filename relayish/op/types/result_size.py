"""Upper bounds on the sizes of results, as far as types tell.

Whoever evaluates a program before it runs asks here first, so that ``repeat(1, 10**12)`` stays a
call instead of becoming an array.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.relay.expr import Op
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.values.dtype import element_name
from relayish.op.declaration.properties import relation, result_size, rule, view
from relayish.op.declaration.relation import NULL_REPORTER
from relayish.op.types.layout import read_layout
from relayish.op.types.type_rules import (
    broadcast,
    broadcast_comparison,
    identity,
    identity_comparison,
)
from relayish.op.values.evaluation import as_sizes

Array: TypeAlias = Any  # a numpy scalar or array, or a tuple of them
Parameters: TypeAlias = Any  # the attributes of the one operator

_MUCH: Final = 1 << 24
"""Operands that are padded to more elements than this count for as much as a result would."""


_BROADCASTING: Final = frozenset({identity, identity_comparison, broadcast, broadcast_comparison})
"""Rules of operators whose results are as large as what their arguments broadcast to."""


def broadcasts(op: Op) -> bool:
    """Return whether results of ``op`` are as large as what its arguments broadcast to."""
    size = result_size.get(op)
    return rule.get(op) in _BROADCASTING if size is None else size is bound_by_broadcast


def bound_result(op: Op, attrs: Parameters, *inputs: Array) -> int:
    """Return how many elements ``op`` on ``inputs`` gives at most.

    Raises:
        TypeInferenceError: If the call is ill-typed, or neither its type nor the declaration of the
            operator says how large the result is.
    """
    size = result_size.get(op)
    if size is not None:
        return size(attrs, *inputs)
    if op in view:
        return bound_by_inputs(attrs, inputs[0])
    if rule.get(op) in _BROADCASTING:
        return bound_by_broadcast(attrs, *inputs)
    return bound_by_type(op, attrs, *inputs)


def bound_by_broadcast(_: Parameters, *inputs: Array) -> int:
    """Return how many elements the arguments broadcast to; none if they do not."""
    try:
        return prod(np.broadcast_shapes(*[each.shape for each in inputs]))
    except ValueError:
        return 0


def bound_by_type(op: Op, attrs: Parameters, *inputs: Array) -> int:
    """Return how many elements the result has that the rule or relation of ``op`` tells of.

    Raises:
        TypeInferenceError: If the call is ill-typed, or its type leaves the size open.
    """
    result = result_type(op, attrs, inputs)
    padded = _bound_padded(attrs, inputs)
    return padded if padded > _MUCH else _count_elements(result, op)


def result_type(op: Op, attrs: Parameters, inputs: tuple[Array, ...]) -> Type | None:
    """Return the type that the rule or relation of ``op`` gives its result, if it has one.

    Raises:
        TypeInferenceError: If the call is ill-typed.
    """
    types = tuple(map(type_of_value, inputs))
    find, relate = rule.get(op), relation.get(op)
    if find is not None:
        return find(attrs, *types)
    return relate(attrs, types, NULL_REPORTER) if relate is not None else None


def bound_by_inputs(_: Parameters, *inputs: Array) -> int:
    """Return how many elements the arguments have together: for results that have no more."""
    return sum(bound_by_inputs(_, *x) if isinstance(x, tuple) else int(x.size) for x in inputs)


def bound_by_reduction(_: Parameters, data: Array, *__: Array) -> int:
    """Return how many elements are left of the first argument, which along no elements is one."""
    return prod([size or 1 for size in data.shape])


def _bound_padded(attrs: Parameters, inputs: tuple[Array, ...]) -> int:
    """Return how many elements operands have at most when they are padded; 0 if they are not.

    A window that moves in long steps over wide padding has a small result, but not on the way.
    """
    layout = getattr(attrs, "data_layout", "") or getattr(attrs, "layout", "")
    padding = getattr(attrs, "padding", ())
    if not layout or not isinstance(padding, tuple) or not padding:
        return 0
    around = 2 * max(0, *as_sizes(padding))
    axes = read_layout(layout)
    most = 0
    for value in inputs:
        if isinstance(value, tuple) or len(value.shape) != len(axes):
            continue
        sizes = zip(value.shape, axes, strict=True)
        most = max(most, prod(n + around if axis.letter in "DHW" else n for n, axis in sizes))
    return most


def _count_elements(ty: Type | None, op: Op) -> int:
    if isinstance(ty, TupleType):
        return sum(_count_elements(field, op) for field in ty.fields)
    if isinstance(ty, TensorType) and all(isinstance(size, int) for size in ty.shape):
        return prod(as_sizes(ty.shape))
    raise TypeInferenceError(
        f"the type {ty} of the result of {op.full_name} does not tell how large it is; expected "
        f"tensors of known shape; declare the operator with result_size"
    )


def type_of_value(value: Array) -> Type:
    """Return the type of a numpy value, or of a tuple of them."""
    if isinstance(value, tuple):
        return TupleType(tuple(map(type_of_value, value)))
    return TensorType(value.shape, element_name(value.dtype))
