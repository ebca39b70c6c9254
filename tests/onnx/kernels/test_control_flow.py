from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

TRUE, FALSE = np.array(True), np.array(False)


def test_one_branch_is_run():
    def never():
        raise AssertionError

    assert run_kernel("If", TRUE, version=11, then_branch=lambda: (1, 2), else_branch=never) == (
        1,
        2,
    )
    one = np.array([False])
    assert run_kernel("If", one, version=25, then_branch=never, else_branch=lambda: (3,)) == (3,)
    with pytest.raises(EvaluationError, match="cond of If must be one number"):
        run_kernel("If", np.array([True, True]), version=1, then_branch=never, else_branch=never)


def count_up(iteration, condition, total):
    """Add the number of the iteration to a total, collect both, and go on while it is below 6."""
    assert (iteration.dtype, iteration.shape) == (np.int64, ())
    assert (condition.dtype, condition.shape) == (np.bool_, ())
    total = total + iteration
    return np.array(total < 6), total, iteration, np.stack([total, total])


@each(
    "case",
    [(4, None, 6, 4), (9, None, 36, 9), (9, TRUE, 6, 4), (None, TRUE, 6, 4), (2, TRUE, 1, 2)],
)
def test_a_loop_ends_by_count_or_condition(case):
    count, condition, expected, iterations = case
    trip_count = None if count is None else np.array(count)
    total, numbers, pairs = run_kernel(
        "Loop", trip_count, condition, np.array(0), version=13, body=count_up, num_outputs=3
    )
    assert total == expected
    assert numbers.tolist() == list(range(iterations))
    sums = np.cumsum(range(iterations))
    assert pairs.tolist() == np.stack([sums, sums], 1).tolist()


@each("case", [(np.array(0), TRUE), (np.array([5]), FALSE), (None, FALSE)])
def test_a_loop_without_an_iteration_collects_nothing(case):
    def body(*_):
        raise AssertionError

    total, numbers, pairs = run_kernel(
        "Loop", *case, np.array(7), version=13, body=body, num_outputs=3
    )
    assert total == 7
    assert numbers.shape == pairs.shape == (0,)
    body.output_types = [
        (np.dtype(bool), ()),
        (np.dtype(np.int64), ()),
        (np.dtype(np.int64), ()),
        (np.dtype(np.int16), (2, None)),
    ]
    _, numbers, pairs = run_kernel("Loop", *case, np.array(7), version=13, body=body, num_outputs=3)
    assert (numbers.dtype, numbers.shape) == (np.int64, (0,))
    assert (pairs.dtype, pairs.shape) == (np.int16, (0, 2, 0))
    body.output_types = body.output_types[1:]  # not known which is which
    _, numbers, pairs = run_kernel("Loop", *case, np.array(7), version=13, body=body, num_outputs=3)
    assert numbers.shape == pairs.shape == (0,)


def test_a_loop_carries_values_of_any_kind():
    def body(iteration, condition, sequence, optional):
        return condition, [*sequence, iteration], None if optional is not None else iteration

    sequence, optional = run_kernel(
        "Loop", np.array(3), None, [], None, version=16, body=body, num_outputs=2
    )
    assert [one.item() for one in sequence] == [0, 1, 2]
    assert optional.item() == 2


def test_a_body_that_gives_too_little_or_changes_is_an_error():
    with pytest.raises(
        EvaluationError, match="the body of Loop gives 1 values; expected 2 or more"
    ):
        run_kernel("Loop", np.array(1), None, TRUE, version=13, body=lambda *_: (TRUE,))
    with pytest.raises(EvaluationError, match=r"shapes \(0,\), \(1,\); expected one shape"):
        run_kernel("Loop", np.array(2), None, version=13, body=lambda i, c: (c, np.zeros(int(i))))


def add_rows(total, row):
    """Add a row to what was added before, and collect the sum."""
    return total + row, total + row


X = np.arange(12.0).reshape(3, 4)


@each("axis", [0, 1, -1])
@each("direction", [0, 1])
@each("output_axis", [0, 1, -1])
@each("output_direction", [0, 1])
def test_a_scan_adds_along_an_axis(axis, direction, output_axis, output_direction):
    rows = np.moveaxis(X, axis, 0)
    rows = rows[::-1] if direction else rows
    total, sums = run_kernel(
        "Scan",
        np.zeros(rows.shape[1]),
        X,
        version=9,
        body=add_rows,
        num_scan_inputs=1,
        scan_input_axes=(axis,),
        scan_input_directions=(direction,),
        scan_output_axes=(output_axis,),
        scan_output_directions=(output_direction,),
        num_outputs=2,
    )
    assert total.tolist() == rows.sum(0).tolist()
    expected = np.cumsum(rows, axis=0)
    expected = expected[::-1] if output_direction else expected
    assert sums.tolist() == np.moveaxis(expected, 0, output_axis).tolist()


