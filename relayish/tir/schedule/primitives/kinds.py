"""Primitives that say how a loop is run: in parallel, as vectors, unrolled, on a device."""

from __future__ import annotations

from relayish.errors import FieldError, ScheduleError
from relayish.ir.kinds.one_line import show_found
from relayish.tir.builders.stmt import bind_info_of
from relayish.tir.ir.flags import DeviceAPI, ForType, VectorizeInfo
from relayish.tir.ir.stmt import For
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.legality import check_at_once
from relayish.tir.schedule.nests import loop_at
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps


class KindSteps(Steps):
    """Methods that say how a loop is run."""

    def parallel(self, loop: LoopRV) -> None:
        """Run the iterations of a loop in parallel.

        Raises:
            ScheduleError: If one depends on another: which accesses.

        Source:
            CINN ``IRSchedule::Parallel``, TVM ``parallel``.
        """
        self.apply("parallel", loop)

    def vectorize(self, loop: LoopRV, factor: int | None = None) -> None:
        """Run iterations of a loop as the lanes of vectors.

        Args:
            loop: A loop whose iterations do not depend on others so near.
            factor: How many lanes a vector has; by default as many as there are iterations.

        Raises:
            ScheduleError: If an iteration depends on another of the same vector: which accesses.

        Source:
            CINN ``IRSchedule::Vectorize``, TVM ``vectorize``.
        """
        self.apply("vectorize", loop, factor)

    def unroll(self, loop: LoopRV) -> None:
        """Unroll a loop: the pass ``UnrollLoop``, and compilers, write its iterations out.

        Source:
            CINN ``IRSchedule::Unroll``, TVM ``unroll``.
        """
        self.apply("unroll", loop)

    def bind(self, loop: LoopRV, thread: str) -> None:
        """Let an index of the device run the iterations of a loop.

        Args:
            loop: A loop whose iterations do not depend on one another.
            thread: ``"blockIdx.x"``, ``"threadIdx.z"``, ...

        Raises:
            ScheduleError: If an iteration depends on another: which accesses.

        Source:
            CINN ``IRSchedule::Bind``, TVM ``bind``.
        """
        self.apply("bind", loop, thread)


@primitive("parallel")
def parallel(state: State, loop: Ref) -> None:
    """Mark a loop as parallel."""
    _mark(state, loop, _serial(loop).with_fields(for_type=ForType.PARALLEL))


@primitive("vectorize")
def vectorize(state: State, loop: Ref, factor: int | None = None) -> None:
    """Mark a loop as vectorised."""
    stmt = _serial(loop)
    lanes = getattr(stmt.extent, "value", None) if factor is None else factor
    if not isinstance(lanes, int) or lanes < 1:
        raise ScheduleError(
            f"loop {stmt.loop_var.name} cannot have {show_found(lanes)} lanes; expected a positive "
            f"factor{', since its extent is no number' if factor is None else ''}"
        )
    info = VectorizeInfo(0, int(lanes))
    _mark(state, loop, stmt.with_fields(for_type=ForType.VECTORIZED, vectorize_info=info))


@primitive("unroll")
def unroll(state: State, loop: Ref) -> None:
    """Mark a loop as unrolled."""
    state.replace(loop, _serial(loop).with_fields(for_type=ForType.UNROLLED))


@primitive("bind")
def bind(state: State, loop: Ref, thread: str) -> None:
    """Bind a loop to an index of the device."""
    stmt = _serial(loop)
    try:
        info = bind_info_of(thread)
    except FieldError as error:
        raise ScheduleError(str(error)) from error
    for outer in loop.ancestors():
        if isinstance(outer.stmt, For) and outer.stmt.bind_info == info:
            raise ScheduleError(
                f"loop {outer.stmt.loop_var.name}, around {stmt.loop_var.name}, is bound to "
                f"{thread} already; an index has one value at a time"
            )
    made = stmt.with_fields(for_type=info.for_type, bind_info=info, device_api=DeviceAPI.GPU)
    _mark(state, loop, made)


def _serial(ref: Ref) -> For:
    """Return the loop at a place, of which nothing is said yet."""
    stmt = loop_at(ref)
    if stmt.for_type not in (ForType.SERIAL, ForType.DEFAULT):
        raise ScheduleError(
            f"loop {stmt.loop_var.name} is {stmt.for_type.name} already; expected a serial loop"
        )
    return stmt


def _mark(state: State, loop: Ref, image: For) -> None:
    """Put a loop of another kind where one is, if its iterations may be run so."""
    check_at_once(image, state.context(loop))
    state.replace(loop, image)
