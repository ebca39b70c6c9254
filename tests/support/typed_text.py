"""Recorded texts, parsed and typed once for all tests of a process: programs never change."""

from __future__ import annotations

from functools import cache

from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.module import IRModule
from relayish.text import parse

HEADER = '#[version = "0.0.5"]\n'


def program(text: str) -> IRModule:
    """Return the program that a text says, without the line of the version."""
    return parse(HEADER + text)


@cache
def parsed(text: str) -> IRModule:
    """Return the program that a text says."""
    return parse(text)


@cache
def typed(text: str) -> IRModule:
    """Return the program that a text says, with its types inferred."""
    return infer_type(parsed(text))
