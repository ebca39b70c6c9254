"""Calls that are written with several operators, for any element type."""

from __future__ import annotations

from collections.abc import Callable

import relayish as relay
from relayish.ir.relay.expr import Expr
from tests.support.raised_calls import of_matrices, places

COMPOSED_CALLS: dict[str, Callable[[str], Expr]] = {
    "sliding_window": of_matrices(
        lambda x: relay.sliding_window(x, 1, window_shape=(2, 3), strides=(2, 1)), (2, 5, 4)
    ),
    "take in batches": of_matrices(
        lambda x: relay.take(x, places([[1, 0], [2, 9]]), axis=1, batch_dims=1), (2, 3, 2)
    ),
}
"""By name: an operator of Relay, and what is special about the call."""
