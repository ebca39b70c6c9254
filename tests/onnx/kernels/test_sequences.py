from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, OutOfBoundsError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

A, B, C = (np.full((2, 3), one, np.float32) for one in (1, 2, 3))


def test_a_sequence_is_made_and_read():
    assert run_kernel("SequenceEmpty", version=11)[0] == []
    (sequence,) = run_kernel("SequenceConstruct", A, B, C, version=11)
    for place, tensor in ((0, A), (2, C), (-1, C), (-3, A)):
        assert run_kernel("SequenceAt", sequence, np.array(place), version=11)[0] is tensor
    (length,) = run_kernel("SequenceLength", sequence, version=11)
    assert (length.dtype, length.shape, length.item()) == (np.int64, (), 3)


def test_a_sequence_is_changed_by_a_copy():
    sequence = [A, B]
    for place, expected in (
        (0, [C, A, B]), (1, [A, C, B]), (2, [A, B, C]), (-1, [A, C, B]), (-2, [C, A, B]),
    ):  # fmt: skip
        found = run_kernel("SequenceInsert", sequence, C, np.array(place), version=11)[0]
        assert list(map(id, found)) == list(map(id, expected))
    assert run_kernel("SequenceInsert", sequence, C, version=11)[0][2] is C
    assert run_kernel("SequenceErase", sequence, np.array(0), version=11)[0][0] is B
    assert run_kernel("SequenceErase", sequence, np.array(-1), version=11)[0][0] is A
    assert run_kernel("SequenceErase", sequence, version=11)[0][0] is A
    assert list(map(id, sequence)) == [id(A), id(B)]


def test_positions_out_of_range_are_an_error():
    for op, inputs, most in (
        ("SequenceAt", (), 1), ("SequenceErase", (), 1), ("SequenceInsert", (C,), 2),
    ):  # fmt: skip
        for place in (most + 1, -3):
            with pytest.raises(
                OutOfBoundsError, match=f"position {place} .* expected -2 to {most}"
            ):
                run_kernel(op, [A, B], *inputs, np.array(place), version=11)
    with pytest.raises(OutOfBoundsError):
        run_kernel("SequenceErase", [], version=11)


X = np.arange(12).reshape(3, 4)


def test_a_tensor_is_split_into_single_elements():
    found = run_kernel("SplitToSequence", X, version=11, axis=1)[0]
    assert [part.tolist() for part in found] == [X[:, n : n + 1].tolist() for n in range(4)]
    found = run_kernel("SplitToSequence", X, version=11, axis=-1, keepdims=0)[0]
    assert [part.tolist() for part in found] == X.T.tolist()
    assert run_kernel("SplitToSequence", X[:0], version=11) == ([],)
    assert run_kernel("SplitToSequence", X[:0], np.array(2), version=11) == ([],)


@each("keepdims", [0, 1])
def test_a_tensor_is_split_into_parts_of_one_size_or_of_several(keepdims):
    found = run_kernel("SplitToSequence", X, np.array(3), version=24, axis=1, keepdims=keepdims)[0]
    assert [part.shape for part in found] == [(3, 3), (3, 1)]
    sizes = np.array([1, 0, 2])
    found = run_kernel("SplitToSequence", X, sizes, version=11, keepdims=keepdims)[0]
    assert [part.shape for part in found] == [(1, 4), (0, 4), (2, 4)]
    assert found[2].tolist() == X[1:].tolist()


def test_parts_that_are_not_the_whole_are_an_error():
    with pytest.raises(EvaluationError, match="sizes that make up 3"):
        run_kernel("SplitToSequence", X, np.array([1, 1]), version=11)
    with pytest.raises(EvaluationError, match="split is 0"):
        run_kernel("SplitToSequence", X, np.array(0), version=11)


def test_a_sequence_is_concatenated_along_an_old_or_a_new_axis():
    assert run_kernel("ConcatFromSequence", [A, B], version=11, axis=-1)[0].shape == (2, 6)
    for axis, shape in ((0, (2, 2, 3)), (-1, (2, 3, 2)), (1, (2, 2, 3))):
        (found,) = run_kernel("ConcatFromSequence", [A, B], version=11, axis=axis, new_axis=1)
        assert found.shape == shape
        assert found.tolist() == np.stack([A, B], axis).tolist()
    for new_axis in (0, 1):
        with pytest.raises(EvaluationError, match="no tensor is given"):
            run_kernel("ConcatFromSequence", [], version=11, axis=0, new_axis=new_axis)


def test_a_graph_is_mapped_over_sequences_and_tensors():
    def body(x, y, z):
        return x + y, x * z

    sums, products = run_kernel(
        "SequenceMap", [A, B], [B, C], C, version=17, body=body, num_outputs=2
    )
    assert [one[0, 0] for one in sums] == [3, 5]
    assert [one[0, 0] for one in products] == [3, 6]
    assert run_kernel("SequenceMap", [], [], C, version=17, body=body, num_outputs=2) == ([], [])
    with pytest.raises(EvaluationError, match="sequences of 2 and 1 tensors"):
        run_kernel("SequenceMap", [A, B], [B], C, version=17, body=body, num_outputs=2)


def test_an_optional_value_is_there_or_not():
    assert run_kernel("Optional", A, version=15)[0] is A
    assert run_kernel("Optional", version=15)[0] is None
    assert run_kernel("OptionalGetElement", [A], version=18)[0] == [A]
    with pytest.raises(EvaluationError, match="an optional value is absent"):
        run_kernel("OptionalGetElement", None, version=15)
    for value, expected in ((A, True), ([], True), (None, False)):
        (found,) = run_kernel("OptionalHasElement", value, version=18)
        assert (found.dtype, found.shape, found.item()) == (np.bool_, (), expected)
    assert run_kernel("OptionalHasElement", version=28)[0].item() is False
