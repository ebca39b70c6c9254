"""Tensors as loops: what operators compute as formulas over indices, by handlers (CINN, AIR)."""
