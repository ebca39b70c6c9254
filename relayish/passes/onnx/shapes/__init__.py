"""Shapes in ONNX programs: those of inputs are fixed, all others follow."""
