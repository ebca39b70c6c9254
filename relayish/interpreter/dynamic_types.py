"""Dynamic type checks: the value of each call of an operator, compared with its inferred type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from relayish.errors import ContradictionError
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.type import SizeVar, TensorType, TupleType, Type
from relayish.ir.values.dtype import element_name
from relayish.op.declaration import properties
from relayish.op.types.dimension import show_type

Evaluation = Callable[..., Any]  # Any: values, see properties.evaluate


class Mismatch(NamedTuple):
    """In what a value is not of a type: ``float32[7] in field 1``, ``Tensor[(2), float32]``."""

    found: str
    expected: str


def type_mismatch(
    value: Evaluated, ty: Type, known: Mapping[SizeVar, int] = MappingProxyType({})
) -> Mismatch | None:
    """Return in what ``value`` is not of the type ``ty``, or ``None`` where it is.

    Dimensions that are not known match every size, as all do of which a type tells nothing here:
    functions, references, data. A list is no tuple.

    Args:
        value: What an evaluation gave.
        ty: A type whose parts are known.
        known: What some of the variables in its sizes stand for; each of the others stands for
            one size throughout.

    Complexity:
        Linear in the fields of tuples; no recursion.
    """
    sizes: dict[object, int] = {var: size for var, size in known.items()}  # noqa: C416 - wider
    pending: list[tuple[str, Any, Type]] = [("", value, ty)]  # Any: a part of the value
    while pending:
        where, part, wanted = pending.pop()
        if isinstance(wanted, TupleType):
            if not isinstance(part, tuple) or len(part) != len(wanted.fields):
                return Mismatch(f"{show_value(part)}{where}", show_type(wanted))
            fields = enumerate(zip(part, wanted.fields, strict=True))
            pending += [(f"{where} in field {i}", item, field) for i, (item, field) in fields]
        elif isinstance(wanted, TensorType) and not _fits(part, wanted, sizes):
            return Mismatch(f"{show_value(part)}{where}", show_type(wanted))
    return None


def _fits(value: object, wanted: TensorType, sizes: dict[object, int]) -> bool:
    if not isinstance(value, (np.ndarray, np.generic)) or element_name(value.dtype) != wanted.dtype:
        return False
    if len(value.shape) != len(wanted.shape):
        return False
    for size, dimension in zip(value.shape, wanted.shape, strict=True):
        known = sizes.setdefault(dimension, size) if isinstance(dimension, SizeVar) else dimension
        if isinstance(known, int) and known != size:
            return False
    return True


def show_value(value: object) -> str:
    """Return of what type a value is, in few words."""
    if isinstance(value, (np.ndarray, np.generic)):
        sizes = ", ".join(map(str, value.shape))
        element = element_name(value.dtype)
        return f"{element}[{sizes}]" if value.shape else element
    if isinstance(value, (tuple, list)):
        fields = "1 field" if len(value) == 1 else f"{len(value)} fields"
        return f"a {type(value).__name__} of {fields}"
    return "None" if value is None else f"a value of class {type(value).__name__}"


def with_type_check(call: Call, evaluation: Evaluation) -> Evaluation:
    """Return ``evaluation``, of the operator of ``call``, with its result checked.

    Raises:
        ContradictionError: In the result, where a value is of another type.
    """
    ty, op = call.checked_type, call.op
    assert type(op) is Op
    if ty is None:
        return evaluation

    def evaluate(attrs: object, *values: Evaluated) -> Evaluated:
        return check_result(op, evaluation(attrs, *values), ty)

    return evaluate


def check_result(op: Op, given: object, ty: Type) -> Evaluated:
    """Return what an evaluation of ``op`` has given, in the form values have.

    Raises:
        ContradictionError: If it is not of the type that the rule of ``op`` says it is.
    """
    result = normalise(given)
    mismatch = type_mismatch(result, ty)
    if mismatch is None:
        return result
    found, expected = type_mismatch(given, ty) or mismatch  # a list is said to be one
    raise ContradictionError(
        f"evaluate of {op.full_name} returned {found} where its {said_by(op)} says {expected}; "
        f"mend the one that is wrong, then relay.testing.opcheck({op.full_name!r}) tries it"
    )


def said_by(op: Op) -> str:
    """Return what tells the type of calls of ``op``."""
    return "relation" if op in properties.relation else "rule"
