"""From operators of ONNX to Relay's."""
