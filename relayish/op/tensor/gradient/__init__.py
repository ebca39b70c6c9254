"""Gradients of the operators on tensors."""

from __future__ import annotations

from relayish.op.tensor.gradient import elementwise, indexing, reduction, shape

__all__ = ["elementwise", "indexing", "reduction", "shape"]
