"""Parts that commands over models of ONNX share: counts, inputs, equality, pictures."""
