"""The compiled core beside pure Python: what functors do to random programs is the same.

python -m tests.support.kernel_modes 2000 0        # so many programs, from which seed on
python -m tests.support.kernel_modes --show 17     # what happens to one, where it differs
python -m tests.support.kernel_modes --hostile     # the same of broken inputs
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence

from relayish import _kernel
from tests.support.kernel_events import events
from tests.support.kernel_hostile import happenings


def digests(seeds: Sequence[int]) -> list[str]:
    """Return for each seed how many events there are, and a digest of them."""
    found = []
    for seed in seeds:
        lines = events(seed)
        digest = hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]
        found.append(f"{seed} {len(lines)} {digest}")
    return found


def elsewhere(*arguments: object, pure: bool) -> list[str]:
    """Return the lines that this command prints in another process, in a mode."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.kernel_modes", "--print", *map(str, arguments)],
        env={**os.environ, "RELAYISH_PURE": "1" if pure else "0", "PYTHONHASHSEED": "0"},
        capture_output=True,
        check=False,
    )
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors="replace")[-2000:] + f" {run.returncode}")
    return run.stdout.decode(errors="replace").split("\n")[:-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=int, nargs="?", default=2000)
    parser.add_argument("start", type=int, nargs="?", default=0)
    parser.add_argument("--show", type=int)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--hostile", nargs="*")
    options = parser.parse_args()
    seeds = range(options.start, options.start + options.programs)
    if options.print:
        lines = (
            happenings(*options.hostile)
            if options.hostile is not None
            else digests(seeds)
            if options.show is None
            else events(options.show)
        )
        lines = [line.replace("\n", "\\n") for line in lines]
        shown = "\n".join([f"compiled {_kernel.compiled}", *lines])
        sys.stdout.buffer.write((shown + "\n").encode("utf-8", "replace"))
        return 0
    if options.show is not None or options.hostile is not None:
        one = ("--hostile", *options.hostile) if options.show is None else ("--show", options.show)
        modes = [elsewhere(*one, pure=pure) for pure in (True, False)]
        differ = list(difflib.unified_diff(*modes, "pure", "compiled", n=4))
        sys.stdout.write(f"{len(modes[0])} lines\n" + "\n".join(differ) + "\n")
        return modes[0][1:] != modes[1][1:]
    pure, compiled = (elsewhere(*(options.programs, options.start), pure=p) for p in (True, False))
    differ = [a.split()[0] for a, b in zip(pure[1:], compiled[1:], strict=True) if a != b]
    count = sum(int(line.split()[1]) for line in pure[1:])
    sys.stdout.write(f"{pure[0]}, {compiled[0]}: {options.programs} programs, {count} events, ")
    sys.stdout.write(f"{len(differ)} differ {' '.join(differ[:20])}\n")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
