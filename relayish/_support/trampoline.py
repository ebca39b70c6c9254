"""A trampoline: rules of a grammar as generators, which nest without Python's stack.

A rule of the grammar, for reading or for writing, is a generator. It asks for a part that may nest
by yielding the generator of the part's rule, and is sent what that made; :func:`run` keeps the
waiting rules on a list. So any depth works, and a rule still reads like the grammar. In place of a
rule that writes it, a rule may yield a text. Walks that wait for others are told so as well.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from relayish._kernel import loop

Rule: TypeAlias = Generator[Any, Any, Any]
"""A rule of the grammar; Any: it is sent whatever the rule that it yields returns."""


@loop("run")
def run(
    rule: Rule, out: list[str] | None = None, caught: tuple[type[Exception], ...] = ()
) -> Any:  # Any: what the rule returns
    """Run ``rule`` to its end, and the rules that it yields; texts among these go onto ``out``.

    Errors ``caught`` are raised again where the failing rule was yielded, all others at once.
    """
    waiting: list[Rule] = []
    failed: Exception | None = None
    write = list[str]().append if out is None else out.append
    made: object = None
    while True:
        try:
            part = rule.send(made) if failed is None else rule.throw(failed)
        except StopIteration as stop:
            if not waiting:
                return stop.value
            made, rule, failed = stop.value, waiting.pop(), None
        except caught as error:
            if not waiting:
                raise
            rule, failed = waiting.pop(), error
        else:
            made = failed = None
            if type(part) is str:
                write(part)
            else:
                waiting.append(rule)
                rule = part
