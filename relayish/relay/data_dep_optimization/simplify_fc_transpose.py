"""Weights that come transposed, under their name in TVM."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.passes.rewrite.simplify_fc_transpose import transpose_weights as convert

__all__ = ["convert"]

__getattr__ = names_of(__name__)
