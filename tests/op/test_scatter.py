from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    reference,
)
from tests.support.drawn import arrays, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly

SCATTERS = {
    "update": lambda _, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": min,
    "max": max,
}


def halved(old, new):
    """Relay's mean of an element and an update, which rounds integers towards zero."""
    total = old + new
    return total / 2 if isinstance(total, np.floating) else np.trunc(total / 2)


@reference("formula", "scatter_elements")
@pytest.mark.parametrize("reduction", sorted({**SCATTERS, "mean": halved}))
@quickly(20)
@hypothesis.given(st.data())
def test_scatter_elements_puts_each_update_in_its_place(reduction, data):
    whole = data.draw(arrays(dtype=data.draw(st.sampled_from(("float32", "int32")))))
    axis = data.draw(axes(whole.ndim))
    shape = [data.draw(st.integers(0, size)) for size in whole.shape]
    shape[axis] = data.draw(st.integers(0, 4))
    size = whole.shape[axis]
    indices = filled(tuple(shape), "int64", 1, low=-size, high=size)
    more = tuple(n + data.draw(st.integers(0, 1)) for n in shape)
    updates = filled(more, whole.dtype, 2, low=-3, high=4)
    expected = whole.copy()
    for at in every_index(shape):
        place = list(at)
        place[axis] = indices[at]
        reduce = SCATTERS.get(reduction, halved)
        expected[tuple(place)] = reduce(expected[tuple(place)], updates[at])
    found = evaluated("scatter_elements", whole, indices, updates, axis=axis, reduction=reduction)
    assert_same(found, expected)


@reference("torch", "scatter_elements")
@pytest.mark.parametrize(
    ("reduction", "name"),
    [("add", "sum"), ("mul", "prod"), ("min", "amin"), ("max", "amax")],
)
def test_scatter_elements_agrees_with_torch(reduction, name):
    torch = pytest.importorskip("torch")
    data, updates = filled((3, 4), "float32", 1), filled((2, 4), "float32", 2)
    indices = filled((2, 4), "int64", 3, low=0, high=3)
    held = (torch.tensor(values) for values in (indices, updates))
    expected = torch.tensor(data).scatter_reduce(0, *held, name)
    found = evaluated("scatter_elements", data, indices, updates, axis=0, reduction=reduction)
    assert_same(found, expected.numpy())


@reference("formula", "scatter_nd")
@pytest.mark.parametrize("mode", sorted(SCATTERS))
@quickly(20)
@hypothesis.given(st.data())
def test_scatter_nd_puts_slices_by_columns_of_indices(mode, data):
    whole = data.draw(arrays(dtype=data.draw(st.sampled_from(("float32", "int32")))))
    count = data.draw(st.integers(1, whole.ndim))
    rest = data.draw(shapes(0, 2, 0, 3))
    columns = [
        filled(rest, "int32", axis, low=-whole.shape[axis], high=whole.shape[axis])
        for axis in range(count)
    ]
    updates = filled(rest + whole.shape[count:], whole.dtype, 2, low=-3, high=4)
    expected = whole.copy()
    for at in every_index(updates.shape):
        place = (*(int(c[at[: len(rest)]]) for c in columns), *at[len(rest) :])
        expected[place] = SCATTERS[mode](expected[place], updates[at])
    assert_same(evaluated("scatter_nd", whole, np.stack(columns), updates, mode=mode), expected)


def test_every_evaluated_operator_of_the_family_is_tested():
    assert evaluated_in("relayish.op.tensor.scatter") == {"scatter_elements", "scatter_nd"}
