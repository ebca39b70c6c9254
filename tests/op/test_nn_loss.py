from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import assert_same, evaluated, random_values, reference
from tests.support.seeds import quickly

pytest.importorskip("hypothesis")
torch = pytest.importorskip("torch")
from hypothesis import given  # noqa: E402 - after what may skip the file
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.references

FEW = quickly(25)
floats = st.sampled_from(["float16", "float32", "float64"])


def as_torch(value):
    return torch.tensor(np.asarray(value, "float64"))


def rounded(expected, dtype):
    return np.asarray(expected).astype(dtype)[()]


@reference("torch", "nn.cross_entropy", "nn.cross_entropy_with_logits")
@FEW
@given(st.integers(1, 5), st.integers(1, 5), floats)
def test_cross_entropy_is_a_mean_over_rows(rows, classes, dtype):
    raw = random_values(rows, classes, dtype=dtype)
    shares = torch.softmax(as_torch(raw), -1).numpy().astype(dtype)
    wanted = torch.softmax(as_torch(random_values(rows, classes, seed=1)), -1).numpy().astype(dtype)
    logs = torch.log(as_torch(shares))
    expected = -(logs * as_torch(wanted)).sum() / rows
    found = evaluated("nn.cross_entropy", shares, wanted)
    assert_same(found, rounded(expected, dtype), 1e-4)
    narrow = logs.numpy().astype(dtype)
    expected = -(as_torch(narrow) * as_torch(wanted)).sum() / rows
    assert_same(
        evaluated("nn.cross_entropy_with_logits", narrow, wanted), rounded(expected, dtype), 1e-4
    )


@reference("torch", "nn.nll_loss")
@FEW
@given(
    st.lists(st.integers(1, 4), min_size=2, max_size=4),
    floats,
    st.sampled_from(["mean", "sum", "none"]),
    st.sampled_from(["int32", "int64"]),
    st.integers(-1, 2),
)
def test_nll_loss_agrees(shape, dtype, reduction, index, ignored):
    predictions = random_values(*shape, dtype=dtype)
    targets = random_values(shape[0], *shape[2:], dtype=index, low=0, high=shape[1])
    weights = random_values(shape[1], dtype=dtype, low=1)
    options = {"reduction": reduction, "ignore_index": ignored}
    found = evaluated("nn.nll_loss", predictions, targets, weights, **options)
    expected = torch.nn.functional.nll_loss(
        as_torch(predictions),
        torch.tensor(targets.astype("int64")),
        as_torch(weights),
        **options,
    )
    assert_same(found, rounded(expected, dtype), 1e-4)
