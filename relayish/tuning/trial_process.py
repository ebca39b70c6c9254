"""The process in which a candidate runs: a function of a shared object, on random memory, timed.

It is started by the name of its file, and imports nothing of this package: so it is there soon.
Standard input tells what to run, as JSON; standard output gets, as JSON, the status, a digest of
all memory behind the first run, and the seconds of each further one. Whatever else the function
does, be it that it ends the process, the one who started it sees.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

_LINE: Final = 64
"""Memory begins where a line of the cache does."""
_SHORTEST: Final = 2e-4
"""Seconds that are measured at once, by several calls where one takes less."""
_FEWEST: Final = 3
_MOST: Final = 1000


class Request(TypedDict):
    """What to run.

    Attributes:
        library: The shared object.
        function: The function of it.
        buffers: The memory it is given: element types, and how many elements.
        behind: Numbers it is given behind these; none stands for no address.
        seed: What the memory holds is drawn from.
        seconds: How long it is run again and again; ``None`` for not at all.
        enough: What takes longer the first time is not run again.
        limit: How many seconds of the processor there are at most.
    """

    library: str
    function: str
    buffers: list[tuple[str, int]]
    behind: list[int | None]
    seed: int
    seconds: float | None
    enough: float
    limit: float


class Answer(TypedDict):
    """What became of it.

    Attributes:
        status: What the function returned: 0, or which check failed.
        digest: Of all memory, behind the first run.
        seconds: Of the processor, of each further run; of the first if there is no other.
    """

    status: int
    digest: str
    seconds: list[float]


def answer(request: Request) -> Answer:
    """Run what is asked for."""
    random = np.random.default_rng(request["seed"])
    memories = [_drawn(random, *each) for each in request["buffers"]]
    function: Any = getattr(ctypes.CDLL(request["library"]), request["function"])  # Any: ctypes
    function.restype = ctypes.c_int32
    passed: list[Any] = [ctypes.c_void_p(each.ctypes.data) for each in memories]  # Any: ctypes
    passed += [
        ctypes.c_void_p(None) if each is None else ctypes.c_int32(each)
        for each in request["behind"]
    ]
    begin = _now()
    status = function(*passed)
    once = _now() - begin
    digest = hashlib.sha256()
    for memory, (dtype, _) in zip(memories, request["buffers"], strict=True):
        digest.update(_canonical(memory, dtype))
    seconds = request["seconds"]
    times: list[float] = []
    if seconds is not None and not status:
        enough = once > request["enough"]
        times = [once] if enough else _times(lambda: function(*passed), seconds)
    return {"status": status, "digest": digest.hexdigest(), "seconds": times}


def _drawn(random: np.random.Generator, dtype: str, count: int) -> NDArray[Any]:
    """Return memory that holds random numbers: small ones, of which sums are exact no longer."""
    if dtype == "bfloat16":
        values = (random.standard_normal(count, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    elif dtype in _FLOATS:
        values = random.standard_normal(count).astype(dtype)
    elif dtype == "bool":
        values = random.integers(0, 2, count).astype(np.uint8)
    else:
        whole = dtype if dtype in _WHOLE else "uint8"
        values = random.integers(0, 8, count).astype(whole)
    held = np.empty(values.nbytes + 2 * _LINE, np.uint8)
    start = -held.ctypes.data % _LINE
    memory = held[start : start + values.nbytes].view(values.dtype)
    memory[:] = values
    return memory


_FLOATS: Final = ("float16", "float32", "float64")
_WHOLE: Final = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


def _canonical(memory: NDArray[Any], dtype: str) -> bytes:
    """Return the bytes of memory, in which what is no number is always the same."""
    if dtype in _FLOATS:
        memory = np.where(np.isnan(memory), np.array(np.nan, memory.dtype), memory)
    return memory.tobytes()


def _times(run: Callable[[], object], seconds: float) -> list[float]:
    """Return the seconds of a call, measured again and again."""
    begin = _now()
    run()
    once = max(_now() - begin, 1e-9)
    calls = max(1, min(_MOST, round(_SHORTEST / once)))
    found: list[float] = []
    while len(found) < _FEWEST or (_now() - begin < seconds and len(found) < _MOST):
        at = _now()
        for _ in range(calls):
            run()
        found.append((_now() - at) / calls)
    return found


_now: Final = time.thread_time
"""Seconds of the processor, to which others that use it add little; code has no other threads."""


def _bound(seconds: float) -> None:
    """Let the system end this process once it took so much of the processor, where it can."""
    if hasattr(signal, "ITIMER_PROF"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    given: Request = json.load(sys.stdin)
    _bound(given["limit"])
    sys.stdout.write(json.dumps(answer(given)))
