"""From Relay's operators to those of ONNX."""
