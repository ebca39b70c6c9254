"""Calls that are written with several operators, for any element type."""

from __future__ import annotations

from collections.abc import Callable

import relayish as relay
from relayish.ir.relay.expr import Expr
from tests.support.raised_calls import M, N, of_matrices, places

image, vision = relay.image, relay.vision


def regions(x: Expr) -> Expr:
    """Return regions of two images: inside, over the edge, and smaller than a pixel."""
    values = [[1, 0, 1, 5, 4], [0, 2, 0.5, 2, 1], [1, -5, 3, 19, 8]]
    return relay.const(values, x.type_annotation.dtype)


boxes = relay.const([[0, 0, 1, 1], [0.25, 0.75, 0.5, 0.1], [-0.5, 0.1, 1.5, 2]], "float32")

COMPOSED_CALLS: dict[str, Callable[[str], Expr]] = {
    "sliding_window": of_matrices(
        lambda x: relay.sliding_window(x, 1, window_shape=(2, 3), strides=(2, 1)), (2, 5, 4)
    ),
    "take in batches": of_matrices(
        lambda x: relay.take(x, places([[1, 0], [2, 9]]), axis=1, batch_dims=1), (2, 3, 2)
    ),
    "cumprod": of_matrices(lambda x: relay.cumprod(x, axis=1), M),
    "cumprod of all": of_matrices(lambda x: relay.cumprod(x, exclusive=True), M),
    "cumprod as int8": of_matrices(lambda x: relay.cumprod(x, axis=0, dtype="int8"), M),
    "cumprod of nothing": of_matrices(lambda x: relay.cumprod(x, axis=0), N),
    "reinterpret": of_matrices(lambda x: relay.reinterpret(x, x.type_annotation.dtype), M),
    "reinterpret as int32": of_matrices(lambda x: relay.reinterpret(x, "int32"), M),
    "searchsorted": of_matrices(
        lambda x, y: relay.searchsorted(relay.sort(x), y, dtype="int64"), (2, 5), M
    ),
    "searchsorted in one line": of_matrices(
        lambda x, y: relay.searchsorted(relay.sort(x), y, right=True), (5,), M
    ),
    "searchsorted among equal ones": of_matrices(
        lambda x: relay.searchsorted(relay.sort(x), relay.take(x, places([[2, 0]])), right=True),
        (5,),
    ),
    "unravel_index": of_matrices(
        lambda x: relay.unravel_index(relay.clip(x, 0, 23), relay.const([2, 3, 4], "int64")), M
    ),
    "unique": of_matrices(lambda x: relay.unique(relay.clip(x, 1, 2), True, True).astuple(), (7,)),
    "unique in order": of_matrices(
        lambda x: relay.unique(relay.concatenate((x, x), 0), False).astuple(), (4,)
    ),
    **{
        f"roi_align {mode} {ratio}": of_matrices(
            lambda x, mode=mode, ratio=ratio: vision.roi_align(
                x, regions(x), (2, 3), 0.5, ratio, "NHWC" if ratio > 1 else "NCHW", mode
            ),
            (2, 4, 5, 4),
        )
        for mode in ("avg", "max")
        for ratio in (-1, 1, 2)
    },
    "dilation2d": of_matrices(
        lambda x, y: image.dilation2d(x, y, (2, 1), (1, 0), (1, 2), "NHWC", "HWI"),
        (1, 5, 4, 2),
        (3, 2, 2),
    ),
    **{
        f"crop_and_resize {method} {layout}": of_matrices(
            lambda x, method=method, layout=layout, size=size: image.crop_and_resize(
                x, boxes, places([1, 0, 1], "int32"), size, layout, method, -3.5
            ),
            (2, 4, 5, 3),
        )
        for method in ("bilinear", "nearest_neighbor")
        for layout, size in (("NCHW", (3, 4)), ("NHWC", (1, 5)))
    },
    **{
        f"deformable_conv2d in groups of {groups}": of_matrices(
            lambda x, y, w, groups=groups: relay.nn.deformable_conv2d(
                x,
                relay.divide(y, relay.full_like(y, relay.const(16.0))),
                w,
                strides=(2, 1),
                padding=(1, 0),
                dilation=(1, 2),
                deformable_groups=2,
                groups=groups,
                channels=4,
                kernel_size=(3, 2),
            ),
            (2, 4, 5, 4),
            (2, 24, 3, 2),
            (4, 4 // groups, 3, 2),
        )
        for groups in (1, 2, 4)
    },
    "dft of a line": of_matrices(lambda x, y: relay.dft(x, y, inverse=True).astuple(), (5,), (5,)),
    "stft normalised": of_matrices(lambda x, y: relay.stft(x, 4, 3, 4, y, True), (2, 9), (4,)),
    "stft of both sides": of_matrices(
        lambda x, y: relay.stft(x, 4, 3, 4, y, False, False), (2, 9), (4,)
    ),
    "stft of a short window": of_matrices(lambda x, y: relay.stft(x, 5, 2, 3, y), (2, 9), (3,)),
}
"""By name: an operator of Relay, and what is special about the call."""
