from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import assert_same, evaluated, evaluated_in, reference
from tests.support.drawn import arrays, filled, hypothesis, shapes, st
from tests.support.seeds import quickly


@reference("formula", "dft")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("inverse", [False, True])
@quickly(15)
@hypothesis.given(shape=shapes(1, 3, 0, 5))
def test_dft_is_the_sum_over_waves(dtype, inverse, shape):
    real, imaginary = filled(shape, dtype, 1), filled(shape, dtype, 2)
    n = shape[-1]
    sign = 2j if inverse else -2j
    waves = np.exp(sign * np.pi * np.outer(np.arange(n), np.arange(n)) / max(n, 1))
    expected = (real + 1j * imaginary.astype(np.float64)) @ waves / (n if inverse and n else 1)
    found = evaluated("dft", real, imaginary, inverse=inverse)
    tolerance = {"float16": 3e-2}.get(dtype, 1e-5)
    for part, wanted in zip(found, (expected.real, expected.imag), strict=True):
        assert str(part.dtype) == dtype
        np.testing.assert_allclose(part, wanted, rtol=2e-3, atol=tolerance)


@reference("torch", "dft")
def test_dft_agrees_with_torch_and_is_undone_by_its_inverse():
    torch = pytest.importorskip("torch")
    real, imaginary = filled((3, 8), "float32", 1), filled((3, 8), "float32", 2)
    expected = torch.fft.fft(torch.complex(torch.tensor(real), torch.tensor(imaginary)))
    found = evaluated("dft", real, imaginary)
    assert_same(found, (expected.real.numpy(), expected.imag.numpy()), rtol=1e-5)
    assert_same(evaluated("dft", *found, inverse=True), (real, imaginary), rtol=1e-4)


@reference("torch", "stft")
@quickly(25)
@hypothesis.given(st.data())
def test_stft_agrees_with_torch(data):
    torch = pytest.importorskip("torch")
    size = data.draw(st.integers(1, 8))
    hop = data.draw(st.integers(1, 4))
    batches = data.draw(st.integers(1, 3))
    signal = filled((batches, size + data.draw(st.integers(0, 9))), "float32", 1)
    window = data.draw(arrays((size,), "float32", low=1, high=4))
    options = {"normalized": data.draw(st.booleans()), "onesided": data.draw(st.booleans())}
    expected = torch.stft(
        torch.tensor(signal),
        size,
        hop,
        window=torch.tensor(window),
        center=False,
        return_complex=True,
        **options,
    )
    found = evaluated(
        "stft", signal, window, n_fft=size, hop_length=hop, win_length=size, **options
    )
    wanted = torch.view_as_real(expected).numpy()
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@reference("formula", "stft")
def test_short_window_stands_at_the_beginning_of_its_frame():
    signal, window = filled((2, 9), "float64", 1), np.array([1, 2, 3], np.int32)
    found = evaluated("stft", signal, window, n_fft=5, hop_length=2, win_length=3)
    assert found.shape == (2, 3, 3, 2)
    for batch in range(2):
        for bin_ in range(3):
            for frame in range(3):
                piece = signal[batch, 2 * frame : 2 * frame + 3] * window
                wave = np.exp(-2j * np.pi * bin_ * np.arange(3) / 3)
                total = complex(np.sum(piece * wave))
                pair = (total.real, total.imag)
                np.testing.assert_allclose(found[batch, bin_, frame], pair, atol=1e-9)


def test_every_evaluated_operator_of_the_family_is_tested():
    assert evaluated_in("relayish.op.tensor.signal") == {"dft", "stft"}
