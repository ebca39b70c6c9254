"""relayish as a backend of ONNX: what ``onnx.backend.test`` and other tools run models on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.frontend.onnx.importer import from_onnx
from relayish.frontend.onnx.session import OnnxSession
from relayish.onnx.package import load_onnx

_base: Any = load_onnx("onnx.backend.base")  # Any: onnx does not type its classes


class BackendRep(_base.BackendRep):  # type: ignore[misc]  # as above
    """A model that is ready to run."""

    def __init__(self, session: OnnxSession) -> None:
        self.session = session

    def run(self, inputs: Any, **_kwargs: Any) -> tuple[Any, ...]:
        """Return the outputs for inputs in order, or by name. Any: values of ONNX."""
        return tuple(self.session.run(inputs))


class Backend(_base.Backend):  # type: ignore[misc]  # as above
    """Runs models of ONNX on numpy, by the kernels of relayish."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **_kwargs: Any) -> bool:
        """Return whether the model can be read and runs on this device. Any: a ModelProto."""
        return bool(cls.supports_device(device)) and model is not None

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **_kwargs: Any) -> BackendRep:
        """Return a model, a ``ModelProto``, ready to run.

        Raises:
            ModelError: If it is none that can be run.
        """
        super().prepare(model, device)
        return BackendRep(OnnxSession(from_onnx(model)))

    @classmethod
    def run_node(
        cls, node: Any, inputs: Sequence[Any], device: str = "CPU", **_kwargs: Any
    ) -> tuple[Any, ...]:
        """Return the outputs of one node. Any: a NodeProto, values of ONNX."""
        helper, numpy_helper = load_onnx("onnx.helper"), load_onnx("onnx.numpy_helper")
        names = [name for name in node.input if name]
        infos = []
        for name, value in zip(names, inputs, strict=True):
            tensor = numpy_helper.from_array(value)
            infos.append(helper.make_tensor_value_info(name, tensor.data_type, tensor.dims))
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        graph = helper.make_graph([node], "node", infos, outputs)
        model = helper.make_model(graph)
        return cls.prepare(model, device).run(dict(zip(names, inputs, strict=True)))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether models run on a device: on ``CPU``."""
        return device.split(":", maxsplit=1)[0] == "CPU"
