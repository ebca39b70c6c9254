"""Evaluation errors: what programs that are run are refused for, and notes that say where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NoReturn

import numpy as np

from relayish.errors import EvaluationError, RelayishError, add_note
from relayish.interpreter.value import Evaluated, describe
from relayish.ir.fields.naming import display_name
from relayish.ir.kinds.one_line import quote
from relayish.ir.relay.expr import Expr, Function, Op

SHOWN_CALLS: Final = 5
"""How many of the calls under way an error names."""

_SHOWN_OPERANDS: Final = 6


def fail(message: str, error: type[RelayishError]) -> NoReturn:
    """Raise an error that was found while compiling."""
    raise error(message)


def refuse_condition(value: object) -> NoReturn:
    """Raise for the condition of an ``if`` that is no truth value."""
    raise EvaluationError(
        f"the condition of an if must be a scalar of type bool; found {describe(value)}; compare "
        f"it with something, or reduce it to one truth value"
    )


def refuse_projection(value: object, index: int) -> NoReturn:
    """Raise for a field that a value does not have."""
    expected = f"0 to {len(value) - 1}" if isinstance(value, tuple) and value else "no field at all"
    what = "field" if isinstance(value, tuple) else "field of something that is no tuple:"
    raise EvaluationError(f"there is no {what} {index} in {describe(value)}; it has {expected}")


def refuse_reference(value: object, what: str) -> NoReturn:
    """Raise for what is read or written as a reference and is none."""
    raise EvaluationError(f"{what} needs a reference, made by ref; found {describe(value)}")


def refuse_match(value: object, patterns: Iterable[object] = ()) -> NoReturn:
    """Raise for a value that no clause of a match covers.

    Args:
        value: The value.
        patterns: Those of the clauses.
    """
    made_by = getattr(value, "constructor", None)
    for pattern in patterns:
        wanted = getattr(pattern, "constructor", None)
        if made_by is None or wanted is None or wanted is made_by:
            continue
        if wanted.name_hint == made_by.name_hint:
            raise EvaluationError(
                f"{describe(value)} is a value of the data type that another module defines, whose "
                f"{made_by.name_hint} is not the one of the match; make it with the constructors "
                f"of the module that is run"
            )
    raise EvaluationError(
        f"no clause of the match covers {describe(value)}; add one, or a wildcard"
    )


def refuse_arguments(function: Function, found: int) -> NoReturn:
    """Raise for a call with another number of arguments."""
    names = ", ".join(param.name_hint for param in function.params)
    raise EvaluationError(
        f"the function takes {len(function.params)} arguments ({names}); found {found}; pass one "
        f"for each parameter"
    )


def refuse_more(what: str, limit: int, option: str) -> NoReturn:
    """Raise where a limit on calls is reached."""
    raise EvaluationError(
        f"more than {limit:,} {what}: the program seems to recurse without end; "
        f"raise {option} if it does not"
    )


def refuse_unset(expr: Expr) -> NoReturn:
    """Raise for a variable that has no value yet."""
    raise EvaluationError(
        f"variable {display_name(expr)} is used before it is bound; use it behind the let "
        f"that binds it, or let it name a function"
    )


def out_of_scope() -> EvaluationError:
    """Return the error for an operand that has no value where it is used."""
    return EvaluationError(
        "an operand is a variable used outside the scope of its binder; "
        "relayish.analysis.check_well_formed says which, and where"
    )


def operator_failed(op: Expr, values: Sequence[Evaluated], error: Exception) -> EvaluationError:
    """Return the error that says on what ``op`` failed."""
    assert isinstance(op, Op)
    shown = ", ".join(_shape(value) for value in values[:_SHOWN_OPERANDS])
    more = ", ..." if len(values) > _SHOWN_OPERANDS else ""
    return EvaluationError(
        f"operator {op.full_name} cannot be evaluated on ({shown}{more}): "
        f"{type(error).__name__}: {error}"
    )


def evaluator_failed(node: Expr, error: Exception) -> EvaluationError:
    """Return the error that says whose evaluator failed."""
    kind = type(node).__name__
    return EvaluationError(f"the evaluator of {kind} failed: {type(error).__name__}: {error}")


def add_notes(error: RelayishError, expr: Expr, callers: Sequence[Expr], depth: int) -> None:
    """Say in notes on ``error`` where it was found.

    Args:
        error: What is going to be raised.
        expr: What was being evaluated.
        callers: The innermost of the calls under way, :data:`SHOWN_CALLS` at most.
        depth: How many there are.
    """
    add_note(error, f"while evaluating {quote(expr)}")
    for caller in callers:
        add_note(error, f"reached from {quote(caller)}")
    if depth > len(callers):
        add_note(error, f"and from {depth - len(callers)} more calls under way")


def _shape(value: Evaluated) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, tuple):
        return f"tuple of {len(value)}"
    return type(value).__name__
