"""Ranks of candidates by what they cost: as the model says it, and as it is measured.

python -m tests.support.cost_ranks --trials 64 --records ranks.jsonl

It draws candidates of a few functions from the default space, measures each, and tells Spearman's
coefficient: of the prior, which knows counts alone, on all of them, and of models that were told
the times of the others, on each fifth. What the file of records knows is not measured again.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from relayish import tir
from relayish.tir.schedule.records import ScheduleRecord, add_record, read_records, workload_of
from relayish.tuning.breeding import ScheduleBreeder
from relayish.tuning.cost_model import CostModel, rank_correlation
from relayish.tuning.evolution import Candidate
from relayish.tuning.features import prior_cost
from relayish.tuning.measuring import Limits, Trial, measure
from relayish.tuning.space import default_space
from tests.support.tuning import product, scaled

FOLDS = 5


def convolution(size: int = 28, channels: int = 16) -> tir.LoweredFunc:
    """A convolution of images by 3 times 3, without a border."""
    A = tir.placeholder("A", (channels, size + 2, size + 2))
    W = tir.placeholder("W", (channels, channels, 3, 3))
    c, y, x = [tir.reduce_axis(name, n) for name, n in (("c", channels), ("y", 3), ("x", 3))]
    B = tir.compute(
        (channels, size, size),
        lambda o, i, j: tir.reduce_sum(A[c, i + y, j + x] * W[o, c, y, x], [c, y, x]),
        "B",
    )
    return tir.lower("convolution", [A, W, B])


def transposed(size: int = 512) -> tir.LoweredFunc:
    """Rows written as columns."""
    A = tir.placeholder("A", (size, size))
    return tir.lower("transposed", [A, tir.compute((size, size), lambda i, j: A[j, i], "B")])


FUNCTIONS = (product(256), convolution(), transposed(), scaled(1 << 16))


def measured(func: tir.LoweredFunc, trials: int, path: Path) -> list[tuple[Candidate, float]]:
    """Return candidates that are right, and how long they take."""
    known = {each.program: each for each in read_records(path)}
    breeder, random = ScheduleBreeder(func, default_space), Random(1)
    found: dict[str, tuple[Candidate, float]] = {}
    for _ in range(4 * trials):
        each = breeder.sampled(random)
        if each is None or each.key in found or each.trace is None:
            continue
        record = known.get(each.key)
        if record is None:
            told = measure(Trial(each.func, pickle.dumps(func), Limits(exact=False, seconds=0.05)))
            steps = None
            record = ScheduleRecord(
                func.name,
                workload_of(func),
                each.key,
                steps,
                told.verdict.value,
                told.seconds if told.seconds < float("inf") else None,
                told.reason,
                told.machine,
                exact=False,
            )
            add_record(path, record)
        if record.verdict == "right":
            found[each.key] = (each, record.time)
        if len(found) == trials:
            break
    return list(found.values())


def correlations(pairs: Sequence[tuple[Candidate, float]]) -> tuple[float, float]:
    """Return the coefficient of the prior, and that of models on what they were not told of."""
    rows = np.array([each.features for each, _ in pairs])
    seconds = np.array([time for _, time in pairs])
    prior = rank_correlation([prior_cost(row) for row in rows], seconds.tolist())
    folds = np.arange(len(pairs)) % FOLDS
    told = []
    for fold in range(FOLDS):
        model = CostModel(rows[folds != fold], seconds[folds != fold].tolist())
        guessed = model.predict(rows[folds == fold]).tolist()
        told.append(rank_correlation(guessed, seconds[folds == fold].tolist()))
    return prior, float(np.mean(told))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--records")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(args.records or Path(folder, "ranks.jsonl"))
        for func in FUNCTIONS:
            pairs = measured(func, args.trials, path)
            prior, model = correlations(pairs)
            sys.stdout.write(
                f"{func.name:12} {len(pairs):4} candidates, prior {prior:.2f}, model {model:.2f}\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
