"""Simplifying programs of ONNX: local rules, and the engine that applies them."""
