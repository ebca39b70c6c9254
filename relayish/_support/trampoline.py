"""A trampoline: rules of a grammar as generators, which nest without Python's stack.

A rule of the grammar, for reading or for writing, is a generator. It asks for a part that may nest
by yielding the generator of the part's rule, and is sent what that made; :func:`run` keeps the
waiting rules on a list. So any depth works, and a rule still reads like the grammar. In place of a
rule that writes it, a rule may yield a text.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

Rule: TypeAlias = Generator[Any, Any, Any]
"""A rule of the grammar; Any: it is sent whatever the rule that it yields returns."""


def run(rule: Rule, out: list[str] | None = None) -> Any:  # Any: what the rule returns
    """Run ``rule`` to its end, and the rules that it yields; texts among these go onto ``out``."""
    waiting: list[Rule] = []
    write = list[str]().append if out is None else out.append
    made: object = None
    while True:
        try:
            part = rule.send(made)
        except StopIteration as stop:
            if not waiting:
                return stop.value
            made, rule = stop.value, waiting.pop()
        else:
            made = None
            if type(part) is str:
                write(part)
            else:
                waiting.append(rule)
                rule = part
