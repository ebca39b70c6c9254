"""Memory reuse: steps of a plan that write their result over an operand nobody needs any more.

The memory plan tells which operands those are. Here it is made sure that nothing else looks at that
memory, for evaluation by numpy may give back a view of an input where an operator, to the memory
plan, makes a new tensor. So an operand is written over only if its evaluation always makes it anew,
and every value that may be a view of it is used for the last time by the same step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import numpy as np

from relayish.analysis.memory_plan import MemoryPlan
from relayish.interpreter.plan import CALLED, Computation
from relayish.ir.relay.expr import Call, Expr, TupleGetItem
from relayish.ir.relay.type import TensorType, TupleType
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.declaration import properties
from relayish.op.declaration.properties import ResultMemory

WORTHWHILE: Final = 16_384
"""How many bytes a result has at least that is written over an operand."""

_FLOATS: Final = ("float32", "float64")


def reuse_memory(
    computations: Sequence[Computation],
    memory: MemoryPlan,
    *,
    given: Collection[int],
    result: int,
) -> list[Computation]:
    """Return ``computations`` in which some write their result over an operand.

    Args:
        computations: What to do, in order.
        memory: The memory plan of the function they compute.
        given: The values that no computation makes: arguments and constants.
        result: The value of the function.

    Complexity:
        Linear in computations and operands.
    """
    changed = list(computations)
    candidates = [(at, found) for at, c in enumerate(changed) if (found := _candidate(c, memory))]
    if not candidates:
        return changed
    owner = _find_owners(changed)
    last = _find_last_views(changed, owner, result)
    for at, (number, known, ty) in candidates:
        function, attrs, right, value, operands, expr = changed[at]
        own = owner.get(operands[number])
        others = [each for i, each in enumerate(operands) if i != number]
        if own is None or last[own] != at:
            continue
        if all(each in given or owner.get(each, own) != own for each in others):
            writing = _write_over(number, function, known, ty)
            changed[at] = (writing, attrs, right, value, operands, expr)
    return changed


def _candidate(
    computation: Computation, memory: MemoryPlan
) -> tuple[int, ResultMemory, TensorType] | None:
    """Return the operand a computation may write its result over, how, and the result's type."""
    function, _, right, _, _, call = computation
    known = None if right == CALLED else _result_memory(function, call)
    if known is None or known.into is None or not isinstance(call, Call):
        return None
    ty = call.checked_type
    if isinstance(ty, TupleType) and ty.fields:
        ty = ty.fields[0]
    if not isinstance(ty, TensorType) or ty.dtype not in _FLOATS:
        return None
    sizes = [size for size in ty.shape if isinstance(size, int)]
    is_known = len(sizes) == len(ty.shape)
    if not is_known or math.prod(sizes) * numpy_dtype(ty.dtype).itemsize < WORTHWHILE:
        return None
    number = memory.replaced_argument(call)
    return None if number is None else (number, known, ty)


def _find_owners(computations: Sequence[Computation]) -> dict[int, int]:
    """Return, for values in memory that was made for them, the value that memory was made for.

    That is the value itself, or the tuple it is a field of.
    """
    owner: dict[int, int] = {}
    new: dict[int, tuple[int, ...]] = {}  # by the values of operators: which results are new
    for function, attrs, right, value, operands, expr in computations:
        if type(expr) is TupleGetItem and attrs in new.get(operands[0], ()):
            owner[value] = operands[0]
        elif right != CALLED and (known := _result_memory(function, expr)) is not None:
            new[value] = known.new
            if not isinstance(expr.checked_type, TupleType):
                owner[value] = value
    return owner


def _result_memory(function: object, expr: Expr) -> ResultMemory | None:
    """Return in what memory a step puts its results, if that is known of its evaluation."""
    known = properties.result_memory.get(expr.op) if isinstance(expr, Call) else None
    return known if known is not None and known.evaluation is function else None


def _find_last_views(
    computations: Sequence[Computation], owner: dict[int, int], result: int
) -> dict[int, int]:
    """Return, for each value, the last step that reads it or what may be a view of it."""
    last = {result: len(computations)}
    for at in range(len(computations) - 1, -1, -1):
        _, _, _, value, operands, _ = computations[at]
        is_apart = owner.get(value) == value
        seen = at if is_apart else max(at, last.get(value, at))
        for operand in operands:
            last[operand] = max(last.get(operand, seen), seen)
    return last


def _write_over(
    number: int, evaluation: Callable[..., Any], known: ResultMemory, ty: TensorType
) -> Callable[..., Any]:  # Any: as for properties.evaluate
    """Return an evaluation that writes over input ``number``, if all are as their types say."""
    into, shape, dtype = known.into, ty.shape, numpy_dtype(ty.dtype)
    assert into is not None

    def evaluate(attrs: Any, *inputs: Any) -> Any:
        out = inputs[number]
        if type(out) is not np.ndarray or out.shape != shape:
            return evaluation(attrs, *inputs)
        for each in inputs:
            if each.dtype != dtype:
                return evaluation(attrs, *inputs)
        if not out.flags.writeable:  # values are read-only to whoever is given them
            out.flags.writeable = True
        return into(attrs, out, *inputs)

    return evaluate
