from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, OutOfBoundsError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

RNG = np.random.default_rng(0)
WEIGHT = RNG.uniform(0.5, 2, 4).astype(np.float32)


def scores_and_classes(inner):
    scores = RNG.normal(size=(5, 4, *inner)).astype(np.float32)
    return scores, RNG.integers(0, 4, (5, *inner))


@pytest.mark.references
@each("inner", [(), (3,), (2, 3)])
@each("weight", [None, WEIGHT])
@each("ignored", [None, 2, -1])
@each("reduction", ["none", "sum", "mean"])
@each("op", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
def test_losses_are_those_of_torch(inner, weight, ignored, reduction, op):
    torch = pytest.importorskip("torch")
    scores, classes = scores_and_classes(inner)
    if ignored == -1:
        classes[0] = -1
    attributes = {"reduction": reduction}
    if ignored is not None:
        attributes["ignore_index"] = ignored
    found, *others = run_kernel(
        op, scores, classes, weight, version=13, num_outputs=2, **attributes
    )
    of_torch = torch.nn.functional
    function = of_torch.nll_loss if op.startswith("N") else of_torch.cross_entropy
    expected = function(
        torch.from_numpy(scores),
        torch.from_numpy(classes),
        None if weight is None else torch.from_numpy(weight),
        ignore_index=-100 if ignored is None else ignored,
        reduction=reduction,
    ).numpy()
    assert (found.dtype, found.shape) == (np.float32, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
    for logarithms in others:
        expected = of_torch.log_softmax(torch.from_numpy(scores), dim=1).numpy()
        np.testing.assert_allclose(logarithms, expected, rtol=1e-5, atol=1e-6)


def test_scores_that_would_overflow_are_none():
    scores = np.float32([[1000, 0], [-1000, 0]])
    loss, _ = run_kernel(
        "SoftmaxCrossEntropyLoss", scores, np.array([1, 0]), version=13, reduction="none"
    )
    assert loss.tolist() == [1000, 1000]


@each("reduction", ["none", "sum", "mean"])
def test_what_is_ignored_may_be_infinite(reduction):
    scores = np.float32([[-np.inf, np.nan], [-1, -2]])
    (loss,) = run_kernel(
        "NegativeLogLikelihoodLoss", scores, np.array([7, 1]), version=13, reduction=reduction,
        ignore_index=7,
    )  # fmt: skip
    assert loss.tolist() == ([0, 2] if reduction == "none" else 2)


def test_narrow_scores_keep_their_type():
    scores, classes = scores_and_classes(())
    loss, logarithms = run_kernel(
        "SoftmaxCrossEntropyLoss", scores.astype(np.float16), classes, version=13
    )
    assert loss.dtype == logarithms.dtype == np.float16
    (loss,) = run_kernel(
        "NegativeLogLikelihoodLoss", scores.astype(np.float16), classes, version=22
    )
    assert loss.dtype == np.float16


def test_what_does_not_fit_is_an_error():
    scores, classes = scores_and_classes((3,))
    for wrong in (4, -1):
        with pytest.raises(OutOfBoundsError, match=f"the class {wrong} of 4; expected 0 to 3"):
            run_kernel("NegativeLogLikelihoodLoss", scores, np.full((5, 3), wrong), version=13)
    with pytest.raises(EvaluationError, match=r"classes of shape \(5,\)"):
        run_kernel("NegativeLogLikelihoodLoss", scores, classes[:, 0], version=13)
    with pytest.raises(EvaluationError, match="weight has shape"):
        run_kernel("NegativeLogLikelihoodLoss", scores, classes, WEIGHT[:3], version=13)
    with pytest.raises(EvaluationError, match="reduction is 'max'"):
        run_kernel("SoftmaxCrossEntropyLoss", scores, classes, version=13, reduction="max")
    with pytest.raises(EvaluationError, match="scores have shape"):
        run_kernel("SoftmaxCrossEntropyLoss", scores[0, :, 0], classes[0], version=13)
