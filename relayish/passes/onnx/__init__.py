"""Pipelines over models of ONNX."""
