"""Cost model: ridge regression of logarithms of times on features, and boosted stumps on the rest.

Before anything was measured, what a program costs is told by its features alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relayish.tuning.features import prior_cost

Floats = NDArray[np.float64]

FEWEST: Final = 6
"""Of so many programs the time has to be known before it tells anything of others."""
_PENALTY: Final = 10.0
_STUMPS: Final = 40
_RATE: Final = 0.25
_FEWEST_FOR_STUMPS: Final = 24
"""Of fewer programs, stumps would learn the noise."""


class _Stump(NamedTuple):
    """A step: one value where a feature is at most a threshold, else another one."""

    feature: int
    threshold: float
    low: float
    high: float

    def predict(self, rows: Floats) -> Floats:
        return np.where(rows[:, self.feature] <= self.threshold, self.low, self.high)


class CostModel:
    """Predicts the logarithm of the time of programs, to rank them by.

    Args:
        features: Of programs that were measured, one row each.
        seconds: How long each takes.

    Example:
        >>> from relayish.tuning.features import NAMES
        >>> rows = np.array([[float(n)] * len(NAMES) for n in range(8)])
        >>> model = CostModel(rows, [2.0 ** n for n in range(8)])
        >>> found = model.predict(rows)
        >>> bool(np.all(np.diff(found) > 0))
        True
    """

    def __init__(self, features: Floats, seconds: Sequence[float]) -> None:
        self.is_fitted = len(seconds) >= FEWEST
        if not self.is_fitted:
            return
        rows = _with_prior(features)
        goal = np.log2(np.asarray(seconds, np.float64))
        self._center = rows.mean(axis=0)
        self._scale = np.maximum(rows.std(axis=0), 1e-9)
        self._base = goal.mean()
        scaled = self._scaled(rows)
        gram = scaled.T @ scaled + _PENALTY * np.eye(scaled.shape[1])
        self._weights: Floats = np.linalg.solve(gram, scaled.T @ (goal - self._base))
        self._stumps: list[_Stump] = []
        if len(seconds) >= _FEWEST_FOR_STUMPS:
            self._boost(scaled, goal - self._base - scaled @ self._weights)

    def predict(self, features: Floats) -> Floats:
        """Return what programs are likely to cost, one number for each row; less is better."""
        if not self.is_fitted:
            return np.array([prior_cost(row) for row in features])
        scaled = self._scaled(_with_prior(features))
        found: Floats = self._base + scaled @ self._weights
        for stump in self._stumps:
            found = found + stump.predict(scaled)
        return found

    def _scaled(self, rows: Floats) -> Floats:
        scaled: Floats = (rows - self._center) / self._scale
        return np.clip(scaled, -4, 4)  # nobody knows what is far from all that was measured

    def _boost(self, rows: Floats, rest: Floats) -> None:
        for _ in range(_STUMPS):
            stump = _best_stump(rows, rest)
            if stump is None:
                return
            stump = stump._replace(low=_RATE * stump.low, high=_RATE * stump.high)
            self._stumps.append(stump)
            rest = rest - stump.predict(rows)


def _best_stump(rows: Floats, rest: Floats) -> _Stump | None:
    """Return the step that leaves least of what is to be explained; ``None`` if all are alike."""
    best: tuple[float, _Stump] | None = None
    count = len(rest)
    for feature in range(rows.shape[1]):
        order = np.argsort(rows[:, feature], kind="stable")
        values = rows[order, feature]
        sums = np.cumsum(rest[order])[:-1]
        left = np.arange(1, count)
        total = rest.sum()
        gains = sums**2 / left + (total - sums) ** 2 / (count - left)
        gains = np.where(np.diff(values) > 1e-12, gains, -np.inf)
        at = int(np.argmax(gains))
        if np.isfinite(gains[at]) and (best is None or gains[at] > best[0]):
            threshold = (values[at] + values[at + 1]) / 2
            low, high = sums[at] / (at + 1), (total - sums[at]) / (count - at - 1)
            best = (float(gains[at]), _Stump(feature, float(threshold), float(low), float(high)))
    return None if best is None else best[1]


def _with_prior(features: Floats) -> Floats:
    prior = np.array([prior_cost(row) for row in features])
    return np.column_stack([features, prior])


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Spearman's coefficient of two sequences of numbers: 1 where they order alike.

    Example:
        >>> rank_correlation([1, 2, 3], [10, 20, 30]), rank_correlation([1, 2, 3], [3, 2, 1])
        (1.0, -1.0)
    """
    one, two = _ranks(a), _ranks(b)
    one, two = one - one.mean(), two - two.mean()
    size = float(np.sqrt((one**2).sum() * (two**2).sum()))
    return round(float((one * two).sum()) / size, 12) if size else 0.0


def _ranks(values: Sequence[float]) -> Floats:
    """Return the rank of each number; those that are equal share the mean of theirs."""
    numbers = np.asarray(values, np.float64)
    below = (numbers[None, :] < numbers[:, None]).sum(axis=1)
    equal = (numbers[None, :] == numbers[:, None]).sum(axis=1)
    ranks: Floats = below + (equal - 1) / 2
    return ranks
