"""Functions that workers call in tests, and executors that count."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any


def square(number: int) -> int:
    return number * number


def fail_at_two(number: int) -> int:
    if number == 2:
        raise ValueError("two")
    return number


def die_at_two(number: int) -> int:
    """End the process at two, as a fault in native code does."""
    if number == 2:
        os._exit(7)
    return number


def kill_at_two(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_once(item: tuple[str, int]) -> int:
    """End the process unless the file is there, which is made first."""
    path, number = item
    if number == 2 and not Path(path).exists():
        Path(path).touch()
        os._exit(7)
    return number


def be_killed_once(item: tuple[str, int]) -> int:
    """Be killed in the midst of two, unless the file tells which process was, as it does then."""
    path, number = item
    if number == 2 and not Path(path).exists():
        Path(path).write_text(str(os.getpid()), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def process_of(_item: object) -> int:
    return os.getpid()


def sleep(item: tuple[str, float]) -> float:
    """Write the number of the process into a file, and sleep."""
    path, seconds = item
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    return seconds


def next_number(_item: object) -> tuple[int, int]:
    """Return another pair whenever it is called."""
    return os.getpid(), next(_NUMBERS)


_NUMBERS = itertools.count()


def leave(_item: object) -> None:
    sys.exit(3)


class OddError(Exception):
    """Pickled, and not read again: it takes two arguments."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def fail_oddly(_item: object) -> None:
    raise OddError("odd", "one")


def make_function(_item: object) -> Callable[[], None]:
    return lambda: None


def parts_of(item: int, *parts: memoryview) -> tuple[int, list[bytes]]:
    return item, [bytes(part) for part in parts]


class NotReadAgain:
    """Pickled as what raises when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("no number",)


class Packing:
    """A transport made of two functions."""

    def __init__(self, pack: Any, unpack: Any = lambda _packed, value: value) -> None:
        self.pack, self.unpack = pack, unpack


class LateExecutor(Executor):
    """Does nothing before it is asked to, in the order that it is asked for."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []
        self.most = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, fn, args))
        self.most = max(self.most, len(self.waiting))
        return future

    def do(self, place: int) -> None:
        future, fn, args = self.waiting.pop(place)
        future.set_result(fn(*args))
