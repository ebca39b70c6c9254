"""Evaluating one call of an operator on values: what constant folding needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.attrs import Attrs
from relayish.ir.relay.expr import Expr, Op
from relayish.op import registry

CallEvaluator: TypeAlias = Callable[[Attrs | None, Sequence[Evaluated]], Evaluated]

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
    return call_evaluator(op)(attrs, values)


def call_evaluator(op: Op) -> CallEvaluator:
    """Return a function of attributes and values that does what :func:`evaluate_call` does.

    What is known of ``op`` is looked up once, which is most of the work for scalars.
    """
    function = registry.evaluate.get(op)
    arity = registry.num_inputs.get(op)
    defaults = default_attrs(op)

    def evaluate(attrs: Attrs | None, values: Sequence[Evaluated]) -> Evaluated:
        if function is None or (arity is not None and arity != len(values)):
            raise EvaluationError(call_problem(op, len(values)))
        try:
            result = function(defaults if attrs is None else attrs, *values)
            return result if isinstance(result, np.generic) else normalise(result)
        except EvaluationError:
            raise
        except Exception as error:
            raise operator_failed(op, list(values), error) from error

    return evaluate


def call_problem(op: Op, count: int) -> str:
    """Return why a call of ``op`` with ``count`` arguments cannot be evaluated."""
    if op not in registry.evaluate:
        return (
            f"operator {op.full_name} has no evaluation; give it one with "
            f"registry.evaluate.set(op, lambda attrs, *inputs: ...)"
        )
    names = ", ".join(registry.arguments.get(op, ()))
    taken = registry.num_inputs.get(op)
    return f"operator {op.full_name} takes {taken} arguments ({names}); found {count}"


def default_attrs(op: Expr) -> Attrs | None:
    """Return the attributes a call without any stands for; ``None`` if ``op`` has no defaults."""
    kind = registry.attrs_type.get(op)
    if kind is None:
        return None
    try:
        return kind()
    except TypeError:  # some attribute has no default; the operator will say what it misses
        return None


def operator_failed(op: Expr, values: list[Evaluated], error: Exception) -> EvaluationError:
    """Return the error that says on what ``op`` failed."""
    assert isinstance(op, Op)
    shown = ", ".join(_shape(value) for value in values[:_SHOWN])
    more = ", ..." if len(values) > _SHOWN else ""
    return EvaluationError(
        f"operator {op.full_name} cannot be evaluated on ({shown}{more}): "
        f"{type(error).__name__}: {error}"
    )


def evaluator_failed(node: Expr, error: Exception) -> EvaluationError:
    """Return the error that says whose evaluator failed."""
    kind = type(node).__name__
    return EvaluationError(f"the evaluator of {kind} failed: {type(error).__name__}: {error}")


def _shape(value: Evaluated) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, tuple):
        return f"tuple of {len(value)}"
    return type(value).__name__
