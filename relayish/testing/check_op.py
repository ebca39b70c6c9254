"""Checking an operator: its text, its type, its value and its gradient agree with each other."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.analysis.infer_type import infer_type
from relayish.errors import CheckError, RelayishError
from relayish.interpreter.call import evaluate_call
from relayish.interpreter.dynamic_types import type_mismatch
from relayish.interpreter.value import Evaluated
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple, Var
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.builders.call import call_op
from relayish.op.declaration import properties
from relayish.testing.check_grad import check_grad
from relayish.text import astext, parse_expr

_FLOATS: Final = frozenset({"float64"})


def check_op(op: Op | str, *inputs: object, **attributes: object) -> Evaluated:
    """Check what an operator declares of itself, on one call, and return the value of that.

    The text of the call is read back as the same call. Its type can be inferred; it is that of the
    value which the evaluation gives, also where sizes of the arguments are not known (``Any``).
    An operator without state gives the same value twice. If it has a gradient, and takes
    ``float64``, that is compared with finite differences. Arguments cannot be written to, so an
    evaluation that does fails.

    Args:
        op: A declared operator, or its name.
        inputs: Numbers, arrays, or tuples of these: the arguments.
        attributes: Its attributes.

    Raises:
        CheckError: Listing everything that does not hold.
        RelayishError: If such a call cannot be built, typed or evaluated at all.

    Example:
        >>> import numpy as np
        >>> check_op("cumsum", np.array([1.0, 2.0, 4.0]), axis=0)
        array([1., 3., 7.])
    """
    call = call_op(op, *map(_as_constant, inputs), **attributes)
    found: Any = call.op  # Any: an Op, which the declared type does not say
    values = [_value_of(arg) for arg in call.args]
    value = evaluate_call(found, call.attrs, values, checked=False)
    ty = infer_type(call).checked_type
    assert ty is not None
    problems = [
        *_check_text(call),
        *_check_value(ty, value),
        *_check_again(call, values, value),
        *_check_unknown_sizes(call, value),
        *_check_gradient(call),
    ]
    if problems:
        listed = "".join(f"\n  {problem}" for problem in problems)
        raise CheckError(f"operator {found.full_name} contradicts itself:{listed}", "check_op")
    return value


def _as_constant(given: object) -> object:
    if isinstance(given, Expr):
        return given
    if isinstance(given, (tuple, list)):
        return Tuple(tuple(_as_constant(item) for item in given))  # type: ignore[misc]  # converted
    return Constant(given) if isinstance(given, (np.ndarray, np.generic)) else const(given)


def _value_of(arg: Expr) -> Evaluated:
    if isinstance(arg, Tuple):
        return tuple([_value_of(field) for field in arg.fields])
    assert isinstance(arg, Constant)
    return arg.data


def _check_text(call: Call) -> list[str]:
    text = astext(call)
    try:
        again = parse_expr(text)
    except RelayishError as error:
        return [f"its text {text!r} cannot be read: {error}"]
    same = structural_equal(call, again)
    return [] if same else [f"its text {text!r} is read as another call: {astext(again)!r}"]


def _check_value(ty: Type, value: Evaluated) -> list[str]:
    mismatch = type_mismatch(value, ty)
    return (
        [] if mismatch is None else [f"its evaluation gave {' where '.join(mismatch)} was inferred"]
    )


def _check_again(call: Call, values: list[Evaluated], value: Evaluated) -> list[str]:
    if call.op in properties.stateful or call.op in properties.random:
        return []
    again = evaluate_call(call.op, call.attrs, values, checked=False)  # type: ignore[arg-type]  # an Op
    same = _same(value, again)
    return [] if same else ["its evaluation gave another value the second time; stateful=True?"]


def _check_unknown_sizes(call: Call, value: Evaluated) -> list[str]:
    """Check that the type told of arguments of unknown sizes is not narrower than the value."""
    args = [_type_of(arg) for arg in call.args]
    params = [Var(name, _without_sizes(ty)) for name, ty in zip(_names(call), args, strict=True)]
    unsized = call.with_fields(args=tuple(params))
    try:
        ty = infer_type(Function(tuple(params), unsized)).body.checked_type
    except RelayishError:
        return []  # it asks for sizes, and says so
    assert ty is not None
    mismatch = type_mismatch(value, ty)
    where = "on arguments of unknown sizes it gives"
    return [] if mismatch is None else [f"{where} {' where '.join(mismatch)} was inferred"]


def _check_gradient(call: Call) -> list[str]:
    if call.op not in properties.primal_gradient:
        return []
    args = [_type_of(arg) for arg in call.args]
    if not all(isinstance(ty, TensorType) and ty.dtype in _FLOATS for ty in args):
        return []
    params = tuple([Var(name, ty) for name, ty in zip(_names(call), args, strict=True)])
    inputs = [np.asarray(_value_of(arg)) for arg in call.args]
    try:
        check_grad(Function(params, call.with_fields(args=params)), inputs)
    except (AssertionError, RelayishError) as error:
        return [f"its gradient: {' '.join(str(error).split())}"]
    return []


def _names(call: Call) -> tuple[str, ...]:
    declared = properties.arguments.get(call.op, ())
    return tuple(declared) or tuple([f"arg{i}" for i in range(len(call.args))])


def _type_of(arg: Expr) -> Type:
    ty = infer_type(arg).checked_type
    assert ty is not None
    return ty


def _without_sizes(ty: Type) -> Type:
    if isinstance(ty, TensorType):
        return TensorType(tuple([AnyDim() for _ in ty.shape]), ty.dtype)
    assert isinstance(ty, TupleType)
    return TupleType(tuple(map(_without_sizes, ty.fields)))


def _same(one: object, other: object) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    left, right = np.asarray(one), np.asarray(other)
    return (
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )
