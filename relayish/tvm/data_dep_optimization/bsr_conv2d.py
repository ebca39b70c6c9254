"""Sparse weights of convolutions, under their name in TVM."""

from __future__ import annotations

from relayish.passes.relay.rewrite.conv2d_to_sparse import convert_conv2d as convert

__all__ = ["convert"]
