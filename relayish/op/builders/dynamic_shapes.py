"""Dynamic shapes: calls whose sizes are known only when the program runs (``dyn`` operators).

``reshape(x, shape)`` with an expression for ``shape`` is ``dyn.reshape``, as in Relay, and so on
for every operator that has a namesake there. A constant is no such expression: its numbers are
taken instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from relayish.errors import OperatorError
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr, Op
from relayish.ir.relay.language import RELAY
from relayish.op.builders.attribute_shorthand import expand_shorthand
from relayish.op.builders.call import call_op
from relayish.op.declaration.properties import arguments, attrs_type
from relayish.op.declaration.registry import is_registered, relay_op

_OTHERWISE_CALLED: Final[Mapping[str, Mapping[str, str]]] = {"dyn.squeeze": {"axes": "axis"}}
"""Arguments of ``dyn`` operators that have another name than the attribute they stand for."""

_DTYPES: Final = {
    "roi": "float32",
    "scale_d": "float64",
    "scale_h": "float64",
    "scale_w": "float64",
}
_DEFAULTS: Final[Mapping[str, Mapping[str, object]]] = {
    "dyn.strided_slice": {"strides": [1]},
    "dyn.image.resize2d": {"roi": [0.0, 0.0, 0.0, 0.0]},
}


def has_unknown_sizes(op: Op) -> bool:
    """Return whether there is a ``dyn`` operator that takes sizes of ``op`` as arguments."""
    return op.domain == RELAY.name and is_registered(f"dyn.{op.name}", RELAY.name)


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
    name = f"dyn.{op.name}"
    dynamic = relay_op(name)
    taken = arguments.get(op, ())
    other = _OTHERWISE_CALLED.get(name, {})
    sizes = [n for n in arguments.get(dynamic, ()) if n not in taken]
    if not any(is_unknown(given.get(other.get(n, n))) for n in sizes):
        return None
    rest = dict(filled)
    operands: list[object] = []
    for argument in arguments.get(dynamic, ()):
        key = other.get(argument, argument)
        value = rest.pop(key, None)
        if value is None:
            value = _DEFAULTS.get(name, {}).get(argument)
        if value is None:
            raise OperatorError(f"{op.full_name} is called without its argument {key!r}")
        operands.append(_as_size(argument, value) if argument in sizes else value)
    cls = attrs_type.get(dynamic)
    fields = () if cls is None else cls.field_names
    lost = [n for n, value in given.items() if n in rest and n not in fields and value is not None]
    if name == "dyn.strided_slice" and given.get("axes") is not None:
        lost.append("axes")
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


def _as_size(name: str, value: object) -> Expr:
    if isinstance(value, Expr):
        return value
    if isinstance(value, (tuple, list)) and any(isinstance(item, Expr) for item in value):
        raise OperatorError(f"{name!r} mixes numbers and expressions; make one expression of it")
    scalar = isinstance(value, (int, float, np.generic))
    return const(value if scalar else np.asarray(value), _DTYPES.get(name))
