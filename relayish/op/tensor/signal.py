"""Fourier transforms."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Bool
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.declaration.registry import register_op
from relayish.op.types import dimension
from relayish.op.types.dimension import show_type
from relayish.op.types.type_checks import unify_dimensions
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.DFTAttrs")
class DFTAttrs(Attrs):
    """Attributes of ``dft``."""

    inverse: Bool = False


@attrs("relay.attrs.StftAttrs")
class StftAttrs(Attrs):
    """Attributes of ``stft``."""

    n_fft: int = -1
    hop_length: int = -1
    win_length: int = -1
    normalized: bool = False
    onesided: bool = True


def _dft_type(_: DFTAttrs, re_data: Type, im_data: Type) -> TupleType:
    """Return the real and the imaginary parts, which are shaped as those of the argument."""
    real, imaginary = tensor(re_data, "re_data"), tensor(im_data, "im_data")
    dtype = unify_dtype(real, imaginary)
    if not dtype.startswith(("float", "bfloat")) or not real.shape:
        raise TypeInferenceError(
            f"re_data must have floating point numbers along an axis; found {show_type(real)}"
        )
    tensor(im_data, "im_data", len(real.shape))
    shape = tuple(
        unify_dimensions(n, m, f"in axis {axis} re_data and im_data have the sizes")
        for axis, (n, m) in enumerate(zip(real.shape, imaginary.shape, strict=True))
    )
    return TupleType((TensorType(shape, dtype),) * 2)


def _dft(attrs: DFTAttrs, re_data: Array, im_data: Array) -> tuple[Array, Array]:
    """Transform along the last axis; the inverse is divided by its size."""
    if re_data.size == 0:
        return re_data, im_data
    wide = re_data.astype(np.float64) + 1j * im_data.astype(np.float64)
    found = (np.fft.ifft if attrs.inverse else np.fft.fft)(wide, axis=-1)
    return found.real.astype(re_data.dtype), found.imag.astype(re_data.dtype)


def _stft_type(attrs: StftAttrs, data: Type, window: Type) -> TensorType:
    """Return batches of frequencies, each a row of frames of a real and an imaginary part."""
    source, frame = tensor(data, "data", rank=2), tensor(window, "window", rank=1)
    batches, samples = source.shape
    if attrs.n_fft < 1 or attrs.hop_length < 1 or not 1 <= attrs.win_length <= attrs.n_fft:
        raise TypeInferenceError(
            f"n_fft is {attrs.n_fft}, hop_length {attrs.hop_length} and win_length "
            f"{attrs.win_length}; expected positive numbers, of which win_length is at most n_fft"
        )
    unify_dimensions(frame.shape[0], attrs.win_length, "window and win_length are of the sizes")
    if isinstance(samples, int) and samples < attrs.n_fft:
        raise TypeInferenceError(f"data has {samples} samples; expected at least {attrs.n_fft}")
    rest = dimension.subtract(samples, attrs.n_fft)
    frames = dimension.add(dimension.floor_divide(rest, attrs.hop_length), 1)
    bins = attrs.n_fft // 2 + 1 if attrs.onesided else attrs.n_fft
    return TensorType((batches, bins, frames, 2), source.dtype)


def _stft(attrs: StftAttrs, data: Array, window: Array) -> Array:
    """Multiply every frame by the window and by the waves of all frequencies.

    A window shorter than ``n_fft`` stands at the beginning of its frame, and the waves are those
    of its own length.
    """
    if data.shape[1] < attrs.n_fft:
        raise EvaluationError(f"data has {data.shape[1]} samples; expected at least {attrs.n_fft}")
    bins = attrs.n_fft // 2 + 1 if attrs.onesided else attrs.n_fft
    frames = np.lib.stride_tricks.sliding_window_view(data, attrs.n_fft, axis=1)
    frames = frames[:, :: attrs.hop_length, : attrs.win_length] * window.astype(np.float64)
    turns = np.outer(np.arange(attrs.win_length), np.arange(bins)) / attrs.win_length
    angles = 2 * np.pi * turns
    parts = np.stack((frames @ np.cos(angles), -(frames @ np.sin(angles))), axis=-1)
    if attrs.normalized:
        parts /= np.sqrt(attrs.n_fft)
    return parts.swapaxes(1, 2).astype(data.dtype)


register_op(
    "dft",
    description="""
    Take the discrete Fourier transform along the last axis.
    re_data (..., n); im_data (..., n) -> a tuple of real and imaginary part, (..., n) each
    """,
    attrs_in_metadata=True,
    rule=_dft_type,
    evaluate=_dft,
    outputs=2,
)
register_op(
    "stft",
    description="""
    Take the Fourier transform of overlapping windows.
    data (batch, n) or (n,); window (win_length,), ones if None -> (batch, n_fft / 2 + 1,
        windows, 2)
    """,
    attrs_in_metadata=True,
    rule=_stft_type,
    evaluate=_stft,
)
