"""What must hold of passes one after the other: pipelines in random order over random programs.

python -m tests.support.pipelines                            # 1000 pipelines
python -m tests.support.pipelines --pipelines 100000 --start 5000
python -m tests.support.pipelines --only 1234                # one, with the pass at fault
python -m tests.support.pipelines --passes FuseOps,DefuseOps # of these passes only
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from relayish.errors import PassError, RelayishError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.debug.bisect import Culprit, bisect
from relayish.text import astext, parse
from relayish.transform import (
    ImmutableModuleInstrument,
    Pass,
    PassContext,
    Sequential,
    VerifyInstrument,
    list_passes,
)
from tests.support.random_exprs import random_arguments, random_module
from tests.support.random_networks import random_network, random_network_arguments
from tests.support.standing import OTHER_VALUE, REFUSES, SIZE, TOLERANCE, close, made_for

CLOSE = 1e-3
"""How far from the value before the value after may be, as in :data:`standing.TOLERANCE`."""

LARGE = 1e30
"""From here on numbers count as infinite: constants that are combined overflow elsewhere."""

LEFT_OUT = frozenset(
    {*OTHER_VALUE, *REFUSES, "PrintIR"}
    | {name for name, tolerance in TOLERANCE.items() if tolerance >= CLOSE}
    | {"FastMath"}  # what it approximates adds up
    | {
        "AnnotateTarget",
        "MergeCompilerRegions",
    }  # marks stand until the next pass
)
"""Passes that change values by design, are not for every program, or only print."""

MAY_REFUSE = frozenset({"Defunctionalization"})
"""Passes for which some programs, as others leave them, have no answer; they say so."""


def composable() -> tuple[str, ...]:
    """Return the names of the passes that may stand in any order."""
    return tuple(name for name in list_passes() if name not in LEFT_OUT)


def program(seed: int) -> tuple[IRModule, Sequence[Any]]:  # Any: values of all kinds
    """Return a random program, every third time a network, with arguments of its main."""
    if seed % 3 == 0:
        network = random_network(seed)
        return network, random_network_arguments(network, seed)
    mod = random_module(seed, SIZE)
    return mod, random_arguments(mod["main"], seed)


def pipeline(seed: int, mod: IRModule, names: Sequence[str]) -> Sequential:
    """Return three to six of the passes, in random order, with random choices of options."""
    chance = random.Random(f"pipeline {seed}")
    chosen = chance.choices(names, k=chance.randrange(3, 7))
    return Sequential([chance.choice(made_for(name, mod)) for name in chosen])


def wrong(mod: IRModule, args: Sequence[Any], passes: Pass) -> str | None:  # Any: see program
    """Return what is wrong with what the passes make of a program, if anything is."""
    expected = evaluate(mod["main"], mod, args)
    hashed = structural_hash(mod)
    watching = [VerifyInstrument(), ImmutableModuleInstrument()]
    with PassContext(opt_level=4, instruments=watching):
        try:
            out = passes(mod)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is wrong
            if isinstance(error, PassError) and _refused(error):
                return None
            return f"{type(error).__name__}: {error}"
    if structural_hash(mod) != hashed:
        return "the program that went in has changed"
    return wrong_after(out, expected, args)


def _bounded(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_bounded, value))
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
        return np.clip(value, np.asarray(-LARGE, "float64"), LARGE)
    return value


def _refused(error: PassError) -> bool:
    notes = getattr(error, "__notes__", ())
    return any(f"in pass {name}" in notes for name in MAY_REFUSE)


def wrong_after(out: IRModule, expected: object, args: Sequence[Any]) -> str | None:  # Any: values
    """Return what is wrong with the result of passes: it must mean the same, as text as well."""
    try:
        found = evaluate(out["main"], out, args)
        if not close(_bounded(found), _bounded(expected), CLOSE):
            return f"the value was {expected!r} and is {found!r}"
        # types that nobody can know, as that of the elements of an empty list, are free
        if not structural_equal(parse(astext(out)), out, map_free_vars=True):
            return "the text of the result is that of another program"
    except RelayishError as error:
        return f"{type(error).__name__}: {error}"
    return None


def check_pipeline(seed: int, names: Sequence[str]) -> None:
    """Assert that nothing is wrong with one pipeline."""
    mod, args = program(seed)
    passes = pipeline(seed, mod, names)
    said = wrong(mod, args, passes)
    assert said is None, f"pipeline {seed} {written(passes)}: {said}"


def written(passes: Sequential) -> str:
    """Return what stands in a pipeline."""
    return ", ".join(
        pass_.info.name if isinstance(pass_, Sequential) else repr(pass_) for pass_ in passes.passes
    )


def culprit(seed: int, names: Sequence[str]) -> Culprit | None:
    """Return the first pass of a pipeline that is at fault, and the least program."""
    mod, args = program(seed)

    def fault(before: IRModule, after: IRModule) -> str | None:
        try:
            if len(before["main"].params) != len(args):
                return None  # a smaller program takes the same arguments
            expected = evaluate(before["main"], before, args)
        except RelayishError:
            return None  # a smaller program has a value as well
        return wrong_after(after, expected, args)

    with PassContext(opt_level=4, instruments=[VerifyInstrument()]):
        return bisect(pipeline(seed, mod, names), mod, fault, most_tries=300)


def main() -> int:
    """Try pipelines; print what fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pipelines", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--passes", help="names with commas; all that keep values, if not given")
    args = parser.parse_args()
    names = args.passes.split(",") if args.passes else composable()
    if args.only is not None:
        return explain(args.only, names)
    failed = 0
    for seed in range(args.start, args.start + args.pipelines):
        try:
            check_pipeline(seed, names)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            failed += 1
            print(f"{error or traceback.format_exc()}"[:2000], flush=True)
    print(f"{args.pipelines} pipelines, {failed} fail")
    return 1 if failed else 0


def explain(seed: int, names: Sequence[str]) -> int:
    """Print one pipeline, its program, the pass at fault and the least program."""
    mod, _ = program(seed)
    print(astext(mod), written(pipeline(seed, mod, names)), sep="\n")
    try:
        check_pipeline(seed, names)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        traceback.print_exception(error)
    found = culprit(seed, names)
    if found is None:
        print("no pass by itself is at fault")
        return 0
    print(f"\n{found.name}, after {found.position} passes: {found.message}")
    print(astext(found.shrunk))
    return 1


if __name__ == "__main__":
    sys.exit(main())
