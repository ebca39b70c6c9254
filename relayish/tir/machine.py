"""Peaks of this machine: arithmetic and memory traffic that compiled loops reach, measured once."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from relayish._support.files import replace_file
from relayish._support.this_machine import cache_folder, processor
from relayish._support.version import VERSION
from relayish.errors import EvaluationError
from relayish.tir.analysis.work.count_work import count_work
from relayish.tir.build import build
from relayish.tir.builders.stmt import for_, store
from relayish.tir.builders.tensor import placeholder
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Block
from relayish.tir.ir.tensor import Buffer, Var


@dataclass(frozen=True, slots=True)
class Machine:
    """What a machine can do at best, by one thread, with floats of 32 bits.

    Attributes:
        flops: Floating-point operations each second, where a product may be rounded with its sum.
        exact_flops: Those where each is rounded by itself, as ``tir.build`` does by default.
        bandwidth: Bytes each second, from and to memory that no cache holds.
    """

    flops: float
    exact_flops: float
    bandwidth: float

    @property
    def ridge(self) -> float:
        """The flops per byte from which on arithmetic is the limit, and not memory."""
        return self.flops / self.bandwidth

    def attainable(self, intensity: float) -> float:
        """Return the flops each second that are possible with so many flops per byte."""
        return min(self.flops, intensity * self.bandwidth)

    def __str__(self) -> str:
        return (
            f"{self.flops / 1e9:.3g} Gflop/s ({self.exact_flops / 1e9:.3g} exactly rounded), "
            f"{self.bandwidth / 1e9:.3g} GB/s"
        )


def measure_machine(*, again: bool = False) -> Machine:
    """Return the peaks of this machine, measured by small compiled functions, once.

    That takes some seconds, and 200 MB of memory. The numbers are kept in the folder of compiled
    code, for this processor and this version.

    Args:
        again: Measure even if it was done before: something else may have run meanwhile.

    Raises:
        CodegenError: If nothing can be compiled.
        OSError: If the numbers cannot be kept.
    """
    known = None if again else known_machine()
    if known is not None:
        return known
    (arithmetic, numbers), (copies, arrays) = _polynomials(), _sums_of_arrays()
    flops, traffic = int(count_work(arithmetic).flops), int(count_work(copies).bytes)
    found = Machine(
        flops=flops / measure_time(arithmetic, *numbers, exact=False),
        exact_flops=flops / measure_time(arithmetic, *numbers),
        bandwidth=traffic / measure_time(copies, *arrays),
    )
    place = _place()
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replace_file(place) as file:
        file.write(json.dumps(asdict(found)).encode())
    return found


def known_machine() -> Machine | None:
    """Return what was measured on this machine; ``None`` if nothing was, or it cannot be read."""
    try:
        told = json.loads(_place().read_text(encoding="utf-8"))
        made = Machine(**{name: float(told[name]) for name in _FIELDS})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    peaks = (made.flops, made.exact_flops, made.bandwidth)
    return made if all(math.isfinite(peak) and peak > 0 for peak in peaks) else None


def measure_time(func: LoweredFunc, *args: object, exact: bool = True) -> float:
    """Return how many seconds a compiled function takes, the least of several runs.

    Args:
        func: The function.
        args: What it is given; by default arrays of numbers between 1 and 2.
        exact: As :func:`relayish.tir.build` takes it.

    Raises:
        EvaluationError: If nothing is given, and it takes scalars, or the shapes of its buffers are
            no numbers.
        CodegenError: If it cannot be compiled.
    """
    given = args or tuple([_numbers(arg) for arg in func.args])
    compiled = build(func, exact=exact)
    return _least_time(lambda: compiled(*given))


_FIELDS: Final = ("flops", "exact_flops", "bandwidth")
_ENOUGH: Final = 0.3
"""Seconds that runs take together, at least."""
_FEWEST: Final = 5


def _least_time(run: Callable[[], None]) -> float:
    run()  # caches are filled, memory is there
    times: list[float] = []
    while len(times) < _FEWEST or sum(times) < _ENOUGH:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _numbers(arg: Expr) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Return an array for an argument."""
    shape = [constant(size) for size in arg.shape] if isinstance(arg, Buffer) else [None]
    if not isinstance(arg, Buffer) or None in shape:
        raise EvaluationError(
            f"the argument {arg} is no buffer of a shape that is known; give measure_time what the "
            f"function takes"
        )
    sizes = [size for size in shape if size is not None]
    drawn = np.random.default_rng(0).uniform(1, 2, sizes)
    return drawn.astype(arg.dtype.numpy)


def _place() -> Path:
    name = hashlib.sha256(f"{processor()}\0{VERSION}".encode()).hexdigest()[:32]
    return cache_folder() / f"machine-{name}.json"


def _polynomials() -> tuple[LoweredFunc, tuple[object, ...]]:
    """Return what computes polynomials of numbers that the nearest cache holds, and its arguments.

    Those of neighbours hang on nothing but themselves, so a processor has enough to do at once.
    """
    x, factor, added = placeholder("X", (_SMALL,)), Var("c", "float32"), Var("d", "float32")

    def polynomial(i: Var) -> Stmt:
        value: Expr = x[i]
        for _ in range(_DEGREE):
            value = value * factor + added
        return store(x, value, i)

    body = for_("again", _TIMES, lambda _: for_("i", _SMALL, polynomial))
    func = LoweredFunc("polynomials", (factor, added, x), Block((body,)))
    return func, (0.5, 0.75, np.ones(_SMALL, "float32"))  # they stay between 1 and 2


def _sums_of_arrays() -> tuple[LoweredFunc, tuple[object, ...]]:
    """Return what adds arrays that no cache holds, and its arguments."""
    x, y, z = [placeholder(name, (_LARGE,)) for name in "XYZ"]
    body = for_("i", _LARGE, lambda i: store(z, x[i] + y[i], i))
    func = LoweredFunc("sums", (x, y, z), Block((body,)))
    return func, tuple([np.ones(_LARGE, "float32") for _ in range(3)])


_SMALL: Final = 2048
_TIMES: Final = 2000
_DEGREE: Final = 8
_LARGE: Final = 1 << 24
