"""``tir.Schedule``: loops transformed on purpose, each step checked and recorded.

Programs stay what they are: a schedule holds the current function, and each primitive makes the
next. What a primitive may not do is refused, by dependences between accesses, with the two that
are in the way.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from relayish.errors import ScheduleError, UnknownNameError, add_note, suggest
from relayish.ir.kinds.one_line import show_found
from relayish.ir.relay.module import IRModule
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.schedule.handles import BlockRV, ExprRV, Handle, LoopRV
from relayish.tir.schedule.primitives.annotations import AnnotationSteps
from relayish.tir.schedule.primitives.caching import CachingSteps
from relayish.tir.schedule.primitives.compute_location import LocationSteps
from relayish.tir.schedule.primitives.factoring import FactoringSteps
from relayish.tir.schedule.primitives.flattening import FlatteningSteps
from relayish.tir.schedule.primitives.inlining import InliningSteps
from relayish.tir.schedule.primitives.kinds import KindSteps
from relayish.tir.schedule.primitives.layout import LayoutSteps
from relayish.tir.schedule.primitives.loops import LoopSteps
from relayish.tir.schedule.primitives.memory import MemorySteps
from relayish.tir.schedule.primitives.merging import MergingSteps
from relayish.tir.schedule.primitives.neighbours import NeighbourSteps
from relayish.tir.schedule.primitives.padding import PaddingSteps
from relayish.tir.schedule.primitives.partition import PartitionSteps
from relayish.tir.schedule.primitives.queries import QuerySteps
from relayish.tir.schedule.primitives.reductions import ReductionSteps
from relayish.tir.schedule.primitives.sampling import SamplingSteps
from relayish.tir.schedule.primitives.tensorize import TensorizeSteps
from relayish.tir.schedule.primitives.transforms import TransformSteps
from relayish.tir.schedule.registry import bind_arguments, find_primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Sampled
from relayish.tir.schedule.trace import DECISION, Step, StepSequence, decode, encode
from relayish.tir.text import astext


class Schedule(
    QuerySteps,
    LoopSteps,
    FlatteningSteps,
    PartitionSteps,
    KindSteps,
    ReductionSteps,
    TensorizeSteps,
    TransformSteps,
    AnnotationSteps,
    SamplingSteps,
    LocationSteps,
    InliningSteps,
    MergingSteps,
    NeighbourSteps,
    FactoringSteps,
    CachingSteps,
    MemorySteps,
    LayoutSteps,
    PaddingSteps,
):
    """A function of loops, or a module of them, that is transformed step by step.

    Handles of loops and blocks follow what becomes of these in later steps; a handle of one that is
    gone says in which step it went. A step that is refused changes nothing.

    Attributes:
        program: What it was made of, as it was.
        trace: The steps that were taken.
        random: What sampling draws from.
        exact: Whether floats have to be the same, bit for bit: schedules by name ask.

    Args:
        program: A function, or a module of functions, CINN's or of definitions.
        name: The function of a module; not needed where there is one only.
        seed: What sampling begins with; the same seed draws the same.
        exact: Whether floats have to be the same, bit for bit.

    Raises:
        ScheduleError: If ``program`` is neither, or ``name`` does not say which of its functions.

    Source:
        CINN ``IRSchedule``, TVM ``tir.Schedule``.

    Example:
        >>> from relayish import tir
        >>> A = tir.placeholder("A", (64,))
        >>> B = tir.compute((64,), lambda i: A[i] * 2, "B")
        >>> schedule = Schedule(tir.lower("double", [A, B]))
        >>> outer, inner = schedule.split(schedule.get_loops("B")[0], [-1, 8])
        >>> schedule.parallel(outer)
        >>> print(schedule.trace)
        schedule = tir.Schedule(func)
        i, = schedule.get_loops(block='B')
        i_0, i_1 = schedule.split(loop=i, factors=[-1, 8])
        schedule.parallel(loop=i_0)
    """

    def __init__(
        self,
        program: LoweredFunc | Module | IRModule,
        name: str | None = None,
        *,
        seed: int | None = None,
        exact: bool = True,
    ) -> None:
        self.program = program
        self.exact = exact
        self._name, func = _function_of(program, name)
        self.random = Random(seed)  # noqa: S311 - no secret
        self.trace = Trace()
        self._state = State(func)
        self._state.random = self.random
        self._funcs = [self._state.func]

    @property
    def func(self) -> LoweredFunc:
        """The function as it is now."""
        return self._state.func

    @property
    def has_changed(self) -> bool:
        """Whether a step has changed the function; queries are steps that do not."""
        return self.func is not self._funcs[0]

    @property
    def mod(self) -> Module | IRModule:
        """The module with the function as it is now; of a function alone, one that has it."""
        program = self.program
        if isinstance(program, LoweredFunc):
            return IRModule({self.func.name: self.func})
        if isinstance(program, Module):
            held = [self.func if f.name == self._name else f for f in program.functions]
            return program.with_fields(functions=tuple(held))
        return program.with_functions({self._name: self.func})

    @property
    def state(self) -> State:
        """What primitives change; for those that other packages add."""
        return self._state

    def apply(self, name: str, /, *args: Any, **kwargs: Any) -> Any:  # Any: as the primitive says
        """Take a step by the name of its primitive, which may be another package's.

        Returns:
            What its method would.

        Raises:
            ScheduleError: If the step is refused; nothing is changed then.
            UnknownNameError: If there is no such primitive.
        """
        given = bind_arguments(name, args, kwargs)
        recorded = encode(given)
        state, mark = self._state, self._state.mark()
        state.step = f"step {len(self.trace.steps)}, {name}"
        try:
            made = find_primitive(name)(state, **_to_refs(given, state))
        except BaseException as error:
            state.undo(mark)
            if isinstance(error, ScheduleError):
                add_note(error, f"in {state.step}; the schedule is as it was before")
            raise
        if isinstance(made, Sampled):
            recorded = {**recorded, DECISION: encode(made.decision)}
            made = list(made.values) if made.is_list else made.values[0]
        number = len(self.trace.steps)
        results = made if isinstance(made, list) else [] if made is None else [made]
        handles = [_to_handle(each, (number, at)) for at, each in enumerate(results)]
        hints = tuple([_hint(each) for each in results])
        self.trace = self.trace.with_step(Step(name, recorded, hints, isinstance(made, list)))
        self._funcs.append(state.func)
        if isinstance(made, list):
            return handles
        return handles[0] if handles else None

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Take steps that may be refused: if one is, all of them are undone, and no error raised.

        Whether they were taken is told by :attr:`func`, or by what the body does last.

        Example:
            >>> from relayish import tir
            >>> A = tir.placeholder("A", (6,))
            >>> schedule = Schedule(tir.lower("f", [A, tir.compute((6,), lambda i: A[i], "B")]))
            >>> with schedule.attempt():
            ...     outer, inner = schedule.split(schedule.get_loops()[0], [2, 3])
            ...     schedule.vectorize(inner, 0)
            >>> schedule
            <Schedule of f, 0 steps>
        """
        mark, trace, count = self._state.mark(), self.trace, len(self._funcs)
        try:
            yield
        except BaseException as error:
            self._state.undo(mark)
            self.trace = trace
            del self._funcs[count:]
            if not isinstance(error, ScheduleError):
                raise

    def replay(self, trace: Trace, *, without_post_schedule: bool = False) -> None:
        """Take the steps of a trace, made of this function or of another of the same blocks.

        What was drawn is not drawn again.

        Args:
            trace: The steps.
            without_post_schedule: Stop at the first ``tag_post_schedule``.

        Raises:
            ScheduleError: If a step is refused: which, and why. Steps before it are taken.

        Source:
            CINN ``ScheduleDesc::Replay``.
        """
        results: list[Sequence[Any]] = []
        for step in trace.steps:
            if without_post_schedule and step.name == "tag_post_schedule":
                return
            made = self.apply(step.name, **decode(dict(step.args), results))
            results.append(made if isinstance(made, list) else [made])

    def diff(self, before: int = -2, after: int = -1) -> str:
        """Return how the program after one step differs from that after another, as unified diff.

        Args:
            before: How many steps had been taken; -2: but the last.
            after: The same of the other program; -1: all.
        """
        old, new = [astext(self._funcs[each]).splitlines() for each in (before, after)]
        one, other = [f"after {each % len(self._funcs)} steps" for each in (before, after)]
        return "\n".join(difflib.unified_diff(old, new, one, other, lineterm=""))

    def __repr__(self) -> str:
        """How far it is."""
        return f"<Schedule of {self.func.name}, {len(self.trace.steps)} steps>"


