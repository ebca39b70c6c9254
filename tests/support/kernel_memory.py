"""Want of memory: each entry while the n-th allocation fails, for every n, ends in an error or not.

python -m tests.support.kernel_memory 60     # up to which allocation

A process that dies says which entry it was at.
"""

from __future__ import annotations

import _testcapi
import faulthandler
import gc
import sys
from collections.abc import Callable

from relayish import _kernel
from tests.support.kernel_counts import attempts


def _without(number: int, attempt: Callable[[], object]) -> None:
    """Make an attempt in which an allocation fails."""
    _testcapi.set_nomemory(number, number + 1)
    try:
        attempt()
    finally:
        _testcapi.remove_mem_hooks()


def run(most: int) -> dict[str, int]:
    """Return by outcome how many attempts ended so."""
    outcomes: dict[str, int] = {}
    for name, attempt in attempts():
        try:
            attempt()  # what is made once is there
        except Exception:  # noqa: BLE001 - that it fails is known
            sys.stderr.write("failing ")
        sys.stderr.write(f"{name}\n")
        gc.disable()
        for number in range(most):
            outcome = "done"
            try:
                _without(number, attempt)
            except MemoryError:
                outcome = "MemoryError"
            except Exception as error:  # noqa: BLE001 - whatever it is, nothing died
                outcome = type(error).__name__
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
        gc.enable()
    return outcomes


if __name__ == "__main__":
    faulthandler.enable()
    found = run(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
    sys.stdout.write(f"compiled {_kernel.compiled}: {found}\n")
