"""Evaluation of core: values, memory, control flow, calls, and what is refused, in which node.

The programs are in ``tests/cases/core/runs.txt``: a module, what its ``main`` is given,
in JSON, and what that returns, or the error, with its notes.
"""

from __future__ import annotations

import json

import numpy as np

import relayish as relay
from relayish import core
from relayish.errors import RelayishError, notes_of
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

RUNS = read_cases(CASES / "core" / "runs.txt")


def result(text: str, given: str) -> str:
    """Return what the function ``main`` of a module returns, or the error that it gives."""
    try:
        found = core.run(relay.parse(HEADER + text, "t"), *json.loads(given))
    except RelayishError as error:
        return "\n".join([f"{type(error).__name__}: {error}", *notes_of(error)])
    return f"{found.item()!r} of {found.dtype}" if isinstance(found, np.generic) else repr(found)


@each("name", RUNS)
def test_program_does_what_it_should(name: str) -> None:
    text, given, expected = RUNS[name]
    assert result(text, given) == expected
