"""Single calls of operators, and how large their results are."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.interpreter.call import result_size
from relayish.op import get_op
from relayish.op.builders.call import make_attrs


def test_size_of_a_result_is_told_before_it_is_computed():
    repeat = get_op("repeat")
    attrs = make_attrs(repeat, {"repeats": 10**12, "axis": 0})
    assert result_size(repeat, attrs, [np.ones(3)]) == 3 * 10**12


def test_size_of_a_result_of_single_elements_is_what_the_arguments_broadcast_to():
    assert result_size(get_op("add"), None, [np.ones(3), np.ones((2, 1))]) == 6


def test_size_of_a_result_that_there_is_not_is_refused():
    repeat = get_op("repeat")
    attrs = make_attrs(repeat, {"repeats": 2, "axis": 5})
    with pytest.raises(EvaluationError, match=r"operator repeat cannot be evaluated on \(float64"):
        result_size(repeat, attrs, [np.ones(3)])
