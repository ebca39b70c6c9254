"""Dynamic shapes: calls whose sizes are known only when the program runs (``dyn`` operators).

``reshape(x, shape)`` with an expression for ``shape`` is ``dyn.reshape``, as in Relay, and so on
for every operator that has a namesake there. A constant is no such expression: its numbers are
taken instead.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from relayish.errors import OperatorError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr, Op
from relayish.op.builders.attribute_shorthand import expand_shorthand
from relayish.op.builders.call import call_op
from relayish.op.declaration.properties import (
    argument_types,
    arguments,
    attrs_type,
    dynamic_form,
    static_form,
)


def has_unknown_sizes(op: Op) -> bool:
    """Return whether there is a ``dyn`` operator that takes sizes of ``op`` as arguments."""
    return op in dynamic_form


def with_unknown_sizes(
    op: Op, given: Mapping[str, object], filled: Mapping[str, object]
) -> Call | None:
    """Return the call of the ``dyn`` operator if one of the sizes of ``op`` is an expression.

    Args:
        op: An operator of which :func:`has_unknown_sizes` holds.
        given: What a builder was given, by parameter.
        filled: The same, and the defaults of what it was not given.

    Raises:
        OperatorError: If something is given that cannot stand beside sizes that are expressions.
    """
    dynamic = dynamic_form.get(op)
    static = static_form.get(dynamic)
    assert dynamic is not None
    assert static is not None
    taken, types = arguments.get(op, ()), argument_types.get(dynamic, {})
    other = static.renamed
    sizes = [n for n in arguments.get(dynamic, ()) if other.get(n, n) not in taken]
    if not any(is_unknown(given.get(other.get(n, n))) for n in sizes):
        return None
    rest = dict(filled)
    operands: list[object] = []
    for argument in arguments.get(dynamic, ()):
        key = other.get(argument, argument)
        value = rest.pop(key, None)
        if value is None:
            value = static.defaults.get(argument)
        if value is None:
            raise OperatorError(f"{op.full_name} is called without its argument {key!r}")
        operands.append(
            _as_size(argument, value, types.get(argument)) if argument in sizes else value
        )
    cls = attrs_type.get(dynamic)
    fields = () if cls is None else cls.field_names
    lost = [n for n, value in given.items() if n in rest and n not in fields and value is not None]
    lost += [n for n in static.lost if given.get(n) is not None]
    if lost:
        raise OperatorError(
            f"{op.full_name} takes no {lost[0]!r} where its sizes are expressions, for they "
            f"belong to all axes then; leave it out"
        )
    kept = {n: value for n, value in rest.items() if n in fields}
    return call_op(dynamic, *operands, **expand_shorthand(dynamic, kept))


def is_unknown(value: object) -> bool:
    """Return whether ``value`` is an expression and no constant."""
    return isinstance(value, Expr) and not isinstance(value, Constant)


def _as_size(name: str, value: object, dtype: str | None) -> Expr:
    if isinstance(value, Expr):
        return value
    if isinstance(value, (tuple, list)) and any(isinstance(item, Expr) for item in value):
        raise OperatorError(f"{name!r} mixes numbers and expressions; make one expression of it")
    scalar = isinstance(value, (int, float, np.generic))
    return const(value if scalar else np.asarray(value), dtype)
