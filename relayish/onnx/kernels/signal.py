"""Fourier transforms of signals, windows to cut them by, and the mel scale."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import normalise_axis
from relayish.numeric.precision import narrow, widen
from relayish.onnx.element_types import find_numpy_dtype
from relayish.onnx.kernels.registry import Array, kernel


@kernel("DFT", since=(20,))
def dft(
    x: Array,
    dft_length: Array | None = None,
    axis: Array | None = None,
    *,
    inverse: int = 0,
    onesided: int = 0,
) -> Array:
    """Return the discrete Fourier transform along ``axis``; the last holds real and imaginary."""
    return _transform(x, dft_length, -2 if axis is None else int(axis.item()), inverse, onesided)


@kernel("DFT", since=(17,))
def dft_by_attribute(
    x: Array,
    dft_length: Array | None = None,
    *,
    axis: int = 1,
    inverse: int = 0,
    onesided: int = 0,
) -> Array:
    """Return the discrete Fourier transform along ``axis``; the last holds real and imaginary."""
    return _transform(x, dft_length, axis, inverse, onesided)


def _transform(x: Array, length: Array | None, axis: int, inverse: int, onesided: int) -> Array:
    at = normalise_axis(axis, x.ndim)
    if x.ndim < 2 or at == x.ndim - 1 or x.shape[-1] not in (1, 2):
        raise EvaluationError(
            f"a signal of shape {x.shape} is transformed along axis {axis}; expected an "
            "axis before the last, and 1 or 2 as size of the last"
        )
    count = None if length is None else int(length.item())
    signal = _as_complex(x)
    if onesided and inverse:
        real = np.fft.irfft(signal, count or max(2 * (x.shape[at] - 1), 1), at)
        return narrow(real[..., None], x)
    count = x.shape[at] if count is None else count
    if count < 1:
        raise EvaluationError(f"the length of a Fourier transform is {count}; expected 1 or more")
    found = np.fft.ifft(signal, count, at) if inverse else np.fft.fft(signal, count, at)
    if onesided:
        found = found[(slice(None),) * at + (slice(0, count // 2 + 1),)]
    return narrow(np.stack([found.real, found.imag], axis=-1), x)


def _as_complex(x: Array) -> Array:
    """Return what the last dimension holds, real and imaginary parts, as complex numbers."""
    wide = widen(x)
    return wide[..., 0] if x.shape[-1] == 1 else wide[..., 0] + 1j * wide[..., 1]


@kernel("STFT", since=(17,))
def stft(
    x: Array,
    frame_step: Array,
    window: Array | None = None,
    frame_length: Array | None = None,
    *,
    onesided: int = 1,
) -> Array:
    """Return Fourier transforms of frames of signals (batch, length, 1 or 2), cut by ``window``."""
    if x.ndim != 3 or x.shape[-1] not in (1, 2):
        raise EvaluationError(f"signals have shape {x.shape}; expected (batch, length, 1 or 2)")
    size = x.shape[1] if window is None else window.shape[0]
    if frame_length is not None:
        size = int(frame_length.item())
    step = int(frame_step.item())
    if step < 1 or not 1 <= size <= x.shape[1] or (window is not None and window.shape != (size,)):
        raise EvaluationError(
            f"frames of {size}, by steps of {step}, with a window of shape "
            f"{None if window is None else window.shape}, are cut of signals {x.shape}; expected "
            "steps above 0, frames that fit, and windows as long as these"
        )
    signal = _as_complex(x)
    frames = np.lib.stride_tricks.sliding_window_view(signal, size, axis=1)[:, ::step]
    cut = frames if window is None else frames * widen(window)
    if onesided and x.shape[-1] == 2:
        raise EvaluationError("a complex signal has no one-sided transform; expected onesided=0")
    found = np.fft.rfft(cut) if onesided else np.fft.fft(cut)
    return narrow(np.stack([found.real, found.imag], axis=-1), x)


@kernel("HannWindow", since=(17,))
def hann_window(size: Array, *, output_datatype: int = 1, periodic: int = 1) -> Array:
    """Return a window of ``size`` that is one wave of a cosine."""
    return _sum_cosines(size, (0.5, -0.5), output_datatype, periodic)


@kernel("HammingWindow", since=(17,))
def hamming_window(size: Array, *, output_datatype: int = 1, periodic: int = 1) -> Array:
    """Return a window of ``size`` that is one wave of a cosine, and does not reach 0."""
    return _sum_cosines(size, (25 / 46, -21 / 46), output_datatype, periodic)


@kernel("BlackmanWindow", since=(17,))
def blackman_window(size: Array, *, output_datatype: int = 1, periodic: int = 1) -> Array:
    """Return a window of ``size`` that is made of one and two waves of a cosine."""
    return _sum_cosines(size, (0.42, -0.5, 0.08), output_datatype, periodic)


def _sum_cosines(
    size: Array, factors: tuple[float, ...], output_datatype: int, periodic: int
) -> Array:
    count = int(size.item())
    angles = 2 * np.pi * np.arange(count) / max(count if periodic else count - 1, 1)
    waves = [factor * np.cos(n * angles) for n, factor in enumerate(factors)]
    window = np.sum(waves, axis=0) if count > 1 or periodic else np.ones(max(count, 0))
    return np.asarray(window).astype(find_numpy_dtype(output_datatype))


@kernel("MelWeightMatrix", since=(17,))
def mel_weight_matrix(
    num_mel_bins: Array,
    dft_length: Array,
    sample_rate: Array,
    lower_edge_hertz: Array,
    upper_edge_hertz: Array,
    *,
    output_datatype: int = 1,
) -> Array:
    """Return weights (frequencies, bins): triangles that are evenly spaced on the mel scale."""
    count, length = int(num_mel_bins.item()), int(dft_length.item())
    edges = [float(edge.item()) for edge in (lower_edge_hertz, upper_edge_hertz)]
    low, high = (2595 * np.log10(1 + edge / 700) for edge in edges)
    mels = low + np.arange(count + 2) * ((high - low) / (count + 2))
    hertz = 700 * (10 ** (mels / 2595) - 1)
    places = ((length + 1) * hertz // float(sample_rate.item())).astype(np.int64)
    begin, center, end = places[:-2], places[1:-1], places[2:]
    frequencies = np.arange(length // 2 + 1)[:, None]
    rising = (frequencies - begin) / np.maximum(center - begin, 1)
    falling = (end - frequencies) / np.maximum(end - center, 1)
    weights = np.where((frequencies >= begin) & (frequencies <= center), rising, 0.0)
    weights = np.where((frequencies == center) & (begin == center), 1.0, weights)
    weights = np.where((frequencies >= center) & (frequencies < end), falling, weights)
    return weights.astype(find_numpy_dtype(output_datatype))
