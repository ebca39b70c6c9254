"""Building calls of operators, checked against their declarations."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

from relayish.errors import FieldError, OperatorError, UnknownNameError, suggest
from relayish.ir.attributes.attrs import Attrs, find_attrs_class, may_be_none
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Expr, Op, Tuple
from relayish.op.builders.outputs import TupleWrapper
from relayish.op.declaration.properties import arguments, attrs_type, num_inputs
from relayish.op.declaration.registry import get_op, relay_op


def call_op(op: Op | str, /, *args: object, **attributes: object) -> Call:
    """Return a call of ``op`` with arguments and attributes as it declares them.

    Args:
        op: A declared operator, or its name.
        args: Expressions; a tuple or list of expressions stands for a ``Tuple`` of them. Python
            numbers are refused: say ``const(1)``.
        attributes: Values of its attributes. A required one that may be ``None`` may be left out.

    Raises:
        UnknownNameError: If there is no such operator or attribute, or several of that name.
        OperatorError: If the number of arguments is another, an argument is no expression, or an
            attribute is missing or of the wrong type.

    Example:
        >>> from relayish.ir.relay.expr import Var
        >>> import relayish.op
        >>> call_op("clip", Var("x"), a_min=0, a_max=6).attrs
        ClipAttrs(a_min=0.0, a_max=6.0)
    """
    found = get_op(op)
    expected = arguments.get(found, ())
    if found not in num_inputs and expected:  # the last stands for any number
        expected = (*expected[:-1], *[expected[-1]] * (len(args) - len(expected) + 1))
    if len(args) != len(expected):
        raise OperatorError(
            f"{found.full_name} is called with {len(args)} arguments; "
            f"expected {len(expected)}: ({', '.join(expected)})"
        )
    checked = tuple(
        _as_argument(found, name, arg) for name, arg in zip(expected, args, strict=True)
    )
    return Call(found, checked, make_attrs(found, attributes))


def relay_call(
    op: Op | str, /, *args: object, span: Span | None = None, **attributes: object
) -> Call:
    """Return a call at ``span``; a name is that of an operator of Relay's own domain.

    Everything else is as in :func:`call_op`.
    """
    found = call_op(relay_op(op) if isinstance(op, str) else op, *args, **attributes)
    return found if span is None else found.with_fields(span=span)


def attrs_of(call: Call) -> Any:  # Any: the attributes of the one operator
    """Return the attributes of ``call``, those that it leaves out included."""
    assert isinstance(call.op, Op)
    return make_attrs(call.op, {}) if call.attrs is None else call.attrs


def make_node(type_key: str, **fields: object) -> Attrs:
    """Return attributes of the class that has ``type_key``: ``relay.attrs.SoftmaxAttrs``.

    Raises:
        UnknownNameError: If it is the key of no class of attributes. Nodes are made by their
            classes.

    Source:
        TVM ``ir.make_node``.

    Example:
        >>> make_node("relay.attrs.SoftmaxAttrs", axis=1)
        SoftmaxAttrs(axis=1)
    """
    if type_key == DictAttrs.type_key:
        return DictAttrs(fields)
    cls = find_attrs_class(type_key)
    if cls is None:
        raise UnknownNameError(
            f"{type_key!r} is no type key of attributes; write relay.Var(...) for a node, "
            f"and relay.op.properties.attrs_type.get(op) for the attributes of an operator"
        )
    return cls(**fields)


def make_attrs(op: Op, values: Mapping[str, object]) -> Attrs | None:
    """Return the attributes of a call of ``op``, or ``None`` if it declares that it takes none.

    Raises:
        UnknownNameError: If it has no attribute of one of the names.
        OperatorError: If one is missing, or of the wrong type.
    """
    cls = attrs_type.get(op)
    if cls is None:
        if values:
            raise OperatorError(f"{op.full_name} takes no attributes; found {', '.join(values)}")
        return None
    given = dict(values)
    if cls is DictAttrs:
        return DictAttrs(given)
    for name in given:
        if name not in cls.field_names:
            raise UnknownNameError(
                f"{op.full_name} has no attribute {name!r}{suggest(name, cls.field_names)}; "
                f"it has {', '.join(cls.field_names)}"
            )
    for name in cls.field_names:
        if name in given or name in cls.defaults:
            continue
        given[name] = _find_default(op, cls, name)
    try:
        return cls(**given)
    except FieldError as error:
        raise OperatorError(f"{op.full_name}: {error}") from error


def _find_default(op: Op, cls: type[Attrs], name: str) -> object:
    """Return what a required attribute is when a call does not give it."""
    if name in may_be_none(cls):  # type: ignore[arg-type]  # mypy takes the hash of instances
        return None
    if name in arguments.get(op, ()):  # dyn.reshape and its like: the argument says it
        return () if typing.get_origin(typing.get_type_hints(cls)[name]) is tuple else 0.0
    raise OperatorError(f"{op.full_name} is called without its attribute {name!r}")


def _as_argument(op: Op, name: str, value: object) -> Expr:
    if isinstance(value, Expr):
        return value
    if isinstance(value, TupleWrapper):
        return value.tuple_value
    if isinstance(value, (tuple, list)):
        return Tuple(tuple(_as_argument(op, name, item) for item in value))
    advice = f"; say const({value!r})" if isinstance(value, (int, float)) else ""
    raise OperatorError(
        f"argument {name!r} of {op.full_name} must be an expression; "
        f"found {value!r} ({type(value).__name__}){advice}"
    )
