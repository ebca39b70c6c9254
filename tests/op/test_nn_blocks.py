from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import (
    assert_same,
    evaluated,
    every_index,
    random_values,
    reference,
)
from tests.support.seeds import quickly

pytest.importorskip("hypothesis")
torch = pytest.importorskip("torch")
from hypothesis import given  # noqa: E402 - after what may skip the file
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.references

FEW = quickly(20)
dtypes = st.sampled_from(["float32", "float16", "int8", "bool"])
small = st.integers(1, 3)


@reference("torch", "nn.depth_to_space", "nn.space_to_depth")
@FEW
@given(small, small, small, small, small, dtypes, st.booleans())
def test_depth_becomes_space_and_back(n, c, h, w, block, dtype, last):
    data = random_values(n, c * block * block, h, w, dtype=dtype, low=0)
    options = {"block_size": block, "layout": "NHWC" if last else "NCHW"}

    def call(name, value, **more):
        found = evaluated(name, np.moveaxis(value, 1, -1) if last else value, **options, **more)
        return np.moveaxis(found, -1, 1) if last else found

    shuffled = torch.nn.functional.pixel_shuffle(torch.tensor(np.array(data)), block).numpy()
    assert_same(call("nn.depth_to_space", data, mode="CDR"), shuffled)
    spread = call("nn.depth_to_space", data, mode="DCR")
    parts = data.reshape(n, block, block, c, h, w)
    for b, channel, y, x in every_index(spread.shape):
        expected = parts[b, y % block, x % block, channel, y // block, x // block]
        assert spread[b, channel, y, x] == expected
    assert_same(call("nn.space_to_depth", spread), data)


def test_what_is_left_over_of_a_block_is_dropped():
    data = random_values(1, 5, 3, 5)
    found = evaluated("nn.space_to_depth", data, block_size=2)
    assert_same(found, evaluated("nn.space_to_depth", data[:, :, :2, :4], block_size=2))
    found = evaluated("nn.depth_to_space", data, block_size=2)
    assert_same(found, evaluated("nn.depth_to_space", data[:, :4], block_size=2))


@reference("formula", "nn.space_to_batch_nd", "nn.batch_to_space_nd")
@FEW
@given(st.data(), st.integers(1, 2), st.integers(1, 3), st.integers(0, 2), dtypes)
def test_space_becomes_batches_and_back(draw, batch, rank, more, dtype):
    blocks = tuple(draw.draw(small) for _ in range(rank))
    sizes = [draw.draw(small) for _ in range(rank)]
    margins = []
    for size, block in zip(sizes, blocks, strict=True):
        before = draw.draw(st.integers(0, 2))
        margins.append((before, -(size + before) % block))
    data = random_values(batch, *sizes, *[2] * more, dtype=dtype, low=0)
    options = {"block_shape": blocks, "paddings": tuple(margins), "pad_value": 1.0}
    found = evaluated("nn.space_to_batch_nd", data, **options)
    wide = np.pad(data, [(0, 0), *margins, *[(0, 0)] * more], constant_values=1)
    for b, *places in every_index(wide.shape):
        part = 0
        for at, block in zip(places, blocks, strict=False):
            part = part * block + at % block
        outer = [at // block for at, block in zip(places, blocks, strict=False)]
        moved = found[(part * batch + b, *outer, *places[rank:])]
        assert moved == wide[(b, *places)]
    assert found.size == wide.size
    back = evaluated("nn.batch_to_space_nd", found, block_shape=blocks, crops=tuple(margins))
    assert_same(back, data)
