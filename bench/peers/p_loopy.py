"""Loopy: python p_loopy.py WORK OPERATIONS ROUNDS.

The program of ``bench/loops.py``: one kernel over two inames with an instruction for each store of
``A[i, j] * 2 + 1``, four operations each. Prints nanoseconds an operation.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import loopy
import pymbolic.primitives as p
from loopy.symbolic import IdentityMapper, WalkMapper


def stores(size: int, *, units: bool = False) -> Any:  # Any: loopy has no types to import
    factor, term = (1, 0) if units else (2, 1)
    target = p.Subscript(p.Variable("A"), (p.Variable("i"), p.Variable("j")))
    instructions = [
        loopy.Assignment(
            target,
            p.Sum((p.Product((target, factor)), term)),
            id=f"s{index}",
            within_inames=frozenset("ij"),
            depends_on=frozenset([f"s{index - 1}"] if index else []),
        )
        for index in range(size // 4)
    ]
    return loopy.make_kernel(
        "{[i, j]: 0 <= i, j < 16}",
        instructions,
        [loopy.GlobalArg("A", "int32", shape=(16, 16))],
        lang_version=(2018, 2),
    )


def visit(kernel: Any) -> int:
    class Count(WalkMapper):
        found = 0

        def pre_visit(self, *_: object) -> bool:
            self.found += 1
            return True

        visit = pre_visit

    mapper = Count()
    for instruction in kernel.default_entrypoint.instructions:
        mapper(instruction.assignee)
        mapper(instruction.expression)
    return mapper.found


def identity(kernel: Any) -> Any:
    mapper = IdentityMapper()
    inner = kernel.default_entrypoint
    made = [
        each.copy(assignee=mapper(each.assignee), expression=mapper(each.expression))
        for each in inner.instructions
    ]
    return kernel.with_kernel(inner.copy(instructions=made))


WORKS: dict[str, Callable[[Any], object] | None] = {
    "build": None,
    "visit": visit,
    "identity": identity,
}


def main() -> None:
    work, size, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    run = WORKS[work]
    taken = []
    for _ in range(rounds):
        program = None if run is None else stores(size)
        gc.collect()
        start = time.process_time()
        result = stores(size) if run is None else run(program)
        taken.append(time.process_time() - start)
        del program, result
    print(f"{statistics.median(taken) / size * 1e9:.0f} ns/node", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
