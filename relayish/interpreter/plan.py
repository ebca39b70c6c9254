"""Plans: the steps of a function in graph form, over registers.

A register is a place in a list. It holds a value from the step that computes it to the last one
that reads it, and then serves another, so nothing is held longer than needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from relayish.interpreter.value import Evaluated
from relayish.ir.relay.expr import Expr, Function, Var

ONE: Final = -1
"""Stands for the second operand of a step that has one operand."""
SEVERAL: Final = -2
"""Stands for the second operand of a step whose first one is the tuple of all of them."""
CALLED: Final = -3
"""As :data:`SEVERAL`, where what is called is another plan."""

Step: TypeAlias = tuple[Any, Any, int, Any, int, tuple[int, ...]]
"""``(function, attrs, place, left, right, dead)``.

The result of ``function(attrs, ...)`` on what is in the registers ``left`` and ``right`` goes to
the register ``place``; then ``dead`` are emptied. Any: a function or plan, its attributes, and a
register or several.
"""


class Plan:
    """A function in graph form, ready to run.

    Attributes:
        function: What was planned.
        template: What the registers are copied from: constants, and room.
        places: The register of each parameter that is still to be given, ``-1`` for unused ones.
        params: These parameters.
        steps: What to do, in order.
        exprs: For each step the expression it was made from.
        result: The register of the result.
    """

    __slots__ = (
        "__weakref__",
        "exprs",
        "function",
        "params",
        "places",
        "result",
        "steps",
        "template",
    )

    def __init__(self, function: Function, params: tuple[Var, ...]) -> None:
        self.function = function
        self.params = params
        self.template: list[Evaluated] = []
        self.places: tuple[int, ...] = ()
        self.steps: list[Step] = []
        self.exprs: list[Expr] = []
        self.result = -1


Computation: TypeAlias = tuple[Any, Any, int, int, tuple[int, ...], Expr]
"""``(function, attrs, right, value, operands, expr)``: a step before its values have registers.

Values are numbers. ``right`` tells how the function takes its operands where they are not two, as
in :data:`Step`. Any: as there.
"""


def allocate_registers(
    plan: Plan,
    computations: Sequence[Computation],
    *,
    inputs: Sequence[int],
    known: Mapping[int, Evaluated],
    result: int,
) -> None:
    """Fill ``plan`` with steps in which a register stands for every value.

    Args:
        plan: What to fill.
        computations: What to do, in order.
        inputs: The values of its parameters.
        known: The values that are constants; each has a register of its own that is never reused.
        result: The value of the function.

    Complexity:
        Linear in computations and operands.
    """
    last = _find_last_uses(computations, known, result)
    place: dict[int, int] = {}
    template = plan.template
    free: list[int] = []
    for value in inputs:
        place[value] = len(template) if value in last else -1
        if value in last:
            template.append(None)
    plan.places = tuple([place[value] for value in inputs])
    for at, (function, attrs, right, value, operands, expr) in enumerate(computations):
        places: list[int] = []
        used_up: dict[int, None] = {}  # in order, each once
        for operand in operands:
            source = place.get(operand)
            if source is None:
                source = _constant_register(known[operand], operand, place, template)
            places.append(source)
            if last.get(operand) == at:
                used_up[source] = None
        if used_up:
            target, _ = used_up.popitem()
        elif free:
            target = free.pop()
        else:
            template.append(None)
            target = len(template) - 1
        place[value] = target
        if value not in last:  # nobody reads it
            used_up[target] = None
        free += used_up
        dead = tuple(used_up) if used_up else ()
        plan.steps.append((function, attrs, target, *_operands(places, right), dead))
        plan.exprs.append(expr)
    found = place.get(result)
    plan.result = (
        _constant_register(known[result], result, place, template) if found is None else found
    )


def _find_last_uses(
    computations: Sequence[Computation], known: Mapping[int, Evaluated], result: int
) -> dict[int, int]:
    """Return the position of the last step that reads each value; constants stay out."""
    last: dict[int, int] = {}
    for at, (_, _, _, _, operands, _) in enumerate(computations):
        for operand in operands:
            if operand not in known:
                last[operand] = at
    last[result] = len(computations)
    return last


def _constant_register(
    constant: Evaluated, value: int, place: dict[int, int], template: list[Evaluated]
) -> int:
    """Return a new register, which holds a constant from the beginning."""
    template.append(constant)
    place[value] = len(template) - 1
    return place[value]


def _operands(places: list[int], right: int) -> tuple[Any, int]:  # Any: as in Step
    if right >= 0:
        return places[0], places[1]
    return (places[0] if right == ONE else tuple(places)), right
