"""Calls whose shapes, bounds and sizes are values, for any element type."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import relayish as relay
from relayish.ir.relay.expr import Expr
from tests.support.raised_calls import I, M, S, of_matrices, places

dyn = relay.op.dyn


LAST = 2**63 - 3  # two more is the last number there is


def told(x: Expr, values: object) -> Expr:
    """Return integers that are known only when it runs, for all that passes know."""
    known = relay.const(np.array(values), "int64")
    return relay.add(known, relay.take(relay.shape_of(x, "int64"), places(0)))


def sliced(begin: object, end: object, strides: object, **how: object) -> Callable[[str], Expr]:
    """Return a call on two rows, of bounds that are less by two than they shall be."""
    return of_matrices(
        lambda x: dyn.strided_slice(x, told(x, begin), told(x, end), told(x, strides), **how),
        (2, 5),
    )


def scale(x: Expr, value: float, dtype: str = "float32") -> Expr:
    """Return a number that is known only when it runs."""
    return relay.multiply(relay.cast(told(x, 0), dtype), relay.const(value, dtype))


DYNAMIC_CALLS: dict[str, Callable[[str], Expr]] = {
    "dyn.reshape": of_matrices(lambda x: dyn.reshape(x, told(x, [-1, -4])), M[::-1]),
    "dyn.reshape with sizes kept": of_matrices(lambda x: dyn.reshape(x, told(x, [-2, -3])), M),
    "dyn.reshape of nothing": of_matrices(
        lambda x: dyn.reshape(x, told(x, [0, 3]), allowzero=True), (0, 2)
    ),
    "dyn.squeeze": of_matrices(lambda x: dyn.squeeze(x, told(x, [-1, -3])), (1, 3, 1, 2)),
    "dyn.squeeze of nothing": of_matrices(
        lambda x: dyn.squeeze(x, relay.const(np.zeros(0, "int64"))), S
    ),
    "dyn.expand_dims": of_matrices(lambda x: dyn.expand_dims(x, told(x, -1)), M),
    "dyn.expand_dims from the end": of_matrices(
        lambda x: dyn.expand_dims(x, told(x, -4), num_newaxis=2), M
    ),
    "dyn.strided_slice": sliced([-2, -1], [0, 9], [-1, 0]),
    "dyn.strided_slice backwards": sliced([9, -3], [-99, -99], [-3, -4]),
    "dyn.strided_slice from before the first": sliced([-1, -9], [0, -20], [-1, -3]),
    "dyn.strided_slice from beyond the end": sliced([LAST, 9], [-LAST - 1, 0], [-1, -2]),
    "dyn.strided_slice of all the rest": sliced([-1, 1], [LAST, LAST], [1, 1], slice_mode="size"),
    "dyn.strided_slice along an axis": sliced([-4], [9], [0], axes=[-1]),
    "dyn.strided_slice of sizes": sliced([-1, -5], [-3, 0], [-1, -1], slice_mode="size"),
    "dyn.topk": of_matrices(lambda x: dyn.topk(x, told(x, 0), ret_type="values"), M),
    "dyn.topk of all": of_matrices(
        lambda x: dyn.topk(x, told(x, -2), 0, "indices", True, "int64"), M
    ),
    "dyn.one_hot": of_matrices(
        lambda x: dyn.one_hot(
            places([[0, 5, -1]], "int8"),
            relay.max(x),
            relay.min(x),
            told(x, 1),
            axis=1,
            dtype=x.type_annotation.dtype,
        ),
        M,
    ),
    "dyn.nn.pad": of_matrices(
        lambda x: dyn.nn.pad(x, told(x, [[-1, -2], [0, -2]]), relay.max(x)), M
    ),
    "dyn.nn.pad at the edge": of_matrices(
        lambda x: dyn.nn.pad(x, told(x, [[-1, -2], [0, -2]]), relay.max(x), pad_mode="edge"), M
    ),
    "dyn.nn.pad by reflection": of_matrices(
        lambda x: dyn.nn.pad(x, told(x, [[-1, -2], [0, -2]]), relay.max(x), pad_mode="reflect"), M
    ),
    **{
        f"dyn.image.resize2d {method}": of_matrices(
            lambda x, method=method, layout=layout, mode=mode: dyn.image.resize2d(
                x,
                told(x, [4, 2]),
                relay.const(np.zeros(4, "float32")),
                layout=layout,
                method=method,
                coordinate_transformation_mode=mode,
                rounding_method="",
            ),
            I,
        )
        for method, layout, mode in (
            ("nearest_neighbor", "NHWC", "asymmetric"),
            ("linear", "NCHW", "half_pixel"),
            ("cubic", "NCHW", "align_corners"),
        )
    },
    "dyn.nn.upsampling": of_matrices(
        lambda x: dyn.nn.upsampling(x, scale(x, 2), scale(x, 1.125, "float64")), I
    ),
    "dyn.nn.upsampling bilinear": of_matrices(
        lambda x: dyn.nn.upsampling(
            x, scale(x, 2), scale(x, 1.375), layout="NHWC", method="bilinear", align_corners=True
        ),
        I,
    ),
    "dyn.nn.upsampling3d": of_matrices(
        lambda x: dyn.nn.upsampling3d(x, scale(x, 2), scale(x, 3), scale(x, 1)), (1, 1, 2, 2, 2)
    ),
}
"""By name: an operator of Relay, and what is special about the call."""
