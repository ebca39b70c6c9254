"""Programs without their arrays: what they need to become themselves again."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.binary import to_binary
from relayish.binary.detached import attach, detach
from relayish.errors import BinaryFormatError, FieldError
from relayish.ir.relay.expr import Constant, Tuple

ARRAYS = (
    np.arange(6, dtype="float32").reshape(2, 3),
    np.zeros((0, 2), "int64"),
    np.array(["a", "bc"], dtype=object),
)


def program() -> Tuple:
    first, *others = map(Constant, ARRAYS)
    return Tuple((first, *others, first))


def test_arrays_as_bytes_make_the_program_again() -> None:
    spelt, arrays = detach(program())
    assert len(arrays) == 3
    taken: list[np.ndarray] = []
    made = attach(spelt, [each.tobytes() for each in arrays], taken)
    assert to_binary(made) == to_binary(program())
    assert made.fields[0] is made.fields[3]
    assert [each.shape for each in taken] == [each.shape for each in arrays]
    assert not made.fields[0].data.flags.writeable


def test_arrays_that_are_there_are_taken_as_they_are() -> None:
    spelt, arrays = detach(program())
    assert attach(spelt, arrays).fields[0].data is arrays[0]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda arrays: arrays[:-1], "found none"),
        (lambda arrays: [*arrays, arrays[0]], "more arrays than the program has"),
        (lambda arrays: [arrays[0].astype("float64"), *arrays[1:]], "found another"),
        (lambda arrays: [arrays[0].T, *arrays[1:]], "found another"),
        (lambda arrays: [arrays[0].tobytes()[1:], *arrays[1:]], "found another"),
        (lambda arrays: [arrays[0].tobytes() + b"x", *arrays[1:]], "found another"),
        (lambda arrays: [arrays[0], b"x", arrays[2]], "found another"),
    ],
)
def test_other_arrays_are_refused(change, complaint) -> None:
    spelt, arrays = detach(program())
    with pytest.raises(BinaryFormatError, match=complaint):
        attach(spelt, change(list(arrays)))


def test_what_binary_forms_cannot_hold_is_refused() -> None:
    with pytest.raises(FieldError):
        detach(object())
