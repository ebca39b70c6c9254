"""Evaluating one call of an operator on values: what constant folding needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from relayish.errors import DeclarationError, EvaluationError
from relayish.interpreter.checked_evaluation import evaluation_of
from relayish.interpreter.failures import operator_failed
from relayish.interpreter.value import Evaluated, normalise
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Expr, Op
from relayish.op.declaration import properties
from relayish.op.types.result_size import bound_result

CallEvaluator: TypeAlias = Callable[[Attrs | None, Sequence[Evaluated]], Evaluated]


def evaluate_call(
    op: Op, attrs: Attrs | None, values: Sequence[Evaluated], *, checked: bool = True
) -> Evaluated:
    """Return the value of ``op`` with ``attrs`` on ``values``.

    A caller with many calls to evaluate does so under one ``np.errstate(all="ignore")``: division
    by zero and the like are values, not faults, and entering that state takes as long as a call.

    Args:
        op: An operator with an entry in ``properties.evaluate``.
        attrs: Its attributes; ``None`` for the defaults.
        values: One value for each argument, a tuple where the operator takes a tuple.
        checked: Whether what another package's evaluation gives is held against the type.

    Returns:
        A numpy scalar (rank 0), a read-only array, or a tuple of these.

    Raises:
        EvaluationError: If the operator has no evaluation, takes another number of arguments, or
            cannot be evaluated on these.
        ContradictionError: If what is checked contradicts the type.

    Complexity:
        That of the operator, and a few table lookups.
    """
    return call_evaluator(op, checked=checked)(attrs, values)


def call_evaluator(op: Op, *, checked: bool = True) -> CallEvaluator:
    """Return a function of attributes and values that does what :func:`evaluate_call` does.

    What is known of ``op`` is looked up once, which is most of the work for scalars.
    """
    function = evaluation_of(op) if checked else properties.evaluate.get(op)
    arity = properties.num_inputs.get(op)
    defaults = default_attrs(op)

    def evaluate(attrs: Attrs | None, values: Sequence[Evaluated]) -> Evaluated:
        if function is None or (arity is not None and arity != len(values)):
            raise EvaluationError(call_problem(op, len(values)))
        try:
            result = function(defaults if attrs is None else attrs, *values)
            return result if isinstance(result, np.generic) else normalise(result)
        except (EvaluationError, DeclarationError):
            raise
        except Exception as error:
            raise operator_failed(op, values, error) from error

    return evaluate


def result_size(op: Op, attrs: Attrs | None, values: Sequence[Evaluated]) -> int:
    """Return how many elements ``op`` on ``values`` has at most.

    Raises:
        EvaluationError: If that cannot be told of these.
    """
    try:
        return bound_result(op, attrs, *values)
    except Exception as error:
        raise operator_failed(op, values, error) from error


def call_problem(op: Op, count: int) -> str:
    """Return why a call of ``op`` with ``count`` arguments cannot be evaluated."""
    if op not in properties.evaluate:
        return (
            f"operator {op.full_name} has no evaluation; give it one by "
            f"register_op(..., evaluate=...)"
        )
    names = ", ".join(properties.arguments.get(op, ()))
    taken = properties.num_inputs.get(op)
    return f"operator {op.full_name} takes {taken} arguments ({names}); found {count}"


def default_attrs(op: Expr) -> Attrs | None:
    """Return the attributes a call without any stands for; ``None`` if ``op`` has no defaults."""
    kind = properties.attrs_type.get(op)
    if kind is None:
        return None
    try:
        return kind()
    except TypeError:  # some attribute has no default; the operator will say what it misses
        return None
