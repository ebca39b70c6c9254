"""ONNX, the language of models that other frameworks write."""
