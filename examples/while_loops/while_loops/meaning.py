"""What loops and logs mean: their types and their values."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import relayish as relay
from relayish.analysis import TYPE_RULES
from relayish.analysis.infer_type import Inference
from relayish.interpreter import EVALUATORS, Run
from while_loops.kinds import Log, While

_LOG: ContextVar[list[tuple[str, Any]] | None] = ContextVar("_LOG", default=None)


@contextmanager
def logged() -> Iterator[list[tuple[str, Any]]]:
    """Collect what ``Log`` notes meanwhile, as pairs of label and value."""
    notes: list[tuple[str, Any]] = []
    token = _LOG.set(notes)
    try:
        yield notes
    finally:
        _LOG.reset(token)


@TYPE_RULES.register(While)
def type_of_while(loop: While, infer: Inference) -> Generator[Any, Any, Any]:
    """The variable, the first value and the body have one type, which is that of the loop."""
    infer.bind(loop.var, loop.init)
    yield loop.cond, loop.body
    infer.equate(relay.scalar_type("bool"), loop.cond, "condition of while")
    return infer.bind(loop.var, loop.body, "body of while")


@TYPE_RULES.register(Log)
def type_of_log(log: Log, infer: Inference) -> relay.Type:
    """A log has the type of what flows through it."""
    return infer.type_of(log.value)


@EVALUATORS.register(While)
def evaluate_while(loop: While, value: Any) -> Generator[Any, Any, Any]:
    """Run condition and body in turn, each with the variable bound to the value so far."""
    while (yield Run(loop.cond, {loop.var: value})):
        value = yield Run(loop.body, {loop.var: value})
    return value


@EVALUATORS.register(Log)
def evaluate_log(log: Log, value: Any) -> Any:
    """Note the value and pass it on."""
    notes = _LOG.get()
    if notes is not None:
        notes.append((log.label, value))
    return value
