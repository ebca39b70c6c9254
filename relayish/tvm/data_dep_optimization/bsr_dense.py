"""Sparse weights of fully connected layers, under their name in TVM."""

from __future__ import annotations

from relayish.passes.relay.rewrite.dense_to_sparse import convert_dense as convert

__all__ = ["convert"]
