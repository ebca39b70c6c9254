"""Finding the pass of a pipeline that is at fault, and the least program that shows it."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any, Generic, TypeVar

from relayish.errors import ContradictionError, PassError
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.common import NOTHING_ASKED
from relayish.pass_infra.base.pass_class import AnyFunctionPass, Pass
from relayish.pass_infra.composition.sequential import Sequential
from relayish.pass_infra.debug.shrink import MOST_TRIES, shrink

M = TypeVar("M", bound=AnyModule)

Fault = Callable[[Any, Any], str | None]  # Any: modules of the class that the passes work on
"""Given the program before some passes and after them, says what is wrong, or ``None``."""


@dataclass(frozen=True, slots=True)
class Culprit(Generic[M]):
    """The first pass after which something is wrong.

    Attributes:
        culprit: The pass.
        position: How many passes ran before it, those inside others and required ones included.
        message: What is wrong: what was found, or what the pass raised.
        before: The program the pass was given.
        shrunk: The least program found on which the pass alone is at fault; ``before`` where it
            is not at fault alone, or nothing smaller was looked for.
        function: The name of the function of ``before`` that the pass, one over functions, has to
            leave as it is, with those behind it, so that nothing is wrong; ``None`` of others.
    """

    culprit: Pass
    position: int
    message: str
    before: M
    shrunk: M
    function: str | None = None

    @property
    def number(self) -> int:
        """The number of the pass in a run: with a smaller ``skip_after`` nothing is wrong."""
        return self.position + 1

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.culprit.info.name


def bisect(
    pipeline: Pass,
    mod: M,
    fault: Fault,
    *,
    most_tries: int = MOST_TRIES,
    is_stepwise: bool = False,
) -> Culprit[M] | None:
    """Return the first pass of ``pipeline`` after which ``fault`` finds something wrong.

    Every pass is looked at, nested and required ones too, in the order in which they run under the
    current context. A pass that raises is at fault as well.

    Args:
        pipeline: What to run.
        mod: A program with which nothing is wrong.
        fault: Asked after each pass, with ``mod`` and what the passes so far made of it.
        most_tries: How many smaller programs are tried; 0 leaves the program as it is.
        is_stepwise: Asks ``fault`` about what each pass alone did, in place of ``mod`` with the
            program before that pass: so none is at fault for what several did together.

    Returns:
        ``None`` if nothing is wrong after any pass.

    Raises:
        ContradictionError: If an operator is at fault, since its value is not of its type.
        PassError: If something is wrong with ``mod`` itself, ``pipeline`` is no pass, or ``fault``
            returns something else than it should.
    """
    given: object = pipeline  # still to be checked
    if not isinstance(given, Pass):
        raise PassError(f"bisect takes a pass; found {given!r}; write Sequential or parse_pipeline")
    already = _ask(fault, mod, mod)
    if already is not None:
        raise PassError(f"the program is at fault before any pass: {already}")
    current = mod
    passes = pipeline.plan() if isinstance(pipeline, Sequential) else (pipeline,)
    for position, pass_ in enumerate(passes):
        after, error = _run(pass_, current)
        message = None if error is None else f"{type(error).__name__}: {error}"
        if error is None and after is not current:
            message = _ask(fault, current if is_stepwise else mod, after)
        if message is not None:
            silent = _silence(pass_)
            shrunk = _shrink(silent, current, fault, most_tries)
            function = _find_function(silent, current, current if is_stepwise else mod, fault)
            return Culprit(pass_, position, message, current, shrunk, function)
        current = after
    return None


def _ask(fault: Fault, before: AnyModule, after: AnyModule) -> str | None:
    """Return what ``fault`` says is wrong."""
    message: object = fault(before, after)  # still to be checked
    if message is None or isinstance(message, str):
        return message
    raise PassError(f"a fault must return what is wrong, as a str, or None; found {message!r}")


def _run(pass_: Pass, mod: M) -> tuple[M, Exception | None]:
    """Return what the pass makes of ``mod``, and what it raised instead."""
    try:
        return pass_(mod), None
    except ContradictionError:
        raise  # an operator is at fault, whichever pass was the first to compute with it
    except Exception as error:  # noqa: BLE001 - whatever a pass raises is what is looked for
        return mod, error


def _silence(pass_: Pass) -> Pass:
    """Return the pass as it is run again and again: it neither traces nor writes files."""
    info = pass_.info
    if info.common is NOTHING_ASKED:
        return pass_
    return pass_.with_info(dataclasses.replace(info, common=info.common.silenced()))


def _find_function(pass_: Pass, current: M, mod: M, fault: Fault) -> str | None:
    """Return the first function with whose transformation something is wrong.

    The number of functions is halved that the pass, by ``skip_after``, leaves as they are.
    """
    if not isinstance(pass_, AnyFunctionPass):
        return None

    def is_wrong(number: int) -> bool:
        after, error = _run(pass_.with_common(skip_after=number), current)
        return error is not None or (after is not current and _ask(fault, mod, after) is not None)

    names = [current.name_of(key) for key in current.functions_of(pass_.takes)]
    found = bisect_left(range(1, len(names) + 1), True, key=is_wrong)
    return names[found] if found < len(names) else None


def _origin(error: Exception) -> tuple[type[Exception], CodeType, int]:
    """Return what tells errors apart: the class, and the line of code that raised it."""
    traceback = error.__traceback__
    assert traceback is not None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return type(error), traceback.tb_frame.f_code, traceback.tb_lineno


def _shrink(pass_: Pass, mod: M, fault: Fault, most_tries: int) -> M:
    """Return a small program on which the pass alone does what it did."""
    after, raised = _run(pass_, mod)
    origin = None if raised is None else _origin(raised)
    if not most_tries or (origin is None and fault(mod, after) is None):
        return mod

    def still(smaller: M) -> bool:
        made, error = _run(pass_, smaller)
        if error is not None:
            return _origin(error) == origin
        return origin is None and not fault(smaller, smaller) and bool(fault(smaller, made))

    return shrink(mod, still, most_tries=most_tries)
