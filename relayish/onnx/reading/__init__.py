"""Reading of graphs of ONNX: as functions of Relay that call operators of ONNX."""
