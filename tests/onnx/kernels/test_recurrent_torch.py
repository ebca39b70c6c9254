"""Recurrent layers of random sizes give what torch gives."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import compare, run_kernel
from tests.support.seeds import seeds

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.references

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
ORDER = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN": (0,)}
"""Where each gate of ONNX stands in torch: input, output, forget, cell; update, reset, new."""


def draw_layer(kind, rng, *, directions, hidden, size):
    """Return a layer of torch, and its weights as ONNX has them."""
    layer = getattr(torch.nn, kind)(size, hidden, bidirectional=directions == 2)
    weights = {"w": [], "r": [], "b": []}
    for index in range(directions):
        end = "_reverse" if index else ""
        parts = []
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
            drawn = getattr(layer, name + end)
            values = rng.standard_normal(tuple(drawn.shape)).astype(np.float32) * 0.5
            drawn.data = torch.from_numpy(values)
            gates = np.split(values, GATES[kind])
            parts.append(np.concatenate([gates[n] for n in ORDER[kind]]))
        weights["w"].append(parts[0])
        weights["r"].append(parts[1])
        weights["b"].append(np.concatenate(parts[2:]))
    return layer, *(np.stack(weights[name]) for name in "wrb")


@pytest.mark.parametrize("kind", sorted(GATES))
@each("seed", seeds(12))
def test_layer_is_that_of_torch(kind, seed):
    rng = np.random.default_rng(seed)
    steps, batch, size, hidden = (int(n) for n in rng.integers(1, 6, 4))
    directions, layout = 1 + seed % 2, seed // 2 % 2
    layer, w, r, b = draw_layer(kind, rng, directions=directions, hidden=hidden, size=size)
    x = rng.standard_normal((steps, batch, size)).astype(np.float32)
    states = [
        rng.standard_normal((directions, batch, hidden)).astype(np.float32)
        for _ in range(1 + (kind == "LSTM"))
    ]
    started = [torch.from_numpy(state) for state in states]
    expected, last = layer(torch.from_numpy(x), tuple(started) if len(states) > 1 else started[0])
    expected = expected.detach().numpy().reshape(steps, batch, directions, hidden)
    lasts = [one.detach().numpy() for one in (last if isinstance(last, tuple) else [last])]
    given = {"linear_before_reset": 1} if kind == "GRU" else {}
    if layout:
        x, states = x.swapaxes(0, 1), [state.swapaxes(0, 1) for state in states]
        lasts = [one.swapaxes(0, 1) for one in lasts]
    results = run_kernel(
        kind, x, w, r, b, None, *states, version=14, hidden_size=hidden, layout=layout,
        direction="bidirectional" if directions == 2 else "forward", **given,
    )  # fmt: skip
    order = (1, 0, 2, 3) if layout else (0, 2, 1, 3)
    compare(results[0], expected.transpose(order), 1e-4, 1e-5)
    for found, one in zip(results[1:], lasts, strict=True):
        compare(found, one, 1e-4, 1e-5)


@pytest.mark.parametrize("kind", sorted(GATES))
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_sequence_ends_where_its_length_says(kind, direction):
    rng = np.random.default_rng(5)
    directions = 1 + (direction == "bidirectional")
    _, w, r, b = draw_layer(kind, rng, directions=directions, hidden=3, size=2)
    x = rng.standard_normal((5, 3, 2)).astype(np.float32)
    lengths = np.array([5, 0, 3], np.int32)
    whole = run_kernel(kind, x, w, r, b, lengths, version=14, direction=direction, hidden_size=3)
    for index, length in enumerate(lengths.tolist()):
        alone = run_kernel(
            kind, x[:length, index : index + 1], w, r, b, version=14, direction=direction,
            hidden_size=3,
        )  # fmt: skip
        compare(whole[0][:length, :, index], alone[0][:, :, 0], 1e-5, 1e-6)
        assert not whole[0][length:, :, index].any()
        for part, other in zip(whole[1:], alone[1:], strict=True):
            compare(part[:, index], other[:, 0], 1e-5, 1e-6)


def test_reset_gate_stands_before_the_product_unless_told_otherwise():
    rng = np.random.default_rng(2)
    _, w, r, b = draw_layer("GRU", rng, directions=1, hidden=2, size=2)
    x = rng.standard_normal((1, 1, 2)).astype(np.float32)
    h = rng.standard_normal((1, 1, 2)).astype(np.float32)
    (_, found) = run_kernel("GRU", x, w, r, b, None, h, version=14, hidden_size=2)
    z, reset, new = np.split(x[0] @ w[0].T + b[0, :6], 3, axis=1)
    rz, rr, rn = r[0, :2], r[0, 2:4], r[0, 4:]
    bz, br, bn = np.split(b[0, 6:], 3)
    z = 1 / (1 + np.exp(-(z + h[0] @ rz.T + bz)))
    reset = 1 / (1 + np.exp(-(reset + h[0] @ rr.T + br)))
    new = np.tanh(new + (reset * h[0]) @ rn.T + bn)
    compare(found, ((1 - z) * new + z * h[0])[None].astype(np.float32), 1e-5, 1e-6)


def run_simple(x, name, *, alpha=None, beta=None, clip=None):
    one = np.ones((1, 1, 1), np.float32)
    inputs = np.array(x, np.float32).reshape(-1, 1, 1)
    y, _ = run_kernel(
        "RNN", inputs, one, 0 * one, version=14, activations=(name,), clip=clip,
        activation_alpha=None if alpha is None else (alpha,),
        activation_beta=None if beta is None else (beta,), hidden_size=1,
    )  # fmt: skip
    return y.ravel()


POINTS = np.array([-2.0, -0.5, 0.0, 0.25, 3.0], np.float32)


@pytest.mark.parametrize(
    ("name", "alpha", "beta", "expected"),
    [
        ("Relu", None, None, np.maximum(POINTS, 0)),
        ("tanh", None, None, np.tanh(POINTS)),
        ("Sigmoid", None, None, 1 / (1 + np.exp(-POINTS))),
        ("Affine", 2.0, 1.0, 2 * POINTS + 1),
        ("LeakyRelu", None, None, np.where(POINTS < 0, 0.01 * POINTS, POINTS)),
        ("LeakyRelu", 0.5, None, np.where(POINTS < 0, 0.5 * POINTS, POINTS)),
        ("ThresholdedRelu", 0.5, None, np.where(POINTS > 0.5, POINTS, 0)),
        ("ScaledTanh", 2.0, 0.5, 2 * np.tanh(0.5 * POINTS)),
        ("HardSigmoid", None, None, np.clip(0.2 * POINTS + 0.5, 0, 1)),
        ("HardSigmoid", 0.5, 0.25, np.clip(0.5 * POINTS + 0.25, 0, 1)),
        ("Elu", 2.0, None, np.where(POINTS < 0, 2 * np.expm1(POINTS), POINTS)),
        ("Softsign", None, None, POINTS / (1 + abs(POINTS))),
        ("Softplus", None, None, np.log1p(np.exp(POINTS))),
    ],
)
def test_activation_is_that_of_its_name(name, alpha, beta, expected):
    compare(
        run_simple(POINTS, name, alpha=alpha, beta=beta), expected.astype(np.float32), 1e-5, 1e-6
    )


def test_clip_bounds_what_activations_take():
    compare(run_simple(POINTS, "Tanh", clip=0.5), np.tanh(np.clip(POINTS, -0.5, 0.5)), 1e-5, 1e-6)


@each("kind", sorted(GATES))
def test_inputs_that_contradict_a_layer_are_refused(kind):
    gates = GATES[kind]
    x, w, r = (
        np.zeros((2, 1, 3), "f"),
        np.zeros((1, gates * 4, 3), "f"),
        np.zeros((1, gates * 4, 4), "f"),
    )
    for inputs, given, complaint in [
        ((x[0], w, r), {}, "expected three dimensions"),
        ((x, w[:, :, :2], r), {}, "W has shape"),
        ((x, w, r), {"direction": "bidirectional"}, "W has shape"),
        ((x, w, r), {"direction": "sideways"}, "direction is 'sideways'"),
        ((x, w, r, np.zeros((1, 3), "f")), {}, "B has shape"),
        ((x, w, r, None, np.array([3])), {}, "expected 0 to 2"),
        ((x, w, r, None, np.array([1, 1])), {}, "sequence_lens has shape"),
        ((x, w, r, None, None, np.zeros((1, 1, 3), "f")), {}, "initial_h has shape"),
        ((x, w, r), {"activations": ("Tahn",) * 3}, "'Tahn' is no activation"),
        ((x, w, r), {"activations": ()}, None),
    ]:
        if complaint is None:
            run_kernel(kind, *inputs, version=14, hidden_size=4, **given)
            continue
        with pytest.raises(EvaluationError, match=complaint):
            run_kernel(kind, *inputs, version=14, hidden_size=4, **given)
    if gates > 1:
        with pytest.raises(EvaluationError, match="names, "):
            run_kernel(kind, x, w, r, version=14, hidden_size=4, activations=("Tanh",))