def test_a_scan_gives_scalars_as_arrays():
    def body(x, y):
        assert isinstance(x, np.ndarray)
        assert x.shape == y.shape == ()
        return (np.array(x.item() + y.item(), object),)

    words = np.array(["a", "b"], object)
    (found,) = run_kernel("Scan", words, words, version=25, body=body, num_scan_inputs=2)
    assert found.tolist() == ["aa", "bb"]


def test_a_scan_over_nothing_collects_nothing():
    def body(*_):
        raise AssertionError

    body.output_types = [(np.dtype(np.float64), (4,)), (np.dtype(np.int8), (4,))]
    total, sums = run_kernel(
        "Scan", X[0], X[:0], version=11, body=body, num_scan_inputs=1, scan_output_axes=(-1,),
        num_outputs=2,
    )  # fmt: skip
    assert total is X[0] or total.tolist() == X[0].tolist()
    assert (sums.dtype, sums.shape) == (np.int8, (4, 0))


@each(
    "case",
    [
        {"num_scan_inputs": 0},
        {"num_scan_inputs": 3},
        {"num_scan_inputs": 1, "scan_input_axes": (0, 0)},
        {"num_scan_inputs": 1, "scan_output_axes": (0, 0)},
        {"num_scan_inputs": 2},
    ],
)
def test_a_scan_that_contradicts_is_an_error(case):
    with pytest.raises(EvaluationError):
        run_kernel("Scan", np.zeros(4), X, version=9, body=add_rows, num_outputs=2, **case)


@each("reverse", [0, 1])
def test_a_scan_of_a_batch_may_be_of_any_lengths(reverse):
    x = np.arange(24.0).reshape(2, 3, 4)
    for lengths in (None, np.array([3, 1]), np.array([0, 2])):
        totals, sums = run_kernel(
            "Scan", lengths, np.zeros((2, 4)), x, version=8, body=add_rows, num_scan_inputs=1,
            directions=(reverse,), num_outputs=2,
        )  # fmt: skip
        assert sums.shape == (2, 3, 4)
        for element, length in enumerate([3, 3] if lengths is None else lengths.tolist()):
            rows = x[element, :length]
            rows = rows[::-1] if reverse else rows
            assert totals[element].tolist() == rows.sum(0).tolist()
            assert sums[element, :length].tolist() == np.cumsum(rows, 0).tolist()
            assert not sums[element, length:].any()


def test_a_scan_of_a_batch_without_a_step_collects_nothing():
    totals, sums = run_kernel(
        "Scan", np.array([0, 0]), np.ones((2, 4)), np.zeros((2, 3, 4)), version=8, body=add_rows,
        num_scan_inputs=1, num_outputs=2,
    )  # fmt: skip
    assert totals.tolist() == np.ones((2, 4)).tolist()
    assert sums.shape == (2, 3)
    for lengths, x in (
        (np.array([4, 0]), np.zeros((2, 3, 4))),
        (np.array([1, 1, 1]), np.zeros((2, 3, 4))),
        (None, np.zeros((3, 3, 4))),
        (None, np.zeros(2)),
        (None, np.array(0.0)),
    ):
        with pytest.raises(EvaluationError, match=r"batch|0 to 3"):
            run_kernel(
                "Scan", lengths, np.ones((2, 4)), x, version=8, body=add_rows, num_scan_inputs=1
            )


def test_a_scan_of_a_batch_goes_over_sequences_of_one_length():
    for one, other in ((3, 4), (4, 3)):
        with pytest.raises(EvaluationError, match=r"sequences of one length"):
            run_kernel(
                "Scan", None, np.ones((2, one)), np.ones((2, other)), version=8, body=add_rows,
                num_scan_inputs=2,
            )  # fmt: skip


def test_a_scan_of_no_batch_gives_what_it_is_given():
    def body(*_):
        raise AssertionError

    body.output_types = [(np.dtype(float), (4,)), (np.dtype(np.int8), (5,))]
    totals, found = run_kernel(
        "Scan", None, np.ones((0, 4)), np.ones((0, 3, 4)), version=8, body=body,
        num_scan_inputs=1, num_outputs=2,
    )  # fmt: skip
    assert totals.shape == (0, 4)
    assert (found.dtype, found.shape) == (np.int8, (0, 3, 5))


def test_states_of_a_batch_may_be_scalars():
    def body(state, row):
        assert isinstance(state, np.ndarray)
        return (np.asarray(state + row.sum()),)

    (found,) = run_kernel(
        "Scan", None, np.float32([1, 2]), np.ones((2, 3, 4), np.float32), version=8, body=body,
        num_scan_inputs=1,
    )  # fmt: skip
    assert found.tolist() == [13, 14]


def test_a_loop_gives_no_more_than_it_carries_if_nothing_is_collected():
    def body(*_):
        raise AssertionError

    assert run_kernel("Loop", np.array(0), None, 5, version=13, body=body, num_outputs=1) == (5,)
    assert run_kernel("Loop", np.array(0), None, 5, 6, version=13, body=body) == (5, 6)
    states = run_kernel("Scan", X[0], X[:0], version=9, body=body, num_scan_inputs=1)
    assert len(states) == 1
