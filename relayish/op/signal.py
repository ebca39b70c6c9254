"""Fourier transforms."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.op.registry import register_op


@attrs("relay.attrs.DFTAttrs")
class DFTAttrs(Attrs):
    """Attributes of ``dft``."""

    inverse: bool = False


@attrs("relay.attrs.StftAttrs")
class StftAttrs(Attrs):
    """Attributes of ``stft``."""

    n_fft: int = -1
    hop_length: int = -1
    win_length: int = -1
    normalized: bool = False
    onesided: bool = True


register_op("dft", arguments_=("re_data", "im_data"), attrs=DFTAttrs, in_metadata=True)
register_op("stft", arguments_=("data", "window"), attrs=StftAttrs, in_metadata=True)
