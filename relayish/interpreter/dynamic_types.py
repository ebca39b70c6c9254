"""Dynamic type checks: the value of each call of an operator, compared with its inferred type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.type import SizeVar, TensorType, TupleType, Type
from relayish.ir.values.dtype import element_name
from relayish.op.types.dimension import show_type

Evaluation = Callable[..., Any]  # Any: values, see properties.evaluate


def type_mismatch(value: Evaluated, ty: Type) -> str | None:
    """Return in what ``value`` is not of the type ``ty``, or ``None`` where it is.

    Dimensions that are not known match every size, as all do of which a type tells nothing here:
    functions, references, data.

    Complexity:
        Linear in the fields of tuples; no recursion.
    """
    sizes: dict[object, int] = {}
    pending: list[tuple[str, Any, Type]] = [("", value, ty)]  # Any: a part of the value
    while pending:
        where, part, wanted = pending.pop()
        if isinstance(wanted, TupleType):
            if not isinstance(part, tuple) or len(part) != len(wanted.fields):
                return f"{_shape_of(part)}{where} where {show_type(wanted)} was inferred"
            fields = enumerate(zip(part, wanted.fields, strict=True))
            pending += [(f"{where} in field {i}", item, field) for i, (item, field) in fields]
        elif isinstance(wanted, TensorType) and not _fits(part, wanted, sizes):
            return f"{_shape_of(part)}{where} where {show_type(wanted)} was inferred"
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


def _shape_of(value: object) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        sizes = ", ".join(map(str, value.shape))
        element = element_name(value.dtype)
        return f"{element}[{sizes}]" if value.shape else element
    if isinstance(value, tuple):
        return f"a tuple of {len(value)} fields"
    return f"a value of class {type(value).__name__}"


def with_type_check(call: Call, evaluation: Evaluation) -> Evaluation:
    """Return ``evaluation``, of the operator of ``call``, with its result checked.

    Raises:
        EvaluationError: In the result, where a value is of another type.
    """
    ty, op = call.checked_type, call.op
    assert type(op) is Op
    if ty is None:
        return evaluation

    def evaluate(attrs: object, *values: Evaluated) -> Evaluated:
        result = normalise(evaluation(attrs, *values))
        mismatch = type_mismatch(result, ty)
        if mismatch is not None:
            raise EvaluationError(contradiction(op, mismatch))
        return result

    return evaluate


def contradiction(op: Op, mismatch: str) -> str:
    """Return what is said where the value of a call is not of its type."""
    return (
        f"the evaluation of {op.full_name} gave {mismatch}; its type and its evaluation must "
        f"agree: mend one of them"
    )
