"""Schedules by name: functions that schedule whatever they find to do, with options."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

from relayish.errors import DeclarationError, add_note
from relayish.ir.relay.module import IRModule
from relayish.registry.named import Entry, Registry, summary_of
from relayish.registry.option import PassOption, parameter_options
from relayish.registry.source import EntryPointSource
from relayish.registry.syntax import is_name, parse_specs
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.schedule.schedule import Schedule

GROUP: Final = "relayish.schedules"
"""The group of entry points under which other packages name modules that register schedules."""

ScheduleRule: TypeAlias = Callable[[Schedule], None]
"""Takes steps with what it finds in a schedule; none where there is nothing for it."""

_Made = TypeVar("_Made", bound=Callable[..., None])


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ScheduleEntry(Entry[ScheduleRule]):
    """What the registry knows of one schedule.

    Attributes:
        description: One line.
        targets: What it is for; none: any.
    """

    what: ClassVar[str] = "schedule"

    name: str = dataclasses.field()  # else the property of the base were its default
    description: str
    targets: tuple[str, ...]
    options: tuple[PassOption, ...]
    factory: Callable[..., ScheduleRule]
    claimant: str

    @property
    def global_name(self) -> str:
        return self.name

    def is_for(self, target: str) -> bool:
        """Return whether it is for what is compiled for ``target``."""
        return not self.targets or target in self.targets


class ScheduleRegistry(Registry[ScheduleEntry]):
    """A table of schedules, and the sources from which it is filled when needed."""

    entry = ScheduleEntry
    listing = "tir.list_schedules() lists all"

    def key_of(self, name: str) -> str:
        return name.replace("_", "").lower()


SCHEDULES: Final = ScheduleRegistry()
"""The one registry of the process."""
SCHEDULES.add_source(EntryPointSource(GROUP, "schedules"))


def register_schedule(
    name: str,
    *,
    targets: Sequence[str] = (),
    description: str | None = None,
    replace: bool = False,
    registry: ScheduleRegistry = SCHEDULES,
) -> Callable[[_Made], _Made]:
    """Register a function that takes steps with a schedule under a name.

    Its keyword-only parameters are options, each with an annotation. The pass ``ApplySchedules``
    takes such names, and so does ``relay.build`` by way of it.

    Args:
        name: Of the schedule.
        targets: What it is for, ``"c"``, ``"cuda"``; none: any.
        description: One line; the first of the docstring if not given.
        replace: Take the name from whoever has it.
        registry: For tests and tools that keep a table of their own.

    Raises:
        DuplicateNameError: If somebody else claims the name; names both claimants.
        DeclarationError: If this is no such function, or no name.

    Example:
        >>> names = ScheduleRegistry()
        >>> @register_schedule("in_rows", registry=names)
        ... def in_rows(schedule: Schedule, *, rows: int = 4) -> None:
        ...     "Let outermost loops run in groups of rows."
        ...     for loop in schedule.get_loops()[:1]:
        ...         schedule.split(loop, [-1, rows])
        >>> names.get("in_rows").description
        'Let outermost loops run in groups of rows.'
    """
    if not is_name(name):
        raise DeclarationError(
            f"a schedule needs a name that can stand in a list, of letters, digits and _; found "
            f"{name!r}"
        )

    def declare(made: _Made) -> _Made:
        if not inspect.isfunction(made):
            raise DeclarationError(
                f"@register_schedule takes a function of a schedule; found {made!r}"
            )
        claimant = f"{made.__module__}.{made.__qualname__}"
        signature = inspect.signature(made)
        if not signature.parameters:
            raise DeclarationError(
                f"{claimant} takes nothing; expected a function of a schedule, and of options"
            )
        first, *others = signature.parameters.values()
        if any(each.kind is not each.KEYWORD_ONLY for each in others):
            raise DeclarationError(
                f"parameters of {claimant} beside {first.name} can be given by position; put them "
                f"behind a *, as options stand"
            )
        options = signature.replace(parameters=others)
        entry = ScheduleEntry(
            name,
            description or summary_of(made),
            tuple(targets),
            parameter_options(made, options, claimant, "schedule"),
            functools.partial(_with_options, made),
            claimant,
        )
        registry.add(entry, replace=replace, by=made)
        return made

    return declare


def _with_options(made: Callable[..., None], **options: Any) -> ScheduleRule:  # Any: as declared
    return functools.partial(made, **options)


def parse_schedules(text: str, target: str = "") -> tuple[ScheduleRule, ...]:
    """Return schedules as they are written: ``"in_rows{rows=8},vector_lanes"``.

    Args:
        text: Names, with options.
        target: Those that are for others are left out; ``""``: none.

    Raises:
        PipelineError: If the text does not follow the grammar of pipelines, or gives a schedule
            options it does not have; points at the place.
        UnknownNameError: If no schedule of a name is registered.
    """
    return tuple([rule for _, rule in _named(text, target)])


def _named(text: str, target: str) -> list[tuple[str, ScheduleRule]]:
    """Return schedules as they are written, each with its name."""
    specs = parse_specs(text, "a schedule") if text.strip() else ()
    entries = [(SCHEDULES.entry_of(spec, text), spec) for spec in specs]
    return [
        (entry.name, entry.build_written(spec, text))
        for entry, spec in entries
        if not target or entry.is_for(target)
    ]


def schedule_with(
    program: LoweredFunc | Module | IRModule,
    rules: str,
    *,
    name: str | None = None,
    target: str = "",
    exact: bool = True,
) -> Schedule:
    """Return a schedule of a function after the steps that schedules by name take.

    Args:
        program: A function, or a module of functions.
        rules: Names, with options, in order.
        name: The function of a module; not needed where there is one only.
        target: What is compiled for; schedules for others are left out. ``""``: none is.
        exact: Whether floats have to be the same, bit for bit; else sums may be added in another
            order.

    Raises:
        ScheduleError: If a schedule takes a step that is refused: which, and why.
        PipelineError, UnknownNameError: As :func:`parse_schedules`.

    Example:
        >>> from relayish import tir
        >>> A, B = tir.placeholder("A", (64, 32)), tir.placeholder("B", (32, 48))
        >>> k = tir.reduce_axis("k", 32)
        >>> C = tir.compute((64, 48), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
        >>> schedule = schedule_with(tir.lower("product", [A, B, C]), "contractions{rows=4}")
        >>> [loop.stmt.extent.value for loop in schedule.get_loops("C_stack_temp_buffer")]
        [3, 16, 32, 4, 16]
    """
    schedule = Schedule(program, name, exact=exact)
    for rule_name, rule in _named(rules, target):
        try:
            rule(schedule)
        except Exception as error:
            add_note(error, f"while {schedule.func.name} was scheduled by {rule_name}")
            raise
    return schedule


def list_schedules() -> tuple[str, ...]:
    """Return the names of all registered schedules, sorted; looks into every source."""
    return tuple([entry.name for entry in SCHEDULES.entries()])
