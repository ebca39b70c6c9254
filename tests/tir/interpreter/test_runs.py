"""What statements do: loops, branches, declarations, lifetimes of memory, blocks, calls.

The programs are in ``tests/cases/loops/runs.txt``: a function, or a module whose ``main`` is run,
what it is given, a line of JSON for each argument, and what it leaves in them, or the error.
Both modes do the same. In ``values.txt`` there is an expression, and its value or the error.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from relayish import tir
from relayish.errors import RelayishError
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases

RUNS = read_cases(CASES / "loops" / "runs.txt")
VALUES = read_cases(CASES / "loops" / "values.txt")


def result(text: str, given: str, mode: str) -> str:
    """Return what a function leaves in its arguments, or the error that it gives."""
    program = tir.parse(text, "t")
    functions = tir.collect_ir_nodes(program, lambda node: isinstance(node, tir.LoweredFunc))
    main = next(each for each in functions if len(functions) == 1 or each.name == "main")
    values = map(json.loads, given.splitlines())
    args = [
        np.array(value, param.dtype.numpy) if isinstance(param, tir.Buffer) else value
        for param, value in zip(main.args, values, strict=True)
    ]
    try:
        tir.run(program, *args, mode=mode, name=None if main is program else "main")
    except RelayishError as error:
        return f"{type(error).__name__}: {error}"
    return "\n".join([json.dumps(np.asarray(arg).tolist()) for arg in args])


@pytest.mark.parametrize("mode", ["plain", "vectorised"])
@each("name", RUNS)
def test_program_does_what_it_should(name: str, mode: str) -> None:
    text, given, left = RUNS[name]
    assert result(text, given, mode) == left


def value(text: str) -> str:
    """Return the value of an expression and its type, or the error that it gives."""
    try:
        found = tir.evaluate(tir.parse(text))
    except RelayishError as error:
        return f"{type(error).__name__}: {error}"
    return f"{found.tolist()!r} of {found.dtype}"


@each("name", VALUES)
def test_expression_has_its_value(name: str) -> None:
    text, expected = VALUES[name]
    assert value(text) == expected
