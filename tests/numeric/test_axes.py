from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.numeric.axes import align, normalise_axes, normalise_axis


def test_axes_are_counted_from_the_front() -> None:
    assert [normalise_axis(axis, 3) for axis in range(-3, 3)] == [0, 1, 2, 0, 1, 2]
    assert normalise_axes((-1, 0), 3) == (2, 0)


@pytest.mark.parametrize(("axis", "rank"), [(3, 3), (-4, 3), (0, 0), (-1, 0)])
def test_an_axis_that_is_not_there_is_refused(axis: int, rank: int) -> None:
    with pytest.raises(EvaluationError, match=f"axis {axis} is not one of {rank} axes"):
        normalise_axis(axis, rank)
    with pytest.raises(TypeInferenceError):
        normalise_axis(axis, rank, TypeInferenceError)


def test_an_axis_named_twice_is_refused() -> None:
    with pytest.raises(EvaluationError, match="come twice"):
        normalise_axes((0, -2), 2)


def test_a_vector_lies_along_an_axis() -> None:
    assert align(np.arange(3), -2, 3).shape == (1, 3, 1)
