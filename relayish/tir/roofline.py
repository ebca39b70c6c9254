"""The roofline model: what a function of loops can reach at best, by arithmetic and by memory.

A nest that does ``x`` flops for each byte that it touches can do no more than ``x`` times the
bandwidth of memory, and no more than the peak of arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from relayish._support.columns import align
from relayish._support.display import repr_mimebundle
from relayish.tir.analysis.work.count_work import count_work
from relayish.tir.analysis.work.work import Footprint, LoopWork, Operations, bytes_of
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Var
from relayish.tir.machine import Machine, known_machine


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """A function, or an outermost nest of loops in it.

    Attributes:
        name: Of the function; of a nest its variable, with the buffers that it writes.
        flops: Its floating-point operations.
        bytes: The distinct bytes that it touches: what has to be moved at least.
        is_exact: Whether both are the numbers themselves; else they are upper bounds.
        seconds: How long it took, where that was measured.
    """

    name: str
    flops: int
    bytes: int
    is_exact: bool
    seconds: float | None = None

    @property
    def intensity(self) -> float:
        """Flops for each byte; 0 where nothing is touched."""
        return self.flops / self.bytes if self.bytes else 0.0

    @property
    def reached(self) -> float | None:
        """Flops each second, where the time was measured."""
        return None if not self.seconds else self.flops / self.seconds

    def least_seconds(self, machine: Machine) -> float:
        """Return how long it takes at least: to compute, or to move."""
        return max(self.flops / machine.flops, self.bytes / machine.bandwidth)

    def is_bound_by_memory(self, machine: Machine) -> bool:
        """Return whether moving takes longer than computing."""
        return self.intensity < machine.ridge


@dataclass(frozen=True, slots=True)
class Roofline:
    """A function below the roof of a machine.

    Printed, it is a table; :func:`relayish.draw.plot` makes a picture.

    Attributes:
        name: The function.
        points: The function, then its outermost nests, if there are several.
        machine: The machine; ``None``: nothing is known of one.
    """

    name: str
    points: tuple[RooflinePoint, ...]
    machine: Machine | None

    _repr_mimebundle_ = repr_mimebundle

    def __str__(self) -> str:
        rows = [_HEAD, *[_row(point, self.machine) for point in self.points]]
        told = "no machine is known: tir.measure_machine() measures this one, once"
        if self.machine is not None:
            told = f"machine: {self.machine}; ridge at {self.machine.ridge:.3g} flops/byte"
        return "\n".join([*align(rows, right=(1, 2, 3, 5, 6, 7)), told])


def roofline(
    func: LoweredFunc,
    measured: float | None = None,
    machine: Machine | None = None,
    *,
    sizes: Mapping[Var | str, int] | None = None,
) -> Roofline:
    """Return what ``func`` can reach at best, and what it reached.

    Args:
        func: The function.
        measured: How many seconds a run of it took, as :func:`measure_time` tells.
        machine: What it runs on; by default this one, if :func:`measure_machine` was called on it
            some time.
        sizes: Values of scalars that it is given.

    Raises:
        EvaluationError: If sizes that are not known decide what it does.

    Complexity:
        That of :func:`relayish.tir.analysis.count_work`.

    Example:
        >>> from relayish import tir
        >>> A = tir.placeholder("A", (1000,))
        >>> func = tir.lower("double", [A, tir.compute((1000,), lambda i: A[i] * 2, "B")])
        >>> print(roofline(func, 1e-6, tir.Machine(flops=1e11, exact_flops=5e10, bandwidth=1e10)))
        NAME    FLOPS  BYTES  FLOPS/BYTE  LIMIT    AT LEAST  MEASURED        REACHED
        double  1,000  8,000       0.125  memory  0.0008 ms  0.001 ms  1 Gflop/s 80%
        machine: 100 Gflop/s (50 exactly rounded), 10 GB/s; ridge at 10 flops/byte
    """
    work = count_work(func, sizes)
    points = [_point(func.name, work.operations, work.footprints, measured)]
    nests = [loop for loop in work.loops if not loop.depth]
    if len(nests) > 1:
        points += [_point(_name(each), each.operations, each.footprints) for each in nests]
    return Roofline(func.name, tuple(points), known_machine() if machine is None else machine)


def _name(nest: LoopWork) -> str:
    """Return what a nest is called: by its loop, and by what it writes."""
    written = [each.buffer.name for each in nest.footprints if each.writes.terms]
    return f"{nest.name} ({', '.join(written)})" if written else nest.name


def _point(
    name: str, done: Operations, touched: Sequence[Footprint], seconds: float | None = None
) -> RooflinePoint:
    flops, moved = done.flops, bytes_of(touched)
    is_exact = flops.is_exact and moved.is_exact
    return RooflinePoint(name, int(flops), int(moved), is_exact, seconds)


_HEAD: Final = (
    *("NAME", "FLOPS", "BYTES", "FLOPS/BYTE"),
    *("LIMIT", "AT LEAST", "MEASURED", "REACHED"),
)


def _row(point: RooflinePoint, machine: Machine | None) -> tuple[str, ...]:
    bound = "" if point.is_exact else "<="
    row = [point.name, f"{bound}{point.flops:,}", f"{bound}{point.bytes:,}"]
    row.append(f"{point.intensity:.3g}")
    if machine is None:
        row += ["", ""]
    else:
        limit = "memory" if point.is_bound_by_memory(machine) else "arithmetic"
        row += [limit, _milliseconds(point.least_seconds(machine))]
    row.append("" if point.seconds is None else _milliseconds(point.seconds))
    reached = "" if point.reached is None else f"{point.reached / 1e9:.3g} Gflop/s"
    if machine is not None and point.seconds:
        reached += f" {point.least_seconds(machine) / point.seconds:.0%}"
    return (*row, reached)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms"
