"""Errors of programs that are run: what is raised, and what says where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from operator import attrgetter
from types import FrameType
from typing import Any, Final, NoReturn

from relayish.errors import EvaluationError, OutOfBoundsError, UninitialisedReadError, add_note
from relayish.ir.fields.naming import name_of
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.interpreter.memory import show
from relayish.tir.interpreter.unit import Call, Unit

SHOWN_CALLS: Final = 20
"""How many units under way are looked at for the variables of loops."""

SHOWN_VARIABLES: Final = 8
"""How many variables of loops an error shows."""

NEAR_NODES: Final = 200
"""How many nodes of the place are looked at for variables to show."""


class Refusal:
    """An error that is raised where what it is about is reached."""

    __slots__ = ("kind", "message")

    def __init__(self, error: EvaluationError) -> None:
        self.kind = type(error)
        self.message = str(error)


def refuse(refusal: Refusal) -> NoReturn:
    """Raise what was found while compiling."""
    raise refusal.kind(refusal.message)


def outside(name: str, indices: Sequence[int], shape: Sequence[int]) -> NoReturn:
    """Raise for indices that are out of range of a tensor."""
    for axis, (index, size) in enumerate(zip(indices, shape, strict=True)):
        if not 0 <= index < size:
            expected = f"expected 0 to {size - 1}" if size > 0 else "it has no element"
            raise OutOfBoundsError(
                f"index {index} is out of range in dimension {axis} of {name} of shape "
                f"{show(shape)}; {expected}"
            )
    raise AssertionError


def beyond(name: str, indices: Sequence[int], memory: str, at: int, size: int) -> NoReturn:
    """Raise for an element that is outside of the memory of the buffer."""
    raise OutOfBoundsError(
        f"element {show(indices)} of {name} is element {at} of buffer {memory}, which has {size}; "
        f"the view reaches beyond its buffer"
    )


def unread(name: str, indices: Sequence[int]) -> NoReturn:
    """Raise for an element that holds nothing yet."""
    raise UninitialisedReadError(
        f"element {show(indices)} of {name} is read before anything was stored to it"
    )


def unset(name: str) -> NoReturn:
    """Raise for a variable that has no value yet."""
    raise UninitialisedReadError(f"variable {name} is read before it has a value; store one first")


def add_place(error: BaseException, stack: Sequence[Call]) -> None:
    """Say on an error where it came up: the node, and the variables of the loops around it.

    Args:
        error: What is going to be raised.
        stack: The units under way that wait for others.
    """
    lines: dict[FrameType, int] = {}
    for call in stack[-SHOWN_CALLS:]:
        waiting = getattr(call, "gi_frame", None)  # of generators alone
        if isinstance(waiting, FrameType):
            lines[waiting] = waiting.f_lineno
    trace = error.__traceback__
    while trace is not None:
        lines[trace.tb_frame] = trace.tb_lineno
        trace = trace.tb_next
    place: Node | None = None
    values: dict[Node, object] = {}
    for frame, line in reversed(lines.items()):
        unit = _unit_of(frame)
        if unit is not None:
            if place is None:
                place = unit.nodes[line] if line < len(unit.nodes) else None
            values = {**_values(unit, frame, line), **values}
    _say(error, place, values)


def _say(error: BaseException, place: Node | None, values: dict[Node, object]) -> None:
    where = "" if place is None else f", in {quote(place)}"
    shown = [f"{name_of(var)} = {values[var]}" for var in _choose(place, values)]
    known = f", with {', '.join(shown)}" if shown else ""
    if isinstance(error, EvaluationError) and error.args:
        error.args = (f"{error.args[0]}{where}{known}", *error.args[1:])
    elif where:
        add_note(error, f"while running{where[1:]}{known}")


def _choose(place: Node | None, values: dict[Node, object]) -> list[Node]:
    """Return the variables to show, outermost first: those at the place, then the innermost."""
    near = [] if place is None else islice(PROGRAM.pre_order(place), NEAR_NODES)
    ranked = [node for node in near if node in values]
    ranked += [var for var in reversed(values) if var not in ranked]
    chosen = set(ranked[:SHOWN_VARIABLES])
    return [var for var in values if var in chosen]


def _unit_of(frame: FrameType) -> Unit | None:
    found: Any = frame.f_globals.get("__unit__")  # Any: globals hold anything
    return found if isinstance(found, Unit) else None


def _values(unit: Unit, frame: FrameType, line: int) -> dict[Node, object]:
    """Return the variables whose scope a line is in, outermost first."""
    numbers = unit.line_numbers()
    last = len(unit.nodes)
    shown: dict[Node, object] = {}
    for watched in sorted(unit.watched, key=attrgetter("first")):
        first = min([n for at, n in numbers.items() if at >= watched.first], default=last)
        end = min([n for at, n in numbers.items() if at >= watched.end], default=last)
        if first <= line < end and watched.local in frame.f_locals:
            shown[watched.var] = frame.f_locals[watched.local]
    return shown
