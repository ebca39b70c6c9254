"""The cost model: it ranks what it was not told of, and never fails."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.tuning.cost_model import FEWEST, CostModel, rank_correlation
from relayish.tuning.features import NAMES, prior_cost


def rows(count: int, seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    found: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    found = np.random.default_rng(seed).uniform(0, 20, (count, len(NAMES)))
    return found


def test_before_enough_is_measured_the_prior_ranks() -> None:
    known = rows(FEWEST - 1)
    model = CostModel(known, [1.0] * len(known))
    assert model.predict(known).tolist() == [prior_cost(each) for each in known]
    assert CostModel(np.array([]), []).predict(known).tolist() == model.predict(known).tolist()


@pytest.mark.parametrize(("count", "least"), [(FEWEST, 0.2), (40, 0.8), (200, 0.95)])
def test_what_is_a_sum_of_features_is_learnt(count: int, least: float) -> None:
    def seconds(each: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> list[float]:
        goal: list[float] = np.exp2(0.4 * each[:, 0] + 0.2 * each[:, 3] - 20).tolist()
        return goal

    known, unknown = rows(count), rows(100, seed=1)
    model = CostModel(known, seconds(known))
    assert rank_correlation(model.predict(unknown).tolist(), seconds(unknown)) > least


def test_a_step_that_no_line_follows_is_learnt() -> None:
    known, unknown = rows(100), rows(100, seed=1)
    seconds = [
        np.where((each[:, 4] > 8) & (each[:, 4] < 12), 1.0, 8.0) for each in (known, unknown)
    ]
    model = CostModel(known, seconds[0].tolist())
    assert rank_correlation(model.predict(unknown).tolist(), seconds[1].tolist()) > 0.6


@pytest.mark.parametrize("count", [FEWEST, 30])
def test_programs_that_are_all_alike_are_ranked_alike(count: int) -> None:
    known = np.tile(rows(1), (count, 1))
    model = CostModel(known, [1e-3] * count)
    assert np.ptp(model.predict(known)) == 0
    assert np.isfinite(model.predict(rows(5))).all()


def test_what_is_far_from_all_that_is_known_is_not_ranked_beyond_all_measure() -> None:
    known = rows(30)
    model = CostModel(known, np.exp2(known[:, 0]).tolist())
    near, far = model.predict(known), model.predict(1e9 * rows(1))
    assert abs(far).max() < 20 * abs(near).max()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [([1, 2, 3, 4], [1, 2, 4, 3], 0.8), ([1, 1, 2], [5, 5, 9], 1.0), ([1, 1], [1, 2], 0.0)],
)
def test_rank_correlation_is_spearmans(a: list[float], b: list[float], expected: float) -> None:
    assert rank_correlation(a, b) == pytest.approx(expected)
