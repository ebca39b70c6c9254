from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

DOUBLE, HALF = 11, 10


def attend(q, k, v, **attributes):
    (found,) = run_kernel(
        "FlexAttention", q, k, v, version=1, domain="ai.onnx.preview", **attributes
    )
    return found


def operands(dtype=np.float32, heads=4, key_heads=2):
    rng = np.random.default_rng(0)
    shapes = (2, heads, 3, 8), (2, key_heads, 5, 8), (2, key_heads, 5, 6)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


@pytest.mark.references
@each("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@each("key_heads", [1, 2, 4])
@each("scale", [None, 0.5])
def test_attention_is_that_of_torch(dtype, key_heads, scale):
    torch = pytest.importorskip("torch")
    q, k, v = operands(dtype, key_heads=key_heads)
    found = attend(q, k, v, **({} if scale is None else {"scale": scale}))
    doubles = [torch.from_numpy(one.astype(np.float64)) for one in (q, k, v)]
    expected = torch.nn.functional.scaled_dot_product_attention(
        *doubles, scale=scale, enable_gqa=True
    )
    assert (found.dtype, found.shape) == (dtype, (2, 4, 3, 6))
    tolerance = {8: 1e-12, 4: 1e-5, 2: 3e-2}[q.itemsize]
    np.testing.assert_allclose(found.astype(float), expected, rtol=tolerance, atol=tolerance)


def test_graphs_modify_scores_and_probabilities():
    q, k, v = operands()
    seen = []

    def mask(scores):
        seen.append(scores.dtype)
        return (np.where(np.arange(5) < 2, scores, np.float32(-np.inf)),)

    masked = attend(q, k, v, score_mod=mask)
    np.testing.assert_allclose(masked, attend(q, k[:, :, :2], v[:, :, :2]), rtol=1e-5, atol=1e-6)
    halved = attend(q, k, v, prob_mod=lambda shares: (shares * np.float32(0.5),))
    np.testing.assert_allclose(halved, attend(q, k, v) / 2, rtol=1e-6)
    assert seen == [np.float32]


@each(
    "case",
    [
        (np.float16, None, np.float32),
        (np.float64, None, np.float64),
        (np.float32, DOUBLE, np.float64),
        (np.float32, HALF, np.float16),
    ],
)
def test_scores_have_the_precision_that_is_told(case):
    dtype, number, expected = case
    seen = []

    def look(data):
        seen.append(data.dtype)
        return (data,)

    attributes = {} if number is None else {"softmax_precision": number}
    found = attend(*operands(dtype), score_mod=look, prob_mod=look, **attributes)
    assert found.dtype == dtype
    assert seen == [expected, expected]


def test_what_does_not_fit_is_an_error():
    q, k, v = operands()
    for wrong in ((q[0], k, v), (q[:, :3], k, v), (q, k[:, :1], v), (q, k, v[:, :, :4]),
                  (q[:1], k, v), (q[..., :4], k, v), (q, k[:, :0], v[:, :0])):  # fmt: skip
        with pytest.raises(EvaluationError, match=r"of FlexAttention|Q, K and V have shapes"):
            attend(*wrong)
    with pytest.raises(EvaluationError, match="softmax_precision is int64"):
        attend(q, k, v, softmax_precision=7)
    for graph in (lambda data: (data[0],), lambda data: (data.astype(np.float64),)):
        with pytest.raises(EvaluationError, match="prob_mod gives"):
            attend(q, k, v, prob_mod=graph)
