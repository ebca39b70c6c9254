"""Rewriting by the values of parameters, under the names of ``tvm.relay.data_dep_optimization``."""

from __future__ import annotations

from relayish.tvm.data_dep_optimization import bsr_conv2d, bsr_dense, simplify_fc_transpose

__all__ = ["bsr_conv2d", "bsr_dense", "simplify_fc_transpose"]