@dataclass(frozen=True, slots=True)
class Trace(StepSequence):
    """The steps of a schedule; ``print`` shows Python that takes them.

    Attributes:
        steps: In order.

    Source:
        CINN ``ScheduleDesc``, TVM ``Trace``.
    """

    def replay(
        self,
        program: LoweredFunc | Module | IRModule,
        name: str | None = None,
        *,
        without_post_schedule: bool = False,
    ) -> Schedule:
        """Return a schedule of a function that takes the steps, as :meth:`Schedule.replay` does.

        Raises:
            ScheduleError: If a step is refused: which, and why.
        """
        found = Schedule(program, name)
        found.replay(self, without_post_schedule=without_post_schedule)
        return found


def _function_of(
    program: LoweredFunc | Module | IRModule, name: str | None
) -> tuple[str, LoweredFunc]:
    """Return the function that is scheduled, and its name."""
    if isinstance(program, LoweredFunc):
        return program.name, program
    if isinstance(program, Module):
        known: Mapping[str, Any] = {func.name: func for func in program.functions}
    elif isinstance(program, IRModule):
        known = {var.name_hint: f for var, f in program.functions_of(LoweredFunc).items()}
    else:
        raise ScheduleError(
            f"a schedule is of a function of loops, or a module of them; found "
            f"{show_found(program)}; expected what tir.lower returns"
        )
    if name is None and len(known) == 1:
        name = next(iter(known))
    if name is None:
        raise ScheduleError(
            f"the module has {len(known)} functions of loops; expected the name of one: "
            f"{', '.join(sorted(known)) or 'there is none'}"
        )
    if name not in known:
        raise UnknownNameError(f"no function of loops is called {name!r}{suggest(name, known)}")
    return name, known[name]


def _to_refs(given: Any, state: State) -> Any:  # Any: arguments
    """Return arguments with places for handles, all of which have to stand."""
    if isinstance(given, Handle):
        if given.ref.state is not state:
            raise ScheduleError(f"{given!r} is of another schedule; ask this one for its own")
        given.ref.current()
        return given.ref
    if isinstance(given, Mapping):
        return {name: _to_refs(each, state) for name, each in given.items()}
    if isinstance(given, (list, tuple)) and not hasattr(given, "_fields"):
        return [_to_refs(each, state) for each in given]
    return given


def _to_handle(made: object, origin: tuple[int, int]) -> Handle | ExprRV:
    """Return what stands for a result of a step."""
    if isinstance(made, Ref):
        return (LoopRV if isinstance(made.stmt, For) else BlockRV)(made, origin)
    assert isinstance(made, int)
    return ExprRV.made(made, origin)


def _hint(made: object) -> str:
    """Return a name for a result."""
    if not isinstance(made, Ref):
        return "n"
    if isinstance(made.stmt, For):
        return made.stmt.loop_var.name
    assert isinstance(made.stmt, ScheduleBlockRealize)
    return made.stmt.schedule_block.name
