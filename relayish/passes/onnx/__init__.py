"""Passes over models of ONNX, in rooms by subject."""
