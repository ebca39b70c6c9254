"""Programs of PyTorch as modules: by way of the export to ONNX that torch has."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from relayish.errors import ModelError, PackageError
from relayish.frontend.calls import explain_calls
from relayish.frontend.onnx.importer import from_onnx
from relayish.ir.relay.module import IRModule

_WRITE: Final = "write from_torch(torch.export.export(module, args))"


@explain_calls(f"{_WRITE}, which tells the shapes of inputs")
def from_torch(program: Any, *, opset: int | None = None) -> IRModule:
    """Return a program that PyTorch exported as a module.

    It is written as a model of ONNX by ``torch.onnx.export`` and read by
    :func:`~relayish.frontend.from_onnx`: the module calls operators of ONNX, which ``LowerOnnx``
    turns into Relay's.

    Args:
        program: What ``torch.export.export`` gives. Any: torch is optional.
        opset: The version of ONNX's operator set to write, by default the one torch prefers.

    Raises:
        PackageError: If ``torch``, or the package ``onnxscript`` that its export needs, is missing.
        ModelError: If it is no exported program, or torch cannot write it, or it is called as TVM's
            ``from_pytorch``, which takes the shapes of inputs, and gives a pair.
    """
    try:
        torch = import_module("torch")
        exporter = import_module("torch.onnx")
        import_module("onnxscript")
    except ImportError as error:
        raise PackageError(
            f"the package {error.name!r} is not installed; programs of PyTorch need it: "
            f"pip install torch onnxscript"
        ) from error
    if not isinstance(program, torch.export.ExportedProgram):
        raise ModelError(
            f"{type(program).__name__} is no exported program; {_WRITE}, where args is the tuple "
            f"of tensors that the module is called with"
        )
    try:
        written = exporter.export(program, dynamo=True, opset_version=opset, verbose=False)
    except Exception as error:
        raise ModelError(
            f"torch cannot write the program as a model of ONNX: {_reasons(error)}"
        ) from error
    return from_onnx(written.model_proto)


def _reasons(error: BaseException) -> str:
    """Return what torch says, the cause first; its general advice only if it says no more."""
    found = [error]
    while (cause := found[0].__cause__) is not None:
        found.insert(0, cause)
    return "; ".join(map(str, found[:-1] or found))
