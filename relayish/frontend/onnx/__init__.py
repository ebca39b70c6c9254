"""Models of ONNX, read and written."""

from relayish.frontend.onnx.exporter import save_onnx, to_onnx
from relayish.frontend.onnx.importer import from_onnx

__all__ = ["from_onnx", "save_onnx", "to_onnx"]
