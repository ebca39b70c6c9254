"""Traces: the steps of a schedule, as Python that takes them again, as JSON, and replayed."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Self, TypeAlias

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import show_found
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.tir.schedule.handles import ExprRV, Handle

FORMAT: Final = "relayish schedule trace 1"
"""What a trace as JSON begins with."""

Json: TypeAlias = Any  # what json reads and writes

DECISION: Final = "decision"
"""The argument of a sampling step that says what was drawn."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a step takes: the result of an earlier one.

    Attributes:
        step: The number of that step.
        index: The number among its results.
    """

    step: int
    index: int


@dataclass(frozen=True, slots=True)
class Step:
    """A primitive, and what it was given.

    Attributes:
        name: Of the primitive.
        args: Its arguments by name; results of earlier steps as :class:`Result`.
        results: Names for its results.
        is_list: Whether it returns a list of them.
    """

    name: str
    args: Mapping[str, Any]  # Any: plain values, results, and what VALUES knows
    results: tuple[str, ...] = ()
    is_list: bool = False


class ValueForm(NamedTuple):
    """How values of a class are written, and read.

    Attributes:
        name: Of the class, in JSON.
        to_json: Makes of a value what JSON has.
        from_json: Makes a value of that.
        to_python: Makes of a value an expression of Python, where ``tir`` is known.
    """

    name: str
    to_json: Callable[[Any], Json]
    from_json: Callable[[Json], Any]
    to_python: Callable[[Any], str]


VALUES: Final[ClaimedTable[type[Any], ValueForm]] = ClaimedTable(
    lambda kind: f"the form of {kind.__name__} in traces"
)
"""By class, how values are written that are neither plain nor results of steps."""


@dataclass(frozen=True, slots=True)
class StepSequence:
    """Steps in order; ``print`` shows Python that takes them.

    Attributes:
        steps: In order.
    """

    steps: tuple[Step, ...] = ()

    def with_step(self, step: Step) -> Self:
        """Return the trace with one more step."""
        return replace(self, steps=(*self.steps, step))

    def with_decisions(self, decisions: Mapping[int, Any]) -> Self:
        """Return the trace with other draws in some of its sampling steps, by their numbers.

        Raises:
            ScheduleError: If a step draws nothing.
        """
        steps = list(self.steps)
        for number, decision in decisions.items():
            step = steps[number] if 0 <= number < len(steps) else None
            if step is None or DECISION not in step.args:
                raise ScheduleError(
                    f"step {number} of the trace draws nothing; expected one of "
                    f"{', '.join(map(str, self.decisions())) or 'which there are none'}"
                )
            steps[number] = replace(step, args={**step.args, DECISION: decision})
        return replace(self, steps=tuple(steps))

    def decisions(self) -> dict[int, Any]:
        """Return what was drawn, by the number of the step."""
        return {
            number: step.args[DECISION]
            for number, step in enumerate(self.steps)
            if DECISION in step.args
        }

    def to_json(self) -> str:
        """Return the trace as JSON, one step a line."""
        steps = [
            json.dumps(
                {
                    "name": step.name,
                    "args": {name: _to_json(value) for name, value in step.args.items()},
                    "results": list(step.results),
                    **({"list": True} if step.is_list else {}),
                }
            )
            for step in self.steps
        ]
        lines = ",\n  ".join(steps)
        return f'{{"format": {json.dumps(FORMAT)}, "steps": [\n  {lines}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the trace that :meth:`to_json` wrote.

        Raises:
            ScheduleError: If it is none: what is wrong with it.
        """
        try:
            given = json.loads(text)
        except ValueError as error:
            raise ScheduleError(f"the trace is no JSON: {error}") from error
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise ScheduleError(
                f"the JSON is no trace: expected an object whose format is {FORMAT!r}; found "
                f"{show_found(given)}"
            )
        steps = given.get("steps")
        if not isinstance(steps, list):
            raise ScheduleError(f"the steps of the trace are {show_found(steps)}; expected a list")
        return cls(tuple([_step(number, each) for number, each in enumerate(steps)]))

    def __str__(self) -> str:
        """Python that makes the same schedule of ``func``."""
        names = _Names()
        lines = ["schedule = tir.Schedule(func)"]
        for step in self.steps:
            given = [f"{name}={names.spell(value)}" for name, value in step.args.items()]
            call = f"schedule.{step.name}({', '.join(given)})"
            made = names.of_results(step)
            if step.is_list and made:
                lines.append(f"{', '.join(made)}{',' if len(made) == 1 else ''} = {call}")
            else:
                lines.append(f"{made[0]} = {call}" if made else call)
        return "\n".join(lines)


