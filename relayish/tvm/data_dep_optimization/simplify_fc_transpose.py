"""Weights that come transposed, under their name in TVM."""

from __future__ import annotations

from relayish.passes.relay.rewrite.simplify_fc_transpose import transpose_weights as convert

__all__ = ["convert"]
