"""Steps of schedules with random arguments, on random programs: what they allow, and refuse.

python -m tests.support.schedules reorder 1000             # each program run before and after
python -m tests.support.schedules reorder 1000 --compile 100
python -m tests.support.schedules reorder --only 1234      # one program, printed before and after

What is refused is tried by force: where a step is taken without asking, and all runs are the same
after all, the check has lost something. Steps that cannot even be taken by force are no such loss.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections import Counter
from collections.abc import Callable, Sequence

from relayish import tir
from tests.support import random_memory, random_moves, random_nests
from tests.support.compiled_loops import TOGETHER, compile_all, natively, same_outcome
from tests.support.random_schedules import Trial, inputs
from tests.support.tir_programs import outcome

TRIALS: dict[str, Callable[[int], Trial]] = {
    name: functools.partial(module.attempt, name)
    for module, names in (
        (random_nests, random_nests.DRAWS),
        (random_memory, random_memory.CALLS),
        (random_moves, random_moves.PRIMITIVES),
    )
    for name in names
}
"""What takes a step of a random program that a seed determines, by primitive."""


def compare_compiled(pairs: Sequence[tuple[tir.LoweredFunc, tir.LoweredFunc]]) -> int:
    """How many functions leave something else, compiled, than others that are interpreted."""
    wrong = 0
    for start in range(0, len(pairs), TOGETHER):
        part = pairs[start : start + TOGETHER]
        made = [after.with_fields(name=f"f{at}") for at, (_, after) in enumerate(part)]
        module = compile_all(made)
        for (before, _), func in zip(part, made, strict=True):
            wrong += not all(
                same_outcome(outcome(before, given), natively(module[func.name], given))
                for given in inputs(before)
            )
    return wrong


def soak(name: str, seeds: Sequence[int], compiled: int) -> bool:
    """Try many programs of a primitive, and tell figures; return whether something is wrong."""
    count: Counter[str] = Counter()
    made: list[tuple[tir.LoweredFunc, tir.LoweredFunc]] = []
    for seed in seeds:
        try:
            found = TRIALS[name](seed)
        except Exception as error:  # noqa: BLE001 - reported with its seed
            count["wrong"] += 1
            sys.stdout.write(f"{name} {seed}: {type(error).__name__}: {error}\n")
            continue
        count[found.what] += 1
        if found.what == "legal":
            made.append((found.before, found.after))
        if len(seeds) == 1:
            sys.stdout.write(f"{found.before}\n{found.after}\n")
        if found.what == "lost" or len(seeds) == 1:
            sys.stdout.write(f"{name} {seed}: {found.what}: {found.message[:300]}\n")
    wrong = compare_compiled(made[:compiled])
    loss = count["lost"] / max(count["lost"] + count["refused"], 1)
    sys.stdout.write(
        f"{name}: {len(seeds)} programs, {dict(count)}, loss {loss:.1%}; "
        f"{len(made[:compiled])} compiled, {wrong} differ\n"
    )
    sys.stdout.flush()
    return bool(count["wrong"] or wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("primitive", choices=[*sorted(TRIALS), "all"])
    parser.add_argument("programs", type=int, nargs="?", default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--compile", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.start, options.start + options.programs)
    if options.only is not None:
        seeds = range(options.only, options.only + 1)
    names = sorted(TRIALS) if options.primitive == "all" else [options.primitive]
    return max([soak(each, seeds, options.compile) for each in names])


if __name__ == "__main__":
    sys.exit(main())
