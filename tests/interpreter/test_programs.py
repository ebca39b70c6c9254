"""Evaluation of expressions: functions, data types, references, what is shared, what is refused.

The programs are in ``tests/cases/evaluation.txt``: an expression, and its value with the type of
each number, or the error.
"""

from __future__ import annotations

import numpy as np

from relayish.errors import RelayishError
from relayish.interpreter import evaluate
from relayish.text import parse_expr
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

PROGRAMS = read_cases(CASES / "evaluation.txt")


def shown(value: object) -> str:
    """Return a value as text, each number with its type."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.tolist()} {value.dtype}"
    return repr(value)


def result(text: str) -> str:
    """Return the value of an expression, or the error that it gives."""
    try:
        return shown(evaluate(parse_expr(HEADER + text)))
    except RelayishError as error:
        return f"{type(error).__name__}: {error}"


@each("name", PROGRAMS)
def test_expression_has_its_value(name: str) -> None:
    text, value = PROGRAMS[name]
    assert result(text) == value