def encode(value: Any) -> Any:  # Any: arguments, and what a step says of them
    """Return an argument as a step records it: handles as the results that they are.

    Raises:
        ScheduleError: If a trace cannot say it.
    """
    if isinstance(value, (Handle, ExprRV)):
        return Result(*value.origin)
    if isinstance(value, Mapping):
        return {str(name): encode(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)) and type(value) not in VALUES:
        return [encode(each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)) or type(value) in VALUES:
        return value
    raise ScheduleError(
        f"a step cannot be given {show_found(value)}, which no trace can say; expected numbers, "
        f"text, lists of these, handles, or a class that VALUES of relayish.tir.schedule.trace "
        f"knows"
    )


def decode(value: Any, results: Sequence[Sequence[Any]]) -> Any:  # Any: as above
    """Return an argument for a step that is taken again, given the results of those before.

    Raises:
        ScheduleError: If it names a result that there is not.
    """
    if isinstance(value, Result):
        if value.step >= len(results) or value.index >= len(results[value.step]):
            raise ScheduleError(
                f"the trace takes result {value.index} of step {value.step}, which there is not; "
                f"the steps before make {[len(each) for each in results]}"
            )
        return results[value.step][value.index]
    if isinstance(value, Mapping):
        return {name: decode(each, results) for name, each in value.items()}
    if isinstance(value, list):
        return [decode(each, results) for each in value]
    return value


def _to_json(value: Any) -> Json:  # Any: what encode returns
    if isinstance(value, Result):
        return {"result": [value.step, value.index]}
    if isinstance(value, Mapping):
        return {"dict": {name: _to_json(each) for name, each in value.items()}}
    if isinstance(value, list):
        return [_to_json(each) for each in value]
    form = VALUES.get(type(value))
    return value if form is None else {"value": form.name, "of": form.to_json(value)}


def _from_json(given: Json) -> Any:  # Any: what encode returns
    if isinstance(given, list):
        return [_from_json(each) for each in given]
    if not isinstance(given, dict):
        return given
    if "result" in given:
        step, index = given["result"]
        return Result(int(step), int(index))
    if "dict" in given:
        return {name: _from_json(each) for name, each in given["dict"].items()}
    forms = {form.name: form for form in VALUES.values()}
    return forms[given["value"]].from_json(given["of"])


def _step(number: int, given: Json) -> Step:
    """Return a step that JSON says."""
    try:
        args = {str(name): _from_json(value) for name, value in given["args"].items()}
        results = tuple([str(each) for each in given.get("results", ())])
        return Step(str(given["name"]), args, results, bool(given.get("list")))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ScheduleError(
            f"step {number} of the trace is {show_found(given)}, which is none: {error!r}; "
            f"expected an object with a name, and args by name"
        ) from error


class _Names:
    """Gives results names that are Python's, each once."""

    def __init__(self) -> None:
        self._taken = {"schedule", "func", "tir"}
        self._names: dict[Result, str] = {}
        self._count = 0

    def of_results(self, step: Step) -> list[str]:
        """Return names for the results of the next step."""
        number = self._count
        self._count += 1
        for index, hint in enumerate(step.results):
            self._names[Result(number, index)] = self._fresh(hint)
        return [self._names[Result(number, index)] for index in range(len(step.results))]

    def spell(self, value: Any) -> str:  # Any: what encode returns
        """Return an expression of Python for an argument."""
        if isinstance(value, Result):
            return self._names[value]
        if isinstance(value, Mapping):
            held = [f"{name!r}: {self.spell(each)}" for name, each in value.items()]
            return f"{{{', '.join(held)}}}"
        if isinstance(value, list):
            return f"[{', '.join([self.spell(each) for each in value])}]"
        form = VALUES.get(type(value))
        return repr(value) if form is None else form.to_python(value)

    def _fresh(self, hint: str) -> str:
        name = re.sub(r"\W", "_", hint) or "_"
        if name[0].isdigit() or keyword.iskeyword(name):
            name = f"_{name}"
        found, number = name, 0
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found
