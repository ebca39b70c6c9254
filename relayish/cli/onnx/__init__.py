"""What the commands over models of ONNX share: counts, random inputs, equality, pictures."""
