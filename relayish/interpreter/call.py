"""Evaluating one call of an operator on values: what constant folding needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.interpreter.compile import call_problem, default_attrs
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.attrs import Attrs
from relayish.ir.expr import Expr, Op
from relayish.op import registry

_SHOWN: Final = 6


def evaluate_call(op: Op, attrs: Attrs | None, values: Sequence[Evaluated]) -> Evaluated:
    """Return the value of ``op`` with ``attrs`` on ``values``.

    A caller with many calls to evaluate does so under one ``np.errstate(all="ignore")``: division
    by zero and the like are values, not faults, and entering that state takes as long as a call.

    Args:
        op: An operator with an entry in ``op.registry.evaluate``.
        attrs: Its attributes; ``None`` for the defaults.
        values: One value for each argument, a tuple where the operator takes a tuple.

    Returns:
        A numpy scalar (rank 0), a read-only array, or a tuple of these.

    Raises:
        EvaluationError: If the operator has no evaluation, takes another number of arguments, or
            cannot be evaluated on these.

    Complexity:
        That of the operator, and a few table lookups.
    """
    function = registry.evaluate.get(op)
    if function is None or registry.num_inputs.get(op, len(values)) != len(values):
        raise EvaluationError(call_problem(op, len(values)))
    if attrs is None:
        attrs = default_attrs(op)
    try:
        return normalise(function(attrs, *values))
    except EvaluationError:
        raise
    except Exception as error:
        raise operator_failed(op, list(values), error) from error


def operator_failed(op: Expr, values: list[Evaluated], error: Exception) -> EvaluationError:
    """Return the error that says on what ``op`` failed."""
    assert isinstance(op, Op)
    shown = ", ".join(_shape(value) for value in values[:_SHOWN])
    more = ", ..." if len(values) > _SHOWN else ""
    return EvaluationError(
        f"operator {op.name} cannot be evaluated on ({shown}{more}): "
        f"{type(error).__name__}: {error}"
    )


def _shape(value: Evaluated) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, tuple):
        return f"tuple of {len(value)}"
    return type(value).__name__
